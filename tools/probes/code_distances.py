#!/usr/bin/env python3
"""How far ptxas keeps instructions of one kind apart, and which barriers it gives to results whose time it does not know: read from
the machine code of the training set (validation/training/sass*.tar.gz), whose lines show each instruction's wait and barriers.

  code_distances.py >../../validation/data/code_distances.csv

distance: cycles from one instruction of a kind to the next one in its block, by the waits in the code alone; how many are that far.
barrier: how many of the six are taken when a result gets one; it may be one of its own, that of a result which the same instruction
reads first, that of the latest result, or another one."""
import collections
import pathlib
import re
import tarfile

KINDS = {"memory": "LDG STG LDS STS LDL STL ATOMG ATOMS SHFL", "constant to a register": "LDC", "special": "MUFU", "conversion by the special unit": "F2I POPC",
         "product of 64 bits": "IMAD.WIDE", "product of 32 bits": "IMAD", "logic and shifts": "LOP3 ISETP SHF FSETP", "single precision": "FFMA FADD FMUL",
         "double precision": "DFMA DADD DMUL"}
KIND_OF = {name: kind for kind, names in KINDS.items() for name in names.split()}
FARTHEST = 12
TRAINING = pathlib.Path(__file__).resolve().parents[2] / "validation/training"


def kernels():
    """Of each kernel its instructions: address, barriers waited for, barriers of reads and of the result, cycles to the next, text."""
    line = re.compile(r"(\w+) B(......):R(.):W(.):.:S(\d+) (?:@!?U?P\w+ )?(.*)")
    for archive in sorted(TRAINING.glob("sass*.tar.gz")):
        with tarfile.open(archive) as tar:
            for member in tar:
                text = tar.extractfile(member).read().decode()
                yield [(int(m[1], 16), m[2], m[3], m[4], int(m[5]), m[6]) for m in map(line.match, text.splitlines()) if m]


def kind(text):
    words = text.split()[0].split(".")
    return KIND_OF.get(".".join(words[:2])) or KIND_OF.get(words[0])


def leaves(text):
    return text.startswith(("BRA", "EXIT", "RET", "CALL"))


def registers(text):
    return re.findall(r"\bU?R\d+\b", text)


def targets(code):
    return {int(m[1], 16) for *_, text in code if (m := re.search(r"\bBRA.*?(0x[0-9a-f]+)", text))}


def distances(code, found):
    starts, last, now = targets(code), {}, 0
    for at, _, _, _, wait, text in code:
        if at in starts:
            last = {}
        if k := kind(text):
            if k in last:
                found[k][min(now - last[k], FARTHEST)] += 1
            last[k] = now
        now += wait
        if leaves(text):
            last = {}


def first_reader(code, i):
    result = registers(code[i][5])[:1]
    return next((j for j in range(i + 1, len(code)) if result and result[0] in registers(code[j][5])), None)


def barriers(code, found):
    starts, taken = targets(code), {}  # by barrier: place and first reader of what comes to it
    for i, (at, waited, reads, result, _, text) in enumerate(code):
        if at in starts:
            taken = {}
        for b, sign in enumerate(waited):
            if sign != "-":
                taken.pop(str(b), None)
        if result != "-":
            reader = first_reader(code, i)
            together = any(r == reader for _, r in taken.get(result, ()))
            latest = bool(taken) and result == max(taken, key=lambda b: taken[b][-1][0])
            how = "own" if result not in taken else "of one read together" if together else "of the latest" if latest else "another"
            found[len(taken), how] += 1
            taken.setdefault(result, []).append((i, reader))
        if reads != "-":
            taken.setdefault(reads, []).append((i, None))
        if leaves(text):
            taken = {}


def main():
    apart, given = collections.defaultdict(collections.Counter), collections.Counter()
    for code in kernels():
        distances(code, apart)
        barriers(code, given)
    print("# tools/probes/code_distances.py: machine code of ptxas 13.0 in validation/training/sass*.tar.gz\nwhat,of,is,instructions")
    for k, counts in apart.items():
        for d, n in sorted(counts.items()):
            print(f"distance,{k},{d}{' or more' if d == FARTHEST else ''},{n}")
    for (busy, how), n in sorted(given.items()):
        print(f"barrier,{busy} taken,{how},{n}")


if __name__ == "__main__":
    main()
