"""Results that are there: the store, and archives of studies."""

from __future__ import annotations

import os
from typing import List, Optional, Sequence, Union

from . import _heddle
from ._result import Result
from ._table import Table


class Store:
    """Finished points in a file, as ``heddle compare`` and ``heddle study`` keep them (docs/results.md).

    Without a path: the usual one (``$HEDDLE_STORE``, ``$HEDDLE_HOME/results``, ``~/.local/share/heddle``). Several programs may
    use it at once, also while a study runs.

    >>> s = heddle.Store()
    >>> s.points(study="icc")
    >>> s.table(["gpu.cycles", "l1.read_hit_rate"], study="icc", design="DB+ICC").to_pandas()
    """

    __module__ = "heddle"

    def __init__(self, path: Union[str, os.PathLike, None] = None):
        self._core = _heddle.Store("" if path is None else os.fspath(path))

    @property
    def path(self) -> str:
        """Its file."""
        return self._core.file()

    def points(self, *, study: Optional[str] = None, design: Optional[str] = None, workload: Optional[str] = None,
               gpu: Optional[str] = None, newest: bool = True) -> Table:
        """What is there, oldest first: a row per point and what it was run for.

        Columns: key, study, design, perturbation, workload, scale, seed, gpu, source, finished, verified, cpu_seconds.
        ``newest``: of results for the same input, machine, study, design and perturbation only the last; several sources
        of Heddle may have made them. Raises heddle.Error, with the nearest name, when nothing matches.

        >>> heddle.Store().points(study="compare", workload="hotspot")["key"]
        """
        return Table(self._core.points(study or "", design or "", workload or "", gpu or "", newest))

    def table(self, statistics: Union[str, Sequence[str]], *, study: Optional[str] = None, design: Optional[str] = None,
              workload: Optional[str] = None, gpu: Optional[str] = None, newest: bool = True, pandas: bool = False):
        """Statistics of what is there, as further columns of ``points()``. ``pandas``: as a DataFrame.

        A value that does not exist (0 / 0) is not a number.

        >>> t = heddle.Store().table(["gpu.cycles", "l1.read_hit_rate"], study="icc")
        >>> t["gpu.cycles"]
        """
        names = [statistics] if isinstance(statistics, str) else list(statistics)
        t = self.points(study=study, design=design, workload=workload, gpu=gpu, newest=newest)
        values = {key: self._core.values(key, names) for key in dict.fromkeys(t["key"])}
        for i, name in enumerate(names):
            t[name] = [values[key][i] for key in t["key"]]
        return t.to_pandas() if pandas else t

    def result(self, key: str) -> Result:
        """The result of a point, by its key or the first digits of it.

        >>> heddle.Store().result("7d4348").series
        """
        whole = self._core.key(key)
        return Result(self._core.record(whole), self._core.detail(whole), True)

    def __repr__(self) -> str:
        return f"heddle.Store({self.path!r})"


class Archive:
    """The archive of a study: every statistic of every point, without records and series. ``archive()`` opens one.

    >>> a = heddle.archive("icc", machine="first")
    >>> a.table(["gpu.cycles"], design="DB+ICC").to_pandas()
    """

    __module__ = "heddle"

    def __init__(self, core):
        self._core = core

    @property
    def path(self) -> str:
        """Its file."""
        return self._core.file()

    @property
    def study(self) -> str:
        """The study's name; of a further machine with that behind it: ``"icc@first"``."""
        return self._core.study()

    @property
    def statistics(self) -> List[str]:
        """The names of its statistics."""
        return self._core.statistics()

    def points(self, *, design: Optional[str] = None, workload: Optional[str] = None, gpu: Optional[str] = None) -> Table:
        """A row per run of the study: study, design, perturbation, workload, scale, seed, gpu, verified.

        >>> sorted(set(heddle.archive("icc", machine="first").points()["design"]))
        """
        return Table(self._core.table(design or "", workload or "", gpu or "", []))

    def table(self, statistics: Union[str, Sequence[str]], *, design: Optional[str] = None, workload: Optional[str] = None,
              gpu: Optional[str] = None, pandas: bool = False):
        """Statistics as further columns of ``points()``. ``pandas``: as a DataFrame.

        >>> heddle.archive("icc", machine="first").table(["gpu.cycles"], workload="hotspot")
        """
        names = [statistics] if isinstance(statistics, str) else list(statistics)
        t = Table(self._core.table(design or "", workload or "", gpu or "", names))
        return t.to_pandas() if pandas else t

    def __repr__(self) -> str:
        return f"heddle.Archive({self.path!r})"


def archive(study: Union[str, os.PathLike], scale: str = "paper", machine: Optional[str] = None) -> Archive:
    """Opens the archive of a study: by the study's name (in ``$HEDDLE_HOME/studies``), its folder, or the archive's own file.

    ``machine``: one of the study's further machines.

    >>> heddle.archive("icc", machine="first")
    >>> heddle.archive("studies/icc/archive/first-paper.json.zst")
    """
    return Archive(_heddle.Archive(os.fspath(study), scale, machine or ""))
