#!/usr/bin/env bash
# accprobe shape and record: strangers' cubins, golden shapes from the first to the drift, and everything that is no cubin.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe
data=$ACCP_SOURCE_DIR/tests/data/sass
cp "$data"/*.cubin .
mkdir golden
shape() { "$accprobe" shape --golden golden "$@"; }
shows() { grep -qF -e "$1" stdout || broken "'$1' in: $(cat stdout)"; }

# bad STATUS WORDS COMMAND...: one line, and nothing on stdout.
bad() {
    expect "$@"
    [ ! -s stdout ] || broken "nothing on stdout: $(cat stdout)"
}

# A stranger's kernel is shaped and judged by nothing; any arch, any compiler since 11.8.
for cubin in loop_jump.sm_80.11.8 loop_branch.sm_90.13.0 loop_branch.sm_120.13.0 chain_packed.sm_100.13.0; do
    expect 0 '' shape --cubin $cubin.cubin
    shows 'nothing to judge'
done
grep -q '^packed  *16  *4 ' stdout || broken 'FFMA2 counted as two FMAs and two accumulators'
expect 0 '' shape --cubin clock_around.sm_75.13.0.cubin
shows 'verdict: NO_GOLDEN'
shows 'laws only'

# The laws need no golden.
for law in 'folded:law chain: ' 'split:law contraction' 'unread:law chain: '; do
    expect 1 '' shape --cubin "chain_${law%%:*}.sm_90.13.0.cubin"
    shows "${law#*:}"
done
expect 1 '' shape --cubin clock_hoisted.sm_90.13.0.cubin
shows 'stand outside, the first at 0x'

# What to type to accept it names the probe that was asked for.
if [ -e "$ACCP_BINARY_DIR/cubin/sm_90/optimal.cubin" ]; then
    expect 0 '' shape --arch sm_90 --probe optimal
    shows 'accept: accprobe shape --arch sm_90 --probe optimal --out shape.json; accprobe record shape.json'
fi

# So it does the build of a compiler that writes its release alone, the golden folder and whatever the cubin is called.
cp clock_around.sm_90.12.4.cubin 'a b.cubin'
expect 0 '' shape --cubin 'a b.cubin'
shows "accept: accprobe shape --cubin 'a b.cubin' --compiler 12.4.BUILD --out shape.json; accprobe record shape.json --reason TEXT --golden golden"

# Several loops, nested ones and none.
expect 0 '' shape --cubin loops.sm_90.13.0.cubin
shows '2 kernels without a hot loop left out'
bad 4 'has no loop' shape --cubin loops.sm_90.13.0.cubin --kernel loop_none
bad 4 'choose one with --loop: 0x' shape --cubin loops.sm_90.13.0.cubin --kernel loop_several
address=$(sed -n 's/.*--loop: \(0x[0-9a-f]*\).*/\1/p' stderr)
expect 0 '' shape --cubin loops.sm_90.13.0.cubin --kernel loop_several --loop "$address"
shows "$address"
bad 4 'has no loop at 0x10' shape --cubin loops.sm_90.13.0.cubin --kernel loop_several --loop 16
bad 4 'must be a whole number' shape --cubin loops.sm_90.13.0.cubin --loop head
bad 4 'kernel' shape --cubin loops.sm_90.13.0.cubin --kernel loop_absent

# What is no cubin, or is not whole.
printf 'not an ELF' >text
bad 4 'is not an ELF file' shape --cubin text
: >empty
bad 4 'is empty' shape --cubin empty
bad 4 'cannot open' shape --cubin absent
bad 4 'not a regular file' shape --cubin .
bad 4 'is an ELF file for machine' shape --cubin "$(readlink -f /proc/self/exe)"
printf '\120\355\125\272\1\0\20\0' >fatbin && head -c 4096 /dev/zero >>fatbin
bad 4 'cuobjdump -xelf all' shape --cubin fatbin
cubin=clock_around.sm_90.13.0.cubin
for bytes in 20 63 64 200 1000 $(($(stat -c %s $cubin) - 1)); do
    head -c "$bytes" $cubin >cut.cubin
    bad 4 'cut' shape --cubin cut.cubin
