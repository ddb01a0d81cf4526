#!/usr/bin/env bash
# What people reported of compilers: lost unrolling, names and spellings that change code, moved control bits, registers that
# cost blocks, packed FMAs. Assembled here, by the build's ptxas and the oldest and newest in the cache of ci/compiler. What a
# compiler does is its own affair: the tests hold that accprobe says it.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe
sass=$ACCP_SOURCE_DIR/tests/data/sass
mapfile -t assemblers < <(
    printf '%s\n' "$ACCP_NVCC"
    find "${ACCPROBE_CACHE:-$ACCP_SOURCE_DIR/.cache}/compilers" -path '*/ptxas/bin/ptxas' 2>/dev/null | sort -V | sed -n '1p;$p' | uniq
)
mkdir golden
shows() { grep -qF -e "$1" stdout || broken "'$1' in: $(cat stdout)"; }

# assemble PTX ARCH CUBIN [OPTION...]: false where this assembler does not know the arch or the PTX.
assemble() {
    local options=("${@:4}")
    if [ "$assembler" = "$ACCP_NVCC" ]; then
        "$assembler" -cubin -arch="$2" "${options[@]/#/-Xptxas=}" -o "$3" "$1" 2>/dev/null
    else
        "$assembler" -arch="$2" "${options[@]}" -o "$3" "$1" 2>/dev/null
    fi
}

# shape_of CUBIN MEMBER: of its only kernel, or of KERNEL where that is set.
shape_of() {
    "$accprobe" shape --golden golden --cubin "$1" ${KERNEL:+--kernel "$KERNEL"} --format json | python3 -c '
import json, sys
shape = json.load(sys.stdin)["kernels"]
assert len(shape) == 1
print(shape[0][sys.argv[1]])' "$2"
}

# C1: the count of FMAs decides, whatever registers say. Fewer of them is lost unrolling; else there is nothing to say of it.
lost_unrolling() {
    local before after arch
    for arch in sm_80 sm_90 sm_120; do
        if ! assemble "$sass/loop_jump.ptx" $arch jump.cubin; then continue; fi
        assemble "$sass/loop_branch.ptx" $arch branch.cubin || broken "loop_branch.ptx for $arch by $assembler"
        before=$(shape_of jump.cubin ffma_in_loop) after=$(shape_of branch.cubin ffma_in_loop)
        if [ "$after" -lt "$before" ]; then
            expect 1 '' "$accprobe" diff jump.cubin branch.cubin
            shows "structure lost unrolling lost: $before FFMAs in the hot loop before, $after now"
            expect 2 '' "$accprobe" diff branch.cubin jump.cubin
        else
            expect 2 '' "$accprobe" diff jump.cubin branch.cubin
        fi
        ! grep 'unrolling lost' stdout || broken "no loss where FFMAs in the loop did not become fewer: $before, $after"
        compared=$((compared + 1))
    done
}

# C2: one body under several names. Where the name changed the code, the first instruction that differs is named.
names() {
    local name level before after
    for level in 2 3; do
        if ! assemble neutral.ptx sm_90 neutral.cubin -O$level; then return; fi
        before=$(shape_of neutral.cubin control_hash)
        for name in cutlass flashat; do
            assemble $name.ptx sm_90 $name.cubin -O$level || broken "$name.ptx at -O$level by $assembler"
            after=$(shape_of $name.cubin control_hash)
            if [ "$before" = "$after" ]; then
                expect 0 '' "$accprobe" diff neutral.cubin $name.cubin
                shows '1 identical'
            else
                expect 2 '' "$accprobe" diff neutral.cubin $name.cubin
                shows ' first at 0x'
                changed=$((changed + 1))
            fi
        done
    done
}

