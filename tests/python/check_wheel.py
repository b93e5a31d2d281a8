"""Is a wheel whole, and for the machine that its name says?

    python3 check_wheel.py WHEEL MACHINE      # x86_64, aarch64

Prints a line "ok ..." or "FAILED ..." for each check; status 1: one failed.
"""

import base64
import csv
import hashlib
import io
import os
import re
import struct
import sys
import zipfile

MACHINES = {"x86_64": 62, "aarch64": 183}  # e_machine of ELF


def main(path, machine):
    failed = False

    def check(fine, what):
        nonlocal failed
        failed |= not fine
        print(("ok " if fine else "FAILED ") + what)

    name = re.fullmatch(r"heddle-([0-9.]+)-(cp3\d+)-\2-linux_(\w+)\.whl", os.path.basename(path))
    check(name is not None and name[3] == machine, f"{os.path.basename(path)} is named for {machine}")
    if name is None:
        return 1
    with zipfile.ZipFile(path) as z:
        files = {n: z.read(n) for n in z.namelist()}
    info = f"heddle-{name[1]}.dist-info"
    check(f"Tag: {name[2]}-{name[2]}-linux_{machine}" in files[f"{info}/WHEEL"].decode(), "its tag is that of its name")
    check(f"Version: {name[1]}\n" in files[f"{info}/METADATA"].decode(), "its version, too")
    record = {row[0]: row[1:] for row in csv.reader(io.StringIO(files[f"{info}/RECORD"].decode()))}
    check(set(record) == set(files), "RECORD names all files")
    digest = lambda b: "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(b).digest()).rstrip(b"=").decode()  # noqa: E731
    check(all(record[n] == [digest(b), str(len(b))] for n, b in files.items() if not n.endswith("/RECORD")), "RECORD has their hashes")
    for needed in ("heddle/__init__.py", "heddle/py.typed", "heddle/device/cuda_runtime.h", f"{info}/LICENSE"):
        check(needed in files, f"it has {needed}")
    extensions = [n for n in files if n.endswith(".so")]
    check(extensions == [f"heddle/_heddle.cpython-{name[2][2:]}-{machine}-linux-gnu.so"], f"it has one extension: {', '.join(extensions)}")
    for n in extensions:
        head = files[n][:20]
        check(head[:5] == b"\x7fELF\x02" and struct.unpack("<H", head[18:20])[0] == MACHINES[machine], f"the extension is for {machine}")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(sys.argv[1], sys.argv[2]))
