"""The mutants of mutations.def, at every place of the loop of every role.

mutants.py shapes [STEP]             what the static gate says of each, and whether a law stops those that break one; beyond the optimal probe,
                                     of every STEPth place (all: 1 minute of a core)
mutants.py keep FOLDER DATE [ROLES]  writes tests/data/mutants.tsv and docs/trust/stalls.tsv from what ci/mutants timed on a GPU; what the model
                                     says is asked of the roles that match ROLES (all), and of places that are new or cost something else
mutants.py model                     writes the last column of docs/trust/stalls.tsv anew, from what the model of this build says
mutants.py same                      writes docs/trust/same_cycles.tsv: those that the gate's cycles cannot tell from the unchanged
mutants.py replay                    judges the recorded ones by their cycles alone, against today's golden

Prints a line a mutation; exit status 0, 1 after a line for each mutant that slipped through, 77 without kernels for
the recorded GPU.
"""
import concurrent.futures
import functools
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
RECORD = os.path.join(SOURCE, "tests/data/mutants.tsv")
ODD_STALLS = os.path.join(SOURCE, "docs/trust/stalls.tsv")
SAME_CYCLES = os.path.join(SOURCE, "docs/trust/same_cycles.tsv")
PROBES = ("optimal", "sink", "tail", "dependency", "dispatch", "mixed")
SHARED = ("dispatch", "mixed")  # whose roles share kernels
EXIT_STATUS = {"PASS": 0, "FAIL": 1, "DRIFT": 2}
WARPS = (4, 8)  # one warp a scheduler, and two
# With one warp a scheduler an iteration takes whole cycles: less than half of one is no change.
LEAST_CHANGE = 0.5
COST_DIGITS = 1  # the means of sinks that store vary by a hundredth of a cycle between processes


def mutations():
    """{id: (kind, reach)}"""
    text = open(os.path.join(SOURCE, "tests/self/mutations.def"), encoding="utf-8").read()
    return {name: (kind, reach) for name, kind, reach in re.findall(r"^MUTATION\((\w+), *(\w+), *(\w+),", text, re.M)}


def golden_run(probe):
    path = glob.glob(os.path.join(SOURCE, f"golden/measured/sm_90-132sm-*/{probe}.run.json"))[0]
    return json.load(open(path, encoding="utf-8"))


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


def built(probe):
    return os.path.join(BINARY, f"cubin/sm_90/{probe}.cubin")


