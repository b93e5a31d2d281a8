"""The instruction forms of the golden cases: one kernel each.

A case's body uses %a, %b, %c (the inputs of this thread, width of their kind), %o0, %o1 ... (outputs, in order),
%p0.. %p3 (predicates), %t0..%t7 (32 bits), %h0..%h7 (16 bits), %l0..%l7 (64 bits), %lane, %warp (of the grid).
"""

N_UNARY = 2048
N_TUPLE = 4096
N_INT = 2560
N_COMPARE = 2560
N_NARROW = 8192  # values at the edges of the small formats
N_ALL16 = 65536  # every 16-bit input

WIDTH = {'f16': 16, 'bf16': 16, 'f32': 32, 'f64': 64, 'f16x2': 32, 'bf16x2': 32, 'b16': 16, 'b32': 32, 'b64': 64,
         'u8': 32, 's8': 32, 'u16': 16, 's16': 16, 'u32': 32, 's32': 32, 'u64': 64, 's64': 64, 'b8': 32, 'tf32': 32,
         'e4m3x2': 16, 'e5m2x2': 16}


def kind_of(t):
    """Which input arrays feed a register of this type."""
    if t in ('f16', 'bf16', 'f32', 'f64', 'f16x2', 'bf16x2'):
        return t
    return f'b{WIDTH[t]}'


class Case:
    def __init__(self, op, body, inputs, outs, n, cls='exact', bound='', shared=0, zero_out=False):
        self.op, self.body, self.inputs, self.outs, self.n = op, body, inputs, outs, n
        self.cls, self.bound, self.shared = cls, bound, shared
        self.zero_out = zero_out  # outputs are stored by the body itself


CASES = []


def add(*args, **kwargs):
    CASES.append(Case(*args, **kwargs))


def simple(op, types, out, n=None, operands=None, **kwargs):
    """One instruction `op o0, a, b, c` with operands of these types (array names where they hold a dot)."""
    letters = 'abc'
    inputs = []
    for i, t in enumerate(types):
        if '.' in t:
            inputs.append(t)
        else:
            inputs.append(kind_of(t) + ('.u' if len(types) == 1 else '.' + letters[i]))
    regs = operands or ', '.join('%' + letters[i] for i in range(len(types)))
    add(op, f'{op} %o0, {regs};', inputs, [WIDTH[out]], n or (N_UNARY if len(types) == 1 else N_TUPLE), **kwargs)


def float_arithmetic():
    for op in ('add', 'sub', 'mul'):
        for r in ('', '.rn', '.rz', '.rm', '.rp'):
            for ftz in ('', '.ftz'):
                for sat in ('', '.sat'):
                    simple(f'{op}{r}{ftz}{sat}.f32', ['f32', 'f32'], 'f32')
            simple(f'{op}{r}.f64', ['f64', 'f64'], 'f64')
        for t in ('f16', 'f16x2'):
            for r in ('', '.rn'):
                for ftz in ('', '.ftz'):
                    for sat in ('', '.sat'):
                        simple(f'{op}{r}{ftz}{sat}.{t}', [t, t], t)
        for t in ('bf16', 'bf16x2'):
            for r in ('', '.rn'):
                simple(f'{op}{r}.{t}', [t, t], t)
    for r in ('.rn', '.rz', '.rm', '.rp'):
        for ftz in ('', '.ftz'):
            for sat in ('', '.sat'):
                simple(f'fma{r}{ftz}{sat}.f32', ['f32'] * 3, 'f32')
        simple(f'fma{r}.f64', ['f64'] * 3, 'f64')
        simple(f'mad{r}.f32', ['f32'] * 3, 'f32')
        simple(f'mad{r}.f64', ['f64'] * 3, 'f64')
    for t in ('f16', 'f16x2'):
        for ftz in ('', '.ftz'):
            for post in ('', '.sat', '.relu'):
                simple(f'fma.rn{ftz}{post}.{t}', [t] * 3, t)
    for t in ('bf16', 'bf16x2'):
        for post in ('', '.relu'):
            simple(f'fma.rn{post}.{t}', [t] * 3, t)
    for t, flushes in (('f32', ('', '.ftz')), ('f64', ('',)), ('f16', ('', '.ftz')), ('f16x2', ('', '.ftz')),
                       ('bf16', ('',)), ('bf16x2', ('',))):
        for op in ('abs', 'neg'):
            for ftz in flushes:
                simple(f'{op}{ftz}.{t}', [t], t)
        for op in ('min', 'max'):
            for ftz in flushes:
                for nan in (('', '.NaN', '.xorsign.abs', '.NaN.xorsign.abs') if t != 'f64' else ('',)):
                    simple(f'{op}{ftz}{nan}.{t}', [t, t], t)
    for t in ('f32', 'f64'):
        simple(f'copysign.{t}', [t, t], t)
        for test in ('finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'):
            add(f'testp.{test}.{t}', f'testp.{test}.{t} %p0, %a; selp.u32 %o0, 1, 0, %p0;', [f'{t}.u'], [8], N_UNARY)


