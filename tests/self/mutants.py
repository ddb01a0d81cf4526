"""The mutants of mutations.def, at every place of every hot loop of the optimal probe.

mutants.py shapes                    what the static gate says of each, and whether a law stops those that break one
mutants.py gather FOLDER DATE        writes tests/data/mutants.tsv from the runs that ci/mutants made on a GPU
mutants.py replay                    judges the recorded ones by their cycles alone, against today's golden

Prints a line a mutation; exit status 0, 1 after a line for each mutant that slipped through, 77 without kernels for
the recorded GPU.
"""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.environ.get("ACCP_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
BINARY = os.environ.get("ACCP_BINARY_DIR", os.path.join(SOURCE, "build"))
TOOL, MUTATE = os.path.join(BINARY, "accprobe"), os.path.join(BINARY, "mutate")
BUILT = os.path.join(BINARY, "cubin/sm_90/optimal.cubin")
RECORD = os.path.join(SOURCE, "tests/data/mutants.tsv")
WARPS = (4, 8)  # one warp a scheduler, and two
# With one warp a scheduler an iteration takes whole cycles: less than half of one is no change.
LEAST_CHANGE = 0.5


def mutations():
    """{id: kind}"""
    text = open(os.path.join(SOURCE, "tests/self/mutations.def"), encoding="utf-8").read()
    return dict(re.findall(r"^MUTATION\((\w+), *(\w+),", text, re.M))


def golden_run():
    path = glob.glob(os.path.join(SOURCE, "golden/measured/sm_90-132sm-*/optimal.run.json"))[0]
    return json.load(open(path, encoding="utf-8"))


def role_of(kernel):
    return re.sub(r"^(\w+?)_(chain\d+)_(acc\d+)_.*", r"\1.\2.\3", kernel)


def run(*command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **more)


def parallel(cases, work):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, cases))


def finish(table, slips):
    for line in table:
        print(line)
    for slip in slips:
        print("slipped through:", slip)
    return 1 if slips else 0


