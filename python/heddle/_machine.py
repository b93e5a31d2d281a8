"""Machines, and what there is by name."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from . import _heddle
from ._error import NoSuchName

Settings = Mapping[str, Any]


def _value(value: Any) -> str:
    """As --set takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(f'"{v}"' if isinstance(v, str) else _value(v) for v in value) + "]"
    if hasattr(value, "item"):  # a number of numpy's
        return _value(value.item())
    return value if isinstance(value, str) else repr(value)


def assignments(settings: Optional[Settings]) -> List[str]:
    return [f"{path}={_value(value)}" for path, value in (settings or {}).items()]


class Machine(Mapping[str, Any]):
    """A GPU by its description: a preset (``presets()``) or a TOML file, with parameters changed.

    ``set`` has parameters by name, as ``--set`` of the program; ``design`` a design of ``designs()`` or one's own
    (``"big:ICC:cluster.icc.entries=160"``), which is set before. A machine is a mapping of all its parameters.

    >>> m = heddle.Machine("v100", set={"l1.latency": 33, "sm.unified_l1": "64KiB"})
    >>> m["l1.latency"]
    33
    >>> print(m.describe())
    >>> heddle.run("hotspot", gpu=m)

    Raises heddle.Error for a name that there is not (with the nearest one), a value out of its range, and a parameter
    that has no effect on this machine.
    """

    __module__ = "heddle"

    def __init__(self, gpu: Union[str, os.PathLike, "Machine", None] = None, *, set: Optional[Settings] = None,
                 design: Optional[str] = None):
        if isinstance(gpu, Machine):
            if design is not None:
                raise TypeError("a design is chosen when a machine is made: Machine(name, design=...)")
            self._core = _heddle.Machine(gpu._core)
            self._core.set(assignments(set))
        else:
            self._core = _heddle.Machine("" if gpu is None else os.fspath(gpu), design or "", assignments(set))
        self._values: Optional[Dict[str, Any]] = None

    @property
    def name(self) -> str:
        """The preset or file that it comes from: ``"v100"``."""
        return self._core.name()

    def set(self, settings: Settings) -> "Machine":
        """Changes parameters and returns the machine. What is refused leaves it as it was.

        >>> heddle.Machine("clustered60").set({"l1.ways": 8})["l1.ways"]
        8
        """
        self._core.set(assignments(settings))
        self._values = None
        return self

    def describe(self) -> str:
        """The machine in text: picture, implementation per slot, peak rates, latencies (``heddle describe``)."""
        return self._core.describe()

    def toml(self, sources: bool = False) -> str:
        """The effective configuration, every value, as TOML: a file that makes the same machine.

        With ``sources`` a comment beside each value tells where it comes from (``heddle config``).

        >>> open("mine.toml", "w").write(machine.toml())
        """
        return self._core.toml(sources)

    def difference(self, other: Union[str, "Machine"]) -> Dict[str, Tuple[Any, Any]]:
        """The parameters in which two machines differ: here and there; None: it has no such parameter.

        >>> heddle.Machine("v100").difference("h200")["gpu.clusters"]
        (40, 8)
        """
        there = machine(other)
        paths = sorted(self.keys() | there.keys())
        pairs = {path: (self.get(path), there.get(path)) for path in paths}
        return {path: pair for path, pair in pairs.items() if pair[0] != pair[1]}

    def _all(self) -> Dict[str, Any]:
        if self._values is None:
            self._values = self._core.values()
        return self._values

    def __getitem__(self, path: str) -> Any:
        try:
            return self._all()[path]
        except KeyError:
            raise NoSuchName(self._core.no_such_parameter(str(path))) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        sets = self._core.sets()
        return f"heddle.Machine({self.name!r}{', set: ' + ', '.join(sets) if sets else ''})"


def machine(gpu: Union[str, os.PathLike, Machine, None], set: Optional[Settings] = None,
            design: Optional[str] = None) -> Machine:
    """The machine that an argument means."""
    if isinstance(gpu, Machine) and not set and design is None:
        return gpu
    return Machine(gpu, set=set, design=design)


def presets() -> Dict[str, str]:
    """The machines that come with Heddle: name and description.

    >>> heddle.presets()["v100"]
    """
    return _heddle.presets()


def workloads() -> Dict[str, str]:
    """The bundled workloads: name and what they do. One kernel of a program is ``"lud.2"``; names that papers use do, too.

    >>> list(heddle.workloads())
    """
    return _heddle.workloads()


def designs() -> Dict[str, str]:
    """The designs of the catalog, for ``compare`` and ``Machine``: name and what they change.

    >>> heddle.designs()["DB+ICC"]
    """
    return _heddle.designs()


def explain(name: str) -> str:
    """What a parameter or a statistic means, or all of those below a name.

    >>> print(heddle.explain("l1.ways"))
    >>> print(heddle.explain("dram"))
    """
    return _heddle.explanation(name)
