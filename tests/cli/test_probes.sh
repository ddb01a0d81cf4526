#!/usr/bin/env bash
# Every probe from its recording to its golden, over the fake driver: alone, all in one process, and on a GPU that only
# the document speaks for.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe
goldens=$(dirname "$(ls "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/optimal.json)")
export ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 ACCPROBE_LIBNVML=$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1
export ACCP_FAKE=ok ACCP_FAKE_SCALE=
unset ACCPROBE_REQUIRE_GPU

# gates STATUS WORD OPTIONS...: the gate's exit status, and a word that its output holds.
gates() {
    expect "$1" '' "$accprobe" gate --seed 7 --pending pending "${@:3}"
    grep -qF -e "$2" stdout || broken "the word '$2' in the gate's output: $(cat stdout)"
}

# probe, a kernel of it, the claim that fails when that kernel is 3 % slower
while read -r probe kernel claim; do
    export ACCP_FAKE_RUN=$goldens/$probe.run.json
    expect 0 '' "$accprobe" check "$ACCP_FAKE_RUN"
    grep -q '^verdict: PASS' stdout || broken "the recording of $probe passes: $(cat stdout)"
    gates 0 'verdict: PASS' --probe "$probe"
    ACCP_FAKE_SCALE=$kernel=1.03 gates 1 "$claim" --probe "$probe"
done <<'END'
optimal optimal_chain29_acc2_effective2 optimal.chain29.acc2.level@8
sink sink_chain13_acc4_store_effective4 sink.chain13.acc4.store.level@8
tail tail_chain7_acc3_back_effective3 tail.chain7.acc3.back.level@4
dependency dependency_chain29_acc29_one_effective29 dependency.chain29.acc29.one.level@8
dispatch dispatch_chain29 dispatch.chain29.acc16.level@8
mixed mixed_chain29 mixed.chain29.acc1.level@8
END
[ "$(grep -c '^PROBE(' "$ACCP_SOURCE_DIR/matrix/probes.def")" = "$(find "$goldens" -maxdepth 1 -name "*.run.json" | wc -l)" ] ||
    broken 'a recording of every probe'