# C3: one opcode count, and no spill, however the registers of the PTX are spelled.
spellings() {
    local arch
    for arch in sm_80 sm_90 sm_120; do
        if ! assemble "$ACCP_SOURCE_DIR/tests/data/cases/chain29_acc8.ptx" $arch f32.cubin; then continue; fi
        assemble b32.ptx $arch b32.cubin || broken "b32.ptx for $arch by $assembler"
        for spelling in f32 b32; do
            expect 0 '' "$accprobe" shape --golden golden --cubin $spelling.cubin # the laws: 29 FMAs, 8 sums, no LDL, no STL
            expect 0 '' "$accprobe" shape --golden golden --cubin $spelling.cubin --listing
            sed -n 's/^[| ] [0-9a-f]\{5\} .* [0-9a-f][0-9a-f]  \(@[!A-Z0-9]* \)\?\([A-Z0-9]*\).*/\2/p' stdout | sort | uniq -c >$spelling.counts
            [ "$(awk '$2 == "FFMA" { print $1 }' $spelling.counts)" = 29 ] || broken "29 FFMAs in: $(cat $spelling.counts)"
        done
        diff f32.counts b32.counts >&2 || broken "equal counts of every opcode for $arch by $assembler"
        compared=$((compared + 1))
    done
}

sed 's/\.reg \.f32/.reg .b32/' "$ACCP_SOURCE_DIR/tests/data/cases/chain29_acc8.ptx" >b32.ptx
! cmp -s b32.ptx "$ACCP_SOURCE_DIR/tests/data/cases/chain29_acc8.ptx" || broken 'two spellings'

# The PTX of the role itself; its version is lowered, so that older assemblers read what they can.
"$ACCP_NVCC" -ptx -arch=sm_90 -I"$ACCP_SOURCE_DIR/matrix" -o optimal.ptx "$ACCP_SOURCE_DIR/kernels/optimal.cu" || broken 'PTX'
python3 - <<'END' || broken 'the PTX of optimal_chain13_acc8_effective8'
import re
text = open("optimal.ptx").read()
head = re.sub(r"(?m)^\.version .*", ".version 7.8", text[: text.index(".visible")])
begin = text.index(".visible .entry optimal_chain13_acc8_effective8(")
body = text[begin : text.index("\n}", begin) + 3]
for name in ("neutral", "cutlass", "flashat"):
    open(name + ".ptx", "w").write(head + body.replace("optimal_", name + "_"))
END

compared=0 changed=0
for assembler in "${assemblers[@]}"; do
    lost_unrolling
    names
    spellings
done
[ $compared -ge 4 ] || broken "sm_80 and sm_90 at the least, not $compared comparisons"
printf 'C1, C2, C3: %d assemblers; %d kernels differ by their name\n' ${#assemblers[@]} $changed

# A golden of the role does not answer for its body under another symbol.
assembler=$ACCP_NVCC
assemble neutral.ptx sm_90 neutral.cubin || broken 'neutral.ptx'
sed 's/neutral/optimal/g' neutral.cubin >role.cubin
git init -q . && git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m test
version=$(sed -n 's/.*"version": "\([0-9.]*\)".*/\1/p' <("$accprobe" shape --golden golden --cubin role.cubin --format json))
case $version in *.*.*) ;; *) version=$version.0 ;; esac
expect 0 '' "$accprobe" shape --golden golden --cubin role.cubin --compiler "$version" --out role.json
expect 0 '' "$accprobe" record role.json --golden golden --reason test
expect 0 '' "$accprobe" shape --golden golden --cubin role.cubin
shows 'verdict: PASS'
expect 0 '' "$accprobe" shape --golden golden --cubin neutral.cubin
shows 'nothing to judge'

# C4: the recorded shapes of sm_90, a release in which only control bits moved and one in which instructions did.
goldens=$ACCP_SOURCE_DIR/golden/shape/sm_90
expect 2 '' "$accprobe" diff --filter "^optimal" "$goldens/12.6.85.json" "$goldens/12.8.61.json"
shows 'kernels: 24 control bits only; exit status 2'
expect 2 '' "$accprobe" diff --filter "^optimal" "$goldens/12.2.140.json" "$goldens/12.3.52.json"
[ "$(grep -c '^optimal.* instructions differ' stdout)" = 24 ] || broken '24 kernels of other instructions'

# C5: registers, the blocks that they leave and the cycles in one row; a verdict where half of the blocks are gone, and none
# where they stay.
expect 0 '' "$ACCP_NVCC" -ptx -arch=sm_90 -I"$ACCP_SOURCE_DIR/matrix" -o complex.ptx "$ACCP_SOURCE_DIR/kernels/registers/complex_matrix.cu"
sed -i 's/^\.version .*/.version 7.8/' complex.ptx
KERNEL=complex_matrix_unroll_full
export ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 ACCPROBE_LIBNVML=$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1 ACCP_FAKE=ok

