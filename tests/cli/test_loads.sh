#!/usr/bin/env bash
# The figures of other loads than the gate's (ci/loads.py): a mean over processes, and a page that says what the table says.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
loads() { python3 "$ACCP_SOURCE_DIR/ci/loads.py" "$@"; }

loads page "$ACCP_SOURCE_DIR/docs/probes/loads.tsv" >made.md
cmp -s made.md "$ACCP_SOURCE_DIR/docs/probes/loads.md" || broken 'docs/probes/loads.md to be what ci/loads.py makes of loads.tsv'

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
