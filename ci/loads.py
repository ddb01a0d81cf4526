"""Other loads than the gate's, on record in docs/probes/loads.tsv: protocol seed, and 16 warps.

  loads.py gather RUN.json...  runs as that table: role, protocol, warps, processes, mean of their means in cycles per
                               iteration, and its coefficient of variation between processes in percent
  loads.py page TABLE          docs/probes/loads.md: a row a chain and series, a column an acc, the best in bold
  loads.py section RUN.json... the tables of a section of docs/h200.md: the optimal probe at one load
  loads.py claims VERDICT.json what such runs make of the document's statements: a line each, statement and words
"""
import collections
import json
import re
import statistics
import sys

import pipe  # a reader that has enough is no error

PROBES = ("sink", "tail", "dependency", "dispatch", "mixed")
LOADS = (("gate", 16), ("seed", 8))
HEAD = ("role", "protocol", "warps", "processes", "cycles", "variation")


def gather(paths):
    cells = collections.defaultdict(list)
    devices = set()
    for path in paths:
        with open(path) as file:
            run = json.load(file)
        device, compiler = run["device"], run["compiler"]
        devices.add((f'{device["name"]}, {device["arch"]}, driver {device["driver"]}, {compiler["name"]} '
                     f'{compiler["version"]}, {run["date"][:10]}'))
        for role in run["roles"]:
            cells[role["role"], run["protocol"]["name"], role["warps"]].append(role["cycles"]["mean"])
    if len(devices) != 1:
        sys.exit(f"loads.py: runs of one device, driver, compiler and day are wanted, not of {sorted(devices)}")
    print(f"# {devices.pop()}")
    print(*HEAD, sep="\t")
    for (role, protocol, warps), means in cells.items():
        mean = statistics.mean(means)
        variation = 100 * statistics.stdev(means) / mean if len(means) > 1 else 0
        print(role, protocol, warps, len(means), f"{mean:.6g}", f"{variation:.2g}", sep="\t")


def read(path):
    with open(path) as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [dict(zip(HEAD, line)) for line in lines[1:]]


def name_of(role):
    """probe, chain, series, acc: sink.chain7.acc2.carried is of the series "carried", sink.chain7.acc2 of "plain"."""
    probe, chain, acc, rest = re.match(r"(\w+)\.chain(\d+)\.acc(\d+)\.?(.*)$", role).groups()
    return probe, int(chain), rest or "plain", int(acc)


def table(rows):
    """rows: (chain, series, acc) -> cycles"""
    accs = sorted({acc for _, _, acc in rows})
    series = sorted({(s != "plain", s) for _, s, _ in rows})
    print("| chain, series |", " | ".join(f"acc{acc}" for acc in accs), "|")
    print("|---|" + "---:|" * len(accs))
    for _, name in series:
        for chain in sorted({c for c, s, _ in rows if s == name}):
            row = {acc: rows[chain, name, acc] for acc in accs if (chain, name, acc) in rows}
            best = min(f"{cycles:.2f}" for cycles in row.values() if cycles == min(row.values()))
            cells = (f"{row[acc]:.2f}" if acc in row else "" for acc in accs)
            print(f"| {chain} {name} |", " | ".join(f"**{c}**" if c == best else c for c in cells), "|")


def page(path):
    rows = read(path)
    with open(path) as file:
        device = file.readline().strip("# \n")
    print("# The probes at 16 warps, and under the document's protocol\n")
    print(f"{device}. Cycles per iteration, means of separate processes, the best in bold. Made by `ci/loads.py page\n"
          "docs/probes/loads.tsv`; to measure anew, `accprobe measure --probe P --warps 16 --out RUN.json` and\n"
          "`--protocol seed`, then `ci/loads.py gather RUN.json...`. What they mean stands in [probes.md](../probes.md).")
    for probe in PROBES:
        for protocol, warps in LOADS:
            chosen = [row for row in rows if row["protocol"] == protocol and int(row["warps"]) == warps
                      and name_of(row["role"])[0] == probe]
            if not chosen:
                continue
            processes = {int(row["processes"]) for row in chosen}
            variations = sorted(float(row["variation"]) for row in chosen)
            print(f"\n## {probe}, {warps} warps, protocol {protocol}\n\n{max(processes)} processes; coefficient of "
                  f"variation {statistics.median(variations):.2g} % in the median, {variations[-1]:.2g} % at the worst.\n")
            table({name_of(row["role"])[1:]: float(row["cycles"]) for row in chosen})


