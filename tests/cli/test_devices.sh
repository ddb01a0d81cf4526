#!/usr/bin/env bash
# accprobe gate --device all: every GPU at once, a process each, over the fake driver's two.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe
export ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 ACCPROBE_LIBNVML=$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1
ACCP_FAKE_RUN=$(ls "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/optimal.run.json)
export ACCP_FAKE_RUN ACCP_FAKE=two_devices TMPDIR=$scratch/tmp
mkdir tmp
unset ACCPROBE_REQUIRE_GPU CTEST_RESOURCE_GROUP_0_GPUS CTEST_RESOURCE_GROUP_COUNT

all=(gate --device all --probe optimal --seed 7 --pending pending)
expect 0 '' "$accprobe" "${all[@]}" --out run.json
[ "$(grep -c '^verdict: PASS' stdout)" = 2 ] || broken "two verdicts: $(cat stdout)"
grep -q 'GPUs 0 and 1 are of one SKU and agree' stdout || broken 'the agreement'
[ "$(grep -o '"uuid_hash": "[0-9a-f]*"' run.json.0 run.json.1 | sort -u | wc -l)" = 2 ] || broken 'a run of each GPU'
[ "$(grep -ho '"seed": [0-9]*' run.json.0 run.json.1 | sort -u | wc -l)" = 2 ] || broken 'a seed for each GPU'

# One GPU that is slower fails, and the disagreement is said.
export ACCP_FAKE=two_devices,uneven
expect 3 '' "$accprobe" "${all[@]}"
grep -q 'GPUs 0 and 1 are of one SKU and disagree in 48 levels, most in .*+3.0' stdout || broken "the disagreement: $(tail -n2 stdout)"
expect 3 '' "$accprobe" "${all[@]}" --format json
python3 - stdout <<'END' || broken "JSON of both: $(head -c 300 stdout)"
import json, sys
said = json.load(open(sys.argv[1]))
assert [gpu["exit_status"] for gpu in said["gpus"]] == [0, 3] and said["exit_status"] == 3
assert [gpu["verdict"]["verdict"] for gpu in said["gpus"]] == ["PASS", "ENVIRONMENT"]
assert said["agreement"][0]["disagreements"] == 48
END

# A failure on one GPU is what counts; without a GPU the gate does what it always does; nobody else measures on all.
ACCP_FAKE_SCALE=optimal_chain29_acc2_effective2=1.03 expect 1 '' "$accprobe" "${all[@]}"
ACCP_FAKE=ok expect 0 '' "$accprobe" "${all[@]}"
! grep -q 'GPU 1' stdout || broken 'one GPU where there is one'
ACCP_FAKE=no_device expect 0 '' "$accprobe" "${all[@]}"
grep -q 'PREDICTED' stdout || broken 'a prediction without a GPU'
expect 4 'is for the gate' "$accprobe" measure --device all
expect 4 'or all' "$accprobe" gate --device every
# The GPU that CTest gave: by its number, and none else in its place.
for given in 'id:1,slots:1' 'id:1,slots:1;id:0,slots:1' id:1; do
    CTEST_RESOURCE_GROUP_0_GPUS=$given expect 0 '' "$accprobe" measure --probe optimal --seed 7 --out given.json
    [ "$(grep -o '"uuid_hash": "[0-9a-f]*"' given.json)" = "$(grep -o '"uuid_hash": "[0-9a-f]*"' run.json.1)" ] || broken "GPU 1 by $given"
done
for given in 1 id:gpu1 id:-1 id:1x id: id:4294967296; do
    for verb in measure gate 'measure --probe ops'; do
        read -ra words <<<"$verb"
        CTEST_RESOURCE_GROUP_0_GPUS=$given expect 4 'must begin with id:N' "$accprobe" "${words[@]}"
    done
    CTEST_RESOURCE_GROUP_0_GPUS=$given expect 0 '' "$accprobe" measure --probe optimal --device 0
done
ACCP_FAKE=two_devices,throttled expect 0 '' "$accprobe" "${all[@]}"
[ -z "$(ls tmp)" ] || broken 'no folder left behind'
# Ended while the GPUs measure: no folder and no member is left, and it dies of that signal.
for signal in INT TERM; do
    ACCP_FAKE=two_devices,hang python3 - "$signal" "$accprobe" "${all[@]}" <<'END' || broken "an end by SIG$signal that leaves nothing behind: $(ls tmp)"
import glob, os, signal, subprocess, sys, time
number = getattr(signal, "SIG" + sys.argv[1])
signal.signal(number, signal.SIG_DFL)
gate = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
def children():
    return open(f"/proc/{gate.pid}/task/{gate.pid}/children", encoding="ascii").read().split()
until = time.monotonic() + 10
while time.monotonic() < until and (len(children()) < 2 or len(glob.glob("tmp/*/*.err")) < 2):
    time.sleep(0.05)
time.sleep(0.2)
members = children()
gate.send_signal(number)
assert gate.wait(20) == -number and len(members) == 2, (gate.returncode, members)
assert not os.listdir("tmp") and not any(os.path.exists(f"/proc/{member}") for member in members)
END
done
# A member that is stopped ends in no time of its own: in ten of one wait, and the others count.
ACCP_FAKE=two_devices,hang ACCPROBE_TIMEOUT_S=0.4 python3 - "$accprobe" "${all[@]}" <<'END' || broken "an end where a member is stopped: $(ls tmp)"
import glob, os, signal, subprocess, sys, time
gate = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
until = time.monotonic() + 10
while time.monotonic() < until and len(glob.glob("tmp/*/*.err")) < 2:
    time.sleep(0.02)
members = open(f"/proc/{gate.pid}/task/{gate.pid}/children", encoding="ascii").read().split()
os.kill(int(members[0]), signal.SIGSTOP)
said, complained = gate.communicate(timeout=30)
assert gate.returncode == 3 and "GPU 0: its gate has not ended in 4 s" in complained, (gate.returncode, complained)
assert not os.listdir("tmp") and not any(os.path.exists(f"/proc/{member}") for member in members)
END
# Nor is one left where whoever reads the answer leaves.
python3 - "$accprobe" "${all[@]}" <<'END' || broken "nothing left behind a closed pipe: $(ls tmp)"
import os, subprocess, sys
gate = subprocess.Popen([*sys.argv[1:], "--all"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
gate.stdout.close()
gate.wait(60)
assert not os.listdir("tmp")
END
echo passed
