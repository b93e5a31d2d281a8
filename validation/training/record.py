#!/usr/bin/env python3
"""Profiles programs on this machine's GPU with Nsight Compute, one row per launch. Only the standard library is needed.

  record.py training DRIVER CODE_DIR OUT [--themes A,B] [--cases REGEX] [--cache all|none] [--launches N] [--few] [--deadline S]
  record.py workloads PROGRAM OUT [--scale small] [--names A,B] [--deadline S]
  record.py merge INTO.csv FILE.csv...   rows of several recordings; of equal launches the last counts
  record.py self-test                    the parsers, on text like ncu's (no GPU needed)

Writes into OUT:
  h200.csv (or NAME.csv with --name)   a row per profiled launch: case or program, launch, kernel, grid, block, counters
  opcodes.csv                          executed warp instructions by opcode, where ncu tells them
  metrics.txt                          which counters were taken, which the chip does not have, how long it took
Groups of launches (themes, programs) that do not fit before the deadline are named at the end, with the option that does the rest.
"""
import argparse
import csv
import fnmatch
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
START = time.time()
FEW = ["gpc__cycles_elapsed.max", "sm__cycles_active.avg", "gpu__time_duration.sum"]
# Not among the names that --query-metrics lists, or not in all versions.
UNLISTED = ("launch__", "sass__")


def say(text):
    print(f"[{time.time() - START:5.0f} s] {text}", flush=True)


def ncu():
    for path in [os.environ.get("NCU", ""), "ncu", "/usr/local/cuda/bin/ncu", *sorted(map(str, pathlib.Path("/opt/nvidia/nsight-compute").glob("*/ncu")), reverse=True)]:
        try:
            if path and subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode == 0:
                return path
        except OSError:
            continue
    sys.exit("record.py: no ncu here; set NCU")


# ---- which counters --------------------------------------------------------------------------------------------------------------


def listed(tool):
    """Base names that the chip has; empty if ncu does not tell."""
    for options in (["--chip", "gh100"], []):
        r = subprocess.run([tool, "--query-metrics", *options], capture_output=True, text=True, timeout=120)
        names = {w[0] for w in (l.split() for l in r.stdout.splitlines()) if w and "__" in w[0]}
        if len(names) > 100:
            return names
    return set()


def choose(lines, known):
    """The names of metrics.txt that exist, patterns filled in; and those that do not."""
    chosen, absent = [], []
    for line in lines:
        line = line.split("#")[0].strip()
        if not line:
            continue
        if line.startswith("-"):
            pattern = line[1:].strip()
            chosen = [n for n in chosen if not fnmatch.fnmatchcase(n, pattern)]
            continue
        base, _, suffix = line.partition(".")
        if "*" in base:
            found = sorted(fnmatch.filter(known, base))
            chosen += [n + "." + suffix for n in found]
            if not found:
                absent.append(line)
        elif not known or base in known or base.startswith(UNLISTED):
            chosen.append(line)
        else:
            absent.append(line)
    # The wait states once: as sums where they exist, else as ratios.
    sums = {n for n in chosen if n.startswith("smsp__warps_issue_stalled_")}
    if not known:
        chosen += [f"smsp__average_warps_issue_stalled_{s}_per_issue_active.ratio" for s in STALLS]
    elif len(sums) >= 10:
        chosen = [n for n in chosen if not n.startswith("smsp__average_warps_issue_stalled_")]
    else:
        chosen = [n for n in chosen if n not in sums]
    return list(dict.fromkeys(chosen)), absent


STALLS = ("barrier branch_resolving dispatch_stall drain gmma imc_miss lg_throttle long_scoreboard math_pipe_throttle membar mio_throttle "
          "misc no_instruction not_selected selected short_scoreboard sleeping tex_throttle wait").split()


