#!/usr/bin/env bash
# ci/bisect: its answers to git, a search over the commits of a tiny repository, and one over the compilers of the recorded
# sweep.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
bisect=$ACCP_SOURCE_DIR/ci/bisect accprobe=$ACCP_BINARY_DIR/accprobe
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.org GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.org

# answers STATUS ARGUMENTS...
answers() {
    local status=$1 got=0
    shift
    bash "$bisect" step "$@" >/dev/null 2>&1 || got=$?
    [ $got = "$status" ] || broken "the answer $status, not $got, to: $*"
}
for pair in 0:0 1:1 2:1 3:125 4:125 77:125 127:125 139:125; do
    answers "${pair#*:}" -- sh -c "exit ${pair%:*}"
done
answers 0 --change good -- sh -c 'exit 2'
answers 1 --change good -- sh -c 'exit 1'
answers 125 --build 'exit 1' -- true
answers 0 --build true -- true

# Eight commits of a kernel with a chain of 7 over 2 accumulators. The fourth does not compile; the sixth loses a link, which
# the law of the role finds, and so no baseline is needed.
if [ -x "${ACCP_NVCC:-}" ]; then
    mkdir tiny && cd tiny && git init -q .
    cp "$ACCP_SOURCE_DIR/kernels/optimal.cu" kernel.cu
    sed -i 's/#include "optimal.def"/ROLE(chain7_acc2, 7, 2, 2, FULL, ROUND_ROBIN)/' kernel.cu
    cp "$ACCP_SOURCE_DIR/kernels/iteration.cuh" .
    for i in 1 2 3 4 5 6 7 8; do
        echo "// $i" >>kernel.cu
        if [ $i = 4 ]; then echo 'does not compile' >>kernel.cu; fi
        if [ $i = 5 ]; then sed -i '/does not compile/d' kernel.cu; fi
        if [ $i = 6 ]; then sed -i 's/for (int i = 0; i < chain; ++i)/for (int i = 0; i < chain - 1; ++i)/' iteration.cuh; fi
        git add -A && git commit -q -m "commit $i" && git tag "c$i"
    done
    build="'$ACCP_NVCC' -arch=sm_90 -cubin -I. -I'$ACCP_SOURCE_DIR/kernels' -I'$ACCP_SOURCE_DIR/matrix' -o kernel.cubin kernel.cu"
    before=$(git rev-parse HEAD) branch=$(git branch --show-current)
    expect 0 '' bash "$bisect" commits c1 c8 --build "$build" -- "$accprobe" shape --cubin kernel.cubin
    grep -q '^first bad commit: .* commit 6$' ../stdout || broken "the sixth commit: $(cat ../stdout)"
    [ "$(git rev-parse HEAD) $(git branch --show-current)" = "$before $branch" ] || broken 'the repository as it was'

    # Nothing but commits that cannot be tested is left: that is said, and no commit is accused.
    expect 1 'not found' bash "$bisect" commits c3 c8 --build "$build && false" -- "$accprobe" shape --cubin kernel.cubin
    echo changed >>kernel.cu
    expect 4 'are in no commit' bash "$bisect" commits c1 c8 -- true
    git checkout -q kernel.cu
    expect 4 'git bisect start' bash "$bisect" commits c1 nothing -- true
    cd "$scratch" || exit 1
else
    echo 'left out: no nvcc'
fi

# Over the compilers of the recorded sweep, whose shapes stand in golden/: the first that made another loop of a role.
cd "$ACCP_SOURCE_DIR" || exit 1
mapfile -t versions < <(find golden/shape/sm_90 -maxdepth 1 -name '[0-9]*.json' -printf '%f\n' | sed 's/[.]json$//' | sort -V)
for case in '12.3.107 13.5.37 chain29[.]acc2' '12.3.107 13.5.37 chain29[.]acc4' '12.4.99 13.0.88 chain13[.]acc8'; do
    read -r good bad role <<<"$case"
    ask=("$accprobe" diff --filter "^optimal[.]$role\$" "golden/shape/sm_90/$good.json")
    # The answer by going through them all, which is what the search saves.
    expected=''
    for version in "${versions[@]}"; do
        [ "$(printf '%s\n%s\n' "$good" "$version" | sort -V | head -n1)" = "$good" ] || continue
        if [ -z "$expected" ] && ! "${ask[@]}" "golden/shape/sm_90/$version.json" >/dev/null; then expected=$version; fi
    done
    [ -n "$expected" ] || broken "a compiler that changed $role"
    expect 0 '' bash "$bisect" compilers "$good" "$bad" --versions "${versions[*]}" \
        --compile "ln -sf ${PWD@Q}/golden/shape/sm_90/{version}.json {out}" -- "${ask[@]}" '{out}'
    grep -q "^first bad commit: compiler $expected\$" "$scratch/stdout" || broken "compiler $expected for $role: $(cat "$scratch/stdout")"
    [ "$(grep -c '^\(good\|bad\|skip\):' "$scratch/stdout")" -le 8 ] || broken 'a search, not a walk'
done
expect 4 'is none of the compilers' bash "$bisect" compilers 12.3.107 99.0 -- true
expect 4 'needs two points' bash "$bisect" compilers 12.3.107 -- true
expect 4 'nothing to ask' bash "$bisect" commits a b
expect 4 'what over' bash "$bisect" weeks a b -- true
expect 4 'it is good or bad' bash "$bisect" commits a b --change ugly -- true
echo passed
