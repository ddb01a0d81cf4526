#!/usr/bin/env bash
# accprobe-compile: bad input, and NVRTC against nvcc.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
compile=$ACCP_BINARY_DIR/accprobe-compile

expect 0 '' "$compile" --help
expect 4 '--nvrtc: give it' "$compile"
expect 4 '--what: unknown option' "$compile" --what
expect 4 '--arch: it needs a value' "$compile" --arch
expect 4 'give --arch, --out and a source' "$compile" --nvrtc x --arch sm_90
expect 4 'more: one source at a time' "$compile" --nvrtc x --arch sm_90 --out o a.cu more
expect 4 './none.so: cannot load it' "$compile" --nvrtc ./none.so --list-arches
expect 4 'libc.so.6: it has no nvrtcVersion: give a libnvrtc.so of CUDA 11.8 or newer' "$compile" --nvrtc libc.so.6 --list-arches

nvrtc=${ACCPROBE_NVRTC:-$(dirname "$ACCP_NVCC")/../lib64/libnvrtc.so}
[ -e "$nvrtc" ] || skip "no NVRTC beside $ACCP_NVCC, and none named by ACCPROBE_NVRTC"
with() { "$compile" --nvrtc "$nvrtc" --arch "$@"; }
expect 0 '' "$compile" --nvrtc "$nvrtc" --list-arches
grep -qx sm_90 stdout || broken 'sm_90 among the arches'

echo 'extern "C" __global__ void twice(float *x) { *x *= 2; }' >good.cu
echo 'extern "C" __global__ void twice(float *x) { return x; }' >bad.cu
echo old >out
expect 4 'sm_10: NVRTC of CUDA' with sm_10 --out out good.cu
expect 4 'hopper: not an arch: give one as sm_90' with hopper --out out good.cu
expect 4 'sm_90x: not an arch' with sm_90x --out out good.cu
expect 4 'none.cu: ' with sm_90 --out out none.cu
failing() { with "$@" 2>&1 | grep accprobe-compile: >&2; }
expect 4 'bad.cu: does not compile: bad.cu(1): error: ' failing sm_90 --out out bad.cu
# A source and its name are a stranger's, and what the compiler quotes of them must do nothing to a terminal; its lines stay.
evil=$'b\e[31m.cu'
printf '#error two \e[31m\tred\n' >"$evil"
with sm_90 --out out "$evil" >stdout 2>stderr && broken 'a source that does not compile'
! grep -q $'\e' stderr || broken "no escape from a compiler's log"
grep -q '^b?\[31m.cu(1): .*two ?\[31m' stderr || broken 'the log with ? for each escape'
[ "$(wc -l <stderr)" -gt 2 ] || broken 'the log line by line'
[ "$(cat out)" = old ] || broken 'the output left as it was where nothing was compiled'
expect 4 'none/out: ' with sm_90 --out none/out good.cu
expect 0 '' with sm_90 --ptx --out out good.cu -- -DUNUSED
grep -q 'visible .entry twice' out || broken 'PTX with the kernel under its own name'
grep -q 'NVRTC of CUDA [0-9]*\.[0-9]*: out for sm_90' stdout || broken 'the version that was used'

expect 0 '' with sm_90 --out $'o\e[31m' good.cu
grep -F 'o?[31m for sm_90' stdout >/dev/null || broken "the output's name without its escape: $(cat stdout)"

# NVRTC's second half has to be the one that lies beside it, not one of another build that is installed.
mkdir lib
ln -s "$(dirname "$(readlink -f "$nvrtc")")"/libnvrtc* lib/
LD_DEBUG=files "$compile" --nvrtc lib/libnvrtc.so --arch sm_90 --out out good.cu 2>&1 |
    grep 'calling init: .*libnvrtc-builtins' >builtins
[ "$(sed 's/.*init: //;s/-builtins.*//' builtins)" = lib/libnvrtc ] || broken "the builtins of lib/, not: $(cat builtins)"

# One version's nvcc and NVRTC have to give the same code.
release() { sed -n 's/.*release \([0-9]*\.[0-9]*\),.*/\1/p;s/.*CUDA \([0-9]*\.[0-9]*\):.*/\1/p'; }
[ "$("$ACCP_NVCC" --version | release)" = "$(release <stdout)" ] ||
    skip "NVRTC is of another CUDA version than $ACCP_NVCC: not compared"
code() { readelf -SW "$1" 2>/dev/null | grep -o '\.text\.[a-z0-9_]*' | sort -u; }
sections() {
    while read -r section; do
        echo "$section $(readelf -x "$section" "$1" 2>/dev/null | md5sum)"
    done < <(code "$1")
}
# The built cubins are nvcc's. Where NVRTC of a version makes other code, the golden of its own names the roles, and no other differs.
[ -e "$ACCP_BINARY_DIR/cubin/sm_90/optimal.cubin" ] || skip 'no kernels for sm_90 in this build: not compared'
accprobe=$ACCP_BINARY_DIR/accprobe
# of_golden WORDS: the kernels in shape's JSON, one role each, that a golden with such a name answers for.
of_golden() {
    python3 -c 'import json, sys
said = json.load(sys.stdin)
print("".join(sorted(k["kernel"] + "\n" for k in said["kernels"] if sys.argv[1] in said["verdicts"][k["role"]].get("golden", ""))), end="")' "$1"
}
compared=0
for built in "$ACCP_BINARY_DIR"/cubin/sm_90/*.cubin; do
    probe=$(basename "$built" .cubin)
    grep -q "^PROBE($probe," "$ACCP_SOURCE_DIR/matrix/probes.def" || continue
    expect 0 '' with sm_90 -I "$ACCP_SOURCE_DIR/matrix" --out nvrtc.cubin "$ACCP_SOURCE_DIR/kernels/$probe.cu"
    sections "$built" >nvcc.code
    sections nvrtc.cubin >nvrtc.code
    [ "$(wc -l <nvcc.code)" = "$("$accprobe" list --probe "$probe" --format json | grep -o '"kernel": "[^"]*"' | sort -u | wc -l)" ] ||
        broken "the code of every kernel of $probe: $(cat nvcc.code)"
    expect 0 '' "$accprobe" shape --cubin "$built" --format json
    of_golden -nvrtc <stdout >named
    [ ! -s named ] || broken "nvcc's own golden for what nvcc made of $probe: $(cat named)"
    expect 0 '' "$accprobe" shape --cubin nvrtc.cubin --format json
    of_golden -nvrtc <stdout >named
    diff nvcc.code nvrtc.code | sed -n 's/^> [.]text[.]\([^ ]*\) .*/\1/p' >differing
    cmp -s named differing || broken "the same code of $probe from nvcc and NVRTC, but for what has a golden of NVRTC's own: $(diff named differing)"
    compared=$((compared + $(wc -l <nvcc.code)))
    [ -s named ] || continue
    # What its cycles are held against is nvcc's: the line says whose they are.
    expect 0 'note: stores to shared memory' "$accprobe" predict --cubin nvrtc.cubin --out run.json
    "$accprobe" check run.json >judged 2>/dev/null || true
    grep -q '(ptxas [0-9.]*-nvrtc, golden [0-9.]*)' judged || broken "NVRTC's name where its code takes other cycles: $(head -3 judged)"
    ! grep -v '[.]store' judged | grep -e -nvrtc >&2 || broken 'no word of NVRTC where its code is that of nvcc'
done
[ $compared -gt 150 ] || broken "kernels that were compared: $compared"
