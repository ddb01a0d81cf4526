#!/usr/bin/env bash
# Measuring the calibration loops on the fake driver, whose every iteration takes 100 cycles and one for each warp; and that a
# loop in the template kernel is the loop that was asked for. usage: calibration_measures.sh BUILD LOOPS
set -euo pipefail
build=$1 loops=$2 template=$1/calibration.cubin
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "calibration_measures.sh: $*"
    exit 1
}

# refused STATUS TEXT COMMAND...: that exit status, one line on stderr that holds the text, and no recording left behind.
refused() {
    local wanted=$1 text=$2 status=0
    shift 2
    rm -f "$scratch/out.tsv"
    "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    if [ $status != "$wanted" ] || [ "$(wc -l <"$scratch/err")" != 1 ] || ! grep -qF -- "$text" "$scratch/err"; then
        cat "$scratch"/{out,err}
        fail "exit status $status instead of $wanted, or not one line with '$text'"
    fi
    [ ! -e "$scratch/out.tsv" ] || fail 'a recording was written all the same'
}

# The loops of every tenth number, every group among them; but of long ones the fake driver runs too few iterations.
awk -F'\t' '$1 != "loop" || ($3 % 10 == 0 && $2 != "long")' "$loops" >"$scratch/loops.tsv"
count=$(grep -c ^loop "$scratch/loops.tsv")
measure=("$build/calibrate" "$scratch/loops.tsv" --measure "$template" "$scratch/out.tsv" 1)

"${measure[@]}"
[ "$(awk -F'\t' '$1 == "loop" && $5 == 104 && $6 == 108 && $7 == 112 && $8 == 116 && $9 == 132' "$scratch/out.tsv" |
    wc -l)" = "$count" ] || fail 'not every loop took 100 cycles and one for each warp'
grep -qE '^# Measured 20[0-9-]+: NVIDIA H200 \(132 SMs, sm_90, 1980 MHz\), driver 580.159.04-fake; template kernel of ptxas ' \
    "$scratch/out.tsv" || fail 'the recording does not say where it was measured'
cmp <(cut -f1-4,10 "$scratch/loops.tsv" | grep -v '# Measured') <(cut -f1-4,10 "$scratch/out.tsv" | grep -v '# Measured') ||
    fail 'the recording does not hold the same loops'
"$build/calibrate" "$scratch/out.tsv" --against "$scratch/out.tsv" | grep -F "| 4 | $count | 0 | $count |" >/dev/null ||
    fail 'a recording does not agree with itself'
sed 's/\t104\t108\t/\t104\t110\t/' "$scratch/out.tsv" >"$scratch/other.tsv"
"$build/calibrate" "$scratch/out.tsv" --against "$scratch/other.tsv" | grep -F "| 8 | $count | 0 | 0 | 0 | $count | 1.852 |" >/dev/null ||
    fail 'a difference of 2 cycles in 108 is not shown'

# A phase as short as an iteration, as compute-sanitizer wants it: a loop of it all the same, and another number of iterations.
"${measure[@]}" 1
cut -f5 "$scratch/out.tsv" | grep -x 104 >/dev/null || fail 'a short phase was not measured'
for cycles in 0 40001 9x ''; do refused 4 'must be a number of cycles up to 40000' "${measure[@]}" "$cycles"; done

# A warp that ran alone for a while: nothing is said of the loads at which its scheduler has others.
ACCP_FAKE=clock_leap "${measure[@]}"
[ "$(awk -F'\t' '$1 == "loop" && $6 $7 $8 $9 == "----"' "$scratch/out.tsv" | wc -l)" = "$count" ] ||
    fail 'a warp without company was counted'

# What the model says of the patched kernel is what it says of the loop by itself.
for loop in 'ffma_reuse_yield 10' 'chain 30' 'scoreboards 20' 'mixed_yield 0'; do
    read -r group number <<<"$loop"
    "$build/calibrate" "$loops" --patch "$template" "$group" "$number" "$scratch/patched.cubin"
    awk -F'\t' -v group="$group" -v number="$number" '$1 != "loop" || ($2 == group && $3 == number)' "$loops" >"$scratch/one.tsv"
    cycles=$("$build/accprobe" predict --cubin "$scratch/patched.cubin" --warps 4 --format json |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["roles"][0]["cycles"]["mean"])')
    sed -E "s/^(loop\t$group\t$number\t[0-7])\t[^\t]*/\1\t$cycles/" "$scratch/one.tsv" >"$scratch/alone.tsv"
    "$build/calibrate" "$scratch/alone.tsv" | grep -F "| $group | 4 | 1 | 1 | 0.0" >/dev/null ||
        fail "loop $number of $group is predicted otherwise in the template, where it takes $cycles cycles"
done

# What a branch inside skips in every iteration has no cycles, and the rest adds up to the iteration.
"$build/calibrate" "$loops" --patch "$template" jump 6 "$scratch/patched.cubin"
"$build/accprobe" explain --cubin "$scratch/patched.cubin" --warps 4 --format json >"$scratch/explained.json"
"$build/accprobe" explain --cubin "$scratch/patched.cubin" --warps 4 >"$scratch/explained"
python3 - "$scratch/explained.json" <<'END' || fail 'five instructions are skipped and cost nothing'
import json, sys
answer = json.load(open(sys.argv[1]))
skipped = [row for row in answer["instructions"] if row.get("skipped")]
assert len(skipped) == 5 and not any(sum(row["cycles"].values()) for row in skipped), skipped
total = sum(sum(row["cycles"].values()) for row in answer["instructions"])
assert abs(total - answer["cycles"]["mean"]) < 1e-6, total
END
[ "$(grep -cE '^ *0x[0-9a-f]+ .{16} +- ' "$scratch/explained")" = 5 ] || fail 'five instructions are marked as skipped'

# New loops are of the same form, and find room in the template.
python3 "$(dirname "$0")/calibration_loops.py" "$loops" 1 3 >"$scratch/fresh.tsv"
"$build/calibrate" "$scratch/fresh.tsv" --measure "$template" "$scratch/out.tsv" 1
[ "$(awk -F'\t' '$1 == "loop" && $5 == 104' "$scratch/out.tsv" | wc -l)" = $((22 * 3)) ] || fail 'not every new loop was measured'

ACCP_FAKE=wrong_results refused 1 'left 1 of its counter in warp 0' "${measure[@]}"
ACCP_FAKE=no_device refused 77 NO_DEVICE "${measure[@]}"
refused 4 'cannot open' "$build/calibrate" "$loops" --measure "$scratch/none.cubin" "$scratch/out.tsv" 1
refused 4 "no kernel" "$build/calibrate" "$loops" --measure "$build/cubin/sm_90/clock.cubin" "$scratch/out.tsv" 1
refused 4 'there is no loop 3 of that group' "$build/calibrate" "$loops" --patch "$template" nop 3 "$scratch/out.tsv"
# What the template cannot spare: a uniform register of its own, and registers that it does not have.
for wrong in 'UIADD3/061e013f UR.or.P.6,.which.the.template.still.needs' 'FFMA/3e202020 names.R62,.and.the.template.has.62'; do
    read -r instruction text <<<"$wrong"
    sed "0,/NOP:8 /s,,$instruction:8 ," "$loops" >"$scratch/wrong.tsv"
    refused 4 "${text//./ }" "$build/calibrate" "$scratch/wrong.tsv" --patch "$template" nop 0 "$scratch/out.tsv"
done
