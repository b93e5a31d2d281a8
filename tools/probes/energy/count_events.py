#!/usr/bin/env python3
"""Events of the kernels of micro.cu and mixed.cu, counted by Heddle.

count_events.py --heddle HEDDLE [--gpu h200] [--jobs N] ./micro micro_events.csv [NAME...]
The program is built with -cudart shared. Kernels with a loop run twice, with few and with more rounds: columns `base` and `per_round` say what a
launch counts besides its rounds, and in each. Sequences of launches run twice, too, and the second time is counted, with what the first has left
in L2 (`base`, with 0 per round). Peaks and means are left out. A name with _zero has the events of the one without.

count_events.py --heddle HEDDLE --workloads SCALE workload_events.csv NAME...
The same for bundled workloads, whose names become workload/NAME."""
import argparse
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

NOT_SUMS = ("peak", "most_", "busiest")


def run(options, name, rounds):
    """What the program says of itself, and the statistics of its launches."""
    with tempfile.TemporaryDirectory() as folder:
        results = os.path.join(folder, "results.jsonl")
        command = [options.heddle, "exec", "--gpu", options.gpu, "--compute-capability", "9.0", "-q", "--strict", "--results", results]
        for setting in options.set:
            command += ["--set", setting]
        done = subprocess.run(command + ["--", options.program, "--count", str(rounds), name], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{name}: {done.stderr.strip()[-300:]}")
        with open(results) as file:
            launches = [json.loads(line) for line in file][1:]
    row = next(csv.DictReader(io.StringIO(done.stdout)))
    return row, [launch for launch in launches if "statistics" in launch]


def counters(statistics):
    return {key: value for key, value in statistics.items() if isinstance(value, int) and not any(word in key for word in NOT_SUMS)}


def sums(launches):
    total = {"cycles": sum(launch["cycles"] for launch in launches), "launches": len(launches)}
    for launch in launches:
        for key, value in counters(launch["statistics"]).items():
            total[key] = total.get(key, 0) + value
    return total


def count_workload(options, name):
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "record.json")
        command = [options.heddle, "run", name, "--gpu", options.gpu, "--scale", options.workloads, "--json", record]
        for setting in options.set:
            command += ["--set", setting]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{name}: {done.stderr.strip()[-300:]}")
        with open(record) as file:
            base = counters({key: one.get("value") for key, one in json.load(file)["statistics"].items()})
    base.update(cycles=base["gpu.cycles"], launches=base["gpu.launches"])
    print(f"{name}: {base['cycles']} cycles", file=sys.stderr, flush=True)
    return "workload/" + name, base, dict.fromkeys(base, 0)


def count(options, name):
    # A buffer that is written over and over is larger than L2 after some rounds.
    few, more = (1, 2) if name == "dram_random" else (4, 8) if "dram" in name else (2, 4)
    row, launches = run(options, name, few)
    if int(row["loop_rounds"]) == 0:
        base = sums(launches[len(launches) // 2:])
        per_round = dict.fromkeys(base, 0)
    else:
        first, second = sums(launches), sums(run(options, name, more)[1])
        per_round = {key: (second[key] - first[key]) / (more - few) for key in first}
        base = {key: first[key] - few * per_round[key] for key in first}
    print(f"{name}: {base['cycles'] + few * per_round['cycles']:.0f} cycles", file=sys.stderr, flush=True)
    return name, base, per_round


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default="heddle")
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--workloads", metavar="SCALE")
    parser.add_argument("arguments", nargs="+", metavar="[PROGRAM] OUTPUT [NAME...]")
    options = parser.parse_args()
    if options.workloads:
        output, *wanted = options.arguments
        one = count_workload
    else:
        options.program, output, *chosen = options.arguments
        options.program = os.path.abspath(options.program)
        listed = subprocess.run([options.program, "--list"], capture_output=True, text=True, check=True).stdout
        names = [row["name"] for row in csv.DictReader(io.StringIO(listed))]
        names = [n for n in names if n != "idle_context" and (not chosen or n in chosen)]
        wanted = list(dict.fromkeys(n.replace("_zero", "") if n.replace("_zero", "") in names else n for n in names))
        one = count
    failed = 0
    with open(output, "w", newline="") as file, ThreadPoolExecutor(options.jobs) as pool:
        out = csv.writer(file)
        out.writerow(["name", "statistic", "base", "per_round"])
        for future in [pool.submit(one, options, name) for name in wanted]:
            try:
                name, base, per_round = future.result()
            except RuntimeError as error:
                print(error, file=sys.stderr)
                failed += 1
                continue
            out.writerows([name, key, f"{base[key]:.10g}", f"{per_round[key]:.10g}"] for key in base if base[key] or per_round[key])
            file.flush()
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
