#!/usr/bin/env python3
"""Writes expected.bin: ten steps of the stencil in double precision, as raw little-endian f32."""
import array
import sys

n, steps = 32, 10
t = [float(i % 17) for i in range(n * n)]
p = [float(i % 5) for i in range(n * n)]
for _ in range(steps):
    o = []
    for y in range(n):
        for x in range(n):
            i = y * n + x
            c = t[i]
            north = t[i - n] if y > 0 else c
            south = t[i + n] if y < n - 1 else c
            west = t[i - 1] if x > 0 else c
            east = t[i + 1] if x < n - 1 else c
            o.append(c + 0.1 * (north + south - 2 * c) + 0.1 * (west + east - 2 * c) + 0.05 * p[i])
    t = o
values = array.array("f", t)
if sys.byteorder == "big":
    values.byteswap()
with open("expected.bin", "wb") as out:
    values.tofile(out)