def float_division():
    for r in ('.rn', '.rz', '.rm', '.rp'):
        for ftz in ('', '.ftz'):
            simple(f'div{r}{ftz}.f32', ['f32'] * 2, 'f32')
            simple(f'rcp{r}{ftz}.f32', ['f32'], 'f32')
            simple(f'sqrt{r}{ftz}.f32', ['f32'], 'f32')
        simple(f'div{r}.f64', ['f64'] * 2, 'f64')
        simple(f'rcp{r}.f64', ['f64'], 'f64')
        simple(f'sqrt{r}.f64', ['f64'], 'f64')
    for ftz in ('', '.ftz'):
        simple(f'div.full{ftz}.f32', ['f32'] * 2, 'f32', cls='approx', bound='ulp:2')
        simple(f'div.approx{ftz}.f32', ['f32'] * 2, 'f32', cls='approx', bound='ulp:2')
        for array in ('f32.u', 'sweep.u'):
            simple(f'rcp.approx{ftz}.f32', [array], 'f32', n=4096, cls='approx', bound='rel:2^-23')
            simple(f'sqrt.approx{ftz}.f32', [array], 'f32', n=4096, cls='approx', bound='rel:2^-23')
            simple(f'rsqrt.approx{ftz}.f32', [array], 'f32', n=4096, cls='approx', bound='rel:2^-22.9')
            simple(f'lg2.approx{ftz}.f32', [array], 'f32', n=4096, cls='approx', bound='lg2:2^-22')
        for array in ('f32.u', 'small.u'):
            simple(f'ex2.approx{ftz}.f32', [array], 'f32', n=4096, cls='approx', bound='ulp:2')
        for op in ('sin', 'cos'):
            simple(f'{op}.approx{ftz}.f32', ['angle.u'], 'f32', n=4096, cls='approx', bound='abs:2^-20.5')
            simple(f'{op}.approx{ftz}.f32', ['f32.u'], 'f32', n=4096, cls='approx', bound='none')
    for array in ('f32.u', 'small.u'):
        simple('tanh.approx.f32', [array], 'f32', n=4096, cls='approx', bound='rel:2^-11')
    for array in ('f64.u', 'sweep64.u'):
        simple('rcp.approx.ftz.f64', [array], 'f64', n=4096, cls='approx', bound='rel:2^-20')
        simple('rsqrt.approx.ftz.f64', [array], 'f64', n=4096, cls='approx', bound='rel:2^-20')
        simple('rsqrt.approx.f64', [array], 'f64', n=4096, cls='approx', bound='rel:2^-20')
    for t, e, h in (('f16', '2^-9.9', '2^-10.987'), ('f16x2', '2^-9.9', '2^-10.987'), ('bf16', '2^-7', '2^-8'),
                    ('bf16x2', '2^-7', '2^-8')):
        for ftz in ('', '.ftz'):
            if ('bf16' in t) == bool(ftz) or not ftz:
                simple(f'ex2.approx{ftz}.{t}', [t], t, n=4096, cls='approx', bound=f'rel:{e}')
        simple(f'tanh.approx.{t}', [t], t, n=4096, cls='approx', bound=f'abs:{h}')


