"""The peak map from cycles of every (chain, acc) at many numbers of warps; ci/peaks says how they come about.

  peaks.py gather RUN.json...     runs with kernels map_chain<chain>_acc<acc> as a table: chain, acc, and the mean over
                                  the runs at each number of warps
  peaks.py spread TABLE           a table of 4, 8, ... warps with every number of warps between them
  peaks.py best TABLE             the best acc by chain and warps, as a matrix
  peaks.py points TABLE           the same as lines for gnuplot: chain, place of the number of warps (from 1 on), acc
  peaks.py missed PREDICTED MEASURED  lines of that form where the predicted peak is not within 1 % of the measured one
  peaks.py judge PREDICTED MEASURED   how often the predicted peak is the measured one, as Markdown
"""
import collections
import json
import re
import statistics
import sys

import pipe  # a reader that has enough is no error

KERNEL = re.compile(r"map_chain(\d+)_acc(\d+)$")
CLOSE = 0.01  # a pick this near the best counts as the peak
APART = 0.02  # accs this far apart have an order worth predicting


def gather(paths):
    cells = collections.defaultdict(list)
    for path in paths:
        with open(path) as file:
            for role in json.load(file)["roles"]:
                chain, acc = map(int, KERNEL.match(role["kernel"]).groups())
                cells[chain, acc, role["warps"]].append(role["cycles"]["mean"])
    warps = sorted({w for _, _, w in cells})
    print("chain", "acc", *warps, sep="\t")
    for chain, acc in sorted({(c, a) for c, a, _ in cells}):
        print(chain, acc, *(f"{statistics.mean(cells[chain, acc, w]):.6g}" for w in warps), sep="\t")


def read(path):
    """cells[chain, warps][acc] = cycles"""
    cells = collections.defaultdict(dict)
    with open(path) as file:
        lines = (line.rstrip("\n").split("\t") for line in file if not line.startswith("#"))
        warps = [int(w) for w in next(lines)[2:]]
        for chain, acc, *cycles in lines:
            for w, c in zip(warps, cycles):
                cells[int(chain), w][int(acc)] = float(c)
    return cells


def spread(path):
    """Warps go to the four schedulers in turn, and those of one do not disturb another's (but for constant loads): with
    4k + r warps, r schedulers have k + 1 of them and the rest k. The mean is over warps."""
    cells = read(path)
    most = max(w for _, w in cells)
    print("chain", "acc", *range(1, most + 1), sep="\t")
    for chain in sorted({c for c, _ in cells}):
        for acc in sorted(cells[chain, 4]):
            row = []
            for w in range(1, most + 1):
                few, more = divmod(w, 4)
                fuller = cells[chain, 4 * few + 4][acc] * (few + 1) * more if more else 0
                emptier = cells[chain, 4 * few][acc] * few * (4 - more) if few else 0
                row.append(f"{(fuller + emptier) / w:.6g}")
            print(chain, acc, *row, sep="\t")


def peak(accs):
    return min(accs, key=lambda acc: (accs[acc], acc))


def best(path):
    cells = read(path)
    warps = sorted({w for _, w in cells})
    print("chain", *warps, sep="\t")
    for chain in sorted({c for c, _ in cells}):
        print(chain, *(peak(cells[chain, w]) for w in warps), sep="\t")


def points(path):
    cells = read(path)
    warps = sorted({w for _, w in cells})
    for chain, w in sorted(cells):
        print(chain, warps.index(w) + 1, peak(cells[chain, w]))


def missed(predicted_path, measured_path):
    predicted, measured = read(predicted_path), read(measured_path)
    warps = sorted({w for _, w in measured})
    for k in sorted(measured):
        if loss(measured[k], peak(predicted[k])) > CLOSE:
            print(k[0], warps.index(k[1]) + 1, peak(predicted[k]))


def loss(accs, pick):
    return accs[pick] / min(accs.values()) - 1


def one_for_all(measured, keys):
    """The acc that loses least if it is taken everywhere (the chain's length where that is less)."""
    picks = range(1, 17)
    mean = {a: statistics.mean(loss(measured[k], min(a, max(measured[k]))) for k in keys) for a in picks}
    return min(mean, key=mean.get)


def judge_at(predicted, measured, keys, name):
    losses = [loss(measured[k], peak(predicted[k])) for k in keys]
    errors = [abs(predicted[k][a] / measured[k][a] - 1) for k in keys for a in measured[k]]
    pairs = agree = 0
    for k in keys:
        for a in measured[k]:
            for b in measured[k]:
                if measured[k][b] > measured[k][a] * (1 + APART):
                    pairs += 1
                    agree += predicted[k][b] > predicted[k][a]
    fixed = one_for_all(measured, keys)
    fixed_hits = sum(loss(measured[k], min(fixed, max(measured[k]))) <= CLOSE for k in keys)
    print(
        f"| {name} | {len(keys)} | {sum(peak(predicted[k]) == peak(measured[k]) for k in keys)} "
        f"| {sum(x <= CLOSE for x in losses)} | {100 * statistics.mean(losses):.2f} % | {100 * max(losses):.1f} % "
        f"| {100 * agree / pairs:.2f} % of {pairs} | {100 * statistics.mean(errors):.2f} % "
        f"| {fixed_hits} (acc{fixed}) |"
    )


def judge(predicted_path, measured_path):
    predicted, measured = read(predicted_path), read(measured_path)
    print("| warps | cells | same acc | within 1 % | mean loss | worst | order | cycles off by | one acc for all |")
    print("|---|---|---|---|---|---|---|---|---|")
    for w in sorted({w for _, w in measured}):
        judge_at(predicted, measured, sorted(k for k in measured if k[1] == w), str(w))
    judge_at(predicted, measured, sorted(measured), "all")


VERBS = {("spread", 1): spread, ("best", 1): best, ("points", 1): points, ("missed", 2): missed, ("judge", 2): judge}

if __name__ == "__main__":
    verb, operands = (sys.argv + [""])[1], sys.argv[2:]
    if verb == "gather" and operands:
        gather(operands)
    elif (verb, len(operands)) in VERBS:
        VERBS[verb, len(operands)](*operands)
    else:
        print("peaks.py: takes gather RUN.json..., spread, best or points TABLE, or missed or judge PREDICTED MEASURED, not "
              f"'{' '.join(sys.argv[1:])}'", file=sys.stderr)
        sys.exit(4)
