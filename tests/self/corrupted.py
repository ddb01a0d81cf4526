"""corrupted.py COUNT [FIRST]: files that were changed at random, through the command line, over the fake driver. Whatever a
run, a golden, a shape or a cubin holds, and whatever the user's locale and time zone, the tool ends in time with an exit
status of its table, says one line where it refuses, writes nothing then, and hands on no control character and no markup
from a name. Number N is the same change each time; FIRST is the first one's. Prints a line with the counts; exit status 0,
1 after a line that says which promise was broken.

self.corrupted runs some; ci/faults thousands.
"""
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from faults import BINARY, ROLE, SOURCE, Broken, all_of, golden_folder, kept, run, sessions, succeeds, undated

STATUSES = (0, 1, 2, 3, 4)
REFUSED = 4
NUMBERS = ("0", "-1", "1e308", "-1e308", "1e999", "NaN", "18446744073709551616", "9223372036854775807", "2147483648", "0.1", "1e-320", "01",
           "null", "true", "[]", "{}", '""')
# What a name must not do to a terminal, a page, a table, a file system or a format string.
TEXTS = (r"\u001b[31mred", r"\u009b31m", r"\u202eevil", r"\u0000", r"\n| x |", "<script>alert(1)</script>", "a|b`c`", "[x](javascript:y)",
         "../../../etc/x", "%n%s%n", r"\ud800", "x" * 5000, r"\u00e9\u4e16", "]]>", r"\" onload=\"x", "", "optimal.chain7.acc2",
         "optimal.chain7.acc1")
EXPECTED_FAILURE = """{"format": "accprobe-expected/1", "expected": [
  {"claim": "optimal.chain7.acc1.level@8", "reason": "a test", "expires": "2099-01-01"}]}
"""
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]")


def corrupt_text(text, dice):
    """One change to JSON that a stranger, a broken disk or a bad merge could have made."""
    kind = dice.randrange(8)
    if kind == 0:
        number = dice.choice(list(re.finditer(r"-?\d[\d.e+-]*", text)))
        return text[:number.start()] + dice.choice(NUMBERS) + text[number.end():]
    if kind <= 2:
        name = dice.choice(list(re.finditer(r'"[^"]*"', text)))
        return text[:name.start()] + f'"{dice.choice(TEXTS)}"' + text[name.end():]
    lines = text.split("\n")
    at, other = dice.randrange(len(lines)), dice.randrange(len(lines))
    if kind == 3:
        lines.insert(other, lines[at])
    elif kind == 4:
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 5:
        del lines[at]
    elif kind == 6:
        return text[:dice.randrange(len(text))]
    else:
        begin = dice.randrange(len(text))
        return text[:begin] + "[" * dice.choice((1, 3000)) + text[begin + dice.randrange(4):]
    return "\n".join(lines)


def corrupt_bytes(data, dice):
    names = [match.start() for match in re.finditer(rb"chain\d+_acc", data)]
    if names and dice.randrange(3) == 0:
        at = dice.choice(names)
        name = dice.choice((b"\x1b[31m", b"<b>|`", b"\xc2\x9b31m", b"\xff\xfe\xed\xa0\x80", b"\n|x||"))
        return data[:at] + name + data[at + len(name):]
    changed = bytearray(data)
    for _ in range(dice.choice((1, 1, 1, 2, 8))):
        at = dice.randrange(len(changed))
        changed[at] = dice.choice((0, 0xff, 0x7f, 0x80, changed[at] ^ 1 << dice.randrange(8), dice.randrange(256)))
    return bytes(changed[:dice.randrange(len(changed))] if dice.randrange(8) == 0 else changed)


def corrupt(path, to, dice):
    data = open(path, "rb").read()
    is_text = not path.endswith(".cubin") and dice.randrange(4) > 0
    changed = corrupt_text(data.decode(), dice).encode() if is_text else corrupt_bytes(data, dice)
    with open(to, "wb") as file:
        file.write(changed)


def from_record(golden, name):
    """A copy in `golden` of what is on record."""
    to = os.path.join(golden, name)
    os.makedirs(os.path.dirname(to), exist_ok=True)
    return shutil.copy(os.path.join(SOURCE, "golden", name), to)