done
python3 - $cubin <<'END'
import struct, sys
for name, place, form, value in (("sectionless", 40, "<Q", 0), ("huge", 40, "<Q", 1 << 62)):
    data = bytearray(open(sys.argv[1], "rb").read())
    struct.pack_into(form, data, place, value)
    open(name, "wb").write(data)
data = bytearray(open(sys.argv[1], "rb").read())
table, = struct.unpack_from("<Q", data, 40)
for i in range(1, struct.unpack_from("<H", data, 60)[0]):  # the size of every section
    struct.pack_into("<Q", data, table + 64 * i + 32, 2 << 30)
open("gigabytes", "wb").write(data)
data = bytearray(open(sys.argv[1], "rb").read())
for i in range(1, struct.unpack_from("<H", data, 60)[0]):  # a symbol table is none any more
    if struct.unpack_from("<I", data, table + 64 * i + 4)[0] == 2:
        struct.pack_into("<I", data, table + 64 * i + 4, 0)
open("stripped.cubin", "wb").write(data)
END
bad 4 'has no section table' shape --cubin sectionless
expect 0 '' shape --cubin $cubin --format json
cp stdout whole.json
expect 0 '' shape --cubin stripped.cubin --format json
cmp -s stdout whole.json || broken 'the same answer without symbols, from the names of the sections'
bad 4 'is truncated' shape --cubin huge
bad 4 'would hold 2147483648 bytes' shape --cubin gigabytes

# What a person in a hurry does wrong.
bad 4 'sm_42: no arch is called so; there are: sm_75, ' shape --arch sm_42
bad 4 'names a kernel of --cubin' shape --arch sm_90 --kernel optimal_chain29_acc4_effective4
bad 4 'is code for sm_90' shape --cubin $cubin --arch sm_80
bad 4 'the cubin says that it was compiled by 13.0.88' shape --cubin $cubin --compiler 12.4.131
bad 4 'must be a version' shape --cubin $cubin --compiler latest
bad 4 'must be a version' shape --cubin $cubin --compiler 13.0.88-clang
bad 4 'not an option of shape' shape --device 0
bad 4 'cannot write' shape --cubin $cubin --out /nonexistent/shape.json
bad 4 'is not a folder' "$accprobe" shape --cubin $cubin --golden /nonexistent

# Goldens: recorded, found by version, or by release where the cubin says no more; a DRIFT names the first instruction.
git init -q . && git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m test
record() { "$accprobe" record --golden golden --reason test "$@"; }
expect 0 '' shape --cubin $cubin --out shape.json
expect 0 '' record shape.json
shows '1 golden written'
cp golden/shape/sm_90/13.0.88.json kept.json && cp golden/shape/sm_90/loops.json kept-loops.json
expect 0 '' record shape.json
shows '1 unchanged'
cmp -s golden/shape/sm_90/13.0.88.json kept.json || broken 'the golden as it was'
expect 0 '' shape --cubin $cubin
shows 'verdict: PASS'
old=clock_around.sm_90.12.4.cubin
expect 0 '' shape --cubin $old --out old.json
bad 4 'is a release, not a build' record old.json
expect 0 '' shape --cubin $old --compiler 12.4.131 --out old.json
expect 0 '' record old.json
expect 0 '' shape --cubin $old
shows 'golden shape: sm_90/12.4.131'
sed 's/12\.4\.131/13.0.88/' old.json >other.json
python3 -c 'import json; s = json.load(open("other.json")); del s["listings"]; json.dump(s, open("bare-other.json", "w"))'
rm golden/shape/sm_90/13.0.88.json
expect 0 '' record other.json
expect 2 '' shape --cubin $cubin
shows 'verdict: DRIFT'
shows 'instruction 1 of the loop: '

