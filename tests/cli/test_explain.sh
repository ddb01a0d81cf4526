#!/usr/bin/env bash
# accprobe explain: every cycle has a cause, every change is what predict says of it, and what is unknown is called that.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe sass=$ACCP_SOURCE_DIR/tests/data/sass
kernel=optimal_chain29_acc2_effective2 built=$ACCP_BINARY_DIR/cubin/sm_90/optimal.cubin
[ -e "$built" ] || skip "no kernels for sm_90 in this build"

# explained WHAT... -- PATH...: a member of a sound explanation.
explained() {
    local what=()
    while [ "$1" != -- ]; do
        what+=("$1")
        shift
    done
    expect "${status:-0}" '' "$accprobe" explain "${what[@]}" --format json
    python3 "$ACCP_SOURCE_DIR/tests/cli/explained.py" "${@:2}" <stdout || broken "a sound explanation of ${what[*]}"
}

# predicted WHAT...: the mean of the first role that predict says.
predicted() {
    "$accprobe" predict "$@" --format json 2>/dev/null |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["roles"][0]["cycles"]["mean"])'
}

# near A B: the same to what a run file keeps.
near() {
    python3 -c 'import sys; a, b = map(float, sys.argv[1:]); sys.exit(not abs(a - b) < 1e-4 * b)' "$1" "$2" || broken "$1 to be $2"
}

