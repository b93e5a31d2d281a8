#!/usr/bin/env python3
"""Asks ptxas which conditional code it guards, which loops it unrolls and what loads pass.

  tools/probes/ptxas_blocks.py > validation/data/ptxas_blocks.csv

Needs ptxas. Kernels that differ in one thing are assembled together; their machine code is read for the few opcodes that matter
(their numbers are those of sass.tar.gz of the training set). A line is one answer: for `guarded` and `unrolled` the largest number of
FMAs beside the rest of the body with which there is no branch, or seven copies (four, two and one); -1: never."""
import sys

from cubin import assemble, version

OPCODES = {"BRA": {0x947}, "CALL": {0x944}, "MUFU": {0x308, 0x908, 0xD08}, "LDG": {0x981}, "EXIT": {0x94D},
           "FFMA": {0x223, 0x423, 0x823, 0xC23}, "fence": {0xB1D, 0x918, 0x992}}  # BAR, NOP (for bar.warp.sync), MEMBAR
FMA = "fma.rn.f32 %f1, %f1, %f1, 0f3F900000;\n"
MARK = "tanh.approx.f32 %f1, %f1;\n"
LOAD = "ld.global.f32 %f2, [%rd4]; add.s64 %rd4, %rd4, 4; add.f32 %f1, %f1, %f2;\n"
BITS = "mov.b32 %r11, %f1;\n"
BACK = "mov.b32 %f1, %r11;\n"

# What stands in the body beside the FMAs.
CODE = {
    "nothing": "",
    "ld.global": "ld.global.f32 %f8, [%rd5+2048]; add.f32 %f1, %f1, %f8;\n",
    "2 ld.global": "".join(f"ld.global.f32 %f{8 + i}, [%rd5+{2048 + 512 * i}]; add.f32 %f1, %f1, %f{8 + i};\n" for i in range(2)),
    "4 ld.global": "".join(f"ld.global.f32 %f{8 + i}, [%rd5+{2048 + 512 * i}]; add.f32 %f1, %f1, %f{8 + i};\n" for i in range(4)),
    "ld.shared": "ld.shared.f32 %f8, [%r6]; add.f32 %f1, %f1, %f8;\n",
    "4 ld.shared": "".join(f"ld.shared.f32 %f{8 + i}, [%r6+{128 * i}]; add.f32 %f1, %f1, %f{8 + i};\n" for i in range(4)),
    "st.global": "st.global.f32 [%rd5+4096], %f1;\n",
    "st.shared": "st.shared.f32 [%r6], %f1;\n",
    "ld.volatile": "ld.volatile.global.f32 %f8, [%rd5+2048]; add.f32 %f1, %f1, %f8;\n",
    "ld.relaxed": "ld.relaxed.gpu.global.f32 %f8, [%rd5+2048]; add.f32 %f1, %f1, %f8;\n",
    "red.global": BITS + "red.global.add.u32 [%rd5+4096], %r11;\n",
    "atom.shared": BITS + "atom.shared.add.u32 %r12, [%r6], %r11;\n",
    "shfl": BITS + "shfl.sync.bfly.b32 %r11, %r11, 1, 31, -1;\n" + BACK,
    "activemask": "activemask.b32 %r12; cvt.rn.f32.u32 %f8, %r12; add.f32 %f1, %f1, %f8;\n",
    "bar.sync": "bar.sync 0;\n",
    "bar.warp.sync": "bar.warp.sync -1;\n",
    "membar.gl": "membar.gl;\n",
    "div.rn.f32": "div.rn.f32 %f1, %f1, %f7;\n",
    "sqrt.rn.f32": "sqrt.rn.f32 %f1, %f1;\n",
    "div.approx.f32": "div.approx.f32 %f1, %f1, %f7;\n",
    "div.approx.ftz.f32": "div.approx.ftz.f32 %f1, %f1, %f7;\n",
    "div.full.f32": "div.full.f32 %f1, %f1, %f7;\n",
    "rcp.approx.f32": "rcp.approx.f32 %f1, %f1;\n",
    "rcp.approx.ftz.f32": "rcp.approx.ftz.f32 %f1, %f1;\n",
    "sqrt.approx.f32": "sqrt.approx.f32 %f1, %f1;\n",
    "ex2.approx.f32": "ex2.approx.f32 %f1, %f1;\n",
    "lg2.approx.f32": "lg2.approx.f32 %f1, %f1;\n",
    "sin.approx.f32": "sin.approx.f32 %f1, %f1;\n",
    "div.u32": BITS + "div.u32 %r11, %r11, %r2;\n" + BACK,
    "popc": BITS + "popc.b32 %r11, %r11;\n" + BACK,
    "bfe": BITS + "bfe.u32 %r11, %r11, %r2, %r1;\n" + BACK,
    "setp, selp": "setp.gt.f32 %p3, %f1, %f7; selp.f32 %f1, %f1, %f7, %p3;\n",
}
GUARDED_ALONE = {
    "a guard of its own": "@%p4 add.f32 %f1, %f1, %f7;\n",
}
# Behind a load and its use, before another load: does that one come first?
PASSED = {
    **{k: CODE[k] for k in ("shfl", "activemask", "bar.sync", "bar.warp.sync", "membar.gl", "ld.volatile", "ld.relaxed", "st.global",
                            "st.shared", "red.global", "atom.shared", "div.rn.f32", "sqrt.rn.f32", "div.approx.f32", "div.u32")},
    "st.global from the same address register": "st.global.f32 [%rd4+64], %f1;\n",
    "vote": "setp.gt.f32 %p3, %f1, 0f00000000; vote.sync.any.pred %p3, %p3, -1; selp.f32 %f1, %f1, %f7, %p3;\n",
    "match": BITS + "match.any.sync.b32 %r11, %r11, -1;\n" + BACK,
    "redux": BITS + "redux.sync.add.u32 %r11, %r11, -1;\n" + BACK,
    "atom.global": BITS + "atom.global.add.u32 %r11, [%rd5+4096], %r11;\n" + BACK,
    "div.u64": "cvt.rzi.u64.f32 %rd11, %f1; div.u64 %rd11, %rd11, %rd3; cvt.rn.f32.u64 %f1, %rd11;\n",
    "div.rn.f64": "cvt.f64.f32 %fd1, %f1; div.rn.f64 %fd1, %fd1, %fd2; cvt.rn.f32.f64 %f1, %fd1;\n",
}


