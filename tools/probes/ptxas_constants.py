#!/usr/bin/env python3
"""Asks ptxas which constants it reads through uniform registers (ULDC), which by lane (LDC), and how many bits at once.

  tools/probes/ptxas_constants.py > validation/data/ptxas_constants.csv

Needs ptxas. Each kernel reads a table of constants at one address for all lanes, made in another way, or does something else with the
value. `answer`: one word for each load that reads the table, with its bits; ULDC without "indexed" has its address in the instruction."""
import sys

from cubin import assemble, version

LDC, ULDC, ULDC_INDEXED, TABLE = 0xB82, 0xAB9, 0xABB, 3
NAMES, BITS = {LDC: "LDC", ULDC: "ULDC", ULDC_INDEXED: "indexed ULDC"}, {4: 32, 5: 64, 6: 128}
ONCE = '.pragma "nounroll";\n'
ADD = "ld.const.f32 %f1, [%rd10]; add.f32 %f0, %f0, %f1; ex2.approx.ftz.f32 %f0, %f0;\n"
UP = "add.s32 %r10, %r10, 1; setp.lt.s32 %p1, %r10, %r1; @%p1 bra L;\n"
DOWN = "add.s32 %r10, %r10, -1; setp.ne.s32 %p1, %r10, 0; @%p1 bra L;\n"
ZERO = "mov.b32 %r10, 0;\n"
MUFU = "sin.approx.f32 %f0, %f0;\n"


def at(index, bytes=16):
    return f"mul.wide.u32 %rd11, {index}, {bytes}; add.s64 %rd10, %rd20, %rd11;\n"


def loop(body, start=ZERO, end=UP, once=ONCE):
    return f"{start}L:\n{once}{body}{end}"


