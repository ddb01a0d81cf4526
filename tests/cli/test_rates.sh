#!/usr/bin/env bash
# docs/trust.md: its table of false alarms is what docs/trust/gates.tsv, a line a gate, adds up to.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
python3 - "$ACCP_SOURCE_DIR/docs" <<'END' || broken 'a table that the recording adds up to'
import math, re, sys
docs = sys.argv[1]
lines = [line.rstrip("\n").split("\t") for line in open(docs + "/trust/gates.tsv") if not line.startswith("#")]
assert lines[0][:3] == ["condition", "exit", "verdict"], lines[0]
# A gate that could time nothing ends with the exit status of ENVIRONMENT, and without a verdict.
gates = [(condition, int(status), "ENVIRONMENT" if (status, verdict) == ("3", "none") else verdict)
         for condition, status, verdict, *rest in lines[1:]]

def upper(events, count):
    """The p at which so few events or fewer have a chance of 5 %."""
    low, high = 0.0, 1.0
    for step in range(60):
        p = (low + high) / 2
        chance = sum(math.comb(count, i) * p**i * (1 - p)**(count - i) for i in range(events + 1))
        low, high = (p, high) if chance > 0.05 else (low, p)
    return high

# The rows of the page, by the conditions that they hold.
rows = {"one after another": "quiet$", "all six probes, as": "every_probe", "on two GPUs": "both", "one role (`--filter`)": "one_role", "beside a process that fills every SM": "busy_all$", "one block": "busy_one", "5 ms in 25": "busy_bursts",
        "under compute-sanitizer": "busy_sanitizer", "the four of them": "busy", "left alone": "cold", "all": ""}
table = re.findall(r"^\| ([^|]+) \| ([\d,]+) \| ([\d,]+) \| (\d+) \| (\d+) \| ([^|]*)\|$", open(docs + "/trust.md").read(), re.M)
seen = 0
for name, count, passes, environment, others, bound in table:
    match = [rows[key] for key in rows if key == name or key not in ("all", "beside a process that fills every SM") and key in name]
    if not match: continue
    seen += 1
    mine = [gate for gate in gates if re.match(match[0], gate[0])]
    verdicts = [verdict for condition, status, verdict in mine]
    told = (int(count.replace(",", "")), int(passes.replace(",", "")), int(environment), int(others))
    found = (len(mine), verdicts.count("PASS"), verdicts.count("ENVIRONMENT"), len([v for v in verdicts if v not in ("PASS", "ENVIRONMENT")]))
    assert told == found, (name, told, found)
    assert all(status in (0, 3) for condition, status, verdict in mine), name
    if bound.strip(): assert bound.strip() == f"{100 * upper(0, len(mine)):.2f} %", (name, bound, upper(0, len(mine)))
assert seen == len(rows), (seen, len(rows))
assert f"0 false alarms in {len(gates):,} " in open(docs + "/../README.md").read(), "the README"
END
echo passed
