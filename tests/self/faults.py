"""faults.py NAME COUNT: what a CI does to the gate, over the fake driver. Whatever happens, the tool ends in time, says
one line where it fails, accuses nobody of a fault of the machine, and leaves no file that is half one thing and half
another. COUNT says how often (0: everywhere that there is). Prints a line with the counts, and appends them to the file
that ACCP_FAULTS names, a line each: fault, what became of it, how often. Exit status 0, 1 after a line that says which
promise was broken, 77 where the machine lacks what it needs.

tests/self/CMakeLists.txt runs a few of each; ci/faults all of them.
"""
import concurrent.futures
import glob
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = os.environ.get("ACCP_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
BINARY = os.environ.get("ACCP_BINARY_DIR", os.path.join(SOURCE, "build"))
TOOL = os.path.join(BINARY, "accprobe")
RECORDING = glob.glob(os.path.join(SOURCE, "golden/measured/sm_90-132sm-*/optimal.run.json"))[0]
ROLE = "^optimal[.]chain7[.]acc1$"
# That role alone, without the company that --filter keeps.
CUBIN, KERNEL = os.path.join(BINARY, "cubin/sm_90/optimal.cubin"), "optimal_chain7_acc1_effective1"
LIMIT_S = float(os.environ.get("ACCP_LIMIT_S", 30))  # far above what anything takes here, under sanitizers on a busy machine too
SKIP = 77

# Results of the driver that a measurement may meet at any call: no memory, unavailable, no device, a fault, a launch
# that timed out, one that failed, a GPU that is gone.
RESULTS = (2, 46, 100, 700, 702, 719, 999)
NVML_RESULTS = (3, 4, 15, 999)
PASSED, ENVIRONMENT, USAGE = 0, 3, 4


EXPECTED = {}  # the roles of a measurement that nothing disturbs: one seed, one result


class Broken(Exception):
    pass


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ACCP")}
    return {**kept, "ACCPROBE_LIBCUDA": os.path.join(BINARY, "fake/libcuda.so.1"),
            "ACCPROBE_LIBNVML": os.path.join(BINARY, "fake/libnvidia-ml.so.1"), "ACCP_FAKE": "ok", "ACCPROBE_RECORD_FAKE": "1",
            "ACCP_FAKE_RUN": RECORDING, **more}


def run(*arguments, tool=TOOL, preexec=None, stdout=subprocess.PIPE, errors=None, **more):
    """The tool, to its end; one that does not end breaks a promise."""
    command = [tool, *arguments]
    try:
        done = subprocess.run(command, env=environment(**more), stdin=subprocess.DEVNULL, stdout=stdout,
                              stderr=subprocess.PIPE, timeout=LIMIT_S, preexec_fn=preexec, check=False, text=True, errors=errors)
    except subprocess.TimeoutExpired:
        raise Broken(f"did not end within {LIMIT_S} s: {more} {command}") from None
    if done.returncode < 0:
        raise Broken(f"died of signal {-done.returncode}: {more} {command}")
    if "Sanitizer" in done.stderr:
        raise Broken(f"{done.stderr}: {more} {command}")
    return done


def fails_cleanly(done, statuses, what):
    if done.returncode not in statuses:
        raise Broken(f"exit status {done.returncode}, not one of {statuses}: {what}: {done.stdout}{done.stderr}")
    if done.returncode != PASSED and len(done.stderr.splitlines()) != 1:
        raise Broken(f"not one line but {done.stderr!r}: {what}")


def succeeds(*arguments, **more):
    done = run(*arguments, **more)
    if done.returncode != PASSED:
        raise Broken(f"exit status {done.returncode}: {arguments}: {done.stdout}{done.stderr}")
    return done


def measured(folder, statuses, **more):
    """One measurement: a whole run file, or a clean failure and none (a skip leaves its reason)."""
    out = os.path.join(tempfile.mkdtemp(dir=folder), "run.json")
    done = run("measure", "--cubin", CUBIN, "--kernel", KERNEL, "--seed", "1", "--out", out, **more)
    fails_cleanly(done, statuses, more)
    if done.returncode == PASSED:
        roles = json.load(open(out, encoding="utf-8"))["roles"]
        if EXPECTED.setdefault("roles", roles) != roles:
            raise Broken(f"another result, and no word of it: {more}: {roles}")
    elif set(os.listdir(os.path.dirname(out))) - ({"run.json.skip"} if done.returncode == SKIP else set()):
        raise Broken(f"left {os.listdir(os.path.dirname(out))} after exit status {done.returncode}: {more}")
    shutil.rmtree(os.path.dirname(out))
    return done.returncode


def calls(folder, prefix):
    """The entry points that one measurement calls, in order."""
    log = os.path.join(folder, "calls")
    measured(folder, (PASSED,), ACCP_FAKE_LOG=log)
    return [name for name in open(log, encoding="utf-8").read().split() if name.startswith(prefix)]


def chosen(names, count):
    """Numbers of calls: all, or the first and the last of each entry point and others in between."""
    numbers = range(1, len(names) + 1)
    if count == 0 or count >= len(names):
        return list(numbers)
    ends = {names.index(name) + 1 for name in names} | {len(names) - names[::-1].index(name) for name in names}
    rest = sorted(set(numbers) - ends)
    random.Random(count).shuffle(rest)
    return sorted(ends | set(rest[:max(0, count - len(ends))]))


def all_of(cases, work, workers=os.cpu_count()):
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, cases))


