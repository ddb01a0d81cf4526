#!/usr/bin/env bash
# The commands of the tool that the docs show, as they stand there: none is refused as usage or bad input. What a command is to
# answer is what other tests hold; those of the tutorial, the recipes and "add a kernel" have tests of their own.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
[ -e "$ACCP_BINARY_DIR/cubin/sm_90/ops.cubin" ] || skip 'no kernels for sm_90 in this build'
export ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 ACCPROBE_LIBNVML=$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1 ACCP_FAKE=ok
ACCP_FAKE_RUN=$(ls "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/optimal.run.json)
export ACCP_FAKE_RUN

# What the commands name.
ln -s "$ACCP_BINARY_DIR" build
ln -s "$ACCP_SOURCE_DIR/golden" golden
ln -s "$ACCP_SOURCE_DIR/tests" tests
ln -s "$ACCP_BINARY_DIR/accprobe" accprobe
cp "$ACCP_SOURCE_DIR/tests/data/sass/clock_around.sm_90.12.4.cubin" old.cubin
cp "$ACCP_SOURCE_DIR/tests/data/sass/clock_around.sm_90.13.0.cubin" new.cubin
for name in run old-1 new-1; do cp "$ACCP_FAKE_RUN" $name.json; done
cp "${ACCP_FAKE_RUN/optimal/sink}" run-1.json
cp golden/shape/sm_90/12.8.61.json new.json
mkdir runs
python3 "$ACCP_SOURCE_DIR/ci/operators.py" runs runs || broken 'the runs of the operators'
if [ -x "${ACCP_NVCC:-}" ]; then
    echo 'extern "C" __global__ void dot(float *x, int n) { float a = x[0]; for (int i = 0; i < n; ++i) a = a * a + 1; x[0] = a; }' >mine.cu
    "$ACCP_NVCC" -arch=sm_90 -cubin -o mine.cubin mine.cu || broken 'a cubin'
fi

verbs=$("$ACCP_BINARY_DIR/accprobe" --help | sed -n '/^usage/,/--version/s/^  \([a-z]*\) .*/\1/p' | paste -sd'|')
# commands FILE: those of the tool, without what is said of them. Left out: what writes goldens or needs what others made.
commands() {
    grep -hE "^( {4})?(build/)?accprobe ($verbs)( |\$)" "$ACCP_SOURCE_DIR/$1" | sed -E 's/^ +//; s/ +#.*//; s/ {4,}.*//' |
        grep -vE 'accprobe record|build/sweep|(named|registers)[.]cubin'
}
# prepared COMMAND: with what is there in the place of what stands for it.
recorded=golden/measured/$(basename "$(dirname "$ACCP_FAKE_RUN")")
prepared() {
    sed -E "s#^(build/)?accprobe#./accprobe#; s# --loop 0x170##; s#\\\$d/(chains)#$recorded/occupancy/\1#g; s#\\\$d/#$recorded/operators/#g
        s#--against RUNS#--against runs#; s#--against RUN[.]json#--against $recorded/occupancy/optimal.run.json#; s#RUN[.]json([.]{3})?#run.json#
        /accprobe policy/s#mine[.]cubin#build/cubin/sm_90/ops.cubin#" <<<"$1"
}
count=0
for file in README.md golden/README.md docs/{compilers,explain,exports,fleet,policy,probes,registers,report}.md; do
    while IFS= read -r command; do
        if [[ $command =~ mine.cubin && ! $command =~ policy && ! -e mine.cubin ]]; then continue; fi
        got=0
        timeout 60 bash -c "$(prepared "$command")" >stdout 2>stderr </dev/null || got=$?
        case $got in
        0 | 2 | 3) count=$((count + 1)) ;;
        *) broken "no exit status $got from a command of $file: $command ($(prepared "$command"))" ;;
        esac
    done < <(commands "$file")
done
[ $count -ge 28 ] || broken "28 commands in the docs, not $count"
echo "$count commands"

# What docs/performance.md says of the processes of docs/performance.tsv.
python3 - "$ACCP_SOURCE_DIR/docs" <<'END' || broken 'the figures of docs/performance.tsv in docs/performance.md'
import csv, statistics, sys
rows = csv.DictReader((line for line in open(sys.argv[1] + "/performance.tsv") if line[0] != "#"), delimiter="\t")
walls = {}
for row in rows:
    walls.setdefault((row["what"], row["tool"]), []).append(float(row["wall_s"]))
page, said = open(sys.argv[1] + "/performance.md").read(), 0
for (what, tool), values in walls.items():
    assert len(values) == (7 if "third" in what else 5), (what, tool)
    figure = "%.3f s" % statistics.median(values) + (" (%.3f to %.3f)" % (min(values), max(values)) if what != "gate" else "")
    assert figure in page, (what, tool, figure)
    said += 1
assert said == 24
END

# A row of a table has as many cells as its head, a link leads to a file that is there, and so does a path in code quotes.
python3 - "$ACCP_SOURCE_DIR" <<'END' || broken 'the tables and links of the docs'
import pathlib, re, sys
root, tables, links, paths = pathlib.Path(sys.argv[1]), 0, 0, 0
for page in [*root.glob("*.md"), *root.glob("golden/*.md"), *root.glob("docs/**/*.md")]:
    head, in_code = None, False
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        where = f"{page.relative_to(root)}:{number}"
        in_code ^= line.startswith("```")
        if in_code:
            continue
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else None
        tables += head is None and cells is not None
        assert None in (head, cells) or cells == head, f"{where}: {cells - 1} cells below a head of {head - 1}"
        head = cells if head is None or cells is None else head
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", line):
            assert "://" in link or (page.parent / link).exists(), f"{where}: {link}"
            links += 1
        for path in re.findall(r"`((?:ci|docs|golden|harness|kernels|matrix|tests)/[\w./-]+)`", line):
            assert (root / path).exists(), f"{where}: {path}"
            paths += 1
assert tables > 60 and links > 80 and paths > 80, (tables, links, paths)
END

# Which answers are tables of texts, docs/formats.md says; by their schemas it is those whose rows hold nothing else.
python3 - "$ACCP_SOURCE_DIR/docs" <<'END' || broken 'the tables of texts that docs/formats.md names'
import json, pathlib, re, sys
docs = pathlib.Path(sys.argv[1])
tables = []
for path in sorted(docs.glob("schema/*.schema.json")):
    row = json.loads(path.read_text()).get("properties", {}).get("rows", {}).get("items", {})
    cells = [*row.get("properties", {}).values(), *row.get("patternProperties", {}).values()]
    if cells and all(cell.get("type") == "string" or "enum" in cell for cell in cells):
        tables.append(path.name.split(".")[0])
sentence = re.search(r"^- (`.*?) are the tables for people", (docs / "formats.md").read_text(), re.M).group(1)
assert re.findall("`([a-z-]+)`", sentence) == tables, (sentence, tables)
END

# An entry of the changelog is whole, and stands there once: a merge leaves the first line of one behind, or the older wording of another.
python3 - "$ACCP_SOURCE_DIR/CHANGELOG.md" <<'END' || broken 'the entries of CHANGELOG.md'
import re, sys
entries = re.split(r"\n(?=- |#)", open(sys.argv[1], encoding="utf-8").read().rstrip())
entries = [entry for entry in entries if entry.startswith("- ")]
begun = {}
for entry in entries:
    assert entry.rstrip().endswith((".", ":")), "no end: " + entry
    assert entry[:100] not in begun, "twice: " + entry
    begun[entry[:100]] = entry
assert len(entries) > 60, len(entries)
END
echo passed
