"""What every compiler's cubins took on one GPU, on record in docs/compilers/cycles.tsv.

  cycles.py gather FOLDER  runs FOLDER/PROBE/VERSION/*.json (accprobe measure --cubin, protocol gate) as that table: role, warps,
                           for each group of releases whose hot loops are equal, register names and place included, in all probes
                           the mean of its processes in cycles per iteration, and how far the farthest process lies from the
                           mean of its group, in percent. A column is named after the first release of its group.
"""
import collections
import glob
import json
import os
import statistics
import sys

import pipe  # a reader that has enough is no error


def read(folder):
    """({version: {(role, warps): exact hash}}, {(version, role, warps): [mean, ...]}, {device}, {version: processes of a probe})"""
    loops, means, devices, processes = collections.defaultdict(dict), collections.defaultdict(list), set(), collections.Counter()
    for path in sorted(glob.glob(os.path.join(folder, "*", "*", "*.json"))):
        with open(path) as file:
            run = json.load(file)
        version = os.path.basename(os.path.dirname(path))
        device = run["device"]
        devices.add(f'{device["name"]}, {device["arch"]}, driver {device["driver"]}, protocol {run["protocol"]["name"]}, {run["date"][:10]}')
        processes[version, os.path.basename(os.path.dirname(os.path.dirname(path)))] += 1
        for role in run["roles"]:
            key = role["role"], role["warps"]
            if loops[version].setdefault(key, role["sass_exact"]) != role["sass_exact"]:
                sys.exit(f"cycles.py: {path}: {role['role']} has another hot loop than in another run of {version}")
            means[version, *key].append(role["cycles"]["mean"])
    return loops, means, devices, processes


def gather(folder):
    loops, means, devices, processes = read(folder)
    if len(devices) != 1:
        sys.exit(f"cycles.py: runs of one device, driver, protocol and day are wanted, not of {sorted(devices)}")
    groups = []
    for version in sorted(loops, key=lambda text: [int(part) for part in text.split(".")]):
        if groups and loops[groups[-1][0]] == loops[version]:
            groups[-1].append(version)
        else:
            groups.append([version])
    fewest = {group[0]: min(sum(processes[version, probe] for version in group) for probe in {probe for _, probe in processes})
              for group in groups}
    print(f"# {devices.pop()}; processes of each probe, at the least: {', '.join(f'{first} {count}' for first, count in fewest.items())}")
    print("role", "warps", *(group[0] for group in groups), "farthest", sep="\t")
    for role, warps in sorted(loops[groups[0][0]]):
        cells, farthest = [], 0
        for group in groups:
            found = [mean for version in group for mean in means[version, role, warps]]
            cells.append(statistics.mean(found))
            farthest = max(farthest, *(100 * abs(mean / cells[-1] - 1) for mean in found))
        print(role, warps, *(f"{cell:.6g}" for cell in cells), f"{farthest:.2g}", sep="\t")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "gather":
        sys.exit(__doc__)
    gather(sys.argv[2])
