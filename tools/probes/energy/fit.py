#!/usr/bin/env python3
"""Fits an H200's energies: what `heddle describe h200 --cost --json` says of its events, times few factors, to measured power.

fit.py --heddle HEDDLE --micro h200_energy_micro.csv --mixed h200_energy_mixed.csv --workloads h200_energy_workloads.csv
       --events micro_events.csv mixed_events.csv workload_events.csv

Only rows of the half `fit` are looked at. Time is the card's; events are those that Heddle counts. Unknowns are at least zero and share relative
errors (non-negative least squares of power / measured power). Prints the values for the section `energy` of configs/h200.toml, and the error of both
halves."""
import argparse
import csv
import json
import statistics
import subprocess
from collections import defaultdict

VOLTAGE = (0.9 / 0.6) ** 2  # the card's, which is assumed, beside that of the models at 11 nm
MOST_RESTORED = 0.5  # of a workload's energy: what gives its memory back its contents and is taken off
ACTIVATE_PJ = 909.0  # of a KiB: O'Connor et al., MICRO 2017; not fitted
KINDS = ["issue of a warp's instruction", "simple operation of a lane", "integer multiplication of a lane", "FP32 operation of a lane",
         "FP64 operation of a lane", "special function of a lane", "lane's part of a matrix product", "lane's address and data"]


def rows_of(path):
    with open(path) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def medians(rows, columns):
    """One row per name: the median of each column over its rounds."""
    by = defaultdict(list)
    for row in rows:
        by[row["name"]].append(row)
    return {name: {**group[0], **{c: statistics.median(float(r[c]) for r in group) for c in columns}} for name, group in by.items()}