# A link to what is not there is no golden that was never made.
for link in sm_90 sm_90/13.0.88.json sm_90/loops.json; do
    mv golden/shape/$link kept && ln -s /nonexistent/golden golden/shape/$link
    bad 4 "golden/shape/$link" shape --cubin $cubin
    rm golden/shape/$link && mv kept golden/shape/$link
done

# Without listings a difference is found and not named.
cp -r golden whole && rm -r golden/shape/sm_90/*
expect 0 '' record --hashes bare-other.json
[ ! -e golden/shape/sm_90/loops.json ] || broken 'no listings'
expect 2 '' shape --cubin $cubin
! grep -q 'instruction 1 of the loop' stdout || broken 'no name for what no listing shows'
shows 'another hot loop, and no listing on record to say where it begins to differ'

# Listings that are written and then lack their golden, for which there is no room, are taken back.
sed 's/"registers": [0-9]*/"registers": 99/' other.json >one.json
cp -r golden kept-golden
expect 0 '' record one.json
room=$(($(stat -c %s golden/shape/sm_90/13.0.88.json) - 1))
[ "$(stat -c %s golden/shape/sm_90/loops.json)" -le $room ] || broken 'listings that are smaller than their golden'
rm -r golden && mv kept-golden golden && cp golden/shape/sm_90/13.0.88.json kept-13.json
bad 4 'cannot write, it is as it was' prlimit --fsize=$room "$accprobe" record --golden golden --reason test one.json
[ "$(ls golden/shape/sm_90)" = 13.0.88.json ] || broken "no listings without their golden: $(ls golden/shape/sm_90)"
cmp -s golden/shape/sm_90/13.0.88.json kept-13.json || broken 'the golden as it was'

# Listings that come later are added to a golden that stays as it is.
cp golden/shape/sm_90/13.0.88.json bare-golden.json
expect 0 '' record other.json
shows '1 unchanged (0 kernels changed, 1 loop new)'
cmp -s golden/shape/sm_90/13.0.88.json bare-golden.json || broken 'the golden as it was, with listings now'
expect 2 '' shape --cubin $cubin
shows 'instruction 1 of the loop'
! grep -q 'no listing on record' stdout || broken 'a listing on record'

# NVRTC's own golden of a version answers beside that of its nvcc, and the answer names it.
own=golden/shape/sm_90/13.0.88-nvrtc.json
sed 's/13\.0\.88/13.0.88-nvrtc/' shape.json >front.json
expect 0 '' record front.json
expect 0 '' shape --cubin $cubin
shows ': 1 PASS; golden shape: sm_90/13.0.88-nvrtc'
expect 0 '' shape --cubin $cubin --compiler 13.0.88-nvrtc
expect 2 '' "$accprobe" diff golden/shape/sm_90/13.0.88.json $own
sed -i 's/13[.]0[.]88-nvrtc/13.0.88/' $own
bad 4 'which belong into shape/sm_90/13.0.88.json' shape --cubin $cubin
rm $own
expect 2 '' shape --cubin $cubin

# A release that made the code of another one names it; before that one's golden changes, it gets rows of its own.
alias=golden/shape/sm_90/13.0.99.json
sed 's/13\.0\.88/13.0.77/' shape.json >same.json && sed 's/13\.0\.88/13.0.99/' shape.json >later.json
expect 0 '' record same.json later.json
grep -q '"as": "13.0.77"' $alias || broken "a name for 13.0.77's rows: $(cat $alias)"
expect 0 '' "$accprobe" diff $alias golden/shape/sm_90/13.0.77.json
shows '1 identical'
sed 's/13\.0\.88/13.0.77/' other.json >same.json
expect 0 '' record same.json
grep -q '"rows"' $alias || broken "rows of its own: $(cat $alias)"
expect 2 '' "$accprobe" diff $alias golden/shape/sm_90/13.0.77.json
expect 0 '' record later.json
sed -i 's/"columns.*/"as": "13.0.55"}/; /^ "rows"/,$d' $alias
bad 4 'has the rows of 13.0.55.json, which is not beside it' "$accprobe" diff $alias $alias
sed -i 's/13[.]0[.]55/13.0.99/' $alias
bad 4 'is no golden of sm_90 by 13.0.99 with rows of its own' "$accprobe" diff $alias $alias
rm -r golden && mv whole golden

