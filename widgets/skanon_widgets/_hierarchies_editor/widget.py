"""A widget to edit the hierarchies of a table's columns."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

import ipywidgets
import pandas as pd
import traitlets

from skanon._table.containers import as_frame
from skanon._table.domain import Domain
from skanon._table.roles import check_hierarchies
from skanon._table.schema import hierarchy_of
from skanon.exceptions import ColumnError, HierarchyError
from skanon.hierarchies import Hierarchy, Intervals, Subsets, Taxonomy
from skanon.hierarchies._text import leaf_texts
from skanon_widgets._hierarchy_editor.widget import HierarchyEditor
from skanon_widgets._shared.widget import SkanonWidget, front_end, style_sheet
from skanon_widgets._studio.code import code_of_all
from skanon_widgets._studio.words import KINDS

FORMS = {
    "ranges": "any range",
    "groups": "groups (a tree)",
    "sets": "any set of values",
}

_MAKERS = {"ranges": "Intervals", "groups": "Suppression", "sets": "Subsets"}

LARGE = 2000
"""Of taxonomies with more values, edited ones are not described in the list."""


class HierarchiesEditor(ipywidgets.VBox):
    """Edit the hierarchies of a table's columns, one at a time.

    A table lists the columns, what their values may become and whether that is valid;
    below it, the opened column's :class:`HierarchyEditor` is shown. Editors are made
    when their column is first opened.

    Parameters
    ----------
    frame : DataFrame of shape (n, n_columns)
        Of the columns only the distinct values and their counts are kept.
    hierarchies : mapping from column to hierarchy, or None
        Where to begin, as in :class:`skanon.KAnonymizer`; by default numbers, dates
        and ordered categories become intervals, the rest is suppressed.
    columns : list of columns, or None
        Which to list; None: all.

    Attributes
    ----------
    revision : int
        Grows with every change: ``editor.observe(..., "revision")``.

    Raises
    ------
    ColumnError, HierarchyError
        A column is unknown or cannot be read, or a hierarchy is none.

    Notes
    -----
    It is a box of widgets and not a widget that draws others: so JupyterLab itself
    takes care of several views, of showing it again and of saving.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [21, 22, 60], "town": ["Bern", "Basel", "Bonn"]})
    >>> editor = HierarchiesEditor(people)
    >>> editor.editor("town").edit("group", names=["Basel", "Bern"], name="CH")
    >>> editor.hierarchies
    {'age': Intervals(), 'town': Taxonomy(3 values, height 2, root '*')}
    """

    revision = traitlets.Int(0, read_only=True)

    def __init__(
        self, frame: Any, hierarchies: Any = None, columns: Iterable[Any] | None = None
    ) -> None:
        self._frame = as_frame(frame)
        self._first = check_hierarchies(self._frame.columns, hierarchies)
        self._given = dict(self._first)
        self._domains: dict[Any, Domain] = {}
        self._forms: dict[Any, str] = {}
        self._editors: dict[Any, HierarchyEditor] = {}
        self._words: dict[Any, tuple[Any, str]] = {}
        self._opened: Any = None
        self._columns: list[Any] = []
        self._list = _ColumnList(self)
        super().__init__([self._list])
        self.show_columns(self._frame.columns if columns is None else columns)

    # --------------------------------------------------------------------- columns

    @property
    def columns(self) -> list[Any]:
        """The columns that are listed."""
        return list(self._columns)

    def show_columns(self, columns: Iterable[Any]) -> None:
        """List other columns; what was edited in those that go is kept.

        Parameters
        ----------
        columns : iterable of columns

        Raises
        ------
        ColumnError
            A column is unknown, or cannot be read.
        """
        wanted = list(columns)
        for name in wanted:
            if name not in self._frame.columns:
                raise ColumnError(
                    f"{name!r} is not a column of the table. The columns are "
                    f"{list(self._frame.columns)}."
                )
            if name not in self._domains:
                self._take(name, Domain.learn(self._frame[name], name)[0])
        self._columns = wanted
        if self._opened not in wanted:
            self._opened = None
        self._arrange()
        self._changed()

    def show_table(self, frame: Any, columns: Iterable[Any]) -> None:
        """Take another table; what was edited in columns that are the same is kept.

        Parameters
        ----------
        frame : DataFrame of shape (n, n_columns)
        columns : iterable of columns
            Which to list.

        Raises
        ------
        ColumnError
            A column cannot be read; then nothing changes.
        """
        frame, wanted = as_frame(frame), list(columns)
        kept = {x for x in self._domains if _same_column(self._frame, frame, x)}
        learned = {x: Domain.learn(frame[x], x)[0] for x in wanted if x not in kept}
        self._frame = frame
        for name in set(self._domains) - kept:
            del self._domains[name]
            self._words.pop(name, None)
            self._given.pop(name, None)
            if name in self._first:
                self._given[name] = self._first[name]
            if name in self._editors:
                self._editors.pop(name).close()
        if self._opened not in kept:
            self._opened = None
        for name, domain in learned.items():
            self._take(name, domain)
        self.show_columns(wanted)

    def _take(self, name: Any, domain: Domain) -> None:
        self._given[name] = hierarchy_of(domain, self._given)
        self._domains[name] = domain
        self._forms[name] = form_of(self._given[name])

    # --------------------------------------------------------------------- editors

    @property
    def opened(self) -> Any:
        """The column whose editor is shown; None where none is."""
        return self._opened

    def show_editor(self, column: Any) -> None:
        """Show a column's editor.

        Parameters
        ----------
        column : column, or None
            None closes the editor that is shown.

        Raises
        ------
        ColumnError
            The column is not listed.
        HierarchyError
            The hierarchy that was given does not fit the column.
        """
        if column is not None:
            self.editor(column)
        self._opened = column
        self._arrange()
        self._list.tell()

    def editor(self, column: Any) -> HierarchyEditor:
        """Give the editor of a column, and make it if need be.

        Parameters
        ----------
        column : column

        Returns
        -------
        HierarchyEditor
        """
        if column not in self._columns:
            raise ColumnError(
                f"{column!r} is not listed. Listed are {self._columns}; "
                "show_columns lists others."
            )
        if column not in self._editors:
            self._editors[column] = self._make(column)
        return self._editors[column]

    def _make(self, column: Any) -> HierarchyEditor:
        given = self._given[column]
        try:
            editor = HierarchyEditor(self._frame[column], given, name=str(column))
        except HierarchyError as error:
            raise HierarchyError(_named(column, error)) from error
        editor.observe(lambda _change: self._edited(column, editor), "revision")
        return editor

    def _edited(self, column: Any, editor: HierarchyEditor) -> None:
        model = editor._document.model
        if isinstance(model, Hierarchy):
            self._forms[column] = form_of(model)
        else:  # `editor.hierarchy` would be built for it
            self._forms[column] = "groups"
        self._changed()

    def choose(self, column: Any, form: str) -> None:
        """Choose what kind of hierarchy a column has.

        Parameters
        ----------
        column : column
        form : {"ranges", "groups", "sets"}
            The column's editor is shown, and undoes it.

        Raises
        ------
        HierarchyError
            The column has no order, so that it cannot have ranges.
        """
        if form not in FORMS:
            raise HierarchyError(
                f"There is no kind {form!r}. Choose one of {', '.join(FORMS)}."
            )
        editor = self.editor(column)
        if form != self._forms[column]:
            try:
                editor.build(_MAKERS[form])
            except HierarchyError as error:
                raise HierarchyError(_named(column, error)) from error
            self._forms[column] = form
        self.show_editor(column)
        self._changed()

    # ------------------------------------------------------------------ hierarchies

    @property
    def hierarchies(self) -> dict[Any, Hierarchy]:
        """The listed columns' hierarchies; raises HierarchyError if one is wrong."""
        return {name: self._hierarchy(name) for name in self._columns}

    @property
    def valid(self) -> bool:
        """Whether ``hierarchies`` can be had at this moment."""
        return not any(self._fault(name) for name in self._columns)

    def to_code(self) -> str:
        """Write Python that rebuilds the hierarchies.

        Returns
        -------
        str

        Raises
        ------
        HierarchyError
            One is not valid at this moment; the message names the column.
        """
        return code_of_all(self.hierarchies)

    def _hierarchy(self, name: Any) -> Hierarchy:
        editor = self._editors.get(name)
        try:
            if editor is not None:
                return editor.hierarchy
            self._given[name].bind(self._domains[name])
        except HierarchyError as error:
            raise HierarchyError(_named(name, error)) from error
        return self._given[name]

    def _fault(self, name: Any) -> str:
        editor = self._editors.get(name)
        if editor is not None and editor.valid:  # no need to build a large tree
            return ""
        try:
            self._hierarchy(name)
        except HierarchyError as error:
            return str(error).removeprefix(f"Column {name!r}: ")
        return ""

    # ------------------------------------------------------------------- front end

    def rows(self) -> list[dict[str, Any]]:
        """Say what there is to know about each column, for the list."""
        return [self._row(name) for name in self._columns]

    def _row(self, name: Any) -> dict[str, Any]:
        domain, form, fault = self._domains[name], self._forms[name], self._fault(name)
        return {
            "name": str(name),
            "kind": KINDS[domain.kind],
            "distinct": len(domain),
            "missing": domain.n_missing,
            "form": form,
            "forms": [x for x in FORMS if x != "ranges" or domain.ordered],
            "about": "" if fault else self._about(name),
            "fault": fault,
        }

    def _about(self, name: Any) -> str:
        editor = self._editors.get(name)
        state = (self._forms[name], editor.revision if editor else 0)
        is_large = len(self._domains[name]) > LARGE and self._forms[name] == "groups"
        if editor and editor.revision and is_large:
            return "edited"  # each edit would rebuild the whole taxonomy
        if self._words.get(name, (None, ""))[0] != state:
            self._words[name] = (state, about(self._hierarchy(name)))
        return self._words[name][1]

    def _arrange(self) -> None:
        shown = [] if self._opened is None else [self.editor(self._opened)]
        self.children = [self._list, *shown]

    def _changed(self) -> None:
        self.set_trait("revision", self.revision + 1)
        self._list.tell()

    def close(self) -> None:
        """Take away the widget and all editors that were made."""
        if not hasattr(self, "_list"):  # it was refused before it was made
            return
        for editor in self._editors.values():
            editor.close()
        self._list.close()
        super().close()

    def _summary(self) -> str:
        heads = "".join(f"<th>{x}</th>" for x in ("column", "kind", "becomes", ""))
        rows = "".join(
            f"<tr><td>{escape(x['name'])}</td><td>{x['kind']}, {x['distinct']:,} "
            f"values</td><td>{escape(FORMS[x['form']])}</td>"
            f"<td>{escape(x['fault'] or x['about'])}</td></tr>"
            for x in self.rows()
        )
        return f"<table><tr>{heads}</tr>{rows}</table>"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        data = super()._repr_mimebundle_(**kwargs)
        return None if data is None else data | {"text/html": self._summary()}

    def __repr__(self) -> str:
        """Name the columns."""
        return f"HierarchiesEditor({self._columns})"