for case in optimal.chain7.acc1/1 optimal.chain7.acc2/3 optimal.chain29.acc16/4 optimal.chain7.acc4/32 dispatch.chain13.acc3/8; do
    role=${case%/*} warps=${case#*/}
    mean=$(explained "$role" --warps "$warps" -- cycles mean) || exit 1
    near "$mean" "$(predicted --filter "^${role//./[.]}\$" --warps "$warps")"
done
if [ -e "$ACCP_BINARY_DIR/cubin/sm_120/optimal.cubin" ]; then
    [ "$(explained optimal.chain29.acc4 --arch sm_120 -- validated)" = False ] || broken 'sm_120 not validated on hardware'
fi

# One warp, nothing to disturb it: the stall counts are what is lost, each at the instruction that carries it.
explained optimal.chain29.acc1 --warps 4 -- >/dev/null
python3 - <<'END' || broken 'each stall count at its instruction'
import json
for i in json.load(open("stdout"))["instructions"][:-1]:
    counted = i["stall"] + (i["yield"] and i["stall"] == 1)
    assert i["cycles"].get("stall", 0) == counted - 1, i
END

# Other accs and other numbers of warps are what predict says of them.
explained optimal.chain13.acc1 -- >/dev/null
python3 - >changes <<'END' || broken 'changes in JSON'
import json
for c in json.load(open("stdout"))["changes"]:
    if c["kind"] in ("acc", "warps"):
        print(c["kind"], c["what"].split()[0], c["cycles"])
END
[ "$(grep -c ^acc changes)" = 7 ] || broken "seven other accs: $(cat changes)"
near "$(sed -n 's/^acc acc5 //p' changes)" "$(predicted --filter '^optimal[.]chain13[.]acc5$' --warps 8)"
near "$(sed -n 's/^warps 16 //p' changes)" "$(predicted --filter '^optimal[.]chain13[.]acc1$' --warps 16)"

# A constant that is reloaded in every iteration: who waits, for what, and what it costs. Dropping it gives back what it took.
expect 0 '' "$ACCP_BINARY_DIR/mutate" "$built" $kernel reload reload.cubin
expect 0 '' "$accprobe" explain --cubin reload.cubin --kernel $kernel --warps 4
grep -qE 'FFMA .* LDC RZ, c\[' stdout || broken "the first FFMA waiting for the reload: $(cat stdout)"
before=$(predicted --cubin "$built" --filter 'chain29[.]acc2$' --warps 4)
after=$(explained --cubin reload.cubin --kernel $kernel --warps 4 -- cycles mean) || exit 1
python3 - "$before" "$after" <<'END' || broken "the cost of a reload, $before to $after"
import json, sys
before, after = map(float, sys.argv[1:])
explained = json.load(open("stdout"))
at = next(i for i in explained["instructions"] if i["text"].startswith("LDC"))
gain = next(c for c in explained["changes"] if c["what"].startswith("without its 1 LDC, loaded anew in every iteration: "))
limit = "%d registers in use of %d that " % (explained["registers"], explained["register_limit"])
assert limit in gain["what"], gain
assert after > before and abs(gain["cycles"] - after - at["without"]) < 1e-3, (gain, at)
END

# What is said in words.
expect 0 '' "$accprobe" explain optimal.chain29.acc1 --warps 4
for words in 'bottleneck: waits of one warp' 'a warp loses most to stall' 'acc5 instead of acc1' 'model calibrated on hardware' \
    'FMA pipes' 'timeline of scheduler 0'; do
    grep -qF -e "$words" stdout || broken "'$words' in: $(cat stdout)"
done
expect 0 '' "$accprobe" explain optimal.chain29.acc1 --warps 32
grep -q 'the rest with --all' stdout || broken 'a timeline that says that it is cut'
expect 0 '' "$accprobe" explain optimal.chain29.acc1 --format markdown
grep -q '^| address' stdout || broken 'a Markdown table'

# The timeline that docs/explain.md shows.
expect 0 '' "$accprobe" explain optimal.chain29.acc3 --warps 8
[ "$(grep '^    0 warp' "$ACCP_SOURCE_DIR/docs/explain.md")" = "$(grep '^    0 warp' stdout)" ] || broken 'the timeline of docs/explain.md'

# Loads are not timed: which, where, and what holds all the same.
status=3
[ "$(explained --cubin "$sass/loop_jump.sm_90.13.0.cubin" -- known)" = False ] || broken 'an unknown loop'
unset status
expect 3 '' "$accprobe" explain --cubin "$sass/loop_jump.sm_90.13.0.cubin"
grep -qE 'bottleneck: unknown: the model does not time LDG.* at 0x[0-9a-f]+; at least [0-9]+ cycles, by ' stdout ||
    broken "what is not timed, and a bound: $(cat stdout)"
if grep -q 'cycles an iteration' stdout; then broken 'no figure for an unknown loop'; fi
grep -qE '^ +0x[0-9a-f]+ .* LDG' stdout || broken "the instructions of an unknown loop: $(cat stdout)"
if grep -E '^ +0x[0-9a-f]+ .*[0-9][.][0-9]' stdout; then broken 'no cycles for an instruction of an unknown loop'; fi
if grep -E '^ *address.*(cycles|without)' stdout; then broken 'no empty column'; fi
expect 0 '' "$accprobe" explain optimal.chain29.acc1
grep -qE '^ *address.* cycles .* without ' stdout || broken "columns of a known loop: $(cat stdout)"
expect 3 'at least' "$accprobe" predict --cubin "$sass/loop_jump.sm_90.13.0.cubin"
[ "$(grep -o 'at least' stderr | wc -l)" = 1 ] || broken "said once, not at every number of warps: $(cat stderr)"

# What limits a thread's registers: launch bounds, where there are some; else the registers of an SM that so many warps leave, or
# what an instruction can name.
while read -r warps words; do
    expect 3 '' "$accprobe" explain --cubin "$sass/loop_jump.sm_90.13.0.cubin" --warps "$warps"
    grep -qF "17 registers a thread of $words" stdout || broken "'$words' at $warps warps in: $(sed -n 2p stdout)"
done <<'END'
8 255 that the instruction set names
32 64 that so many warps leave on an SM
END
expect 0 '' "$accprobe" explain optimal.chain29.acc2
grep -q 'registers a thread of 64 that its launch bounds leave' stdout || broken "launch bounds: $(sed -n 2p stdout)"

# Of a cubin's kernels only those with a loop are worth choosing among.
if [ -x "${ACCP_NVCC:-}" ]; then
    cat >kernels.cu <<'END'
extern "C" __global__ void flat(float *x) { x[threadIdx.x] = 1; }
extern "C" __global__ void looping(float *x, int n) { float a = x[0]; for (int i = 0; i < n; ++i) a = a * a + 1; x[0] = a; }
#ifdef TWO
extern "C" __global__ void turning(float *x, int n) { float a = x[0]; for (int i = 0; i < n; ++i) a = a * a + 2; x[0] = a; }
#endif
END
    "$ACCP_NVCC" -arch=sm_90 -cubin -o one.cubin kernels.cu || broken 'a cubin'
    "$ACCP_NVCC" -arch=sm_90 -cubin -DTWO -o two.cubin kernels.cu || broken 'another cubin'
    expect 0 '' "$accprobe" explain --cubin one.cubin
    grep -q ' of looping: ' stdout || broken "the kernel with the loop: $(sed -n 2p stdout)"
    expect 4 'has 2 kernels with a loop, of 3: choose one with --kernel:' "$accprobe" explain --cubin two.cubin
    if grep -q flat stderr; then broken "no kernel without a loop among the choices: $(cat stderr)"; fi
    expect 4 'has no kernel absent; with a loop it has: ' "$accprobe" explain --cubin two.cubin --kernel absent

    # Names as they are in the source, where the symbol is mangled.
    cat >spaces.cu <<'END'
#define LOOP float a = x[0]; for (int i = 0; i < n; ++i) a = a * a + 1; x[0] = a;
namespace space {
__global__ void scale(float *x, int n) { LOOP }
template <typename T, int k> __global__ void dot(T *x, int n) { LOOP x[1] = k; }
template __global__ void dot<float, 1>(float *, int);
template __global__ void dot<float, 8>(float *, int);
}
namespace { __global__ void hidden(float *x, int n) { LOOP } }
void launch(float *x) { hidden<<<1, 1>>>(x, 1); }
END
    "$ACCP_NVCC" -arch=sm_90 -cubin -o spaces.cubin spaces.cu || broken 'a cubin of C++ names'
    for name in scale space::scale _ZN5space5scaleEPfi; do
        expect 0 '' "$accprobe" explain --cubin spaces.cubin --kernel $name
        grep -q '^predicted: space::scale at 8 warps' stdout || broken "$name to be found: $(head -2 stdout)"
        grep -q ' of _ZN5space5scaleEPfi: ' stdout || broken "its symbol: $(head -2 stdout)"
    done
    expect 0 '' "$accprobe" explain --cubin spaces.cubin --kernel '(anonymous namespace)::hidden'
    expect 0 '' "$accprobe" predict --cubin spaces.cubin --kernel hidden
    expect 0 '' "$accprobe" shape --cubin spaces.cubin --kernel hidden --format json
    [ "$(grep -c '"kernel":' stdout)" = 1 ] || broken "one shape: $(cat stdout)"
    expect 4 'has 2 kernels called dot: choose one with --kernel and its symbol: _ZN5space3dotI' "$accprobe" explain --cubin spaces.cubin --kernel dot
    expect 4 'has no kernel cale; ' "$accprobe" explain --cubin spaces.cubin --kernel cale
    expect 4 'takes a symbol, or a name without <...>' "$accprobe" explain --cubin spaces.cubin --kernel 'space::dot<float, 8>'
    expect 4 '(space::scale)' "$accprobe" explain --cubin spaces.cubin
fi

# A folder of goldens may be called as it pleases, a pattern too.
mkdir 'a[b]*'
ln -s "$ACCP_SOURCE_DIR/golden" 'a[b]*/golden'
expect 0 '' "$accprobe" explain sink
mv stdout usual
expect 0 '' "$accprobe" explain sink --golden 'a[b]*/golden'
cmp -s stdout usual || broken "the same recording: $(cat stdout)"

# What a person in a hurry does wrong.
expect 4 'explain what? Name a role (accprobe list shows them), a probe (optimal, sink, mixed)' "$accprobe" explain
expect 4 'run 1 and run 2 are one session' "$accprobe" explain optimal "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/optimal.run.json "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/optimal.run.json
expect 4 'is no role (accprobe list shows them), nor a probe that can be explained (optimal, sink, mixed)' "$accprobe" explain tail
# What chooses a loop to predict: of runs that were measured it chooses nothing.
for words in '--arch sm_80' "--cubin $built" '--kernel k' '--loop 0x10' '--warps 4'; do
    # shellcheck disable=SC2086 # an option and its value
    expect 4 "${words%% *}: optimal is a probe, and what runs of it measured is explained" "$accprobe" explain optimal $words
done
# What it offers it takes: no more warps than a block has, where more fit on an SM.
expect 0 '' "$accprobe" explain optimal.chain29.acc2 --all
for words in '64 warps fit on an SM' '32 warps instead of 8'; do
    grep -q "$words" stdout || broken "$words: $(cat stdout)"
done
sed -nE 's/.* ([0-9]+) warps? instead of 8.*/\1/p' stdout >offered
while read -r warps; do
    expect 0 '' "$accprobe" explain optimal.chain29.acc2 --warps "$warps"
done <offered
# Two sums of stall counts, by two names: as the SM takes them, and as they are written.
expect 0 '' "$accprobe" explain optimal.chain29.acc2
grep -q "^a warp's waits .* as an SM takes them (shape adds them up as written)" stdout || broken "what explain adds up: $(cat stdout)"
expect 0 '' "$accprobe" shape --filter '^optimal[.]chain29[.]acc2$'
grep -q 'stalls: the counts as written, added up' stdout || broken "what shape adds up: $(cat stdout)"
# A run that says nothing to the question is no process of it.
for probe in sink optimal mixed; do
    expect 4 "dependency.run.json: holds no role that explain $probe is told by: leave it out" \
        "$accprobe" explain $probe "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/{$probe,dependency}.run.json
done
expect 0 '' "$accprobe" explain mixed "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/{mixed,dispatch,optimal}.run.json
expect 4 'is no role' "$accprobe" explain optimal.chain31.acc1
expect 4 'where it has several), not both' "$accprobe" explain optimal.chain29.acc1 --cubin "$built"
expect 4 'names a kernel of --cubin' "$accprobe" explain --kernel $kernel
expect 4 'its warps run different loops' "$accprobe" explain mixed.chain29.acc1
expect 4 'no loop' "$accprobe" explain --cubin "$built" --kernel $kernel --loop 0x10
expect 4 'is code for sm_90' "$accprobe" explain --cubin "$built" --kernel $kernel --arch sm_80
expect 4 'is not an ELF file' "$accprobe" explain --cubin "$sass/README.md"
expect 4 'must be a whole number from 1' "$accprobe" explain optimal.chain29.acc1 --warps 0
expect 4 'does not know what to do with' "$accprobe" explain optimal.chain29.acc1 optimal.chain29.acc2
expect 4 'No space left' bash -c "'$accprobe' explain optimal.chain29.acc1 >/dev/full"
echo passed
