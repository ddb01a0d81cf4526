#!/usr/bin/env bash
# accprobe gate where there is no GPU: predictions from the SASS, held against predictions on record, and never against
# what was measured.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe
kernel=optimal_chain29_acc2_effective2 built=$ACCP_BINARY_DIR/cubin/sm_90/optimal.cubin
[ -e "$built" ] || skip "no kernels for sm_90 in this build"
export ACCPROBE_LIBCUDA=/nonexistent/libcuda.so.1
unset ACCPROBE_REQUIRE_GPU

# says STATUS WORDS OPTION...: the exit status of the gate of the optimal probe, and words of its output.
says() {
    local status=$1 words=$2
    shift 2
    expect "$status" '' "$accprobe" gate --probe optimal --golden golden "$@"
    grep -qF -e "$words" stdout || broken "'$words' in: $(cat stdout)"
    grep -q '^PREDICTED from the SASS, nothing was measured here' stdout || broken "a prediction that says so: $(cat stdout)"
}

# repeats: the command that repeats what stdout says is typed as it stands, also where there is a GPU, and says the same.
accprobe() { ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 "$ACCP_BINARY_DIR/accprobe" "$@"; }
repeats() {
    local typed verdict
    typed=$(sed -n 's/^repeat: //p' stdout) verdict=$(grep '^verdict: ' stdout)
    eval "$typed" >again 2>&1 || true
    grep -qxF -e "$verdict" again || broken "'$verdict' from: $typed: $(head -n2 again)"
}

# What was measured answers for no prediction.
mkdir golden && git init -q . && git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m test
cp -r "$ACCP_SOURCE_DIR/golden/measured" golden/measured
says 0 'verdict: NO_GOLDEN'
"$accprobe" gate --probe optimal --golden golden --arch sm_90 --format json >verdict.json
grep -q '"reason": "NO_BASELINE".*"text": "no golden answers for this run' verdict.json || broken "a reason: $(head -n3 verdict.json)"
! grep -q 'this GPU' verdict.json || broken "no GPU in what nothing was measured of: $(grep -m1 'this GPU' verdict.json)"

# On record, it does, digit by digit; other starts may be asked of predict, and a gate's are always the same.
says 0 'golden: none' --out run.json
expect 0 '' "$accprobe" record run.json --golden golden --reason test
says 0 'golden: the prediction on record for this arch: sm_90'
says 0 '48 predicted role levels' --seed 7
grep -q 'verdict: PASS' stdout || broken 'PASS with another seed'
expect 0 '' "$accprobe" check run.json --golden golden
grep -q 'verdict: PASS' stdout || broken 'a predicted run judged by check'
says 0 'model calibrated on hardware' --filter chain29

# A GPU is asked unless an arch is named; and one that is needed cannot be predicted.
ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 says 0 'here (--arch)' --arch sm_90
ACCPROBE_REQUIRE_GPU=1 expect 4 'ACCPROBE_REQUIRE_GPU=1, but' "$accprobe" gate --golden golden
if [ -e "$ACCP_BINARY_DIR/cubin/sm_120/optimal.cubin" ]; then
    says 0 'sm_120, model not validated on hardware' --arch sm_120
    grep -q 'verdict: NO_GOLDEN' stdout || broken 'no golden of another arch'
fi

# Another compiler's kernel: one FFMA stalls a cycle longer, one chain was folded away.
expect 0 '' "$ACCP_BINARY_DIR/mutate" "$built" $kernel stall mutant.cubin
says 1 'SLOWER_OTHER_SASS' --cubin mutant.cubin --filter 'chain29[.]acc2$'
grep 'chain29.acc2.level@4 .*+0.962 %' stdout | grep 'slower with other SASS: the compiler' >/dev/null ||
    broken "one cycle of 104, and whose doing it is: $(cat stdout)"
repeats
expect 0 '' "$ACCP_BINARY_DIR/mutate" "$built" $kernel fold folded.cubin
expect 1 'law chain: 0 FFMAs' "$accprobe" gate --golden golden --cubin folded.cubin
# Without the chain no loop of it has more arithmetic than the others.
lost=sink.chain7.acc3.carried sinks=$ACCP_BINARY_DIR/cubin/sm_90/sink.cubin
expect 0 '' "$ACCP_BINARY_DIR/mutate" "$sinks" $lost fold lost.cubin
expect 1 "$lost: a law is broken, so nothing was predicted: no hot loop" "$accprobe" gate --golden golden --cubin lost.cubin
expect 1 '' "$accprobe" shape --cubin lost.cubin --golden golden
grep -q "^verdict: FAIL: 60 roles .*: 1 FAIL" stdout || broken "a role that fails: $(tail -4 stdout)"
grep -q "^$lost FAIL law chain: no hot loop" stdout || broken "$lost: $(tail -4 stdout)"
expect 1 "$lost: a law is broken: no hot loop" "$accprobe" shape --cubin lost.cubin --golden golden --filter "^${lost//./[.]}\$"
expect 4 'leave none of its 24 kernels' "$accprobe" gate --golden golden --cubin mutant.cubin --arch sm_90 --filter chain31
expect 4 'is code for sm_90, not for sm_120' "$accprobe" gate --golden golden --cubin mutant.cubin --arch sm_120

