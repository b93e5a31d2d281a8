"""What a run has found."""

from __future__ import annotations

import json
import math
from functools import cached_property
from typing import Any, Dict, Iterator, List, Mapping, Optional

from ._error import NoSuchName, error
from . import _heddle
from ._table import Table

_PARTS = ("samples", "sum", "mean", "largest")


class Statistics(Mapping[str, Any]):
    """Statistics by name, as ``explain`` knows them; a mapping to numbers.

    A value that does not exist (0 / 0) is not a number (``math.nan``). A histogram is a dict; its parts have names of
    their own (``l1.miss_latency.mean``).

    >>> s = heddle.run("hotspot", scale="tiny").statistics
    >>> s["gpu.cycles"], s.unit("gpu.cycles"), s.about("gpu.cycles")
    >>> {name: value for name, value in s.items() if name.startswith("dram.")}
    """

    __module__ = "heddle"

    def __init__(self, described: Dict[str, Dict[str, Any]]):
        self._described = described
        self._values: Dict[str, Any] = {}
        for name, one in described.items():
            value = one["value"]
            self._values[name] = math.nan if value is None else value
            if isinstance(value, dict):
                for part in _PARTS:
                    self._values[f"{name}.{part}"] = math.nan if value[part] is None else value[part]

    def unit(self, name: str) -> str:
        """The unit of a statistic: ``"cycles"``; empty: it has none.

        >>> result.statistics.unit("dram.read_bytes")
        """
        return self._about(name).get("unit", "")

    def about(self, name: str) -> str:
        """What a statistic counts, in words.

        >>> result.statistics.about("l1.read_hit_rate")
        """
        return self._about(name)["description"]

    def table(self) -> Table:
        """All numbers with their units and descriptions as a table."""
        names = [n for n in self if not isinstance(self[n], dict)]
        return Table(name=names, value=[self[n] for n in names], unit=[self.unit(n) for n in names],
                     description=[self.about(n) for n in names])

    def _about(self, name: str) -> Dict[str, Any]:
        self[name]  # says which names there are
        return self._described[name] if name in self._described else self._described[name.rpartition(".")[0]]

    def __getitem__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise NoSuchName(_heddle.no_such_statistic(str(name), list(self._values))) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"heddle.Statistics({len(self)} values)"


class Funnel(Table):
    """Where global loads go, level by level: a table with the columns ``name``, ``unit``, ``by``, ``count``, ``could_merge``.

    ``by`` is what stands between a level and the one before it, ``could_merge`` how many of ``count`` asked for what was
    asked for at this place shortly before; None: nobody looked (``measure.funnel`` was off). ``places`` tells for each
    place where requests meet what was taken away and added there, and by what.

    >>> r = heddle.run("hotspot", scale="tiny", set={"measure.funnel": True})
    >>> print(r.funnel)
    >>> r.funnel.places[0]["removed"]
    """

    __module__ = "heddle"
    places: List[Dict[str, Any]]


class Series(Table):
    """What happened over time: a table with ``from`` and ``until`` in cycles, and a column per curve.

    ``about`` has the title, unit and group of every curve. A share or rate that does not exist in a sample is None.
    The counts themselves are in ``result.detail["series"]["counts"]``.

    >>> s = heddle.run("hotspot", scale="tiny").series
    >>> list(s.about)
    >>> matplotlib.pyplot.plot(s["until"], s["ipc"])
    """

    __module__ = "heddle"
    about: Dict[str, Dict[str, Any]]