def driver_calls(folder, count):
    """Each call of the driver fails, once or from then on."""
    names = calls(folder, "cu")
    cases = [f"fail=cu*:{number}{plus}:{result}" for number in chosen(names, count) for plus in ("", "+")
             for result in RESULTS]
    ends = all_of(cases, lambda case: measured(folder, (PASSED, ENVIRONMENT, SKIP), ACCP_FAKE=case))
    return {"calls of one measurement": len(names), "of them tried": len(cases) // 2 // len(RESULTS), "ENVIRONMENT": ends.count(ENVIRONMENT),
            "skipped, with the reason": ends.count(SKIP), "of no consequence: the same levels": ends.count(PASSED)}


def nvml_calls(folder, count):
    """Each call of NVML fails: facts stay unknown, and the measurement goes on."""
    names = calls(folder, "nvml")
    cases = [f"fail=nvml*:{number}{plus}:{result}" for number in chosen(names, count) for plus in ("", "+")
             for result in NVML_RESULTS]
    all_of(cases, lambda case: measured(folder, (PASSED,), ACCP_FAKE=case))
    return {"calls of one measurement": len(names), "of them tried": len(cases) // 2 // len(NVML_RESULTS), "measured": len(cases)}


def hangs(folder, count):
    """A call never comes back."""
    driver, nvml = calls(folder, "cu"), calls(folder, "nvml")
    stuck = [f"fail=cu*:{number}:-1" for number in chosen(driver, count)]
    stuck_nvml = [f"fail=nvml*:{number}:-1" for number in range(1, len(nvml) + 1)]
    all_of(stuck, lambda case: measured(folder, (ENVIRONMENT,), ACCP_FAKE=case, ACCPROBE_TIMEOUT_S="2"), 16)
    all_of(stuck_nvml, lambda case: measured(folder, (PASSED,), ACCP_FAKE=case, ACCPROBE_TIMEOUT_S="6"), 16)
    return {"of the driver: ENVIRONMENT": len(stuck), "of NVML: measured": len(stuck_nvml)}


def sessions(folder, name, scale, role=ROLE):
    """Ten runs, as record wants them."""
    paths = []
    for seed in range(1, 11):
        paths.append(os.path.join(folder, f"{name}.{seed}.json"))
        succeeds("measure", "--filter", role, "--seed", str(seed), "--out", paths[-1], ACCP_FAKE_SCALE=scale)
    return paths


def golden_folder(folder):
    golden = os.path.join(folder, "golden")
    os.mkdir(golden)
    for command in (["init", "-q"], ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q",
                                     "--allow-empty", "-m", "test"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return golden


def undated(golden):
    """What the folder holds under the names that count, without the dates of recordings."""
    content = {}
    for path in sorted(glob.glob(os.path.join(golden, "**/*.json"), recursive=True)):
        content[os.path.relpath(path, golden)] = re.sub('"date": "[^"]*"', "",
                                                               open(path, encoding="utf-8", errors="surrogateescape").read())
    return content


def killed(arguments, most_s, number, **more):
    """Whether that signal ended it; and how long it took."""
    began = time.monotonic()
    process = subprocess.Popen([TOOL, *arguments], env=environment(**more), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(random.uniform(0, most_s))
    process.send_signal(number)
    return process.wait() < 0, time.monotonic() - began


def kills(folder, count):
    """SIGKILL, so often, and SIGTERM and SIGINT beside it at random moments of measure, gate, record (runs and shapes) and check."""
    golden, out = golden_folder(folder), os.path.join(folder, "run.json")
    fast, slow = sessions(folder, "fast", ""), sessions(folder, "slow", "*=1.03")
    shape = os.path.join(folder, "shape.json")
    succeeds("shape", "--arch", "sm_90", "--probe", "optimal", "--out", shape, "--golden", golden)
    states = []
    for paths in (fast, slow):
        succeeds("record", *paths, "--golden", golden, "--reason", "test")
        states.append(undated(golden))
    succeeds("record", shape, "--golden", golden, "--reason", "test")
    with_shapes = {name: text for name, text in undated(golden).items() if name.startswith("shape/")}
    verbs = (["measure", "--filter", ROLE, "--out", out], ["gate", "--filter", ROLE, "--out", out], ["record", *fast, "--golden", golden, "--reason", "test"],
             ["record", shape, "--golden", golden, "--reason", "test"],
             ["check", *fast, "--golden", golden, "--pending", os.path.join(folder, "pending")],
             ["record", *slow, "--golden", golden, "--reason", "test"])
    most_s = []
    for verb in verbs:
        shutil.rmtree(os.path.join(golden, "shape"), ignore_errors=True)
        began = time.monotonic()
        run(*verb)
        most_s.append(time.monotonic() - began)
    tries, hits = 0, {signal.SIGKILL: 0, signal.SIGTERM: 0, signal.SIGINT: 0}
    while hits[signal.SIGKILL] < count:
        number = tries % len(verbs)
        tries += 1
        kind = random.choices(list(hits), (4, 1, 1))[0]
        is_hit, took_s = killed(verbs[number], most_s[number], kind)
        hits[kind] += is_hit
        if not is_hit:  # the machine was busier when the limit was taken
            most_s[number] = min(most_s[number], took_s)
        if os.path.exists(out):
            json.load(open(out, encoding="utf-8"))
        now = undated(golden)
        runs = {name: text for name, text in now.items() if not name.startswith("shape/")}
        if runs not in states:
            raise Broken(f"a golden that nobody recorded, after try {tries}, of {verbs[number][0]}: {sorted(runs)}")
        for name, text in now.items():
            if name.startswith("shape/") and text != with_shapes[name]:
                raise Broken(f"a golden shape that nobody recorded, after try {tries}: {name}")
        if verbs[number][:2] == ["record", shape]:
            succeeds("shape", "--arch", "sm_90", "--filter", ROLE, "--golden", golden)
            shutil.rmtree(os.path.join(golden, "shape"), ignore_errors=True)
    leftovers = len(glob.glob(os.path.join(folder, "**/*.json.??????"), recursive=True))
    done = run("check", *fast, "--golden", golden)
    if "verdict: " not in done.stdout:
        raise Broken(f"no verdict after all kills: {done.stdout}{done.stderr}")
    return {**{f"ended by {kind.name}, every file whole": hit for kind, hit in hits.items()},
            "ended before it": tries - sum(hits.values()), "temporary files left beside them": leftovers}


def limited(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def full_disk(folder, _count):
    """No room: a limit on the size of files, a full file system where one may be mounted, a full standard output."""
    golden = golden_folder(folder)
    paths = sessions(folder, "fast", "")
    succeeds("record", *paths, "--golden", golden, "--reason", "test")
    before, tries = undated(golden), 0
    out = os.path.join(folder, "new.json")
    slow, shape = sessions(folder, "slow", "*=1.03"), os.path.join(folder, "shape.json")
    succeeds("shape", "--arch", "sm_90", "--probe", "optimal", "--out", shape, "--golden", golden)
    for size in (0, 1, 100, 300):
        for verb in (["measure", "--filter", ROLE, "--out", out], ["shape", "--arch", "sm_90", "--out", out],
                     ["predict", "--filter", ROLE, "--out", out],
                     ["record", *slow, "--golden", golden, "--reason", "test"],
                     ["record", shape, "--golden", golden, "--reason", "test"]):
            fails_cleanly(run(*verb, preexec=limited(size)), (USAGE,), f"{verb[0]} with {size} bytes of room")
            tries += 1
            if os.path.exists(out) or undated(golden) != before or glob.glob(f"{folder}/**/*.json.??????", recursive=True):
                raise Broken(f"something was left by {verb[0]} with {size} bytes of room")
            empty = [path for path, folders, files in os.walk(golden) if not folders and not files]
            if empty:
                raise Broken(f"empty folders were left by {verb[0]} with {size} bytes of room: {empty}")
    for verb in (["list"], ["check", paths[0], "--golden", golden], ["shape", "--arch", "sm_90"], ["gate", "--filter", ROLE]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            fails_cleanly(run(*verb, stdout=full), (USAGE,), f"{verb[0]} to a full output")
        tries += 1
    disk = os.path.join(folder, "disk")
    os.mkdir(disk)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", disk], check=False,
                             stderr=subprocess.DEVNULL).returncode == 0
    if mounted:
        try:
            with open(os.path.join(disk, "fills"), "wb") as fills:
                fills.write(b"x" * 4096)
            fails_cleanly(run("measure", "--filter", ROLE, "--out", os.path.join(disk, "run.json")), (USAGE,), "a full disk")
            tries += 1
            if os.listdir(disk) != ["fills"]:
                raise Broken(f"left on a full disk: {os.listdir(disk)}")
        finally:
            subprocess.run(["umount", disk], check=True)
    return {"one line, every file as it was": tries, "of them on a full disk": int(mounted)}


def read_only(folder, _count):
    """A golden folder that may not be written: as another user where this one is root, whom no mode stops."""
    golden = golden_folder(folder)
    paths = sessions(folder, "fast", "")
    succeeds("record", *paths, "--golden", golden, "--reason", "test")
    slow, before = sessions(folder, "slow", "*=1.03"), undated(golden)
    tool, as_nobody = TOOL, None
    if os.geteuid() == 0:
        tool = os.path.join(folder, "accprobe")
        shutil.copy(TOOL, tool)
        as_nobody = lambda: os.setuid(65534)
    subprocess.run(["chmod", "-R", "a+rX,a-w", folder], check=True)
    safe = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    try:
        done = run("record", *slow, "--golden", golden, "--reason", "test", tool=tool, preexec=as_nobody, **safe)
        fails_cleanly(done, (USAGE,), "record into a folder that is read-only")
        if "ermission denied" not in done.stderr or undated(golden) != before:
            raise Broken(f"not refused for want of permission: {done.stderr}")
        fails_cleanly(run("check", paths[0], "--golden", golden, "--claim", "level@", tool=tool, preexec=as_nobody), (PASSED,),
                      "check there")
    finally:
        subprocess.run(["chmod", "-R", "u+w", folder], check=True)
    return {"record refused": 1, "check judged": 1}


def together(folder, count):
    """Two gates write one file, and two recordings of different roles one golden, at the same time."""
    golden, out = golden_folder(folder), os.path.join(folder, "run.json")
    other_role = "^optimal[.]chain13[.]acc1$"
    both = sessions(folder, "one", ""), sessions(folder, "other", "", other_role)
    for _ in range(count):
        all_of((1, 2), lambda _: succeeds("gate", "--filter", ROLE, "--out", out, "--pending", os.path.join(folder, "pending")))
        json.load(open(out, encoding="utf-8"))
        all_of(both, lambda paths: succeeds("record", *paths, "--golden", golden, "--reason", "test"))
        (text,) = undated(golden).values()
        for role in ("optimal.chain7.acc1", "optimal.chain13.acc1"):
            if f'"{role}"' not in text:
                raise Broken(f"a recording of {role} lost to one at the same time")
        shutil.rmtree(os.path.join(golden, "measured"))
    return {"two gates on one file, every file whole": count, "two recordings of one golden, nothing lost": count}


def clocks(folder, count):
    """The clock of the day leaps by ten years, forwards and back, at every look."""
    leaping = os.path.join(BINARY, "fake/libjumping_clock.so")
    if "Sanitizer" in subprocess.run([TOOL, "--version"], env=environment(LD_PRELOAD=leaping), check=False, text=True,
                                     stderr=subprocess.PIPE, stdout=subprocess.DEVNULL).stderr:
        print("skipped: a sanitizer lets nothing be preloaded")
        sys.exit(SKIP)
    for number in range(count):
        measured(folder, (PASSED,), LD_PRELOAD=leaping, ACCP_FAKE=("ok", "clock_back")[number % 2])
        done = run("gate", "--probe", "optimal", "--seed", str(number), LD_PRELOAD=leaping)
        fails_cleanly(done, (PASSED,), "a gate while the clock leaps")
    return {"measured as ever": count, "gates that pass as ever": count}


def kept(name, promise):
    """Exit status and line of a program that tries, in a folder that is gone afterwards, whether a promise is kept."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        try:
            counts = promise(folder)
        except Broken as broken:
            print(f"{name}: broken: {broken}")
            return 1
    print(f"{name}: {'; '.join(f'{what}: {count}' for what, count in counts.items())}")
    if os.environ.get("ACCP_FAULTS"):
        with open(os.environ["ACCP_FAULTS"], "a", encoding="utf-8") as table:
            table.writelines(f"{name}\t{what}\t{count}\n" for what, count in counts.items())
    return 0


def main():
    name, count = sys.argv[1], int(sys.argv[2])
    random.seed(count)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by what a script starts behind it, and so by every child
    return kept(name, lambda folder: globals()[name](folder, count))


if __name__ == "__main__":
    sys.exit(main())
