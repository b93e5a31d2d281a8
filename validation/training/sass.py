#!/usr/bin/env python3
"""Machine code as text, a file per kernel, with the control fields that say how instructions wait for each other.

  sass.py OUT.tar.gz FILE.cubin...

A line is 'address  wait:read:write:yield:stall  instruction': wait, the barriers waited for (B--2---); read and write, the barrier
that is set when operands were read (R1) or the result is there (W2); Y where the scheduler should go on to another warp; S, the
least number of cycles to the next instruction."""
import io
import pathlib
import re
import subprocess
import sys
import tarfile


def control(high):
    c = high >> 41
    stall, yields, write, read, wait = c & 15, c >> 4 & 1, c >> 5 & 7, c >> 8 & 7, c >> 11 & 63
    return "B{}:R{}:W{}:{}:S{:02}".format("".join(str(i) if wait >> i & 1 else "-" for i in range(6)), "-" if read == 7 else read,
                                          "-" if write == 7 else write, "-" if yields else "Y", stall)


def kernels(text):
    """Name and lines of each function in what cuobjdump -sass prints."""
    name, lines, last = None, [], None
    for line in text.splitlines():
        m = re.match(r"\s*Function : (\S+)", line)
        if m:
            if name:
                yield name, lines
            name, lines, last = m[1], [], None
            continue
        m = re.match(r"\s*/\*([0-9a-f]+)\*/\s+(.*?)\s*;?\s*/\* 0x([0-9a-f]{16}) \*/", line)
        if m:
            last = (m[1], m[2])
            continue
        m = re.match(r"\s*/\* 0x([0-9a-f]{16}) \*/", line)
        if m and last:
            lines.append(f"{last[0]} {control(int(m[1], 16))} {last[1]}")
            last = None
    if name:
        yield name, lines


def main(out, files):
    with tarfile.open(out, "w:gz") as tar:
        for f in files:
            text = subprocess.run(["cuobjdump", "-sass", f], capture_output=True, text=True, check=True).stdout
            for name, lines in kernels(text):
                data = ("\n".join(lines) + "\n").encode()
                info = tarfile.TarInfo(f"sass/{pathlib.Path(f).stem}/{name}.sass")
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
