#!/usr/bin/env bash
# accprobe measure --probe ops on the fake driver: results are checked before anything is timed, and bad input is that
# with or without a GPU.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe

expect 4 'matches no role of ops' "$accprobe" measure --probe ops --filter nothing
expect 4 'the ops probe has none' "$accprobe" measure --probe ops --warps 8
expect 4 'the ops probe has none' "$accprobe" measure --probe ops --protocol seed
expect 4 'and ops, for measure alone' "$accprobe" check --probe op "$ACCP_SOURCE_DIR/golden/document/optimal.json"

expect 4 'matches no role of ops' "$accprobe" measure --probe ops --length 65 --filter dot
expect 4 '--length 0: ' "$accprobe" measure --probe ops --length 0

export ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 ACCPROBE_LIBNVML=$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1
expect 0 '' "$accprobe" measure --probe ops --filter 'warp[14][.]' --out run.json
python3 - <<'END' || broken 'a run of every operator at two sizes and lengths'
import json
run = json.load(open("run.json"))
names = [role["role"] for role in run["roles"]]
assert len(names) == len(set(names)) == (5 * 5 + 6) * 2 * 2, len(names)
assert {name.split(".")[1] for name in names} == {"dot", "gemm", "bias", "stream", "softmax", "welford"}
assert all(role["cycles"]["n"] == run["protocol"]["launches"] for role in run["roles"])
END
expect 0 '' "$accprobe" measure --probe ops --length 77 --filter 'warp4[.]' --out run.json
[ "$(grep -c '[.]n77[.]' run.json)" = 25 ] || broken 'every operator but dot, whose rows are shorter, at that length'
for operator in dot gemm bias stream softmax welford; do
    expect 1 "ops_${operator}_acc3: length 2" env ACCP_FAKE=wrong_results "$accprobe" measure --probe ops \
        --filter "${operator}[.]warp1[.].*acc3" --out wrong.json
    [ ! -e wrong.json ] || broken 'no run of a kernel that computes wrongly'
done
expect 3 'cuStreamQuery failed' env ACCP_FAKE=fault "$accprobe" measure --probe ops --filter 'dot[.]warp1[.]'
expect 4 'is not an ELF file' "$accprobe" measure --probe ops --cubin "$ACCP_SOURCE_DIR/CMakeLists.txt"