def integer_arithmetic():
    types = ('u16', 's16', 'u32', 's32', 'u64', 's64')
    for t in types:
        w = WIDTH[t]
        for op in ('add', 'sub', 'mul.lo', 'mul.hi', 'min', 'max'):
            simple(f'{op}.{t}', [t, t], t, N_INT)
        for op in ('div', 'rem'):
            simple(f'{op}.{t}', [f'b{w}.a', f'div{w}.b'], t, N_INT)
        for op in ('mad.lo', 'mad.hi'):
            simple(f'{op}.{t}', [t] * 3, t, N_INT)
        simple(f'sad.{t}', [t] * 3, t, N_INT)
        if w < 64:
            wide = f'{t[0]}{2 * w}'
            simple(f'mul.wide.{t}', [t, t], wide, N_INT)
            simple(f'mad.wide.{t}', [t, t, f'b{2 * w}.c'], wide, N_INT)
        if t[0] == 's':
            simple(f'abs.{t}', [t], t)
            simple(f'neg.{t}', [t], t)
        simple(f'shr.{t}', [f'b{w}.a', 'shift.b'], t, N_INT)
    for op in ('add', 'sub'):
        simple(f'{op}.sat.s32', ['s32', 's32'], 's32', N_INT)
        for t in ('u16x2', 's16x2'):
            WIDTH[t] = 32
            simple(f'{op}.{t}', ['b32.a', 'b32.b'], t, N_INT) if op == 'add' else None
    for op in ('min', 'max'):
        for t in ('u16x2', 's16x2'):
            simple(f'{op}.{t}', ['b32.a', 'b32.b'], t, N_INT)
        for t in ('s32', 's16x2'):
            simple(f'{op}.relu.{t}', ['b32.a', 'b32.b'], t, N_INT)
    simple('mad.hi.sat.s32', ['s32'] * 3, 's32', N_INT)
    for t in ('u32', 's32'):
        for half in ('lo', 'hi'):
            simple(f'mul24.{half}.{t}', [t, t], t, N_INT)
            simple(f'mad24.{half}.{t}', [t] * 3, t, N_INT)
    simple('mad24.hi.sat.s32', ['s32'] * 3, 's32', N_INT)
    for ta in ('u32', 's32'):
        for tb in ('u32', 's32'):
            simple(f'dp4a.{ta}.{tb}', ['b32'] * 3, 's32', N_INT)
            for half in ('lo', 'hi'):
                simple(f'dp2a.{half}.{ta}.{tb}', ['b32'] * 3, 's32', N_INT)


def carry_chains():
    """Both words of double-width sums, and the carry that is left at the end (o2)."""
    for w, t in ((32, 'u32'), (32, 's32'), (64, 'u64'), (64, 's64')):
        k = f'b{w}'
        zero = '0'
        for op in ('add', 'sub'):
            add(f'{op}.cc.{t}+{op}c.cc.{t}+addc.{t}',
                f'{op}.cc.{t} %o0, %a, %b; {op}c.cc.{t} %o1, %b, %c; addc.{t} %o2, {zero}, {zero};',
                [f'{k}.a', f'{k}.b', f'{k}.c'], [w] * 3, N_INT)
            add(f'{op}.cc.{t}+{op}c.{t}', f'{op}.cc.{t} %o0, %a, %b; {op}c.{t} %o1, %c, %a;',
                [f'{k}.a', f'{k}.b', f'{k}.c'], [w] * 2, N_INT)
            add(f'{op}.cc.{t}+{op}c.cc.{t}+subc.{t}',
                f'{op}.cc.{t} %o0, %a, %b; {op}c.cc.{t} %o1, %a, %c; subc.{t} %o2, {zero}, {zero};',
                [f'{k}.a', f'{k}.b', f'{k}.c'], [w] * 3, N_INT)
        for half in ('lo', 'hi'):
            add(f'mad.{half}.cc.{t}+madc.{half}.cc.{t}+addc.{t}',
                f'mad.{half}.cc.{t} %o0, %a, %b, %c; madc.{half}.cc.{t} %o1, %b, %c, %a; addc.{t} %o2, 0, 0;',
                [f'{k}.a', f'{k}.b', f'{k}.c'], [w] * 3, N_INT)
            add(f'add.cc.{t}+madc.{half}.{t}', f'add.cc.{t} %o0, %a, %b; madc.{half}.{t} %o1, %a, %c, %b;',
                [f'{k}.a', f'{k}.b', f'{k}.c'], [w] * 2, N_INT)