class Result:
    """One run: how long it took, what was counted, whether its result was right.

    ``run()``, ``Store.result()``, ``Comparison.result()`` and ``Gpu.result()`` make them. ``result["gpu.cycles"]`` is
    short for ``result.statistics["gpu.cycles"]``.

    >>> r = heddle.run("hotspot", gpu="v100", scale="tiny")
    >>> r.cycles, r.verified, r["l1.read_hit_rate"]
    """

    __module__ = "heddle"

    def __init__(self, record: str, detail: str = "", from_store: bool = False):
        self._record = record
        self._detail = detail
        self.from_store: bool = from_store

    @cached_property
    def record(self) -> Dict[str, Any]:
        """The whole record, as docs/results.md describes it."""
        return json.loads(self._record)

    @cached_property
    def detail(self) -> Optional[Dict[str, Any]]:
        """Counters over time, where CTAs ran, traffic and banks, as docs/results.md describes it; None: not collected."""
        return json.loads(self._detail) if self._detail else self.record.get("detail")

    @cached_property
    def statistics(self) -> Statistics:
        """All statistics of the run, by name."""
        return Statistics(self.record["statistics"])

    def __getitem__(self, name: str) -> Any:
        return self.statistics[name]

    @property
    def workload(self) -> str:
        """The workload's name, or the file of a kernel."""
        return self.record["workload"]["name"]

    @property
    def gpu(self) -> str:
        """The machine as it was chosen: ``"v100"``."""
        return self.record["gpu"]["chosen"]

    @property
    def machine(self) -> str:
        """The machine's effective configuration as TOML."""
        return self.record["configuration"]

    @property
    def cycles(self) -> int:
        """Core cycles of all launches, launch overhead included."""
        return self.statistics["gpu.cycles"]

    @property
    def seconds(self) -> float:
        """The same in seconds of simulated time."""
        return self.statistics["gpu.picoseconds"] * 1e-12

    @property
    def verified(self) -> Optional[bool]:
        """Whether the kernels' result agrees with the reference; None: there was nothing to compare with."""
        verification = self.record["verification"]
        return None if verification is None or not verification["compared"] else verification["ok"]

    @property
    def complete(self) -> bool:
        """Whether it ran to its end."""
        return self.record.get("complete", True)

    @cached_property
    def kernels(self) -> Table:
        """A row per kernel, its launches added up: launches, cycles, warp instructions, occupancy."""
        all = self.record["kernels"]
        t = Table(kernel=[k["kernel"] for k in all])
        for column, name in (("launches", "gpu.launches"), ("cycles", "gpu.cycles"), ("warp_instructions", "sm.instructions")):
            t[column] = [k["statistics"].get(name) for k in all]
        for name in all[0]["occupancy"] if all else ():
            t[name] = [k["occupancy"][name] for k in all]
        return t

    @cached_property
    def launches(self) -> Table:
        """A row per launch, in order: kernel, start, cycles, ctas, warp_instructions."""
        names = ("kernel", "start", "cycles", "ctas", "warp_instructions")
        return Table({n: [launch[n] for launch in self.record["launches"]] for n in names})

    @cached_property
    def _members(self) -> Dict[str, Any]:
        return json.loads(_heddle.page_members(self._record, self._detail))

    @cached_property
    def funnel(self) -> Funnel:
        """Where global loads go, level by level."""
        if "funnel" not in self._members:
            raise error("another version of heddle made this record: its funnel cannot be computed")
        told = self._members["funnel"]
        f = Funnel({n: [level[n] for level in told["levels"]] for n in ("name", "unit", "by", "count")})
        f["could_merge"] = [level["could"] for level in told["levels"]]
        f.places = told["places"]
        return f

    @cached_property
    def series(self) -> Series:
        """What happened over time. Raises heddle.Error where it was not collected."""
        told = self._members.get("detail")
        if told is None:
            raise error("nothing was kept over time of this run", "run(..., detail=True) and Gpu(..., detail=True) keep it")
        s = Series({"from": told["series"]["from"], "until": told["series"]["until"]})
        s.update(told["series"]["values"])
        s.about = told["series_about"]
        return s

    @cached_property
    def energy(self) -> Dict[str, float]:
        """Joules by part: what events took (``"dram"``), what was on all the time (``"dram_static"``), ``"total"``."""
        prefix = "energy."
        return {n[len(prefix):]: v * 1e-12 for n, v in self.statistics.items() if n.startswith(prefix)}

    @property
    def power(self) -> float:
        """Watts of the whole card in the mean."""
        return self.energy["total"] / self.seconds

    @property
    def command(self) -> str:
        """The command that repeats the run; empty where its machine cannot be found any more."""
        return self._members["command"]

    def __repr__(self) -> str:
        right = {True: "verified", False: "WRONG RESULT", None: "nothing to compare with"}[self.verified]
        end = "" if self.complete else ", ended early"
        return f"heddle.Result({self.workload} on {self.gpu}: {self.cycles:,} cycles, {right}{end})"
