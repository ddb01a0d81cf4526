#!/usr/bin/env bash
# What `cmake --install` leaves works without the build and the checkout: the tool, and the libraries for find_package.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
prefix=$scratch/prefix
accprobe=$prefix/bin/accprobe
export ACCPROBE_LIBCUDA=/nonexistent/libcuda.so.1
cmake --install "$ACCP_BINARY_DIR" --prefix "$prefix" >log 2>&1 || broken "an installation: $(cat log)"

# The tool finds its own kernels and goldens, not those of the build.
expect 0 '' "$accprobe" doctor
grep -q "$prefix/bin/../share/accprobe/golden" stdout || broken "the installed goldens: $(cat stdout)"
! grep -q MISSING stdout || broken "nothing missing: $(cat stdout)"
"$accprobe" gate --probe optimal >stdout || [ $? -le 2 ] || broken 'a verdict'
grep -q 'PREDICTED' stdout || broken 'a prediction of the installed kernels'
expect 0 '' "$accprobe" shape --filter '^optimal[.]chain29[.]acc2$' --arch sm_90
# A run that no golden answers for is kept where one works and not where the tool lies; where it cannot be, the verdict stands.
fake() { env ACCPROBE_LIBCUDA="$ACCP_BINARY_DIR/fake/libcuda.so.1" ACCPROBE_LIBNVML="$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1" ACCP_FAKE=sku=h20 \
    ACCP_FAKE_RUN="$(ls "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/optimal.run.json)" "$@"; }
touch pending
expect 0 '' fake "$accprobe" gate --probe optimal
grep -q '^verdict: NO_GOLDEN' stdout || broken "a verdict: $(head -n1 stdout)"
grep -q '^pending: the run is not kept: pending/.*; --pending names another folder$' stdout || broken "why nothing is kept: $(grep '^pending' stdout)"
rm pending
expect 0 '' fake "$accprobe" gate --probe optimal
[ "$(find pending -name '*.json' | wc -l)" = 1 ] || broken "a run in ./pending: $(grep '^pending' stdout)"
[ ! -e "$prefix/bin/pending" ] || broken 'nothing written beside the tool'
for page in accprobe accprobe-compile; do
    [ -s "$prefix/share/man/man1/$page.1" ] || broken "the manual page of $page"
done

# Every header compiles alone, as C and with the warnings of a careful user.
find "$prefix/include" -name '*.h' >headers
[ "$(wc -l <headers)" -ge 12 ] || broken "the headers: $(cat headers)"
while read -r header; do
    echo "#include \"${header#"$prefix/include/accprobe/"}\"" >one.c
    gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include/accprobe" one.c >log 2>&1 ||
        broken "${header#"$prefix/"} to compile alone: $(cat log)"
done <headers

# The example of docs/packages.md builds against the installation and says what the tool says.
flags=
if grep -q '^ACCPROBE_SANITIZE:BOOL=ON' "$ACCP_BINARY_DIR/CMakeCache.txt"; then flags=-fsanitize=address,undefined; fi
configure() {
    cmake -S "$1" -B "$2" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="$flags" "${@:3}" >log 2>&1
}
configure "$prefix/share/doc/libaccprobe-dev/examples/library" example || broken "the example to configure: $(cat log)"
cmake --build example >log 2>&1 || broken "the example to build: $(cat log)"
cubin=$prefix/share/accprobe/cubin/sm_90/optimal.cubin
expect 0 '' example/hot_loop "$cubin"
cp stdout example.out
[ "$(wc -l <example.out)" = "$(grep -c '^ROLE(' "$ACCP_SOURCE_DIR/matrix/optimal.def")" ] || broken "a line a kernel: $(cat example.out)"
for warps in 4 8; do
    expect 0 '' "$accprobe" predict --cubin "$cubin" --kernel optimal_chain29_acc4_effective4 --warps $warps --format json
    predicted=$(python3 -c 'import json; print("%.1f" % json.load(open("stdout"))["roles"][0]["cycles"]["mean"])')
    grep "^optimal_chain29_acc4_effective4: .* 29 FFMAs over 4 accumulators" example.out | grep -F "$predicted cycles predicted at $warps warps" >/dev/null ||
        broken "the tool's prediction, $predicted at $warps warps: $(grep chain29_acc4 example.out)"
done
expect 0 '' example/hot_loop "$ACCP_SOURCE_DIR/tests/data/sass/loop_jump.sm_90.13.0.cubin"
grep -q ', unknown at 4 warps (LDG' stdout || broken "a loop that the model does not time: $(cat stdout)"
! grep -q predicted stdout || broken "no prediction of it: $(cat stdout)"
expect 4 'cannot open' example/hot_loop nothing.cubin
expect 4 'is not an ELF file' example/hot_loop example.out

# What is not there is refused when it is asked for, not when it is linked.
mkdir other
for wanted in 'accprobe 9.0 REQUIRED' 'accprobe REQUIRED COMPONENTS device'; do
    printf 'cmake_minimum_required(VERSION 3.25)\nproject(other LANGUAGES C)\nfind_package(%s)\n' "$wanted" >other/CMakeLists.txt
    ! configure other other/build --fresh || broken "find_package($wanted) to fail"
done
echo passed