def golden_of_build(folder):
    """A golden of this very build, whatever its compiler."""
    for command in (["init", "-q"], ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q",
                                     "--allow-empty", "-m", "test"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    golden, shape = os.path.join(folder, "golden"), os.path.join(folder, "shape.json")
    os.mkdir(golden)
    version = json.loads(run(TOOL, "shape", "--cubin", BUILT, "--golden", golden, "--format", "json").stdout)["compiler"]["version"]
    compiler = version if version.count(".") == 2 else version + ".0"
    for command in (["shape", "--cubin", BUILT, "--compiler", compiler, "--golden", golden, "--out", shape],
                    ["record", shape, "--golden", golden, "--reason", "test"]):
        done = run(TOOL, *command)
        assert done.returncode == 0, done.stderr
    return golden


def shape_one(folder, golden, mutation, kind, site):
    """(mutants, slips) of one mutation at one place of every loop."""
    cubin = os.path.join(folder, f"{mutation}.{site}.cubin")
    made = run(MUTATE, BUILT, "all", mutation, cubin, str(site))
    if made.returncode != 0:
        return 0, []
    verdicts = json.loads(run(TOOL, "shape", "--cubin", cubin, "--golden", golden, "--format", "json").stdout)["verdicts"]
    slips, mutants = [], [line.split()[0] for line in made.stdout.splitlines()]
    for kernel in mutants:
        said = verdicts[role_of(kernel)]
        wanted = "FAIL" if kind == "LAW" else "PASS" if mutation == "bank" else "DRIFT"
        if said["verdict"] != wanted or (mutation == "bank" and "other register names" not in said["text"]):
            slips.append(f"{mutation} {site} {kernel}: {said}")
        if kind == "LAW" and site == 0:
            fake = {"ACCPROBE_LIBCUDA": os.path.join(BINARY, "fake/libcuda.so.1"), "ACCP_FAKE": "ok",
                    "ACCPROBE_LIBNVML": os.path.join(BINARY, "fake/libnvidia-ml.so.1")}
            done = run(TOOL, "measure", "--cubin", cubin, "--kernel", kernel, env={**os.environ, **fake})
            if done.returncode != 1 or "law" not in done.stderr:
                slips.append(f"{mutation} {site} {kernel} was measured: {done.stderr}")
    os.remove(cubin)
    return len(mutants), slips


def shapes():
    if not os.path.exists(BUILT):
        print("skipped: no kernels for sm_90 in this build")
        return 77
    table, slips = [], []
    with tempfile.TemporaryDirectory() as folder:
        golden = golden_of_build(folder)
        for mutation, kind in mutations().items():
            found = parallel(range(64), lambda site: shape_one(folder, golden, mutation, kind, site))
            by = "a law" if kind == "LAW" else "other register names, noted" if mutation == "bank" else "another hot loop"
            table.append(f"{mutation:8} {sum(count for count, _ in found):5} mutants: {by}")
            slips += [slip for _, some in found for slip in some]
    return finish(table, slips)


def gather(folder, date):
    """A line for each mutation, role and number of warps: the means of its sites, in order."""
    wrong = set()
    failed = os.path.join(folder, "failed.txt")
    for line in open(failed, encoding="utf-8") if os.path.exists(failed) else ():
        mutation, site, _, text = line.split(" ", 3)
        wrong.add((mutation, int(site), re.search(r"optimal\.\w+\.\w+", text).group(0)))
    head = json.load(open(os.path.join(folder, "runs/none.0.json"), encoding="utf-8"))
    lines = [f"# Every mutant of tests/self/mutations.def that can be timed, on {head['device']['name']} "
             f"({head['device']['sm_count']} SMs, driver {head['device']['driver']}), "
             f"{head['compiler']['name']} {head['compiler']['version']}, {date}, by ci/mutants.",
             "# mutation, role, warps, and for each place in the loop, in order: mean cycles per iteration; - wrong result; ? not timed."]
    for mutation in mutations():
        rows = {}
        for site in range(64):
            names, path = os.path.join(folder, f"runs/{mutation}.{site}.txt"), os.path.join(folder, f"runs/{mutation}.{site}.json")
            if not os.path.exists(names):
                break
            found = {(role["role"], role["warps"]): role["cycles"]["mean"]
                     for role in (json.load(open(path, encoding="utf-8"))["roles"] if os.path.exists(path) else ())}
            for kernel in (line.split()[0] for line in open(names, encoding="utf-8")):
                for warps in WARPS:
                    key = role_of(kernel), warps
                    mean = found.get(key)
                    is_wrong = (mutation, site, key[0]) in wrong
                    text = "-" if is_wrong else "?" if mean is None else f"{mean:.3f}".rstrip("0").rstrip(".")
                    rows.setdefault(key, []).append(text)
        lines += ["\t".join((mutation, role, str(warps), " ".join(means))) for (role, warps), means in rows.items()]
    open(RECORD, "w", encoding="utf-8").write("\n".join(lines) + "\n")
    return 0


def recorded():
    """{mutation: {site: {(role, warps): mean, or "-" or "?"}}}"""
    found = {}
    for line in open(RECORD, encoding="utf-8"):
        if line.startswith("#"):
            continue
        mutation, role, warps, means = line.rstrip("\n").split("\t")
        for site, mean in enumerate(means.split(" ")):
            found.setdefault(mutation, {}).setdefault(site, {})[role, int(warps)] = mean if mean in "-?" else float(mean)
    return found


def judge(folder, base, name, levels):
    """What the gate says of a run with these levels and no word about its SASS: {(role, warps): verdict}."""
    path = os.path.join(folder, name)
    changed = json.loads(json.dumps(base))
    for role in changed["roles"]:
        role.pop("sass", None)
        role.pop("sass_exact", None)
        mean = levels.get((role["role"], role["warps"]))
        if isinstance(mean, float):
            role["cycles"] = {"mean": mean, "min": mean, "max": mean, "n": role["cycles"]["n"], "modes": [[mean, 1.0]]}
            role["progress"] = base["protocol"]["budget_cycles"] / mean
    json.dump(changed, open(path, "w", encoding="utf-8"))
    done = run(TOOL, "check", path, "--golden", os.path.join(SOURCE, "golden"), "--all", "--format", "json",
               "--pending", os.path.join(folder, "pending"))
    os.remove(path)
    if not done.stdout:
        raise SystemExit(f"no verdict: {done.stderr}")
    return {(line["role"], line["warps"]): line["verdict"] for line in json.loads(done.stdout)["lines"]
            if ".level@" in line["claim"]}


def replay():
    base, table, slips = golden_run(), [], []
    before = {(role["role"], role["warps"]): role["cycles"]["mean"] for role in base["roles"]}
    with tempfile.TemporaryDirectory() as folder:
        for mutation, sites in recorded().items():
            judged = parallel(sites.items(), lambda item: judge(folder, base, f"{mutation}.{item[0]}.json", item[1]))
            counts, stalls = dict.fromkeys(("exact", "load", "wrong", "same", "untimed"), 0), {}
            for (site, levels), verdicts in zip(sites.items(), judged):
                for role in {role for role, _ in levels}:
                    if levels[role, WARPS[0]] in ("-", "?"):
                        counts["wrong" if levels[role, WARPS[0]] == "-" else "untimed"] += 1
                        continue
                    change = levels[role, WARPS[0]] - before[role, WARPS[0]]
                    caught = [verdicts[role, warps] != "PASS" for warps in WARPS]
                    counts["exact" if caught[0] else "load" if caught[1] else "same"] += 1
                    if abs(change) >= LEAST_CHANGE and verdicts[role, WARPS[0]] != ("FAIL" if change > 0 else "WIN"):
                        slips.append(f"{mutation} {site} {role}: {change:+.3f} cycles with one warp a scheduler")
                    if mutation == "stall":
                        stalls.setdefault(role, []).append(round(change, 1))
            if mutation == "stall":
                slips += [f"stall {role}: {changes}" for role, changes in stalls.items()
                          if not set(changes) <= {0, 1, 2} or changes.count(1) < 2 / 3 * len(changes)]
                costs = [change for changes in stalls.values() for change in changes]
                table.append(f"stall: {costs.count(1)} cost exactly one cycle with one warp a scheduler, "
                             f"{costs.count(2)} two, {costs.count(0)} none; every role has two thirds that cost one")
            table.append(f"{mutation:8} {sum(counts.values()):5} mutants: {counts['exact']} by their cycles with one warp a "
                         f"scheduler, {counts['load']} with two only, {counts['wrong']} by a wrong result, "
                         f"{counts['same']} within the tolerance of both levels, {counts['untimed']} not timed")
    return finish(table, slips)


if __name__ == "__main__":
    sys.exit({"shapes": shapes, "gather": gather, "replay": replay}[sys.argv[1]](*sys.argv[2:]))
