#!/usr/bin/env bash
# What a newcomer types: the quick start of the README, and every command of the pages below with what it prints.
# To write a page anew after a change that is meant: python3 tests/cli/console.py docs/tutorial.md --update
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
for name in "$ACCP_SOURCE_DIR"/*; do
    if [[ $name != */build* ]]; then ln -s "$name" .; fi
done
ln -s "$ACCP_BINARY_DIR" build
for page in docs/tutorial.md docs/recipes/README.md; do
    python3 tests/cli/console.py $page >differences 2>&1 || broken "what $page says: $(cat differences)"
done

# The quick start, on cubins of two compilers; its two scripts are there, and other tests run them.
# shellcheck disable=SC2016 # the quotes are of Markdown
sed -n '/^## Quick start$/,/^## /p' README.md | sed -n '/^```$/,/^```$/p' | grep -v '^```' >quick_start
[ "$(wc -l <quick_start)" = 6 ] || broken "a quick start of six lines: $(cat quick_start)"
cp tests/data/sass/clock_around.sm_90.12.4.cubin old.cubin
cp tests/data/sass/clock_around.sm_90.13.0.cubin new.cubin
cat >mine.cu <<'END'
extern "C" __global__ void mine(float *x, int n)
{
    for (int i = 0; i < n; ++i)
        x[threadIdx.x] = fmaf(x[threadIdx.x], 0.5f, 1.0f);
}
END
# shellcheck disable=SC2016 # the words of the page
while read -r line; do
    case $line in
    'git clone '*) ;;
    '$(ci/setup) '*) expect 0 '' bash -c "${line/'$(ci/setup)'/\"\$ACCP_NVCC\"}" ;;
    ci/*) [ -x "${line%% *}" ] || broken "the script ${line%% *}" ;;
    *' diff '*) expect 2 '' bash -c "$line" ;;
    *) expect 0 '' bash -c "$line" ;;
    esac
done <quick_start

# The failure that the README shows is what the gate prints today: its words, its counts, and figures in their places.
# The figures themselves hang on the seed.
ACCPROBE_LIBCUDA=$PWD/build/fake/libcuda.so.1 ACCPROBE_LIBNVML=$PWD/build/fake/libnvidia-ml.so.1 ACCP_FAKE=ok \
    ACCP_FAKE_RUN=$(ls golden/measured/sm_90-132sm-*/optimal.run.json) ACCP_FAKE_SCALE=optimal_chain29_acc2_effective2=1.03 \
    build/accprobe gate --seed 1 --filter '^optimal[.]chain29' >printed
if grep -q '^measured: .* ptxas 13[.]0[.]88,' printed; then
    sed -n '/^verdict: /,/^```$/p' README.md | grep -v '^```' >shown
    python3 - <<'END' || broken "what the README shows: $(cat printed)"
import re
def bare(line):
    if not line.startswith(("measured", "golden", "verdict: ", "repeat")):
        line = re.sub(r"-?[0-9]+[.][0-9]+|(?<= )-?[0-9]+(?= )", "#", line)
    return re.sub(" +", " ", line.strip())
shown, printed = ([bare(line) for line in open(name)] for name in ("shown", "printed"))
assert len(shown) == len(printed), (len(shown), len(printed))
for ours, theirs in zip(shown, printed):
    assert theirs.startswith(ours[:-4]) if ours.endswith(" ...") else theirs == ours, (ours, theirs)
END
fi

# Every file that the README and the pages of docs/ point to is there.
for page in README.md CONTRIBUTING.md docs/*.md docs/recipes/README.md golden/README.md; do
    { grep -oE '\]\([^)#:]+[)#]' "$page" || true; } | sed 's/^](//; s/[)#]$//' | while read -r target; do
        [ -e "$(dirname "$page")/$target" ] || broken "$target, to which $page points"
    done || exit 1
done
echo passed