def usable(tool, metrics, program, trace):
    """Leaves out names that make ncu fail: halves the list until the culprits are found."""
    tries = 0

    def works(names):
        nonlocal tries
        tries += 1
        with tempfile.TemporaryDirectory() as folder:
            r = subprocess.run([tool, "-f", "-o", folder + "/t", "--clock-control", "none", "--metrics", ",".join(names), *program],
                               capture_output=True, text=True, timeout=120)
            ok = os.path.exists(folder + "/t.ncu-rep")
        if not ok:
            trace.append(f"ncu failed with {len(names)} counters: {(r.stdout + r.stderr).strip()[-300:]}")
        return ok

    def culprits(names):
        if not names or tries > 24 or works(names):
            return []
        if len(names) == 1:
            return names
        told = trace[-1]
        named = [m for m in names if re.search(rf"(?<![\w.]){re.escape(m.partition('.')[0])}(?!\w)", told)]
        if named and len(named) < len(names) // 2:
            return named + culprits([m for m in names if m not in named])
        return culprits(names[:len(names) // 2]) + culprits(names[len(names) // 2:])

    bad = set(culprits(metrics))
    return [m for m in metrics if m not in bad], sorted(bad)


# ---- ncu's tables ----------------------------------------------------------------------------------------------------------------


def number(text):
    text = text.replace(",", "").strip()
    try:
        v = float(text)
    except ValueError:
        return text
    return int(v) if v == int(v) and abs(v) < 2**53 else float(f"{v:.8g}")


def parse(text):
    """Launches of ncu's CSV, wide (--page raw) or long (--page details), as dictionaries; text before the table is skipped."""
    lines = text.splitlines()
    at = next((i for i, l in enumerate(lines) if l.startswith('"ID"')), None)
    if at is None:
        return []
    rows = list(csv.reader(io.StringIO("\n".join(l for l in lines[at:] if not l.startswith("==")))))
    head, rows = rows[0], rows[1:]
    launches = []
    if "Metric Name" in head:
        by = {}
        for r in rows:
            if len(r) != len(head):
                continue
            d = dict(zip(head, r))
            l = by.setdefault(d["ID"], {"kernel": d["Kernel Name"], "grid": shape(d["Grid Size"]), "block": shape(d["Block Size"])})
            l[d["Metric Name"]] = number(d["Metric Value"])
        return list(by.values())
    for r in rows:
        if len(r) != len(head) or not r[0].strip():  # the row of units has no ID
            continue
        d = dict(zip(head, r))
        l = {"kernel": d["Kernel Name"], "grid": shape(d.get("Grid Size", "")), "block": shape(d.get("Block Size", ""))}
        for name, v in d.items():
            if "__" in name and v != "":
                l[name.split(" ")[0]] = number(v)
        launches.append(l)
    return launches


def shape(text):
    return "x".join(re.findall(r"\d+", text))


def opcodes(text):
    """'123 (FFMA: 100; LDG: 23)' and its like: opcode and count."""
    inside = text[text.find("(") + 1:text.rfind(")")] if "(" in text else ""
    return [(a, int(float(b.replace(",", "")))) for a, b in re.findall(r"([A-Z][A-Z0-9_.]*)\s*[:=]\s*([\d,]+(?:\.\d+)?)", inside)]


def asked(launch, metrics):
    """Without what ncu gives beside it: other sums of the same counters, attributes of the card."""
    mine = {"kernel", "grid", "block", *metrics}
    return {k: v for k, v in launch.items() if k in mine}


def profile(tool, options, metrics, program, folder, timeout):
    """One run under ncu. Returns launches, opcodes per launch, the program's output; launches are None when it failed."""
    report = f"{folder}/r"
    for old in pathlib.Path(folder).glob("r.*"):
        old.unlink()
    try:
        r = subprocess.run([tool, "-f", "-o", report, "--clock-control", "none", "--metrics", ",".join(metrics), *options, *program],
                           capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return None, [], "timed out"
    if not os.path.exists(report + ".ncu-rep"):
        return None, [], (r.stdout + r.stderr)[-2000:]
    show = [tool, "--import", report + ".ncu-rep", "--csv", "--page", "raw", "--print-units", "base"]
    table = subprocess.run([*show, "--print-fp"], capture_output=True, text=True, timeout=120)
    launches = parse(table.stdout) or parse(subprocess.run(show, capture_output=True, text=True, timeout=120).stdout)
    codes = []
    if "sass__inst_executed_per_opcode" in metrics:
        t = subprocess.run([*show, "--metrics", "sass__inst_executed_per_opcode", "--print-metric-instances", "details"], capture_output=True, text=True, timeout=120)
        for l in parse(t.stdout):
            codes.append(opcodes(str(l.get("sass__inst_executed_per_opcode", ""))))
        codes = codes if len(codes) == len(launches) else []
    return [asked(l, metrics) for l in launches], codes, r.stdout


def add_stalls(launch):
    """Wait states as warp-cycles, whatever ncu gave."""
    for name in list(launch):
        m = re.match(r"smsp__warps_issue_stalled_(\w+)\.sum$", name)
        if m:
            launch["stall_" + m[1]] = launch.pop(name)
        m = re.match(r"smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio$", name)
        if m and isinstance(launch[name], (int, float)) and "smsp__issue_active.sum" in launch:
            launch["stall_" + m[1]] = round(launch.pop(name) * launch["smsp__issue_active.sum"])


class Table:
    """A CSV that is written anew after every group, so that whatever ends the run leaves what was done."""

    def __init__(self, path, first, note):
        self.path, self.first, self.note, self.rows = pathlib.Path(path), first, note, []

    def write(self):
        columns = self.first + sorted({k for r in self.rows for k in r} - set(self.first))
        with open(self.path, "w", newline="") as f:
            f.write("# " + self.note + "\n")
            w = csv.DictWriter(f, columns, restval="", lineterminator="\n")
            w.writeheader()
            w.writerows(self.rows)


# ---- what is profiled ------------------------------------------------------------------------------------------------------------


class Session:
    def __init__(self, options, out, trial):
        self.options, self.out, self.tool = options, pathlib.Path(out), ncu()
        self.out.mkdir(parents=True, exist_ok=True)
        version = subprocess.run([self.tool, "--version"], capture_output=True, text=True).stdout.strip().splitlines()[-1]
        say(f"{self.tool}: {version}")
        trace = []
        if options.few:
            self.metrics, absent, bad = FEW, [], []
        else:
            known = listed(self.tool)
            say(f"{len(known)} counters listed for the chip")
            self.metrics, absent = choose(open(HERE / "metrics.txt"), known)
            self.metrics, bad = usable(self.tool, self.metrics, trial, trace)
        say(f"{len(self.metrics)} counters are taken" + (f"; the chip does not have: {' '.join(absent)}" if absent else "") +
            (f"; ncu refused: {' '.join(bad)}" if bad else ""))
        self.log = [f"{version}", *trace, *("taken " + m for m in self.metrics), *("absent " + m for m in absent), *("refused " + m for m in bad)]
        self.left, self.failed = [], []
        self.folder = tempfile.TemporaryDirectory()

    def time_left(self):
        return self.options.deadline - (time.time() - START)

    def profile(self, options, program, timeout):
        return profile(self.tool, options, self.metrics, program, self.folder.name, max(20, min(timeout, self.time_left() + 30)))

    def finish(self, name, again):
        self.log += [f"failed {f}" for f in self.failed] + [f"left {' '.join(self.left)}", f"seconds {time.time() - START:.0f}"]
        (self.out / f"{name}.metrics.txt").write_text("\n".join(self.log) + "\n")
        for f in self.failed:
            say(f"FAILED {f}")
        if self.left:
            say(f"NOT DONE, for lack of time: {' '.join(self.left)}. The rest: {again} {','.join(self.left)}")
        else:
            say("all done")
        return 1 if self.failed or self.left else 0


def training(o):
    everything = list(csv.DictReader(io.StringIO(subprocess.run([o.driver, "--list"], capture_output=True, text=True, check=True).stdout)))
    themes = list(dict.fromkeys(c["theme"] for c in everything))
    wanted = [t for t in themes if not o.themes or t in o.themes.split(",")]
    s = Session(o, o.out, [o.driver, o.code, "--cubin", "--cases", "brief_add"])
    first = ["case", "theme", "kernel", "launch", "grid", "block"]
    table = Table(s.out / f"{o.name}.csv", first, f"validation/training on an H200: caches {'flushed' if o.cache == 'all' else 'kept'}, clocks free, "
                  f"1 warm-up launch; {s.log[0]}; stall_X: warp-cycles in state X")
    codes = Table(s.out / f"{o.name}.opcodes.csv", ["case", "opcode", "warp_instructions"], "executed warp instructions by opcode")
    slowest = 2.0  # seconds per case, as seen so far
    for theme in wanted:
        group = [c for c in everything if c["theme"] == theme and re.search(o.cases, c["case"])]
        while group:
            # As many cases as surely fit; at most a theme.
            fit = int(s.time_left() / (slowest * 1.2)) - 2
            if fit < 1:
                s.left.append(theme)
                break
            part, group = group[:min(fit, 30)], group[min(fit, 30):]
            began = time.time()
            rows, ops, said = s.profile(["--cache-control", o.cache, "--profile-from-start", "off"],
                                        [o.driver, o.code, "--cubin", "--warm", "1", "--launches", str(o.launches), "--profile", "--cases", ",".join(c["case"] for c in part)], 240)
            took = time.time() - began
            if rows is None or len(rows) != len(part) * o.launches or any(rows[i * o.launches]["kernel"] != c["kernel"] for i, c in enumerate(part)):
                if len(part) > 1:  # one by one, to lose no more than the culprit
                    say(f"{theme}: a group failed ({said.strip()[-300:] if rows is None else len(rows)}); its cases follow singly")
                    singly = part
                else:
                    s.failed.append(f"{part[0]['case']}: {said.strip()[-300:]}")
                    singly = []
                for c in singly:
                    if s.time_left() < 10:
                        s.left.append(theme)
                        break
                    rows, ops, said = s.profile(["--cache-control", o.cache, "--profile-from-start", "off"],
                                                [o.driver, o.code, "--cubin", "--warm", "1", "--launches", str(o.launches), "--profile", "--cases", c["case"]], 60)
                    if rows is None or len(rows) != o.launches:
                        s.failed.append(f"{c['case']}: {said.strip()[-300:]}")
                        continue
                    keep(table, codes, [c], rows, ops, o.launches)
            else:
                slowest = max(0.3, took / len(part))
                keep(table, codes, part, rows, ops, o.launches)
            table.write(), codes.write()
            say(f"{theme}: {len(part)} cases in {took:.0f} s")
    return s.finish(o.name, "--themes")


def keep(table, codes, cases, rows, ops, launches):
    for i, row in enumerate(rows):
        c = cases[i // launches]
        add_stalls(row)
        row.pop("sass__inst_executed_per_opcode", None)
        table.rows.append({**row, "case": c["case"], "theme": c["theme"], "launch": i % launches})
        if ops and i % launches == 0:
            codes.rows += [{"case": c["case"], "opcode": a, "warp_instructions": n} for a, n in ops[i]]


def workloads(o):
    folder = HERE.parent.parent / "workloads"
    names = sorted(p.name for p in folder.iterdir() if (p / f"{p.name}.ptx").exists())
    owner = {k: n for n in names for k in re.findall(r"\.entry\s+(\w+)", (folder / n / f"{n}.ptx").read_text())}  # no name is there twice
    wanted = [n for n in names if not o.names or n in o.names.split(",")]
    s = Session(o, o.out, [o.program, "tiny", "vecadd"])
    table = Table(s.out / f"{o.name}.csv", ["program", "kernel", "launch", "grid", "block"],
                  f"bundled workloads at scale {o.scale} on an H200: the first {o.launches} launches of each kernel, caches flushed, clocks free; {s.log[0]}; stall_X: warp-cycles in state X")
    codes = Table(s.out / f"{o.name}.opcodes.csv", ["program", "kernel", "opcode", "warp_instructions"], "executed warp instructions by opcode, first launch of each kernel")
    waiting = [wanted[i:i + 6] for i in range(0, len(wanted), 6)]  # several programs in one run of ncu: it is slow to start
    slowest = 6.0  # seconds per program
    while waiting:
        group = waiting.pop(0)
        if s.time_left() < slowest * len(group):
            s.left += group
            continue
        began = time.time()
        rows, ops, said = s.profile(["--cache-control", "all", "--kernel-id", ":::" + "|".join(map(str, range(1, o.launches + 1)))], [o.program, o.scale, *group], 240)
        took = time.time() - began
        for line in said.splitlines():
            if " FAILED " in line:
                say(f"did not verify: {line}")
        if not rows or {owner.get(r["kernel"]) for r in rows} != set(group):
            if len(group) > 1:
                say(f"{' '.join(group)}: failed together ({said.strip()[-200:]}); singly")
                waiting = [[n] for n in group] + waiting
                continue
            if not rows:
                s.failed.append(f"{group[0]}: {said.strip()[-300:]}")
                continue
        slowest = max(2.0, took / len(group))
        seen = {}
        for i, row in enumerate(rows):
            add_stalls(row)
            row.pop("sass__inst_executed_per_opcode", None)
            k = seen[row["kernel"]] = seen.get(row["kernel"], -1) + 1
            program = owner.get(row["kernel"], group[0])
            table.rows.append({**row, "program": program, "launch": k})
            if ops and k == 0:
                codes.rows += [{"program": program, "kernel": row["kernel"], "opcode": a, "warp_instructions": n} for a, n in ops[i]]
        table.write(), codes.write()
        say(f"{' '.join(group)}: {len(rows)} launches in {took:.0f} s")
    return s.finish(o.name, "--names")


def merge(o):
    keys, rows, note, first = ("case", "program", "kernel", "launch", "opcode"), {}, "", []
    for path in o.files:
        with open(path) as f:
            note = f.readline().lstrip("# ").strip()
            for r in csv.DictReader(f):
                first = first or [c for c in r if "__" not in c and not c.startswith("stall_")]
                rows[tuple(r.get(k) for k in keys)] = {k: v for k, v in r.items() if v != ""}
    table = Table(o.into, first, note)
    table.rows = list(rows.values())
    table.write()
    say(f"{o.into}: {len(rows)} rows")
    return 0


def self_test(_):
    wide = '''==PROF== Connected
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","gpc__cycles_elapsed.max","smsp__issue_active.sum","smsp__average_warps_issue_stalled_wait_per_issue_active.ratio","launch__registers_per_thread"
"","","","","","","","","","","","cycle","cycle","inst","register/thread"
"0","1","driver","h","brief_add","1","7","(256, 1, 1)","(264, 1, 1)","0","9.0","4,256.000000","1000.000000","2.345678","16"
"1","1","driver","h","copy_f32","1","7","(256, 1, 1)","(16384, 1, 1)","0","9.0","24643","5","0.5","16"
'''
    rows = parse(wide)
    assert len(rows) == 2 and rows[0]["gpc__cycles_elapsed.max"] == 4256 and rows[0]["grid"] == "264x1x1", rows
    add_stalls(rows[0])
    assert rows[0]["stall_wait"] == 2346, rows[0]
    long = '''"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"
"0","1","d","h","k","1","7","(32, 1, 1)","(1, 1, 1)","0","9.0","Command line profiler metrics","dram__bytes_read.sum","byte","1,024"
"0","1","d","h","k","1","7","(32, 1, 1)","(1, 1, 1)","0","9.0","Command line profiler metrics","gpu__time_duration.sum","ns","2,048.5"
'''
    rows = parse(long)
    assert rows == [{"kernel": "k", "grid": "1x1x1", "block": "32x1x1", "dram__bytes_read.sum": 1024, "gpu__time_duration.sum": 2048.5}], rows
    assert opcodes("123 (FFMA: 100; LDG: 23)") == [("FFMA", 100), ("LDG", 23)]
    known = {"a__x", "smsp__inst_executed_pipe_alu", "smsp__inst_executed_pipe_alu_pred_on_any", "smsp__average_warps_issue_stalled_wait_per_issue_active",
             "smsp__average_warps_issue_stalled_wait_not_issued_per_issue_active"}
    got, absent = choose(["a__x.sum", "a__y.sum # none", "smsp__inst_executed_pipe_*.sum", "- smsp__inst_executed_pipe_*_pred_*", "launch__z",
                          "smsp__average_warps_issue_stalled_*_per_issue_active.ratio", "- smsp__*_not_issued*"], known)
    assert got == ["a__x.sum", "smsp__inst_executed_pipe_alu.sum", "launch__z", "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"] and absent == ["a__y.sum"], (got, absent)
    print("ok record.py")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    t = commands.add_parser("training")
    t.add_argument("driver"), t.add_argument("code"), t.add_argument("out")
    t.add_argument("--themes", default=""), t.add_argument("--cases", default="")
    t.add_argument("--cache", default="all", choices=["all", "none"])
    t.add_argument("--launches", type=int, default=1)
    w = commands.add_parser("workloads")
    w.add_argument("program"), w.add_argument("out")
    w.add_argument("--scale", default="small"), w.add_argument("--names", default="")
    w.add_argument("--launches", type=int, default=3)
    m = commands.add_parser("merge")
    m.add_argument("into"), m.add_argument("files", nargs="+")
    commands.add_parser("self-test")
    for p in (t, w):
        p.add_argument("--few", action="store_true", help="cycles and time only: one pass")
        p.add_argument("--name", default="h200" if p is t else "h200_workloads")
        p.add_argument("--deadline", type=float, default=480, help="seconds after which no further group begins")
    o = parser.parse_args()
    return {"training": training, "workloads": workloads, "merge": merge, "self-test": self_test}[o.command](o)


if __name__ == "__main__":
    sys.exit(main())