# %r1, %r2: parameters; %r3: %tid.x; %r4: %ctaid.x; %rd20: the table.
CASES = {
    "an index that counts": loop(at("%r10") + ADD),
    "a pointer that counts": loop(ADD + "add.s64 %rd10, %rd10, 16;\n", ZERO + "mov.u64 %rd10, table;\n"),
    "starts at a parameter": loop(at("%r10") + ADD, "mov.b32 %r10, %r2;\n"),
    "starts at %ctaid": loop(at("%r10") + ADD, "mov.b32 %r10, %r4;\n"),
    "starts at one of two values": loop(at("%r10") + ADD, ZERO + f"setp.eq.s32 %p2, %r2, 0; @%p2 bra S;\n{MUFU * 12}mov.b32 %r10, 1;\nS:\n"),
    "counts by 2": loop(at("%r10") + ADD, end="add.s32 %r10, %r10, 2; setp.lt.s32 %p1, %r10, %r1; @%p1 bra L;\n"),
    "counts by a parameter": loop(at("%r10") + ADD, end="add.s32 %r10, %r10, %r2; setp.lt.s32 %p1, %r10, %r1; @%p1 bra L;\n"),
    "counts down": loop(at("%r10") + ADD, "mov.b32 %r10, %r1;\n", DOWN),
    "until one of two conditions": loop(at("%r10") + ADD, end="add.s32 %r10, %r10, 1; setp.lt.s32 %p1, %r10, %r1; setp.lt.u32 %p2, %r10, 1000; and.pred %p3, %p1, %p2; @%p3 bra L;\n"),
    "until a bound of the lane": loop(at("%r10") + ADD, ZERO + "ld.global.u32 %r1, [%rd4];\n"),
    "until a bound that all load": loop(at("%r10") + ADD, ZERO + "ld.global.u32 %r1, [%rd1];\n"),
    "left early by some lanes": loop(at("%r10") + ADD + "setp.gt.f32 %p5, %f0, 0f40000000; @%p5 bra Z;\n") + "Z:\n",
    "where some lanes have left the kernel": "setp.gt.s32 %p4, %r3, %r1; @%p4 bra E;\n" + loop(at("%r10") + ADD),
    "in an if of some lanes": "setp.gt.s32 %p4, %r3, %r1; @%p4 bra Z;\n" + loop(at("%r10") + ADD) + "Z:\n",
    "index + parameter": loop("add.s32 %r12, %r10, %r2;\n" + at("%r12") + ADD),
    "index + %ctaid": loop("add.s32 %r12, %r10, %r4;\n" + at("%r12") + ADD),
    "index * parameter": loop("mul.lo.s32 %r12, %r10, %r2;\n" + at("%r12") + ADD),
    "index & 7": loop("and.b32 %r12, %r10, 7;\n" + at("%r12") + ADD),
    "index >> 3": loop("shr.u32 %r12, %r10, 3;\n" + at("%r12") + ADD),
    "max(index, 5)": loop("max.s32 %r12, %r10, 5;\n" + at("%r12") + ADD),
    "index % 7": loop("rem.u32 %r12, %r10, 7;\n" + at("%r12") + ADD),
    "index or parameter, selected": loop("setp.gt.s32 %p6, %r2, %r10; selp.b32 %r12, %r10, %r2, %p6;\n" + at("%r12") + ADD),
    "an index of an inner and an outer loop": loop("mov.b32 %r16, 0;\nM:\n" + ONCE + "add.s32 %r12, %r15, %r16;\n" + at("%r12") + ADD +
                                                   "add.s32 %r16, %r16, 1; setp.lt.s32 %p2, %r16, %r2; @%p2 bra M;\nadd.s32 %r15, %r15, 8;\n", ZERO + "mov.b32 %r15, 0;\n"),
    "an index that is a constant of the table": loop(at("%r10", 4) + "ld.const.u32 %r20, [%rd10];\n" + at("%r20", 4) + ADD),
    "no loop, %ctaid": at("%r4") + ADD,
    "no loop, a parameter": at("%r2") + ADD,
    "no loop, %ctaid * parameter": "mul.lo.s32 %r12, %r4, %r2;\n" + at("%r12") + ADD,
    "no loop, %ctaid + parameter": "add.s32 %r12, %r4, %r2;\n" + at("%r12") + ADD,
    "unrolled, counts up to a parameter": loop(at("%r13") + ADD + "add.s32 %r13, %r13, 1;\n", ZERO + "mov.b32 %r13, 0;\n", once=""),
    "unrolled, counts down to 0": loop(at("%r13") + ADD + "add.s32 %r13, %r13, 1;\n", "mov.b32 %r10, %r1; mov.b32 %r13, 0;\n", DOWN, ""),
    "the value twice in an instruction": loop(at("%r10") + "ld.const.f32 %f1, [%rd10]; fma.rn.f32 %f0, %f0, %f1, %f1;\n"),
    "two values in an instruction": loop(at("%r10") + "ld.const.f32 %f1, [%rd10]; ld.const.f32 %f2, [%rd10+4]; fma.rn.f32 %f0, %f0, %f1, %f2;\n"),
    "two values in two instructions": loop(at("%r10") + f"ld.const.f32 %f1, [%rd10]; ld.const.f32 %f2, [%rd10+8]; add.f32 %f0, %f0, %f1; {MUFU}mul.f32 %f0, %f0, %f2;\n"),
    "stored": loop(at("%r10") + "ld.const.f32 %f1, [%rd10]; st.global.f32 [%rd4], %f1; add.s64 %rd4, %rd4, 512;\n"),
    "four neighbours": loop(at("%r10") + "".join(f"ld.const.f32 %f{i}, [%rd10+{4 * i - 4}]; add.f32 %f0, %f0, %f{i}; {MUFU}" for i in (1, 2, 3, 4))),
    "four neighbours of lanes": at("%r3") + "".join(f"ld.const.f32 %f{i}, [%rd10+{4 * i - 4}]; add.f32 %f0, %f0, %f{i}; {MUFU}" for i in (1, 2, 3, 4)),
}


def entry(name, body):
    return f""".visible .entry {name}(.param .u64 p, .param .u64 q, .param .u32 n, .param .u32 m)
{{
.reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<29>; .reg .f32 %f<19>;
ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [m]; mov.u32 %r3, %tid.x; mov.u32 %r4, %ctaid.x;
mul.wide.u32 %rd3, %r3, 4; add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f0, [%rd4]; mov.u64 %rd20, table;
{body}add.s64 %rd5, %rd2, %rd3; st.global.f32 [%rd5], %f0;
E: ret;
}}
"""


def main():
    codes = assemble(".const .align 4 .b8 table[65520];\n" + "".join(entry(f"k{i}", body) for i, body in enumerate(CASES.values())))
    print(f"# tools/probes/ptxas_constants.py by ptxas {version()}; its head says what the columns are")
    print("case,answer")
    for i, case in enumerate(CASES):
        loads = [(low & 0xFFF, high >> 9 & 7) for low, high in codes[f"k{i}"] if low & 0xFFF in NAMES and low >> 54 & 0x1F == TABLE]
        print(",".join(f'"{x}"' if "," in x else x for x in (case, " ".join(f"{NAMES[o]}.{BITS[b]}" for o, b in loads))))


if __name__ == "__main__":
    sys.exit(main())
