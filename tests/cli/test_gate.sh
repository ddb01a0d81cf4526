#!/usr/bin/env bash
# accprobe gate over the fake driver: every verdict, every kind of skip, every exit status, from recorded runs.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe
recording=$(ls "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/optimal.run.json)
export ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 ACCPROBE_LIBNVML=$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1
export ACCP_FAKE_RUN=$recording
unset ACCPROBE_REQUIRE_GPU

# gates STATUS SCENARIO SCALE WORDS...: the gate's exit status, and words that its output holds.
gates() {
    local status=$1 word
    export ACCP_FAKE=$2 ACCP_FAKE_SCALE=$3
    shift 3
    expect "$status" '' "$accprobe" gate --probe optimal --seed 7 --pending pending
    for word in "$@"; do grep -qF -e "$word" stdout || broken "the word '$word' in the gate's output: $(cat stdout)"; done
}

# refuses STATUS SCENARIO WORDS: one line, and nothing on stdout.
refuses() {
    export ACCP_FAKE=$2 ACCP_FAKE_SCALE=
    expect "$1" "$3" "$accprobe" gate
    [ ! -s stdout ] || broken "nothing on stdout: $(cat stdout)"
}

all='optimal_chain29_acc2_effective2'
gates 0 ok '' 'verdict: PASS' '48 role levels' 'optimal.gap_growth@8'
gates 1 ok "$all=1.03" 'verdict: FAIL' 'optimal.chain29.acc2.level@8' 'repeat: accprobe gate'
gates 1 ok "$all@4=+1" 'verdict: FAIL' 'optimal.chain29.acc2.level@4'
gates 1 ok "$all@8=0.97" 'verdict: FAIL' 'ORDER_BROKEN' 'optimal.chain29.order@8'
gates 2 ok 'optimal_chain29_acc1_effective1@8=0.97' 'verdict: WIN' 'optimal.chain29.acc1.level@8'
gates 3 ok "$all@8=1.005" 'verdict: INCONCLUSIVE'
gates 3 busy "$all=1.03" 'verdict: ENVIRONMENT' 'other processes'
gates 3 throttled "$all=1.03" 'verdict: ENVIRONMENT' 'slow'
gates 0 idle_clocks '' 'verdict: PASS'
gates 3 interrupted,hidden_processes '' 'verdict: ENVIRONMENT' 'INTERRUPTED'
gates 3 clock_leap '' 'verdict: ENVIRONMENT' 'INTERRUPTED'
gates 0 clock_back '' 'verdict: PASS'
gates 1 ok '*=0.2' 'issue_limit' 'verdict: FAIL'
gates 1 ok 'optimal_chain29_acc1_effective1=0.5' 'chain_monotone' 'verdict: FAIL'

# Another GPU of the arch: its orders are judged by the nearest one's, levels by nothing, and the run is kept.
gates 0 sku=h20 '' 'verdict: NO_GOLDEN' 'another GPU of this arch' 'pending: '
[ "$(find pending -name '*.json' | wc -l)" = 1 ] || broken 'one pending run'
gates 0 sku=h200_oem '' 'verdict: PASS' 'Fabrikam'
gates 0 sku=h200_mig '' 'NO_GOLDEN'

# The command that accepts it is whole, and typed as it stands means that folder, whatever the folder is called; in Markdown it
# is text.
long=$(printf 'a%.0s' {1..200})
folder="it's \$(touch pwned) \`touch pwned\` *|_/$long/$long/$long"
expect 0 '' "$accprobe" gate --probe optimal --seed 7 --pending "$folder"
typed=$(sed -n 's/^pending: .*accept them with: accprobe record //p' stdout)
words() { printf '%s\n' "$@"; }
eval "words $typed" >said
printf '%s\n' "$(echo "$folder"/*/*.json)" --reason TEXT | diff - said >&2 || broken "the words of: $typed"
[ -e "$(head -n1 said)" ] || broken "a run by the name that is typed: $(head -n1 said)"
[ ! -e pwned ] || broken 'nothing run that a name holds'
expect 0 '' "$accprobe" gate --probe optimal --seed 7 --pending 'a*b' --format markdown
grep '^pending: .*a\\[*]b' stdout >/dev/null || broken "the name as text in Markdown: $(grep '^pending' stdout)"

# An expected failure answers for the GPU whose golden it stands beside, and for no other of the arch.
cp -r "$ACCP_SOURCE_DIR/golden" golden
cat >"$(dirname "$(ls golden/measured/*/optimal.json)")/expected.json" <<'END'
{"format": "accprobe-expected/1", "expected": [
  {"claim": "optimal.chain29.order@8", "reason": "a test", "expires": "2020-01-01"}]}
END
expect 1 '' env ACCP_FAKE=ok ACCP_FAKE_SCALE= "$accprobe" gate --probe optimal --seed 7 --golden golden
grep -q 'EXPIRED' stdout || broken 'an expected failure that expired'
# The command that repeats it asks the same golden and the same GPU.
grep -qxF "repeat: accprobe gate --filter '^optimal\.chain29\.' --golden golden" stdout || broken "the golden to ask: $(grep '^repeat' stdout)"
expect 1 '' env ACCP_FAKE=two_devices ACCP_FAKE_SCALE= "$accprobe" gate --probe optimal --seed 7 --golden golden --device 1
grep -q '^repeat: .* --device 1 --golden golden$' stdout || broken "the GPU to ask: $(grep '^repeat' stdout)"
expect 0 '' env ACCP_FAKE=sku=h20 ACCP_FAKE_SCALE= "$accprobe" gate --probe optimal --seed 7 --golden golden --pending pending
grep -q '^pending: .*accept them with: .* --golden golden$' stdout || broken "the golden to accept into: $(grep '^pending' stdout)"

# No GPU at all: a prediction, which says so. A GPU that cannot be used: a skip with its reason.
# What is on record may be of an older model, which is another test's matter.
mkdir none
for scenario in no_device zero_devices stub; do
    ACCP_FAKE=$scenario expect 0 '' "$accprobe" gate --probe optimal --golden none
    for word in 'PREDICTED from the SASS, nothing was measured here' 'predicted: sm_90' '48 predicted role levels'; do
        grep -qF -e "$word" stdout || broken "the word '$word' in the gate's output: $(cat stdout)"
    done
done
ACCPROBE_LIBCUDA=/nonexistent/libcuda.so.1 expect 0 '' "$accprobe" gate --probe optimal --golden none
grep -q 'PREDICTED.*NO_DRIVER' stdout || broken "why it predicts: $(head -1 stdout)"
refuses 77 out_of_memory 'SKIP: OUT_OF_MEMORY: '
refuses 77 old_driver 'SKIP: DRIVER_TOO_OLD: '
refuses 77 not_permitted 'SKIP: NO_PERMISSION: '
refuses 77 exclusive 'SKIP: DEVICE_EXCLUSIVE: '
refuses 77 ecc_error 'SKIP: ECC_UNCORRECTABLE: '
refuses 3 fault 'ILLEGAL_ADDRESS'
export ACCPROBE_REQUIRE_GPU=1
refuses 4 no_device 'ACCPROBE_REQUIRE_GPU=1, but: NO_DEVICE'
for value in yes true 2 ' 1'; do
    ACCPROBE_REQUIRE_GPU=$value refuses 4 no_device 'must be 1 (a missing GPU is an error) or 0'
done
ACCPROBE_RECORD_FAKE=yes refuses 4 ok 'ACCPROBE_RECORD_FAKE=yes: must be 1 (record takes runs of the fake driver) or 0'
# Nor does the fake driver take what makes no sense for a number.
for given in ACCP_FAKE_SEED=x ACCP_FAKE_SEED=-1 ACCP_FAKE_SEED=99999999999999999999 ACCP_FAKE_HOST=16 ACCP_FAKE_HOST=1.5; do
    ! env "$given" "$accprobe" measure --probe optimal >stdout 2>stderr || broken "no measurement with $given"
    grep -q "^${given%=*}: \"${given#*=}\" is no whole number from 0 to " stderr || broken "what is wrong with $given: $(cat stderr)"
done
ACCPROBE_REQUIRE_GPU=0 refuses 77 out_of_memory 'SKIP: OUT_OF_MEMORY: '
ACCPROBE_REQUIRE_GPU='' refuses 77 out_of_memory 'SKIP: OUT_OF_MEMORY: '
unset ACCPROBE_REQUIRE_GPU
for value in abc -1 0 1e6 5s nan; do
    ACCPROBE_TIMEOUT_S=$value refuses 4 ok 'must be a number of seconds above 0 and below 1000000'
done
ACCPROBE_TIMEOUT_S=7.5 refuses 77 out_of_memory 'SKIP: OUT_OF_MEMORY: '

# A kernel that lost one link of its chain, whichever role: nothing is timed, and it is no matter of surroundings.
export ACCP_FAKE=wrong_results
while IFS='|' read -r id chain effective; do
    [ "$chain" != "$effective" ] || continue
    expect 1 'double precision gives' "$accprobe" measure --filter "^optimal[.]${id/_/[.]}\$"
done < <(sed -n 's/^ROLE(\([a-z0-9_]*\), *\([0-9]*\), *[0-9]*, *\([0-9]*\),.*/\1|\2|\3/p' "$ACCP_SOURCE_DIR/matrix/optimal.def")

# NVML that does not answer leaves facts unknown and stops nothing; but it is said, for levels may go unjudged.
ACCP_FAKE=nvml_no_permission expect 0 'baseline is its own may not be: NVML gives this user no permission' "$accprobe" gate --probe optimal --pending pending
grep -q 'verdict: ' stdout || broken 'a verdict without NVML'
ACCP_FAKE=ok ACCPROBE_LIBNVML=/nonexistent/nvml expect 0 'baseline is its own may not be: ' "$accprobe" gate --probe optimal --pending pending

# What a person in a hurry does wrong.
export ACCP_FAKE=ok ACCP_FAKE_SCALE=
expect 0 '' "$accprobe" measure --filter '^optimal[.]chain29[.]acc[12]$'
grep -q '^2 roles, 4 levels, [0-9.]* ms of GPU time$' stdout || broken "roles and levels: $(tail -n1 stdout)"
expect 4 'there is no such probe' "$accprobe" gate --probe optimum
expect 4 'matches no role' "$accprobe" gate --filter chain31
expect 4 'not a regular expression' "$accprobe" gate --filter '('
for hostile in "l$(printf '+%.0s' {1..30})" '(((a{9}){9}){9}){9}' '(.*)\1' "$(printf '(%.0s' {1..40})"; do
    expect 4 'repeats too much, nests too deep, or refers back' "$accprobe" list --filter "$hostile"
done
expect 0 '' "$accprobe" list --filter '^optimal[.]chain(7|13)[.]acc[0-9]{1,2}$'
expect 4 'not a regular expression' "$accprobe" gate --claim '(' -o unmeasured.json
expect 4 'matches no claim of the roles that are chosen' "$accprobe" gate --claim chain31 -o unmeasured.json
expect 4 'matches no claim' "$accprobe" gate --claim dispatch --probe optimal -o unmeasured.json --pending unmeasured.json
[ ! -e unmeasured.json ] || broken 'no measurement for a --claim that cannot be answered'
# Every claim that a gate makes can be asked for, of the document too where no golden answers.
for scenario in ok sku=h20; do
    ACCP_FAKE=$scenario "$accprobe" gate --probe optimal --seed 7 --all --format json --pending pending >claims.json
    python3 -c 'import json; print(*{line["claim"].split("@")[0] for line in json.load(open("claims.json"))["lines"]}, sep="\n")' >claims
    [ "$(wc -l <claims)" -gt 60 ] || broken "the claims of a gate: $(head -c 300 claims.json)"
    for claim in $(awk '{kind = $0; gsub(/[0-9]+/, "", kind)} !seen[kind]++' claims) unrecorded.shape; do
        ACCP_FAKE=$scenario "$accprobe" gate --probe optimal --seed 7 --claim "^$claim" --pending pending >stdout 2>stderr
        ! grep -q 'roles that are chosen' stderr || broken "$claim known before it is measured"
    done
done
expect 4 'must be a whole number from 0 to' "$accprobe" gate --device -1
expect 4 'there is no GPU 7' "$accprobe" gate --device 7
for device in 0 all; do
    expect 4 '--device: with --arch the gate predicts' "$accprobe" gate --arch sm_90 --device $device
done
expect 4 'not an option of gate' "$accprobe" gate --warps 8
expect 4 'is not a folder' "$accprobe" gate --golden /nonexistent
expect 4 'must be table, json or markdown, and of those what accprobe gate --help lists' "$accprobe" gate --format yaml
expect 4 '--format is given twice, the second time as table' "$accprobe" gate --format json --format=table
expect 4 '--out is given twice' "$accprobe" measure --out one.json -o two.json
expect 4 'not a verb' "$accprobe" gates
expect 4 'does not know what to do with' "$accprobe" gate chain29
expect 4 'operand 2 is empty: a variable that is not set?' "$accprobe" diff one.json ''
expect 4 'cannot write' "$accprobe" measure --out /nonexistent/run.json
expect 4 'no protocol is called' "$accprobe" measure --protocol sed
expect 4 '--length is of the ops probe' "$accprobe" measure --length 64
for verb in predict shape gate 'explain optimal.chain29.acc1'; do
    # shellcheck disable=SC2086 # a verb and its operand
    for arch in SM_90 sm90 90 compute_90a ../cubin/sm_90; do
        expect 4 "$arch: no arch is called so, sm_90 is; there are: sm_75, sm_80, " "$accprobe" $verb --arch $arch
        grep -q '; this build has kernels for: .*sm_90' stderr || broken "arches that are built: $(cat stderr)"
    done
    # shellcheck disable=SC2086
    expect 4 'hopper: no arch is called so; there are: sm_75' "$accprobe" $verb --arch hopper
done
for verb in predict shape explain gate; do
    expect 4 'SM_90: no arch is called so, sm_90 is; there are: sm_75, sm_80, ' \
        "$accprobe" $verb --cubin "$ACCP_BINARY_DIR/cubin/sm_90/optimal.cubin" --arch SM_90
done
unbuilt=$(for arch in sm_88 sm_87 sm_110; do [ -d "$ACCP_BINARY_DIR/cubin/$arch" ] || echo $arch; done | head -n1)
[ -z "$unbuilt" ] || expect 4 "$unbuilt: this build has no kernels for it, only for: " "$accprobe" predict --arch "$unbuilt"
expect 4 'names a kernel of --cubin' "$accprobe" predict --kernel optimal_chain29_acc4_effective4
ACCP_FAKE=no_device expect 4 'no protocol is called' "$accprobe" measure --protocol sed
ACCP_FAKE=no_device expect 4 'is not an ELF file' "$accprobe" measure --cubin "$recording"
expect 4 'seed' "$accprobe" measure --seed 1e3
for words in list "check $recording" "diff $recording $recording" 'explain optimal.chain29.acc1' 'shape --arch sm_90 --probe optimal'; do
    for format in table json; do
        expect 4 'No space left' bash -c "'$accprobe' $words --format $format >/dev/full"
    done
done

# Outputs that programs read.
expect 0 '' "$accprobe" gate --probe optimal --format json
python3 -c 'import json, sys; v = json.load(open("stdout")); sys.exit(not (v["verdict"] == "PASS" and len(v["lines"]) > 100))' ||
    broken 'a verdict in JSON'
expect 0 '' "$accprobe" gate --probe optimal --format markdown --filter chain29
grep -q '^\*\*verdict: PASS\*\*' stdout || broken 'a verdict in Markdown'
echo passed
