#!/usr/bin/env python3
"""Asks ptxas which arrays of local memory it keeps in registers.

  tools/probes/local_arrays.py > validation/data/ptxas_local_arrays.csv

Needs ptxas. Kernels fill an array of floats from global memory and read or write it at computed places, in a loop or not. An array
is in registers where machine code has neither LDL nor STL (opcodes as in sass.tar.gz of the training set)."""
import pathlib
import struct
import subprocess
import sys
import tempfile

LOCAL = {0x983, 0x387}  # LDL, STL
SIZES = (4, 8, 12, 16, 18, 20, 24, 32, 48, 64)
ACCESSES = ((1, 0, 0), (2, 0, 0), (4, 0, 0), (8, 0, 0), (1, 1, 0), (2, 2, 0), (1, 0, 1), (1, 1, 1))  # reads, writes, in a loop


def kernel(name, size, reads, writes, loop):
    lines = [f".visible .entry {name}(.param .u64 p, .param .u32 n)", "{", f".local .align 16 .b8 depot[{4 * size}];",
             ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<20>; .reg .f32 %f<9>;",
             "mov.u64 %rd1, depot; ld.param.u64 %rd2, [p]; ld.param.u32 %r3, [n]; cvta.to.global.u64 %rd2, %rd2;",
             "mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3; mov.f32 %f1, 0f00000000; mov.u32 %r4, 0;"]
    for k in range(size):
        lines.append(f"ld.global.f32 %f2, [%rd4+{4096 * k}]; st.local.f32 [%rd1+{4 * k}], %f2;")
    if loop:
        lines.append("N:")
    for k in range(writes + reads):
        lines.append(f"ld.global.u32 %r2, [%rd4+{1024 + 64 * k}]; mul.wide.u32 %rd5, %r2, 4; add.s64 %rd6, %rd1, %rd5;")
        lines.append("st.local.f32 [%rd6], %f1;" if k < writes else "ld.local.f32 %f2, [%rd6]; add.f32 %f1, %f1, %f2;")
    if loop:
        lines.append("add.s64 %rd4, %rd4, 4; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r3; @%p1 bra N;")
    return "\n".join(lines + ["st.global.f32 [%rd4], %f1; ret;", "}"])


def sections(elf):
    start, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    table = [struct.unpack_from("<IIQQQQIIQQ", elf, start + i * size) for i in range(count)]
    base = table[names][4]
    for s in table:
        yield elf[base + s[0]:elf.index(b"\0", base + s[0])].decode(), elf[s[4]:s[4] + s[5]]


def main():
    cases = [(f"k{i}", size, *a) for i, (size, a) in enumerate((s, a) for s in SIZES for a in ACCESSES)]
    with tempfile.TemporaryDirectory() as folder:
        source, object_file = pathlib.Path(folder, "k.ptx"), pathlib.Path(folder, "k.cubin")
        source.write_text(".version 8.0\n.target sm_90\n.address_size 64\n" + "\n".join(kernel(*c) for c in cases))
        subprocess.run(["ptxas", "-O3", "-arch=sm_90", source, "-o", object_file], check=True)
        code = {n: c for n, c in sections(object_file.read_bytes()) if n.startswith(".text.")}
        version = subprocess.run(["ptxas", "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    print(f"# tools/probes/local_arrays.py, ptxas {version}, sm_90")
    print("floats,reads,writes,in a loop,kept in")
    for name, size, reads, writes, loop in cases:
        words = code[f".text.{name}"]
        opcodes = {struct.unpack_from("<H", words, at)[0] & 0xFFF for at in range(0, len(words), 16)}
        print(f"{size},{reads},{writes},{loop},{'memory' if opcodes & LOCAL else 'registers'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
