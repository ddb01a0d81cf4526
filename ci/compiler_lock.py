"""Writes the table of CUDA compilers (compilers.tsv) from what the package index has: python3 compiler_lock.py TABLE.

pip does the talking: `pip index versions` for what there is, `pip install --dry-run --report` for each wheel's
sha256. The table names no index, so any mirror serves.
"""
import json
import os
import subprocess
import sys
import tempfile

import pipe  # a reader that has enough is no error

# part, packages by major version of CUDA, and how the part's version follows from nvcc's. NVIDIA's parts of one
# release do not always carry one number (12.4.1: nvcc 12.4.131, NVRTC 12.4.127).
SAME, NOT_OLDER, NOT_NEWER = "same", "not older", "not newer"
PARTS = [
    ("ptxas", {11: "nvidia-cuda-nvcc-cu11", 12: "nvidia-cuda-nvcc-cu12", 13: "nvidia-cuda-nvcc"}, SAME),
    ("nvrtc", {11: "nvidia-cuda-nvrtc-cu11", 12: "nvidia-cuda-nvrtc-cu12", 13: "nvidia-cuda-nvrtc"}, NOT_OLDER),
    ("nvcc", {13: "nvidia-cuda-nvcc"}, SAME),
    ("nvcc", {13: "nvidia-nvvm"}, SAME),
    ("nvcc", {13: "nvidia-cuda-crt"}, SAME),
    ("nvcc", {13: "nvidia-cuda-runtime"}, NOT_NEWER),
    ("nvdisasm", {13: "nvidia-cuda-nvdisasm"}, SAME),
]
OLDEST = (11, 8)
HEADER = """\
# CUDA compilers on PyPI, written by `ci/compiler lock`; x86_64. The wheels of CUDA 11 and 12 have ptxas but no nvcc.
# version: nvcc's own number. NVRTC, whose numbers differ, stands with the first nvcc of its release that is not older.
# version\tpart\tpackage\tpackage's version\tsha256
"""


def number(version):
    return tuple(int(field) for field in version.split("."))


def pip(*arguments):
    done = subprocess.run([sys.executable, "-m", "pip", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"ci/compiler: pip {arguments[0]} failed: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout


def versions(package):
    lines = pip("index", "versions", package).splitlines()
    found = [line.split(":", 1)[1] for line in lines if line.startswith("Available versions:")]
    return sorted((v.strip() for v in found[0].split(",")), key=number)


def sha256(package, version):
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "report.json")
        pip("install", "--quiet", "--dry-run", "--ignore-installed", "--no-deps", "--only-binary", ":all:",
            "--report", report, f"{package}=={version}")
        with open(report, encoding="utf-8") as stream:
            (installed,) = json.load(stream)["install"]
    return installed["download_info"]["archive_info"]["hash"].removeprefix("sha256=")


def choose(rule, compiler, compilers, offered):
    """The version of a part that goes with a compiler, or None."""
    of_release = [v for v in offered if number(v)[:2] == number(compiler)[:2]]
    if rule == SAME:
        return compiler if compiler in of_release else None
    if rule == NOT_NEWER:
        return max((v for v in of_release if number(v) <= number(compiler)), key=number, default=None)
    older = max((number(v) for v in compilers if number(v) < number(compiler)), default=(0,))
    return max((v for v in of_release if older < number(v) <= number(compiler)), key=number, default=None)


def rows():
    offered = {package: versions(package) for _, packages, _ in PARTS for package in packages.values()}
    compilers = [v for package in PARTS[0][1].values() for v in offered[package] if number(v) >= OLDEST]
    known = {}
    for compiler in sorted(compilers, key=number):
        for part, packages, rule in PARTS:
            package = packages.get(number(compiler)[0])
            version = package and choose(rule, compiler, compilers, offered[package])
            if not version:
                continue
            if (package, version) not in known:
                known[package, version] = sha256(package, version)
            yield compiler, part, package, version, known[package, version]


def main():
    text = HEADER + "".join("\t".join(row) + "\n" for row in rows())
    scratch = sys.argv[1] + ".new"
    with open(scratch, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.replace(scratch, sys.argv[1])


main()
