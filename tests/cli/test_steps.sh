#!/usr/bin/env bash
# ci/steps over the recordings of tests/data/compilers: the gate's verdict on updates whose effect is known.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
[ -x "$ACCP_SOURCE_DIR/build/accprobe" ] || skip 'ci/steps needs the default build'
steps=$ACCP_SOURCE_DIR/ci/steps data=$ACCP_SOURCE_DIR/tests/data/compilers

# row STEP WORDS: the row of that step holds these words.
row() { grep -F "| $1 |" stdout | grep -F -e "$2" >/dev/null || broken "'$2' in the row of $1: $(grep -F "| $1 |" stdout)"; }

expect 0 '' "$steps"
row '12.0.76 → 12.2.91' '| 24 PASS | 24 PASS | 14 PASS |  | PASS |'
row '12.3.52 → 12.4.99' '| 1 DRIFT, 23 PASS | 1 DRIFT, 23 PASS | 14 PASS | SHAPE_CHANGED | DRIFT |'
row '12.5.40 → 12.8.61' '| 24 WIN (to -10.3 %, chain7.acc2) | 1 FAIL (to +2.4 %, chain29.acc7), 23 WIN'
row '13.0.88-optimal → 13.0.88-cutlass' '| 23 FAIL (to +33.3 %, chain29.acc7)'
row '13.0.88-sink → 13.1.80-sink' '| 11 DRIFT, 18 PASS, 31 ENVIRONMENT | 3 DRIFT, 18 PASS, 39 ENVIRONMENT |'
row '13.0.88-dependency → 13.1.80-dependency' 'INTERRUPTED, SHAPE_CHANGED | ENVIRONMENT |'
[ "$(grep -c ' → ' stdout)" = "$(wc -l <"$data/steps")" ] || broken 'a row for each step'

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