def entry(name, body):
    return f""".visible .entry {name}(.param .u64 p, .param .u64 q, .param .u32 n, .param .u32 m)
{{
.reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<40>; .reg .f64 %fd<9>; .shared .align 16 .b8 sh[4096];
ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [m];
cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;
mov.u32 %r3, %tid.x; mul.wide.s32 %rd3, %r3, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
mov.u32 %r6, sh; shl.b32 %r7, %r3, 2; add.s32 %r6, %r6, %r7; setp.gt.s32 %p4, %r3, %r2;
ld.global.u32 %r4, [%rd4]; ld.global.f32 %f1, [%rd4+1024]; cvt.rn.f32.s32 %f7, %r3; cvt.f64.f32 %fd2, %f7;
{body}st.global.f32 [%rd5], %f1;
ret;
}}
"""


def skipped(code, condition="setp.ge.s32 %p1, %r4, %r1;"):
    return f"{condition}\n@%p1 bra L;\n{code}L:\n"


def either(code, other):
    return f"setp.ge.s32 %p1, %r4, %r1;\n@%p1 bra L;\n{code}bra M;\nL:\n{other.replace('0f3F9', '0f3FA')}M:\n"


def loop(code, bound="%r1", leave="", step="add.s32 %r10, %r10, 1;"):
    return f"mov.u32 %r10, 1;\nL:\n{MARK}{code}{leave}{step} setp.lt.s32 %p2, %r10, {bound}; @%p2 bra L;\nE:\n"


