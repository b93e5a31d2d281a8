#!/usr/bin/env python3
"""Writes the golden cases: cases.ptx, cases.csv, inputs.bin, inputs.csv. Usage: generate.py OUTDIR

cases.ptx holds one module per kernel, each starting with a line `//@ NAME`; a loader cuts the file there.
Every kernel takes (out, a, b, c): pointers to the output and the input arrays named in cases.csv, and is run
with blocks of 128 threads, n threads in all; thread i writes out_bytes bytes at out + i * out_bytes.
"""
import csv
import os
import re
import struct
import sys

import forms
import inputs

HEADER = '.version 8.1\n.target sm_90\n.address_size 64\n'
BLOCK = 128
HERE = os.path.dirname(os.path.abspath(__file__))


def layout(outs):
    """Byte offsets of the outputs (each aligned to its size) and the element's size."""
    offsets, at = [], 0
    for bits in outs:
        size = bits // 8
        at = (at + size - 1) // size * size
        offsets.append(at)
        at += size
    biggest = max(outs) // 8
    return offsets, (at + biggest - 1) // biggest * biggest


def kernel(name, case, arrays):
    offsets, stride = layout(case.outs)
    lines = [f'.visible .entry {name}(.param .u64 out, .param .u64 a, .param .u64 b, .param .u64 c)', '{',
             '.reg .pred %p<4>;', '.reg .b16 %h<8>;', '.reg .b32 %t<8>;', '.reg .b64 %l<8>;',
             '.reg .b32 %i, %thread, %lane, %warp, %smem, %sbase, %x<3>;', '.reg .b64 %out, %at;']
    if case.shared:
        lines.append(f'.shared .align 8 .b8 memory[{case.shared * BLOCK}];')
    for index, bits in enumerate(case.outs):
        lines.append(f'.reg .b{max(bits, 32) if bits == 8 else bits} %o{index};')
    lines += ['mov.u32 %thread, %tid.x;', 'mov.u32 %x0, %ctaid.x;', 'mov.u32 %x1, %ntid.x;',
              'mad.lo.s32 %i, %x0, %x1, %thread;', 'and.b32 %lane, %thread, 31;', 'shr.u32 %warp, %i, 5;']
    for letter, array in zip('abc', case.inputs):
        size = arrays[array][0]
        lines += [f'.reg .b{size * 8} %{letter};', f'ld.param.u64 %at, [{letter}];', 'cvta.to.global.u64 %at, %at;',
                  f'mul.wide.u32 %out, %i, {size};', 'add.s64 %at, %at, %out;', f'ld.global.b{size * 8} %{letter}, [%at];']
    lines += ['ld.param.u64 %out, [out];', 'cvta.to.global.u64 %out, %out;', f'mul.wide.u32 %at, %i, {stride};',
              'add.s64 %out, %out, %at;']
    if case.shared:
        lines += ['mov.u32 %sbase, memory;', f'mad.lo.s32 %smem, %thread, {case.shared}, %sbase;']
    lines += [part.strip() + ';' for part in case.body.split(';') if part.strip() not in ('', 'SKIP:')]
    if 'SKIP:' in case.body:
        lines.append('SKIP:')
    for index, (bits, offset) in enumerate(zip(case.outs, offsets)):
        lines.append(f'st.global.b{bits} [%out+{offset}], %o{index};')
    lines += ['ret;', '}']
    return '\n'.join(lines) + '\n', stride


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    arrays = inputs.arrays()
    with open(f'{out}/inputs.bin', 'wb') as data, open(f'{out}/inputs.csv', 'w', newline='') as index:
        index.write('array,bytes,count,offset\n')
        for name, (size, values) in arrays.items():
            index.write(f'{name},{size},{len(values)},{data.tell()}\n')
            data.write(struct.pack(f'<{len(values)}{ {2: "H", 4: "I", 8: "Q"}[size] }', *values))
    refused = set()
    try:
        with open(f'{HERE}/not_in_ptx.txt') as f:
            refused = {line.strip() for line in f if line.strip() and not line.startswith('#')}
    except FileNotFoundError:
        pass
    with open(f'{out}/cases.ptx', 'w') as ptx, open(f'{out}/cases.csv', 'w', newline='') as manifest:
        writer = csv.writer(manifest, lineterminator='\n')
        writer.writerow(['kernel', 'op', 'a', 'b', 'c', 'n', 'out_bytes', 'outs', 'class', 'bound'])
        number = 0
        for case in forms.build():
            if case.op in refused:
                continue
            name = f'g{number:04d}_' + re.sub('[^a-z0-9]+', '_', case.op.lower()).strip('_')
            number += 1
            text, stride = kernel(name, case, arrays)
            assert case.n % BLOCK == 0 and '"' not in case.op and ',' not in case.op
            ptx.write(f'//@ {name}\n{HEADER}{text}')
            names = case.inputs + ['-'] * (3 - len(case.inputs))
            writer.writerow([name, case.op, *names, case.n, stride, '+'.join(map(str, case.outs)), case.cls, case.bound])
    print(f'{number} cases')


main()