# note CUBIN [RECORDING]: its registers and blocks, and a run of it by the fake driver, which draws the cycles of an H200.
note() {
    local recording=$ACCP_SOURCE_DIR/tests/data/registers/complex_matrix.${2:-13.0.88}.gate.json
    registers[$1]=$(shape_of "$1.cubin" registers) blocks[$1]=$(shape_of "$1.cubin" resident_blocks)
    expect 0 '' env ACCP_FAKE_RUN="$recording" "$accprobe" measure --cubin "$1.cubin" --kernel $KERNEL --warps 8 --out "$1.run.json"
    echo "C5: $1 $KERNEL: ${registers[$1]} registers, ${blocks[$1]} resident blocks"
}

# moved BEFORE AFTER: what diff says of two cubins, and of a run of each.
moved() {
    local before=$1 after=$2 kind
    for kind in cubin run.json; do
        "$accprobe" diff --all "$before.$kind" "$after.$kind" >stdout
        grep "^$KERNEL " stdout >row || broken "$KERNEL in: $(cat stdout)"
        if [ "${registers[$before]}" != "${registers[$after]}" ]; then
            grep -qF "registers ${registers[$before]} -> ${registers[$after]}" row || broken "registers in $(cat row)"
        else
            ! grep 'registers [0-9]* -> ' row >&2 || broken 'no word of registers that stayed'
        fi
        if [ "${blocks[$before]}" != "${blocks[$after]}" ]; then
            grep -qF "resident blocks ${blocks[$before]} -> ${blocks[$after]}" row || broken "resident blocks in $(cat row)"
        fi
        if [ $((2 * blocks[$after])) -le "${blocks[$before]}" ]; then
            grep -q 'occupancy lost: ' row || broken "a verdict on half the blocks in $(cat row)"
            expect 1 '' "$accprobe" diff "$before.$kind" "$after.$kind" --filter $KERNEL
        else
            ! grep 'occupancy lost' row >&2 || broken 'no verdict where more than half the blocks stay'
        fi
    done
    grep -q "^$KERNEL  *8  *[0-9.]*  *[0-9.]* " row || broken "8 warps and the cycles of both in $(cat row)"
}

declare -A registers blocks
for limit in 56 72 80 104; do
    expect 0 '' "$ACCP_NVCC" -cubin -arch=sm_90 -maxrregcount=$limit -o $limit.cubin complex.ptx
    note $limit limit$limit
done
[ "${blocks[56]} ${blocks[104]}" = '4 2' ] || broken "4 and 2 resident blocks at 56 and 104 registers, not ${blocks[56]} and ${blocks[104]}"
moved 56 104
moved 72 80
moved 80 104

# The same code by each toolkit at hand, with no pragma, not unrolled and unrolled.
toolkits=0
for assembler in "${assemblers[@]}"; do
    if ! assemble complex.ptx sm_90 toolkit$toolkits.cubin; then continue; fi
    toolkits=$((toolkits + 1))
done
for unrolling in absent one full; do
    KERNEL=complex_matrix_unroll_$unrolling
    for ((i = 0; i < toolkits; ++i)); do
        note toolkit$i
        if [ $i -gt 0 ]; then moved toolkit$((i - 1)) toolkit$i; fi
    done
done
[ $toolkits -ge 1 ] || broken 'one toolkit at the least'
printf 'C5: %d toolkits\n' $toolkits
unset ACCPROBE_LIBCUDA ACCPROBE_LIBNVML ACCP_FAKE
unset KERNEL

# C8: FFMA2 is two FMAs and two accumulators.
if assemble "$sass/chain_packed.ptx" sm_100 packed.cubin; then
    expect 0 '' "$accprobe" shape --golden golden --cubin packed.cubin --listing
    packed=$(grep -c '^|.* FFMA2' stdout)
    [ "$packed" -gt 0 ] || broken "FFMA2 in: $(cat stdout)"
    plain=$(grep -c '^|.* FFMA ' stdout)
    [ "$(shape_of packed.cubin ffma_in_loop)" = $((2 * packed + plain)) ] || broken "$packed FFMA2 counted twice, and $plain FFMA"
    [ "$(shape_of packed.cubin accumulators)" = 4 ] || broken 'two packed accumulators counted as four'
else
    echo "C8: $ACCP_NVCC does not know sm_100; the recorded cubin stands in test_shape.sh"
fi
echo passed
