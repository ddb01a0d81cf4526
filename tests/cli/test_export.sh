#!/usr/bin/env bash
# accprobe export: what other tools read, held against their schemas and readers, with names from strangers in it.
# shellcheck source=tests/cli/expect.sh
source "${ACCP_SOURCE_DIR:?}/tests/cli/expect.sh" || exit 1
accprobe=$ACCP_BINARY_DIR/accprobe
ACCP_RECORDING=$(ls "$ACCP_SOURCE_DIR"/golden/measured/sm_90-132sm-*/optimal.run.json)
export ACCP_RECORDING
python_with jsonschema junitparser

# Three processes: a role that is slower, and texts that would end an attribute, an element or a field.
"$python" - <<'END'
import json, os
for process in range(3):
    run = json.load(open(os.environ["ACCP_RECORDING"]))
    run["protocol"]["seed"] = process
    run["device"]["name"] = "<script>alert('\"&')</script>|xy\uffff"
    for role in run["roles"]:
        if role["role"] == "optimal.chain29.acc2":
            cycles = role["cycles"]
            cycles.update(mean=cycles["mean"] * 1.03, max=cycles["max"] * 1.03)
    run["roles"].append({**run["roles"][0], "role": "]]><b a='", "kernel": "]]><b a='", "warps": 4})
    for member in "chain", "acc", "effective":
        del run["roles"][-1][member]
    json.dump(run, open(f"run-{process}.json", "w"))
END
for name in junit google-benchmark bencher github-action-benchmark lnt reframe ctest; do
    expect 0 '' "$accprobe" export --to $name --out $name.out run-*.json
    expect 0 '' "$accprobe" export --to $name run-*.json
    cmp -s stdout $name.out || broken "the same on standard output and in the file: $name"
done
"$python" - <<'END' || broken 'exports that hold what the run holds, as the formats have it'
import csv, json, os, sys, xml.etree.ElementTree
import jsonschema, junitparser

run = json.load(open("run-0.json"))
cycles = {(role["role"], role["warps"]): role["cycles"]["mean"] for role in run["roles"]}
data = {}
for name in "google-benchmark", "bencher", "github-action-benchmark":
    data[name] = json.load(open(name + ".out"))
    schema = json.load(open(os.environ["ACCP_SOURCE_DIR"] + f"/tests/data/consumers/{name}.schema.json"))
    jsonschema.validate(data[name], schema)

def near(left, right):
    return abs(left / right - 1) < 1e-4

benchmarks = data["google-benchmark"]["benchmarks"]
assert len(benchmarks) == 3 * len(cycles) and {b["repetition_index"] for b in benchmarks} == {0, 1, 2}
megahertz = data["google-benchmark"]["context"]["mhz_per_cpu"]
assert megahertz == run["device"]["sm_clock_max_mhz"]
for (role, warps), mean in cycles.items():
    key = f"{role}@{warps}"
    assert near(data["bencher"][key]["cycles"]["value"], mean), key
    assert [near(entry["value"], mean) for entry in data["github-action-benchmark"] if entry["name"] == key] == [True], key
    assert sum(b["name"] == f"{role}/warps:{warps}" and near(b["real_time"] * megahertz / 1000, mean) for b in benchmarks) == 3, key
slower = data["bencher"]["optimal.chain29.acc2@8"]["cycles"]
assert slower["lower_value"] < slower["value"] < slower["upper_value"]

lnt = json.load(open("lnt.out"))
assert lnt["format_version"] == "2" and lnt["machine"]["name"] == "sm_90-132sm-140gib-10de.2335"
assert lnt["run"]["llvm_project_revision"].isdigit() and len(lnt["tests"]) == len(cycles)
assert all(len(test["cycles"]) == 3 for test in lnt["tests"])

