#!/usr/bin/env bash
# The arithmetic of the peak map (ci/peaks.py): what counts as the peak, as a miss, as an order.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
peaks() { python3 "$ACCP_SOURCE_DIR/ci/peaks.py" "$@"; }

# What is no verb, or with other operands than it takes, is said in one line.
for arguments in '' nope gather best 'spread a b' 'judge a'; do
    read -ra words <<<"$arguments"
    expect 4 "peaks.py: takes gather RUN.json..., spread, best or points TABLE, or missed or judge PREDICTED MEASURED, not '$arguments'" peaks "${words[@]}"
done

# Two chains at two numbers of warps; measured, acc2 is best at chain 8, but at 16 warps acc3 is 0.5 % behind.
printf '# H200\nchain\tacc\t4\t16\n8\t1\t100\t300\n8\t2\t80\t200\n8\t3\t90\t201\n9\t1\t100\t100\n9\t2\t101\t90\n' >measured.tsv
# Predicted, it is acc3 at 16 warps, acc1 where acc2 is 10 % faster, and the rest as measured.
printf 'chain\tacc\t4\t16\n8\t1\t100\t300\n8\t2\t80\t205\n8\t3\t90\t204\n9\t1\t100\t89\n9\t2\t101\t90\n' >predicted.tsv

[ "$(peaks best measured.tsv | tr '\t\n' ' ,')" = 'chain 4 16,8 2 2,9 1 2,' ] || broken "peaks: $(peaks best measured.tsv)"
[ "$(peaks points predicted.tsv | tr '\n' ,)" = '8 1 2,8 2 3,9 1 1,9 2 1,' ] || broken "points: $(peaks points predicted.tsv)"
[ "$(peaks missed predicted.tsv measured.tsv)" = '9 2 1' ] || broken "one miss, 11 % slower: $(peaks missed predicted.tsv measured.tsv)"
peaks judge predicted.tsv measured.tsv >table
# Pairs more than 2 % apart: at 4 warps three of chain 8; at 16 two of chain 8, and one of chain 9 that is predicted the wrong way.
grep -qF '| 4 | 2 | 2 | 2 | 0.00 % | 0.0 % | 100.00 % of 3 | 0.00 % | 1 (acc2) |' table || broken "4 warps: $(cat table)"
grep -qF '| 16 | 2 | 0 | 1 | 5.81 % | 11.1 % | 66.67 % of 3 |' table || broken "16 warps: $(cat table)"
grep -qF '| all | 4 | 2 | 3 |' table || broken "all: $(cat table)"

# Runs of several processes become one table.
for cycles in 10 12; do
    printf '{"roles": [{"kernel": "map_chain8_acc2", "warps": 4, "cycles": {"mean": %s}}]}\n' $cycles >run-$cycles.json
done
[ "$(peaks gather run-10.json run-12.json | tail -1)" = "$(printf '8\t2\t11')" ] || broken 'a mean over processes'

# Between multiples of four warps some schedulers have one more: 5 warps are one scheduler with 2 and three with 1.
printf 'chain\tacc\t4\t8\n8\t2\t100\t140\n' >multiples.tsv
[ "$(peaks spread multiples.tsv | tail -1 | tr '\t' ' ')" = '8 2 100 100 100 100 116 126.667 134.286 140' ] ||
    broken "every number of warps: $(peaks spread multiples.tsv)"

# What was recorded is whole: 3 to 64 links, each with 1 to 16 accumulators or as many as it has links.
peaks best "$ACCP_SOURCE_DIR/docs/peaks/measured.tsv" >matrix
[ "$(wc -l <matrix)" = 63 ] || broken '62 chains'
[ "$(grep -vc '^[#c]' "$ACCP_SOURCE_DIR/docs/peaks/measured.tsv")" = 901 ] || broken '901 kernels'
echo passed