# The same SASS and other cycles: nothing but the model can have changed, and what it said before answers for nothing.
cp golden/predicted/sm_90/optimal.json kept.json
sed -i '/"optimal.chain29.acc2",/s/"mean": 104,/"mean": 103,/' golden/predicted/sm_90/optimal.json
says 0 'OTHER_MODEL the model changed since'
grep -q 'verdict: NO_GOLDEN' stdout || broken "NO_GOLDEN for another model's predictions: $(tail -3 stdout)"
cp kept.json golden/predicted/sm_90/optimal.json
says 0 'verdict: PASS'

# What the model does not time is unknown, whoever asks for it (a stranger's loop that loads).
expect 3 '' "$accprobe" gate --golden golden --arch sm_90 --cubin "$ACCP_SOURCE_DIR/tests/data/sass/loop_jump.sm_90.13.0.cubin"
grep -q 'LDG.* at 0x' stdout || broken "the load that is not timed: $(cat stdout)"
grep -q 'verdict: ENVIRONMENT, not everything could be predicted' stdout || broken "an unknown loop: $(tail -3 stdout)"
repeats
# The summary and the page say the same of it.
expect 3 'is not timed' "$accprobe" predict --cubin "$ACCP_SOURCE_DIR/tests/data/sass/loop_jump.sm_90.13.0.cubin" --out stranger.json
expect 0 '' "$accprobe" report stranger.json --golden golden --format markdown
grep -q '^\*\*not everything could be predicted\*\* .*, 1 prediction[.]$' stdout || broken "the summary of a prediction: $(cat stdout)"
if command -v gnuplot >/dev/null; then
    expect 0 '' "$accprobe" report stranger.json --golden golden -o stranger.html
    grep -q '<span>not everything could be predicted (.*, 1 prediction' <(tr '\n' ' ' <stranger.html) || broken "the page of a prediction: $(head -c 2000 stranger.html)"
fi

# A role that became unknown is exit 3; one that the prediction on record does not time either is named, counted and not
# judged; and one that is timed now, and was not, needs a row.
python3 - <<'END'
import json
run = json.load(open("run.json"))
for row in run["roles"]:
    if row["role"] == "optimal.chain29.acc2" and row["warps"] == 8:
        row["cycles"] = {"n": 0}
        del row["progress"]
json.dump(run, open("unknown.json", "w"))
END
expect 3 '' "$accprobe" check unknown.json --golden golden
grep -q '^ENVIRONMENT optimal.chain29.acc2.level@8 .* NOT_TIMED ' stdout || broken "the role that became unknown: $(cat stdout)"
grep -q '47 predicted role levels, 1 that the model does not time' stdout || broken "its count: $(tail -3 stdout)"
cp -r golden untimed
expect 0 '' "$accprobe" record unknown.json --golden untimed --reason test
expect 0 '' "$accprobe" check unknown.json --golden untimed
grep -q '^SKIP .* optimal.chain29.acc2.level@8 .* NOT_TIMED_ON_RECORD ' stdout || broken "the role that is unknown on record: $(cat stdout)"
grep -q 'verdict: PASS, .*, [0-9]* SKIP; 47 predicted role levels, 1 not timed on record either)' stdout || broken "its count: $(tail -3 stdout)"
grep -q 'NO_GOLDEN' stdout && broken "every other row to be there still: $(cat stdout)"
expect 0 '' "$accprobe" check run.json --golden untimed --claim 'chain29.acc2.level@8'
grep -q 'NO_ROW' stdout || broken "a role that is timed now: $(cat stdout)"
grep -q '"warps": 8, "sessions": 1, "record"' untimed/predicted/sm_90/optimal.json || broken 'the row without cycles'

# Beside the cycles, the SASS that is on record for the compiler.
cp -r "$ACCP_SOURCE_DIR/golden/shape" golden/shape
built_by=$(sed -n 's/.*"version": "\([0-9.]*\)".*/\1/p' run.json | head -1)
if [ -e "golden/shape/sm_90/$built_by.json" ]; then
    says 0 'verdict: PASS' --arch sm_90
    "$accprobe" gate --probe optimal --golden golden --arch sm_90 --format json >verdict.json
    [ "$(grep -o '"reason": "SHAPE_HOLDS"' verdict.json | wc -l)" = 24 ] || broken 'the SASS of 24 roles on record'
    python3 - "golden/shape/sm_90/$built_by.json" <<'END'
import json, os, sys
path = sys.argv[1]
golden = json.load(open(path))
if "as" in golden:  # the rows are those of an older build
    path = os.path.join(os.path.dirname(path), golden["as"] + ".json")
    golden = json.load(open(path))
row = next(row for row in golden["rows"] if row[0] == "optimal_chain29_acc2_effective2")
for column in ("loop.control_hash", "control_hash"):
    row[golden["columns"].index(column)] = "0123456789abcdef"
json.dump(golden, open(path, "w"))
END
    says 2 'SHAPE_LEFT' --arch sm_90
    grep -q '^DRIFT .*optimal.chain29.acc2.shape' stdout || broken "whose SASS it is: $(cat stdout)"
fi
rm -r golden/shape

# A prediction of one arch is none of another.
mkdir golden/predicted/sm_86 && cp golden/predicted/sm_90/optimal.json golden/predicted/sm_86
expect 4 'is the golden of another GPU' "$accprobe" gate --probe optimal --golden golden
echo passed
