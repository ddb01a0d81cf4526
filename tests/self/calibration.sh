#!/usr/bin/env bash
# What calibrate must not let pass: a loop whose cycles are not what the model says, a group that no bound stands for, and
# recordings that are not of the form. usage: calibration.sh CALIBRATE FOLDER
set -euo pipefail
calibrate=$1 loops=$2/loops.tsv bounds=$2/bounds.tsv
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# refused STATUS TEXT LOOPS BOUNDS: that exit status, and one line on stderr that holds the text.
refused() {
    local status=0
    "$calibrate" "$3" --bounds "$4" >"$scratch/out" 2>"$scratch/err" || status=$?
    if [ $status != "$1" ] || [ "$(wc -l <"$scratch/err")" != 1 ] || ! cat "$scratch"/{out,err} | grep -F -- "$2" >/dev/null; then
        echo "calibration.sh: exit status $status instead of $1, or not one line with '$2':"
        cat "$scratch"/{out,err}
        exit 1
    fi
}

# changed SED TEXT: the recording, changed by a sed script, is refused.
changed() {
    sed "$1" "$loops" >"$scratch/loops.tsv"
    if cmp -s "$loops" "$scratch/loops.tsv"; then
        echo "calibration.sh: nothing to change for $1"
        exit 1
    fi
    refused "${3:-4}" "$2" "$scratch/loops.tsv" "$bounds"
}

changed '/^loop\tnop\t8\t/s/\t65\t/\t66\t/' 'nop, 4 warps: mean error' 1
sed '/^nop\t8\t/d' "$bounds" >"$scratch/bounds.tsv"
refused 1 'no bound stands for it' "$loops" "$scratch/bounds.tsv"
echo $'nope\t4\t1\t1' >"$scratch/bounds.tsv"
refused 4 "no loop is of the group 'nope'" "$loops" "$scratch/bounds.tsv"
echo $'nop\t7\t1\t1' >"$scratch/bounds.tsv"
refused 4 'line 1: no loop was measured at 7 warps' "$loops" "$scratch/bounds.tsv"
changed 's/^loop\tnop\t0\t6/loop\tnop\t0\t8/' 'a position of 0 to 7'
changed '0,/NOP:8/s//NOP:16/' 'wrong control bits'
changed '0,/NOP:8/s//NOX:8/' 'no word of that name'
changed '0,/NOP:8/s//NOP:8*1001/' 'wrong end'
changed '0,/NOP:8/s//NOP:8*999/' 'too many instructions at'
changed '0,/NOP:8/s//JUMP>0:8/' 'a branch goes 1 instruction ahead or more'
changed '0,/NOP:8/s//JUMP>99:8/' 'a branch leaves the loop'
changed '0,/194.32/s//nan/' 'cycles are a number'
changed '0,/ BRA:5$/s///' 'no branch back'
changed '/^loop/d' 'no loop'
