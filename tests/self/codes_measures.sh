#!/usr/bin/env bash
# Measuring straight codes on the fake driver, where every warp reads the clock every 4 cycles from the end of its delays on; and
# that the template holds the codes that were asked for. usage: codes_measures.sh BUILD
set -euo pipefail
build=$1 template=$1/codes.cubin
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
codes=$scratch/codes.tsv out=$scratch/out.tsv

fail() {
    echo "codes_measures.sh: $*"
    exit 1
}

# refused STATUS TEXT COMMAND...: that exit status, one line on stderr that holds the text, and no recording left behind.
refused() {
    local wanted=$1 text=$2 status=0
    shift 2
    rm -f "$out"
    "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    if [ $status != "$wanted" ] || [ "$(wc -l <"$scratch/err")" != 1 ] || ! grep -qF -- "$text" "$scratch/err"; then
        cat "$scratch"/{out,err}
        fail "exit status $status instead of $wanted, or not one line with '$text'"
    fi
    [ ! -e "$out" ] || fail 'a recording was written all the same'
}

python3 "$(dirname "$0")/codes.py" 1 2 4 >"$codes"
measure=("$build/calibrate_codes" "$codes" --measure "$template" "$out" 1)
"${measure[@]}"
grep -E '^# Measured 20[0-9-]+: NVIDIA H200 \(132 SMs, sm_90, 1980 MHz\), driver 580.159.04-fake; template kernel of ptxas ' "$out" \
    >/dev/null || fail 'the recording does not say where it was measured'
cmp <(grep -v '# Measured' "$codes" | cut -f1-3,6-) <(grep -v -e '# Measured' -e ^timeline "$out" | cut -f1-3,6-) ||
    fail 'the recording does not hold the same codes'
cp "$out" "$scratch/first.tsv"
"${measure[@]}"
cmp "$scratch/first.tsv" "$out" || fail 'the same seed gave other starts'
"$build/calibrate_codes" "$out" --measure "$template" "$scratch/again.tsv" 1
cmp "$out" "$scratch/again.tsv" || fail 'what was measured already is not replaced'
python3 - "$out" <<'END' || fail 'the timelines are not those of the fake driver'
import sys
sets, warps, room = 0, 0, 0
for line in open(sys.argv[1]):
    fields = line.rstrip('\n').split('\t')
    if fields[0] == 'codes':
        starts, distinct, codes = int(fields[3]), int(fields[4]), fields[5:]
        # Delays of 7 bits; less than 7 reads apart, as the first after the quiet ones must not come too soon. The offsets of all but
        # the first warp tell the timelines apart.
        assert room == 0, line
        assert 50 < starts < 3168 and distinct <= starts and (len(codes) > 2 or distinct == 55), line
        sets, room, seen, total = sets + 1, min(24, distinct), set(), 0
        warps = max(warps, len(codes))
    elif fields[0] == 'timeline':
        room -= 1
        first = [int(text.split(' ')[0]) for text in fields[2:]]
        reads = [8 + sum(int((word + '*1').split('*')[1]) for word in code.split() if word.startswith('CLOCK')) for code in codes]
        assert fields[2:] == ['%d 4*%d' % (cycle, count - 1) for cycle, count in zip(first, reads)], line
        assert first[0] == 0 and max(first) - min(first) < 28 and tuple(first) not in seen, line
        seen.add(tuple(first))
assert room == 0 and sets == 14 * 4 + 14 * 2 and warps == 4
END

# A code that is seen to take longer than it can: its starts do not count.
ACCP_FAKE=clock_leap "${measure[@]}"
[ "$(grep -c $'^codes\t.*\t0\t0\t' "$out")" = "$(grep -c ^codes "$codes")" ] || fail 'a clock that leapt was counted'
! grep ^timeline "$out" >/dev/null || fail 'a timeline of a clock that leapt was kept'

for set in 'branch 1' 'quiet 0' 'straight 3' 'random_yield 2' 'branch_3 0' 'kept_random_yield_4 1'; do
    read -r group number <<<"$set"
    "$build/calibrate_codes" "$codes" --patch "$template" "$group" "$number" "$scratch/patched.cubin"
    python3 "$(dirname "$0")/patched_codes.py" "$codes" "$group" "$number" "$scratch/patched.cubin"
done
! python3 "$(dirname "$0")/patched_codes.py" "$codes" branch 0 "$scratch/patched.cubin" 2>/dev/null || fail 'any codes are found in any cubin'

ACCP_FAKE=wrong_results refused 1 'warp 0 of a scheduler says that it ran code 1' "${measure[@]}"
ACCP_FAKE=no_device refused 77 NO_DEVICE "${measure[@]}"
refused 4 'is no seed' "$build/calibrate_codes" "$codes" --measure "$template" "$out" x
refused 4 'cannot open' "$build/calibrate_codes" "$codes" --measure "$scratch/none.cubin" "$out" 1
refused 4 'no kernel' "$build/calibrate_codes" "$codes" --measure "$build/calibration.cubin" "$out" 1
refused 4 'there are no codes 4 of that group' "$build/calibrate_codes" "$codes" --patch "$template" branch 4 "$out"
sed -E '0,/^(codes\tbranch_4\t0\t-\t-)\t.*/s//\1\tCLOCK:1 NOP:1*111\tCLOCK:1 NOP:1*111\tCLOCK:1 NOP:1*111\tCLOCK:1/' "$codes" >"$scratch/long.tsv"
refused 4 'the template has no room for them' "$build/calibrate_codes" "$scratch/long.tsv" --patch "$template" branch_4 0 "$out"
