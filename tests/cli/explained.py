"""Holds an explanation (accprobe explain --format json, on stdin) against itself: cycles add up to the prediction, a
scheduler issues one instruction a cycle, no bound is beaten. Prints what the arguments name: a path of members."""
import json
import sys

explained = json.load(sys.stdin)
assert explained["format"] == "accprobe-explain/1" and explained["source"] == "predicted"
instructions = explained["instructions"]
assert len(instructions) == explained["loop"]["instructions"]
if explained["known"]:
    mean = explained["cycles"]["mean"]
    total = sum(sum(i["cycles"].values()) for i in instructions)
    if explained["warps"] % 4 == 0 or explained["warps"] == 1:
        assert abs(total - mean) < 1e-3 * mean, f"instructions add up to {total}, the iteration takes {mean}"
    for i in instructions:
        assert abs(i["cycles"]["issued"] - 1) < 1e-6, f"{i} is issued once an iteration"
    for bound in explained["bounds"]:
        assert bound["cycles"] <= total * 1.0001, f"{bound} is more than {total}"
    rows = [row["cells"] for row in explained["timeline"]]
    assert len(rows) == explained["scheduler_warps"] and len({len(row) for row in rows}) == 1
    for cycle in zip(*rows):
        assert sum(cause == 0 for _, cause in cycle) <= 1, "two warps issue in one cycle"
    for row in rows:
        issued = [at for at, cause in row if cause == 0]
        assert all(b == (a + 1) % len(instructions) for a, b in zip(issued, issued[1:])), "in order"
    assert sum(at == len(instructions) - 1 and cause == 0 for at, cause in rows[0]) >= 1
value = explained
for name in sys.argv[1:]:
    value = value[int(name)] if isinstance(value, list) else value[name]
print(value if sys.argv[1:] else "")
