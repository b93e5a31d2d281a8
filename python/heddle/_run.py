"""Workloads on machines."""

from __future__ import annotations

import os
from typing import Optional, Union

from . import _heddle
from ._machine import Machine, Settings, machine
from ._result import Result

HEADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "device")

StoreChoice = Union[None, bool, str, os.PathLike, "Store"]  # noqa: F821


def headers() -> str:
    """Of .cu files; empty: the program's own places."""
    return HEADERS if os.path.isdir(HEADERS) else ""


def store_file(store: StoreChoice) -> str:
    """The file of a store; empty: none."""
    if store is None or store is False:
        return ""
    if store is True:
        return _heddle.default_store()
    return store.path if hasattr(store, "path") else os.fspath(store)


def run(workload: Union[str, os.PathLike], gpu: Union[str, os.PathLike, Machine, None] = None, *, scale: str = "small",
        seed: int = 1, set: Optional[Settings] = None, design: Optional[str] = None,
        launch: Union[str, os.PathLike, None] = None, threads: int = 1, detail: bool = True,
        store: StoreChoice = None) -> Result:
    """Simulates a workload on a machine and returns what was found.

    ``workload`` is a bundled one (``workloads()``), one kernel of it (``"lud.2"``), or a .cu or .ptx file with its
    ``launch`` file (docs/launch-files.md). ``scale`` is ``"tiny"``, ``"small"`` or ``"paper"``. ``set`` and ``design`` change the
    machine as those of ``Machine`` do. ``threads`` are host threads: no result depends on them. ``detail`` keeps what
    ``Result.series`` shows; it changes nothing else.

    With ``store`` (True: the usual one; a path or a ``Store``) a result that is there is not simulated again, and a new
    one is kept.

    >>> r = heddle.run("hotspot", gpu="v100", scale="small", set={"l1.latency": 33})
    >>> r.cycles, r.verified

    Ctrl-C ends it with KeyboardInterrupt. Python's lock is free meanwhile: other threads go on, and may simulate, too.
    """
    m = machine(gpu, set, design)
    done = _heddle.run(m._core, os.fspath(workload), "" if launch is None else os.fspath(launch), scale, seed, threads, detail,
                       store_file(store), headers())
    return Result(done.record, done.detail, done.from_store)
