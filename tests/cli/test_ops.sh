#!/usr/bin/env bash
# accprobe measure --probe ops on the fake driver: results are checked before anything is timed, and bad input is that
# with or without a GPU.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe

# What every arch's SASS must hold, as the roles' laws do: a turn of 24 elements has all FFMAs of an operator, dealt to K
# accumulators for each of its chains, each as deep as its share, and no kernel spills. bias and stream add without FFMAs.
for cubin in "$ACCP_BINARY_DIR"/cubin/sm_*/ops.cubin; do
    expect 0 '' "$accprobe" shape --cubin "$cubin" --format json
    python3 - <<'END' || broken "the turns of $cubin"
import json
kernels = {kernel["kernel"]: kernel for kernel in json.load(open("stdout"))["kernels"]}
chains = {"dot": 1, "gemm": 16, "softmax": 1, "welford": 2, "bias": 0, "stream": 0}
for operator, of_it in chains.items():
    for acc in (1, 2, 3, 4, 8) + (24,) * (operator == "dot"):
        kernel = kernels.pop(f"ops_{operator}_acc{acc}")
        assert kernel["local_loads"] == kernel["local_stores"] == 0, kernel
        assert kernel["ffma"] == 24 * of_it and kernel["accumulators"] == acc * of_it, kernel
        assert kernel["depth"] == 24 // acc * (of_it > 0), kernel
assert not kernels, kernels
END
    # A warp ends when its results can be seen: the clock is read behind a release, which stands behind the stores of results, in
    # every kernel alike; else whether it waits for these would be told apart by K.
    expect 0 '' "$accprobe" shape --cubin "$cubin" --listing
    python3 - <<'END' || broken "the ends of $cubin's kernels"
import re
order = {}
for line in open("stdout"):
    begin = re.match(r"(ops_\w+) \(sm_", line)
    if begin:
        kernel = begin[1]
        order[kernel] = ""
    elif re.match(r"[| ] +[0-9a-f]{5} ", line):
        order[kernel] += "".join(mark for name, mark in (("STG", "s"), ("MEMBAR", "m"), ("SR_CLOCKLO", "c")) if name in line)
assert len(order) == 31, len(order)
wrong = {kernel: marks for kernel, marks in order.items() if not re.fullmatch("c+s+mscss", marks)}
assert not wrong, wrong
END
done

expect 4 'matches no role of ops' "$accprobe" measure --probe ops --filter nothing
expect 4 'the ops probe has none' "$accprobe" measure --probe ops --warps 8
expect 4 'the ops probe has none' "$accprobe" measure --probe ops --protocol seed
expect 4 'and ops, for measure alone' "$accprobe" check --probe op "$ACCP_SOURCE_DIR/golden/document/optimal.json"

expect 4 'matches no role of ops' "$accprobe" measure --probe ops --length 65 --filter dot
for length in 0 100001 '5,' ',5' 5x -5; do
    expect 4 "--length $length: must be whole numbers from 1 to 100000, with commas" "$accprobe" measure --probe ops --length "$length"
done
expect 4 '--length 5,7,5: holds 5 twice' "$accprobe" measure --probe ops --length 5,7,5
expect 4 'more than 64 lengths' "$accprobe" measure --probe ops --length "$(seq -s, 65)"

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
# Several in one process; and so many elements that the data are copied on the GPU, where results tell whether they are right.
expect 0 '' "$accprobe" measure --probe ops --length 9,64,65 --filter 'warp1[.]' --out several.json
[ "$(grep -o '[.]n[0-9]*[.]' several.json | sort | uniq -c | xargs)" = '31 .n64. 25 .n65. 31 .n9.' ] || broken 'three lengths in a process'
expect 0 '' "$accprobe" measure --probe ops --length 97 --filter '(stream|bias)[.]gpu4[.].*acc[14]$' --out copied.json
[ "$(grep -c '[.]n77[.]' run.json)" = 25 ] || broken 'every operator but dot, whose rows are shorter, at that length'
for operator in dot gemm bias stream softmax welford; do
    expect 1 "ops_${operator}_acc3: length 2" env ACCP_FAKE=wrong_results "$accprobe" measure --probe ops \
        --filter "${operator}[.]warp1[.].*acc3" --out wrong.json
    [ ! -e wrong.json ] || broken 'no run of a kernel that computes wrongly'
done
expect 3 'cuStreamQuery failed' env ACCP_FAKE=fault "$accprobe" measure --probe ops --filter 'dot[.]warp1[.]'
expect 4 'is not an ELF file' "$accprobe" measure --probe ops --cubin "$ACCP_SOURCE_DIR/CMakeLists.txt"
