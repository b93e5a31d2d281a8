"""Builds the wheel of the Python module: a build backend for pip (PEP 517) that calls CMake, without other packages.

    python3 -m pip install .                               # pip calls build_wheel() below
    python3 python/heddle_build.py DIR                     # writes the wheel into DIR
    python3 python/heddle_build.py --cross x86_64 DIR      # for the other architecture: x86_64 or aarch64

What was built stays in build/wheel (build/wheel-x86_64), so that the next time takes seconds. HEDDLE_CMAKE_OPTIONS has
further options for CMake. HEDDLE_BUILD_FOLDER names a build folder that is there, in which only the module is added.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = "heddle"


def version() -> str:
    return re.search(r"project\(heddle VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def metadata() -> str:
    return "\n".join([
        "Metadata-Version: 2.1",
        f"Name: {NAME}",
        f"Version: {version()}",
        "Summary: A fast, execution-driven GPU simulator",
        "License: BSD-3-Clause",
        "Requires-Python: >=3.9",
        "Provides-Extra: arrays",
        "Requires-Dist: numpy; extra == 'arrays'",
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / "docs/python.md").read_text(encoding="utf-8"),
    ])


def tag(machine: str) -> str:
    """cp311-cp311-linux_aarch64: an extension for this Python's version and one kind of machine."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-linux_{machine}"


def this_machine() -> str:
    return sysconfig.get_platform().rpartition("-")[2]


def run(*command: str) -> None:
    print("+", shlex.join(command), flush=True)
    try:
        subprocess.run(command, cwd=ROOT, check=True)
    except FileNotFoundError:
        sys.exit(f"heddle: {command[0]} is not installed; tools/packages/build.txt has all that a build needs")
    except subprocess.CalledProcessError as e:
        sys.exit(f"heddle: the build failed with status {e.returncode}; its output is above")


def build(machine: str, into: str) -> None:
    """The package's files, installed below `into`."""
    folder = os.environ.get("HEDDLE_BUILD_FOLDER")
    if folder:
        run("cmake", folder, "-DHEDDLE_PYTHON=ON", f"-DHEDDLE_PYTHON_PROGRAM={sys.executable}")
    else:
        folder = "build/wheel" if machine == this_machine() else f"build/wheel-{machine}"
        configure(machine, folder)
    run("cmake", "--build", folder, "--target", "heddle_python")
    run("cmake", "--install", folder, "--component", "python", "--prefix", into)


def configure(machine: str, folder: str) -> None:
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=12", "-DHEDDLE_TESTS=OFF",
               "-DHEDDLE_BENCH=OFF", "-DHEDDLE_WEB=OFF", "-DHEDDLE_PYTHON=ON", f"-DHEDDLE_PYTHON_PROGRAM={sys.executable}"]
    if machine != this_machine():
        options += [f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/cmake/{machine}.cmake"]
        options += ["-DHEDDLE_MARCH=" + {"x86_64": "x86-64-v3", "aarch64": "armv8-a"}[machine]]
    run("cmake", "-S", ".", "-B", folder, "-G", "Ninja", *options, *shlex.split(os.environ.get("HEDDLE_CMAKE_OPTIONS", "")))


def wheel(directory: str, machine: str) -> str:
    info = f"{NAME}-{version()}.dist-info"
    name = f"{NAME}-{version()}-{tag(machine)}.whl"
    record = []
    with tempfile.TemporaryDirectory(prefix="heddle-wheel") as installed:
        build(machine, installed)
        package = next(Path(installed).glob(f"**/{NAME}/__init__.py")).parent
        files = {f"{NAME}/{f.relative_to(package)}": f.read_bytes() for f in sorted(package.rglob("*")) if f.is_file()}
        files[f"{info}/METADATA"] = metadata().encode()
        files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: heddle\nRoot-Is-Purelib: false\nTag: {tag(machine)}\n".encode()
        files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
        with zipfile.ZipFile(Path(directory) / name, "w", zipfile.ZIP_DEFLATED) as out:
            for path, content in files.items():
                put(out, path, content)
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                record.append(f"{path},sha256={digest},{len(content)}")
            put(out, f"{info}/RECORD", "\n".join(record + [f"{info}/RECORD,,", ""]).encode())
    return name


def put(out: zipfile.ZipFile, path: str, content: bytes) -> None:
    """With a fixed date and mode: the same files make the same wheel."""
    entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
    out.writestr(entry, content)


# What pip calls.


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return wheel(wheel_directory, this_machine())


def get_requires_for_build_wheel(config_settings=None):
    return []


def main(arguments: list[str]) -> int:
    machine = this_machine()
    if arguments[:1] == ["--cross"] and len(arguments) > 1:
        machine = arguments[1]
        arguments = arguments[2:]
        if machine not in ("x86_64", "aarch64"):
            print(f"heddle: --cross {machine}: expected x86_64 or aarch64", file=sys.stderr)
            return 2
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    os.makedirs(arguments[0], exist_ok=True)
    print(os.path.join(arguments[0], wheel(arguments[0], machine)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
