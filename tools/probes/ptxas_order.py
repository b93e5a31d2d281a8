#!/usr/bin/env python3
"""Asks ptxas in which order it issues loads and what needs them, and what bits and products of words become.

  tools/probes/ptxas_order.py > validation/data/ptxas_order.csv

Needs ptxas. `order`: rows of loads, each followed in PTX by the sum that needs them; L a load, F a sum, as the machine code has
them. `becomes`: the machine instructions of one or two PTX instructions on words, by name (others by their number)."""
from cubin import assemble, version

LOADS = {0x981, 0x984}  # LDG, LDS
SUMS = {0x223, 0x22B}  # FFMA, DFMA
NAMES = {0x816: "PRMT", 0x819: "SHF", 0x219: "SHF", 0x81A: "SGXT", 0x21A: "SGXT", 0x21B: "BMSK", 0x812: "LOP3", 0x212: "LOP3",
         0x224: "IMAD", 0x824: "IMAD", 0x424: "IMAD", 0x435: "MOV", 0x210: "IADD3", 0x211: "LEA"}
REGISTERS = """.reg .pred %p; .reg .f32 %x<99>, %y<99>, %sum; .reg .f64 %d<99>, %dsum; .reg .b32 %r<9>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2;
mov.f32 %sum, 0f00000000; mov.f64 %dsum, 0d0000000000000000; mov.u32 %r2, 0;
"""
ROWS = {
    "a global load": "ld.global.f32 %x#, [%rd1+@]; fma.rn.f32 %sum, %x#, %x#, %sum;",
    "two global loads": "ld.global.f32 %x#, [%rd1+@]; ld.global.f32 %y#, [%rd2+@]; fma.rn.f32 %sum, %x#, %y#, %sum;",
    "a global load of 8 bytes": "ld.global.f64 %d#, [%rd1+@]; fma.rn.f64 %dsum, %d#, %d#, %dsum;",
    "a shared load": "ld.shared.f32 %x#, [%r1+@]; fma.rn.f32 %sum, %x#, %x#, %sum;",
    "two shared loads": "ld.shared.f32 %x#, [%r1+@]; ld.shared.f32 %y#, [%r1+@+4096]; fma.rn.f32 %sum, %x#, %y#, %sum;",
    "a shared load of 8 bytes": "ld.shared.f64 %d#, [%r1+@]; fma.rn.f64 %dsum, %d#, %d#, %dsum;",
}
WORDS = (
    [f"bfe.{t} %r5, %r3, {at}, {n};" for t in ("u32", "s32") for at, n in ((0, 5), (0, 8), (8, 8), (8, 4), (4, 8), (16, 16))] +
    ["bfe.u32 %r5, %r3, %r4, %r6;"] +
    [f"bfi.b32 %r5, %r3, %r4, {at}, {n};" for at, n in ((0, 5), (8, 8), (8, 24), (4, 8))] +
    ["bfi.b32 %r5, %r3, %r4, %r6, 8;"] +
    [f"mul.lo.u32 %r5, %r3, {by}; {then}" for by in (12, "%r6")
     for then in ("add.u32 %r5, %r5, %r4;", "sub.u32 %r5, %r5, %r4;", "sub.u32 %r5, %r4, %r5;")])


def code_of(body):
    parameters = ".param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n"
    source = f".visible .entry k({parameters}) {{ {REGISTERS} {body} ret; }}"
    return [low & 0xFFF for low, _ in assemble(source)["k"]]


def rows(row, n):
    return " ".join(row.replace("#", str(i)).replace("@", str(16 * i)) for i in range(n))


def order(body):
    code = code_of(body + " st.global.f32 [%rd3+8192], %sum; st.global.f64 [%rd3+8200], %dsum;")
    return "".join("L" if o in LOADS else "F" for o in code if o in LOADS or o in SUMS)


def becomes(text):
    words = "".join(f"ld.global.u32 %r{r}, [%rd1+{4 * r}]; " for r in (3, 4, 6))
    code = code_of(words + text + " st.global.u32 [%rd2], %r5;")
    last = max(i for i, o in enumerate(code) if o == 0x981)
    between = code[last + 1:code.index(0x986)]
    return " ".join(NAMES.get(o, hex(o)) for o in between if o not in (0xB82, 0xAB9))


def main():
    print(f"# tools/probes/ptxas_order.py by ptxas {version()}; its head says what the columns are")
    print("question,case,answer")
    for name, row in ROWS.items():
        for n in (8, 16, 24):
            print(f"order,{n} rows of {name},{order(rows(row, n))}")
        loop = (f'L: .pragma "nounroll"; {rows(row, 16)} add.s64 %rd1, %rd1, 256; add.s64 %rd2, %rd2, 256; add.u32 %r1, %r1, 256; '
                "add.u32 %r2, %r2, 1; setp.ne.u32 %p, %r2, 99; @%p bra L;")
        print(f"order,16 rows of {name} in a loop,{order(loop)}")
    for text in WORDS:
        print(f'becomes,"{text}",{becomes(text)}')


main()
