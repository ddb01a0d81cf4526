#!/usr/bin/env bash
# accprobe doctor: whatever is missing is named with the command that mends it; a missing GPU is no fault of the
# installation, missing or damaged files are.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe
export ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 ACCPROBE_LIBNVML=$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1

# says STATUS PART STATE MEND: doctor's exit status, and what it says of a part.
says() {
    expect "$1" '' "$accprobe" doctor --format json
    python3 - "$2" "$3" "$4" <<'END_OF_PYTHON' || broken "$2 to be $3, mended by: $4; it says $(cat stdout)"
import json, sys
part, state, mend = sys.argv[1:]
rows = {row["part"]: row for row in json.load(open("stdout"))["rows"]}
sys.exit(not (part in rows and rows[part]["state"] == state and mend in rows[part]["mend"] and bool(mend) == bool(rows[part]["mend"])))
END_OF_PYTHON
}

ACCP_FAKE=ok says 0 GPU ok ''
ACCP_FAKE=ok says 0 'its golden' ok ''
ACCP_FAKE=sku=a100 says 0 'its golden' none "$ACCP_BINARY_DIR/accprobe record run-*.json"
ACCP_FAKE=mig says 0 'its golden' none 'nvidia-smi -mig 0'
ACCP_FAKE=exclusive says 0 GPU none 'nvidia-smi -c DEFAULT'
ACCP_FAKE=nvml_mismatch says 0 NVML partly 'reboot'
ACCPROBE_LIBCUDA=/nonexistent/libcuda.so.1 says 0 GPU none 'nvidia-driver'

# What installs a driver, on each of the two.
for words in 'nvidia-driver (Debian' 'ubuntu-drivers install (Ubuntu)'; do
    ACCPROBE_LIBCUDA=/nonexistent/libcuda.so.1 says 0 GPU none "$words"
done

# For people the command stands below what it mends, not to the right of it.
ACCP_FAKE=mig expect 0 '' "$accprobe" doctor
grep -qE '^ +mend: +sudo nvidia-smi -mig 0 *$' stdout || broken "a command on a line of its own: $(cat stdout)"

# Every scenario of the fake driver in which there is no GPU or no NVML comes with a command, but for those in which
# nothing that is typed helps.
while read -r scenario; do
    ACCP_FAKE=$scenario "$accprobe" doctor --format json >stdout 2>stderr || broken "doctor to end well with $scenario"
    python3 - "$scenario" <<'END_OF_PYTHON' || broken "a command for scenario $scenario: $(cat stdout)"
import json, sys
hopeless = ["not_licensed", "nvml_na", "mig", "container", "hidden_processes", "old_nvml"]
rows = json.load(open("stdout"))["rows"]
bad = [row for row in rows if row["state"] != "ok" and not row["mend"]]
sys.exit(bool(bad) and sys.argv[1] not in hopeless)
END_OF_PYTHON
done < <(sed -n 's/^SCENARIO(\([a-z_]*\),.*/\1/p' "$ACCP_SOURCE_DIR/tests/fake/scenario.def")

# Commands can be typed where a folder's name is not one word.
mkdir "a b" && cp "$accprobe" "a b/accprobe" && ln -s "$ACCP_BINARY_DIR/cubin" "a b/cubin" && touch "a b/CMakeCache.txt"
ACCP_FAKE=sku=a100 expect 0 '' "a b/accprobe" doctor --format json --golden "$ACCP_SOURCE_DIR/golden"
grep -qF "do '$scratch/a b/accprobe' measure" stdout || broken "a quoted path: $(cat stdout)"

# An installation that lost its files, or whose kernels are damaged.
mkdir bin && cp "$accprobe" bin/accprobe
accprobe=$scratch/bin/accprobe
says 4 goldens MISSING 'apt-get install --reinstall'
says 4 kernels MISSING 'apt-get install --reinstall'
# In a build tree what mends kernels leaves baselines alone, which may be in no commit yet.
touch bin/CMakeCache.txt
says 4 goldens MISSING 'git checkout -- golden'
says 4 kernels MISSING 'ci/build'
[ "$(grep -o 'git checkout' stdout | wc -l)" = 1 ] || broken "one part that git mends: $(cat stdout)"
rm bin/CMakeCache.txt
mkdir -p share/accprobe/cubin/sm_90 share/accprobe/golden
echo damaged >share/accprobe/cubin/sm_90/optimal.cubin
says 4 sm_90 BROKEN 'apt-get install --reinstall'
says 4 goldens ok ''
# As a build leaves it that was cut short: an arch without the kernels of some probes, or of any.
rm share/accprobe/cubin/sm_90/optimal.cubin
says 4 sm_90 BROKEN 'apt-get install --reinstall'
built=$(find "$ACCP_BINARY_DIR/cubin" -mindepth 1 -maxdepth 1 -name 'sm_*' | head -n1)
mkdir bin/cubin && cp -r "$built" bin/cubin && touch bin/CMakeCache.txt
says 0 kernels ok ''
rm "bin/cubin/${built##*/}/tail.cubin"
says 4 "${built##*/}" BROKEN ci/build
grep -q "tail.cubin: .*; or remove the folder cubin/${built##*/}, if it is not wanted" stdout || broken "what is missing, and what else mends it: $(cat stdout)"
echo passed
