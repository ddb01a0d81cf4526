#!/usr/bin/env bash
# ci/steps over the recordings of tests/data/compilers, and of tests/data/volatile: kernels that were built before the volatile
# read behind their loops was made a float. The gate's verdict on updates whose effect is known.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
[ -x "$ACCP_SOURCE_DIR/build/accprobe" ] || skip 'ci/steps needs the default build'
steps=$ACCP_SOURCE_DIR/ci/steps data=$ACCP_SOURCE_DIR/tests/data/compilers volatile=$ACCP_SOURCE_DIR/tests/data/volatile

# row STEP WORDS: the row of that step holds these words.
row() { grep -F "| $1 |" stdout | grep -F -e "$2" >/dev/null || broken "'$2' in the row of $1: $(grep -F "| $1 |" stdout)"; }

expect 0 '' "$steps"
row '12.0.76 → 12.2.91' '| 24 PASS | 24 PASS | 14 PASS |  | PASS |'
row '12.3.52 → 12.4.99' '| 1 DRIFT, 23 PASS | 1 DRIFT, 23 PASS | 14 PASS | SHAPE_CHANGED | DRIFT |'
row '12.5.40 → 12.8.61' '| 24 WIN (to -10.3 %, chain7.acc2) | 1 FAIL (to +2.4 %, chain29.acc7), 23 WIN'
row '13.0.88-optimal → 13.0.88-cutlass' '| 23 FAIL (to +33.3 %, chain29.acc7)'
row '12.0.76 → 12.2.91, sink' '| 60 PASS | 60 PASS | 56 PASS |  | PASS |'
row '13.1.80 → 13.4.59, sink' '| 15 FAIL (to +83.9 %, chain7.acc3.store), 45 PASS | 15 FAIL (to +76.5 %, chain7.acc4.store), 45 PASS'
row '12.5.40 → 12.8.61, dispatch' '| 24 WIN (to -10.4 %, chain7.acc2) | 24 WIN'
cp stdout printed
# What a step changed is named, from the listings of both compilers, neither of which is the one that was built.
mkdir named && ln -s "$ACCP_SOURCE_DIR/golden/shape" "$data/13.1.80/measured" named
expect 1 '' "$ACCP_SOURCE_DIR/build/accprobe" check "$data/13.4.59/sink.run.json" --golden named --all
[ "$(grep -c '^FAIL *sink.*[.]store[.]level@[48] .*SLOWER_OTHER_SASS.*first difference: instruction [0-9]* of the loop: .*ptxas 13.4.59, golden 13.1.80' stdout)" = 30 ] ||
    broken "the first instruction of 15 roles at two loads: $(grep '^FAIL' stdout)"
# What spills fails by its law, and its spread passes for no interruption.
expect 0 '' "$steps" "$volatile"
row '13.0.88-sink → 13.1.80-sink' '| 29 FAIL (to +1156.6 %, sink.chain29.acc8.carried), 2 WIN'
row '13.0.88-sink → 13.1.80-sink' 'STRUCTURE_LOST | FAIL |'
row '13.0.88-dependency → 13.1.80-dependency' '| 32 FAIL (to +1356.4 %, dependency.chain29.acc15.one), 12 PASS | 32 FAIL'
grep ' → ' stdout >>printed
[ "$(grep -c ' → ' printed)" = "$(cat "$data/steps" "$volatile/steps" | wc -l)" ] || broken 'a row for each step'
# The document has these rows, and no other of their kind.
grep ' → ' printed | sort >sorted && mv sorted printed
grep -E '^\|.* → .*\| (PASS|FAIL|WIN|DRIFT|ENVIRONMENT|INCONCLUSIVE) \|$' "$ACCP_SOURCE_DIR/docs/compilers.md" | sort >written
diff printed written >difference || broken "docs/compilers.md as ci/steps prints it: $(cat difference)"

# The law is named with the compilers, in the run of a compiler whose shapes are on record.
ln -s "$volatile/shape" shape && ln -s "$volatile/13.0.88-sink/measured" measured
expect 1 '' "$ACCP_SOURCE_DIR/build/accprobe" check "$volatile/13.1.80-sink/run.json" --golden . --all
grep '^FAIL *sink.chain29.acc8.carried.level@8 .*STRUCTURE_LOST.*law spill: 8 LDL and 19 STL.*ptxas 13.1.80, golden 13.0.88' stdout >/dev/null ||
    broken "the spill of sink.chain29.acc8.carried: $(grep chain29.acc8.carried stdout)"
# What changed beside it is named from the listings of both compilers, neither of which is the one that was built.
grep '^DRIFT *sink.chain29.acc4.store.level@4 .*SHAPE_CHANGED.* instruction [0-9]* of the loop: ' stdout >/dev/null ||
    broken "the first instruction of a store: $(grep chain29.acc4.store stdout)"
rm shape && cp -r "$volatile/shape" shape && rm shape/sm_90/loops.json
expect 1 '' "$ACCP_SOURCE_DIR/build/accprobe" check "$volatile/13.1.80-sink/run.json" --golden . --all
grep '^DRIFT *sink.chain29.acc4.store.level@4 .*not known, for want of a listing' stdout >/dev/null ||
    broken "no listing of a store: $(grep chain29.acc4.store stdout)"

# Beside roles that spill, a launch of another role that was interrupted is seen as before: what moved by cycles alone is
# ENVIRONMENT, what breaks a law is not.
mkdir two && cp -r "$volatile/13.0.88-sink" "$volatile/13.1.80-sink" "$volatile/shape" two/ && echo '13.0.88-sink 13.1.80-sink' >two/steps
python3 - two/13.1.80-sink/run.json <<'END'
import json, sys
run = json.load(open(sys.argv[1]))
[role] = [role for role in run["roles"] if role["role"] == "sink.chain7.acc1" and role["warps"] == 8]
role["cycles"]["max"] *= 50
json.dump(run, open(sys.argv[1], "w"))
END
expect 0 '' "$steps" two
row '13.0.88-sink → 13.1.80-sink' '| 27 FAIL (to +1156.6 %, sink.chain29.acc8.carried), 11 DRIFT, 18 PASS, 4 ENVIRONMENT |'
row '13.0.88-sink → 13.1.80-sink' 'INTERRUPTED'

# The same code 3 % slower is no update's doing.
mkdir one && cp -r "$data/12.8.61" "$data/13.0.48" one/ && echo '12.8.61 13.0.48' >one/steps
python3 - one/13.0.48/run.json <<'END'
import re, sys
slower = lambda found: found.group(1) + "%.6g" % (1.03 * float(found.group(2)))
text = re.sub(r'("(?:mean|min|max|first_half|second_half)": )([0-9.]+)', slower, open(sys.argv[1]).read())
open(sys.argv[1], "w").write(re.sub(r', "modes": \[\[.*?\]\]', "", text))
END
expect 0 '' "$steps" one
row '12.8.61 → 13.0.48' 'ENVIRONMENT'
! grep -q '24 PASS' stdout || broken 'no pass for a run that is 3 % slower'

rm one/13.0.48/run.json
expect 4 'cannot open' "$steps" one
echo '12.8.0 13.0.48' >one/steps
expect 4 '12.8.0/measured is not there' "$steps" one
expect 4 'steps is not there' "$steps" nowhere
