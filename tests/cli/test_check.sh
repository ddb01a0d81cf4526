#!/usr/bin/env bash
# accprobe check and record: run files and goldens from strangers, and a record that is killed or has no room.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe
recording=$(ls "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/optimal.run.json)

# edited PYTHON: the recording with a change made to `run`, in edited.json.
edited() {
    python3 - "$recording" "$1" <<'END' || broken "an edit that works: $1"
import json, sys
run = json.load(open(sys.argv[1]))
exec(sys.argv[2])
json.dump(run, open("edited.json", "w"))
END
}

bad() {
    edited "$2"
    expect 4 "$1" "$accprobe" check edited.json
    [ ! -s stdout ] || broken 'nothing on stdout for bad input'
}

expect 0 '' "$accprobe" check "$recording"
expect 0 '' "$accprobe" check "$ACCP_SOURCE_DIR/golden/document/optimal.json"
grep -q 'NOT_ONE_THRESHOLD' stdout || broken "the document's two thresholds pointed out"
[ "$(grep -c 'document\.' stdout)" -ge 30 ] || broken 'every statement of the document as a line of its own'

bad 'stands there twice' 'run["roles"].append(run["roles"][0])'
bad 'is not in the table' 'run["roles"][0]["role"] = "optimal.chain7.acc99"'
bad 'differs from the table' 'run["roles"][0]["chain"] = 8'
bad 'format version 2' 'run["format"] = "accprobe-run/2"'
bad 'where "accprobe-run/1" is needed' 'run["format"] = "accprobe-golden/1"'
bad 'not valid JSON' 'run["roles"][0]["cycles"]["mean"] = float("nan")'
bad 'not valid JSON' 'run["roles"][0]["cycles"]["mean"] = float("inf")'
bad 'bytes, at most' 'run["device"]["name"] = "x" * 10000000'
bad 'roles: is empty' 'run["roles"] = []'
bad 'source is "guessed"' 'run["source"] = "guessed"'
for arch in '' sm_ sm_9x0 'sm_90<b>' ' sm_90' compute_90; do bad 'arch: is not an arch like sm_90; leave it out' "run['device']['arch'] = '$arch'"; done
for date in '' 2026-11-30 '<b>2026-11-30' 2026-11-30T05:54:47ZZ 2026-11-30T05:54:4xZ; do bad 'date: is not a time like' "run['date'] = '$date'"; done
for tool in '' '<b>0.1.0' '0.1.0 x' '[0](b)'; do bad 'tool: is not a version' "run['tool'] = '$tool'"; done
edited 'run["device"]["arch"] = "sm_90a"; del run["date"], run["tool"]'
expect 0 '' "$accprobe" check edited.json --pending pending
python3 -c 'print("[" * 10000)' >edited.json
expect 4 'not valid JSON' "$accprobe" check edited.json
head -c 3000 "$recording" >edited.json
expect 4 'not valid JSON' "$accprobe" check edited.json
: >edited.json
expect 4 'is empty' "$accprobe" check edited.json
expect 4 'cannot open' "$accprobe" check nothing.json
expect 4 'not a regular file' "$accprobe" check "$scratch"
expect 4 'needs an operand' "$accprobe" check
expect 4 'matches no claim' "$accprobe" check --claim chain31 "$recording"

# One session is one process, however often it is named; a prediction is no session.
for command in check 'report --format markdown -o twice.md' 'export --to junit -o twice.xml'; do
    read -ra words <<<"$command"
    expect 4 'run 1 and run 2 are one session: both have seed' "$accprobe" "${words[@]}" "$recording" "$recording"
    [ ! -s stdout ] || broken "nothing on stdout from $command"
    [ -z "$(find . -name 'twice.*')" ] || broken "nothing written by $command"
done
edited 'run["protocol"]["seed"] += 1'
expect 0 '' "$accprobe" check "$recording" edited.json
expect 0 '' "$accprobe" check "$ACCP_SOURCE_DIR/golden/document/optimal.json" "$ACCP_SOURCE_DIR/golden/document/optimal.json"

# A role missing, or without samples: the surroundings' fault, and never a pass.
edited 'del run["roles"][5]'
expect 3 '' "$accprobe" check edited.json
grep -q 'verdict: ENVIRONMENT' stdout || broken 'ENVIRONMENT for a role that is missing'
edited 'run["roles"][5]["cycles"] = {"n": 0}; del run["roles"][5]["progress"]'
expect 3 '' "$accprobe" check edited.json
grep -q 'verdict: ENVIRONMENT' stdout || broken 'ENVIRONMENT for a role without samples'
edited 'run["device"]["sm_count"] = 78; run["device"]["pci_device"] = "10de:2329"'
expect 0 '' "$accprobe" check --pending pending edited.json
grep -q 'verdict: NO_GOLDEN' stdout || broken 'NO_GOLDEN for another GPU'
! grep '^repeat:' stdout || broken 'nothing to repeat where no golden is'

# A link to what is not there (a volume that is not mounted) is no golden that was never made.
sku=$(basename "$(dirname "$recording")")
for link in measured "measured/$sku" "measured/$sku/optimal.json"; do
    rm -rf away && mkdir away && cp -r "$ACCP_SOURCE_DIR/golden/measured" away
    rm -r "away/$link" && ln -s /nonexistent/golden "away/$link"
    expect 4 "away/$link" "$accprobe" check "$recording" --golden away
    [ ! -s stdout ] || broken "no verdict with $link: $(head -1 stdout)"
done
rm -rf away && mkdir -p away/document && ln -s /nonexistent/document.json away/document/optimal.json
expect 4 'away/document/optimal.json' "$accprobe" check "$recording" --golden away

# record refuses what is no baseline, and says why.
expect 4 'needs --reason' "$accprobe" record "$recording"
mkdir golden
expect 4 'git knows no checkout of yours where the goldens are to lie' "$accprobe" record --golden golden --reason test "$recording"
git init -q . && git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m test
expect 4 'has 1 session, and a golden needs 10' "$accprobe" record --golden golden --reason test "$recording"
expect 4 'document' "$accprobe" record --golden golden --reason test "$ACCP_SOURCE_DIR/golden/document/optimal.json"
for i in $(seq 12); do
    edited "run['protocol']['seed'] = $i" && mv edited.json "session-$i.json"
done
expect 0 '' "$accprobe" record --golden golden --reason test session-*.json
mkdir $'g\e[31m'
expect 0 '' "$accprobe" record --golden $'g\e[31m' --reason test session-*.json
grep -F 'g?[31m/measured/' stdout >/dev/null || broken "the folder's name without its escape: $(cat stdout)"
golden=$(ls golden/measured/*/optimal.json)
expect 0 '' "$accprobe" record --golden golden --reason test --format json session-*.json
python3 -c 'import json, sys; o = json.load(open("stdout")); sys.exit(not (o["written"] is False and o["rows_kept"] > 48))' ||
    broken "what record did, in JSON: $(cat stdout)"
cp "$golden" kept.json
expect 4 'are one session' "$accprobe" record --golden golden --reason test session-*.json session-1.json
edited 'run["device"]["throttle"] = "hw-thermal-slowdown"; run["protocol"]["seed"] = 99'
expect 4 'slow' "$accprobe" record --golden golden --reason test session-*.json edited.json
edited 'run["device"]["other_processes"] = 2; run["protocol"]["seed"] = 99'
expect 4 'process' "$accprobe" record --golden golden --reason test session-*.json edited.json
echo changed >tracked && git add tracked && git -c user.name=t -c user.email=t@example.org commit -q -m t && echo dirty >tracked
expect 4 'no commit' "$accprobe" record --golden golden --reason test session-*.json
git checkout -q tracked
cmp -s "$golden" kept.json || broken 'the golden as it was after every refusal'

# A bad golden: one line, and the run is not judged by what is left of it.
head -c 900 kept.json >"$golden"
expect 4 'not valid JSON' "$accprobe" check --golden golden "$recording"
sed 's/"sd": [^,]*/"sd": NaN/' kept.json >"$golden"
expect 4 'not valid JSON' "$accprobe" check --golden golden "$recording"
sed 's/accprobe-golden.1/accprobe-golden\/2/' kept.json >"$golden"
expect 4 'format version 2' "$accprobe" check --golden golden "$recording"
sed 's/"role": "optimal.chain13.acc1"/"role": "optimal.chain13.acc6"/' kept.json >"$golden"
expect 4 'acc6' "$accprobe" check --golden golden "$recording"
# Recorded on an H200 beside a process that computed without a pause, on one SM, or in bursts (ci/false_alarms): a time
# slice in a launch accuses nobody, whether NVML shows the other process or not.
for run in "$ACCP_SOURCE_DIR"/tests/data/busy/*.run.json; do
    expect 3 '' "$accprobe" check "$run" --pending pending
    grep -q OTHER_PROCESSES stdout || broken "OTHER_PROCESSES for $run"
    sed 's/, "other_processes": [0-9]*//; s/, "utilization_percent": [0-9]*//' "$run" >hidden.json
    expect 3 '' "$accprobe" check hidden.json --pending pending
    grep -q INTERRUPTED stdout || broken "INTERRUPTED for $run, where nobody saw the other process"
done

# The gate on an H200 after an update, recorded: a compiler that costs every role 5 to 9 cycles is named with its first
# instruction in each level; one that made the same loops passes.
for run in "$ACCP_SOURCE_DIR"/tests/data/updates/12.*.run.json; do
    expect 1 '' "$accprobe" check "$run"
    [ "$(grep -c 'level@.*SLOWER_OTHER_SASS.*the compiler.*first difference: .*ptxas 12' stdout)" = 47 ] ||
        broken "47 levels that name the compiler and the first difference of $run: $(grep -c SLOWER_OTHER_SASS stdout)"
done
expect 0 '' "$accprobe" check "$ACCP_SOURCE_DIR/tests/data/updates/13.5.37.run.json"
# What a run file calls its GPU is a stranger's text, and no markup of a review.
measured=$(ls -d "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*)
sed 's/"name": "NVIDIA H200"/"name": "NVIDIA <img src=x> [a](b)"/' "$measured/optimal.run.json" >hostile.json
sed 's/"name": "NVIDIA H200"/"name": "NVIDIA <img src=x> [a](b)"/' "$measured/occupancy/optimal.run.json" >loads.json
for command in 'check hostile.json' 'report hostile.json' 'policy loads.json' 'explain optimal loads.json'; do
    read -ra words <<<"$command"
    "$accprobe" "${words[@]}" --format markdown >stdout 2>stderr || [ $? -le 3 ] || broken "an answer of $command: $(cat stderr)"
    grep -qF 'NVIDIA \<img src=x\> \[a\](b)' stdout || broken "the GPU's name without markup, from $command: $(head -3 stdout)"
    ! grep -q '[^\]<img' stdout || broken "no markup from $command: $(head -3 stdout)"
done
# Nor is what it says of the GPU's clocks, nor the compiler in the head of a diff.
sed -e 's/"throttle": "none"/"throttle": "<img\/src=x>"/' -e 's/"version": "13/"version": "<img src=x>13/' "$measured/optimal.run.json" >hostile.json
for command in 'check hostile.json' "diff hostile.json $measured/optimal.run.json"; do
    read -ra words <<<"$command"
    "$accprobe" "${words[@]}" --format markdown >stdout 2>stderr || [ $? -le 3 ] || broken "an answer of $command: $(cat stderr)"
    grep -qF '\<img' stdout || broken "what a stranger said, without markup, from $command: $(head -3 stdout)"
    ! grep -qE '(^|[^\])<img' stdout || broken "no markup from $command: $(head -3 stdout)"
done
# Nor is what a file is called anything but a line's text, in an answer as in an error.
evil=$'a\e[31m\n<img src=x>.json'
cp "$measured/optimal.run.json" "$evil"
for command in 'diff' 'policy --against'; do
    read -ra words <<<"$command"
    for format in table markdown; do
        "$accprobe" "${words[@]}" "$evil" "$measured/optimal.run.json" --format $format >stdout 2>stderr || [ $? -le 3 ] || broken "an answer of $command: $(cat stderr)"
        grep -F "a?[31m" stdout >/dev/null || grep -F 'a?\[31m' stdout >/dev/null || broken "the name in a line of $command as $format: $(head -n3 stdout)"
        ! grep -q $'\e' stdout || broken "no escape from $command as $format"
    done
    ! grep -qE '(^|[^\])<img' stdout || broken "no markup from $command: $(head -n3 stdout)"
done
# A folder that cannot be typed as it is seen is left to be filled in, and JSON keeps the command.
cp -r "$measured" 'kept'
mkdir -p $'g\xff/measured' && mv kept $'g\xff/measured/'"$(basename "$measured")"
expect 0 '' "$accprobe" check "$measured/optimal.run.json" --golden $'g\xff' --format json
[ "$(grep -c '"repeat": ".* --golden DIR"' stdout)" = "$(grep -c '"claim"' stdout)" ] || broken "commands with DIR: $(sed -n 3p stdout)"

# What a run does not name is said to be unknown: no gap stands for it, and no 0.
python3 - "$measured/occupancy/optimal.run.json" <<'END'
import json, sys
run = json.load(open(sys.argv[1]))
for member in "name", "driver", "sm_count":
    del run["device"][member]
json.dump({**run, "compiler": {}}, open("nameless.json", "w"))
END
for command in check 'explain optimal' policy 'diff nameless.json' 'export --to github-action-benchmark'; do
    read -ra words <<<"$command"
    "$accprobe" "${words[@]}" nameless.json >stdout 2>stderr || [ $? -le 3 ] || broken "an answer of $command: $(cat stderr)"
    grep -qE '(an unnamed GPU|GPU not named|measured, sm_90).* driver (unknown|not named)' stdout || broken "what is not named, from $command: $(head -n4 stdout)"
    ! grep -E 'driver[,)]|[ (]0 SMs| , |: +[(]' stdout >&2 || broken "no gap from $command"
done
# And what it calls a role does not leave the command that a reader copies into a shell.
sed "s/\"role\": \"optimal.chain7.acc1\"/\"role\": \"x'; touch typed; echo '\"/" "$measured/optimal.run.json" >hostile.json
"$accprobe" check hostile.json --claim touch --format json >stdout 2>stderr || [ $? -le 3 ] || broken "an answer: $(cat stderr)"
command=$(python3 -c 'import json; print(json.load(open("stdout"))["lines"][0]["repeat"])')
[ "$(bash -c "accprobe() { printf '%s,' \"\$@\"; }; $command")" = "gate,--filter,^x'; touch typed; echo '\\.," ] || broken "one word of a shell: $command"
[ ! -e typed ] || broken "a role's name to stay a name: $command"
echo passed