def cases(folder):
    """[(what is corrupted, arguments)]: {} is its changed copy, {out} a file to write, {golden} a folder of baselines that
    holds it in place of the good one where it is of there."""
    golden = golden_folder(folder)
    runs = sessions(folder, "fast", "")
    succeeds("record", *runs, "--golden", golden, "--reason", "test")
    (levels,) = glob.glob(f"{golden}/measured/*/*.json")
    sku = os.path.relpath(os.path.dirname(levels), golden)
    shape = os.path.join(folder, "shape.json")
    succeeds("shape", "--arch", "sm_90", "--filter", ROLE, "--out", shape, "--golden", golden)
    succeeds("record", shape, "--golden", golden, "--reason", "test")
    shapes, loops = sorted(glob.glob(f"{golden}/shape/*/*.json"))  # VERSION.json, and the loops that its rows name
    predicted, statement = (from_record(golden, f"{name}/optimal.json") for name in ("predicted/sm_90", "document"))
    occupancy = from_record(golden, f"{sku}/occupancy/optimal.run.json")
    expected = os.path.join(golden, sku, "expected.json")
    with open(expected, "w", encoding="utf-8") as file:
        file.write(EXPECTED_FAILURE)
    document = os.path.join(SOURCE, "golden/document/optimal.json")
    cubin = os.path.join(BINARY, "cubin/sm_90/optimal.cubin")
    judged, one, out = ["--golden", "{golden}", "--pending", "{out}.pending"], ["--filter", ROLE], ["--out", "{out}"]
    found = [(runs[0], ["check", "{}", *judged, "--format", form]) for form in ("table", "json", "markdown")]
    found += [(runs[0], ["report", "{}", "--golden", "{golden}", *more]) for more in ([*out], ["--format", "markdown"])]
    found += [(runs[0], ["export", "{}", "--golden", "{golden}", "--to", to, *out])
              for to in ("junit", "google-benchmark", "bencher", "github-action-benchmark", "lnt", "reframe", "ctest")]
    found += [(runs[0], ["diff", runs[1], "{}"]), (runs[0], ["diff", "{}", runs[1], "--format", "json"]), (runs[0], ["policy", "{}"]),
              (runs[0], ["policy", "--against", "{}"]), (runs[0], ["record", "{}", *runs[1:], "--golden", "{golden}", "--reason", "test"]),
              (document, ["check", "{}", "--golden", "{golden}"]),
              (levels, ["check", runs[0], *judged]), (levels, ["report", runs[0], "--golden", "{golden}", *out]),
              (levels, ["gate", *one, *judged, *out]), (levels, ["record", *runs, "--golden", "{golden}", "--reason", "test"]),
              (shapes, ["shape", "--arch", "sm_90", *one, "--golden", "{golden}"]), (shapes, ["diff", "{}", shape]),
              (shapes, ["record", shape, "--golden", "{golden}", "--reason", "test"]),
              (shape, ["diff", shape, "{}", "--format", "markdown"]), (shape, ["record", "{}", "--golden", "{golden}", "--reason", "test"]),
              (cubin, ["shape", "--cubin", "{}", *out]), (cubin, ["shape", "--cubin", "{}", "--format", "json"]),
              (cubin, ["shape", "--cubin", "{}", "--format", "markdown"]), (cubin, ["diff", "{}", cubin]),
              (cubin, ["diff", cubin, "{}", "--format", "markdown"]), (cubin, ["measure", "--cubin", "{}", *one, *out]),
              (cubin, ["predict", "--cubin", "{}"]), (cubin, ["predict", "--cubin", "{}", "--format", "json"]), (cubin, ["explain", "--cubin", "{}", "--kernel", "optimal_chain7_acc1_effective1"]),
              (cubin, ["gate", "--cubin", "{}", *one, *judged])]
    found += [(document, ["policy", "{}"]), (occupancy, ["policy", "--golden", "{golden}"]),
              (occupancy, ["policy", "--golden", "{golden}", "--header", *out]), (occupancy, ["report", runs[0], "--golden", "{golden}", *out]),
              (occupancy, ["explain", "optimal", "{}", "--format", "json"]),
              (levels, ["export", runs[0], "--golden", "{golden}", "--to", "junit", *out]), (levels, ["doctor", "--golden", "{golden}"]),
              (levels, ["diff", "{}", runs[0]]), (levels, ["policy", "--golden", "{golden}"]),
              (expected, ["gate", *one, *judged, *out]), (expected, ["check", runs[0], *judged, "--format", "markdown"]),
              (predicted, ["gate", "--arch", "sm_90", *one, *judged, *out]), (predicted, ["diff", "{}", runs[0]]),
              (statement, ["gate", *one, *judged, *out]), (statement, ["report", runs[0], "--golden", "{golden}", *out]),
              (shapes, ["gate", *one, *judged, *out]), (shapes, ["check", runs[0], *judged]),
              (shapes, ["report", runs[0], "--golden", "{golden}", *out]), (loops, ["diff", shapes, shape]), (loops, ["record", shape, "--golden", "{golden}", "--reason", "test"]),
              (loops, ["shape", "--arch", "sm_90", *one, "--golden", "{golden}"])]
    return golden, found