class _ColumnList(SkanonWidget):
    """The list above the editors."""

    _esm = front_end("_hierarchies_editor/hierarchies_editor")
    _css = style_sheet("_hierarchies_editor/hierarchies_editor")

    def __init__(self, owner: HierarchiesEditor) -> None:
        self._owner = owner
        super().__init__()

    def tell(self) -> None:
        owner = self._owner
        at = -1 if owner.opened is None else owner.columns.index(owner.opened)
        rows = owner.rows()
        self.send({"kind": "state", "rows": rows, "opened": at, "forms": FORMS})

    def _do_open(self) -> None:
        self.tell()

    def _do_edit(self, at: int) -> None:
        self._owner.show_editor(None if at < 0 else self._owner.columns[at])

    def _do_choose(self, at: int, form: str) -> None:
        try:
            self._owner.choose(self._owner.columns[at], form)
        finally:
            self.tell()


def form_of(hierarchy: Hierarchy) -> str:
    """Tell which kind of hierarchy it is."""
    if isinstance(hierarchy, Intervals):
        return "ranges"
    return "sets" if isinstance(hierarchy, Subsets) else "groups"


def about(hierarchy: Hierarchy) -> str:
    """Say in a few words what values become."""
    if isinstance(hierarchy, Intervals):
        return "such as [20, 29]"
    if isinstance(hierarchy, Subsets):
        return "such as {a, b}"
    if not isinstance(hierarchy, Taxonomy):
        return "no groups yet: a value stays or becomes *"
    above = {label for level in hierarchy.levels[:-1] for label in level}
    n = len(above - set(leaf_texts(hierarchy.values)))
    if not n:
        return "no groups yet: a value stays or becomes *"
    return f"{n:,} group{'s' * (n > 1)}, {hierarchy.height} levels"


def _named(column: Any, error: HierarchyError) -> str:
    words = str(error)
    named = words.startswith(f"Column {column!r}")
    return words if named else f"Column {column!r}: {words}"


def _same_column(before: pd.DataFrame, after: pd.DataFrame, name: Any) -> bool:
    if name not in before.columns or name not in after.columns:
        return False
    old, new = before[name], after[name]
    return old.dtype == new.dtype and old.equals(new)
