#!/usr/bin/env python3
"""One row per kernel, from what micro and mixed printed and what count_events.py counted.

make_tables.py micro.csv mixed.csv --out FOLDER [--events FILE...] [--workloads FILE...] [--summary]
writes energy.csv (medians over rounds, and their spread) and, with events, energy_events.csv (simulated events of one launch or sequence, of as many
rounds of its loop as were measured). --summary prints what events cost above a card that is awake and idle."""
import argparse
import csv
import os
import statistics
import sys

MEDIANS = ["seconds", "joules", "watts", "counter_watts", "memory_watts", "sm_mhz", "sm_mhz_least", "memory_mhz", "celsius", "idle_watts"]
ABOUT = ["kernel", "data", "sms", "ctas", "threads", "loop_rounds"]
# NVML's reasons for lower clocks: power cap, slowdown, temperature, power brake.
LIMITED = 0xEC
NOT_EVENTS = {"name", "half", "round", "turn", "begin", "launches", "samples", "watts_spread", "reasons", "idle_celsius", *MEDIANS, *ABOUT}
# What a kernel is about, where it is not the first instruction that its name names.
SUMS = {"l1": "l1_sectors", "l2_read": "l2_read_sectors", "l2_write": "l2_write_sectors", "red": "l2_atomic_sectors", "dram_read": "dram_read_bytes",
        "dram_write": "dram_write_bytes", "dram_copy": "dram_read_bytes", "dram_random": "dram_read_bytes", "ex2": "mufu", "rsqrt": "mufu",
        "iadd3": "iadd"}


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return float("nan")


def median(values):
    values = [v for v in values if v == v]
    return statistics.median(values) if values else float("nan")


def read(paths):
    """Rows by name, in the order in which names come first. Launches that differ in rounds of their loop are brought to the first one's."""
    groups = {}
    for path in paths:
        kind = os.path.splitext(os.path.basename(path))[0].split("_")[0]
        with open(path) as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                row["set"] = kind
                group = groups.setdefault(row["name"], [])
                if group and number(row.get("loop_rounds")) > 0:
                    scale = number(group[0]["loop_rounds"]) / number(row["loop_rounds"])
                    for key in ("seconds", "joules"):
                        row[key] = str(number(row[key]) * scale)
                group.append(row)
    return groups


def spread(values):
    values = [v for v in values if v == v]
    return (max(values) - min(values)) / statistics.median(values) * 100 if len(values) > 1 else float("nan")


def summarise(rows):
    first = rows[0]
    out = {"name": first["name"], "set": first["set"], "half": first["half"], "runs": len(rows)}
    out.update({key: first.get(key, "") for key in ABOUT})
    out.update({key: median([number(r.get(key)) for r in rows]) for key in MEDIANS})
    out["watts_spread_percent"] = spread([number(r["watts"]) for r in rows])
    out["seconds_spread_percent"] = spread([number(r["seconds"]) for r in rows])
    out["clock_limited"] = int(any(int(number(r["reasons"])) & LIMITED for r in rows))
    for key in first:
        if key not in NOT_EVENTS and key != "set":
            out[key] = number(first[key])
    return out


def workloads(paths):
    """Of `workloads_on_gpu --energy`: what a run takes less what restoring memory takes. Nothing is fitted to them."""
    for path in paths:
        with open(path) as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                out = {"name": "workload/" + row["name"], "set": "workload", "half": "test", "runs": 1, "loop_rounds": 0, "kernel_launches": number(row["launches"]),
                       "same_memory": number(row["same_memory"]), "clock_limited": int(bool(int(number(row["reasons"])) & LIMITED))}
                out.update({key: number(row.get(key)) for key in MEDIANS})
                out["restored_share"] = number(row["restore_joules"]) / number(row["joules"]) if number(row["joules"]) > 0 else float("nan")
                out["seconds"] = number(row["seconds"]) - number(row["restore_seconds"])
                out["joules"] = number(row["joules"]) - number(row["restore_joules"])
                yield out


def write(path, rows):
    columns = list(dict.fromkeys(key for row in rows for key in row))
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(columns)
        for row in rows:
            out.writerow([f"{v:.8g}" if isinstance(v, float) and v == v else "" if v != v else v for v in (row.get(c, "") for c in columns)])
    print(f"{path}: {len(rows)} rows", file=sys.stderr)


def events(paths):
    counted = {}
    for path in paths:
        with open(path) as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                counted.setdefault(row["name"], {})[row["statistic"]] = (number(row["base"]), number(row["per_round"]))
    return counted


def with_events(rows, counted):
    for row in rows:
        found = counted.get(row["name"]) or counted.get(row["name"].replace("_zero", ""))
        if not found:
            continue
        rounds = number(row["loop_rounds"])
        rounds = rounds if rounds == rounds else 0
        out = {key: row[key] for key in ("name", "set", "half", "loop_rounds", "seconds", "joules", "watts")}
        out.update({key: base + rounds * per_round for key, (base, per_round) in found.items()})
        yield out


def summary(rows):
    awake = median([r["watts"] for r in rows if r["name"] == "idle_awake"])
    print(f"awake and idle: {awake:.1f} W")
    print(f"{'kernel':18} {'half':6} {'watts':>7} {'above':>7} {'spread':>7} {'counter':>8} {'MHz':>6}  event")
    for row in rows:
        name = row["name"]
        base = name.split("_sm")[0].split("_w")[0].replace("_zero", "") if not name.startswith("dram_w") and not name.startswith("l2_w") else name
        keys = [k for k in row if name.startswith(k) and isinstance(row[k], float) and row[k] > 0]
        key = next((v for k, v in SUMS.items() if base.startswith(k)), max(keys, key=len) if keys else "")
        extra = (row["watts"] - awake) * row["seconds"]
        each = ""
        if key and row.get(key, 0) > 0:
            lanes = 1 if key.endswith(("sectors", "bytes")) else 32
            each = f"{extra / row[key] / lanes * 1e12:9.2f} pJ per {key}" + (" and lane" if lanes > 1 else "")
        print(f"{name:18} {row['half']:6} {row['watts']:7.1f} {row['watts'] - awake:7.1f} {row.get('watts_spread_percent', float('nan')):6.1f}% "
              f"{row['counter_watts'] / row['watts']:8.3f} {row['sm_mhz']:6.0f}{'*' if row['clock_limited'] else ' '} {each}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=".")
    parser.add_argument("--events", nargs="*", default=[])
    parser.add_argument("--workloads", nargs="*", default=[])
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("measured", nargs="*")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    rows = [summarise(group) for group in read(options.measured).values()] + list(workloads(options.workloads))
    write(os.path.join(options.out, "energy.csv"), rows)
    if options.events:
        write(os.path.join(options.out, "energy_events.csv"), list(with_events(rows, events(options.events))))
    if options.summary:
        summary(rows)


if __name__ == "__main__":
    main()