def bits():
    for w in (16, 32, 64):
        t, k = f'b{w}', f'b{w}'
        for op in ('and', 'or', 'xor'):
            simple(f'{op}.{t}', [t, t], t, N_INT)
        for op in ('not', 'cnot'):
            simple(f'{op}.{t}', [t], t)
        simple(f'shl.{t}', [f'{k}.a', 'shift.b'], t, N_INT)
        simple(f'shr.{t}', [f'{k}.a', 'shift.b'], t, N_INT)
        if w == 16:
            continue
        simple(f'brev.{t}', [t], t)
        simple(f'popc.{t}', [t], 'u32')
        simple(f'clz.{t}', [t], 'u32')
        for s in 'us':
            for amount in ('', '.shiftamt'):
                simple(f'bfind{amount}.{s}{w}', [t], 'u32')
            simple(f'bfe.{s}{w}', [f'{k}.a', 'shift.b', 'shift.c'], t)
        add(f'bfi.{t}', f'bfi.{t} %o0, %a, %b, %c, %t0;', [f'{k}.a', f'{k}.b', 'shift.c'], [w], N_TUPLE)
        CASES[-1].body = f'mov.u32 %t0, %i; and.b32 %t0, %t0, 63; {CASES[-1].body}'
    for lut in (0x00, 0x01, 0x0f, 0x1b, 0x3c, 0x80, 0x96, 0xb8, 0xca, 0xe8, 0xf8, 0xfe, 0xff):
        simple(f'lop3.b32', ['b32'] * 3, 'b32', N_INT, operands=f'%a, %b, %c, {lut:#04x}')
        CASES[-1].op += f' {lut:#04x}'
    for side in ('l', 'r'):
        for mode in ('wrap', 'clamp'):
            simple(f'shf.{side}.{mode}.b32', ['b32.a', 'b32.b', 'shift.c'], 'b32')
    for mode in ('', '.f4e', '.b4e', '.rc8', '.ecl', '.ecr', '.rc16'):
        simple(f'prmt.b32{mode}', ['b32'] * 3, 'b32', N_INT)
    for mode in ('wrap', 'clamp'):
        simple(f'bmsk.{mode}.b32', ['shift.b', 'shift.c'], 'b32', N_INT)
        for t in ('u32', 's32'):
            simple(f'szext.{mode}.{t}', ['b32.a', 'shift.b'], t, N_INT)
    add('fns.b32', 'and.b32 %t0, %b, 31; and.b32 %t1, %c, 15; sub.s32 %t1, %t1, 8; fns.b32 %o0, %a, %t0, %t1;',
        ['b32.a', 'shift.b', 'b32.c'], [32], N_INT)


ORDERED = ('eq', 'ne', 'lt', 'le', 'gt', 'ge')
FLOAT_CMP = ORDERED + ('equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan')


def comparisons(t):
    if t[0] == 'b' and 'f' not in t:
        return ('eq', 'ne')
    if t[0] == 'u':
        return ORDERED + ('lo', 'ls', 'hi', 'hs')
    if t[0] == 's':
        return ORDERED
    return FLOAT_CMP