header, values = csv.reader(open("reframe.out"), delimiter="|")
assert len(header) == len(values) == 7 + 5 * len(cycles), (len(header), len(values))
log = dict(zip(header, values))
assert log["result"] == "fail" and near(float(log["optimal.chain29.acc2@8_value"]), cycles["optimal.chain29.acc2", 8])
assert float(log["optimal.chain29.acc2@8_value"]) > float(log["optimal.chain29.acc2@8_ref"]) * (1 + float(log["optimal.chain29.acc2@8_upper_thres"]))

suites = xml.etree.ElementTree.parse("junit.out").getroot()
suite, = suites
cases = suite.findall("testcase")
assert int(suite.get("tests")) == len(cases) > 100
assert int(suite.get("failures")) == len(suite.findall("testcase/failure")) > 0
assert int(suite.get("skipped")) == len(suite.findall("testcase/skipped")) > 0
assert {"SLOWER_SAME_SASS"} <= {failure.get("type") for failure in suite.iter("failure")}
device, = [p.get("value") for p in suite.iter("property") if p.get("name") == "device"]
assert device == "<script>alert('\"&')</script>|xy\ufffd", device
assert any(case.get("classname") == "]]><b a='" for case in cases)
read = junitparser.JUnitXml.fromfile("junit.out")
assert read.tests == len(cases) and read.failures == int(suite.get("failures"))
END

# Warps of a block that run different loops: each warp's cycles, and those beside each role, in every format that has a place for
# them, as the mean of the processes; none for what was not mixed.
python3 - <<'END'
import glob, json, os
path, = glob.glob(os.environ["ACCP_SOURCE_DIR"] + "/golden/measured/sm_90-132sm-*/mixed.run.json")
for process in range(2):
    run = json.load(open(path))
    run["protocol"]["seed"] = process
    for role in run["roles"]:
        if role["role"] == "mixed.chain29.acc1" and role["warps"] == 8 and process:
            role["by_warp"][7][1] += 2
            role["beside"][0][1] += 4
    json.dump(run, open(f"mixed-{process}.json", "w"))
END
for name in junit google-benchmark bencher github-action-benchmark; do
    expect 0 '' "$accprobe" export --to $name --out $name.mixed mixed-?.json
    ! grep -q 'warp7\|beside' $name.out || broken "no warp of a role whose warps ran one loop: $name"
done
"$python" - <<'END' || broken 'what each warp of mixed launches measured, in the exports that have a place for it'
import json, os, re, xml.etree.ElementTree
import jsonschema
runs = [json.load(open(f"mixed-{process}.json")) for process in range(2)]
rows = [[role for role in run["roles"] if (role["role"], role["warps"]) == ("mixed.chain29.acc1", 8)][0] for run in runs]
parts = [{f"{name}{key}": mean for member, name in (("by_warp", "warp"), ("beside", "beside-acc")) for key, mean, n in row[member]} for row in rows]
assert len(parts[0]) == 15 and parts[1]["warp7"] > parts[0]["warp7"] + 1.9 and parts[1]["beside-acc2"] > parts[0]["beside-acc2"] + 3.9
means = {name: (parts[0][name] + parts[1][name]) / 2 for name in parts[0]}
near = lambda left, right: left.keys() == right.keys() and all(abs(left[name] / right[name] - 1) < 1e-5 for name in left)
data = {name: json.load(open(name + ".mixed")) for name in ("google-benchmark", "bencher", "github-action-benchmark")}
for name in data:
    jsonschema.validate(data[name], json.load(open(os.environ["ACCP_SOURCE_DIR"] + f"/tests/data/consumers/{name}.schema.json")))
said = lambda text: {name: float(mean) for name, mean in re.findall(r"((?:warp|beside-acc)\d+) ([0-9.]+)", text)}
told = [{key[7:]: value for key, value in row.items() if key.startswith("cycles-")} for row in data["google-benchmark"]["benchmarks"]
        if row["name"] == "mixed.chain29.acc1/warps:8"]
