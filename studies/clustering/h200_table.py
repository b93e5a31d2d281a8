#!/usr/bin/env python3
"""The figures of H200.md from the files of data/: h200_table.py [SCALE], or h200_table.py --beside SCALE."""
import csv
import math
import pathlib
import statistics
import sys

DATA = pathlib.Path(__file__).parent / "data"


def rows(name):
    path = DATA / name
    return list(csv.DictReader(path.open())) if path.exists() else []


def speedup(row):
    return float(row["speedup"]) if row["speedup"] and int(row["rewritten"]) else 0.0


def best(of, starts=""):
    of = [r for r in of if r["design"].startswith(starts) and speedup(r) > 0]
    return max(of, key=speedup, default=None)


def said(row):
    return f"{row['design']}: {speedup(row):.2f}" if row else ""


def hits(row):
    loads = int(row["l1_load_sectors"])
    return f"{100 * int(row['l1_load_hits']) / loads:.0f}%" if loads else ""


def by_kernel(all_rows):
    groups = {}
    for r in all_rows:
        groups.setdefault((r["workload"], r["kernel"]), []).append(r)
    return groups


def logs(of):
    return [math.log(x) for x in of]


def correlation(a, b):
    a, b = ([x - statistics.fmean(v) for x in v] for v in (a, b))
    size = math.sqrt(sum(x * x for x in a) * sum(x * x for x in b))
    return sum(x * y for x, y in zip(a, b)) / size if size else 0.0


def beside(scale):
    """Whether the simulated h200 knows what the card does."""
    card = by_kernel(rows(f"h200_times_{scale}.csv"))
    every, agents, lost, plain = [], [], [], []
    for key, simulated in by_kernel(rows(f"h200_predicted_{scale}.csv")).items():
        measured = {r["design"]: speedup(r) for r in card[key] if speedup(r) > 0}
        both = [(r["design"], float(r["speedup"]), measured[r["design"]]) for r in simulated if r["design"] in measured]
        for of, some in ((every, both), (agents, [b for b in both if b[0].startswith("agents")])):
            of.append(correlation(logs(s for _, s, _ in some), logs(c for _, _, c in some)))
        taken = next((r["design"] for r in simulated if r["best"]), "as it is")
        most = max([1.0, *measured.values()])
        lost.append(most / measured.get(taken, 1.0))
        plain.append(most)
    for what, of in (("all designs", every), ("designs with agents", agents)):
        print(f"{len(of)} kernels, {what}: correlation of speed-ups, median {statistics.median(of):.2f}, least {min(of):.2f}")
    for what, of in (("the simulator's choice", lost), ("no change at all", plain)):
        print(f"{what}: within 2% of the card's best in {sum(x < 1.02 for x in of)}, "
              f"loses {100 * (statistics.fmean(of) - 1):.1f}% in the mean, {100 * (max(of) - 1):.0f}% at most")


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--beside":
        return beside(sys.argv[2])
    scale = sys.argv[1] if len(sys.argv) > 1 else "paper"
    counted = {(r["workload"], r["kernel"], r["design"]): r for r in rows(f"h200_counters_{scale}.csv")}
    print("| program | kernel | CTAs | us | best design | best with agents | L1 hits: plain, columns | L2 reads, columns |")
    print("|---|---|---|---|---|---|---|---|")
    for (workload, kernel), group in by_kernel(rows(f"h200_times_{scale}.csv")).items():
        plain = next(r for r in group if r["design"] == "as it is")
        top = best(group)
        x, y, z = plain["grid"].split("x")
        before, after = (counted.get((workload, kernel, d)) for d in ("as it is", "agents by columns"))
        shares, reads = "", ""
        if before and after:
            shares = ", ".join(filter(None, (hits(before), hits(after))))
            l2 = int(before["l2_read_sectors"])
            reads = f"{100 * (int(after['l2_read_sectors']) / l2 - 1):+.0f}%" if l2 else ""
        print(
            f"| {workload} | `{kernel}` | {int(x) * int(y) * int(z):,} | {float(plain['median_us']):.1f} "
            f"| {said(top) if top and speedup(top) >= 1.02 else 'as it is'} | {said(best(group, 'agents'))} "
            f"| {shares} | {reads} |"
        )


if __name__ == "__main__":
    main()
