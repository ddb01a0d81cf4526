"""How far the policy's answers carry on operators: every cell that was measured, judged in two processes (docs/policy.md).

  operators.py cells ACCPROBE CUBIN   docs/policy/cells.tsv, from golden/measured/*/operators, docs/policy/second.tsv and
                                      earlier-rules.tsv; CUBIN is the build's cubin/sm_90/ops.cubin
  operators.py tables CELLS           the tables of docs/policy.md by operator and size, as Markdown
  operators.py second RUN.json...     further runs as lines for docs/policy/second.tsv: role, cycles
"""
import collections
import glob
import json
import os
import re
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECORDED = os.path.join(ROOT, "golden/measured/sm_90-132sm-140gib-10de.2335/operators")
WAITS = 470  # cycles that a turn waits for memory; docs/policy.md says where that is from
SETS = {"ops": "before", "fresh": "fresh", "blind": "blind"}  # by the name of the run's file
LAST = {"31", "77", "113", "167", "229", "367", "541"}  # lengths by which the second rule or the third was to be taken
RULES = ("first", "second")  # that the product has no more
ACCS = (1, 2, 3, 4, 8, 24)
HABITS = (1, 2, 4)
HEAD = ("cell", "set", *(f"cycles{process}" for process in (1, 2)), *(f"over{acc}" for acc in ACCS), "between",
        *(f"{who}_{what}" for who in ("sass", *RULES, "chains") for what in ("split", "rule", "regret1", "regret2")))
OPERATORS = ("dot", "gemm", "bias", "stream", "softmax", "welford")
SIZES = ("warp1", "warp2", "warp4", "warp8", "gpu4", "gpu8", "gpu12", "gpu16", "gpu24", "gpu32", "gpu48", "gpu64")
WORDS = {"before": "lengths of before", "fresh": "lengths that the first rule had not seen",
         "blind": "lengths that the second rule had not seen", "last": "lengths that no rule had seen"}


def cell_of(role):
    """ops.dot.warp1.n61.acc4: its cell, and 4"""
    cell, acc = re.match(r"(.*)\.acc(\d+)$", role).groups()
    return cell, int(acc)


def lines_of(path):
    with open(os.path.join(ROOT, path)) as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def cycles_of(pairs):
    """cells[cell][acc] = cycles, of (role, cycles)"""
    cells = collections.defaultdict(dict)
    for role, cycles in pairs:
        cell, acc = cell_of(role)
        cells[cell][acc] = cycles
    return cells


def run_of(path):
    with open(path) as file:
        return cycles_of((role["role"], role["cycles"]["mean"]) for role in json.load(file)["roles"])


def answers_of(command):
    """cell -> (split, rule, regret in percent as accprobe has it)"""
    made = subprocess.run([*command, "--format", "json"], stdout=subprocess.PIPE, check=False)
    if made.returncode != 0:
        sys.exit(made.returncode)  # accprobe has said why
    return {row["cell"]: (int(row["split"]), row["rule"], float(row["regret"].rstrip("%")))
            for row in json.loads(made.stdout)["rows"]}


def set_of(name):
    """ops-1.run.json, blind-43.run.json: the set of its cells"""
    kind, length = name.split(".")[0].split("-")
    return "last" if kind == "blind" and length in LAST else SETS[kind]


def regret(cycles, split):
    return 100 * (cycles[split] / min(cycles.values()) - 1)


def row_of(cell, kind, processes, answers):
    first, second = processes
    best = min(first.values())
    over = [f"{100 * (first[acc] / best - 1):.2f}" if acc in first else "-" for acc in ACCS]
    between = max(abs(second[acc] / first[acc] - 1) for acc in first)
    row = [cell, kind, f"{best:.6g}", f"{min(second.values()):.6g}", *over, f"{100 * between:.2f}"]
    for split, rule, said in answers:
        regrets = [regret(cycles, split) for cycles in processes]
        if said is not None and abs(said - regrets[0]) > 0.006:
            sys.exit(f"operators.py: {cell}: accprobe says that {split} accumulators regret {said} %, its run {regrets[0]:.3f} %")
        row += [split, rule, *(f"{x:.2f}" for x in regrets)]
    return row


