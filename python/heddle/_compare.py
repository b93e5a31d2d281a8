"""Designs side by side.

Points of a comparison run in processes of their own, which study/batch/pool.h forks. A process that forks must have no
other threads, and Python's has: numpy's, Jupyter's, the caller's. So this starts a fresh Python that imports nothing
but this package, whose modules import numpy only when they need it; that one calls `heddle compare` and forks.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from typing import Any, Dict, List, Optional, Sequence, Union

from . import _heddle
from ._error import Error, error
from ._machine import Machine, Settings, assignments
from ._result import Result
from ._run import StoreChoice, headers, store_file
from ._table import Table


class Comparison:
    """What ``compare`` has found: a table of all designs, and the results behind it.

    ``str()`` gives the tables of ``heddle compare``.

    >>> c = heddle.compare(["hotspot"], scale="tiny")
    >>> print(c)
    >>> c.table.where(design="DB")["speed_up"]
    """

    __module__ = "heddle"

    def __init__(self, told: Dict[str, Any], text: str, messages: str, store: str):
        self.text: str = text
        self.messages: str = messages
        self.json: Dict[str, Any] = told
        self._store = store

    @property
    def workloads(self) -> List[str]:
        """The workloads, by their own names."""
        return [w["name"] for w in self.json["workloads"]]

    @property
    def designs(self) -> List[str]:
        """The designs that were simulated; the first is the baseline. One that is the same machine as another, or cannot be
        built, is not among them: ``json["designs"]`` says why."""
        return list(dict.fromkeys(r["design"] for r in self.json["results"]))

    @property
    def simulated(self) -> int:
        """How many points were simulated now."""
        return self.json["points"]["simulated"]

    @property
    def from_store(self) -> int:
        """How many points were in the store."""
        return self.json["points"]["from_store"]

    @property
    def failures(self) -> Dict[str, str]:
        """What could not be built or simulated, and why: ``{"hotspot DB": "..."}``; designs that a machine cannot have, too."""
        failed = {d["name"]: d["refused"] for d in self.json["designs"] if "refused" in d}
        for r in self.json["results"]:
            missing = r["metrics"]["speed"]["value"].get("missing")
            if missing:
                failed[f"{r['workload']} {r['design']}"] = missing
        return failed

    @property
    def units(self) -> Dict[str, str]:
        """The units of the table's columns."""
        units = {m["id"]: m["unit"] for m in self.json["metrics"]}
        return {"cycles": units.pop("speed"), "speed_up": "%", **units}

    @property
    def table(self) -> Table:
        """A row per workload and design: workload, design, cycles, speed_up (per cent, in time, against the baseline), then the
        other numbers of ``heddle compare`` (``units`` has their units) and their changes in per cent (``energy_change``).

        With ``perturbations`` they are means of the runs. None: there is no result.
        """
        rows = self.json["results"]
        number = lambda r, metric, kind: r["metrics"][metric][kind].get("mean")  # noqa: E731
        t = Table(workload=[r["workload"] for r in rows], design=[r["design"] for r in rows])
        for m in self.json["metrics"]:
            level, change = ("cycles", "speed_up") if m["id"] == "speed" else (m["id"], m["id"] + "_change")
            t[level] = [number(r, m["id"], "value") for r in rows]
            t[change] = [number(r, m["id"], "change_percent") for r in rows]
        return t

    def result(self, workload: str, design: str, perturbation: str = "") -> Result:
        """One of the results, from the store.

        >>> heddle.compare(["hotspot"], scale="tiny").result("hotspot", "DB").funnel
        """
        from ._store import Store

        same = {d["name"]: d["same_as"] for d in self.json["designs"] if "same_as" in d}
        wanted = {"workload": workload, "design": same.get(design, design), "perturbation": perturbation}
        for point in self.json["keys"]:
            if all(point[k] == v for k, v in wanted.items()):
                return Store(self._store).result(point["key"])
        raise error(f"the comparison has no result of '{workload}' with '{design}'",
                    f"workloads: {', '.join(self.workloads)}; designs: {', '.join(self.designs)}")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"heddle.Comparison({', '.join(self.workloads)}: {', '.join(self.designs)})"


