#!/usr/bin/env bash
# SASS and cycles read together: a golden that knows its SASS, runs over the fake driver, and one verdict for each pair.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe
kernel=optimal_chain29_acc2_effective2 built=$ACCP_BINARY_DIR/cubin/sm_90/optimal.cubin
[ -e "$built" ] || skip "no kernels for sm_90 in this build"
export ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 ACCPROBE_LIBNVML=$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1
ACCP_FAKE_RUN=$(ls "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/optimal.run.json)
export ACCP_FAKE_RUN ACCP_FAKE=ok ACCP_FAKE_SCALE=
unset ACCPROBE_REQUIRE_GPU

mkdir golden && git init -q . && git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m test
for i in $(seq 10); do
    expect 0 '' "$accprobe" measure --seed "$i" --out "run-$i.json"
done
expect 4 'made with the fake driver' "$accprobe" record run-*.json --golden golden --reason test
[ ! -e golden/measured ] || broken 'no golden of a fake GPU'
export ACCPROBE_RECORD_FAKE=1
expect 0 '' "$accprobe" record run-*.json --golden golden --reason test
[ "$(grep -c '"sass": ' golden/measured/*/optimal.json)" = 48 ] || broken 'the SASS of every level'
cp golden/measured/*/optimal.json kept.json

# says STATUS REASON WORDS SCALE CUBIN: what check says of chain29.acc2 after a measurement of that cubin.
says() {
    export ACCP_FAKE_SCALE=$4
    expect 0 '' "$accprobe" measure --cubin "$5" --seed 99 --out run.json
    expect "$1" '' "$accprobe" check run.json --golden golden --all
    grep 'optimal.chain29.acc2.level@8' stdout | grep -F -e " $2 " | grep -F -e "$3" >/dev/null ||
        broken "$2 and '$3' for chain29.acc2: $(grep 'chain29.acc2.level@8' stdout)"
}
says 0 WITHIN_TOLERANCE '' '' "$built"
grep -q 'optimal.chain29.acc2.structure .*STRUCTURE_HOLDS' stdout || broken 'the structure of a role whose SASS is known'
says 1 SLOWER_SAME_SASS 'hardware, driver or clock' "$kernel@8=1.03" "$built"

# Other control bits, from a compiler that nobody has recorded.
expect 0 '' "$ACCP_BINARY_DIR/mutate" "$built" $kernel stall mutant.cubin
says 2 SHAPE_CHANGED 'for want of a listing' '' mutant.cubin
# With its loops on record the first instruction is named.
expect 0 '' "$accprobe" shape --cubin mutant.cubin --golden golden --compiler "$(
    "$accprobe" shape --cubin "$built" --golden golden --format json | sed -n 's/.*"version": "\([0-9.]*\)".*/\1/p' |
        sed 's/^\([0-9]*\.[0-9]*\)$/\1.0/')" --out shape.json
expect 0 '' "$accprobe" record shape.json --golden golden --reason test
says 2 SHAPE_CHANGED 'first difference: control bits of instruction 1 of the loop: FFMA' '' mutant.cubin
says 1 SLOWER_OTHER_SASS 'the compiler' "$kernel@8=1.03" mutant.cubin
says 2 FASTER_OTHER_SASS 'first difference: ' "$kernel@8=0.99" mutant.cubin

# Approved: the level is recorded again with its new SASS, though its cycles are the old ones.
for i in $(seq 10); do
    ACCP_FAKE_SCALE='' expect 0 '' "$accprobe" measure --cubin mutant.cubin --seed "$i" --out "run-$i.json"
done
expect 0 '' "$accprobe" record run-*.json --golden golden --reason 'one more stall'
diff <(grep -o '"role": "optimal.*"sass_exact": "[^"]*"' kept.json) <(grep -o '"role": "optimal.*"sass_exact": "[^"]*"' golden/measured/*/optimal.json) >changed
[ "$(grep '^>' changed | cut -d'"' -f4 | tr '\n' ' ')" = 'optimal.chain29.acc2 optimal.chain29.acc2 ' ] ||
    broken "another SASS for chain29.acc2 alone: $(cat changed)"
says 0 WITHIN_TOLERANCE '' '' mutant.cubin
expect 0 '' "$accprobe" measure --seed 11 --out run-11.json
expect 4 'different SASS' "$accprobe" record run-*.json --golden golden --reason test
expect 4 'hold different SASS of' "$accprobe" check run-1.json run-11.json --golden golden

# A golden from before the SASS was kept compares nothing.
sed 's/"sass": "[0-9a-f]*", "sass_exact": "[0-9a-f]*", //' kept.json >"$(ls golden/measured/*/optimal.json)"
says 0 WITHIN_TOLERANCE '' '' mutant.cubin
says 1 SLOWER '' "$kernel@8=1.03" mutant.cubin
cp kept.json "$(ls golden/measured/*/optimal.json)"

# The null control: all moved with the same SASS is the surroundings' doing; faster than the pipe issues is nobody's.
export ACCP_FAKE_SCALE='*=1.03'
expect 3 '' "$accprobe" gate --seed 99 --golden golden
grep -q REFERENCE_MOVED stdout || broken 'REFERENCE_MOVED'
export ACCP_FAKE_SCALE='*=0.2'
expect 1 '' "$accprobe" gate --seed 99 --golden golden
grep -q 'FAIL .*issue_limit' stdout || broken 'FAIL for a loop above the issue limit'

# A law that is broken fails before anything is timed.
expect 0 '' "$ACCP_BINARY_DIR/mutate" "$built" $kernel fold folded.cubin
expect 1 'law chain: 0 FFMAs' "$accprobe" measure --cubin folded.cubin --out folded.json
[ ! -e folded.json ] || broken 'no run of a chain that was folded away'
# Timed all the same, its run says what it is, with no shape of that compiler on record; and becomes no level.
export ACCP_FAKE_SCALE=
expect 0 '' "$ACCP_BINARY_DIR/mutate" "$built" $kernel spill spilled.cubin
expect 0 'is timed all the same: law spill' "$accprobe" measure --cubin spilled.cubin --broken --seed 99 --out spilled.json
expect 1 '' "$accprobe" check spilled.json --golden golden --all
[ "$(grep -c '^FAIL .*optimal.chain29.acc2.level@[48] .*STRUCTURE_LOST.*law spill: ' stdout)" = 2 ] || broken "the law at both loads: $(grep chain29.acc2 stdout)"
[ "$(grep -c '^FAIL' stdout)" = 3 ] || broken "FAIL of no other role: $(grep FAIL stdout)"
expect 4 'a law is broken: optimal.chain29.acc2 has 1 LDL and STL' "$accprobe" record spilled.json --golden golden --reason test
echo passed
