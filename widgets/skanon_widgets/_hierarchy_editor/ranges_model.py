"""Ranges between cut points while they are being changed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from skanon._table.domain import Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import Taxonomy, from_cut_points
from skanon.hierarchies._ranges import _point_texts, _range_labels
from skanon_widgets._hierarchy_editor.axis import Axis

Points = tuple[tuple[Any, int], ...]
"""Cut points in ascending order, each with the number of levels that it cuts."""

MOST_LEVELS = 20

OPERATIONS = ("add", "move", "remove", "lift", "merge")


class Ranges:
    """Levels of ranges between cut points, with undo and redo.

    A coarser level may only drop cut points of the finer one, so a cut point has a
    *height*: it cuts the levels 1 to that. Whatever the heights are, the levels nest.

    Parameters
    ----------
    domain : Domain
        Of numbers, dates or time spans.
    points : iterable of (scalar, int)
        Cut points and their heights.
    extra : sequence
        Values that the hierarchy covers and the column does not hold.
    axis : Axis or None
        The column's, if it is there already.

    Attributes
    ----------
    tree : Editing or None
        Room for the same hierarchy as a tree.

    Examples
    --------
    >>> import pandas as pd
    >>> domain, _ = Domain.learn(pd.Series([17, 25, 25, 40, 90]), "age")
    >>> age = Ranges(domain, [(30, 1)])
    >>> age.add(text="60")
    'Add the cut point 60.'
    >>> age.lift(1, 2)
    'Cut level 2 at 60, too.'
    >>> age.cuts
    [[30, 60], [60]]
    """

    def __init__(
        self,
        domain: Domain,
        points: Iterable[tuple[Any, int]],
        extra: Any = (),
        axis: Axis | None = None,
    ) -> None:
        self.domain, self.extra = domain, extra
        self.axis = axis or Axis(domain)
        self.points: Points = _packed(points)
        self.undoing: list[tuple[str, Points]] = []
        self.redoing: list[tuple[str, Points]] = []
        self.tree: Any = None
        self._nudged: Any = None

    # what it holds

    @property
    def cuts(self) -> list[list[Any]]:
        """The cut points of each level, the finest first."""
        return _cuts(self.points)

    @property
    def values(self) -> pd.Series:
        """The values that the hierarchy covers."""
        own = pd.Series(self.domain.values)
        return pd.concat([own, pd.Series(self.extra)]) if len(self.extra) else own

    @property
    def hierarchy(self) -> Taxonomy:
        """The hierarchy as it stands."""
        return from_cut_points(self.values.rename(self.domain.name), *self.cuts)

    def view(self, points: Points | None = None) -> dict[str, Any]:
        """Tell the levels, range by range, and how many records each range holds.

        Parameters
        ----------
        points : tuple or None
            Other points than those that it has, to try them.
        """
        points = self.points if points is None else points
        return view(self.axis, points)

    # operations

    def add(self, at: float | None = None, text: Any = None, height: int = 1) -> str:
        """Add a cut point, at a place or as typed; returns what was done."""
        return self._do(*self.tried("add", at=at, text=text, height=height))

    def move(self, i: int, at: Any = None, text: Any = None, by: Any = None) -> str:
        """Move a cut point to a place, to what was typed, or by some steps."""
        label, points = self.tried("move", i=i, at=at, text=text, by=by)
        return self._do(label, points, nudged=i if by is not None else None)

    def remove(self, i: int) -> str:
        """Remove a cut point, which joins the ranges on both of its sides."""
        return self._do(*self.tried("remove", i=i))

    def lift(self, i: int, height: int) -> str:
        """Let a cut point cut more levels or fewer."""
        return self._do(*self.tried("lift", i=i, height=height))

    def merge(self, level: int) -> str:
        """Make one level of a level and the next coarser one."""
        return self._do(*self.tried("merge", level=level))

    def tried(self, op: str, **args: Any) -> tuple[str, Points]:
        """Do an operation for trial.

        Returns
        -------
        label : str
        points : tuple
            The points as they would be.

        Raises
        ------
        HierarchyError
            The operation makes no sense.
        """
        if op not in OPERATIONS:
            raise HierarchyError(
                f"{op!r} is no operation on cut points. There are "
                f"{', '.join(OPERATIONS)}."
            )
        return getattr(self, f"_{op}")(**args)

    def do(self, op: str, **args: Any) -> str:
        """Do an operation by its name, as :meth:`tried` does; says what was done."""
        if op not in OPERATIONS:
            self.tried(op)
        return getattr(self, op)(**args)

    def _add(
        self, at: float | None = None, text: Any = None, height: int = 1
    ) -> tuple[str, Points]:
        point = self.axis.read(text) if text is not None else self.axis.point(at or 0)
        if any(point == other for other, _ in self.points):
            raise HierarchyError(f"There is a cut point at {_text(point)} already.")
        points = [*self.points, (point, self._height(height))]
        return f"Add the cut point {_text(point)}", _packed(points)

    def _move(
        self, i: int, at: Any = None, text: Any = None, by: Any = None
    ) -> tuple[str, Points]:
        point, height = self._point(i)
        if text is not None:
            to = self.axis.read(text)
            rest = [x for at, (x, _) in enumerate(self.points) if at != i]
            if bisect_left(rest, to) != i or to in rest:
                raise HierarchyError(
                    f"{_text(to)} is not between the neighbouring cut points. Type "
                    "something that is, or remove those first."
                )
        elif by in ("low", "high"):
            to = self.bounds(i)[by == "high"]
        else:
            low, high = self.bounds(i)
            to = self.axis.point(at) if by is None else self.axis.nudge(point, int(by))
            to = min(max(to, low), high)
        moved = [*self.points[:i], (to, height), *self.points[i + 1 :]]
        return f"Move the cut point {_text(point)} to {_text(to)}", _packed(moved)

    def bounds(self, i: int) -> tuple[Any, Any]:
        """Give the lowest and the highest point that a cut point may move to."""
        axis, last = self.axis, len(self.points) - 1
        point = self.points[i][0]
        ends = axis.nudge(axis.line[0], 1), axis.line[-1]
        low = axis.nudge(self.points[i - 1][0], 1) if i else ends[0]
        high = axis.nudge(self.points[i + 1][0], -1) if i < last else ends[1]
        return min(low, point), max(high, point)

    def _remove(self, i: int) -> tuple[str, Points]:
        point, _ = self._point(i)
        if len(self.points) == 1:
            raise HierarchyError(
                "That is the last cut point. Choose 'Any range' under Build to do "
                "without cut points."
            )
        rest = self.points[:i] + self.points[i + 1 :]
        return f"Remove the cut point {_text(point)}", _packed(rest)

    def _lift(self, i: int, height: int) -> tuple[str, Points]:
        point, before = self._point(i)
        height = self._height(height)
        if height == before:
            raise HierarchyError(f"{_text(point)} cuts {before} levels already.")
        changed = [*self.points[:i], (point, height), *self.points[i + 1 :]]
        if height > before:
            return f"Cut level {height} at {_text(point)}, too", _packed(changed)
        return f"Cut level {height + 1} at {_text(point)} no more", _packed(changed)

    def _merge(self, level: int) -> tuple[str, Points]:
        n = max((height for _, height in self.points), default=0)
        if not 1 <= level < n:
            raise HierarchyError(
                f"There is no level {level + 1} to merge level {level} with."
            )
        merged = [(x, height - (height > level)) for x, height in self.points]
        return f"Merge the levels {level} and {level + 1}", _packed(merged)

    def _height(self, height: int) -> int:
        most = max((x for _, x in self.points), default=0) + 1
        if not 1 <= height <= min(most, MOST_LEVELS):
            raise HierarchyError(
                f"A cut point can cut 1 to {min(most, MOST_LEVELS)} levels, not "
                f"{height}. Remove it to cut none."
            )
        return height

    def _point(self, i: int) -> tuple[Any, int]:
        if not 0 <= i < len(self.points):
            raise HierarchyError("That cut point is not there any more.")
        return self.points[i]

    # history

    def undo(self) -> str:
        """Take back the last operation; raises HierarchyError if there is none."""
        return self._back(self.undoing, self.redoing, "undo", "Undone")

    def redo(self) -> str:
        """Do again what was undone last; raises HierarchyError if nothing was."""
        return self._back(self.redoing, self.undoing, "redo", "Done again")

    def _back(self, source: list, target: list, word: str, said: str) -> str:
        if not source:
            raise HierarchyError(f"There is nothing to {word}.")
        label, points = source.pop()
        target.append((label, self.points))
        self.points, self._nudged = points, None
        return f"{said}: {label}."

    def _do(self, label: str, points: Points, nudged: int | None = None) -> str:
        if points == self.points:
            return "The cut point stays where it is."
        self.redoing.clear()
        if nudged is not None and nudged == self._nudged and self.undoing:
            # steps by the arrow keys are one operation, as one drag is
            start = dict(enumerate(self.undoing[-1][1]))[nudged][0]
            to = points[nudged][0]
            label = f"Move the cut point {_text(start)} to {_text(to)}"
            self.undoing[-1] = (label, self.undoing[-1][1])
        else:
            self.undoing.append((label, self.points))
        self._nudged = nudged
        self.points = points
        return f"{label}."


def view(axis: Axis, points: Points) -> dict[str, Any]:
    """Describe a line, its histogram, its cut points and the ranges of each level."""
    texts = _point_texts([point for point, _ in points]) if points else []
    total = np.concatenate([[0], np.cumsum(axis.counts)])
    stops = [bisect_left(axis.line, point) for point, _ in points]
    height = max((height for _, height in points), default=0)
    levels = []
    for level in range(1, height + 1):
        at = [k for k, (_, height) in enumerate(points) if height >= level]
        ends = [0, *(stops[k] for k in at), len(axis.line)]
        places = [0.0, *(_within(axis.place(points[k][0])) for k in at), 1.0]
        labels = _range_labels([texts[k] for k in at])
        levels.append(
            [
                {
                    "label": label,
                    "from": places[k],
                    "to": places[k + 1],
                    "values": ends[k + 1] - ends[k],
                    "records": int(total[ends[k + 1]] - total[ends[k]]),
                }
                for k, label in enumerate(labels)
            ]
        )
    return {
        "bars": axis.bars(),
        "ticks": axis.ticks(),
        "points": [
            {"x": _within(axis.place(point)), "text": text, "height": height}
            for (point, height), text in zip(points, texts, strict=True)
        ],
        "levels": levels,
    }


def _within(place: float) -> float:
    return min(max(place, 0.0), 1.0)


def _packed(points: Iterable[tuple[Any, int]]) -> Points:
    """Sort the points, and leave out levels that cut where the finer one does."""
    ordered = sorted(points)
    used = sorted({height for _, height in ordered})
    rank = {height: at for at, height in enumerate(used, start=1)}
    return tuple((point, rank[height]) for point, height in ordered)


def _cuts(points: Points) -> list[list[Any]]:
    heights = range(1, max((height for _, height in points), default=0) + 1)
    return [[x for x, height in points if height >= level] for level in heights]


def _text(point: Any) -> str:
    return _point_texts([point])[0]


def heights(*cuts: Iterable[Any]) -> list[tuple[Any, int]]:
    """Turn the cut points of each level into points with heights.

    Examples
    --------
    >>> heights([20, 30, 60], [30])
    [(20, 1), (30, 2), (60, 1)]
    """
    levels = [list(level) for level in cuts]
    return [(x, sum(x in level for level in levels)) for x in levels[0]]
