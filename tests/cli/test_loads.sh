#!/usr/bin/env bash
# The figures of other loads than the gate's (ci/loads.py): a mean over processes, and a page that says what the table says.
# The figures of other compilers (ci/cycles.py): releases of one code in one column.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
loads() { python3 "$ACCP_SOURCE_DIR/ci/loads.py" "$@"; }

# ends COMMAND...: it ends without a word when nobody reads it, as behind head.
ends() {
    { sleep 0.3; "$@" 2>said; echo $? >status; } | true
    [ ! -s said ] || broken "no word from: $* | head; it said: $(cat said)"
    [ "$(cat status)" = 141 ] || broken "SIGPIPE, and not status $(cat status), for: $*"
}
ends loads page "$ACCP_SOURCE_DIR/docs/probes/loads.tsv"
ends python3 "$ACCP_SOURCE_DIR/ci/peaks.py" points "$ACCP_SOURCE_DIR/docs/peaks/predicted.tsv"
ends python3 "$ACCP_SOURCE_DIR/ci/operators.py" tables "$ACCP_SOURCE_DIR/docs/policy/cells.tsv"
ends "$ACCP_SOURCE_DIR/ci/registers"
for script in "$ACCP_SOURCE_DIR"/ci/*.py; do
    if [ "$(basename "$script")" != pipe.py ]; then grep -q '^import pipe' "$script" || broken "$script to import pipe"; fi
done

loads page "$ACCP_SOURCE_DIR/docs/probes/loads.tsv" >made.md
cmp -s made.md "$ACCP_SOURCE_DIR/docs/probes/loads.md" || broken 'docs/probes/loads.md to be what ci/loads.py makes of loads.tsv'

# What docs/h200.md says of the optimal probe at other loads is what the runs of docs/h200 say.
mkdir -p document && cp -r "$ACCP_SOURCE_DIR/golden/document" document/
column=6
for load in warps16 seed; do
    loads section "$ACCP_SOURCE_DIR/docs/h200/$load"-*.run.json >tables.md || broken "the tables of $load"
    [ "$(grep -c '^| 29 |' tables.md)" = 10 ] || broken "three tables of $load: $(cat tables.md)"
    while IFS= read -r line; do
        grep -qxF -e "$line" "$ACCP_SOURCE_DIR/docs/h200.md" || broken "in docs/h200.md, of $load: $line"
    done <tables.md
    mkdir -p "$load"
    for run in "$ACCP_SOURCE_DIR/docs/h200/$load"-*.run.json; do # the document speaks of 8 warps
        sed 's/"warps": 16,/"warps": 8,/' "$run" >"$load/$(basename "$run")"
    done
    "$ACCP_BINARY_DIR/accprobe" check --golden document --pending pending --format json "$load"/*.json >verdict || [ $? -le 1 ] || broken "a verdict of $load"
    loads claims verdict >said
    while IFS=$'\t' read -r claim words; do
        row=$(grep -F "| $claim |" "$ACCP_SOURCE_DIR/docs/h200.md") || continue
        [ "$(cut -d'|' -f$column <<<"$row")" = " $words " ] || broken "$claim at $load in docs/h200.md: $words, not $(cut -d'|' -f$column <<<"$row")"
        echo "$claim"
    done <said >held
    [ "$(wc -l <held)" = 24 ] || broken "24 statements of $load, not $(wc -l <held)"
    column=7
done
# And the peak map, and what each warp of mixed launches measured, what those tables say.
python3 - "$ACCP_SOURCE_DIR/docs" <<'END' || broken 'the best split by occupancy, and what ran beside each role, in docs/h200.md'
import csv, json, re, sys
page = open(sys.argv[1] + "/h200.md").read()
levels = {(row["role"], row["warps"]): float(row["cycles"]) for row in
          csv.DictReader((line for line in open(sys.argv[1] + "/probes/loads.tsv") if line[0] != "#"), delimiter="\t") if row["protocol"] == "occupancy"}
assert len(levels) == 192
rows = re.findall(r"^\| (\d+) \| (\d+) \| [\d.]+ \| [\d.]+ \| (\d+) \| ([\d.]+) \| ([+\d.]+) % \| (\d+) \| ([+\d.]+) % \|$", page, re.M)
assert len(rows) == 24
for chain, warps, best, cycles, single, pick, loss in rows:
    of = lambda acc: levels[f"optimal.chain{chain}.acc{acc}", warps]
    assert min(levels[role, load] for role, load in levels if load == warps and f".chain{chain}." in role) == of(best)
    assert abs(of(best) - float(cycles)) < 0.0051, (chain, warps, cycles)
    for acc, said in ((1, single), (pick, loss)):
        assert abs(100 * (of(acc) / of(best) - 1) - float(said)) < 0.051, (chain, warps, acc, said)
of_warps = json.load(open(sys.argv[1] + "/probes/beside.json"))["rows"]
held = 0
for row in of_warps:
    if row["warps"] != "8": continue
    beside = [row[name] for name in row if name.startswith("by acc")]
    line = " | ".join([f'| {row["chain"]} acc{row["acc"]}', row["its own"], row["mixed"], *beside, row["by place"]]) + " |"
    assert line in page.split("\n"), line
    held += 1
assert held == 24
# What a warp's place is worth, in docs/probes.md.
place = {}
for row in csv.DictReader((line for line in open(sys.argv[1] + "/probes/places.tsv") if line[0] != "#"), delimiter="\t"):
    place.setdefault(row["warps"], []).append(float(row["over_mean"]))
assert all(of == sorted(of, reverse=True) for of in place.values()), "the later, the fewer cycles"
words = "it is %s and %s %% at 8, 16 and 32 warps" % (", ".join("%.1f" % (100 * (place[w][0] / place[w][-1] - 1)) for w in ("8", "16")), "%.1f" % (100 * (place["32"][0] / place["32"][-1] - 1)))
probes = " ".join(open(sys.argv[1] + "/probes.md").read().split())
assert words in probes, words
shares = {w: sorted(float(row["by place"].split()[0]) for row in of_warps if row["warps"] == w) for w in ("8", "16", "24", "32")}
middle = {w: (of[11] + of[12]) / 2 for w, of in shares.items()}
said = re.search(r"takes ([0-9.]+), ([0-9.]+) and ([0-9.]+) % more than the last", probes).groups()
assert all(abs(float(word) - middle[w]) < 0.051 for word, w in zip(said, ("16", "24", "32"))), (said, middle)
assert f"by {middle['8']:.1f} % in the median of the roles and {shares['8'][-1]:.1f} % at the most" in probes and f"{shares['32'][-1]:.1f} % at the most" in probes
END

recording=$(ls "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/tail.run.json)
for change in 1 3; do
    python3 - "$recording" $change >"run-$change.json" <<'END'
import json, sys
run = json.load(open(sys.argv[1]))
run["roles"] = [role for role in run["roles"] if role["role"] in ("tail.chain7.acc2", "tail.chain7.acc3.back") and role["warps"] == 8]
for role in run["roles"]: role["cycles"]["mean"] = 60 + int(sys.argv[2]) * (2 if "back" in role["role"] else 1)
run["protocol"]["name"] = "seed"
json.dump(run, sys.stdout)
END
done
loads gather run-1.json run-3.json >table || broken 'a table'
[ "$(grep acc2 table)" = "$(printf 'tail.chain7.acc2\tseed\t8\t2\t62\t2.3')" ] || broken "the mean of 61 and 63: $(cat table)"
loads page table | grep -xF '| 7 plain | **62.00** |  |' >/dev/null || broken "the table as a page: $(loads page table)"
loads page table | grep -xF '| 7 back |  | **64.00** |' >/dev/null || broken "the table as a page: $(loads page table)"
sed -i 's/NVIDIA H200/NVIDIA H20/' run-3.json
expect 1 'runs of one device' python3 "$ACCP_SOURCE_DIR/ci/loads.py" gather run-1.json run-3.json

# Four releases, of which the middle two have the same loops.
while read -r version mean hash; do
    for probe in optimal tail; do
        mkdir -p "runs/$probe/$version"
        sed 's/NVIDIA H20"/NVIDIA H200"/' run-1.json | python3 -c '
import json, sys
run = json.load(sys.stdin)
for role in run["roles"]:
    role["role"] = role["role"].replace("tail", sys.argv[3])
    role["sass_exact"] = sys.argv[2]
    role["cycles"]["mean"] = float(sys.argv[1])
json.dump(run, sys.stdout)' "$mean" "$hash" "$probe" >"runs/$probe/$version/run-1.json"
    done
done <<'END'
9.10.2 70 aaaaaaaaaaaaaaaa
9.9.1 60 aaaaaaaaaaaaaaaa
12.0.1 50 bbbbbbbbbbbbbbbb
9.9.0 61 cccccccccccccccc
END
python3 "$ACCP_SOURCE_DIR/ci/cycles.py" gather runs >cycles || broken 'a table of compilers'
[ "$(grep -c '' cycles)" = 6 ] || broken "a row for each of four roles: $(cat cycles)"
[ "$(sed -n 2p cycles)" = "$(printf 'role\twarps\t9.9.0\t9.9.1\t12.0.1\tfarthest')" ] || broken "a column a group: $(cat cycles)"
[ "$(grep 'tail.*acc2' cycles)" = "$(printf 'tail.chain7.acc2\t8\t61\t65\t50\t7.7')" ] || broken "the mean of 60 and 70: $(cat cycles)"
grep '^# .*: 9.9.0 1, 9.9.1 2, 12.0.1 1$' cycles >/dev/null || broken "the processes of each group: $(cat cycles)"
sed -i 's/NVIDIA H200/NVIDIA H20/' runs/tail/9.9.0/run-1.json
expect 1 'runs of one device' python3 "$ACCP_SOURCE_DIR/ci/cycles.py" gather runs
