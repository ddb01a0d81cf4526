#!/usr/bin/env bash
# ci/registers: the tables in the documents are those of the recordings, and what SASS a recording ran is what nvcc makes.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
[ -x "$ACCP_SOURCE_DIR/build/accprobe" ] || skip 'ci/registers needs the default build'
registers=$ACCP_SOURCE_DIR/ci/registers recorded=$ACCP_SOURCE_DIR/tests/data/registers

expect 0 '' "$registers"
rows=0
while IFS= read -r line; do
    case $line in '|'*) grep -qxF -e "$line" "$ACCP_SOURCE_DIR"/docs/{registers,compilers}.md || broken "in the documents, as recorded: $line" ;; esac
    rows=$((rows + 1))
done <stdout
[ $rows -gt 150 ] || broken "a row for each limit and compiler, not $rows lines"
# The documents hold no row more of these tables.
{
    sed -n '/^## chain/,$p' "$ACCP_SOURCE_DIR/docs/registers.md"
    sed -n '/^## Lost unrolling/,/^## The other probes/p' "$ACCP_SOURCE_DIR/docs/compilers.md"
} | grep '^| *[0-9n|]' | while IFS= read -r line; do
    grep -qxF -e "$line" stdout || broken "no row that no recording gives: $line"
done || exit 1

# C5 as it was measured: registers, resident blocks and cycles in one row; a verdict where half of the blocks are gone, none where they stay.
row() { # BEFORE AFTER WARPS STATUS
    expect "$4" '' "$ACCP_SOURCE_DIR/build/accprobe" diff "$recorded/complex_matrix.$1.gate.json" "$recorded/complex_matrix.$2.gate.json" --filter complex_matrix_unroll_full
    grep "^complex_matrix_unroll_full *$3 " stdout >row || broken "a row at $3 warps: $(cat stdout)"
}
row limit80 limit104 8 2
grep -qE ' 4832.24 +4616.88 .*registers 80 -> 104; resident blocks 3 -> 2' row || broken "registers, blocks and cycles: $(cat row)"
row limit56 limit104 8 1
grep -q 'registers 56 -> 104; occupancy lost: resident blocks 4 -> 2' row || broken "a verdict on half of the blocks: $(cat row)"
row limit64 limit56 8 2
grep -q 'registers 64 -> 56$' row || broken "no word of blocks that stay: $(cat row)"

# The SASS of one limit again, where this nvcc is the one that was recorded.
"$ACCP_NVCC" --version | grep 'V13[.]0[.]88' >/dev/null || {
    echo 'passed, but for the SASS: another nvcc'
    exit
}
expect 0 '' "$ACCP_NVCC" -arch=sm_90 -cubin -I"$ACCP_SOURCE_DIR/matrix" -maxrregcount=36 -o registers.36.cubin "$ACCP_SOURCE_DIR/kernels/registers/registers.cu"
expect 0 '' "$registers" registers.36.cubin
diff <(grep -P '^registers[.]36\t' "$recorded/sass.tsv") stdout >difference || broken "the SASS of limit 36 as recorded: $(cat difference)"

# Other SASS than sass.tsv has is no recording of it.
cp -r "$ACCP_SOURCE_DIR/ci" . && mkdir -p tests/data build && cp -r "$recorded" tests/data/ && ln -s "$ACCP_SOURCE_DIR/build/accprobe" build/accprobe
expect 0 '' ci/registers
sed -i 's/"sass": "[0-9a-f]\{4\}/"sass": "0000/' tests/data/registers/registers.36.1.json
expect 4 'ran other SASS than sass.tsv has' ci/registers
rm tests/data/registers/registers.3[68].*.json
expect 4 'no run of registers.36' ci/registers
echo passed
