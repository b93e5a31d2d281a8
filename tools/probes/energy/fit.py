#!/usr/bin/env python3
"""Fits an H200's energies: what `heddle describe h200 --cost --json` says of its events, times few factors, to measured power.

fit.py --heddle HEDDLE --data validation/data

Constants are fitted to rows of the half `fit` alone: first what a byte takes in the memory chips, to NVML's power of the memory, then the rest, to the
power of the card. Time is the card's; events are those that Heddle counts (h200_energy_events.csv.gz, by count_events.py). Unknowns are at least zero and
share relative errors (non-negative least squares of power / measured power). Prints the values for the section `energy` of configs/h200.toml, and the
errors of both halves: of the power, and of what is above that of an idle card."""
import argparse
import csv
import gzip
import json
import os
import statistics
import subprocess
from collections import defaultdict

VOLTAGE = (0.9 / 0.6) ** 2  # the card's, which is assumed, beside that of the models at 11 nm
MOST_RESTORED = 0.5  # of a workload's energy: what gives its memory back its contents and is taken off
LEAST_TRAFFIC = 1e11  # bytes per second of DRAM, of cases that tell what a byte takes
ACTIVATE_PJ = 909.0  # of a KiB: O'Connor et al., MICRO 2017; not fitted
KINDS = ["issue of a warp's instruction", "simple operation of a lane", "integer multiplication of a lane", "FP32 operation of a lane",
         "FP64 operation of a lane", "special function of a lane", "lane's part of a matrix product", "lane's address and data"]


def rows_of(path):
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as file:
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


def group_of(term):
    """What a term's energy is multiplied by: a factor or a constant of the section `energy`."""
    what = term["what"].split(": ", 1)[1]
    if what in KINDS:
        return what
    if what == "with a warp":
        return "busy_sm_watts"
    if what in ("byte read", "byte written"):
        return {"byte read": "dram_read_pj", "byte written": "dram_write_pj"}[what]
    if what.startswith("byte through"):
        return "dram_interface_pj"
    if what == "row opened":
        return "row opened"
    return "network_factor" if what.startswith("flit") else "array_factor"


class Case:
    """A measured case: watts, and joules per second of each group at factor 1."""

    def __init__(self, row, groups, counted):
        self.half, self.watts = row["half"], row["watts"]
        self.idle, self.memory = row["idle_watts"], row["memory_watts"]
        self.rates = {}
        for name, terms in groups.items():
            pj = sum(t["pj"] * sum(x * y for x, y in zip(counted.get(t["statistic"], (0.0, 0.0)), (1, row["loop_rounds"]))) for t in terms)
            self.rates[name] = pj * 1e-12 / row["seconds"]

    def predicted(self, factors):
        return self.idle + sum(factors[g] * rate for g, rate in self.rates.items())


def fit_memory(cases, idle):
    """What a byte takes in the chips, of cases with much traffic."""
    names = ["dram_read_pj", "dram_write_pj"]
    fit = [c for c in cases if c.half == "fit" and sum(c.rates[n] for n in names) * 1e12 > LEAST_TRAFFIC]
    x = nnls([[c.rates[n] / c.memory for n in names] for c in fit], [(c.memory - idle - c.rates["row opened"]) / c.memory for c in fit])
    return dict(zip(names, x)), len(fit)


