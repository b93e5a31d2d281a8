#!/usr/bin/env python3
"""Divides kernels into halves, seen and unseen: the rule behind split.csv and split_workloads.csv, which are fixed.

  split.py cases < LIST          LIST: what driver --list prints
  split.py workloads             the bundled workloads, by suite
  split.py --check               the files are what the rule gives

The kernels of a theme are taken in the order of SHA-256('heddle training 1 ' + kernel). Each goes, with all its cases, to the half
that has fewer cases of its theme so far; where both have as many, to 'seen' if the last bit of the hash is 0. Workloads likewise:
programs for kernels, suites for themes. The theme 'more' came later, all of it to be looked at: it is a part of its own."""
import csv
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NOTE = "# The rule is in split.py. Never changed: what is unseen is judged by, not looked at.\n"


def halves(rows):
    """rows: (theme, kernel, case). Returns the half of each kernel of each theme."""
    themes, result = {}, {}
    for theme, kernel, _ in rows:
        themes.setdefault(theme, {}).setdefault(kernel, 0)
        themes[theme][kernel] += 1
    for theme, kernels in themes.items():
        if theme == "more":
            result.update({(theme, k): "more" for k in kernels})
            continue
        count = {"seen": 0, "unseen": 0}
        digest = {k: hashlib.sha256(("heddle training 1 " + k).encode()).hexdigest() for k in kernels}
        for k in sorted(kernels, key=digest.get):
            if count["seen"] != count["unseen"]:
                half = min(count, key=count.get)
            else:
                half = "unseen" if int(digest[k], 16) & 1 else "seen"
            result[theme, k] = half
            count[half] += kernels[k]
    return result


def cases(text):
    rows = list(csv.DictReader(text.splitlines()))
    half = halves([(r["theme"], r["kernel"], r["case"]) for r in rows])
    return NOTE + "case,theme,kernel,half\n" + "".join(f"{r['case']},{r['theme']},{r['kernel']},{half[r['theme'], r['kernel']]}\n" for r in rows)


def workloads():
    rows = []
    for path in sorted((HERE.parent.parent / "workloads").iterdir()):
        source = path / f"{path.name}.cc"
        if source.exists() and (path / f"{path.name}.ptx").exists():
            m = re.search(r'\.suite\s*=\s*"([^"]+)"', source.read_text())
            rows.append((m[1] if m else "?", path.name, path.name))
    half = halves(rows)
    return NOTE + "program,suite,half\n" + "".join(f"{n},{suite},{half[suite, n]}\n" for suite, n, _ in rows)


def main():
    if sys.argv[1:] == ["cases"]:
        sys.stdout.write(cases(sys.stdin.read()))
    elif sys.argv[1:] == ["workloads"]:
        sys.stdout.write(workloads())
    elif sys.argv[1:] == ["--check"]:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([HERE / "build.sh", folder], check=True)
            listed = subprocess.run([f"{folder}/driver", "--list"], capture_output=True, text=True, check=True).stdout
        same = cases(listed) == (HERE / "split.csv").read_text()
        print("ok split.csv" if same else "FAILED split.csv")
        return 0 if same else 1
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
