#!/usr/bin/env bash
# The figures of docs/policy.md on chains, made anew from what is on record: each row of its tables that says how far the
# policy's answers are from the best.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe
export ACCPROBE_LIBCUDA=/nonexistent/libcuda.so.1
recorded=$(echo "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/occupancy)

# holds WORDS HABIT...: docs/policy.md has the row that begins with WORDS and goes on with what the policy, and the habits named,
# regret by the judgement in stdout.
holds() {
    local row
    row=$(python3 - "$@" <<'END'
import re, sys
text = open("stdout").read()
cells, within = re.search(r"^(\d+) chains at a load: the policy is within 1 % of the best in (\d+) ", text, re.M).groups()
figures = {name: re.search(rf"^{name} +mean regret +([0-9.]+) %, worst +([0-9.]+) %", text, re.M).groups()
           for name in ("the policy", "always 1", "always 2", "always 4")}
mean, worst = figures["the policy"]
habits = ("{:.1f} %, {:.1f} %".format(*map(float, figures[f"always {habit}"])) for habit in sys.argv[2:])
print("|", " | ".join((sys.argv[1], cells, within, f"{mean} %", f"{worst} %", *habits)), "|")
END
    ) || broken "a judgement: $(tail -n 6 stdout)"
    grep -Fxq -e "$row" "$ACCP_SOURCE_DIR/docs/policy.md" || broken "docs/policy.md to have the row: $row"
}

expect 0 '' "$accprobe" policy "$recorded"/chains-[12].run.json --against "$recorded/chains-3.run.json"
# shellcheck disable=SC2016 # the backticks of Markdown
holds 'chains 7, 13, 29, 6 loads, both sinks: `chains-3`, by a policy of `chains-1` and `-2`' 1 2 4

# The issue model's predictions are of one compiler's SASS.
if "$accprobe" shape --filter '^optimal[.]chain7[.]acc1$' --format json 2>stderr | grep '"version": "13.0.88"' >/dev/null; then
    for warps in 4 8 12 16 24 32; do
        expect 0 '' "$accprobe" predict --filter '^optimal[.]|[.]carried$' --warps $warps --out predicted-$warps.json
    done
    expect 0 '' "$accprobe" policy predicted-*.json --against "$recorded/chains-3.run.json"
    # shellcheck disable=SC2016
    holds 'the same cells, by a policy of predicted runs' 1 2 4
fi

# left_out WORDS PYTHON: the map's cells for which PYTHON holds, of chain and load, by a policy of its others.
left_out() {
    python3 - "$2" "$recorded/map.run.json" <<'END' || broken "the map in two parts"
import json, re, sys
is_left = eval(f"lambda chain, load: {sys.argv[1]}")
run = json.load(open(sys.argv[2]))
parts = {"kept.json": [], "left.json": []}
for role in run["roles"]:
    chain = int(re.match(r"map_chain(\d+)_", role["role"])[1])
    parts["left.json" if is_left(chain, role["warps"] // 4) else "kept.json"].append(role)
for path, roles in parts.items():
    json.dump({**run, "roles": roles}, open(path, "w"))
END
    expect 0 '' "$accprobe" policy kept.json --against left.json
    holds "$1" 2 4
}
left_out 'every other chain of the map, 6 to 62' 'chain % 2 == 0 and 6 <= chain < 64'
left_out 'loads 3 and 6 of the map' 'load in (3, 6)'
left_out 'all chains from 8 to 28 but 13' '8 <= chain <= 28 and chain != 13'

# Operators that read more than a cache holds, told how fast memory is: what docs/policy.md says of them.
cubin=$ACCP_BINARY_DIR/cubin/sm_90/ops.cubin
if "$accprobe" shape --cubin "$cubin" --filter dot_acc1 --format json | grep '"version": "13.0.88"' >/dev/null; then
    mkdir runs
    python3 "$ACCP_SOURCE_DIR/ci/operators.py" runs runs || broken 'the recorded processes as runs'
    expect 0 '' "$accprobe" policy --cubin "$cubin" --given waits=470,bandwidth=18.3 --against runs --format json
    python3 - "$ACCP_SOURCE_DIR/docs/policy" <<'END' || broken 'the figures of memory in docs/policy.md'
import csv, json, re, statistics, sys
cells = {row["cell"]: row for row in csv.DictReader(open(sys.argv[1] + "/cells.tsv"), delimiter="\t")}
bytes_of = {"dot": 8, "gemm": 0, "bias": 4, "stream": 4, "softmax": 4, "welford": 4}
told, one, untold, said = [], [], [], 0
for row in json.load(open("stdout"))["rows"]:
    operator, size, length = row["cell"].split(".")[1:]
    warps = int(size[3:]) * 132 if size.startswith("gpu") else int(size[4:])
    if warps * 32 * int(length[1:]) * bytes_of[operator] <= 128 << 20:
        continue
    said += row["rule"] == "MEMORY"
    told.append(float(row["regret"].rstrip(" %")))
    one.append(float(row["always 1"].rstrip(" %")))
    untold.append(float(cells[row["cell"]]["sass_regret"]))
of = lambda values: (f"{statistics.mean(values):.1f} %", f"{max(values):.1f} %")
mean, worst = of(told)
words = (f"it answers so in {said} of these {len(told)} cells, of which it regrets {mean} in the mean and {worst} at worst, where \"always 1\" "
         f"regrets {' and '.join(of(one))}; not told it regrets {' and '.join(of(untold))} there.")
text = re.sub(r"\s+", " ", open(sys.argv[1] + ".md").read())
assert words in text, words
END
fi
echo passed