def compare():
    join = 'selp.u32 %t1, 1, 0, %p0; selp.u32 %t2, 2, 0, %p1; or.b32 %o0, %t1, %t2;'
    flags = [('b16', ''), ('b32', ''), ('b64', ''), ('u16', ''), ('u32', ''), ('u64', ''), ('s16', ''), ('s32', ''),
             ('s64', ''), ('f32', ''), ('f32', '.ftz'), ('f64', ''), ('f16', ''), ('f16', '.ftz'), ('f16x2', ''),
             ('f16x2', '.ftz'), ('bf16', ''), ('bf16x2', '')]
    for t, ftz in flags:
        k = kind_of(t)
        # One 16-bit comparison has one result only.
        single = t in ('f16', 'bf16')
        results = '%p0' if single else '%p0|%p1'
        finish = 'selp.u32 %o0, 1, 0, %p0;' if single else join
        for cmp in comparisons(t):
            op = f'setp.{cmp}{ftz}.{t}'
            add(op, f'{op} {results}, %a, %b; {finish}', [f'{k}.a', f'{k}.b'], [8], N_COMPARE)
        some = [c for c in comparisons(t) if c in ('ne', 'lt', 'ltu')]
        for cmp in some:
            for b in ('and', 'or', 'xor'):
                for negate in ('', '!'):
                    op = f'setp.{cmp}.{b}{ftz}.{t}'
                    add(op + (' !' if negate else ''),
                        f'and.b32 %t0, %i, 1; setp.ne.u32 %p2, %t0, 0; {op} {results}, %a, %b, {negate}%p2; {finish}',
                        [f'{k}.a', f'{k}.b'], [8], N_COMPARE)
        dtypes = {'f16': ('f16', 'u16', 's32', 'u32'), 'bf16': ('bf16', 'u16', 's32', 'u32'), 'f16x2': ('f16x2', 'u32'),
                  'bf16x2': ('bf16x2', 'u32')}.get(t, ('u32', 's32', 'f32'))
        for index, cmp in enumerate(comparisons(t)):
            for d in dtypes if cmp in ('ne', 'lt', 'ltu') else [dtypes[index % len(dtypes)]]:
                op = f'set.{cmp}{ftz}.{d}.{t}'
                add(op, f'{op} %o0, %a, %b;', [f'{k}.a', f'{k}.b'], [WIDTH[d]], N_COMPARE)
        for b in ('and', 'or', 'xor'):
            cmp, d = some[-1], dtypes[0]
            op = f'set.{cmp}.{b}{ftz}.{d}.{t}'
            add(op, f'and.b32 %t0, %i, 1; setp.ne.u32 %p2, %t0, 0; {op} %o0, %a, %b, %p2;', [f'{k}.a', f'{k}.b'],
                [WIDTH[d]], N_COMPARE)


def selection():
    for t in ('b16', 'b32', 'b64', 'u16', 'u32', 'u64', 's16', 's32', 's64', 'f32', 'f64'):
        k, w = kind_of(t), WIDTH[t]
        add(f'selp.{t}', f'and.b32 %t0, %i, 5; setp.eq.u32 %p0, %t0, 4; selp.{t} %o0, %a, %b, %p0;',
            [f'{k}.a', f'{k}.b'], [w], 512)
        add(f'slct.{t}.s32', f'slct.{t}.s32 %o0, %a, %b, %c;', [f'{k}.a', f'{k}.b', 'b32.c'], [w], 1024)
        for ftz in ('', '.ftz'):
            add(f'slct{ftz}.{t}.f32', f'slct{ftz}.{t}.f32 %o0, %a, %b, %c;', [f'{k}.a', f'{k}.b', 'f32.c'], [w], 1024)


def predicates():
    for op in ('and', 'or', 'xor'):
        add(f'{op}.pred', f'setp.lt.s32 %p0, %a, %b; setp.lt.u32 %p1, %a, %b; {op}.pred %p2, %p0, %p1; not.pred %p3, %p2; '
            'selp.u32 %t0, 1, 0, %p2; selp.u32 %t1, 2, 0, %p3; or.b32 %o0, %t0, %t1;', ['b32.a', 'b32.b'], [8], 512)


