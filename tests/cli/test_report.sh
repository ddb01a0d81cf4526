#!/usr/bin/env bash
# accprobe report: a page that holds what the run holds, whatever a stranger wrote into the run; and a browser shows it.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe
folder=$(ls -d "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*)
export ACCP_RECORDING=$folder/optimal.run.json

# Slower than the golden in one role and of other SASS in another, with markup wherever a file may hold text.
python3 - <<'END'
import json, os
run = json.load(open(os.environ["ACCP_RECORDING"]))
evil = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&]]>--><!--|`"
run["device"].update(name=evil, throttle="none", mig="off", driver=evil[:24], uuid_hash="<b>")
run["compiler"]["flags"] = evil
for role in run["roles"]:
    if role["role"] == "optimal.chain29.acc2":
        role["cycles"].update(mean=role["cycles"]["mean"] * 1.03, max=role["cycles"]["max"] * 1.03)
    if role["role"] == "optimal.chain29.acc3":
        role["sass"] = role["sass_exact"] = "0123456789abcdef"
run["roles"].append({**run["roles"][0], "role": evil, "kernel": evil, "warps": 4})
for member in "chain", "acc", "effective":
    del run["roles"][-1][member]
json.dump(run, open("run.json", "w"))
END
name="<svg onload=alert(1)>'.json"
cp run.json "$name"
expect 0 '' "$accprobe" report "$name" --timeline '^optimal[.]chain29[.]acc[123]$' -o page.html
expect 0 '' "$accprobe" report "$name" --timeline '^optimal[.]chain29[.]acc[123]$' --out again.html
cmp -s page.html again.html || broken 'the same page from the same run'
mkdir 'a[b]*' # a folder of goldens may be called as a pattern is
ln -s "$ACCP_SOURCE_DIR/golden" 'a[b]*/golden'
expect 0 '' "$accprobe" report "$name" --timeline '^optimal[.]chain29[.]acc[123]$' --golden 'a[b]*/golden' --out again.html
sed "s/ --golden &#39;a\[b\][*]\/golden&#39;//" again.html | cmp -s page.html - || broken 'the same page from the same goldens, but for the command that asks them'
# Paper is narrow, and no phone.
! grep -o '@media(max-width[^{]*' page.html || broken 'widths of screens alone'
# A terminal is no place for HTML; a file and a pipe are.
python3 - "$accprobe" "$name" >told <<'END' || broken 'one line instead of HTML on a terminal'
import os, pty, sys
for words, status, said in ((["-o", "x.html"], 0, b""), (["--format", "markdown"], 0, b"verdict"), ([], 4, b"with -o FILE")):
    told = b""
    def read(fd):
        global told
        data = os.read(fd, 1 << 16)
        told += data
        return data
    code = os.waitstatus_to_exitcode(pty.spawn([sys.argv[1], "report", sys.argv[2], *words], read))
    assert code == status and said in told and b"<html" not in told, (words, code, told[:300])
END
cat >read_page.py <<'END'
import html.parser, math, re, sys
void = {"meta", "link", "br", "img", "hr", "input"}
# What the page is made of; anything else came from a file.
ours = set("a b body caption code dd details div dl dt figcaption figure footer h1 h2 h3 head header html i li main nav p "
           "section span strong style summary table tbody td th thead title tr ul svg defs g use circle path polygon text".split()) | void - {"img"}
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text, self.ids, self.links = [], [], set(), set()
    def handle_starttag(self, tag, attributes):
        assert tag in ours, tag
        for key, value in attributes:
            assert not key.startswith("on") and key not in ("src", "srcset", "action", "formaction"), (tag, key)
            if tag in ("path", "polygon", "use") and key in ("d", "points", "transform"):
                assert all(math.isfinite(float(number)) for number in re.findall(r"[^A-Za-z(), ]+", value)), (tag, key, value)
            if key == "xlink:href": assert value in ("#gpPt5", "#gpPt6"), value
            if key == "id": assert value not in self.ids, value
            if key == "href": assert value.startswith("#") or value == "data:,", value
            if key == "href" and value.startswith("#"): self.links.add(value[1:])
            if key == "id": self.ids.add(value)
        if tag not in void: self.open.append(tag)
    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in void: self.open.pop()
    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:], self.getpos())
        self.open.pop()
    def handle_data(self, data):
        self.text.append(data)
    def handle_comment(self, data):
        raise AssertionError("a comment: " + data)
source = open(sys.argv[1], encoding="utf-8").read()
page = Page()
page.feed(source)
page.close()
assert not page.open, page.open
assert page.links <= page.ids, page.links - page.ids
text = "".join(page.text)
END
python3 - <<'END' || broken 'a page of our own elements alone, with what the run holds in it'
import sys
sys.argv[1:] = ["page.html"]
exec(open("read_page.py").read())
assert text.index("FAIL") < text.index("Progress by accumulators")
assert "<script>alert(1)</script>" in text
assert "optimal.chain29.acc2.level@8" in text and "SLOWER_SAME_SASS" in text
assert "this SASS is not on record" in text and "other SASS" in text
assert "90941.5" in text, "the best progress of chain 29 at 8 warps"
lines = re.findall(r"optimal[.]chain29[.](\w+)@8</td><td>[-0-9.]+</td><td>[0-9.]*</td><td>[0-9.]+</td><td>([^<]*)</td>", source)
assert dict(lines) == {"order": "%", "peak": "%"} and "<td>cycles</td>" in source, ("units beside numbers", lines)
assert text.count("iterations in 10,000,000 cycles") == 3 and "cycles an iteration" in text and "and how much longer one takes" in text
assert text.count("an iteration, predicted") == 4, "acc1 and acc2 at 4 and 8 warps"
assert "the kernel of this build is other SASS" in text
assert "the document" in text and "+25.9" in text
assert "11.8.89" in text and "On record for this GPU" in text
assert "150109880320 bytes" in text, "a size in all its digits"
figures = re.findall(r"<svg.*?</svg>", source, re.S)
assert len(figures) == 13, len(figures)
for figure in figures:
    assert "<title>" in figure and len(figure) < 40000 and "rgb( 1, 2," in figure, figure[:200]
    assert not re.search("font|stroke='black'|fill=.black", figure), "colours and fonts of the style sheet alone"
assert re.search("optimal.chain29.acc2 at 8 warps: progress 80104.9, .*, outside the golden&#39;s tolerance</title></use>", source)
assert all(f"[fill='rgb(1,2,{number})']" in source for number in (0, 1)), "text in the page's colours"
END

# All probes together: small all the same.
python3 - "$accprobe" "$folder"/*.run.json <<'END' || broken 'a page of all probes below 2 MB'
import os, subprocess, sys
subprocess.run([sys.argv[1], "report", *sys.argv[2:], "-o", "all.html"], check=True)
assert os.path.getsize("all.html") < 2e6, os.path.getsize("all.html")
sys.argv[1:] = ["all.html"]
exec(open("read_page.py").read())
# The shapes of every probe are on record, each in a folder of its own; a compiler is a column once.
assert "this SASS is not on record" not in text
heat = re.search('<table class="heat sweep">(.*?)</table>', source, re.S).group(1)
columns = re.findall('<th scope="col"><span>([0-9.]+)</span>', heat)
assert len(columns) == len(set(columns)) and "13.0.88" in columns, columns
rows = re.findall('<th scope="row">([a-z0-9.]+)</th>(.*?)</tr>', heat, re.S)
assert len(rows) == len(set(name for name, cells in rows)) == 236, len(rows)
assert all("•" in cells for name, cells in rows), "what these runs ran is on record"
END
# Warps that run different loops: a table a chain and load with every figure that the run has of each warp, and the orders.
python3 - "$folder" <<'END' || broken 'what each warp of mixed launches measured'
import json, re, sys
page = open("all.html", encoding="utf-8").read()
section = re.search('<section id="warps">.*?</section>', page, re.S).group(0)
assert '<a href="#warps">' in page
names = {f"warp {i}": ("by_warp", i) for i in range(32)} | {f"by acc{i}": ("beside", i) for i in range(256)}
rows = {}
for probe in "optimal", "dispatch", "mixed":
    for row in json.load(open(f"{sys.argv[1]}/{probe}.run.json"))["roles"]:
        rows[row["role"], row["warps"]] = row
cells = 0
for chain, warps, orders, table in re.findall(r"<h3>Chain (\d+), (\d) warps</h3>\s*<p>Orders: (.*?)</p>(.*?)</table>", section, re.S):
    heads = re.findall("<th[^>]*>(.*?)</th>", table)
    lines = re.findall('<tr><td class="claim">(.*?)</td>(.*?)</tr>', table)
    assert len(lines) == 8 and re.search("^[0-9]+ of [0-9]+ ordered pairs turn round when mixed", orders), (chain, warps, orders)
    for role, rest in lines:
        told = dict(zip(heads[1:], re.findall("<td[^>]*>(.*?)</td>", rest)))
        assert len(told) == len(heads) - 1, (heads, told)
        row = rows[role, int(warps)]
        wanted = {name: rows[role.replace("mixed", probe), int(warps)]["cycles"]["mean"]
                  for name, probe in (("its own", "optimal"), ("alone", "dispatch"), ("mixed", "mixed"))}
        for name, (member, key) in names.items():
            wanted |= {name: mean for other, mean, n in row[member] if other == key}
        assert {name: text for name, text in told.items() if text} == {name: f"{mean:.2f}" for name, mean in wanted.items()}, (role, told, wanted)
        cells += len(wanted)
assert cells == 24 * 7 + 24 * 18, cells
END
# What the runs hold of no row is no column.
for probes in mixed:mixed mixed,dispatch:alone,mixed mixed,optimal:its_own,mixed; do
    IFS=, read -ra names <<<"${probes%:*}"
    names=("${names[@]/%/.run.json}")
    names=("${names[@]/#/$folder/}")
    expect 0 '' "$accprobe" report "${names[@]}" -o some.html
    heads=$(grep -o '<th>role</th>.*<th class="n">warp 0</th>' some.html | sed 's/<th>role//; s/<th class="n">warp 0//; s/ /_/g; s/<[^>]*>/ /g' | sort -u | xargs | tr ' ' ,)
    [ "$heads" = "${probes#*:}" ] || broken "the columns ${probes#*:}, not $heads"
done
expect 0 '' "$accprobe" report --format markdown "$folder/mixed.run.json"
grep -qF 'by place **mixed.chain13.acc5@8** 81.06 (warp 4) to 83.84 (warp 0); by what runs beside them **mixed.chain29.acc1@8** 165.79 (acc2) to 230.69 (acc8) cycles.' stdout ||
    broken "the warps that are furthest apart: $(cat stdout)"
expect 0 '' "$accprobe" report --format markdown "$folder"/{mixed,optimal}.run.json
grep -q '; of 157 pairs that kernels of their own order, 11 turn round[.]$' stdout || broken "orders: $(cat stdout)"
python3 - "$folder/mixed.run.json" <<'END'
import json, sys
run = json.load(open(sys.argv[1]))
for role in run["roles"]:
    role["cycles"].update(mean=role["cycles"]["mean"] * 1.03, max=role["cycles"]["max"] * 1.03)
json.dump(run, open("slow.json", "w"))
END
expect 0 '' "$accprobe" report --format markdown slow.json
for words in '^Warps that run' 'lines more'; do
    grep -q "$words" stdout || broken "$words: $(cat stdout)"
done
[ "$(wc -l <stdout)" -le 20 ] || broken "20 lines with one of warps: $(cat stdout)"
expect 0 '' "$accprobe" report "$folder/tail.run.json" -o tail.html
! grep -q 'id="warps"' tail.html || broken 'no section of warps that ran one loop'
grep -q 'SASS is not on record\|No shapes of these roles' tail.html && broken 'the shapes of a probe that is not the first'
# The heaviest timelines that all probes have, as many as a page draws; and a run of 901 kernels that are no roles: no section
# of it has a heading and nothing else.
expect 0 '' "$accprobe" report "$folder"/*.run.json --timeline '^dispatch[.]chain29' -o timelines.html
[ "$(grep -c 'an iteration, predicted' timelines.html)" = 12 ] || broken '12 timelines'
expect 0 '' "$accprobe" report "$folder/occupancy/map.run.json" -o map.html
for page in timelines map; do
    [ "$(wc -c <$page.html)" -lt 2000000 ] || broken "a page below 2 MB: $page, $(wc -c <$page.html) bytes"
    python3 read_page.py $page.html || broken "a page that is well-formed: $page"
done
python3 - <<'END' || broken 'the sections of kernels of no role'
import re
page = open("map.html", encoding="utf-8").read()
assert re.findall('<section id="([a-z]+)"', page) == re.findall('<li><a href="#([a-z]+)"', page) == ["verdict", "progress", "provenance"]
rows = re.findall(r"<tr><td>map_chain(\d+)_acc(\d+)</td><td>(\d+)</td><td>([0-9.]+)</td><td>([0-9.]+)</td></tr>", page)
assert len(set(rows)) == 5406, len(rows)
assert page.count("<td>NO_BASELINE: ") == 5406
END
for run in "$ACCP_SOURCE_DIR/golden/document/optimal.json" "$folder/occupancy/optimal.run.json"; do
    expect 0 '' "$accprobe" report "$run" -o other.html
    python3 read_page.py other.html || broken "a page of $run"
done
grep -q 'Nothing on this page was measured' other.html && broken 'a measured run called measured'

# The summary for a change: the verdict of `check` in 20 lines, however many claims fail.
python3 - <<'END'
import json, os
run = json.load(open(os.environ["ACCP_RECORDING"]))
for role in run["roles"]:
    role["cycles"].update(mean=role["cycles"]["mean"] * 1.03, max=role["cycles"]["max"] * 1.03)
json.dump(run, open("slow.json", "w"))
END
for run in run.json slow.json "$ACCP_RECORDING"; do
    expect 0 '' "$accprobe" report --format markdown "$run" -o brief.md
    [ "$(wc -l <brief.md)" -le 20 ] || broken "20 lines: $(cat brief.md)"
    "$accprobe" check --format json "$run" >verdict.json
    verdict=$(python3 -c 'import json; print(json.load(open("verdict.json"))["verdict"])')
    [ "$(head -n1 brief.md)" = "### accprobe: $verdict" ] || broken "verdict $verdict: $(head -n1 brief.md)"
done
expect 0 '' "$accprobe" report --format markdown run.json
! grep -q '<script>' stdout || broken 'markup of others taken out of effect in Markdown'

# Without gnuplot there is no page, and a line that says what to install; with one that fails, what it said. Nobody's
# settings of gnuplot are read.
mkdir empty broken home
expect 4 'gnuplot: is not installed, and draws the figures of a page: sudo apt-get install gnuplot-nox' \
    env PATH="$scratch/empty" "$accprobe" report run.json -o none.html
expect 0 '' env PATH="$scratch/empty" "$accprobe" report --format markdown run.json
expect 0 '' env PATH="$scratch/empty" "$accprobe" doctor
grep -q '^gnuplot *none' stdout || broken "doctor to name gnuplot: $(cat stdout)"
printf '#!/bin/sh\necho "no fonts" >&2\nexit 1\n' >broken/gnuplot && chmod +x broken/gnuplot
PATH=$scratch/broken:$PATH expect 4 'did not draw the figures: no fonts' "$accprobe" report run.json -o none.html
printf '#!/bin/sh\nexec sleep 60\n' >broken/gnuplot
ACCPROBE_TIMEOUT_S=0.3 PATH=$scratch/broken:$PATH expect 4 'did not draw the figures within 0.3 s' "$accprobe" report run.json -o none.html
[ ! -e none.html ] || broken 'no page without figures'
echo 'system("touch '"$scratch"'/pwned")' >home/.gnuplot
HOME=$scratch/home expect 0 '' "$accprobe" report "$name" --timeline '^optimal[.]chain29[.]acc[123]$' -o again.html
cmp -s page.html again.html || broken 'the same page for everybody'
[ ! -e pwned ] || broken "nobody's settings read"

expect 4 'report writes a page of HTML where it is left out, and a summary with --format markdown' "$accprobe" report --format json run.json
expect 4 '--format html: must be table, json or markdown, and of those what accprobe report --help lists' \
    "$accprobe" report --format html run.json
expect 4 'matches no role' "$accprobe" report --timeline chain31 run.json -o none.html
expect 4 'timeline' "$accprobe" report --timeline '[' run.json -o none.html
head -c 3000 run.json >half.json
expect 4 'not valid JSON' "$accprobe" report half.json -o none.html
sed 's/"arch": "sm_90"/"arch": "..\/..\/x"/' "$ACCP_RECORDING" >arch.json
"$accprobe" report arch.json -o arch.html >stdout 2>stderr
[ $? -le 4 ] || broken 'a word for an arch that is a path refused or shown'
[ ! -e none.html ] || broken 'no file from bad input'

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
    echo 'no chromium: the page was read, and not looked at'
    echo passed
    exit
fi
# As root the browser starts only without its own walls.
walls=()
[ "$(id -u)" != 0 ] || walls=(--no-sandbox)
# shoot NAME WIDTH OPTIONS...: a picture of the page; nothing on the console, and no blank.
shoot() {
    local name=$1 width=$2
    shift 2
    HOME=$scratch timeout 100 "$browser" --headless=new "${walls[@]}" --disable-gpu --hide-scrollbars --enable-logging=stderr \
        --window-size="$width",2400 --screenshot="$name.png" "$@" "file://$scratch/page.html" >"$name.log" 2>&1 ||
        broken "a picture: $(tail -n3 "$name.log")"
    ! grep -E 'CONSOLE|Refused|Content Security' "$name.log" || broken 'a silent console'
    [ "$(wc -c <"$name.png")" -gt 60000 ] || broken "a picture with something in it: $(wc -c <"$name.png") bytes"
}
shoot light 1280
shoot dark 1280 --blink-settings=preferredColorScheme=0
! cmp -s light.png dark.png || broken 'other colours in the dark'
shoot narrow 500
# On a phone's 320 pixels a claim is read without scrolling sideways, however long its name and its reason.
sed -e 's|<meta http-equiv[^>]*>||' -e 's|<body>|<body style="width:320px">|' all.html >phone.html
cat >>phone.html <<'END'
<script>for (const claims of document.querySelectorAll("details")) claims.open = true;
const boxes = [...document.querySelectorAll(".claims")].map(claims => claims.parentElement);
document.title = "wide " + boxes.filter(box => box.scrollWidth > 320).length + " of " + boxes.length;</script>
END
HOME=$scratch timeout 100 "$browser" --headless=new "${walls[@]}" --disable-gpu --window-size=500,2400 --dump-dom "file://$scratch/phone.html" \
    >phone.dom 2>phone.log || broken "a page on a phone: $(tail -n3 phone.log)"
grep -q '<title>wide 0 of [1-9]' phone.dom || broken "claims as wide as a phone: $(grep -o '<title>wide[^<]*' phone.dom)"
HOME=$scratch timeout 100 "$browser" --headless=new "${walls[@]}" --disable-gpu --print-to-pdf=page.pdf "file://$scratch/page.html" >pdf.log 2>&1 ||
    broken "a print: $(tail -n3 pdf.log)"
[ "$(wc -c <page.pdf)" -gt 60000 ] || broken 'a print with something in it'
if ! command -v pdftotext >/dev/null; then
    echo 'no pdftotext (poppler-utils): where the pages of a print end was not looked at'
    echo passed
    exit
fi
# No heading stands at the foot of a printed page without what it is of, wherever the section before it ends.
expect 0 '' "$accprobe" report "$ACCP_RECORDING" -o whole.html
for space in 120 180; do
    sed "s|</nav>|</nav><div style=\"height:${space}px\"></div>|" whole.html >moved.html
    HOME=$scratch timeout 100 "$browser" --headless=new "${walls[@]}" --disable-gpu --no-pdf-header-footer --print-to-pdf=moved.pdf \
        "file://$scratch/moved.html" >pdf.log 2>&1 || broken "a print: $(tail -n3 pdf.log)"
    pdftotext -layout moved.pdf moved.txt || broken 'text in the print'
    python3 - <<'END' || broken "no heading alone at the foot of a page, $space pixels further down"
import re
headings = re.findall("<h2>(.*?)</h2>", open("whole.html", encoding="utf-8").read())
assert len(headings) == 9, headings
pages = [[line.strip() for line in page.splitlines() if line.strip()] for page in open("moved.txt", encoding="utf-8").read().split("\f")]
assert sum(line in headings for page in pages for line in page) == 9, "every heading in the print"
alone = [(number + 1, page[-5:]) for number, page in enumerate(pages) if any(line in headings for line in page[-5:])]
assert not alone, alone
END
done
echo passed
