"""How far the policy's answers carry on operators: every cell that was measured, judged by the mean of its processes (docs/policy.md).

  operators.py gather RUN.json...     what golden/measured/*/operators/processes.tsv is made of: runs called KIND-PROCESS.run.json
  operators.py runs FOLDER            that file as runs again, one a process, for accprobe policy --against FOLDER
  operators.py cells ACCPROBE CUBIN   docs/policy/cells.tsv, from that file; CUBIN is the build's cubin/sm_90/ops.cubin
  operators.py tables CELLS           the tables of docs/policy.md by operator and size, as Markdown
"""
import collections
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

import pipe  # a reader that has enough is no error

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROCESSES = os.path.join(ROOT, "golden/measured/sm_90-132sm-140gib-10de.2335/operators/processes.tsv")
FROZEN = os.path.join(ROOT, "docs/policy/frozen-answers.tsv")
WAITS = 470  # cycles that a turn waits for memory; docs/policy.md says where that is from
ACCS = (1, 2, 3, 4, 8, 24)
HABITS = (1, 2, 4)
SHOWN = 8  # of the worst cells
HEAD = ("cell", "seen", "processes", "cycles", *(f"over{acc}" for acc in ACCS), "error",
        "sass_split", "sass_rule", "sass_regret", "one_split", "one_regret", "chains_split", "chains_rule", "chains_regret")
OPERATORS = ("dot", "gemm", "bias", "stream", "softmax", "welford")
WARPS = {"warp1": 1, "warp2": 2, "warp4": 4, "warp8": 8, "gpu4": 4, "gpu8": 8, "gpu12": 4, "gpu16": 8, "gpu24": 8, "gpu32": 8,
         "gpu48": 8, "gpu64": 8}  # of a block (matrix/operator_sizes.def)
NEW_LENGTHS = {"n24", "n32", "n47", "n59", "n128", "n179", "n256", "n347", "n512", "n691", "n1024", "n2048", "n3907", "n6000"}
SETS = {"new": "new lengths", "other": "old lengths, new to the operator or size", "seen": "cells of before"}


def cell_of(role):
    """ops.dot.warp1.n61.acc4: its cell, and 4"""
    cell, acc = re.match(r"(.*)\.acc(\d+)$", role).groups()
    return cell, int(acc)


def place(cell):
    _, operator, size, length = cell.split(".")
    return OPERATORS.index(operator), int(length[1:]), list(WARPS).index(size)


def set_of(row):
    if row["seen"] == "seen":
        return "seen"
    return "new" if row["cell"].split(".")[3] in NEW_LENGTHS else "other"


def lines_of(path):
    with open(path) as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def gather(paths):
    cycles, heads, last = collections.defaultdict(dict), [], 0
    for path in sorted(paths):
        kind, process = re.match(r"(\w+)-(\d+)\.run\.json$", os.path.basename(path)).groups()
        with open(path) as file:
            run = json.load(file)
        last = max(last, int(process))
        for role in run.pop("roles"):
            cycles[cell_of(role["role"])][int(process)] = role["cycles"]["mean"]
        heads.append(f"# {kind}-{process} {json.dumps(run)}")
    print("# The operators, one process of seven launches a column: mean cycles without the fastest and the slowest launch. Made by")
    print("# ci/operators.py gather of the runs whose heads follow.", *heads, sep="\n")
    print("cell", "acc", *range(1, last + 1), sep="\t")
    for (cell, acc), times in sorted(cycles.items(), key=lambda item: (place(item[0][0]), item[0][1])):
        print(cell, acc, *(f"{times[process]:.6g}" if process in times else "-" for process in range(1, last + 1)), sep="\t")


def role_of(line, cycles):
    operator, size, length = line["cell"].split(".")[1:]
    acc, length = int(line["acc"]), int(length[1:])
    return {"role": f"{line['cell']}.acc{acc}", "kernel": f"ops_{operator}_acc{acc}", "chain": length, "acc": acc,
            "effective": min(acc, length), "warps": WARPS[size], "cycles": {"mean": cycles, "min": cycles, "max": cycles, "n": 5},
            "progress": 1e7 / cycles}


def runs(folder):
    """Least and most are not kept: the mean stands for them."""
    lines, heads = lines_of(PROCESSES), {}
    with open(PROCESSES) as file:
        for name, head in re.findall(r"^# \w+-(\d+) (\{.*\})$", file.read(), re.M):
            heads.setdefault(name, json.loads(head))
    for process, head in heads.items():
        head["roles"] = [role_of(line, float(line[process])) for line in lines if line[process] != "-"]
        with open(os.path.join(folder, f"{process}.run.json"), "w") as file:
            json.dump(head, file)


def answers_of(command):
    """cell -> its row as accprobe has it"""
    made = subprocess.run([*command, "--format", "json"], stdout=subprocess.PIPE, check=False)
    if made.returncode != 0:
        sys.exit(made.returncode)  # accprobe has said why
    return {row["cell"]: row for row in json.loads(made.stdout)["rows"]}