def moves():
    for t in ('b16', 'u16', 's16', 'b32', 'u32', 's32', 'f32', 'b64', 'u64', 's64', 'f64'):
        w = WIDTH[t]
        add(f'mov.{t}', f'mov.{t} %o0, %a;', [f'{kind_of(t)}.u'], [w], 512)
    add('mov.b32 pack2', 'mov.b32 %o0, {%a, %b};', ['b16.a', 'b16.b'], [32], 512)
    add('mov.b64 pack2', 'mov.b64 %o0, {%a, %b};', ['b32.a', 'b32.b'], [64], 512)
    add('mov.b64 pack4', 'mov.b32 {%h0, %h1}, %b; mov.b64 %o0, {%a, %h0, %h1, %a};', ['b16.a', 'b32.b'], [64], 512)
    add('mov.b32 unpack2', 'mov.b32 {%o0, %o1}, %a;', ['b32.u'], [16, 16], 512)
    add('mov.b64 unpack2', 'mov.b64 {%o0, %o1}, %a;', ['b64.u'], [32, 32], 512)
    add('mov.b64 unpack4', 'mov.b64 {%o0, %o1, %o2, %o3}, %a;', ['b64.u'], [16] * 4, 512)
    add('mov.b64 unpack sink', 'mov.b64 {_, %o0}, %a;', ['b64.u'], [32], 512)


INTS = ('u8', 's8', 'u16', 's16', 'u32', 's32', 'u64', 's64')
FLOATS = ('f16', 'bf16', 'f32', 'f64')


def conversions():
    for d in INTS:
        for s in INTS:
            for sat in ('', '.sat'):
                # 8-bit types live in 32-bit registers: the upper bits of the source must not matter.
                simple(f'cvt{sat}.{d}.{s}', [s], d)
    for s in FLOATS:
        for d in INTS:
            for r in ('rni', 'rzi', 'rmi', 'rpi'):
                for ftz in ('', '.ftz') if s == 'f32' else ('',):
                    for sat in ('', '.sat') if r in ('rni', 'rzi') else ('',):
                        simple(f'cvt.{r}{ftz}{sat}.{d}.{s}', [s], d)
    for d in FLOATS:
        for s in INTS:
            for r in ('rn', 'rz', 'rm', 'rp'):
                for sat in ('', '.sat') if r == 'rn' and d != 'bf16' else ('',):
                    simple(f'cvt.{r}{sat}.{d}.{s}', [s], d)
    for d in FLOATS:
        for s in FLOATS:
            narrow = (WIDTH[d] < WIDTH[s]) or (d != s and WIDTH[d] == 16 and WIDTH[s] == 16)
            flushes = ('', '.ftz') if 'f32' in (d, s) else ('',)
            roundings = ('.rn', '.rz', '.rm', '.rp') if narrow else ('',) if d != s else \
                ('', '.rni', '.rzi', '.rmi', '.rpi')
            for r in roundings:
                for ftz in flushes:
                    for sat in ('', '.sat'):
                        simple(f'cvt{r}{ftz}{sat}.{d}.{s}', [s], d)


def narrow_conversions():
    """To and from the formats below 32 bits, as PTX ISA 8.1 has them for sm_90."""
    f32, pair = ['narrow.a'], ['narrow.a', 'narrow.b']
    for r in ('rn', 'rz'):
        for relu in ('', '.relu'):
            for finite in ('', '.satfinite'):
                for d in ('f16', 'bf16'):
                    simple(f'cvt.{r}{relu}{finite}.{d}.f32', f32, d, N_NARROW)
                    simple(f'cvt.{r}{relu}{finite}.{d}x2.f32', pair, f'{d}x2', N_NARROW)
            simple(f'cvt.{r}{relu}.tf32.f32', f32, 'tf32', N_NARROW)
    for finite in ('', '.satfinite'):
        simple(f'cvt.rna{finite}.tf32.f32', f32, 'tf32', N_NARROW)
    for f8 in ('e4m3x2', 'e5m2x2'):
        for relu in ('', '.relu'):
            simple(f'cvt.rn.satfinite{relu}.{f8}.f32', pair, f8, N_NARROW)
            # Thread i has i as its input: every half below, and above it another one of all.
            op = f'cvt.rn.satfinite{relu}.{f8}.f16x2'
            add(op, f'mad.lo.u32 %t0, %i, 40503, 12345; shl.b32 %t0, %t0, 16; or.b32 %t0, %t0, %i; {op} %o0, %t0;', [],
                [16], N_ALL16)
            op = f'cvt.rn{relu}.f16x2.{f8}'
            add(op, f'cvt.u16.u32 %h0, %i; {op} %o0, %h0;', [], [32], N_ALL16)


