"""A column's hierarchy of whatever form, with one history over all its forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from skanon._table.domain import ON_A_LINE, Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import Hierarchy, Intervals, Suppression, Taxonomy
from skanon_widgets._hierarchy_editor.axis import Axis
from skanon_widgets._hierarchy_editor.code import code_of
from skanon_widgets._hierarchy_editor.history import History
from skanon_widgets._hierarchy_editor.levels_table import TableEditing
from skanon_widgets._hierarchy_editor.ranges_model import Points, Ranges, view
from skanon_widgets._hierarchy_editor.recipes import Recipe, code_by
from skanon_widgets._hierarchy_editor.recognised import points_of

OPERATIONS = frozenset(
    {
        "add",
        "add_value",
        "delete",
        "drop_level",
        "group",
        "insert_level",
        "merge",
        "move",
        "rename",
        "set_labels",
        "sort",
        "split",
    }
)


@dataclass
class Entry:
    """One form that the hierarchy had, with all that was done to it.

    Attributes
    ----------
    model : TableEditing, Ranges or Hierarchy
        A tree, cut points, or a hierarchy with nothing in it to edit.
    label : str
        What made it of the form before.
    implied : bool
        The form changed only because of what was done next: one step for the user.
    recipe : Recipe or None
        What built it.
    """

    model: TableEditing | Ranges | Hierarchy
    label: str = ""
    implied: bool = False
    recipe: Recipe | None = None


class Document:
    """One hierarchy, seen as ranges, as a tree and as a table.

    Each operation returns the message that tells the front end: a ``"patch"`` of the
    tree, or a ``"state"`` where more has changed.

    Parameters
    ----------
    domain : Domain
    hierarchy : Hierarchy or None
        Where to begin; None is all values under ``*``.
    """

    def __init__(self, domain: Domain, hierarchy: Hierarchy | None = None) -> None:
        self.domain = domain
        self._axis: Axis | None = None
        self.entries = [Entry(self._model(hierarchy))]
        self.at = 0

    def _model(self, hierarchy: Hierarchy | None) -> TableEditing | Ranges | Hierarchy:
        if hierarchy is None or isinstance(hierarchy, Taxonomy | Suppression):
            return TableEditing(self.domain, hierarchy)
        hierarchy.bind(self.domain)
        return hierarchy

    # what it holds

    @property
    def entry(self) -> Entry:
        """The form that the hierarchy has now."""
        return self.entries[self.at]

    @property
    def model(self) -> TableEditing | Ranges | Hierarchy:
        """The form's model."""
        return self.entry.model

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy as it stands; raises HierarchyError with all that is wrong."""
        model = self.model
        return model if isinstance(model, Hierarchy) else model.hierarchy

    @property
    def tree(self) -> TableEditing:
        """The hierarchy as a tree.

        Raises
        ------
        HierarchyError
            It is a form without one.
        """
        model = self.model
        if isinstance(model, Hierarchy):
            raise HierarchyError(f"{model!r} has no tree that could be edited.")
        if isinstance(model, TableEditing):
            return model
        if model.tree is None:
            model.tree = TableEditing(self.domain, model.hierarchy)
        return model.tree

    @property
    def axis(self) -> Axis | None:
        """The column's line, if its values have one."""
        if self._axis is None and self.domain.kind in ON_A_LINE:
            self._axis = Axis(self.domain)
        return self._axis

    def faults(self) -> list[dict[str, Any]]:
        """Say what is wrong, as :meth:`History.faults` does."""
        return self.model.faults() if isinstance(self.model, History) else []

    def to_code(self, name: object = None) -> str:
        """Write Python that rebuilds the hierarchy."""
        model, recipe = self.model, self.entry.recipe
        if isinstance(model, Ranges):
            recipe = Recipe("from_cut_points", model.values.tolist(), tuple(model.cuts))
        elif isinstance(model, TableEditing) and model.edited:
            recipe = None
        hierarchy = self.hierarchy
        return code_by(recipe, hierarchy, name) if recipe else code_of(hierarchy, name)

    # what the front end is told

    def state(self, said: str = "", tree: bool | None = None) -> dict[str, Any]:
        """Tell everything to a view.

        Parameters
        ----------
        said : str
            What has just been done.
        tree : bool or None
            Whether with all nodes of the tree; None leaves them away where the view
            that is in front is likely another one.
        """
        model = self.model
        whole = isinstance(model, TableEditing) if tree is None else tree
        message: dict[str, Any] = {"kind": "state", "said": said}
        if whole and not isinstance(model, Hierarchy):
            message |= self.tree.state()
        if isinstance(model, Ranges):
            message["ranges"] = self.ranges()
        return message | self.status()

    def status(self) -> dict[str, Any]:
        """Tell the form, the faults, the numbers, and what undo and redo would do."""
        model = self.model
        fixed = model if isinstance(model, Hierarchy) else None
        if isinstance(model, History):
            facts = model.facts()
        else:
            missing = self.domain.n_missing
            facts = {
                "values": len(self.domain),
                "groups": 0,
                "levels": 0,
                "records": int(self.domain.counts.sum()) + missing,
                "missing": missing,
            }
        if isinstance(model, Ranges):
            facts["groups"] = sum(len(level) + 1 for level in model.cuts)
            facts["levels"] = len(model.cuts) + 1
        return {
            "fixed": fixed and repr(fixed),
            "about": fixed and words(fixed),
            "line": self.domain.kind in ON_A_LINE,
            "faults": self.faults(),
            "facts": facts,
            "undo": self._label("undo"),
            "redo": self._label("redo"),
        }

    def _label(self, word: str) -> str | None:
        stack = _stack(self.model, word)
        if stack:
            return stack[-1][0]
        if word == "undo":
            return self.entry.label if self.at else None
        if self.at + 1 == len(self.entries):
            return None
        after = self.entries[self.at + 1]
        return _stack(after.model, "redo")[-1][0] if after.implied else after.label

    def ranges(self, trial: tuple[str, Points] | None = None) -> dict[str, Any]:
        """Tell the ranges, by the cut points that the hierarchy has or amounts to."""
        axis = self.axis
        if axis is None:
            raise HierarchyError("The column's values have no line to cut.")
        model, why = self.model, ""
        points: Points = ()
        names: list[list[str]] = []
        if trial is not None:
            points = trial[1]
        elif isinstance(model, Ranges):
            points = model.points
        elif isinstance(model, Hierarchy):
            why = "There is no cut point yet."
        else:
            points, why, _, names = points_of(self.domain, self._valid())
        shown = view(axis, points)
        for level, labels in zip(shown["levels"], names, strict=False):
            for part, label in zip(level, labels, strict=True):
                part["label"] = label
        if not points:
            why += " Click into the histogram, or add a cut point, to make ranges"
            told = isinstance(model, TableEditing) and model.facts()["groups"]
            why += " in place of these groups." if told else "."
        return {"kind": "ranges", "why": why, **shown}

    def _valid(self) -> Hierarchy | str:
        try:
            return self.hierarchy
        except HierarchyError as error:
            return str(error)

    # operations

    def edit(self, op: str, args: dict[str, Any]) -> dict[str, Any]:
        """Do an operation of the tree or the table."""
        if op not in OPERATIONS:
            raise HierarchyError(f"{op!r} is no operation of the editor.")
        model, tree = self.model, self.tree
        patch = getattr(tree, op)(**args)
        if model is tree:
            del self.entries[self.at + 1 :]
            return {"kind": "patch"} | patch | self._labels()
        assert isinstance(model, Ranges)
        model.tree = None  # it has a life of its own now
        self._push(Entry(tree, patch["said"], implied=True))
        return self.state(patch["said"])

    def cut(self, op: str, args: dict[str, Any], trial: bool = False) -> dict[str, Any]:
        """Do an operation on cut points, or tell what it would lead to.

        Where the cut points stay as they are, the message has ``"same"``, and what
        could be done again still can.
        """
        model = self.model
        fresh = not isinstance(model, Ranges)
        ranges = model if isinstance(model, Ranges) else self._as_ranges()
        if trial:
            return self.ranges(ranges.tried(op, **args))
        points = ranges.points
        said = ranges.do(op, **args)
        before = [point for point, _ in points]
        new = (i for i, (x, _) in enumerate(ranges.points) if x not in before)
        at = next(new, args.get("i"))
        told = {} if at is None else {"point": at}
        if ranges.points == points:
            return self.state(said) | told | {"same": True}
        ranges.tree = None
        if fresh:
            self._push(Entry(ranges, said, implied=True))
        else:
            del self.entries[self.at + 1 :]
        return self.state(said) | told

    def _as_ranges(self) -> Ranges:
        if self.domain.kind not in ON_A_LINE:
            raise HierarchyError("Cut points need numbers, dates or time spans.")
        if isinstance(self.model, Hierarchy):
            return Ranges(self.domain, (), axis=self.axis)
        points, _, extra, _ = points_of(self.domain, self._valid())
        return Ranges(self.domain, points, extra, axis=self.axis)

    def replace(
        self, hierarchy: Hierarchy, label: str, recipe: Recipe | None = None
    ) -> dict[str, Any]:
        """Put another hierarchy in the place of this one, as one step.

        Parameters
        ----------
        hierarchy : Hierarchy
        label : str
            What was done, for people.
        recipe : Recipe or None
            What built it.
        """
        self._push(Entry(self._model(hierarchy), label, recipe=recipe))
        return self.state(f"{label}.")

    def _push(self, entry: Entry) -> None:
        _stack(self.model, "redo").clear()
        self.entries[self.at + 1 :] = [entry]
        self.at += 1

    def undo(self) -> dict[str, Any]:
        """Take back the last step; raises HierarchyError if there is none."""
        model = self.model
        if not isinstance(model, Hierarchy) and _stack(model, "undo"):
            done = model.undo()
            if self.entry.implied and not _stack(model, "undo"):
                self.at -= 1
                return self.state(_said(done))
            return self._told(done)
        if not self.at:
            raise HierarchyError("There is nothing to undo.")
        label = self.entry.label
        self.at -= 1
        return self.state(f"Undone: {label}.")

    def redo(self) -> dict[str, Any]:
        """Do again what was undone last; raises HierarchyError if nothing was."""
        model = self.model
        if not isinstance(model, Hierarchy) and _stack(model, "redo"):
            return self._told(model.redo())
        if self.at + 1 == len(self.entries):
            raise HierarchyError("There is nothing to redo.")
        self.at += 1
        model = self.model
        if self.entry.implied and not isinstance(model, Hierarchy):
            return self.state(_said(model.redo()))
        return self.state(f"Done again: {self.entry.label}.")

    def _told(self, done: dict[str, Any] | str) -> dict[str, Any]:
        if isinstance(done, str):
            model = self.model
            assert isinstance(model, Ranges)
            model.tree = None
            return self.state(done)
        return {"kind": "patch"} | done | self._labels()

    def _labels(self) -> dict[str, Any]:
        return {"undo": self._label("undo"), "redo": self._label("redo")}


def _said(done: dict[str, Any] | str) -> str:
    return done if isinstance(done, str) else done["said"]


def _stack(model: Any, word: str) -> list:
    if isinstance(model, Ranges):
        return model.undoing if word == "undo" else model.redoing
    if isinstance(model, History):
        return model._undo if word == "undo" else model._redo
    return []


def words(hierarchy: Hierarchy) -> str:
    """Say what a hierarchy without groups allows.

    Examples
    --------
    >>> from skanon.hierarchies import Intervals
    >>> words(Intervals())
    'Any range of the values may be published: Intervals().'
    """
    what = "range" if isinstance(hierarchy, Intervals) else "set"
    return f"Any {what} of the values may be published: {hierarchy!r}."
