"""Tables as columns."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List


class Table(Dict[str, List[Any]]):
    """A table: a dict of columns, lists of one length.

    >>> t = heddle.Store().table(["gpu.cycles"], study="compare")
    >>> t["gpu.cycles"]
    [123536.0, 95934.0]
    >>> t.to_pandas().groupby("design").mean()
    """

    __module__ = "heddle"

    def rows(self) -> Iterator[Dict[str, Any]]:
        """Row after row, each as a dict.

        >>> [row["kernel"] for row in result.launches.rows()]
        """
        for values in zip(*self.values()):
            yield dict(zip(self, values))

    def count(self) -> int:
        """How many rows there are; ``len()`` counts columns, as of any dict."""
        return len(next(iter(self.values()), []))

    def where(self, **equal: Any) -> "Table":
        """The rows in which these columns have these values.

        >>> comparison.table.where(workload="hotspot", design="DB")
        """
        for name in equal:
            if name not in self:
                raise KeyError(f"the table has no column '{name}'; it has {', '.join(self)}")
        chosen = [i for i in range(self.count()) if all(self[k][i] == v for k, v in equal.items())]
        return Table({name: [column[i] for i in chosen] for name, column in self.items()})

    def to_pandas(self):
        """The same as a pandas.DataFrame. Needs pandas (Debian: python3-pandas).

        >>> store.table(["gpu.cycles"]).to_pandas()
        """
        try:
            import pandas
        except ImportError as e:
            raise ImportError("to_pandas() needs pandas (Debian: python3-pandas); the table itself is a dict of lists") from e
        return pandas.DataFrame(dict(self))

    def __str__(self) -> str:
        shown = _texts(self)
        if not shown:
            return "(empty table)"
        widths = [max(len(line[i]) for line in shown) for i in range(len(shown[0]))]
        return "\n".join("  ".join(text.ljust(w) for text, w in zip(line, widths)).rstrip() for line in shown)

    def _repr_html_(self) -> str:
        from html import escape

        head, *body = _texts(self) or [[]]
        cells = lambda tag, line: "".join(f"<{tag}>{escape(text)}</{tag}>" for text in line)  # noqa: E731
        rows = "".join(f"<tr>{cells('td', line)}</tr>" for line in body)
        return f"<table><thead><tr>{cells('th', head)}</tr></thead><tbody>{rows}</tbody></table>"


_MOST = 60  # rows that are shown


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.5g}"
    return str(value)


def _texts(table: Table) -> List[List[str]]:
    if not table:
        return []
    count = table.count()
    lines = [list(table)]
    lines += [[_text(column[i]) for column in table.values()] for i in range(min(count, _MOST))]
    if count > _MOST:
        lines.append([f"... {count - _MOST:,} more"] + [""] * (len(table) - 1))
    return lines