# git is asked in the folder of the goldens, whatever that is called, and knows no checkout outside one.
quoted="gold'en \$(touch pwned)"
mkdir "$quoted"
expect 0 '' "$accprobe" record --golden "$quoted" --reason test shape.json
shows '1 golden written'
[ ! -e pwned ] || broken 'the name of a folder taken for no command'
mkdir $'g\e[31m'
expect 0 '' "$accprobe" record --golden $'g\e[31m' --reason test shape.json
grep -F 'g?[31m/shape: 1 golden written' stdout >/dev/null || broken "the folder's name without its escape: $(cat stdout)"
outside=$(mktemp -d)
GIT_CEILING_DIRECTORIES=$(dirname "$outside") bad 4 'git knows no checkout of yours where the goldens are to lie' "$accprobe" record --golden "$outside" --reason test shape.json
rmdir "$outside"

# What record refuses leaves every golden as it was.
find golden -type f -exec md5sum {} + | sort >sums
expect 1 '' shape --cubin chain_folded.sm_90.13.0.cubin --out broken.json
bad 4 'a law is broken' record broken.json
bad 4 '--broken is for shape files' record --broken "$(ls "$ACCP_SOURCE_DIR"/golden/measured/*/optimal.run.json)"
bad 4 '--hashes leaves the listings out of shape files' record --hashes "$(ls "$ACCP_SOURCE_DIR"/golden/measured/*/optimal.run.json)"
expect 0 '' shape --cubin loop_branch.sm_90.13.0.cubin --out stranger.json
bad 4 'is of no role' record stranger.json
bad 4 'a law is broken' record shape.json broken.json
python3 -c 'import json; s = json.load(open("shape.json")); del s["listings"]; json.dump(s, open("bare.json", "w"))'
bad 4 'the listing of its hot loop is missing' record bare.json
sed 's/\[1 w7/[2 w7/' shape.json >edited.json
bad 4 'not what was recorded' record edited.json
bad 4 'of another kind' record shape.json "$ACCP_SOURCE_DIR"/golden/document/optimal.json "$(ls "$ACCP_SOURCE_DIR"/golden/measured/*/optimal.run.json)"
bad 4 'is no run and no shape file' record $cubin
bad 4 'needs --reason' "$accprobe" record --golden golden shape.json
echo one >tracked && git add tracked && git -c user.name=t -c user.email=t@example.org commit -q -m t && echo two >tracked
bad 4 'no commit' record shape.json
find golden -type f -exec md5sum {} + | sort | cmp -s - sums || broken 'the goldens as they were after every refusal'

# A shape whose laws are broken is kept as such, when asked for: the law fails as before, and what changed since is found.
git checkout -q tracked && cp -r golden lawful
expect 0 '' "$accprobe" record --golden golden --reason test --broken broken.json
expect 1 '' shape --cubin chain_folded.sm_90.13.0.cubin
shows ' FAIL '
grep 'law chain: .*so its golden has it' stdout >/dev/null || broken "the law, and that the golden breaks it so: $(cat stdout)"
expect 1 '' shape --cubin chain_folded.sm_90.13.0.cubin --format json
python3 -c 'import json, sys; v = json.load(open("stdout"))["verdicts"]["optimal.chain7.acc1"]
sys.exit(not (v["verdict"] == "FAIL" and v["class"] == "identical" and v["golden"] == "sm_90/13.0.88"))' || broken "FAIL, and identical: $(cat stdout)"
expect 1 '' shape --cubin clock_hoisted.sm_90.13.0.cubin
shows 'law chain: '
! grep -q 'so its golden has it' stdout || broken "another law that is broken, and no word of its golden: $(cat stdout)"
expect 2 '' shape --cubin $cubin # the law is kept again
shows ' DRIFT '