def golden_of_build(folder):
    """A golden of this very build, whatever its compiler."""
    for command in (["init", "-q"], ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q",
                                     "--allow-empty", "-m", "test"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    golden, shape = os.path.join(folder, "golden"), os.path.join(folder, "shape.json")
    os.mkdir(golden)
    for probe in PROBES:
        version = json.loads(run(TOOL, "shape", "--cubin", built(probe), "--golden", golden, "--format", "json").stdout)["compiler"]["version"]
        compiler = version if version.count(".") == 2 else version + ".0"
        for command in (["shape", "--cubin", built(probe), "--compiler", compiler, "--golden", golden, "--out", shape],
                        ["record", shape, "--golden", golden, "--reason", "test"]):
            done = run(TOOL, *command)
            assert done.returncode == 0, done.stderr
    return golden


def judged_shapes(verdicts, changed, wanted):
    """Lines of what the static gate should have said otherwise."""
    slips = [f"{role}: {verdicts.get(role, 'no verdict')}" for role in changed
             if role not in verdicts or verdicts[role]["verdict"] != wanted[0] or wanted[1] not in verdicts[role].get("text", "")]
    return slips + [f"{role}, unchanged: {said}" for role, said in verdicts.items() if role not in changed and said["verdict"] != "PASS"]


def not_stopped(cubin):
    """What a measurement over the fake driver says that no law stops; or nothing."""
    fake = {"ACCPROBE_LIBCUDA": os.path.join(BINARY, "fake/libcuda.so.1"), "ACCP_FAKE": "ok",
            "ACCPROBE_LIBNVML": os.path.join(BINARY, "fake/libnvidia-ml.so.1")}
    done = run(TOOL, "measure", "--cubin", cubin, env={**os.environ, **fake})
    return [] if done.returncode == 1 and "law" in done.stderr else [f"was measured: {done.stderr}"]


def shapes_of(folder, golden, probe, mutation, turn, step):
    """(mutants, slips) of one mutation at every place, or every STEPth, of the loops of one probe: all at once, or those whose turn it is."""
    kind = mutations()[mutation][0]
    wanted = {"LAW": ("FAIL", "law ")}.get(kind, ("PASS", "other register names") if mutation == "bank" else ("DRIFT", ""))
    cubin, count, slips, site = os.path.join(folder, f"{probe}.{mutation}.{turn}.cubin"), 0, [], 0
    while True:
        made = run(MUTATE, built(probe), "all", mutation, cubin, str(site), str(turn))
        if made.returncode != 0:
            return count, slips
        said = run(TOOL, "shape", "--cubin", cubin, "--golden", golden, "--format", "json")
        changed = [line.split()[0] for line in made.stdout.splitlines()]
        found = judged_shapes(json.loads(said.stdout)["verdicts"], changed, wanted)
        if said.returncode != EXIT_STATUS[wanted[0]]:
            found.append(f"exit status {said.returncode}")
        found += not_stopped(cubin) if kind == "LAW" and site == 0 else []
        slips += [f"{mutation} {site} {line}" for line in found]
        count, site = count + len(changed), site + step
        os.remove(cubin)


def shapes(step=1):
    """Every place of the optimal probe, and every STEPth of the others."""
    if not all(os.path.exists(built(probe)) for probe in PROBES):
        print("skipped: no kernels for sm_90 in this build")
        return 77
    cases = [(probe, mutation, turn) for mutation, (_, reach) in mutations().items() for probe in PROBES
             for turn in range(8 if reach == "KERNEL" and probe in SHARED else 1)]
    with tempfile.TemporaryDirectory() as folder:
        golden = golden_of_build(folder)
        found = parallel(cases, lambda case: shapes_of(folder, golden, *case, 1 if case[0] == PROBES[0] else int(step)))
    table = []
    for mutation, (kind, _) in mutations().items():
        mine = [(probe == PROBES[0], count) for (probe, name, _), (count, _) in zip(cases, found) if name == mutation]
        counts = [sum(count for is_first, count in mine if is_first == wanted) for wanted in (True, False)]
        by = "a law" if kind == "LAW" else "other register names, noted" if mutation == "bank" else "another hot loop"
        table.append(f"{mutation:8} {counts[0]:5} mutants of the optimal probe, {counts[1]:5} of the others: {by}")
    return finish(table, [slip for _, slips in found for slip in slips])


def rows(path):
    """The lines of a file of time_mutants: (mutation, role, warps, [mean, "-" or "."]), in its order."""
    for line in open(path, encoding="utf-8"):
        if not line.startswith("#"):
            mutation, role, warps, means = line.rstrip("\n").split("\t")
            yield mutation, role, int(warps), [mean if mean in "-." else float(mean) for mean in means.split(" ")]


def timed(paths):
    """{mutation: {(role, warps): [mean, ... by place]}}"""
    found = {}
    for path in paths:
        for mutation, role, warps, means in rows(path):
            found.setdefault(mutation, {})[role, warps] = means
    return found


def cost(found, mutation, role, place):
    """Cycles an iteration more with one warp a scheduler, or "." where nothing was timed."""
    mean = found[mutation][role, WARPS[0]][place]
    return mean if mean in ("-", ".") else round(mean - found["none"][role, WARPS[0]][0], COST_DIGITS) + 0.0


@functools.lru_cache(maxsize=None)
def explained(*loop):
    """What the issue model says of a loop with one warp a scheduler."""
    done = run(TOOL, "explain", *loop, "--warps", str(WARPS[0]), "--format", "json")
    return json.loads(done.stdout) if done.returncode == 0 else None


def reason(folder, role, place):
    """(address, instruction, why a stall cycle more there does not cost one: which wait of the model is the shorter for it)."""
    cubin = os.path.join(folder, f"{role}.{place}.cubin")
    kernel, address = run(MUTATE, built(role.split(".")[0]), role, "stall", cubin, str(place)).stdout.split()
    # Of the warps of a mixed role each runs a loop of its own, which is that of the role of dispatch with its name: alone on its
    # scheduler it takes as long.
    address, before = int(address, 16), explained(role.replace("mixed.", "dispatch."))
    if not before:
        return hex(address), "?", "the model does not time this loop"
    after = explained("--cubin", cubin, "--kernel", kernel, "--loop", hex(before["loop"]["address"]))
    os.remove(cubin)
    (text,) = [one["text"] for one in before["instructions"] if one["address"] == address]
    moved = {cause: after["causes"].get(cause, 0) - cycles for cause, cycles in before["causes"].items() if cause != "stall"}
    moved.update({cause: cycles for cause, cycles in after["causes"].items() if cause not in before["causes"]})
    shorter = [f"{cause} {change:+g}" for cause, change in sorted(moved.items()) if round(change, 2)]
    # A wait that covers the stall keeps its name and its length.
    covers = sorted({cause for one in after["instructions"] if address <= one["address"] <= address + 16
                     for cause in one["cycles"] if cause not in ("issued", "stall")})
    predicted = after["cycles"]["mean"] - before["cycles"]["mean"]
    return hex(address), text, f"{predicted:+g}: {', '.join(shorter) or ('under ' + ' and '.join(covers) if covers else 'no wait covers it')}"


def known_places():
    """{(role, place): the columns} of docs/trust/stalls.tsv."""
    lines = [line.rstrip("\n").split("\t") for line in open(ODD_STALLS, encoding="utf-8")]
    return {(line[0], int(line[1])): line for line in lines if len(line) == 9 and line[1].isdigit()}


def keep(folder, date, roles=""):
    """tests/data/mutants.tsv and docs/trust/stalls.tsv, from what ci/mutants left."""
    paths = [os.path.join(folder, f"{probe}.tsv") for probe in PROBES]
    where = open(paths[0], encoding="utf-8").readline().strip()
    found = timed(paths + [path.replace(".tsv", ".ladder.tsv") for path in paths])
    with open(RECORD, "w", encoding="utf-8") as file:
        print(f"{where}, {date}: every mutant of tests/self/mutations.def that can be timed, in every\n"
              "# role; by ci/mutants. Mutation, role, warps, and for each place in the loop, in order: mean cycles per iteration; - where\n"
              "# the result was wrong.", file=file)
        for path in paths:
            file.writelines(line for line in open(path, encoding="utf-8") if not line.startswith("#"))
    odd = [(role, place) for (role, warps), means in found["stall"].items() if warps == WARPS[0]
           for place in range(len(means)) if cost(found, "stall", role, place) != 1]
    known = known_places()

    def why_of(scratch, role, place):
        line = known.get((role, place))
        if line and not re.search(roles, role) and float(line[4]) == cost(found, "stall", role, place):
            return line[2], line[3], line[8]
        return reason(scratch, role, place)

    with tempfile.TemporaryDirectory() as scratch:
        why = parallel(odd, lambda one: why_of(scratch, *one))
    with open(ODD_STALLS, "w", encoding="utf-8") as file:
        print(f"{where}, {date}: the places where one stall cycle more does not cost one cycle with one warp a scheduler (ci/mutants).\n"
              "# cost_N: cycles an iteration more for N stall cycles more, . where its bits hold no such count; at_8: change of the mean at\n"
              "# 8 warps, percent; model: what the issue model predicts for one more, and which of its waits becomes shorter or longer.\n"
              "role\tplace\taddress\tinstruction\tcost_1\tcost_2\tcost_4\tat_8\tmodel", file=file)
        for (role, place), (address, text, model) in zip(odd, why):
            costs = [cost(found, f"stall{more}", role, place) for more in ("", "+2", "+4")]
            load = 100 * (found["stall"][role, WARPS[1]][place] / found["none"][role, WARPS[1]][0] - 1)
            print(role, place, address, text, *(f"{one:g}" if isinstance(one, float) else one for one in costs), f"{load:+.2f}", model, sep="\t", file=file)
    print(f"{len(odd)} places")
    return 0


def rejudge():
    """The last column of docs/trust/stalls.tsv, from today's model."""
    lines = [line.rstrip("\n").split("\t") for line in open(ODD_STALLS, encoding="utf-8")]
    places = [line for line in lines if len(line) == 9 and line[1].isdigit()]
    with tempfile.TemporaryDirectory() as scratch:
        why = parallel(places, lambda line: reason(scratch, line[0], int(line[1])))
    for line, (address, text, model) in zip(places, why):
        line[2:4], line[8] = (address, text), model
    with open(ODD_STALLS, "w", encoding="utf-8") as file:
        file.writelines("\t".join(line) + "\n" for line in lines)
    print(f"{len(places)} places, {sum(float(line[4]) == float(line[8].split(':')[0]) for line in places if ':' in line[8])} as predicted")
    return 0


def recorded():
    """{(mutation, role, place): {warps: mean or "-"}}"""
    found = {}
    for mutation, role, warps, means in rows(RECORD):
        for place, mean in enumerate(means):
            found.setdefault((mutation, role, place), {})[warps] = mean
    return found


def judge(folder, base, name, levels):
    """What the gate says of a run with these levels and no word about its SASS: {(role, warps): verdict}."""
    path, roles = os.path.join(folder, name), []
    for role in base["roles"]:
        mean = levels.get((role["role"], role["warps"]))
        if mean is None:
            continue
        cycles = {"mean": mean, "min": mean, "max": mean, "n": role["cycles"]["n"], "modes": [[mean, 1.0]]}
        kept = {member: value for member, value in role.items() if member not in ("sass", "sass_exact", "by_warp", "beside")}
        roles.append({**kept, "cycles": cycles, "progress": base["protocol"]["budget_cycles"] / mean})
    changed = {**base, "roles": roles}
    json.dump(changed, open(path, "w", encoding="utf-8"))
    done = run(TOOL, "check", path, "--golden", os.path.join(SOURCE, "golden"), "--all", "--format", "json", "--claim", "[.]level@",
               "--pending", os.path.join(folder, "pending"))
    os.remove(path)
    if not done.stdout:
        raise SystemExit(f"no verdict: {done.stderr}")
    return {(line["role"], line["warps"]): line["verdict"] for line in json.loads(done.stdout)["lines"]}


def odd_stalls():
    """{(role, place): cost} of docs/trust/stalls.tsv"""
    return {place: float(line[4]) for place, line in known_places().items()}


def judged_all(base, found):
    """{(mutation, role, place): the verdicts at each of WARPS}, of all that were timed: a run holds as many of them as there are roles."""
    queues = {}
    for key, means in found.items():
        if "-" not in means.values():
            queues.setdefault(key[1], []).append(key)
    rounds = [[queue[number] for queue in queues.values() if number < len(queue)] for number in range(max(map(len, queues.values())))]
    with tempfile.TemporaryDirectory() as folder:
        said = parallel(enumerate(rounds), lambda item: judge(folder, base, f"{item[0]}.json", {
            (key[1], warps): mean for key in item[1] for warps, mean in found[key].items()}))
    return {key: [verdicts[key[1], warps] for warps in WARPS] for keys, verdicts in zip(rounds, said) for key in keys}


def count_stalls(found, table, slips):
    """Each place costs one cycle, or stands in the table of those that do not."""
    odd, exact = odd_stalls(), WARPS[0]
    costs = {(role, place): round(means[exact] - found["none", role, 0][exact], COST_DIGITS) + 0.0
             for (mutation, role, place), means in found.items() if mutation == "stall"}
    for (role, place), cost in costs.items():
        if cost != odd.get((role, place), 1):
            slips.append(f"stall {place} {role}: {cost:+g} cycles, where docs/trust/stalls.tsv has {odd.get((role, place), 1):+g}")
    slips += [f"stall {place} {role} stands in docs/trust/stalls.tsv and was not timed" for role, place in odd.keys() - costs.keys()]
    roles = {role for role, _ in costs}
    for role in roles:
        if not any(costs[key] == 1 for key in costs if key[0] == role):
            slips.append(f"stall {role}: no place costs a cycle")
    table.append(f"stall: of {len(costs)} places in {len(roles)} roles {sum(one == 1 for one in costs.values())} cost exactly one cycle with one "
                 f"warp a scheduler; the others stand in docs/trust/stalls.tsv")


def check_same(same, writes, slips):
    """The mutants that the gate's cycles cannot tell from the kernels as they are stand in a table, by name."""
    lines = [f"{mutation}\t{role}\t{' '.join(map(str, sorted(places)))}\n" for (mutation, role), places in same.items()]
    if writes:
        with open(SAME_CYCLES, "w", encoding="utf-8") as file:
            file.write("# Mutants of tests/data/mutants.tsv whose cycles lie inside the tolerance of both levels (mutants.py same): mutation, role,\n"
                       "# places in the loop. Their SASS gives them away: all but those of bank are DRIFT.\n")
            file.writelines(lines)
    kept = [line for line in open(SAME_CYCLES, encoding="utf-8") if not line.startswith("#")]
    slips += [f"not as docs/trust/same_cycles.tsv has it: {line.strip()}" for line in sorted(set(lines) ^ set(kept))]


def replay(writes=False):
    base, table, slips, same, counts = golden_run(PROBES[0]), [], [], {}, {}
    for probe in PROBES[1:]:
        base["roles"] += golden_run(probe)["roles"]
    before = {role["role"]: role["cycles"]["mean"] for role in base["roles"] if role["warps"] == WARPS[0]}
    found = recorded()
    verdicts = judged_all(base, found)
    for (mutation, role, place), means in found.items():
        group = counts.setdefault((mutation, PROBES[0] if role.startswith(PROBES[0]) else "others"),
                                  dict.fromkeys(("exact", "load", "wrong", "same"), 0))
        said = verdicts.get((mutation, role, place))
        if not said:
            group["wrong"] += 1
            continue
        change, caught = means[WARPS[0]] - before[role], [one != "PASS" for one in said]
        group["exact" if caught[0] else "load" if caught[1] else "same"] += 1
        if caught == [False, False] and mutation != "none":
            same.setdefault((mutation, role), []).append(place)
        if abs(change) >= LEAST_CHANGE and said[0] != ("FAIL" if change > 0 else "WIN"):
            slips.append(f"{mutation} {place} {role}: {change:+.3f} cycles with one warp a scheduler")
        if mutation == "none" and caught != [False, False]:
            slips.append(f"{role} unchanged: {said[0]}, {said[1]}")
    count_stalls(found, table, slips)
    for (mutation, group), ends in sorted(counts.items()):
        table.append(f"{mutation:8} {group:8} {sum(ends.values()):5} mutants: {ends['exact']} by their cycles with one warp a "
                     f"scheduler, {ends['load']} with two only, {ends['wrong']} by a wrong result, "
                     f"{ends['same']} within the tolerance of both levels")
    check_same(dict(sorted(same.items())), writes, slips)
    return finish(table, slips)


if __name__ == "__main__":
    sys.exit({"shapes": shapes, "keep": keep, "model": rejudge, "replay": replay, "same": lambda: replay(writes=True)}[sys.argv[1]](*sys.argv[2:]))