def ends():
    """How a loop that counts may end: its start, and what stands behind its body."""
    opposite = {"ne": "eq", "lt": "ge", "gt": "le"}
    found = {}
    for step, test in ((1, "ne"), (1, "lt"), (-1, "ne"), (-1, "gt")):
        for first in ("counter", "bound"):
            here = test if first == "counter" or test == "ne" else {"lt": "gt", "gt": "lt"}[test]
            a, b = ("%r10", "%r1") if first == "counter" else ("%r1", "%r10")
            start = f"mov.u32 %r10, {0 if step > 0 else '%r2'};"
            count_on = f"add.s32 %r10, %r10, {step}; "
            goes_on, is_over = (f"{count_on}setp.{t}.s32 %p2, {a}, {b}; " for t in (here, opposite[here]))
            name = f"counts {'up' if step > 0 else 'down'}, {test}, {first} first"
            found |= {f"{name}: back if so": (start, goes_on + "@%p2 bra L;"),
                      f"{name}: back if not over": (start, is_over + "@!%p2 bra L;"),
                      f"{name}: on to what follows if over, else back": (start, is_over + "@%p2 bra E; bra.uni L;"),
                      f"{name}: elsewhere if over, else back": (start, is_over + "@%p2 bra B; bra.uni L;")}
    for name, bound in (("a negated parameter", "neg.s32 %r11, %r1;"), ("a negated sum", "add.s32 %r13, %r1, 3; neg.s32 %r11, %r13;"),
                        ("a difference to 0", "add.s32 %r13, %r1, 3; sub.s32 %r11, 0, %r13;"), ("a difference to 5", "add.s32 %r13, %r1, 3; sub.s32 %r11, 5, %r13;")):
        for first, test in (("counter", "%r10, %r11"), ("bound", "%r11, %r10")):
            found[f"counts to {name}, {first} first"] = (f"{bound} mov.u32 %r10, 0;", f"add.s32 %r10, %r10, -1; setp.ne.s32 %p2, {test}; @%p2 bra L;")
    return found


def machine_code(texts):
    """By name: the opcodes of each kernel."""
    return {name: [low & 0xFFF for low, _ in code] for name, code in assemble("".join(entry(k, t) for k, t in texts.items())).items()}


def count(opcodes, name):
    return sum(o in OPCODES[name] for o in opcodes)


def passes(opcodes):
    """The last load stands before what uses the first one, and before fences."""
    last = max(i for i, o in enumerate(opcodes) if o in OPCODES["LDG"])
    return "no" if any(o in OPCODES["FFMA"] | OPCODES["fence"] for o in opcodes[:last]) else "yes"


class Questions:
    def __init__(self):
        self.texts, self.asked = {}, []

    def ask(self, question, case, variants, answer):
        names = []
        for n, text in variants:
            names.append((n, f"k{len(self.texts)}"))
            self.texts[names[-1][1]] = text
        self.asked.append((question, case, names, answer))

    def largest(self, question, case, make, good, most=50):
        self.ask(question, case, [(n, make(n)) for n in range(most)],
                 lambda codes: max((n for n, c in codes if good(c)), default=-1))

    def answers(self):
        codes = machine_code(self.texts)
        return [(q, c, answer([(n, codes[k]) for n, k in names])) for q, c, names, answer in self.asked]


