#!/usr/bin/env bash
# docs/add-a-kernel.md: its commands, typed as they stand there, with the fake driver for a GPU. Only the build is cut
# short: one arch, no optimisation, and the targets that the page uses.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
page=$ACCP_SOURCE_DIR/docs/add-a-kernel.md
# shellcheck disable=SC2016 # the quotes are of Markdown
sed -n '/^```console$/,/^```$/s/^\$ //p' "$page" >commands
[ "$(wc -l <commands)" -ge 12 ] || broken "the commands of the page: $(cat commands)"

# A checkout of its own, of which this is the name alone: the sources are those under test.
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.org GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.org
git init -q . && git commit -q --allow-empty -m test
for name in "$ACCP_SOURCE_DIR"/*; do
    if [[ $name != */build* ]]; then ln -s "$name" .; fi
done
unset ACCPROBE_REQUIRE_GPU
export ACCPROBE_RECORD_FAKE=1
export ACCP_FAKE=ok ACCPROBE_LIBCUDA=$scratch/build-mine/fake/libcuda.so.1 ACCPROBE_LIBNVML=$scratch/build-mine/fake/libnvidia-ml.so.1
if command -v ccache >/dev/null; then export CMAKE_C_COMPILER_LAUNCHER=ccache; fi

# As the page has it, but for what the head of this file says.
shortened() {
    case $1 in
    'cmake --preset default -B '*)
        echo "cmake -G Ninja -S '$ACCP_SOURCE_DIR' -DACCPROBE_ARCHES=sm_90 -DCMAKE_BUILD_TYPE=Debug ${1#cmake --preset default }" |
            sed "s|\$(ci/setup)|'$ACCP_NVCC'|" ;;
    'cmake --build build-mine') echo "$1 --target accprobe cubin_mine cubin_clock fake_libcuda fake_libnvml" ;;
    *) printf '%s\n' "$1" ;;
    esac
}
while read -r command; do
    bash -c "$(shortened "$command")" >output 2>&1 </dev/null || broken "success from: $command; $(tail -n5 output)"
    case $command in
    *' list --probe mine') grep -q 'mine.chain21.acc4 .*mine_chain21_acc4_effective4' output || broken "its roles: $(cat output)" ;;
    *' shape --probe mine'*) grep -q '5 roles of sm_90 .*5 NO_GOLDEN' output || broken "laws that hold: $(cat output)" ;;
    *' predict --probe mine') grep -q '^mine.chain21.acc2 *8 ' output || broken "a prediction: $(cat output)" ;;
    'ctest '*) grep -q '100% tests passed, 0 tests failed out of 5' output || broken "five tests: $(cat output)" ;;
    *' record '*) [ -s goldens/measured/sm_90-132sm-140gib-10de.2335/mine.json ] || broken "a golden in the folder: $(cat output)" ;;
    *' gate '*) grep -q 'verdict: PASS' output || broken "a verdict: $(cat output)" ;;
    esac
done <commands
expect 1 '' env ACCP_FAKE_SCALE=mine_chain21_acc2_effective2=1.05 build-mine/accprobe gate --probe mine --golden goldens
grep -q 'FAIL *mine.chain21.acc2.level@4' stdout || broken 'a slower kernel of mine to fail'

# A body that does not do what its row says is found, in the SASS and in the result.
sed -i 's/i < chain; ++i/i < chain - 1; ++i/' mine/mine.cu
cmake --build build-mine --target cubin_mine >log 2>&1 || broken "the changed kernel to build: $(cat log)"
expect 1 '' build-mine/accprobe shape --probe mine --arch sm_90
grep -q 'chain' stdout || broken "the law that is broken: $(cat stdout)"

# Mistakes end the configuration with a line that says which.
refuses() { # refuses WORDS FOLDER
    ! cmake -G Ninja -S "$ACCP_SOURCE_DIR" -B build-refused -DACCPROBE_NVCC="$ACCP_NVCC" -DACCPROBE_EXTRA_PROBES="$scratch/$2" >log 2>&1 ||
        broken "the configuration to fail: $1"
    tr -s ' \n' ' ' <log | grep -F "$1" >/dev/null || broken "the words '$1': $(cat log)"
}
mkdir empty alone taken rowless capital
cp mine/mine.def alone/alone.def
cp mine/mine.def taken/optimal.def && touch taken/optimal.cu
echo '/* nothing */' >rowless/rowless.def && touch rowless/rowless.cu
cp mine/mine.def capital/Mine.def && touch capital/Mine.cu
refuses 'holds no table' empty
refuses 'holds no table' nowhere
refuses 'its kernels are missing' alone
refuses 'choose another name' taken
refuses 'no line that begins with ROLE(' rowless
refuses 'must be of small letters' capital
echo passed
