"""Tables as NumPy columns."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _slipstick

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["Table"]

#: Rows that a notebook shows at most.
_SHOWN = 20


class Table:
    """Named columns of equal length: numbers, flags, texts.

    ``table["x_max"]`` and ``table.x_max`` are the column as an array. Numbers and flags are views of the memory that
    the table was read into, bit for bit what its file says, and read-only. As of a data frame, ``len`` counts the rows,
    and a loop runs over the names of the columns.
    """

    def __init__(self, table: _slipstick.Table) -> None:
        self._table = table
        self._columns: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        column = self._columns.get(name)
        if column is None:
            if self._table.kind(name) == "text":
                column = np.array(self._table.texts(name), dtype=np.str_)
                column.flags.writeable = False
            else:
                column = np.asarray(self._table.column(name))
            self._columns[name] = column
        return column

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._table.names)

    def __len__(self) -> int:
        return len(self._table)

    def __contains__(self, name: object) -> bool:
        return name in self._table.names

    @property
    def columns(self) -> list[str]:
        """The names of the columns in order."""
        return self._table.names

    def keys(self) -> list[str]:
        """The names of the columns in order, so that ``dict(table)`` has all of them."""
        return self._table.names

    def row(self, index: int) -> dict[str, Any]:
        """The cells of a row by the names of their columns."""
        return {name: self[name][index].item() for name in self}

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in self.columns if name.isidentifier())]

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a data frame of pandas."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in self})

    def to_arrow(self) -> pyarrow.Table:
        """The table as one of Arrow's; numbers are not copied."""
        import pyarrow

        return pyarrow.table({name: pyarrow.array(self[name]) for name in self})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Arrow's interface between libraries, by which polars and others read the table:
        ``polars.DataFrame(table)``."""
        try:
            source: Any = self.to_arrow()
        except ImportError:
            # Who has no pyarrow but asks for a stream mostly is polars.
            import polars

            source = polars.DataFrame({name: self[name] for name in self})
        return source.__arrow_c_stream__(requested_schema)

    def to_csv(self) -> str:
        """The text of the table's file."""
        return self._table.to_csv()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        return html_table(self, self.columns)


def html_table(table: Table, names: list[str]) -> str:
    """Some columns of a table for a notebook."""

    def cell(value: Any) -> str:
        if isinstance(value, (float, np.floating)):
            return "" if np.isnan(value) else f"{value:.9g}"
        return html.escape(str(value))

    shown = min(len(table), _SHOWN)
    columns = [table[name] for name in names]
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{cell(column[row])}</td>" for column in columns) + "</tr>" for row in range(shown)
    )
    rest = f"<p>… {len(table) - shown} more rows</p>" if len(table) > shown else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"