assert [near(left, right) for left, right in zip(told, parts)] == [True, True], told
told = {key[7:]: measure["value"] for key, measure in data["bencher"]["mixed.chain29.acc1@8"].items() if key != "cycles"}
assert near(told, means), told
told, = [said(entry["extra"]) for entry in data["github-action-benchmark"] if entry["name"] == "mixed.chain29.acc1@8"]
assert near(told, means), told
cases = {case.get("name"): case.findtext("system-out") for case in xml.etree.ElementTree.parse("junit.mixed").iter("testcase")}
assert near(said(cases["mixed.chain29.acc1.level@8"]), means), cases["mixed.chain29.acc1.level@8"]
assert not said(cases["mixed.chain29.acc1.structure"]) and len(said(cases["mixed.chain29.acc1.level@4"])) == 4
END

# valid FILE SCHEMA; invalid FILE SCHEMA: what its reader would take, and would not.
valid() { xmllint --noout --relaxng "$ACCP_SOURCE_DIR/tests/data/consumers/$2.rng" "$1" 2>stderr || broken "$1 to be valid by $2"; }
invalid() {
    ! xmllint --noout --relaxng "$ACCP_SOURCE_DIR/tests/data/consumers/$2.rng" "$1" 2>stderr || broken "$1 not to be valid by $2"
    grep -q 'fails to validate' stderr || broken "$1 to be read, and to fail by $2"
}

# Jenkins' xunit plugin: runs that fail (above), that pass, that were disturbed, and that no golden answers for.
if command -v xmllint >/dev/null; then
    valid junit.out xunit
    sed 's/"throttle": "none"/"throttle": "sw_power_cap"/' run-0.json >disturbed.json
    sed 's/10de:2335/10de:ffff/' "$ACCP_RECORDING" >strange.json
    for run in "$ACCP_RECORDING" disturbed.json strange.json; do
        expect 0 '' "$accprobe" export --to junit --out junit.xml "$run"
        valid junit.xml xunit
    done
    sed 's/ errors="[0-9]*"//' junit.out >without.xml
    invalid without.xml xunit
    sed 's/ time="[^"]*"//; s/<testsuite /<testsuite time="1e3" /' junit.out >time.xml
    invalid time.xml xunit
else
    echo "not tried: the schema of Jenkins' xunit plugin, CDash's schema (xmllint of libxml2-utils)"
fi

# LLVM's LNT: its own check of the format, and every sample in a new instance.
lnt=${ACCPROBE_CACHE:-$ACCP_SOURCE_DIR/.cache}/lnt
if PYTHONPATH=$lnt "$lnt/bin/lnt" --help >/dev/null 2>&1; then
    export PYTHONPATH=$lnt
    # Processes that differ, so that no mean of theirs passes for a sample.
    for process in 0 1 2; do
        python3 -c 'import json, sys; run = json.load(sys.stdin); [role["cycles"].update({key: role["cycles"][key] * (1 + 0.002 * int(sys.argv[1])) for key in ("mean", "min", "max")}) for role in run["roles"]]; print(json.dumps(run))' \
            $process <run-$process.json >lnt-$process.json
    done
    "$accprobe" export --to lnt --out lnt.out lnt-?.json || broken 'an export of processes that differ'
    "$lnt/bin/lnt" checkformat lnt.out >lnt.log 2>&1 || broken "lnt checkformat: $(tail -n3 lnt.log)"
    grep -q 'Validation succeeded. .*Tests: 49' lnt.log || broken "49 tests: $(cat lnt.log)"
    "$lnt/bin/lnt" create instance >lnt.log 2>&1 || broken "an instance: $(tail -n3 lnt.log)"
    cp "$ACCP_SOURCE_DIR/docs/lnt/accprobe.yaml" instance/schemas/
    "$lnt/bin/lnt" import instance --testsuite accprobe lnt.out >lnt.log 2>&1 || broken "lnt import: $(tail -n3 lnt.log)"
    unset PYTHONPATH
    python3 - <<'END' || broken "every sample imported: $(tail -n20 lnt.log)"