def section(paths):
    """The tables of docs/h200.md: the optimal probe at one load, over the processes that `paths` hold."""
    runs = [json.load(open(path)) for path in paths]
    loads = {(run["protocol"]["name"], role["warps"]) for run in runs for role in run["roles"]}
    if len(loads) != 1:
        sys.exit(f"loads.py: runs of one protocol and number of warps are wanted, not of {sorted(loads)}")
    cells = collections.defaultdict(list)
    for run in runs:
        for role in run["roles"]:
            cells[role["chain"], role["acc"]].append(role)
    print(f"Mean over {len(runs)} processes. Cycles per iteration, the best in bold:\n")
    grid(cells, lambda roles: statistics.mean(role["cycles"]["mean"] for role in roles), min, "{:.2f}")
    print("\nProgress, iterations of a warp in 10,000,000 cycles:\n")
    grid(cells, lambda roles: statistics.mean(role["progress"] for role in roles), max, "{:.0f}")
    print("\nModes: whole cycles per iteration that warps lock into, and their share (the heaviest four):\n")
    print("| chain | acc | modes | coefficient of variation between processes |\n|---|---:|---|---:|")
    for (chain, acc), roles in sorted(cells.items()):
        shares = collections.Counter()
        for role in roles:
            shares.update({cycles: weight / len(roles) for cycles, weight in role["cycles"]["modes"]})
        heaviest = sorted(shares.items(), key=lambda item: (-item[1], item[0]))[:4]
        modes = " ".join(f"{cycles:.0f} ({100 * share:.0f} %)" for cycles, share in heaviest if share >= 0.005)
        means = [role["cycles"]["mean"] for role in roles]
        print(f"| {chain} | {acc} | {modes} | {100 * statistics.stdev(means) / statistics.mean(means):.3f} % |")


def claims(path):
    with open(path) as file:
        lines = json.load(file)["lines"]
    says = {"STATEMENT_HOLDS": "holds", "STATEMENT_FAILS": "FAILS", "NOT_ONE_THRESHOLD": "no one threshold"}
    for line in lines:
        if not line["claim"].startswith("document.") or line["reason"] not in says:
            continue
        found = re.search(r"acc\d+ is \([^)]*\)$|found .*$|is not so: .*$|the least .*$", line["text"])
        words = found.group(0) if found else line["text"].split(": ", 1)[1]
        print(line["claim"].removeprefix("document."), f'{says[line["reason"]]}: {words}', sep="\t")


def grid(cells, of, better, form):
    """A row a chain, a column an acc."""
    accs = sorted({acc for _, acc in cells})
    print("| chain |", " | ".join(f"acc{acc}" for acc in accs), "|")
    print("|---|" + "---:|" * len(accs))
    for chain in sorted({chain for chain, _ in cells}):
        values = {acc: of(cells[chain, acc]) for acc in accs}
        best = better(values.values())
        print(f"| {chain} |", " | ".join(f"**{form.format(v)}**" if v == best else form.format(v) for v in values.values()), "|")


if __name__ == "__main__":
    verb, *arguments = sys.argv[1:] or ["help"]
    if verb == "gather" and arguments:
        gather(arguments)
    elif verb == "page" and len(arguments) == 1:
        page(*arguments)
    elif verb == "claims" and len(arguments) == 1:
        claims(*arguments)
    elif verb == "section" and len(arguments) > 1:
        section(arguments)
    else:
        sys.exit(__doc__)
