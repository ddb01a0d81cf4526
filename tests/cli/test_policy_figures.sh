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
echo passed
