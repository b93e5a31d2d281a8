#!/usr/bin/env python3
"""States of an H200's warps while the eight programs run, by Nsight Compute, as validation/data/h200_stalls.csv.

On a machine with the card, nvcc and ncu: tools/probes/stalls.py > h200_stalls.csv
A state's count is summed over schedulers: warps that were in it, cycle by cycle.
"""
import csv
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS = "vecadd matmul_naive matmul_tiled nbody reduce stencil atax bfs".split()
STATES = (
    "barrier branch_resolving dispatch_stall drain gmma imc_miss lg_throttle long_scoreboard math_pipe_throttle membar "
    "mio_throttle misc no_instruction not_selected selected short_scoreboard sleeping tex_throttle wait"
).split()
OTHERS = ["gpc__cycles_elapsed.max", "smsp__inst_executed.sum", "smsp__warps_active.sum", "smsp__warps_launched.sum"]


def metric(state: str) -> str:
    return f"smsp__warps_issue_stalled_{state}.sum"


def launches(program: str, source: pathlib.Path, folder: str) -> list[dict]:
    binary = f"{folder}/{program}"
    subprocess.run(["nvcc", "-O2", "-arch=sm_90", "-o", binary, str(source)], check=True)
    metrics = ",".join(OTHERS + [metric(s) for s in STATES])
    command = ["ncu", "--csv", "--print-units", "base", "--cache-control", "all", "--clock-control", "none"]
    text = subprocess.run(
        command + ["--metrics", metrics, binary], check=True, capture_output=True, text=True
    ).stdout
    table = text[text.index('"ID"') :].splitlines()
    found: dict[int, dict] = {}
    for row in csv.DictReader(table):
        launch = found.setdefault(int(row["ID"]), {"kernel": row["Kernel Name"].split("(")[0]})
        launch[row["Metric Name"]] = row["Metric Value"].replace(",", "")
    return [found[i] for i in sorted(found)]


def main() -> None:
    sources = pathlib.Path(__file__).resolve().parents[2] / "validation" / "ptx"
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["program", "launch", "kernel"] + OTHERS + STATES)
    with tempfile.TemporaryDirectory() as folder:
        for program in PROGRAMS:
            for number, launch in enumerate(launches(program, sources / f"{program}.cu", folder)):
                values = [launch[m] for m in OTHERS + [metric(s) for s in STATES]]
                out.writerow([program, number, launch["kernel"]] + values)


main()
