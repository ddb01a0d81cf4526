#!/usr/bin/env bash
# accprobe diff: cubins, shape files and runs, every class of change, and two sides that do not belong together.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe
cp "$ACCP_SOURCE_DIR"/tests/data/sass/*.cubin .
recording=$(ls "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/optimal.run.json)
shows() { grep -qF -e "$1" stdout || broken "'$1' in: $(cat stdout)"; }
bad() {
    expect 4 "$1" "$accprobe" diff "${@:2}"
    [ ! -s stdout ] || broken "nothing on stdout: $(cat stdout)"
}

# Cubins.
expect 0 '' "$accprobe" diff clock_around.sm_90.13.0.cubin clock_around.sm_90.13.0.cubin
shows '1 identical'
expect 2 '' "$accprobe" diff clock_around.sm_90.12.4.cubin clock_around.sm_90.13.0.cubin
shows 'first at 0x'
expect 1 '' "$accprobe" diff loop_jump.sm_80.13.0.cubin loop_branch.sm_80.13.0.cubin
shows 'structure lost unrolling lost: 4 FFMAs in the hot loop before, 1 now'
shows 'registers 17 -> 10'
expect 2 '' "$accprobe" diff loop_branch.sm_80.13.0.cubin loop_jump.sm_80.13.0.cubin
expect 2 '' "$accprobe" diff loops.sm_90.13.0.cubin loop_branch.sm_90.13.0.cubin
shows 'only before'
shows 'only after'
expect 1 '' "$accprobe" diff clock_around.sm_90.13.0.cubin chain_split.sm_90.13.0.cubin --format json
python3 -c 'import json, sys; d = json.load(open("stdout")); r = d["rows"][0]
sys.exit(not (d["exit_status"] == 1 and r["class"] == "structure lost" and "contraction lost" in r["text"]))' || broken 'a diff in JSON'
expect 1 '' "$accprobe" diff clock_around.sm_90.13.0.cubin chain_split.sm_90.13.0.cubin --format markdown
grep -q '^| *optimal.chain7.acc1 *| *structure lost' stdout || broken "a diff in Markdown: $(cat stdout)"
# Two instructions of one text that differ all the same, here in a bit that no operand covers, are told apart.
python3 - <<'END' || broken 'a cubin with one bit changed'
data = bytearray(open("clock_around.sm_90.13.0.cubin", "rb").read())
first = bytes.fromhex("827b01ff000a0000")  # LDC R1, c[0x0][0x28]
assert data.count(first) == 1
data[data.find(first) + 10] ^= 1
open("bit.cubin", "wb").write(data)
END
expect 2 '' "$accprobe" diff clock_around.sm_90.13.0.cubin bit.cubin
shows 'first at 0x0: LDC r0, c[0][40], rz {800:b82} -> LDC r0, c[0][40], rz {10800:b82}'

# Shape files name the first instruction from their listings.
for cubin in clock_around.sm_90.12.4 clock_around.sm_90.13.0 clock_around.sm_75.13.0; do
    expect 0 '' "$accprobe" shape --cubin $cubin.cubin --golden . --out $cubin.json
done
expect 0 '' "$accprobe" diff clock_around.sm_90.13.0.json clock_around.sm_90.13.0.json
expect 2 '' "$accprobe" diff clock_around.sm_90.12.4.json clock_around.sm_90.13.0.json
shows ' of the loop: '

# Runs: both values, percent, the roles that one side lacks, another SASS.
edited() {
    python3 - "$recording" "$1" <<'END' || broken "an edit that works: $1"
import json, sys
run = json.load(open(sys.argv[1]))
exec(sys.argv[2])
json.dump(run, open("edited.json", "w"))
END
}
expect 0 '' "$accprobe" diff "$recording" "$recording"
shows '48 compared, 0 differ'
edited 'c = run["roles"][3]["cycles"]; [c.__setitem__(k, c[k] * 1.5) for k in ("mean", "max")]'
expect 2 '' "$accprobe" diff "$recording" edited.json
shows '+50.000'
shows '48 compared, 1 differ'
edited 'del run["roles"][3]'
expect 2 '' "$accprobe" diff "$recording" edited.json
shows 'only before'
expect 2 '' "$accprobe" diff edited.json "$recording"
shows 'only after'
edited 'run["roles"][3].update(sass="0123456789abcdef", sass_exact="0123456789abcdef")'
mv edited.json one.json
edited 'run["roles"][3].update(sass="0123456789abcdee", sass_exact="0123456789abcdee")'
expect 2 '' "$accprobe" diff one.json edited.json
shows 'other SASS'
edited 'run["roles"][3].update(sass="0123456789abcdef", sass_exact="0123456789abcdee")'
expect 0 '' "$accprobe" diff one.json edited.json
shows 'same SASS, registers or place moved'
edited 'run["roles"][3].update(sass="0123456789ABCDEF", sass_exact="0123456789abcdef")'
bad 'is not 16 hexadecimal digits' "$recording" edited.json

# Goldens of each arch have the listing of every hot loop, by every compiler, and no other; so a difference of two is named.
python3 - "$ACCP_SOURCE_DIR"/golden/shape/sm_* <<'END' || broken 'a listing for every golden loop of each arch'
import glob, json, sys
wrong, total = len(sys.argv) < 13, 0
for arch in sys.argv[1:]:
    listed, used = set(json.load(open(arch + "/loops.json"))["listings"]), set()
    for name in glob.glob(arch + "/**/[0-9]*.json", recursive=True):
        golden = json.load(open(name))
        if "rows" in golden:
            used |= {row[golden["columns"].index("loop.control_hash")] for row in golden["rows"]}
    for hashes, words in (used - listed, "without a listing"), (listed - used, "listed, and of no golden"):
        if hashes:
            print(f"{arch}: {len(hashes)} {words}: {sorted(hashes)[:3]}", file=sys.stderr)
    wrong, total = wrong or listed != used, total + len(used)