def video():
    for name in ('vabsdiff4', 'vabsdiff2'):
        for d in ('u32', 's32'):
            for a in ('u32', 's32'):
                for b in ('u32', 's32'):
                    for post in ('', '.sat', '.add'):
                        op = f'{name}.{d}.{a}.{b}{post}'
                        add(op, f'{op} %o0, %a, %b, %c;', ['b32.a', 'b32.b', 'b32.c'], [32], N_INT)


def across_lanes():
    for mode in ('up', 'down', 'bfly', 'idx'):
        clamp = 0 if mode == 'up' else 0x1f
        for mask in (0, 0x10, 0x18, 0x1c, 0x1e, 0x1f, 0x05):
            for limit in (clamp, 9):
                c = mask << 8 | limit
                op = f'shfl.sync.{mode}.b32'
                add(f'{op} c={c:#x}', f'{op} %o0|%p0, %a, %b, {c:#x}, 0xffffffff; selp.u32 %o1, 1, 0, %p0;',
                    ['b32.a', 'shift.b'], [32, 8], 512)
        add(f'shfl.sync.{mode}.b32 half warp',
            f'setp.gt.u32 %p1, %lane, 15; mov.u32 %o0, 0; and.b32 %t0, %b, 15; @%p1 bra SKIP; '
            f'shfl.sync.{mode}.b32 %o0, %a, %t0, {0 if mode == "up" else 15}, 0xffff; SKIP: ',
            ['b32.a', 'shift.b'], [32], 512)
    # A predicate per lane: warps of all false, all true, one odd lane, random.
    pred = ('and.b32 %t0, %warp, 7; and.b32 %t1, %a, 1; setp.eq.u32 %p0, %t1, 1; '
            'setp.eq.u32 %p1, %t0, 0; selp.u32 %t1, 0, %t1, %p1; setp.eq.u32 %p1, %t0, 1; selp.u32 %t1, 1, %t1, %p1; '
            'setp.eq.u32 %p1, %lane, 5; selp.u32 %t2, 1, 0, %p1; setp.eq.u32 %p1, %t0, 2; selp.u32 %t1, %t2, %t1, %p1; '
            'xor.b32 %t2, %t2, 1; setp.eq.u32 %p1, %t0, 3; selp.u32 %t1, %t2, %t1, %p1; setp.ne.u32 %p0, %t1, 0; ')
    for mode in ('all', 'any', 'uni'):
        for negate in ('', '!'):
            add(f'vote.sync.{mode}.pred {negate}',
                pred + f'vote.sync.{mode}.pred %p2, {negate}%p0, 0xffffffff; selp.u32 %o0, 1, 0, %p2;', ['b32.a'], [8], 512)
    add('vote.sync.ballot.b32', pred + 'vote.sync.ballot.b32 %o0, %p0, 0xffffffff;', ['b32.a'], [32], 512)
    add('vote.sync.ballot.b32 half warp',
        pred + 'mov.u32 %o0, 0; setp.gt.u32 %p1, %lane, 15; @%p1 bra SKIP; vote.sync.ballot.b32 %o0, %p0, 0xffff; SKIP: ',
        ['b32.a'], [32], 512)
    for w in (32, 64):
        reg = '%t3' if w == 32 else '%l0'
        value = pred + 'and.b32 %t3, %a, 3; setp.lt.u32 %p1, %t0, 4; selp.u32 %t3, %t1, %t3, %p1; '
        if w == 64:
            value += 'cvt.u64.u32 %l0, %t3; shl.b64 %l0, %l0, 40; '
        add(f'match.any.sync.b{w}', value + f'match.any.sync.b{w} %o0, {reg}, 0xffffffff;', ['b32.a'], [32], 512)
        add(f'match.all.sync.b{w}', value + f'match.all.sync.b{w} %o0|%p2, {reg}, 0xffffffff; selp.u32 %o1, 1, 0, %p2;',
            ['b32.a'], [32, 8], 512)
    for op in ('add', 'min', 'max'):
        for t in ('u32', 's32'):
            add(f'redux.sync.{op}.{t}', f'redux.sync.{op}.{t} %o0, %a, 0xffffffff;', ['b32.a'], [32], 2048)
    for op in ('and', 'or', 'xor'):
        add(f'redux.sync.{op}.b32', f'redux.sync.{op}.b32 %o0, %a, 0xffffffff;', ['b32.a'], [32], 2048)