def main():
    q = Questions()
    # A branch to itself ends each kernel.
    guarded = lambda c: count(c, "BRA") == 1 and count(c, "CALL") == 0
    seven = lambda c: count(c, "MUFU") >= 7
    for name, code in {**CODE, **GUARDED_ALONE}.items():
        q.largest("guarded", name, lambda n: skipped(FMA * n + code), guarded)
    q.largest("guarded", "all threads alike", lambda n: skipped(FMA * n, "setp.ge.s32 %p1, %r2, %r1;"), guarded)
    q.largest("guarded", "all threads alike, ld.global", lambda n: skipped(CODE["ld.global"] + FMA * n, "setp.ge.s32 %p1, %r2, %r1;"), guarded)
    for other in (1, 4, 8, 9):
        q.largest("guarded", f"else of {other}", lambda n: either(FMA * n, FMA * other), guarded)
        q.largest("guarded", f"ld.global, else of {other}", lambda n: either(CODE["ld.global"] + FMA * n, FMA * other), guarded)
    q.ask("guarded", "the function ends behind it", [(1, skipped(FMA + "st.global.f32 [%rd5+64], %f1;\n") + "ret;\n")],
          lambda codes: "an exit" if count(codes[0][1], "EXIT") > 1 else "yes")
    q.largest("guarded", "around a guarded if", lambda n: skipped(FMA * (n + 1) + "setp.gt.f32 %p3, %f1, %f7; @%p3 bra K;\n" + FMA + "K:\n"), guarded)
    for name, code in CODE.items():
        body = code if name == "membar.gl" else code.replace("%rd5+2048", "%rd4+2048")
        step = "add.s64 %rd4, %rd4, 4;\n" if "rd4" in body else ""
        q.largest("unrolled", name, lambda n: loop(FMA * n + body + step), seven)
        q.ask("unrolled where threads differ", name, [(1, loop(LOAD + FMA + code, "%r4"))], lambda codes: "yes" if seven(codes[0][1]) else "no")
    for name, code in (("st.global", "st.global.f32 [%rd5+4096], %f1; add.s64 %rd5, %rd5, 4;\n"), ("no store", "")):
        for where, bound in (("all threads alike", "%r1"), ("threads differ", "%r4")):
            q.largest("unrolled", f"ld.global, {name} that moves, {where}", lambda n: loop(LOAD + FMA * n + code, bound), seven)
    q.largest("unrolled", "ld.global, atom.shared", lambda n: loop(LOAD + FMA * n + CODE["atom.shared"]), seven)
    q.largest("unrolled", "ld.global, an if of 4", lambda n: loop(LOAD + skipped(FMA * 4, "setp.gt.f32 %p1, %f2, %f7;").replace("L", "K") + FMA * n), seven)
    q.largest("unrolled", "ld.global, an if of 12", lambda n: loop(LOAD + skipped(FMA * 12, "setp.gt.f32 %p1, %f2, %f7;").replace("L", "K") + FMA * n), seven)
    q.largest("unrolled", "ld.global, leaves early", lambda n: loop(LOAD + FMA * n, leave="setp.gt.f32 %p1, %f2, %f7; @%p1 bra E;\n"), seven)
    q.largest("unrolled", "ld.global, a step that is no constant", lambda n: loop(LOAD + FMA * n, step="add.s32 %r10, %r10, %r2;"), seven)
    q.largest("unrolled", "ld.global, doubled", lambda n: loop(LOAD + FMA * n, step="shl.b32 %r10, %r10, 1;"), seven)
    for name, (start, end) in ends().items():
        q.ask("unrolled", name, [(1, f"mov.u32 %r12, 0; bra.uni N;\nB:\nadd.s32 %r12, %r12, 1; setp.eq.s32 %p3, %r12, %r2; @%p3 bra E;\nN:\n{start}\nL:\n{LOAD}{end}\nE:\n")],
              lambda codes: "yes" if count(codes[0][1], "LDG") > 6 else "no")
    first, use = "ld.global.f32 %f20, [%rd4+2048]; fma.rn.f32 %f1, %f20, %f20, %f1;\n", "fma.rn.f32 %f1, %f21, %f21, %f1;\n"
    second = "ld.global.f32 %f21, [%rd4+8192];\n"
    for name, code in PASSED.items():
        q.ask("ld.global passes", name, [(0, first + code + second + use)], lambda codes: passes(codes[0][1]))
    print(f"# tools/probes/ptxas_blocks.py by ptxas {version()}; its head says what the columns are")
    print("question,case,answer")
    for question, case, answer in q.answers():
        print(",".join(f'"{x}"' if "," in str(x) else str(x) for x in (question, case, answer)))


if __name__ == "__main__":
    sys.exit(main())
