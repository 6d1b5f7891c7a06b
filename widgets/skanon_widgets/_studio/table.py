"""The studio's table: where it comes from, and what repairs make of it."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from skanon._table.containers import as_frame
from skanon.cleaning import Repair, clean, read_table, recognize_format
from skanon_widgets._studio.code import Preparation
from skanon_widgets._studio.words import INDEX_IS_LEFT_OUT


class StudioTable:
    """A table as it was given.

    Parameters
    ----------
    table : DataFrame of shape (n, n_columns)
    keep_index : bool
        Whether its index is published; else it is left out.
    source : str
        The file that it was read from; "" if it is not known.
    notes : sequence of dict
        What there is to say about it, with a ``"level"`` and a ``"text"`` each.

    Attributes
    ----------
    frame : DataFrame of shape (n, n_columns)
    notes : list of dict
    """

    def __init__(
        self,
        table: Any,
        keep_index: bool,
        source: str = "",
        notes: Sequence[dict[str, str]] = (),
    ) -> None:
        self.frame = as_frame(table).copy(deep=False)
        self.notes = list(notes)
        self._source = source
        self._drops_index = not keep_index and _has_own_index(table)
        if self._drops_index:
            self.frame = self.frame.reset_index(drop=True)
            self.notes.append({"level": "look", "text": INDEX_IS_LEFT_OUT})
        self._given = table if hasattr(table, "to_pandas") else self.frame
        self._cleaned: tuple[tuple[Repair, ...], pd.DataFrame] = ((), self.frame)

    @classmethod
    def read(
        cls,
        file: str | os.PathLike[str] | io.BytesIO,
        keep_index: bool,
        name: str | None = None,
    ) -> StudioTable:
        """Read a table from a file, or from the content of one of that name."""
        source = os.fspath(file) if name is None else name  # type: ignore[arg-type]
        called = Path(source).name
        found = recognize_format(file, name=called)
        table = read_table(file, found, name=called)
        note = {"level": "good", "text": f"{called} was read as {found}."}
        return cls(table, keep_index, source, [note])

    def cleaned(self, repairs: Sequence[Repair]) -> pd.DataFrame:
        """Repair the table; what was asked for last is remembered."""
        repairs = tuple(repairs)
        if repairs != self._cleaned[0]:
            self._cleaned = (repairs, clean(self.frame, repairs))
        return self._cleaned[1]

    def to_fit(self, repairs: Sequence[Repair]) -> Any:
        """Give what is fitted: of the given type where nothing is repaired."""
        return self.cleaned(repairs) if repairs else self._given

    def preparation(self, repairs: Sequence[Repair]) -> Preparation:
        """Say what is done to the table before it is anonymized."""
        return Preparation(self._source, self._drops_index, tuple(repairs))


def _has_own_index(table: Any) -> bool:
    return isinstance(table, pd.DataFrame) and not table.index.equals(
        pd.RangeIndex(len(table))
    )