def atomics():
    forms = []
    for w in (32, 64):
        forms += [(f'{op}.b{w}', f'b{w}') for op in ('and', 'or', 'xor', 'exch', 'cas')]
        forms += [(f'add.u{w}', f'b{w}')]
        forms += [(f'{op}.{s}{w}', f'b{w}') for op in ('min', 'max') for s in 'us']
    forms += [('add.s32', 'b32'), ('inc.u32', 'b32'), ('dec.u32', 'b32'), ('add.f32', 'f32'), ('add.f64', 'f64'),
              ('add.noftz.f16', 'f16'), ('add.noftz.f16x2', 'f16x2'), ('add.noftz.bf16', 'bf16'),
              ('add.noftz.bf16x2', 'bf16x2'), ('cas.b16', 'b16')]
    for form, kind in forms:
        w = {'f16': 16, 'bf16': 16, 'f32': 32, 'f64': 64, 'f16x2': 32, 'bf16x2': 32}.get(kind) or int(kind[1:])
        size = w // 8
        third = ', %v' if form.startswith('cas') else ''
        # cas: compare with b where the lane is odd, else with the stored value itself, so that both happen.
        prepare = ''
        compare = '%b'
        if third:
            prepare = f'and.b32 %t0, %i, 1; setp.ne.u32 %p0, %t0, 0; selp.b{w} %k, %b, %a, %p0; '
            if w == 16:
                prepare = f'and.b32 %t0, %i, 1; setp.ne.u32 %p0, %t0, 0; mov.b16 %k, %a; @%p0 mov.b16 %k, %b; '
            compare = '%k'
            third = ', %c'
        inputs = [f'{kind}.a', f'{kind}.b'] + ([f'{kind}.c'] if third else [])
        decl = f'.reg .b{w} %k; '
        add(f'atom.global.{form}',
            f'{decl}{prepare}st.global.b{w} [%out+{size}], %a; atom.global.{form} %o0, [%out+{size}], {compare}{third}; '
            f'ld.global.b{w} %o1, [%out+{size}];', inputs, [w, w], N_INT)
        add(f'atom.shared.{form}',
            f'{decl}{prepare}st.shared.b{w} [%smem], %a; atom.shared.{form} %o0, [%smem], {compare}{third}; '
            f'ld.shared.b{w} %o1, [%smem];', inputs, [w, w], N_INT, shared=size)
        if not third and 'exch' not in form:
            add(f'red.global.{form}',
                f'st.global.b{w} [%out], %a; red.global.{form} [%out], %b; ld.global.b{w} %o0, [%out];',
                [f'{kind}.a', f'{kind}.b'], [w], 1024)
        if third or 'exch' in form or 'f' in kind:
            continue
        # All threads of a block on one address; the final value does not depend on their order. inc and dec
        # wrap at a bound, which must then be the same for all.
        bound = ''
        operand = '%b'
        if form.startswith(('inc', 'dec')):
            bound = 'mov.u32 %t0, %ctaid.x; mul.lo.u32 %t0, %t0, 37; '
            operand = '%t0'
        add(f'atom.shared.{form} one address',
            f'{bound}setp.eq.u32 %p0, %thread, 0; @%p0 st.shared.b{w} [%sbase], %a; bar.sync 0; '
            f'red.shared.{form} [%sbase], {operand}; bar.sync 0; ld.shared.b{w} %o0, [%sbase];',
            [f'{kind}.a', f'{kind}.b'], [w], 1024, shared=size)


def build():
    for family in (float_arithmetic, float_division, integer_arithmetic, carry_chains, bits, compare, selection,
                   predicates, moves, conversions, narrow_conversions, video, across_lanes, atomics):
        family()
    return CASES