# A probe is launched whole, as for its baseline, whatever was asked for of it; the run keeps what was asked for. Only
# --kernel, and protocol seed, which has no levels, run a role alone.
launches() {
    rm -f calls
    ACCP_FAKE_LOG=$PWD/calls expect 0 '' "$accprobe" measure --seed 7 --out run.json "$@"
    grep -c cuLaunchKernel calls
}
for probe in optimal dispatch mixed; do
    export ACCP_FAKE_RUN=$goldens/$probe.run.json
    [ "$(launches --filter "^${probe}[.]chain7[.]acc16\$")" = "$(launches --probe "$probe")" ] || broken "$probe launched whole for one role"
    launches --filter "^${probe}[.]chain7[.]acc16\$" >/dev/null
    [ "$(grep -c '"role"' run.json)" = 2 ] || broken "one role of $probe, at 4 and 8 warps: $(grep -o '"role": "[^"]*"' run.json)"
done
export ACCP_FAKE_RUN=$goldens/optimal.run.json
cubin=$ACCP_BINARY_DIR/cubin/sm_90/optimal.cubin alone=$((2 + 2 + (2 + 30) * 2))
if [ -e "$cubin" ]; then
    [ "$(launches --cubin "$cubin" --kernel optimal_chain7_acc16_effective7)" = $alone ] || broken "two checks, two looks at the clock, and 32 rounds of the kernel and its reference: $(grep -c cuLaunch calls)"
    [ "$(launches --cubin "$cubin" --filter '^optimal[.]chain7[.]acc16$')" = "$(launches --probe optimal)" ] || broken 'the cubin launched whole'
    # A filter takes the kernel's symbol for the role's name, and a kernel that several roles share is each of them.
    for options in "--cubin $cubin" ''; do
        # shellcheck disable=SC2086 # options are words
        expect 0 '' "$accprobe" gate --seed 7 --all $options --filter '^optimal_chain7_acc16_effective7$'
        [ "$(grep -o 'optimal[a-z0-9._]*level@[48]' stdout | sort -u | tr '\n' ' ')" = 'optimal.chain7.acc16.level@4 optimal.chain7.acc16.level@8 ' ] ||
            broken "the role of that kernel, and no other: $(cat stdout)"
    done
    for options in '--filter ^dispatch_chain7$' '--kernel dispatch_chain7'; do
        # shellcheck disable=SC2086 # options are words
        ACCP_FAKE_RUN=$goldens/dispatch.run.json expect 0 '' "$accprobe" measure --cubin "${cubin%/*}/dispatch.cubin" $options --out run.json
        [ "$(grep -c '"role": "dispatch.chain7[.]' run.json)" = 16 ] || broken "eight roles at 4 and 8 warps, from $options: $(cat run.json)"
    done
fi
[ "$(launches --protocol seed --filter '^optimal[.]chain7[.]acc16$')" -lt "$(launches --protocol seed --probe optimal)" ] ||
    broken 'protocol seed launches what was asked for'

# All of them, as the gate goes without --probe.
python3 - "$goldens"/*.run.json >all.json <<'END'
import json, sys
runs = [json.load(open(name)) for name in sys.argv[1:]]
runs[0]["roles"] = [role for run in runs for role in run["roles"]]
json.dump(runs[0], sys.stdout)
END
ACCP_FAKE_RUN=$PWD/all.json gates 0 "$((2 * $("$accprobe" list --format json | grep -c '"role"'))) role levels"
[[ $(head -n1 stdout) == 'verdict: PASS'* ]] || broken "a verdict first: $(head -n3 stdout)"
[ "$(wc -l <stdout)" -le 45 ] || broken "a pass of all probes on a page: $(wc -l <stdout) lines"
grep -q '^tail[.]back  *8 .* acc3 [0-9.]*  *acc3 [0-9.]* 47 PASS$' stdout || broken "a line a family: $(cat stdout)"
! grep -q ORDER_HOLDS stdout || broken 'orders that hold only counted'
expect 0 '' "$accprobe" check --all all.json
[ "$(grep -c '^PASS ' stdout)" -gt 1400 ] || broken "all claims with --all: $(grep -c '^PASS ' stdout)"
ACCP_FAKE_RUN=$PWD/all.json ACCP_FAKE_SCALE=tail_chain7_acc3_back_effective3=1.03 gates 1 'tail.chain7.acc3.back.level@4'
[ "$(grep -c 'cycles per iteration (' stdout)" = 2 ] || broken "tables of what failed, and of nothing else: $(cat stdout)"
[[ $(sed -n '/^verdict  *claim/{n;p}' stdout) == FAIL* ]] || broken 'what failed first in the list'
# What befell very many is a line, and the furthest off of them is named; all of them stand in the other formats, and with --all.
levels=$((2 * $("$accprobe" list --format json | grep -c '"role"')))
ACCP_FAKE_RUN=$PWD/all.json ACCP_FAKE_SCALE='*=1.03,tail_chain7_acc3_back_effective3=1.2' gates 3 'REFERENCE_MOVED'
awk -v levels="$levels" '$1 == "ENVIRONMENT" && $2 >= levels && $3 ~ /^tail[.]chain7[.]acc3[.]back[.]level@/ && $4 ~ /^[+]2/ { found = 1 } END { exit !found }' stdout ||
    broken "a line for $levels levels, with the furthest off: $(cat stdout)"
[ "$(wc -l <stdout)" -le 50 ] || broken "a failure of everything on a page: $(wc -l <stdout) lines"
for options in --all '--format json' '--format markdown'; do
    # shellcheck disable=SC2086 # options are words
    ACCP_FAKE_RUN=$PWD/all.json ACCP_FAKE_SCALE='*=1.03' gates 3 REFERENCE_MOVED $options
    [ "$(grep -c 'level@[48].*REFERENCE_MOVED' stdout)" -ge "$levels" ] || broken "every level with $options: $(grep -c REFERENCE_MOVED stdout)"
done

# On a GPU that has no golden the document's statements are reported, each about the plain series of its probe.
while read -r probe claim; do
    export ACCP_FAKE_RUN=$goldens/$probe.run.json
    ACCP_FAKE=sku=h20 gates 0 "$claim" --probe "$probe"
done <<'END'
tail document.6.1.order.chain7
dependency document.6.2.compare.chain29.acc29_acc1
END

# Each warp of a launch is held against the role that it ran, not only a launch in which all run one.
expect 0 '' env ACCP_FAKE=wrong_case "$accprobe" measure --probe dispatch --out right.json
expect 1 ': computed ' env ACCP_FAKE=wrong_case "$accprobe" measure --probe mixed --out wrong.json
[ ! -e wrong.json ] || broken 'no run of warps that computed wrongly'

# One process measures a role at every number of warps of the occupancy protocol.
expect 0 '' "$accprobe" measure --protocol occupancy --filter '^optimal[.]chain7[.]acc1$' --out occupancy.json
[ "$(grep -c '"role"' occupancy.json)" = 8 ] || broken 'a role at 8 numbers of warps'

# What a probe answers, from its recording or from runs of one's own.
expect 0 '' "$accprobe" explain sink
for words in RECORDED 'from there to acc8' '"the sum in the sink"' 'carried acc'; do
    grep -qF -e "$words" stdout || broken "the words '$words' in: $(cat stdout)"
done
expect 0 '' "$accprobe" explain sink "$goldens/sink.run.json" --format json
python3 -c 'import json, sys; sys.exit(len(json.load(open("stdout"))["rows"]) != 24)' || broken 'a row a step'
! grep -q RECORDED stdout || broken 'runs of one'"'"'s own are no recording'
expect 0 '' "$accprobe" explain optimal occupancy.json "$goldens/occupancy/optimal.run.json" --format markdown ||
    broken 'two processes'
grep -q '^| *29 | *32 |' stdout || broken 'chain 29 at 32 warps'
expect 4 'lacks two chains' "$accprobe" explain optimal occupancy.json
expect 4 'holds no role that explain sink is told by' "$accprobe" explain sink "$goldens/optimal.run.json"
expect 4 'is document: what was measured is explained' "$accprobe" explain optimal "$ACCP_SOURCE_DIR/golden/document/optimal.json"
sed 's/"arch": "sm_90"/"arch": "sm_99"/' "$goldens/sink.run.json" >elsewhere.json
expect 4 'sm_99: no arch is called so; there are: sm_75, ' "$accprobe" explain sink elsewhere.json
[ ! -s stdout ] || broken "nothing on stdout: $(cat stdout)"
sed 's/"sass": "[0-9a-f]*"/"sass": "0123456789abcdef"/' "$goldens/sink.run.json" >other.json
expect 0 '' "$accprobe" explain sink other.json
grep -q 'note: 30 of 30 roles were measured with other SASS' stdout || broken "a note of other SASS: $(cat stdout)"
mkdir -p empty
expect 4 'holds no recording' "$accprobe" explain sink --golden empty
mkdir -p two/measured/one two/measured/other
cp "$goldens/sink.run.json" two/measured/one && cp "$goldens/sink.run.json" two/measured/other
expect 4 'holds 2 recordings measured/*/sink.run.json, one a GPU: name the one' "$accprobe" explain sink --golden two
expect 0 '' "$accprobe" explain sink --golden two two/measured/other/sink.run.json

# What each warp of mixed launches measured stands in the run of every role that was asked for, and is explained. The
# fake driver draws a warp's cycles whatever runs beside it: no order turns round.
export ACCP_FAKE_RUN=$goldens/mixed.run.json
expect 0 '' "$accprobe" measure --seed 1 --filter '^mixed[.]chain7[.]acc[12]$' --out mixed.json
[ "$(grep -c '"by_warp": \[\[0, ' mixed.json)" = 4 ] || broken "each warp of two roles at two loads: $(cat mixed.json)"
[ "$(grep -c '"beside": \[\[[12], ' mixed.json)" = 2 ] || broken 'what ran beside them where two share a scheduler'
expect 0 '' "$accprobe" measure --seed 2 --probe dispatch --out dispatch.json
! grep '"by_warp"' dispatch.json || broken 'warps of mixed launches alone'
expect 0 '' "$accprobe" explain mixed mixed.json "$goldens/optimal.run.json" --format markdown
grep -q '^| *7 | *8 | *2 |' stdout || broken "a row a role and load: $(cat stdout)"
grep -q '^- chain 7, 8 warps: 0 of 1 ordered pairs turn round when mixed; beside one and the same role 0 of 6 comparisons do' stdout ||
    broken "orders: $(cat stdout)"
expect 4 'does not hold what each warp of mixed launches measured' "$accprobe" explain mixed dispatch.json
echo passed
