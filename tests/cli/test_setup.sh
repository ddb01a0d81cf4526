#!/usr/bin/env bash
# ci/setup on machines that lack something, played by a PATH that holds nothing but what is linked into it.
# shellcheck disable=SC2016 # programs are written in single quotes
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
checkout
setup=checkout/ci/setup

mkdir bin
for tool in bash env dirname cat sed awk grep sort head tail tr mkdir mktemp rm mv ln uname id flock basename \
    gcc g++ cmake ninja pkg-config git gnuplot; do
    ln -s "$(command -v "$tool")" "bin/$tool"
done

# program NAME TEXT: a script in the machine's place of a program.
program() {
    rm -f "bin/$1"
    printf '#!/bin/bash\n%s\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}

# on_machine COMMAND...: with that PATH and no CUDA, and an index of packages that cannot be reached.
on_machine() {
    env -i PATH="$scratch/bin" HOME="$scratch" CUDA_HOME=/nonexistent PIP_NO_INDEX=1 "$@"
}

expect 4 "ci/setup: unknown option '--what'; ci/setup --help" "$setup" --wheels --what
expect 4 "it takes --wheels, --tests or nothing, not 'wheels'" "$setup" wheels

nvcc_says() {
    program nvcc "[ \$1 = --version ] && { echo 'Cuda compilation tools, release ${1%.*}, V$1'; exit; }; $2"
}
nvcc_says 12.4.131 'while [ $# -gt 1 ]; do [ $1 = -o ] && echo tried >>'"$scratch"'/tried; shift; done'
expect 0 '' on_machine "$setup"
[ "$(cat stdout)" = "$scratch/bin/nvcc" ] || broken "the path of nvcc on stdout, not $(cat stdout)"
expect 0 '' on_machine "$setup"
[ "$(wc -l <tried)" = 1 ] || broken 'a second run not to try the compiler again'

# ci/build hands the arches on, and leaves them to the build where none are named.
program cmake 'case $* in --version) echo cmake version 3.25.1 ;; *preset*) printf "%s\n" "$@" >>'"$scratch"'/configured ;; esac'
expect 0 'for kernels of every arch (ACCPROBE_ARCHES=sm_90 builds for one)' on_machine checkout/ci/build
! grep -q ARCHES configured || broken "no word of arches: $(cat configured)"
expect 0 'most of them for sm_90;sm_100; ' on_machine ACCPROBE_ARCHES='sm_90;sm_100' checkout/ci/build
grep -qxF -e '-DACCPROBE_ARCHES=sm_90;sm_100' configured || broken "both arches in one word: $(cat configured)"
rm -f bin/cmake && ln -s "$(command -v cmake)" bin/cmake

# Without a usable nvcc it turns to the wheels, which are out of reach here.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)
if "${python:-false}" -m pip --version >/dev/null 2>&1; then
    program python3 "exec $python \"\$@\""
    fetching() { on_machine "$setup" 2>&1 >/dev/null | tee all | grep -v -e 'fetching nvcc' -e 'not used' >&2; }
    rm bin/nvcc
    expect 4 'ci/compiler: cannot fetch nvcc of CUDA 13.0.88: ' fetching
    nvcc_says 11.5.119 'exit 1'
    expect 4 'ci/compiler: cannot fetch nvcc' fetching
    grep -q 'version 11.5.119, older than 12.0: not used' all || broken "a word about the old nvcc, not: $(cat all)"
    nvcc_says 12.2.140 'echo "error: unsupported host compiler" >&2; exit 1'
    expect 4 'ci/compiler: cannot fetch nvcc' fetching
    grep -q 'cannot compile a kernel: not used: error: unsupported host compiler' all || broken "nvcc's reason: $(cat all)"
    find checkout/.cache -name sha256 | grep . >/dev/null && broken 'nothing kept of a failed fetch'
else
    echo 'not tried, for want of python3 with pip: the fetch that fails'
fi

rm bin/ninja
expect 4 'ci/setup: missing and no apt-get to install it: ninja-build' on_machine "$setup"
program apt-get 'echo "E: Unable to fetch some archives"; exit 100'
program id 'echo 1000'
expect 4 'root or sudo is needed to install: ninja-build' on_machine "$setup"
failing() { on_machine "$setup" 2>&1 >/dev/null | grep -v 'installing with apt-get: ninja-build$' >&2; }
program id 'echo 0'
expect 4 'apt-get could not install ninja-build: E: Unable to fetch some archives' failing
program apt-get 'exit 0'
expect 4 'installed, but still not usable: ninja-build' failing
program sudo 'echo "sudo $*" >>'"$scratch"'/asked; exec "$@"'
program id 'echo 1000'
program apt-get '[ "$1" = update ] || { echo "$*" >>'"$scratch"'/asked; ln -s /bin/true '"$scratch"'/bin/ninja; }'
nvcc_says 12.4.131 ''
expect 0 'installing with apt-get: ninja-build' on_machine "$setup"
grep -q '^sudo .* apt-get install .*[a-z] ninja-build$' asked || broken "apt-get asked for ninja-build alone, not: $(cat asked)"
expect 0 '' on_machine "$setup"
program cmake 'echo cmake version 3.22.1'
expect 4 'older than 3.25; put a newer one on the PATH' on_machine "$setup"
