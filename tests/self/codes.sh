#!/usr/bin/env bash
# What calibrate_codes must not let pass: a timeline that is not what the model says, a group that no bound stands for, and
# recordings that are not of the form; and that what the model itself makes comes out exact. usage: codes.sh CALIBRATE_CODES
set -euo pipefail
calibrate=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
codes=$scratch/codes.tsv bounds=$scratch/bounds.tsv

fail() {
    echo "codes.sh: $*"
    exit 1
}

# refused STATUS TEXT ARGUMENTS...: that exit status, and one line on stderr; the text is in the output.
refused() {
    local wanted=$1 text=$2 status=0
    shift 2
    "$calibrate" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    if [ $status != "$wanted" ] || [ "$(wc -l <"$scratch/err")" != 1 ] || ! cat "$scratch"/{out,err} | grep -F -- "$text" >/dev/null; then
        cat "$scratch"/{out,err}
        fail "exit status $status instead of $wanted, or not one line with '$text'"
    fi
}

# changed SED TEXT [STATUS]: the recording, changed by a sed script, is refused.
changed() {
    sed -E "$1" "$codes" >"$scratch/changed.tsv"
    ! cmp -s "$codes" "$scratch/changed.tsv" || fail "nothing to change for $1"
    refused "${3:-4}" "$2" "$scratch/changed.tsv" --bounds "$bounds"
}

python3 "$(dirname "$0")/codes.py" 1 2 4 >"$scratch/new.tsv"
refused 4 'they have to be measured first' "$scratch/new.tsv"
refused 4 'is no seed' "$scratch/new.tsv" --predict "$codes" 7x
"$calibrate" "$scratch/new.tsv" --predict "$codes" 7
grep '^# Measured never' "$codes" >/dev/null || fail 'what the model made looks like a measurement'

# Of two warps every timeline that the model made, of more some less: the search for what was served does not find all.
"$calibrate" "$codes" >"$scratch/table"
awk -F' *[|] *' 'NR > 2 { print $2 "\t" ($2 ~ /_[34]$/ ? 80 : 100) }' "$scratch/table" >"$bounds"
"$calibrate" "$codes" --bounds "$bounds"

# One read of one timeline in another cycle.
first=$(grep -nm1 ^timeline "$codes" | cut -d: -f1)
read -r later < <(sed -n "${first}s/.* //p" "$codes")
[[ $later == *'*'* ]] || later=$later'*1'
changed "${first}s/ [^ ]*\$/ $((${later%\**} + 1))*${later#*\*}/" 'the bound is 100' 1
"$calibrate" "$scratch/changed.tsv" --differences >"$scratch/out"
[ "$(grep -c 'quiet 0, timeline 0 .*: predicted -1$' "$scratch/out")" = 1 ] || fail 'the difference is not told'
sed '/^quiet\t/d' "$bounds" >"$scratch/fewer.tsv"
refused 1 'no bound stands for it' "$codes" --bounds "$scratch/fewer.tsv"
printf 'nope\t50\n' >"$scratch/fewer.tsv"
refused 4 "no codes are of the group 'nope'" "$codes" --bounds "$scratch/fewer.tsv"
for bound in 101 x nan ''; do
    printf 'quiet\t%s\n' "$bound" >"$scratch/fewer.tsv"
    refused 4 'line 1: needs a group and a share in percent' "$codes" --bounds "$scratch/fewer.tsv"
done

changed '0,/JUMP>[0-9]+:5/s//JUMP>99:5/' 'a branch leaves its code'
changed '0,/NOP:/s//NOX:/' 'no word of that name'
changed '0,/NOP:7/s//NOP:16/' 'wrong control bits'
changed 's/CLOCK:1([ \t])/NOP:1*99\1/' 'too many instructions'
changed '0,/(^codes\t[^\t]*\t[0-9]*\t[^\t]*\t[^\t]*)\t.*/s//\1\tNOP:1\tNOP:1/' 'a code reads the clock'
changed '0,/(^codes\t[^\t]*\t[0-9]*\t[^\t]*\t[^\t]*)\t.*/s//\1\tCLOCK:1*32\tCLOCK:1/' 'too many clock reads'
changed '0,/(^codes\t[^\t]*\t[0-9]*\t[^\t]*\t[^\t]*)\t.*/s//\1\tCLOCK:1/' 'a code for each of 2 to 4 warps'
changed '0,/(^codes\t[^\t]*\t[0-9]*\t[^\t]*\t[^\t]*)\t.*/s//\1\tCLOCK:1\tCLOCK:1\tCLOCK:1\tCLOCK:1\tCLOCK:1/' 'a code for each of 2 to 4 warps'
changed '0,/^codes\tquiet\t0\t24/s//codes\tquiet\t0\tx/' 'its starts and timelines, or -'
changed '0,/^timeline\t1/s//timeline\t0/' 'how often it came'
changed '0,/(^timeline\t.*) [0-9*]+$/s//\1/' "the cycles of each warp's reads"
changed '0,/(^timeline\t.*)$/s//\1 4/' "the cycles of each warp's reads"
changed '0,/(^timeline\t.*)$/s//\1\t4/' 'ends with its last warp'
changed '0,/(^timeline.*)/s//\1\n\1/' 'up to 24 timelines stand behind their codes'
changed '/^codes/d' 'up to 24 timelines stand behind their codes'
changed '/^(codes|timeline)/d' 'no codes'
changed 's/^codes/kodes/' 'a line starts with word, codes or timeline'
sed -E 's/^word\tJUMP.*/&\nword\tBRA\t00000000038000000000000000007947/; 0,/JUMP>[0-9]+:5/s//BRA:5/' "$codes" >"$scratch/changed.tsv"
refused 4 'a branch of a code goes ahead' "$scratch/changed.tsv"