sys.exit(wrong or total < 3500)
END
expect 2 '' "$accprobe" diff "$ACCP_SOURCE_DIR"/golden/shape/sm_90/tail/{12.6.85,12.8.61}.json
[ "$(grep -c 'control bits of instruction [0-9]* of the loop' stdout)" = 60 ] || broken "the first instruction of 60 roles: $(cat stdout)"
expect 2 '' "$accprobe" diff "$ACCP_SOURCE_DIR"/golden/shape/sm_80/tail/{12.2.140,12.3.52}.json
[ "$(grep -c 'instruction [0-9]* of the loop' stdout)" = 36 ] || broken "the first instruction, also of another arch: $(cat stdout)"
mkdir -p bare/sm_80/tail && cp "$ACCP_SOURCE_DIR"/golden/shape/sm_80/tail/*.json bare/sm_80/tail/
expect 2 '' "$accprobe" diff bare/sm_80/tail/{12.2.140,12.3.52}.json
shows 'no listing on record'
# What nvcc and NVRTC of one version made otherwise, by name.
expect 2 '' "$accprobe" diff "$ACCP_SOURCE_DIR"/golden/shape/sm_90/sink/13.0.88{,-nvrtc}.json --filter '[.]store$'
[ "$(grep -c '^sink[.].*[.]store .*instructions differ' stdout)" = 15 ] || broken "15 roles that store: $(cat stdout)"

# Sides that do not belong together, and files that are neither.
bad 'compare cubins of one arch' clock_around.sm_75.13.0.cubin clock_around.sm_90.13.0.cubin
bad 'compare one arch' clock_around.sm_75.13.0.json clock_around.sm_90.13.0.json
bad 'compare two of a kind' clock_around.sm_90.13.0.json clock_around.sm_90.13.0.cubin
bad 'compare two of a kind' "$recording" clock_around.sm_90.13.0.json
bad 'needs more operands' clock_around.sm_90.13.0.json
bad 'cannot open' absent clock_around.sm_90.13.0.json
bad 'has format "accprobe-golden/1"' "$recording" "${recording%.run.json}.json"
echo '{' >cut.json
bad 'not valid JSON' "$recording" cut.json
echo text >text
bad 'is not an ELF file' text text
bad '--warps is of the kernels of two cubins' --warps 4 "$recording" "$recording"
bad '--loop is of the kernels of two cubins' --loop 0x170 clock_around.sm_90.13.0.json clock_around.sm_90.13.0.json
bad 'no loop of the kernels begins there' --loop 0x10 chain_split.sm_90.13.0.cubin chain_folded.sm_90.13.0.cubin
bad 'matches nothing' --filter chain31 "$recording" "$recording"

# A byte order mark is what is said of a file that has one, in every verb that looks what a file is.
printf '\xef\xbb\xbf' | cat - "$recording" >marked.json
bad 'byte order mark' marked.json "$recording"
expect 4 'byte order mark' "$accprobe" record marked.json --reason test

# A golden whose rows stand in another one says which, where that was left behind.
mkdir apart
cp "$ACCP_SOURCE_DIR/golden/shape/sm_90/13.0.88.json" apart
bad '13.0.88.json: as: has the rows of 13.0.48.json, which is not beside it: copy both' apart/13.0.88.json "$ACCP_SOURCE_DIR/golden/shape/sm_90/12.6.85.json"

# What a run does not name is said to be unknown, and no gap.
expect 2 '' "$accprobe" diff "$ACCP_SOURCE_DIR/golden/document/optimal.json" "$recording"
grep -q '(document, an unnamed GPU, compiler unknown, driver unknown)' stdout || broken "what a document does not name: $(head -n1 stdout)"

# Runs end with 1 too, where half of the resident blocks are gone (test_cases.sh): that is what --help says.
"$accprobe" diff --help | grep -x '  1   structure lost, or half of the resident blocks' >/dev/null || broken "what exit status 1 means: $("$accprobe" diff --help)"
echo passed
