#!/usr/bin/env bash
# ci/compiler with small wheels of the test's own in the place of NVIDIA's, and no network.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
checkout
compiler=checkout/ci/compiler
cache=checkout/.cache/compilers

expect 4 'usage: ci/compiler list' "$compiler"
expect 4 "unknown version '10.0'; ci/compiler list shows what there is" "$compiler" 10.0
expect 4 "unknown version '13.0.8'" "$compiler" 13.0.8
expect 4 "unknown version '.*'" "$compiler" '.*'
expect 4 "unknown option '--list'" "$compiler" --list
expect 4 'there is no nvcc of CUDA 12.4.131 on PyPI; it has: ptxas nvrtc' "$compiler" 12.4 nvcc
expect 4 'there is no compiler of CUDA 13.0.88 on PyPI' "$compiler" 13.0.88 compiler
[ ! -e checkout/.cache ] || broken 'no cache for a request that cannot be met'
expect 0 '' "$compiler" list
[ "$(sort -V stdout | cut -f1)" = "$(cut -f1 stdout)" ] || broken 'the list in order'
grep -q '^11\.8\.89	ptxas nvrtc$' stdout || broken '11.8.89 in the list'

python3 -m pip --version >/dev/null 2>&1 || skip 'python3 with pip is needed for the rest'
[ "$(uname -m)" = x86_64 ] || skip 'the table is of x86_64'
export PIP_NO_INDEX=1 PIP_FIND_LINKS=$scratch/wheels PIP_DISABLE_PIP_VERSION_CHECK=1
mkdir wheels

# wheel PACKAGE VERSION FILE...: a wheel that holds these empty programs.
wheel() {
    python3 - wheels "$@" <<'END'
import sys, zipfile
folder, package, version, *files = sys.argv[1:]
name = f"{package.replace('-', '_')}-{version}"
with zipfile.ZipFile(f"{folder}/{name}-py3-none-any.whl", "w") as wheel:
    for file in files:
        entry = zipfile.ZipInfo(file)
        entry.external_attr = 0o100755 << 16
        wheel.writestr(entry, "#!/bin/sh\n")
    wheel.writestr(f"{name}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    wheel.writestr(f"{name}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(f"{name}.dist-info/RECORD", "")
END
}

# row VERSION PART PACKAGE PACKAGE-VERSION: puts the wheel's true hash into the table.
row() {
    local hash
    hash=$(sha256sum "wheels/${3//-/_}-$4-py3-none-any.whl" | cut -d ' ' -f 1)
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$hash" >>checkout/ci/compilers.tsv
}

without_notice() { "$@" 2>&1 >/dev/null | grep -v 'ci/compiler: fetching' >&2; }
nothing_left() { [ -z "$(find checkout/.cache -mindepth 3 ! -name '*.lock')" ] || broken "nothing left of it: $(find checkout/.cache)"; }

# In the table of the project stands another hash than that of this wheel.
wheel nvidia-cuda-nvcc-cu12 12.4.131 nvidia/cuda_nvcc/bin/ptxas
expect 4 "cannot fetch ptxas of CUDA 12.4.131: its sha256 is not the one in ci/compilers.tsv" \
    without_notice "$compiler" 12.4.131 ptxas
nothing_left
rm wheels/*
expect 4 'cannot fetch ptxas of CUDA 12.4.131: ERROR: Could not find a version' without_notice "$compiler" 12.4 ptxas
nothing_left

: >checkout/ci/compilers.tsv
wheel nvidia-cuda-nvcc-cu12 12.4.131 nvidia/cuda_nvcc/bin/ptxas nvidia/cuda_nvcc/nvvm/lib64/libnvvm.so
wheel nvidia-cuda-nvrtc-cu12 12.4.127 nvidia/cuda_nvrtc/lib/libnvrtc.so.12 nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.4
wheel nvidia-cuda-nvcc 13.0.88 nvidia/cu13/bin/nvcc nvidia/cu13/bin/ptxas
wheel nvidia-nvvm 13.0.88 nvidia/cu13/nvvm/bin/cicc
row 12.4.131 ptxas nvidia-cuda-nvcc-cu12 12.4.131
row 12.4.131 nvrtc nvidia-cuda-nvrtc-cu12 12.4.127
row 13.0.88 nvcc nvidia-cuda-nvcc 13.0.88
row 13.0.88 nvcc nvidia-nvvm 13.0.88
row 13.0.88 nvdisasm nvidia-nvvm 13.0.88
expect 0 'fetching nvcc of CUDA 13.0.88' "$compiler" 13.0 nvcc
[ "$(cat stdout)" = "$scratch/$cache/13.0.88/nvcc" ] || broken "the folder, not $(cat stdout)"
for program in bin/nvcc nvvm/bin/cicc; do
    [ -x $cache/13.0.88/nvcc/$program ] || broken "both wheels in one tree, $program among it"
done
expect 0 'fetching' "$compiler" 12.4.131
[ "$(cat stdout)" = "$scratch/$cache/12.4.131" ] || broken "the folder of the version, not $(cat stdout)"
[ -x $cache/12.4.131/ptxas/bin/ptxas ] || broken 'ptxas'
[ -e $cache/12.4.131/nvrtc/lib/libnvrtc.so ] || broken 'libnvrtc.so, a link to the library itself'
[ ! -e $cache/12.4.131/ptxas/nvvm ] || broken 'libnvvm left out'
expect 4 'the wheels of CUDA 13.0.88 hold no nvdisasm where it was expected' without_notice "$compiler" nvdisasm

# Cached, it needs neither wheels nor pip; a table that changed its mind does not get the old ones.
rm wheels/*
expect 0 '' env PATH=/usr/bin:/bin "$compiler" 12.4.131
sed -i 's/[0-9a-f]$/x/' checkout/ci/compilers.tsv
expect 4 'cannot fetch nvrtc of CUDA 12.4.131' without_notice "$compiler" 12.4.131
expect 4 'cannot write to /proc/nothing' env ACCPROBE_CACHE=/proc/nothing "$compiler" 12.4.131