def report(what, errors):
    """`errors`: name: measured, predicted, idle."""
    of = {n: abs(p - m) / m for n, (m, p, _) in errors.items()}
    above = [abs(p - m) / (m - i) for m, p, i in errors.values() if m > i]
    ranked = sorted(of, key=of.get, reverse=True)
    print(f"{what}: mean {statistics.mean(of.values()):.1%}, median {statistics.median(of.values()):.1%} of {len(of)}; "
          f"above idle: mean {statistics.mean(above):.1%}, median {statistics.median(above):.1%} of {len(above)}")
    print("  worst: " + ", ".join(f"{n} {of[n]:.0%} ({errors[n][0]:.3g}, predicted {errors[n][1]:.3g})" for n in ranked[:8]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--data", required=True, help="the folder of h200_energy_*.csv")
    options = parser.parse_args()
    data = lambda name: rows_of(os.path.join(options.data, f"h200_energy_{name}"))

    ones = ["--set", f"energy.dram_activate_pj={ACTIVATE_PJ}"]
    for key in ("work_factor", "array_factor", "network_factor", "busy_sm_watts", "dram_read_pj", "dram_write_pj", "dram_interface_pj"):
        ones += ["--set", f"energy.{key}=1.0"]
    cost = json.loads(subprocess.run([options.heddle, "describe", options.gpu, "--cost", "--json"] + ones, capture_output=True, text=True,
                                     check=True).stdout)
    groups = defaultdict(list)
    for t in cost["energy"]:
        if t["statistic"] != "gpu.picoseconds":
            groups[group_of(t)].append(t)

    events = defaultdict(dict)
    for row in data("events.csv.gz"):
        events[row["name"]][row["statistic"]] = (float(row["base"]), float(row["per_round"]))
    columns = ["watts", "seconds", "idle_watts", "loop_rounds", "memory_watts"]
    measured = medians(data("micro.csv"), columns) | medians(data("mixed.csv"), columns)
    idle = statistics.median(row["idle_watts"] for row in measured.values())
    idle_memory = measured["idle_context"]["memory_watts"]
    cases = {n: Case(row, groups, events[n]) for n, row in measured.items() if n in events and row["half"] in ("fit", "test")}

    factors, told = fit_memory(cases.values(), idle_memory)
    factors["row opened"] = 1.0
    print(f"idle {idle:.1f} W, memory {idle_memory:.1f} W; a byte of the chips by {told} cases")
    names = [g for g in groups if g not in factors]
    fit = [c for c in cases.values() if c.half == "fit"]
    rest = [c.watts - c.idle - sum(f * c.rates[g] for g, f in factors.items()) for c in fit]
    print(f"{len(fit)} cases fitted")
    factors |= zip(names, nnls([[c.rates[n] / c.watts for n in names] for c in fit], [r / c.watts for r, c in zip(rest, fit)]))

    for name, value in factors.items():
        of = [t["pj"] for t in groups[name] if not t["statistic"].endswith("move")]
        print(f"  {name:40} {value:10.3f}" + (f"   {value * min(of) / VOLTAGE:.3g} pJ at 0.6 V" if name in KINDS else ""))
    for half in ("fit", "test"):
        report(half, {n: (c.watts, c.predicted(factors), c.idle) for n, c in cases.items() if c.half == half})
    with_traffic = {n: c for n, c in cases.items() if sum(c.rates[g] for g in ("dram_read_pj", "dram_write_pj")) * 1e12 > LEAST_TRAFFIC}
    for half in ("fit", "test"):
        report(f"memory alone, {half}", {
            n: (c.memory, idle_memory + sum(factors[g] * c.rates[g] for g in ("row opened", "dram_read_pj", "dram_write_pj")), idle_memory)
            for n, c in with_traffic.items() if c.half == half})
    predict_workloads(data("workloads.csv"), events, groups, factors, idle)


def predict_workloads(rows, events, groups, factors, idle):
    """Nothing was fitted to these. Energy of a run with the card's time, and with Heddle's."""
    errors = {"the card's time": {}, "Heddle's time": {}}
    for row in rows:
        counted = events.get("workload/" + row["name"])
        restored = float(row["restore_joules"]) / float(row["joules"])
        if counted is None or restored > MOST_RESTORED:
            continue
        joules, its_time = float(row["joules"]) - float(row["restore_joules"]), float(row["seconds"]) - float(row["restore_seconds"])
        spent = sum(factors[g] * t["pj"] * counted.get(t["statistic"], (0.0, 0.0))[0] for g, terms in groups.items() for t in terms) * 1e-12
        for whose, seconds in (("the card's time", its_time), ("Heddle's time", counted["gpu.picoseconds"][0] * 1e-12)):
            errors[whose][row["name"]] = (joules, spent + idle * seconds, idle * its_time)
    for whose, of in errors.items():
        report(f"bundled workloads, {whose}", of)


if __name__ == "__main__":
    main()