def compare(workloads: Union[str, Sequence[str]], designs: Union[None, str, Sequence[str]] = None,
            gpu: Union[str, os.PathLike, Machine, None] = None, *, scale: str = "small", seed: int = 1,
            set: Optional[Settings] = None, launch: Union[str, os.PathLike, None] = None, perturbations: int = 0,
            jobs: int = 0, store: StoreChoice = True, progress: bool = False) -> Comparison:
    """Designs side by side: ``heddle compare``.

    ``designs`` are names of the catalog (``designs()``), several joined (``"Sh40+WarpPool"``) or one's own
    (``"big:DB+ICC:cluster.icc.entries=160"``); the first is the baseline. None: the usual ones. ``perturbations``: further runs of
    each, for ranges. ``jobs``: processes at once; 0: as many as there are cores. Results go into ``store`` (True: the usual
    one), and what is there is not simulated again. ``progress`` tells on standard error which points are done.

    >>> c = heddle.compare(["hotspot", "srad"], designs=["baseline", "DB+ICC+CC"], scale="tiny")
    >>> print(c)
    >>> c.table.to_pandas().pivot(index="workload", columns="design", values="speed_up")

    A point that fails is in ``failures``, and a wrong result in ``messages``. Ctrl-C ends it; what was finished is kept.
    """
    if store is None or store is False:
        raise error("compare keeps its results in a store", "store=True is the usual one; or give a path")
    if isinstance(gpu, Machine):
        name, sets = gpu._core.gpu(), gpu._core.sets() + assignments(set)
    else:
        name, sets = "" if gpu is None else os.fspath(gpu), assignments(set)
    with tempfile.TemporaryDirectory(prefix="heddle-compare") as folder:
        request = {
            "workloads": [workloads] if isinstance(workloads, str) else [os.fspath(w) for w in workloads],
            "designs": [designs] if isinstance(designs, str) else list(designs or []),
            "gpu": name, "sets": sets, "launch": "" if launch is None else os.fspath(launch),
            "scale": scale, "seed": seed, "perturbations": perturbations, "jobs": jobs,
            "store": store_file(store), "json": os.path.join(folder, "compare.json"), "headers": headers(),
            "parent": os.getpid(), "error": os.path.join(folder, "error.json"),
        }
        out, err = _child(request, progress)
        if os.path.exists(request["error"]):
            with open(request["error"], encoding="utf-8") as f:
                raise Error(**json.load(f))
        if not os.path.exists(request["json"]):
            raise error(f"the comparison ended without a result:\n{err.strip()}")
        with open(request["json"], encoding="utf-8") as f:
            # What to type next is for a shell.
            return Comparison(json.load(f), out.split("\nNext:\n")[0], err, request["store"])


# In a session of its own: Ctrl-C in a terminal would reach it beside what is passed on.
def _child(request: Dict[str, Any], progress: bool):
    if not sys.executable:
        raise error("compare starts another Python, and this one does not know its own program", "set sys.executable")
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    code = f"import sys; sys.path.insert(0, {package!r}); from heddle import _compare; _compare._main()"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
    lines: List[str] = []

    def listen() -> None:
        for line in child.stderr:
            lines.append(line)
            if progress:
                sys.stderr.write(line)

    text: List[str] = []
    readers = [threading.Thread(target=listen), threading.Thread(target=lambda: text.append(child.stdout.read()))]
    for reader in readers:
        reader.start()
    try:
        child.stdin.write(json.dumps(request))
        child.stdin.close()
        child.wait()
    except BaseException:
        child.send_signal(signal.SIGINT)
        child.wait()
        raise
    finally:
        for reader in readers:
            reader.join()
        child.stdout.close()
        child.stderr.close()
    return "".join(text), "".join(lines)


def _main() -> None:
    """The life of that process. Until the command listens to Ctrl-C, that simply ends it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    request = json.load(sys.stdin)
    _heddle.end_with_parent(request.pop("parent"))
    error = request.pop("error")
    try:
        status = _heddle.compare(**request)
    except Error as e:
        with open(error + ".new", "w", encoding="utf-8") as f:
            json.dump({"text": str(e), "message": e.message, "advice": e.advice}, f)
        os.rename(error + ".new", error)
        status = 2
    sys.stdout.flush()
    os._exit(status)