import json, sqlite3
database = sqlite3.connect("instance/data/lnt.db")
samples = database.execute('select t.Name, s.cycles from accprobe_Sample s join accprobe_Test t on s.TestID = t.ID').fetchall()
runs = [json.load(open(f"lnt-{process}.json")) for process in range(3)]
wanted = sorted((f"{role['role']}@{role['warps']}", role["cycles"]["mean"]) for run in runs for role in run["roles"])
assert len(samples) == len(wanted) == 147, (len(samples), len(wanted))
for (name, cycles), (role, mean) in zip(sorted(samples), wanted):
    assert name.endswith(role) and abs(cycles / mean - 1) < 1e-4, (name, role, cycles, mean)
END
else
    echo 'not tried: LNT (ci/setup --tests installs it)'
fi

# Google Benchmark's own comparison, where it is: the role that is slower, by how much, and no other.
compare=/usr/share/benchmark/compare.py
if [ -e $compare ] && /usr/bin/python3 -c 'import scipy' 2>/dev/null; then
    expect 0 '' "$accprobe" export --to google-benchmark --out old.json "$ACCP_RECORDING"
    expect 0 '' "$accprobe" export --to google-benchmark --out new.json run-0.json
    /usr/bin/python3 $compare benchmarks old.json new.json >compared 2>&1 || broken "compare.py to read both: $(tail -n3 compared)"
    sed 's/\x1b\[[0-9;]*m//g' compared | LC_ALL=C awk '$1 ~ /^optimal/ && $2 + 0 != 0 { print $1, $2 }' >moved
    printf 'optimal.chain29.acc2/warps:%s +0.0300\n' 4 8 | cmp -s - moved || broken "the slower role in compare.py's words: $(cat moved)"
else
    echo "not tried: compare.py (libbenchmark-tools, python3-scipy)"
fi

# Measurements reach CTest's Test.xml.
echo "add_test(check \"$accprobe\" check --measurements run-0.json)" >CTestTestfile.cmake
printf 'BuildDirectory: %s\nSourceDirectory: %s\n' "$scratch" "$scratch" >DartConfiguration.tcl
mkdir Testing
ctest -D ExperimentalStart >ctest.log 2>&1
ctest -T Test >>ctest.log 2>&1
"$python" - <<'END' || broken 'measurements in Test.xml'
import glob, json, xml.etree.ElementTree
found, = glob.glob("Testing/*/Test.xml")
test = xml.etree.ElementTree.parse(found).getroot()
measured = {m.get("name"): m.findtext("Value") for m in test.iter("NamedMeasurement") if m.get("type") == "numeric/double"}
mean, = [r["cycles"]["mean"] for r in json.load(open("run-0.json"))["roles"] if (r["role"], r["warps"]) == ("optimal.chain29.acc2", 8)]
assert abs(float(measured["optimal.chain29.acc2.level@8 cycles"]) / mean - 1) < 1e-4, measured
END
if command -v xmllint >/dev/null; then
    cp Testing/*/Test.xml Test.xml
    valid Test.xml cdash-test
    sed 's/ Status="[a-z]*"//' Test.xml >without.xml
    invalid without.xml cdash-test
fi

expect 4 'needs --to and one of junit' "$accprobe" export run-0.json
expect 4 'not xunit' "$accprobe" export --to xunit run-0.json
expect 4 'cannot open' "$accprobe" export --to junit nothing.json
expect 4 'no-folder' "$accprobe" export --to junit --out no-folder/junit.xml run-0.json
head -c 3000 run-0.json >half.json
expect 4 'not valid JSON' "$accprobe" export --to junit --out half.xml half.json
[ ! -e half.xml ] || broken 'no file from bad input'
echo passed
