#!/usr/bin/env bash
# The tests of tests/matrix under CTest, over the fake driver: names, fixtures, skips, -j, resource specification.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
export ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 ACCPROBE_LIBNVML=$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1
ACCP_FAKE_RUN=$(ls "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/optimal.run.json)
export ACCP_FAKE_RUN ACCP_FAKE=ok
unset ACCPROBE_REQUIRE_GPU

# The same tests, with their runs in the scratch folder, so that they disturb nobody's.
mkdir runs
sed "s#$ACCP_BINARY_DIR/runs#$scratch/runs#g" "$ACCP_BINARY_DIR/tests/matrix/CTestTestfile.cmake" >CTestTestfile.cmake

# tests COUNT OPTIONS...: that many tests run, and all of them pass; none is skipped.
tests() {
    local count=$1
    shift
    ctest --no-tests=error "$@" >stdout 2>stderr || broken "success, not $(grep -v Passed stdout)"
    grep -q "100% tests passed, 0 tests failed out of $count" stdout || broken "$count tests passed: $(tail -n5 stdout)"
    ! grep -q Skipped stdout || broken 'no test skipped'
}

# failing COMMAND...: CTest's exit status for failed tests or none found, 8.
failing() {
    local got=0
    "$@" >stdout 2>stderr || got=$?
    [ "$got" = 8 ] || broken "exit status 8, not $got, from: $*"
}

rows=$(grep -c '^ROLE(' "$ACCP_SOURCE_DIR/matrix/optimal.def")
chains=$(sed -n 's/^ROLE(chain\([0-9]*\)_.*/\1/p' "$ACCP_SOURCE_DIR/matrix/optimal.def" | sort -u | wc -l)
tests $((2 * rows + 5 * chains + 2)) -j8 -L '^optimal$' --output-junit junit.xml
grep -q 'name="gpu.optimal.chain29.acc2.level"' junit.xml || broken 'the tests in the JUnit file'
tests $((2 * rows / chains + 5)) -R 'optimal[.]chain29'
! grep -q 'chain7\|chain13\|gap_growth' stdout || broken 'nothing but chain 29'
tests 6 -R 'optimal.chain29.(peak|order|acc2.level)' -j4
failing ctest --no-tests=error -R chain31

# One test at a time holds a GPU; with a specification each is told which.
echo '{"version": {"major": 1, "minor": 0}, "local": [{"gpus": [{"id": "1", "slots": 1}]}]}' >gpus.json
ACCP_FAKE=two_devices tests $((2 * rows + 5 * chains + 2)) -j4 -L '^optimal$' --resource-spec-file gpus.json
failing env ACCP_FAKE=ok ctest -j4 --resource-spec-file gpus.json -R optimal.chain29.measure
grep -q 'there is no GPU 1' Testing/Temporary/LastTest.log || broken 'the GPU of the specification was asked for'

# A slower kernel fails its level and nothing that does not depend on it.
failing env ACCP_FAKE_SCALE=optimal_chain29_acc1_effective1=1.02 ctest -j2 -L '^optimal$'
[ "$(grep -c '(Failed)' stdout)" = 1 ] || broken "one failure: $(grep Failed stdout)"
grep -q 'gpu.optimal.chain29.acc1.level (Failed)' stdout || broken 'the level of the slower role'

# Without a GPU every test that measures or judges a measurement skips with its reason, also those that would judge an
# older run; and where a GPU is required, they fail.
ACCP_FAKE=no_device ctest -j4 -L '^optimal$' >stdout 2>stderr || broken 'success from skipped tests'
[ "$(grep -c '(Skipped)' stdout)" = $((rows + 3 * chains + 1)) ] || broken 'every GPU test skipped'
grep -q 'NO_DEVICE' Testing/Temporary/LastTest.log || broken 'the reason of the skips'
failing env ACCP_FAKE=no_device ACCPROBE_REQUIRE_GPU=1 ctest -R optimal.chain29.measure

# Every probe of the tables has tests, and all that is about chain 29 goes by one name.
sed -n 's/^PROBE(\([a-z]*\),.*/\1/p' "$ACCP_SOURCE_DIR/matrix/probes.def" | while read -r probe; do
    ctest -N -R "^gpu.$probe.chain29" >stdout
    grep -q "gpu.$probe.chain29.*level" stdout || broken "tests of probe $probe: $(cat stdout)"
done
ctest -N -R chain29 >stdout
! grep -q 'chain7\|chain13\|gap_growth' stdout || broken 'nothing but chain 29 of any probe'

# A role that was not judged is missed.
probes=$(grep -c '^PROBE(' "$ACCP_SOURCE_DIR/matrix/probes.def")
tests $((chains * probes)) -R 'chain(7|13|29).measure'
tests 1 -FA '.*' -R gate.coverage
python3 - <<'END'
import json
run = json.load(open("runs/optimal.chain7.json"))
run["roles"] = [role for role in run["roles"] if role["acc"] != 5]
json.dump(run, open("runs/optimal.chain7.json", "w"))
END
failing ctest -FA '.*' -R gate.coverage
echo passed
