"""Input arrays of the golden cases: hard values first, then seeded random ones. Deterministic.

Every kind has four arrays: `u` for one-operand forms (many different values) and `a`, `b`, `c` for forms with
more operands (every pair of hard values first, then random values related to each other so that cancellation,
ties and results near the ends of the range occur).
"""
import struct

UNARY_COUNT = 4096
TUPLE_COUNT = 4096
NARROW_COUNT = 8192


class Random:
    """xorshift64*: the same on every Python version."""

    def __init__(self, seed):
        self.state = (seed * 0x9E3779B97F4A7C15 + 1) & 0xFFFFFFFFFFFFFFFF

    def bits(self, n):
        x = self.state
        x ^= x >> 12
        x = (x ^ (x << 25)) & 0xFFFFFFFFFFFFFFFF
        x ^= x >> 27
        self.state = x
        return ((x * 0x2545F4914F6CDD1D) & 0xFFFFFFFFFFFFFFFF) >> (64 - n)

    def below(self, n):
        return self.bits(48) % n

    def pick(self, values):
        return values[self.below(len(values))]


class Format:
    """A binary interchange format: exponent and fraction widths."""

    def __init__(self, name, exponent, fraction):
        self.name, self.e, self.f = name, exponent, fraction
        self.width = 1 + exponent + fraction
        self.bias = (1 << (exponent - 1)) - 1
        self.sign = 1 << (exponent + fraction)
        self.inf = ((1 << exponent) - 1) << fraction

    def power(self, k):
        """Bits of 2**k, denormal where needed; 0 or infinity beyond the range."""
        if k > self.bias:
            return self.inf
        if k >= 1 - self.bias:
            return (k + self.bias) << self.f
        shift = k - (1 - self.bias) + self.f
        return 1 << shift if shift >= 0 else 0

    def compose(self, sign, exponent, fraction):
        """Sign, unbiased exponent (clamped), fraction bits."""
        biased = min(max(exponent + self.bias, 0), (1 << self.e) - 2)
        return sign * self.sign | biased << self.f | fraction & ((1 << self.f) - 1)

    def value(self, bits):
        """As a Python float (exact for all formats up to 64 bits)."""
        if self.width == 64:
            return struct.unpack('<d', struct.pack('<Q', bits))[0]
        sign = -1.0 if bits & self.sign else 1.0
        exponent, fraction = (bits & ~self.sign) >> self.f, bits & ((1 << self.f) - 1)
        if exponent == (1 << self.e) - 1:
            return sign * float('inf') if fraction == 0 else float('nan')
        if exponent == 0:
            return sign * fraction * 2.0 ** (1 - self.bias - self.f)
        return sign * (fraction + (1 << self.f)) * 2.0 ** (exponent - self.bias - self.f)

    def nearest(self, x):
        """Bits of the value nearest to x, ties to even; for finite x."""
        sign = self.sign if x < 0 or (x == 0 and str(x)[0] == '-') else 0
        num, den = abs(x).as_integer_ratio()
        if num == 0:
            return sign
        k = num.bit_length() - den.bit_length()
        if (num << max(-k, 0)) < (den << max(k, 0)):
            k -= 1
        k = max(k, 1 - self.bias)
        shift = self.f - k
        num, den = (num << shift, den) if shift >= 0 else (num, den << -shift)
        q, r = divmod(num, den)
        if 2 * r > den or (2 * r == den and q & 1):
            q += 1
        bits = ((k + self.bias - 1) << self.f) + q
        return sign | min(bits, self.inf)

    def hard(self):
        one, tiny, s, top = self.power(0), self.power(1 - self.bias), self.sign, self.inf - 1
        f = self.f
        quiet = self.inf | 1 << (f - 1)
        half = one - (1 << f)
        values = [0, s, 1, s | 1, tiny - 1, s | (tiny - 1), tiny >> 1, tiny, s | tiny, tiny + 1,
                  one, s | one, one - 1, one + 1, half, s | half, one + (1 << (f - 1)),
                  s | (self.power(1) + (1 << (f - 2))),        # -2.5
                  self.power(1) + (3 << (f - 2)),               # 3.5
                  self.power(f), self.power(f + 1), self.power(f + 1) - 1, s | self.power(f + 1),
                  top, s | top, self.power(self.bias), s | self.power(self.bias),
                  self.power(self.bias // 2), self.power(-(self.bias // 2)), self.inf, s | self.inf,
                  quiet, s | quiet, self.inf | ((1 << f) - 1), self.inf | 1,
                  s | self.inf | (0x12345 & ((1 << (f - 1)) - 1)) | 4, quiet | (0x3456 & ((1 << (f - 1)) - 1))]
        for k in (31, 32, 63):
            if k <= self.bias:
                values += [self.power(k), s | self.power(k), self.power(k) - 1]
        return values


F16 = Format('f16', 5, 10)
BF16 = Format('bf16', 8, 7)
F32 = Format('f32', 8, 23)
F64 = Format('f64', 11, 52)
TF32 = Format('tf32', 8, 10)
E4M3 = Format('e4m3', 4, 3)
E5M2 = Format('e5m2', 5, 2)
FORMATS = {f.name: f for f in (F16, BF16, F32, F64)}


def random_float(fmt, rng, low=None, high=None):
    low = -fmt.bias if low is None else low
    high = fmt.bias if high is None else high
    fraction = rng.bits(fmt.f) if rng.bits(2) else rng.bits(fmt.f) & rng.bits(fmt.f) & rng.bits(fmt.f)
    return fmt.compose(rng.bits(1), low + rng.below(high - low + 1), fraction)


def unary_floats(fmt, rng):
    values = list(fmt.hard())
    sign = fmt.sign
    # Boundaries of the integer types, and halves (ties when rounding to an integer).
    for k in (7, 8, 15, 16, 31, 32, 63, 64):
        for x in (2.0 ** k - 1.5, 2.0 ** k - 1, 2.0 ** k - 0.5, 2.0 ** k - 0.25, 2.0 ** k, 2.0 ** k + 0.5, 2.0 ** k + 1):
            bits = fmt.nearest(x)
            values += [bits, sign | bits, bits - 1, sign | bits - 1, bits + 1, sign | bits + 1]
    for n in range(-12, 13):
        values.append(fmt.nearest(n / 2.0))
    for n in range(-20, 20):
        values += [fmt.nearest(n + 0.25), fmt.nearest(n + 0.75), fmt.nearest(n / 16.0)]
    # Ties and neighbours of ties of the narrower formats, also at their overflow and denormal ends.
    for narrow in (F16, BF16, F32):
        if narrow.f >= fmt.f:
            continue
        step = 1 << (fmt.f - narrow.f - 1)
        for base in (narrow.inf - 1, narrow.inf - 2, narrow.power(0), narrow.power(0) + 1, narrow.power(1 - narrow.bias),
                     narrow.power(1 - narrow.bias) - 1, 1, 2, 3, 4, 5):
            lower, upper = narrow.value(base), narrow.value(base + 1) if base != narrow.inf - 1 else None
            mid = (lower + upper) / 2 if upper is not None else lower + (lower - narrow.value(base - 1)) / 2
            bits = fmt.nearest(mid)
            values += [bits, bits - 1, bits + 1, sign | bits, sign | bits - 1, sign | bits + 1]
        values += [fmt.nearest(narrow.value(1) / 2), fmt.nearest(narrow.value(1) / 2) + 1, fmt.nearest(narrow.value(1) / 4)]
        for _ in range(100):
            e = 1 - narrow.bias + rng.below(2 * narrow.bias - 1)
            bits = fmt.compose(rng.bits(1), e, rng.bits(narrow.f) << (fmt.f - narrow.f) | step)
            values += [bits + rng.below(3) - 1]
    for k in range(1 - fmt.bias - fmt.f, fmt.bias + 1, max(1, fmt.bias // 40)):
        values += [fmt.power(k), fmt.power(k) + 1, sign | fmt.power(k)]
    small = min(18, fmt.bias)
    while len(values) < UNARY_COUNT:
        kind = rng.below(8)
        if kind < 4:
            values.append(random_float(fmt, rng))
        elif kind < 6:
            values.append(random_float(fmt, rng, -small, small))
        elif kind == 6:
            values.append(random_float(fmt, rng, -2, min(66, fmt.bias)))
        else:
            values.append(rng.bits(fmt.width))
    return values[:UNARY_COUNT]


def tuple_floats(fmt, rng):
    hard = fmt.hard()
    a, b, c = [], [], []
    for x in hard:
        for y in hard:
            a.append(x)
            b.append(y)
            c.append(rng.pick(hard))
    while len(a) < TUPLE_COUNT:
        regime = rng.below(8)
        e, f = fmt.bias, fmt.f
        if regime == 0:                                   # anything
            x, y, z = (random_float(fmt, rng) for _ in range(3))
        elif regime == 1:                                 # moderate
            x, y, z = (random_float(fmt, rng, -4, 4) for _ in range(3))
        elif regime == 2:                                 # exponents close to each other, anywhere
            k = -e + rng.below(2 * e - 3)
            x, y, z = (random_float(fmt, rng, k, k + 3) for _ in range(3))
        elif regime == 3:                                 # product or quotient near the denormals
            k = rng.below(e)
            x = random_float(fmt, rng, -k, -k)
            y = random_float(fmt, rng, -e + k - rng.below(f + 3), -e + k + 2)
            z = random_float(fmt, rng, -e, -e + 4)
        elif regime == 4:                                 # product near overflow
            k = rng.below(e)
            x, y = random_float(fmt, rng, k, k), random_float(fmt, rng, e - k - 2, e - k + 1)
            z = random_float(fmt, rng, e - 2, e)
        elif regime == 5:                                 # fma: c cancels a*b to the last bits
            x, y = random_float(fmt, rng, -e // 4, e // 4), random_float(fmt, rng, -e // 4, e // 4)
            z = fmt.nearest(-fmt.value(x) * fmt.value(y)) + rng.below(3) - 1
        elif regime == 6:                                 # addition: ties at half a unit of the larger
            k = -e // 2 + rng.below(e)
            x = random_float(fmt, rng, k, k)
            y = fmt.compose(rng.bits(1), k - f - 1, rng.pick([0, 0, 1, (1 << f) - 1]))
            z = fmt.compose(rng.bits(1), k - f - 1, 0)
        else:                                             # few significant bits
            x, y, z = (fmt.compose(rng.bits(1), rng.below(7) - 3, rng.bits(3) << (f - 3)) for _ in range(3))
        a.append(x)
        b.append(y)
        c.append(z)
    return a[:TUPLE_COUNT], b[:TUPLE_COUNT], c[:TUPLE_COUNT]


def hard_ints(width):
    top = 1 << width
    values = [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 0x55, 0x7f, 0x80, 0xff, top // 2 - 1, top // 2, top // 2 + 1,
              top - 1, top - 2, top - 3, top - 31, top - 128, top - 129]
    if width >= 32:
        values += [0x7fff, 0x8000, 0xffff, 0x10000, 0xffff8000, 0xffff7fff, 0x00ff00ff, 0xff00ff00, 0x80808080,
                   0x7f7f7f7f, 0x01010101, (1 << 24) - 1, 1 << 24, (1 << 24) + 1, (1 << 23) - 1, 0x12345678]
    if width == 64:
        values += [0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000, 0xffffffff00000000,
                   top - 0x80000000, top - 0x80000001, 1 << 53, (1 << 53) + 1, 0x0123456789abcdef, 0x8000000080000000]
    return [v % top for v in values]


def random_int(width, rng):
    kind = rng.below(4)
    x = rng.bits(width)
    if kind == 0:
        return x
    if kind == 1:
        return x >> rng.below(width)
    if kind == 2:
        return (-(x >> rng.below(width))) % (1 << width)
    return (1 << rng.below(width)) + rng.below(5) - 2 & ((1 << width) - 1)


def unary_ints(width, rng):
    values = hard_ints(width)
    for k in range(width):
        values += [1 << k, (1 << k) - 1, (-(1 << k)) % (1 << width), ((1 << k) + 1) % (1 << width)]
    # Rounding to 8, 11, 24 and 53 significant bits: ties and their neighbours.
    for significant in (8, 11, 24, 53):
        for _ in range(60):
            if significant + 2 > width:
                continue
            m = (1 << (significant - 1) | rng.bits(significant - 1)) << 1 | 1
            shift = rng.below(width - significant)
            values.append((m << shift) + rng.below(3) - 1 & ((1 << width) - 1))
    while len(values) < UNARY_COUNT:
        values.append(random_int(width, rng))
    return values[:UNARY_COUNT]


def tuple_ints(width, rng):
    hard = hard_ints(width)
    a, b, c = [], [], []
    for x in hard:
        for y in hard:
            a.append(x)
            b.append(y)
            c.append(rng.pick(hard))
    while len(a) < TUPLE_COUNT:
        x, y, z = (random_int(width, rng) for _ in range(3))
        if rng.below(8) == 0:
            y = x
        a.append(x)
        b.append(y)
        c.append(z)
    return a[:TUPLE_COUNT], b[:TUPLE_COUNT], c[:TUPLE_COUNT]


def pairs_of(kind_arrays, rng):
    """Two 16-bit halves from an array of 16-bit values, the upper half at another, fixed permutation."""
    n = len(kind_arrays[0])
    order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = rng.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return [[x[i] | x[order[i]] << 16 for i in range(n)] for x in kind_arrays]


def shift_amounts(rng):
    hard = [0, 1, 2, 7, 8, 15, 16, 17, 30, 31, 32, 33, 47, 48, 63, 64, 65, 127, 128, 255, 256, 257, 0x80000000,
            0xffffffff, 0xffffffe0, 0x100001f]
    return [rng.pick(hard) if rng.below(2) else rng.below(66) for _ in range(TUPLE_COUNT)]


def narrow_edges(rng):
    """f32 values where conversions to smaller formats change their mind: all values of the 8-bit formats, the middle
    of each and the next, what lies just beside the middle; and the same at the ends of the ranges of the larger ones."""
    magnitudes = []

    def around(fmt, bits):
        value = fmt.value(bits)
        after = fmt.value(bits + 1) if bits + 1 < fmt.inf else 2.0 ** (fmt.bias + 1)
        middle = F32.nearest((value + after) / 2)
        magnitudes.extend((F32.nearest(value), middle - 1, middle, middle + 1))

    for fmt in (E4M3, E5M2):
        for bits in range(fmt.inf):
            around(fmt, bits)
    # e4m3 has no infinity: its numbers go on to 448 (480 would be the NaN).
    for value in range(256, 529, 16):
        magnitudes.extend(F32.nearest(float(value)) + d for d in (-1, 0, 1))
    for fmt in (F16, BF16, TF32):
        tiny = fmt.power(1 - fmt.bias)
        for bits in (0, 1, 2, 3, tiny - 2, tiny - 1, tiny, tiny + 1, fmt.power(0), fmt.power(0) + 1, fmt.inf - 3,
                     fmt.inf - 2, fmt.inf - 1):
            around(fmt, bits)
    magnitudes += [v & ~F32.sign for v in F32.hard()] + [F32.inf | 1, F32.sign - 1]
    values = [m & ~F32.sign | s for m in magnitudes for s in (0, F32.sign)]
    assert len(values) < NARROW_COUNT, len(values)
    while len(values) < NARROW_COUNT:
        low, high = rng.pick(((-20, 20), (-30, -10), (8, 17), (-160, 128)))
        values.append(random_float(F32, rng, max(low, -F32.bias), min(high, F32.bias)))
    return values


def arrays():
    """Name -> (bytes per element, values). The order is the order in the file."""
    result = {}
    rng = Random(20250101)
    tuples = {}
    for fmt in (F16, BF16, F32, F64):
        size = fmt.width // 8
        unary = unary_floats(fmt, rng)
        tuples[fmt.name] = (unary, *tuple_floats(fmt, rng))
        for letter, values in zip('uabc', tuples[fmt.name]):
            result[f'{fmt.name}.{letter}'] = (size, values)
    for name in ('f16', 'bf16'):
        for letter, values in zip('uabc', pairs_of(tuples[name], rng)):
            result[f'{name}x2.{letter}'] = (4, values)
    for width in (16, 32, 64):
        for letter, values in zip('uabc', (unary_ints(width, rng), *tuple_ints(width, rng))):
            result[f'b{width}.{letter}'] = (width // 8, values)
        # Divisors: never 0, never -1 (the most negative value divided by -1 is not specified).
        top = (1 << width) - 1
        result[f'div{width}.b'] = (width // 8, [v if v not in (0, top) else 3 + i % 11
                                                for i, v in enumerate(result[f'b{width}.b'][1])])
    for letter in 'bc':
        result[f'shift.{letter}'] = (4, shift_amounts(rng))
    # Arguments of sine and cosine where the manual bounds the error, and moderate arguments of 2**x, tanh.
    pi = 0x40490fdb
    result['angle.u'] = (4, [F32.nearest((i / 2048.0 - 1.0) * 3.1415926) if i % 2 else
                             min(random_float(F32, rng, -24, 1) & 0x7fffffff, pi) | rng.bits(1) << 31
                             for i in range(UNARY_COUNT)])
    result['small.u'] = (4, [F32.nearest((i / 2048.0 - 1.0) * 130.0 + rng.bits(20) / 2.0 ** 21) if i % 2 else
                             random_float(F32, rng, -26, 3) for i in range(UNARY_COUNT)])
    # Mantissa sweep over [1, 4): the tables inside reciprocal, square root, logarithm.
    result['sweep.u'] = (4, [0x3f800000 + i * (1 << 12) + rng.bits(12) for i in range(UNARY_COUNT)])
    result['sweep64.u'] = (8, [0x3ff0000000000000 + i * (1 << 41) + rng.bits(41) for i in range(UNARY_COUNT)])
    narrow = narrow_edges(rng)
    result['narrow.a'] = (4, narrow)
    result['narrow.b'] = (4, narrow[1::2] + narrow[::2])
    return {name: (size, [v & ((1 << 8 * size) - 1) for v in values]) for name, (size, values) in result.items()}
