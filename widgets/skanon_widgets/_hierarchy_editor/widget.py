"""A widget to edit the hierarchy of one column."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any

import traitlets

from skanon._table.domain import ON_A_LINE
from skanon.exceptions import HierarchyError
from skanon.hierarchies import Hierarchy, Intervals
from skanon.hierarchies._builders import distinct
from skanon.hierarchies._files import as_hierarchy
from skanon_widgets._hierarchy_editor import wizards
from skanon_widgets._hierarchy_editor.difference import Difference, difference
from skanon_widgets._hierarchy_editor.document import Document
from skanon_widgets._hierarchy_editor.files import read_content, written_content
from skanon_widgets._hierarchy_editor.levels_table import TableEditing
from skanon_widgets._hierarchy_editor.summary import summary
from skanon_widgets._shared.widget import SkanonWidget, front_end, style_sheet

FRONT_END = (
    "_hierarchy_editor/hierarchy_ranges",
    "_hierarchy_editor/hierarchy_table",
    "_hierarchy_editor/hierarchy_wizards",
    "_hierarchy_editor/hierarchy_files",
    "_hierarchy_editor/hierarchy_editor",
)


class HierarchyEditor(SkanonWidget):
    """Edit the hierarchy of one column by mouse or keyboard.

    It shows one hierarchy as ranges (of numbers and dates), as a tree and as a table
    of levels, with one history over all of them.

    Of the column only the distinct values and their counts are kept. What the editor
    shows goes to the page as messages, so a saved notebook holds no value of the
    column, except in the static summary of the output: that names groups and values,
    as the hierarchy itself does.

    Parameters
    ----------
    values : Series, array or list, shape (n,)
        The column.
    hierarchy : Hierarchy, dict, str, path or None
        Where to begin, as in :func:`skanon.hierarchies.as_hierarchy`. None begins
        with all values directly under ``*``; for numbers and dates it is
        :class:`~skanon.hierarchies.Intervals`: any range.
    name : str or None
        The column's name; None takes the series' own.

    Attributes
    ----------
    revision : int
        Grows with every change: ``editor.observe(..., "revision")``.
    valid : bool
        Whether ``hierarchy`` can be had at this moment.

    Raises
    ------
    HierarchyError
        There is no value, or the hierarchy does not fit the column's kind.

    Examples
    --------
    >>> editor = HierarchyEditor(["Bern", "Basel", "Bonn"], name="town")
    >>> editor.edit("group", names=["Basel", "Bern"], name="CH")
    >>> editor.hierarchy.levels
    [['CH', 'CH', 'Bonn'], ['*', '*', '*']]
    >>> editor.undo()
    >>> editor.hierarchy
    Taxonomy(3 values, height 1, root '*')
    >>> age = HierarchyEditor([17, 25, 31, 58], name="age")
    >>> age.cut("add", text="30")
    >>> age.hierarchy.levels
    [['< 30', '< 30', '>= 30', '>= 30'], ['*', '*', '*', '*']]
    """

    _esm = front_end(*FRONT_END)
    _css = style_sheet(
        "_hierarchy_editor/hierarchy_editor", "_hierarchy_editor/hierarchy_views"
    )

    revision = traitlets.Int(0, read_only=True).tag(sync=True)
    valid = traitlets.Bool(True, read_only=True).tag(sync=True)

    def __init__(
        self, values: Any, hierarchy: Any = None, name: str | None = None
    ) -> None:
        domain = distinct(values)
        column = getattr(values, "name", None)
        self.name = str(name if name is not None else "" if column is None else column)
        given = None if hierarchy is None else as_hierarchy(hierarchy)
        if given is None and domain.kind in ON_A_LINE:
            given = Intervals()
        self._document = Document(domain, given)
        self._waiting: dict[Any, tuple[Hierarchy, str]] = {}
        super().__init__()
        self.set_trait("valid", not self._document.faults())

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy as it stands; raises HierarchyError with all that is wrong."""
        return self._document.hierarchy

    def to_code(self) -> str:
        """Write Python that rebuilds the hierarchy.

        Returns
        -------
        str

        Raises
        ------
        HierarchyError
            The hierarchy is not valid at this moment.
        """
        return self._document.to_code(self.name or None)

    def undo(self) -> None:
        """Take back the last change; raises HierarchyError if there is none."""
        self._do_undo()

    def redo(self) -> None:
        """Do again what was undone last; raises HierarchyError if nothing was."""
        self._do_redo()

    def edit(self, op: str, *, names: Any = None, **rest: Any) -> None:
        """Do what the widget's buttons do, from Python.

        Parameters
        ----------
        op : {"add", "add_value", "delete", "group", "insert_level", "merge", "move", \
"rename", "sort", "split"}
            One of the operations.
        names : list of str or None
            The nodes that it is about, by name.
        **rest : object
            What else the operation needs: ``name``, ``parent`` (a name), ``deep``,
            ``by``, ``text``.

        Raises
        ------
        HierarchyError
            The operation makes no sense; nothing has changed then.
        """
        if names is not None:
            rest["ids"] = [self._document.tree.id_of(name) for name in names]
        if isinstance(rest.get("parent"), str):
            rest["parent"] = self._document.tree.id_of(rest["parent"])
        if op in ("rename", "sort", "insert_level") and "ids" in rest:
            (rest["i"],) = rest.pop("ids")
        self._do_edit(op, rest)

    def build(self, maker: str, **answers: Any) -> None:
        """Replace the hierarchy by a builder's, as the wizards do.

        Parameters
        ----------
        maker : str
            A builder of :mod:`skanon.hierarchies`, such as ``"from_widths"``, or
            ``"Intervals"``, ``"Subsets"`` or ``"Suppression"``.
        **answers : str or list
            The wizard's fields as typed; what is absent is as suggested.

        Raises
        ------
        HierarchyError
            The answers make no hierarchy; nothing has changed then.
        """
        form = wizards.form(self._document.domain, maker, self._now())
        given = {field["name"]: field["value"] for field in form["fields"]}
        self._do_build(maker, given | answers)

    def cut(self, op: str, **args: Any) -> None:
        """Change the cut points of a column of numbers, dates or time spans.

        Parameters
        ----------
        op : {"add", "move", "remove", "lift", "merge"}
        **args : object
            ``text``, the cut point as typed; ``i``, which one; ``height``, how many
            levels it cuts; ``level``, which to merge with the next.
        """
        self._do_cut(op, args)

    def import_file(self, path: str | os.PathLike[str]) -> Difference:
        """Replace the hierarchy by a file's, as one step that can be undone.

        Parameters
        ----------
        path : str or path
            ARX's CSV, or JSON where it ends with ``.json``.

        Returns
        -------
        Difference
            What has changed.

        Raises
        ------
        HierarchyError
            The file is no hierarchy of this column; nothing has changed then.
        """
        path = Path(path)
        found, hierarchy = self._compared(path.name, path.read_bytes())
        self._tell(self._document.replace(hierarchy, f"Import {path.name}"))
        return found

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write the hierarchy to a file.

        Parameters
        ----------
        path : str or path
            For JSON where it ends with ``.json``, else for ARX's CSV.

        Raises
        ------
        HierarchyError
            The hierarchy is not valid at this moment, or CSV cannot hold it.
        """
        form = "json" if Path(path).suffix.lower() == ".json" else "csv"
        text = written_content(self.hierarchy, form)
        Path(path).write_bytes(text.encode("utf-8"))

    # what the front end asks for

    def _do_open(self, view: str | None = None, tree: bool | None = None) -> None:
        self._answer(self._document.state(tree=tree), view)

    def _answer(self, message: dict[str, Any], view: str | None) -> None:
        domain = self._document.domain
        about = {"view": view, "for": view, "name": self.name}
        self.send(message | about | {"offers": wizards.offers(domain)})

    def _do_edit(self, op: str, args: dict[str, Any], view: str | None = None) -> None:
        self._tell(self._document.edit(op, args), view)

    def _do_label(
        self, first: int, last: int, seek: str, view: str | None = None, **cell: Any
    ) -> None:
        rows = self._document.tree.rows(first, last + 1, seek)["rows"]
        args = {"ids": [row["id"] for row in rows]} | cell
        self._tell(self._document.edit("set_labels", args), view)

    def _do_rows(
        self, start: int, stop: int, seek: str, view: str, sort: bool | None = None
    ) -> None:
        if sort:
            self._document.tree.order(anew=True)
        rows = self._document.tree.rows(start, stop, seek)
        self.send({"kind": "rows", "view": view} | rows)

    def _do_ranges(self, view: str) -> None:
        self.send(self._document.ranges() | {"view": view})

    def _do_cut(
        self,
        op: str,
        args: dict[str, Any],
        trial: bool | None = None,
        view: str | None = None,
    ) -> None:
        done = self._document.cut(op, args, bool(trial))
        if trial:
            self.send(done | {"view": view})
        else:
            self._tell(done, view)

    def _do_undo(self, view: str | None = None) -> None:
        self._tell(self._document.undo(), view)

    def _do_redo(self, view: str | None = None) -> None:
        self._tell(self._document.redo(), view)

    def _do_wizard(self, name: str, view: str) -> None:
        form = wizards.form(self._document.domain, name, self._now())
        self.send({"kind": "wizard", "view": view} | form)

    def _do_try(self, name: str, answers: dict[str, Any], view: str) -> None:
        domain = self._document.domain
        try:
            shown = wizards.preview(domain, wizards.build(domain, name, answers)[0])
        except HierarchyError as error:
            shown = {"words": str(error), "levels": []}
        self.send({"kind": "preview", "view": view} | shown)

    def _do_build(
        self, name: str, answers: dict[str, Any], view: str | None = None
    ) -> None:
        try:
            built = wizards.build(self._document.domain, name, answers)
        except HierarchyError:
            if view is None:
                raise
            return self._do_try(name, answers, view)  # which says what is wrong
        self._tell(self._document.replace(*built), view)

    def _do_import(self, name: str, data: str, view: str) -> None:
        found, hierarchy = self._compared(name, base64.b64decode(data))
        self._waiting[view] = (hierarchy, f"Import {name}")
        told = "This is what would change." if not found.same else "Nothing changes."
        about = {"kind": "difference", "view": view, "name": name, "words": told}
        self.send(about | {"parts": found.parts()})

    def _do_take(self, view: str) -> None:
        self._tell(self._document.replace(*self._waiting.pop(view)), view)

    def _do_export(self, form: str, view: str) -> None:
        # ARX's own names end so, and the labextension knows them by it
        name = f"data_hierarchy_{self.name or 'column'}.{form}"
        text = written_content(self.hierarchy, form)
        self.send({"kind": "file", "view": view, "name": name, "text": text})

    def _compared(self, name: str, content: bytes) -> tuple[Difference, Hierarchy]:
        hierarchy = read_content(name, content)
        before = self._document.model
        if not isinstance(before, TableEditing):
            before = self.hierarchy
        return difference(self._document.domain, before, hierarchy), hierarchy

    def _now(self) -> Hierarchy | None:
        """Give the present hierarchy, if it is one at this moment."""
        return None if self._document.faults() else self.hierarchy

    def _tell(self, message: dict[str, Any], view: str | None = None) -> None:
        self.send({"view": view, "for": None, "name": self.name} | message)
        self.set_trait("valid", not message["faults"])
        if not message.get("same"):
            self.set_trait("revision", self.revision + 1)

    def _summary(self) -> str:
        return summary(self._document, self.name)

    @property
    def _editing(self) -> TableEditing:
        return self._document.tree

    def __repr__(self) -> str:
        """Name the column."""
        return f"HierarchyEditor(name={self.name!r})"