def printable(text, where):
    bad = UNPRINTABLE.search(text)
    if bad:
        raise Broken(f"the character {bad.group(0)!r} in {where}: {text[max(0, bad.start() - 60):bad.end() + 20]!r}")


def well_formed(text, arguments):
    if not text:
        return
    if "junit" in arguments:
        xml.etree.ElementTree.fromstring(text)
    elif "json" in arguments or {"google-benchmark", "bencher", "lnt", "github-action-benchmark"} & set(arguments):
        json.loads(text)


def one_case(folder, golden, number, original, arguments):
    """The tool on one changed file; its exit status."""
    dice, place = random.Random(number), tempfile.mkdtemp(dir=folder)
    own, out = os.path.join(place, "golden"), os.path.join(place, "out")
    shutil.copytree(golden, own)
    shutil.copytree(os.path.join(folder, ".git"), os.path.join(place, ".git"))
    changed = os.path.join(own if original.startswith(golden) else place, os.path.relpath(original, golden)
                           if original.startswith(golden) else "changed" + os.path.splitext(original)[1])
    corrupt(original, changed, dice)
    before = undated(own) if arguments[0] == "record" else None
    filled = [word.replace("{golden}", own).replace("{out}", out).replace("{}", changed) for word in arguments]
    language = dice.choice(("C", "C.UTF-8", "de_DE.UTF-8", "xx", ""))
    # glibc's newlocale leaks the words of LOCPATH (2.36).
    found = {"LOCPATH": folder, "ASAN_OPTIONS": "detect_leaks=0"} if language == "de_DE.UTF-8" else {}
    place_of_user = {"LC_ALL": language, **found, "TZ": dice.choice(("", "Asia/Seoul", ":/dev/null", "X" * 300))}
    done = run(*filled, errors="surrogateescape", **place_of_user)
    what = f"number {number}, {arguments[0]} of {os.path.basename(original)}, {' '.join(filled)}"
    if done.returncode not in STATUSES:
        raise Broken(f"exit status {done.returncode}: {what}: {done.stderr}")
    written = open(out, encoding="utf-8").read() if os.path.exists(out) else ""
    if done.returncode == REFUSED:
        # A gate keeps what it measured, whatever the golden is.
        left = written and arguments[0] != "gate"
        lines = 0 if arguments[0] == "doctor" else 1  # its answer is a table of what is broken
        if len(done.stderr.splitlines()) != lines or left or (before is not None and undated(own) != before):
            raise Broken(f"refused with more than a line, or wrote all the same: {what}: {done.stderr!r}")
    for text, where in ((done.stdout, "stdout"), (done.stderr, "stderr"), (written, "the file")):
        printable(text, f"{where} of {what}")
        if "<script>alert" in text and where != "stderr" and {"report", "markdown", "junit"} & set(arguments):
            raise Broken(f"markup from a name in {where} of {what}")
    try:
        well_formed(written or done.stdout, arguments)
    except (ValueError, xml.etree.ElementTree.ParseError) as error:
        raise Broken(f"{error}: {what}") from None
    shutil.rmtree(place)
    return done.returncode


def corrupted(folder, count, first=0):
    golden, found = cases(folder)
    # With a decimal comma, where the system has what a locale is made of.
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(folder, "de_DE.UTF-8")], check=False, stderr=subprocess.DEVNULL)
    ends = all_of(range(first, first + count), lambda number: one_case(folder, golden, number, *found[number % len(found)]))
    return {"command lines": len(found), **{f"exit status {status}": ends.count(status) for status in STATUSES}}


if __name__ == "__main__":
    sys.exit(kept("corrupted", lambda folder: corrupted(folder, *map(int, sys.argv[1:]))))
