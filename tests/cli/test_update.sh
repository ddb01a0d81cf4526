#!/usr/bin/env bash
# The gate after a compiler update, as a user runs it: other kernels stand in the build, the golden is that of before.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
built=$ACCP_BINARY_DIR/cubin/sm_90/optimal.cubin kernel=optimal_chain29_acc2_effective2
[ -e "$built" ] || skip "no kernels for sm_90 in this build"
export ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 ACCPROBE_LIBNVML=$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1
ACCP_FAKE_RUN=$(ls "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/optimal.run.json)
export ACCP_FAKE_RUN ACCP_FAKE=ok ACCPROBE_RECORD_FAKE=1
mkdir -p build/cubin/sm_90 golden
cp "$ACCP_BINARY_DIR/accprobe" build/
cp "$ACCP_BINARY_DIR"/cubin/sm_90/*.cubin build/cubin/sm_90/
git init -q . && git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m test
for i in $(seq 10); do
    expect 0 '' build/accprobe measure --probe optimal --seed "$i" --out "run-$i.json"
done
expect 0 '' build/accprobe record run-*.json --golden golden --reason test
version=$(build/accprobe shape --cubin "$built" --golden golden --format json | sed -n 's/.*"version": "\([0-9.]*\)".*/\1/p')
case $version in *.*.*) ;; *) version=$version.0 ;; esac
expect 0 '' build/accprobe shape --cubin "$built" --compiler "$version" --golden golden --out shape.json
expect 0 '' build/accprobe record shape.json --golden golden --reason test
expect 0 '' build/accprobe gate --probe optimal --seed 99 --golden golden

# says STATUS REASON WORDS MUTATION SCALE: the role, the cause and the first instruction.
says() {
    expect 0 '' env "$ACCP_BINARY_DIR/mutate" "$built" $kernel "$4" build/cubin/sm_90/optimal.cubin
    ACCP_FAKE_SCALE=$5 expect "$1" '' build/accprobe gate --probe optimal --seed 99 --golden golden
    grep 'optimal.chain29.acc2.level@4' stdout | grep -F " $2 " | grep -F -e "$3" >/dev/null ||
        broken "$2 and '$3' for the changed role: $(grep 'chain29.acc2.level@4' stdout)"
    [ "$(grep -c 'level@.*first difference' stdout)" -le 2 ] || broken 'no word against any other role'
}
says 1 SLOWER_OTHER_SASS 'first difference: control bits of instruction 1 of the loop: FFMA' stall "$kernel@4=+1"
says 2 SHAPE_CHANGED 'first difference: control bits of instruction 1 of the loop: FFMA' stall ''
says 1 SLOWER_OTHER_SASS 'first difference: ' reload "$kernel@4=+25"
says 1 SLOWER_OTHER_SASS 'other register names' bank "$kernel@4=+3"
echo passed
