#!/usr/bin/env python3
"""Times the example on a GPU and adds what the profiler counts: measure.py PROGRAM > results/CARD.csv

Needs ncu and the right to read the card's counters. Times are without the profiler (median of 15 launches); L1 hits and
sectors that L1s read from L2 are of one launch each."""
import csv
import subprocess
import sys

HITS = "l1tex__t_sector_hit_rate.pct"
READS = "lts__t_sectors_srcunit_tex_op_read.sum"
REGISTERS = "launch__registers_per_thread"


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def main():
    program = sys.argv[1]
    ways = list(csv.DictReader(lines(program, "--csv")))
    profiled = lines("ncu", "--cache-control", "none", "--clock-control", "none", "--csv", "--metrics",
                     ",".join((HITS, READS, REGISTERS)), program, "--csv", "--repeat", "1")
    launches = {}
    for row in csv.DictReader(line for line in profiled if line.startswith('"')):
        launches.setdefault(int(row["ID"]), {})[row["Metric Name"]] = row["Metric Value"].replace(",", "")
    if len(launches) != 2 * len(ways):
        sys.exit(f"{len(ways)} ways, but {len(launches)} launches were profiled; two of each were expected")
    card = lines("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")[0]
    print(f"# {card}; made by measure.py, which tells the commands")
    print("kernel,way,median_ms,least_ms,most_ms,speed-up,result,l1_hits_percent,l2_read_sectors,registers")
    for number, way in enumerate(ways):
        counts = launches[sorted(launches)[2 * number + 1]]  # the first one warms up
        print(",".join([*way.values(), counts[HITS], counts[READS], counts[REGISTERS]]))


main()