def cells(accprobe, cubin):
    second = cycles_of((line["role"], float(line["cycles"])) for line in lines_of("docs/policy/second.tsv"))
    second.update(run_of(os.path.join(RECORDED, "ops-2.run.json")))
    earlier = {line["cell"]: [int(line[rule]) for rule in RULES] for line in lines_of("docs/policy/earlier-rules.tsv")}
    rows = []
    for path in glob.glob(os.path.join(RECORDED, "*.run.json")):
        name = os.path.basename(path)
        if name == "ops-2.run.json":
            continue
        sass = answers_of([accprobe, "policy", "--cubin", cubin, "--given", f"waits={WAITS}", "--against", path])
        chains = answers_of([accprobe, "policy", "--against", path])
        for cell, cycles in run_of(path).items():
            if set(cycles) != set(second[cell]):
                sys.exit(f"operators.py: {cell}: docs/policy/second.tsv has not the accumulators of {name}")
            # The chains know of no 24, so accprobe leaves it out of what they could have taken.
            answers = (sass[cell], *((split, "-", None) for split in earlier[cell]), (*chains[cell][:2], None))
            rows.append(row_of(cell, set_of(name), (cycles, second[cell]), answers))
    print(*HEAD, sep="\t")
    for row in sorted(rows, key=lambda row: place(row[0])):
        print(*row, sep="\t")


def place(cell):
    _, operator, size, length = cell.split(".")
    return OPERATORS.index(operator), int(length[1:]), SIZES.index(size)


def figures(values):
    return f"{statistics.mean(values):.1f} %, {max(values):.1f} %"


def by_set(rows):
    print("| regret: mean, worst | process | cells | the SASS's answer | beyond 5 % | within 1 % | its first rule | its second | the chains' answer |",
          " | ".join(f"always {acc}" for acc in HABITS), "|")
    print("|---|---:|---:|" + "---:|" * (6 + len(HABITS)))
    for kind, words in WORDS.items():
        part = [row for row in rows if row["set"] == kind]
        for process in (1, 2) if part else ():
            sass, *others = ([float(row[f"{who}_regret{process}"]) for row in part] for who in ("sass", *RULES, "chains"))
            habits = [figures([float(row[f"over{acc}"]) for row in part]) if process == 1 else "" for acc in HABITS]
            print(f"| {words} | {process} | {len(part)} | {figures(sass)} | {sum(x > 5 for x in sass)} | {sum(x <= 1 for x in sass)} |",
                  " | ".join([*map(figures, others), *habits]), "|")


def worst_of(rows):
    return max((float(row[f"sass_regret{process}"]), row["cell"].split(".")[3]) for row in rows for process in (1, 2))


def by_size(rows):
    print("| percent: mean, worst (elements) |", " | ".join(OPERATORS), "|\n|---|" + "---:|" * len(OPERATORS))
    for size in (*SIZES, "all"):
        print(f"| {size} |", end="")
        for operator in OPERATORS:
            part = [row for row in rows if row["cell"].startswith(f"ops.{operator}.") and size in ("all", row["cell"].split(".")[2])]
            mean = statistics.mean(float(row[f"sass_regret{process}"]) for row in part for process in (1, 2))
            worst, where = worst_of(part)
            print(f" {mean:.1f}, {worst:.1f} ({where}) |" if worst >= 0.05 else " 0.0 |", end="")
        print()


def beyond(rows):
    print("| beyond 5 % | split | regret: process 1 | 2 | between processes |\n|---|---:|---:|---:|---:|")
    for row in rows:
        if max(float(row["sass_regret1"]), float(row["sass_regret2"])) > 5:
            print(f"| {row['cell']} | {row['sass_split']} | {row['sass_regret1']} % | {row['sass_regret2']} % | {row['between']} % |")


def tables(path):
    rows = lines_of(os.path.abspath(path))
    for table in (by_set, by_size, beyond):
        table(rows)
        print()


def second(paths):
    for path in paths:
        for cell, cycles in run_of(path).items():
            for acc, mean in cycles.items():
                print(f"{cell}.acc{acc}", f"{mean:.6g}", sep="\t")


VERBS = {("cells", 2): lambda a: cells(*a), ("tables", 1): lambda a: tables(*a)}

if __name__ == "__main__":
    verb, operands = (sys.argv + [""])[1], sys.argv[2:]
    if verb == "second" and operands:
        second(operands)
    elif (verb, len(operands)) in VERBS:
        VERBS[verb, len(operands)](operands)
    else:
        print(f"operators.py: takes cells ACCPROBE CUBIN, tables CELLS or second RUN.json..., not '{' '.join(sys.argv[1:])}'",
              file=sys.stderr)
        sys.exit(4)
