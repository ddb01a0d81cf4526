#!/usr/bin/env bash
# usage: predictions.sh ARCH: whether the predictions on record for an arch are what the model says of the kernels built here.
# A role without a prediction, a broken law or other SASS from the same compiler fails. Skips, with the reason, where another
# compiler built the kernels, and where nothing but the model has changed: then ci/predicted is due.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
arch=$1
recorded=$ACCP_SOURCE_DIR/golden/predicted/$arch/optimal.json
[ -e "$recorded" ] || broken "predictions on record for $arch: ci/predicted REASON makes them"
"$ACCP_BINARY_DIR/accprobe" gate --arch "$arch" --golden "$ACCP_SOURCE_DIR/golden" --out run.json --format json >verdict.json
[ $? -lt 4 ] || broken "a verdict for $arch"
python3 - "$recorded" <<'END'
import collections
import json
import sys

lines = json.load(open("verdict.json"))["lines"]
built = json.load(open("run.json"))["compiler"]["version"]
recorded = {r["compiler"]["version"] for r in json.load(open(sys.argv[1]))["records"]}
reasons = collections.defaultdict(list)
for line in lines:
    reasons[line["reason"]].append(line)
levels = [line for line in lines if ".level@" in line["claim"]]
assert levels, "no role was judged"
for line in levels:
    if line["verdict"] == "NO_GOLDEN" and line["reason"] != "OTHER_MODEL":
        sys.exit(f"expected a prediction on record: {line['claim']}: {line['text']}")
for reason in ("LAW_BROKEN", "STRUCTURE_LOST", "ZERO_SAMPLES", "NOT_TIMED", "ROLE_MISSING"):
    for line in reasons[reason]:
        sys.exit(f"expected no {reason}: {line['claim']}: {line['text']}")
if built not in recorded:
    print(f"skipped: built by ptxas {built}, the predictions are of {', '.join(sorted(recorded))}")
    sys.exit(77)
for line in lines:
    if line["reason"].endswith("_OTHER_SASS") or line["reason"] in ("SHAPE_CHANGED", "SHAPE_UNBASED", "SHAPE_LEFT"):
        sys.exit(f"expected the SASS on record: {line['claim']}: {line['text']}")
moved = [line for line in levels if line["reason"] == "OTHER_MODEL"]
if moved:
    print(f"skipped: {moved[0]['text']}; {len(moved)} of {len(levels)} levels")
    sys.exit(77)
for line in lines:
    if line["verdict"] not in ("PASS", "NO_GOLDEN", "SKIP"):
        sys.exit(f"expected {line['claim']} to pass: {line['text']}")
END