def row_of(cell, times, frozen, sass, chains):
    """The mean of each K over the processes; accprobe's own regret has to be that of these."""
    mean = {acc: statistics.mean(values) for acc, values in times.items()}
    best = min(mean.values())
    over = {acc: 100 * (mean[acc] / best - 1) for acc in mean}
    split = int(sass["split"])
    if split != int(frozen["unit"]):
        sys.exit(f"operators.py: {cell}: accprobe takes {split} accumulators, docs/policy/frozen-answers.tsv has {frozen['unit']}")
    if abs(float(sass["regret"].rstrip(" %")) - over[split]) > 0.006 or sass["processes"] != str(len(times[1])):
        sys.exit(f"operators.py: {cell}: accprobe says {sass['regret']} of {sass['processes']} processes, they say {over[split]:.3f} %")
    return (cell, frozen["seen"], len(times[1]), f"{best:.6g}", *(f"{over[acc]:.4f}" if acc in over else "-" for acc in ACCS),
            sass["standard error"].rstrip(" %"), split, sass["rule"], f"{over[split]:.4f}", frozen["one"],
            f"{over[int(frozen['one'])]:.4f}", chains["split"], chains["rule"], f"{over[int(chains['split'])]:.4f}")


def cells(accprobe, cubin):
    times = collections.defaultdict(dict)
    for line in lines_of(PROCESSES):
        times[line["cell"]][int(line["acc"])] = [float(x) for name, x in line.items() if name not in ("cell", "acc") and x != "-"]
    frozen = {line["cell"]: line for line in lines_of(FROZEN)}
    with tempfile.TemporaryDirectory() as folder:
        runs(folder)
        sass = answers_of([accprobe, "policy", "--cubin", cubin, "--given", f"waits={WAITS}", "--against", folder])
        chains = answers_of([accprobe, "policy", "--against", folder])
    print(*HEAD, sep="\t")
    for cell in sorted(times, key=place):
        print(*row_of(cell, times[cell], frozen[cell], sass[cell], chains[cell]), sep="\t")


def figures(rows, column):
    values = [float(row[column]) for row in rows]
    return f"{statistics.mean(values):.2f} %, {max(values):.1f} %"


def by_set(rows):
    print("| regret: mean, worst | processes | cells | the SASS's answer | above 5 % | within 1 % | one other warp at most | the chains' answer |",
          " | ".join(f"always {acc}" for acc in HABITS), "|")
    print("|---|---:|---:|" + "---:|" * (5 + len(HABITS)))
    for kind, words in SETS.items():
        part = [row for row in rows if set_of(row) == kind]
        processes, = {row["processes"] for row in part}
        sass = [float(row["sass_regret"]) for row in part]
        print(f"| {words} | {processes} | {len(part)} | {figures(part, 'sass_regret')} | {sum(x > 5 for x in sass)} | {sum(x <= 1 for x in sass)} |",
              " | ".join(figures(part, column) for column in ("one_regret", "chains_regret", *(f"over{acc}" for acc in HABITS))), "|")


def by_size(rows):
    print("| percent: mean, worst (elements) |", " | ".join(OPERATORS), "|\n|---|" + "---:|" * len(OPERATORS))
    for size in (*WARPS, "all"):
        print(f"| {size} |", end="")
        for operator in OPERATORS:
            part = [(float(row["sass_regret"]), row["cell"].split(".")[3]) for row in rows if row["seen"] == "new" and
                    row["cell"].startswith(f"ops.{operator}.") and size in ("all", row["cell"].split(".")[2])]
            mean, (worst, where) = statistics.mean(regret for regret, _ in part), max(part)
            print(f" {mean:.1f}, {worst:.1f} ({where}) |" if worst >= 0.05 else " 0.0 |", end="")
        print()


def worst(rows):
    print("| the worst cells | split | best | regret | standard error |\n|---|---:|---:|---:|---:|")
    for row in sorted(rows, key=lambda row: -float(row["sass_regret"]))[:SHOWN]:
        best = next(acc for acc in ACCS if float(row[f"over{acc}"]) == 0)
        print(f"| {row['cell']} | {row['sass_split']} | {best} | {float(row['sass_regret']):.2f} % | {row['error']} % |")


def tables(path):
    rows = lines_of(path)
    for table in (by_set, by_size, worst):
        table(rows)
        print()


VERBS = {("runs", 1): lambda a: runs(*a), ("cells", 2): lambda a: cells(*a), ("tables", 1): lambda a: tables(*a)}

if __name__ == "__main__":
    verb, operands = (sys.argv + [""])[1], sys.argv[2:]
    if verb == "gather" and operands:
        gather(operands)
    elif (verb, len(operands)) in VERBS:
        VERBS[verb, len(operands)](operands)
    else:
        print("operators.py: takes gather RUN.json..., runs FOLDER, cells ACCPROBE CUBIN or tables CELLS, not "
              f"'{' '.join(sys.argv[1:])}'", file=sys.stderr)
        sys.exit(4)