# A real one: a volatile read behind the loop keeps accumulators in local memory since 13.1.80. Goldens of both name the loss,
# and where the loops part from the listings of their arch.
kept=sink_promoted.sm_90.13.0.cubin lost=sink_volatile.sm_90.13.1.cubin
expect 0 '' shape --cubin $kept --out promoted.json
expect 1 '' shape --cubin $lost
shows 'law spill: 4 LDL and 17 STL, the first at 0x'
expect 1 '' shape --cubin $lost --out volatile.json
bad 4 'a law is broken' record promoted.json volatile.json
expect 0 '' record --broken promoted.json volatile.json
expect 1 '' shape --cubin $lost
[ "$(grep -c ' FAIL .*law spill: .*so its golden has it' stdout)" = 2 ] || broken "two roles that spill as their golden has it: $(cat stdout)"
for pair in "$kept $lost" "golden/shape/sm_90/sink/13.0.88.json golden/shape/sm_90/sink/13.1.80.json"; do
    # shellcheck disable=SC2086 # two files
    expect 1 '' "$accprobe" diff $pair
    shows 'kernels: 2 structure lost'
    shows 'spills: 4 LDL and 17 STL, 0 and 0 before'
    shows 'instruction 1 of the loop: FFMA'
done
mv golden/shape/sm_90/loops.json loops-aside.json
expect 1 '' "$accprobe" diff golden/shape/sm_90/sink/13.0.88.json golden/shape/sm_90/sink/13.1.80.json
shows 'no listing on record'
! grep -q 'instruction 1 of the loop' stdout || broken 'no name for what no listing shows'
echo '{' >golden/shape/sm_90/loops.json
bad 4 'loops.json' "$accprobe" diff golden/shape/sm_90/sink/13.0.88.json golden/shape/sm_90/sink/13.1.80.json
expect 0 '' "$accprobe" diff golden/shape/sm_90/sink/13.1.80.json golden/shape/sm_90/sink/13.1.80.json
rm -r golden && mv lawful golden

# A golden that is damaged is bad input, not a missing one.
sed 's/"sm_90"/"sm_80"/' kept.json >golden/shape/sm_90/13.0.88.json
bad 4 'belong into' shape --cubin $cubin
head -c 700 kept.json >golden/shape/sm_90/13.0.88.json
bad 4 'not valid JSON' shape --cubin $cubin
cp kept.json golden/shape/sm_90/13.0.88.json
sed 's/FFMA r/FFMA ur/' kept-loops.json >golden/shape/sm_90/loops.json
bad 4 'not what was recorded' shape --cubin chain_unread.sm_90.13.0.cubin

# Outputs that programs and reviews read.
cp kept-loops.json golden/shape/sm_90/loops.json
expect 0 '' shape --cubin $cubin --format json
python3 -c 'import json, sys; s = json.load(open("stdout")); v = s["verdicts"]["optimal.chain7.acc1"]
sys.exit(not (v["verdict"] == "PASS" and s["format"] == "accprobe-shape/1" and "listings" not in s))' || broken 'shapes in JSON'
expect 0 '' shape --cubin $cubin --format markdown
grep -q '^\*\*verdict: PASS\*\*' stdout || broken 'a verdict in Markdown'
expect 0 '' shape --cubin $cubin --listing
grep -Eq '^\| [0-9a-f]{5} +4 Y - - 00  FFMA R' stdout || broken 'control bits beside every instruction'
expect 0 '' "$accprobe" shape --help
shows 'a law is broken or structure lost'
bad 4 '--broken is for a cubin' "$accprobe" measure --broken
if [ "$(find "$ACCP_BINARY_DIR/cubin" -mindepth 1 -maxdepth 1 -type d | wc -l)" -gt 1 ]; then
    expect 0 'sm_90; --arch takes another' "$accprobe" shape --format json
    "$accprobe" shape --arch sm_90 --format json | cmp -s - stdout || broken 'sm_90 where none is named'
fi
echo passed
