"""Heddle, a fast GPU simulator, in Python.

    import heddle

    heddle.presets()                                     # machines
    m = heddle.Machine("h200", set={"l1.latency": 40})   # one, changed
    r = heddle.run("hotspot", gpu=m, scale="tiny")       # a workload on it
    r.cycles, r["l1.read_hit_rate"], r.funnel, r.series  # what was found
    heddle.compare(["hotspot"], designs=["baseline", "DB+ICC"], scale="tiny").table
    gpu = heddle.Gpu("h200")                             # kernels of one's own: CUDA or PTX, with numpy
    heddle.Store().table(["gpu.cycles"], study="icc")    # results that are there

Machines:    Machine, presets, explain
Running:     run, Result, Statistics, Funnel, Series, workloads
Comparing:   compare, Comparison, designs
Own kernels: Gpu, Module, Kernel, Array, Launch
Results:     Store, archive, Archive
All:         Table (columns), Error

It is the simulator itself: the same machines, numbers and messages as the program's. docs/python.md is its page.
"""

from ._compare import Comparison, compare
from ._error import Error
from ._gpu import Array, Gpu, Kernel, Launch, Module
from ._heddle import build as _build
from ._machine import Machine, designs, explain, presets, workloads
from ._result import Funnel, Result, Series, Statistics
from ._run import run
from ._store import Archive, Store, archive
from ._table import Table

__all__ = [
    "Archive", "Array", "Comparison", "Error", "Funnel", "Gpu", "Kernel", "Launch", "Machine", "Module", "Result", "Series",
    "Statistics", "Store", "Table", "archive", "compare", "designs", "explain", "presets", "run", "workloads",
]

__version__, source_hash = _build()[:2]
