#!/usr/bin/env python3
"""Compares what micro.cu says a round of each loop is made of with the machine code (sm_90).

nvcc -O3 -std=c++20 -arch=sm_90 -cubin micro.cu -o micro.cubin && ./micro --list > list.csv && check_sass.py micro.cubin list.csv

Opcodes are read from the file itself; no disassembler is needed. The kernel `branch` is left out: it jumps across most of its loop."""
import collections
import csv
import struct
import sys

# The lower nine bits of an instruction; the next three tell where its operands come from.
EVENTS = {
    0x023: "ffma", 0x021: "fadd", 0x020: "fmul", 0x02B: "dfma", 0x010: "iadd", 0x011: "iadd", 0x036: "iadd",
    0x024: "imad", 0x025: "imad", 0x012: "logic", 0x019: "shift", 0x00C: "compare", 0x007: "select", 0x108: "mufu",
    0x105: "convert", 0x106: "convert", 0x045: "convert", 0x03C: "hmma", 0x189: "shuffle", 0x181: "ldg", 0x186: "stg",
    0x18E: "red", 0x184: "lds", 0x188: "sts", 0x182: "ldc", 0x147: "branch", 0x090: "uniform", 0x092: "uniform",
    0x15D: "sleep", 0x002: "imad_add",
}
NOP = 0x118


def kernels(cubin):
    """Names and instructions, as pairs of 64-bit words."""
    sections, = struct.unpack_from("<Q", cubin, 0x28)
    count, names = struct.unpack_from("<HH", cubin, 0x3C)
    headers = [struct.unpack_from("<IIQQQQIIQQ", cubin, sections + 64 * i) for i in range(count)]
    strings = headers[names][4]
    for header in headers:
        name = cubin[strings + header[0]:cubin.index(b"\0", strings + header[0])].decode()
        if name.startswith(".text.do_"):
            yield name[6:], [struct.unpack_from("<QQ", cubin, header[4] + i) for i in range(0, header[5], 16)]


def branch_target(index, low, high):
    words = (((low >> 34) | (high & 0x3FFFF) << 30) << 8 | (low >> 16 & 0xFF)) & ((1 << 56) - 1)
    if words >> 55:
        words -= 1 << 56
    return index + 1 + words // 4


def loop(code):
    """The instructions of the longest loop."""
    best = []
    for i, (low, high) in enumerate(code):
        if low & 0xFFF == 0x947:
            target = branch_target(i, low, high)
            if 0 <= target < i and i - target >= len(best):
                best = code[target:i + 1]
    return best


def event(low):
    name = EVENTS.get(low & 0x1FF)
    # x * 1 + y and 0 * 0 + y are additions and moves on the multiplier.
    if name == "imad" and low & 0x1FF == 0x024 and (low & 0xFFF == 0x824 and low >> 32 == 1 or low >> 24 & 0xFF == 0xFF):
        return "imad_add"
    return name or f"opcode {low & 0xfff:#x}"


def main():
    with open(sys.argv[1], "rb") as file:
        code = dict(kernels(file.read()))
    wrong = 0
    seen = set()
    with open(sys.argv[2]) as file:
        for row in csv.DictReader(file):
            kernel = row["kernel"]
            if not kernel or kernel in seen or kernel == "do_branch":
                continue
            seen.add(kernel)
            warps = int(row["ctas"]) * int(row["threads"]) // 32
            want = {e: float(row[e]) / warps for e in set(EVENTS.values()) if float(row.get(e) or 0)}
            got = dict(collections.Counter(event(low) for low, _ in loop(code[kernel]) if low & 0x1FF != NOP))
            if want != got:
                wrong += 1
                keys = sorted(set(want) | set(got))
                print(kernel, "differs:", ", ".join(f"{k} {got.get(k, 0)}, said {want.get(k, 0):g}" for k in keys if got.get(k, 0) != want.get(k, 0)))
    print(f"{len(seen) - wrong} of {len(seen)} loops are as said")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