def nnls(a, b, rounds=20000):
    """min |a x - b|, x >= 0, by coordinate descent."""
    n, m = len(a), len(a[0])
    gram = [[sum(a[k][i] * a[k][j] for k in range(n)) for j in range(m)] for i in range(m)]
    right = [sum(a[k][i] * b[k] for k in range(n)) for i in range(m)]
    x = [0.0] * m
    for _ in range(rounds):
        change = 0.0
        for i in range(m):
            if gram[i][i] == 0:
                continue
            new = max(0.0, x[i] + (right[i] - sum(gram[i][j] * x[j] for j in range(m))) / gram[i][i])
            change = max(change, abs(new - x[i]) / (abs(new) + 1e-12))
            x[i] = new
        if change < 1e-9:
            break
    return x


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--micro", required=True)
    parser.add_argument("--mixed", required=True)
    parser.add_argument("--workloads")
    parser.add_argument("--events", nargs="+", required=True)
    options = parser.parse_args()

    ones = ["--set", f"energy.dram_activate_pj={ACTIVATE_PJ}"]
    for key in ("work_factor", "array_factor", "network_factor", "busy_sm_watts", "dram_read_pj", "dram_write_pj"):
        ones += ["--set", f"energy.{key}=1.0"]
    cost = json.loads(subprocess.run([options.heddle, "describe", options.gpu, "--cost", "--json"] + ones, capture_output=True, text=True,
                                     check=True).stdout)
    groups = {}

    def group_of(term):
        what = term["what"].split(": ", 1)[1]
        if what in KINDS:
            return what
        if what == "with a warp":
            return "busy_sm_watts"
        if what == "byte read":
            return "dram_read_pj"
        if what == "byte written":
            return "dram_write_pj"
        if what == "row opened":
            return "known"
        if what.startswith("flit"):
            return "network_factor"
        return "array_factor"

    terms = [t for t in cost["energy"] if t["statistic"] != "gpu.picoseconds"]
    for t in terms:
        groups.setdefault(group_of(t), []).append(t)
    known = groups.pop("known", [])
    names = list(groups)

    events = defaultdict(dict)
    for path in options.events:
        for row in rows_of(path):
            events[row["name"]][row["statistic"]] = (float(row["base"]), float(row["per_round"]))

    columns = ["watts", "seconds", "idle_watts", "loop_rounds"]
    cases = {}  # name: half, watts above idle, watts, features (picojoules per second at factor 1)
    measured = list(medians(rows_of(options.micro), columns).items()) + list(medians(rows_of(options.mixed), columns).items())
    for name, row in measured:
        if name not in events or row["half"] not in ("fit", "test"):
            continue
        features = []
        for group in names:
            total = 0.0
            for t in groups[group]:
                base, per_round = events[name].get(t["statistic"], (0.0, 0.0))
                total += t["pj"] * (base + per_round * row["loop_rounds"])
            features.append(total * 1e-12 / row["seconds"])
        opened = sum(t["pj"] * (events[name].get(t["statistic"], (0.0, 0.0))[0] + events[name].get(t["statistic"], (0.0, 0.0))[1] * row["loop_rounds"])
                     for t in known) * 1e-12 / row["seconds"]
        cases[name] = (row["half"], row["watts"] - row["idle_watts"] - opened, row["watts"], features)
    idle = statistics.median(row["idle_watts"] for _, row in measured)

    fit = [c for c in cases.values() if c[0] == "fit"]
    x = nnls([[f / c[2] for f in c[3]] for c in fit], [c[1] / c[2] for c in fit])
    print(f"idle {idle:.1f} W; {len(fit)} cases fitted")
    basic = {}  # energies of single operations, as the program has them
    for t in terms:
        what = t["what"].split(": ", 1)[1]
        if what in KINDS:
            basic[what] = min(basic.get(what, 1e9), t["pj"] if not t["statistic"].endswith("move") else 1e9)
    for name, value in zip(names, x):
        print(f"  {name:40} {value:10.3f}" + (f"   {value * basic[name] / VOLTAGE:.3g} pJ at 0.6 V" if name in basic else ""))
    for half in ("fit", "test"):
        errors = {n: abs(c[2] - c[1] + sum(f * v for f, v in zip(c[3], x)) - c[2]) / c[2] for n, c in cases.items() if c[0] == half}
        if not errors:
            continue
        print(f"{half}: mean {statistics.mean(errors.values()):.1%}, median {statistics.median(errors.values()):.1%} of {len(errors)}; worst:")
        for n in sorted(errors, key=errors.get, reverse=True)[:12]:
            c = cases[n]
            print(f"  {n:24} {c[2]:6.1f} W, predicted {c[2] - c[1] + sum(f * v for f, v in zip(c[3], x)):6.1f}")
    if options.workloads:
        predict_workloads(rows_of(options.workloads), events, groups | {"known": known}, dict(zip(names, x)) | {"known": 1.0}, idle)


def predict_workloads(rows, events, groups, factors, idle):
    """Nothing was fitted to these. Energy of a run with the card's time, and with Heddle's."""
    errors = {"the card's time": {}, "Heddle's time": {}}
    for row in rows:
        counted = events.get("workload/" + row["name"])
        restored = float(row["restore_joules"]) / float(row["joules"])
        if counted is None or restored > MOST_RESTORED:
            continue
        joules = float(row["joules"]) - float(row["restore_joules"])
        spent = sum(factors[g] * t["pj"] * counted.get(t["statistic"], (0.0, 0.0))[0] for g, terms in groups.items() for t in terms) * 1e-12
        for whose, seconds in (("the card's time", float(row["seconds"]) - float(row["restore_seconds"])),
                               ("Heddle's time", counted["gpu.picoseconds"][0] * 1e-12)):
            errors[whose][row["name"]] = abs(spent + idle * seconds - joules) / joules
    for whose, of in errors.items():
        ranked = sorted(of, key=of.get, reverse=True)
        print(f"bundled workloads, {whose}: mean {statistics.mean(of.values()):.1%}, median {statistics.median(of.values()):.1%} of {len(of)}; worst: "
              + ", ".join(f"{n} {of[n]:.0%}" for n in ranked[:8]))


if __name__ == "__main__":
    main()
