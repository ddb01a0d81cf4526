#!/usr/bin/env bash
# docs/schema: our files and answers fit the schemas, and what is broken does not; what a schema refuses, the readers do.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
python_with jsonschema
accprobe=$ACCP_BINARY_DIR/accprobe
recording=$(ls "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/optimal.run.json)

# One answer of each kind.
sed 's/"mean": 104.0/"mean": 107.0/; s/"max": 104.0/"max": 107.0/' "$recording" >slower.json
mkdir answers
"$accprobe" predict --probe optimal --arch sm_90 --out answers/prediction.json 2>stderr
"$accprobe" check --format json slower.json >answers/verdict.json
"$accprobe" check --format json "$ACCP_SOURCE_DIR/golden/document/optimal.json" >answers/verdict-document.json
"$accprobe" shape --probe optimal --arch sm_90 --format json >answers/shape.json
"$accprobe" shape --probe optimal --arch sm_90 --out answers/shape-out.json >stdout
"$accprobe" shape --cubin "$ACCP_SOURCE_DIR/tests/data/sass/chain_folded.sm_90.13.0.cubin" --format json >answers/shape-stranger.json
"$accprobe" diff --format json "$recording" slower.json >answers/diff-runs.json
"$accprobe" diff --format json "$ACCP_SOURCE_DIR/golden/shape/sm_90/"{12.4.131,13.0.88}.json >answers/diff-shapes.json
"$accprobe" list --format json >answers/list.json
"$accprobe" doctor --format json >answers/doctor.json
for probe in optimal:occupancy sink:sink; do
    "$accprobe" explain "${probe%:*}" --format json >"answers/${probe#*:}.json" || broken "an explanation of $probe"
done
ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 ACCPROBE_LIBNVML=$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1 ACCP_FAKE=ok \
    ACCP_FAKE_RUN=$(dirname "$recording")/mixed.run.json "$accprobe" measure --filter '^mixed[.]chain7[.]' --seed 1 --out answers/run-mixed.json 2>stderr
"$accprobe" explain mixed answers/run-mixed.json --format json >answers/beside.json || broken 'an explanation of mixed'
occupancy=$(dirname "$recording")/occupancy
"$accprobe" explain optimal.chain29.acc2 --format json >answers/explain.json || broken 'an explanation of a role'
"$accprobe" explain --cubin "$ACCP_SOURCE_DIR/tests/data/sass/loop_jump.sm_90.13.0.cubin" --format json >answers/explain-unknown.json 2>stderr
"$accprobe" policy --format json >answers/policy.json || broken 'a policy'
"$accprobe" policy --given registers-left=0 --format json >answers/policy-registers.json || broken 'a policy of few registers'
"$accprobe" policy --given registers-used=255 --format json >answers/policy-fits.json || broken 'a policy of the loads that fit'
"$accprobe" policy --format json answers/prediction.json >answers/policy-predicted.json || broken 'a predicted policy'
"$accprobe" policy --format json --against "$occupancy/chains-3.run.json" >answers/policy-judgement.json || broken 'a policy judged'
mkdir processes
cp "$occupancy"/chains-[34].run.json processes
"$accprobe" policy --format json --against processes >answers/policy-judgement-processes.json || broken 'a policy judged by two processes'
"$accprobe" policy --format json --cubin "$ACCP_BINARY_DIR/cubin/sm_90/ops.cubin" >answers/policy-kernels.json || broken 'a policy of kernels'
for word in '' ,uneven; do
    ACCPROBE_LIBCUDA=$ACCP_BINARY_DIR/fake/libcuda.so.1 ACCPROBE_LIBNVML=$ACCP_BINARY_DIR/fake/libnvidia-ml.so.1 \
        ACCP_FAKE=two_devices$word ACCP_FAKE_RUN=$recording "$accprobe" gate --probe optimal --device all --pending pending \
        --format json >"answers/verdicts${word/,/-}.json" 2>stderr
done
cat >answers/expected.json <<'END'
{"format": "accprobe-expected/1", "expected": [
 {"claim": "optimal.chain29.acc16.level@8", "reason": "a test", "expires": "2027-03-31"}]}
END
mkdir golden
git init -q . && git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m test
for i in $(seq 10); do sed "s/\"seed\": [0-9]*/\"seed\": $i/" "$recording" >"session-$i.json"; done
"$accprobe" record --golden golden --reason test --format json session-*.json >answers/record.json || broken 'a recording'
"$accprobe" record --golden golden --reason test --format json answers/shape-out.json >answers/record-shape.json || broken 'recorded shapes'
"$accprobe" record --fleet --golden golden --reason test --format json session-*.json >answers/fleet.json || broken 'a fleet of one'
cp golden/measured/*/optimal.json answers/golden.json
cp "$recording" answers/run.json
export accprobe

"$python" -W ignore - <<'END' || broken 'schemas that our files fit, and broken ones do not'
import copy, glob, json, os, re, subprocess, sys
import jsonschema

source = os.environ["ACCP_SOURCE_DIR"]
schemas = {os.path.basename(path).split(".")[0]: json.load(open(path)) for path in glob.glob(source + "/docs/schema/*.json")}
store = {schema["$id"]: schema for schema in schemas.values()}
validators = {}
for name, schema in schemas.items():
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == name + ".schema.json"
    resolver = jsonschema.RefResolver(base_uri="", referrer=schema, store=store)
    validators[name] = jsonschema.Draft202012Validator(schema, resolver=resolver)

# A format that the sources write or read has its schema, of its name and version, and its row in the page; no schema is of none.
def of_sources(pattern):
    texts = [open(path, encoding="utf-8").read() for folder in ("harness", "ci", "matrix", "kernels")
             for path in glob.glob(f"{source}/{folder}/**/*", recursive=True) if os.path.isfile(path)]
    return {found for text in texts for found in re.findall(pattern, text)}

def const_of(schema):
    return schema["properties"]["format"]["const"]

formats = of_sources(r"accprobe-[a-z-]+/[0-9]+")
assert len(formats) >= 17, formats
documented = set(re.findall(r"^\| `(accprobe-[a-z-]+/[0-9]+)`", open(source + "/docs/formats.md").read(), re.M))
described = {const_of(schema) for name, schema in schemas.items() if name != "prediction"}
assert formats == described == documented, (formats ^ described, formats ^ documented)

def names_of(data):
    name = data["format"].removeprefix("accprobe-").split("/")[0]
    return [name, "prediction"] if data.get("source") == "predicted" and name == "run" else [name]

seen, samples = {name: 0 for name in schemas}, {}
paths = glob.glob(source + "/golden/**/*.json", recursive=True) + glob.glob("answers/*.json") + glob.glob(source + "/docs/[hp]*/*.json")
assert len(paths) > 300
for path in paths:
    data = json.load(open(path))
    for name in names_of(data):
        error = jsonschema.exceptions.best_match(validators[name].iter_errors(data))
        assert not error, (path, name, list(error.absolute_path), error.message)
        seen[name] += 1
        if name not in samples or path.startswith("answers/" + name + "."): samples[name] = data
assert all(seen.values()), seen
print(seen)

# name: what breaks a sample of it. `same` is where the reader is looser on purpose: it passes over members it does not know.
def broken(name, change):
    data = copy.deepcopy(samples[name])
    exec(change, {"d": data})
    return data

changes = {
    "run": ["del d['source']", "d['source'] = 'guessed'", "d['roles'][0]['warps'] = 0", "d['roles'][0]['warps'] = 33",
            "del d['roles'][0]['cycles']['mean']", "d['roles'][0]['cycles']['n'] = -1", "d['roles'][0]['cycles']['n'] = 1.5",
            "del d['roles'][0]['progress']", "d['roles'][0]['cycles']['modes'] = [[68]]", "d['roles'][0]['sass'] = 'xyz'",
            "del d['roles'][0]['sass_exact']", "d['roles'][0]['role'] = ''", "d['roles'][0]['kernel'] = 1", "d['roles'] = []",
            "d['device']['sm_count'] = -1", "d['device']['arch'] = 'x' * 16", "d['device']['pci_device'] = '10de'",
            "d['device']['pci_id'] = '19:00.0'", "d['device']['mig'] = 'no'", "d['protocol']['blocks'] = '132'", "del d['device']",
            "d['format'] = 'accprobe-run/2'", "d['roles'][0]['cycles']['modes'] = [[68, 1.5]]", "d['roles'][0]['registers'] = 257",
            "d['roles'][0]['spills'] = 0", "d['roles'][0]['by_warp'] = [[0, 68, d['roles'][0]['cycles']['n']]]",
            "d['roles'][0].update(by_warp=[[0, 68]], beside=[])", "d['roles'][0].update(by_warp=[[32, 68, 1]], beside=[])",
            "d['roles'][0].update(by_warp=[], beside=[[0, 68, 1]])", "d['roles'][0].update(by_warp=[], beside=[[2, 68, 0]])"],
    "golden": ["d['levels'][0]['sessions'] = 9", "d['levels'] = []", "d['levels'][0]['tolerance'] = 0", "del d['sku']['sm_count']", "d['sku']['pci_device'] = '../x'",
               "d['source'] = 'document'", "d['orders'][0]['peak'] = []", "d['orders'][0]['ties'] = [[1]]", "d['growths'][0]['chains'] = [7]",
               "del d['records'][0]['reason']", "d['false_alarm_rate'] = 0.6", "d['levels'][0]['record'] = -1", "d['orders'][0]['margin'] = 2"],
    "shape": ["d['kernels'] = []", "del d['arch']", "del d['kernels'][0]['unknown']", "del d['kernels'][0]['laws']", "d['kernels'][0]['loop']['stall_sum'] = -1", "del d['kernels'][0]['loop']['hash']",
              "d['kernels'][0]['laws']['chain'] = False", "d['kernels'][0]['control_hash'] = 'zz'", "d['kernels'][0]['ffma'] = 1.5"],
    "prediction": ["d['device']['driver'] = '580'", "d['source'] = 'measured'", "d['reference'] = {'first_half': 1, 'second_half': 1}"],
    "verdict": ["d['verdict'] = 'FINE'", "d['exit_status'] = 5", "del d['lines'][0]['repeat']", "d['lines'][0]['reason'] = 'because'", "d['lines'][0]['value'] = None"],
    "diff": ["d['of'] = 'cubins'", "d['rows'][0]['class'] = 'other'; d['rows'][0]['before'] = '1'", "d['rows'].append({})"],
    "expected": ["d['expected'][0]['expires'] = 'soon'", "del d['expected'][0]['reason']", "d['expected'] = {}"],
    "loops": ["d['listings']['x'] = ['FFMA']", "d['listings'][next(iter(d['listings']))] = []"],
    "list": ["d['roles'] = []", "d['roles'][0]['chain'] = 0"],
    "doctor": ["del d['rows'][0]['state']"],
    "occupancy": ["d['rows'][0]['best'] = 2"],
    "fleet": ["d['rows'][0]['sessions'] = 10"],
    "sink": ["del d['rows'][0]['warps']"],
    "beside": ["del d['rows'][0]['mixed']", "d['rows'][0]['by accN'] = '1'"],
    "explain": ["del d['unknown' if 'unknown' in d else 'cycles']", "d['source'] = 'measured'", "d['instructions'][0]['stall'] = 16",
                "d['changes'] = [{}]", "d['bottleneck'] = ''"],
    "policy": ["d['cells'] = []", "d['cells'][0]['rule'] = 'BECAUSE'", "d['cells'][0]['over']['1'] = None", "d['device']['name'] = ''",
               "d['device']['sm_count'] = -1", "d['cells'][0]['ties'] = []"],
    "policy-kernels": ["d['cells'] = []", "d['cells'][0]['kernels'] = ''", "d['cells'][0]['chain'] = 7", "d['arch'] = 'sm90'", "del d['cells'][0]['split']"],
    "policy-judgement": ["del d['rows'][0]['regret']"],
    "verdicts": ["d['gpus'][0]['verdict'] = None", "d['gpus'][0]['verdict']['lines'][0]['reason'] = 'because'", "d['agreement'][0]['gpus'] = [0]"],
    "record": ["del d['path']", "d['rows_kept'] = -1"],
}
assert set(changes) == set(schemas), set(changes) ^ set(schemas)
count = 0
for name, list_of_changes in changes.items():
    for change in list_of_changes + ["d['unknown'] = 1", "d['format'] = 'accprobe-other/1'"]:
        data = broken(name, change)
        assert not validators[name].is_valid(data), (name, change, "fits the schema")
        count += 1
        verb = {"run": ["check"], "shape": ["diff", "answers/shape-out.json"], "golden": ["check", "session-1.json", "--golden", "broken"]}.get(name)
        if not verb or "unknown" in change: continue
        path = "broken.json"
        if name == "golden":
            path = glob.glob("golden/measured/*/optimal.json")[0].replace("golden/", "broken/", 1)
            os.makedirs(os.path.dirname(path), exist_ok=True)
        json.dump(data, open(path, "w"))
        command = [os.environ["accprobe"], *verb] + ([path] if name != "golden" else [])
        assert subprocess.run(command, capture_output=True).returncode == 4, (name, change, "is read all the same")
print(count, "broken files refused")
END
echo passed
