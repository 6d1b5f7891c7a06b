"""From a raw table to its release, in four steps."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import ipywidgets
import numpy as np
import traitlets

from skanon import KAnonymizer
from skanon._table.containers import as_frame
from skanon.cleaning import Repair, Suggestion, suggest_repairs
from skanon.exceptions import AnonymizationError, ParameterError
from skanon_widgets._hierarchies_editor.widget import HierarchiesEditor
from skanon_widgets._metric_inspector.widget import MetricInspector
from skanon_widgets._studio.background import Background, Made
from skanon_widgets._studio.code import code_of_release
from skanon_widgets._studio.columns import describe_columns
from skanon_widgets._studio.findings import Finding, find, find_in_release
from skanon_widgets._studio.opener import StudioOpener
from skanon_widgets._studio.panel import StudioPanel
from skanon_widgets._studio.policy import (
    anonymizer_of,
    other_versions,
    policy_of,
    read_policy,
    repairs_of,
)
from skanon_widgets._studio.state import STEPS, state_of, summary_of
from skanon_widgets._studio.steps import (
    Settings,
    changed,
    first_constraint,
    possible_levels,
)
from skanon_widgets._studio.table import StudioTable


class AnonymizationStudio(ipywidgets.VBox):
    """From a raw table to its release, in four steps.

    1. Columns: what is repaired first; which name a person, which others know, which
       are sensitive.
    2. Hierarchies: what values may become.
    3. Privacy: k, constraints, algorithm; what is possible is said before the fit.
    4. Release: made in the background; measured, and to be downloaded as CSV or
       Parquet, as the code or as the policy that makes it again.

    Parameters
    ----------
    frame : DataFrame of shape (n, n_columns), str or path, default=None
        The raw table, or a file that :func:`skanon.cleaning.read_table` reads. None:
        the page lists the files of the working directory, and policies, and takes a
        file from the computer. No record gets into the page or a saved notebook, unless
        somebody downloads the release.
    hierarchies : mapping from column to hierarchy, default=None
        Where to begin, as in :class:`skanon.KAnonymizer`.
    policy : dict, str or path, default=None
        Begin with the settings of this policy, as :meth:`from_policy` does.
    keep_index : bool, default=False
        Whether the table's index is published, in the release and in the files. It is
        left out unless somebody says so: it often names people.

    Attributes
    ----------
    step : {0, 1, 2, 3}
        The step that is shown; it can be set.

    Raises
    ------
    AnonymizationError
        The table is unfit: no rows, or two columns of a name.

    Notes
    -----
    All columns begin as quasi-identifiers, except those that tell all records apart,
    which are dropped: so nothing is published as it is unless somebody says so.

    It is a box of widgets: a panel of its own, and the
    :class:`HierarchiesEditor` or :class:`MetricInspector` below it. So JupyterLab
    itself takes care of several views, of showing it again and of saving; a widget that
    draws others through its manager would have to do that all by itself.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame(
    ...     {"age": [21, 22, 60, 60], "ill": ["flu", "none", "flu", "cold"]}
    ... )
    >>> studio = AnonymizationStudio(people)
    >>> studio.set_role("ill", "sensitive")
    >>> studio.set(k=2)
    >>> studio.run()
    >>> studio.wait()
    True
    >>> studio.release["age"].tolist()
    ['[21, 22]', '[21, 22]', '60', '60']
    >>> studio.close()
    """

    step = traitlets.Int(0)

    def __init__(
        self,
        frame: Any = None,
        *,
        hierarchies: Any = None,
        policy: Any = None,
        keep_index: bool = False,
    ) -> None:
        self._keep_index = keep_index
        self._inspector: MetricInspector | None = None
        self._showing = threading.Lock()
        self._telling = threading.RLock()  # never held while a thread is waited for
        self._opener: StudioOpener | None = None
        if frame is None:
            if hierarchies is not None:
                raise ParameterError("hierarchies are of a table: give it, too.")

            def open_file(file: Any, name: str, chosen: Any) -> None:
                table = StudioTable.read(file, keep_index, name)
                self._open(table, None, chosen or policy)

            self._opener = StudioOpener(open_file)
            super().__init__([self._opener])
            return
        is_file = isinstance(frame, str | os.PathLike)
        make = StudioTable.read if is_file else StudioTable
        super().__init__([])
        self._open(make(frame, keep_index), hierarchies, policy)

    def _open(self, table: StudioTable, hierarchies: Any, policy: Any) -> None:
        """Begin with a table, where hierarchies or a policy say."""
        if self._is_open:
            raise ParameterError("A table is open already. Make another studio.")
        self._table = table
        self._settings, found = self._begin(policy)
        self._hierarchies = HierarchiesEditor(
            self._frame,
            hierarchies or found,
            self._settings.columns("quasi-identifier"),
        )
        self._past: list[Settings] = []
        self._future: list[Settings] = []
        self._possible: dict[Any, dict[str, Any]] = {}
        self._suggestions: tuple[Any, list[Suggestion]] = (None, [])
        self._findings = find(self._settings, self._frame)
        self._shown: Made | None = None
        self._counted: Made | None = None
        self._judged: tuple[Made | None, list[Finding]] = (None, [])
        self._count = 0
        self._background = Background(table.to_fit(self.repairs), self._progress)
        self._panel = StudioPanel(self)
        self._hierarchies.observe(lambda _change: self._tell(), "revision")
        self._arrange()

    @property
    def _is_open(self) -> bool:
        return "_panel" in vars(self)

    def __getattr__(self, name: str) -> Any:
        """Say what to do where there is no table yet."""
        if name in _OF_THE_TABLE:
            raise ParameterError(
                "No table is open yet. Choose one above, or give it: "
                "AnonymizationStudio(table)."
            )
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

    def _begin(self, policy: Any) -> tuple[Settings, Any]:
        if policy is None:
            self._frame = self._table.frame
            self._described = describe_columns(self._frame)
            return Settings.default(self._described), None
        policy = read_policy(policy)
        repairs = repairs_of(policy)
        self._frame = self._table.cleaned(repairs)
        anonymizer = anonymizer_of(policy, self._frame)
        settings = Settings.of(anonymizer, self._frame, repairs)
        self._described = describe_columns(self._frame, settings.columns("sensitive"))
        note = other_versions(policy)
        self._table.notes += [{"level": "look", "text": note}] if note else []
        return settings, anonymizer.hierarchies

    @classmethod
    def from_policy(cls, frame: Any, policy: Any) -> AnonymizationStudio:
        """Begin with the settings of a policy.

        Parameters
        ----------
        frame : DataFrame of shape (n, n_columns)
            With the columns that the policy is for.
        policy : dict, str or path
            What :attr:`policy` gave, its JSON text, or a file that holds it.

        Raises
        ------
        ColumnError
            The table has other columns.
        ParameterError, HierarchyError
            It is no policy, or a broken one.
        """
        return cls(frame, policy=policy)

    # -------------------------------------------------------------------- settings

    @property
    def roles(self) -> dict[Any, str]:
        """Each column's role; :meth:`set_role` changes it."""
        return dict(self._settings.roles)

    def set_role(self, column: Any, role: str) -> None:
        """Give a column a role.

        Parameters
        ----------
        column : column
        role : {"identifier", "quasi-identifier", "sensitive", "other"}

        Raises
        ------
        ParameterError
            There is no such column or role.
        ColumnError
            The column's values cannot be read, so it can be no quasi-identifier.
        """
        self._change(self._settings.with_role(column, role))

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What is done to the table first; :meth:`repair` adds to it."""
        return self._settings.repairs

    def repair(self, *repairs: Repair) -> None:
        """Repair the table, beyond what has been repaired already.

        Parameters
        ----------
        *repairs : Repair
            Of :mod:`skanon.cleaning`; none: all that can be accepted blindly.

        Raises
        ------
        ColumnError
            A value is not what a repair is for; then nothing changes.
        """
        if not repairs:
            repairs = tuple(x.repair for x in self._suggested() if x.safe)
        self._repair_with((*self.repairs, *repairs))

    def _repair_with(self, repairs: Sequence[Repair]) -> None:
        self._background.refuse_while_running()
        described = describe_columns(self._table.cleaned(repairs))
        self._change(self._settings.with_repairs(repairs, described))

    def _suggested(self) -> list[Suggestion]:
        """List the repairs that the table still needs."""
        if self._suggestions[0] is not self._frame:
            self._suggestions = (self._frame, suggest_repairs(self._frame))
        return self._suggestions[1]

    def use_suggestions(self) -> None:
        """Give all columns but the sensitive ones the roles that are suggested.

        Where columns become sensitive and there is no constraint, one is added.
        """
        settings = self._settings
        for column in self._described:
            if settings.roles[column.name] != "sensitive":
                settings = settings.with_role(column.name, column.suggestion)
        sensitive = settings.columns("sensitive")
        if sensitive and not settings.constraints:
            first = first_constraint([self._levels(x) for x in sensitive])
            settings = replace(settings, constraints=(first,))
        self._change(settings)

    def undo(self) -> None:
        """Take back what was changed last: repairs, roles or parameters.

        Edits of hierarchies have an undo of their own, in :attr:`hierarchies`.

        Raises
        ------
        ParameterError
            Nothing was changed, or all is taken back.
        """
        self._go(self._past, self._future, "undo")

    def redo(self) -> None:
        """Do again what was taken back last.

        Raises
        ------
        ParameterError
            Nothing was taken back since the last change.
        """
        self._go(self._future, self._past, "redo")

    def _go(self, there: list[Settings], back: list[Settings], what: str) -> None:
        if not there:
            raise ParameterError(f"There is nothing to {what}.")
        now = self._settings
        self._take(there[-1])
        there.pop()
        back.append(now)
        self._tell()

    def _change(self, settings: Settings) -> None:
        before = self._settings
        self._take(settings)
        if settings != before:
            self._past.append(before)
            self._future.clear()
        self._tell()

    def set(self, **parameters: Any) -> None:
        """Set parameters of the release.

        Parameters
        ----------
        **parameters
            Of :class:`skanon.KAnonymizer`: k, constraints, algorithm, loss,
            max_suppression, suppressed, encode, random_state.

        Raises
        ------
        ParameterError
            A parameter is unknown, or has a value that it may not have.
        """
        self._change(self._settings.with_parameters(parameters))

    def _take(self, settings: Settings) -> None:
        frame, columns = self._frame, settings.columns("quasi-identifier")
        is_other = settings.repairs != self._settings.repairs
        if is_other:
            self._background.refuse_while_running()
            frame = self._table.cleaned(settings.repairs)
        findings = find(settings, frame)
        if is_other:
            self._hierarchies.show_table(frame, columns)
            self._background.change_table(self._table.to_fit(settings.repairs))
            self._possible.clear()
        elif columns != self._hierarchies.columns:
            self._hierarchies.show_columns(columns)
        sensitive = settings.columns("sensitive")
        if is_other or sensitive != self._settings.columns("sensitive"):
            self._described = describe_columns(frame, sensitive)
        self._frame, self._settings, self._findings = frame, settings, findings

    @property
    def hierarchies(self) -> HierarchiesEditor:
        """The editor of the quasi-identifiers' hierarchies."""
        return self._hierarchies

    @property
    def policy(self) -> dict[str, Any]:
        """The settings, in types that JSON knows.

        :meth:`from_policy` takes them up again, and a run then makes the same release.
        They hold no record, and of the values only those that hierarchies name.
        """
        return policy_of(self._wanted(), self._frame, self.repairs)

    def to_code(self) -> str:
        """Write Python that makes the release.

        Returns
        -------
        str
            It takes the table from ``table``, or reads the file that was opened.
        """
        return code_of_release(self._wanted(), self._table.preparation(self.repairs))

    def _wanted(self) -> KAnonymizer:
        return self._settings.anonymizer(self._hierarchies.hierarchies)

    # --------------------------------------------------------------------- running

    def run(self) -> None:
        """Begin to make the release, in the background.

        Raises
        ------
        ParameterError
            A fit is running already.
        AnonymizationError
            A hierarchy is not valid, or what is wished is not possible.
        """
        wanted = self._wanted()
        for finding in self._findings:
            if finding.level == "error":
                raise ParameterError(finding.text)
        self._background.start(wanted, self._wish())

    def _wish(self) -> tuple[Settings, int]:
        return self._settings, self._hierarchies.revision

    def prepare(self) -> None:
        """Start the process that will fit, so that it is ready when it is needed.

        The widget does so when it is first shown.
        """
        self._background.prepare()

    def cancel(self) -> None:
        """Stop at once; the release before, if there was one, stays."""
        self._background.cancel()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end of the fit.

        Parameters
        ----------
        timeout : float or None
            In seconds.

        Returns
        -------
        bool
            Whether nothing is running any more.
        """
        return self._background.wait(timeout)

    @property
    def anonymizer(self) -> KAnonymizer:
        """The fitted anonymizer of the last release."""
        return self._result().anonymizer

    @property
    def release(self) -> Any:
        """The last release: as many rows as the table, in the same order."""
        return self._result().release

    def _result(self) -> Made:
        if self._background.result is None:
            failed = self._background.state == "failed"
            why = f" {self._background.said}" if failed else ""
            raise ParameterError(
                f"There is no release yet: press “Make the release”, or call run() and "
                f"wait().{why}"
            )
        return self._background.result

    def close(self) -> None:
        """Stop what is running and take the studio away."""
        if self._opener is not None:
            self._opener.close()
        if not self._is_open:  # or it was refused before it was made
            return
        self._background.close()
        for part in (self._inspector, self._hierarchies, self._panel):
            if part is not None:
                part.close()
        super().close()

    # ------------------------------------------------------------------- front end

    @traitlets.validate("step")
    def _check_step(self, proposal: Any) -> int:
        if not self._is_open:
            raise ParameterError("There are no steps yet: no table is open.")
        if not 0 <= proposal["value"] < len(STEPS):
            raise ParameterError(
                f"There is no step {proposal['value']!r}: give 0 to 3."
            )
        return proposal["value"]

    @traitlets.observe("step")
    def _on_step(self, _change: Any) -> None:
        self._arrange()
        self._tell()

    def _arrange(self) -> None:
        with self._telling:
            below = {1: self._hierarchies, 3: self._inspector}.get(self.step)
            self.children = [self._panel, *([] if below is None else [below])]

    def _progress(self) -> None:
        """Listen to what happens in the background, in whatever thread."""
        with self._showing:
            made = self._background.result
            if made is not self._shown and made is not None:
                self._shown = made
                self._inspect(made.anonymizer)
        self._tell()

    def _inspect(self, anonymizer: KAnonymizer) -> None:
        before, self._inspector = self._inspector, None
        try:
            self._inspector = MetricInspector(anonymizer)
        except Exception as error:  # the release is there nevertheless
            self._panel.show_error(error)
        self._arrange()
        if before is not None:
            before.close()

    def _tell(self) -> None:
        self._panel.tell()

    def _state(self) -> dict[str, Any]:
        return state_of(
            step=self.step,
            n=len(self._frame),
            described=self._described,
            suggested=self._suggested(),
            settings=self._settings,
            findings=self._findings,
            possible={x: self._levels(x) for x in self._settings.columns("sensitive")},
            rows=self._hierarchies.rows(),
            background=self._background,
            number=self._number(),
            given_away=self._given_away(),
            stale=self._stale(),
            notes=self._table.notes,
            undo=changed(self._past[-1], self._settings) if self._past else "",
            redo=changed(self._settings, self._future[-1]) if self._future else "",
        )

    def _levels(self, column: Any) -> dict[str, Any]:
        if column not in self._possible:
            try:
                self._possible[column] = possible_levels(self._frame, column)
            except AnonymizationError as error:
                self._possible[column] = {"why": {"words": str(error)}}
        return self._possible[column]

    def _number(self) -> int:
        """Count the releases: two of different code may have the same figures."""
        if self._background.result is not self._counted:
            self._counted = self._background.result
            self._count += 1
        return self._count

    def _given_away(self) -> list[Finding]:
        """Say what the release gives away; counted once for each."""
        made = self._background.result
        if made is not None and made is not self._judged[0]:
            table = as_frame(made.table)
            found = find_in_release(made.anonymizer, table, made.warnings)
            self._judged = (made, found)
        return self._judged[1]

    def _record_losses(self) -> np.ndarray:
        """Give what each record of the release loses; NaN where that is not known."""
        if self._inspector is None:
            return np.full(len(self._result().anonymizer.labels_), np.nan)
        return self._inspector._class_costs(0).of_records()

    def _stale(self) -> bool:
        made = self._background.result
        return made is not None and made.wish != self._wish()

    def _summary(self) -> str:
        if not self._is_open:
            return "<p><b>Anonymization studio</b>: no table was open.</p>"
        result = self._background.result
        return summary_of(
            self._settings, result and result.anonymizer, self._given_away()
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        data = super()._repr_mimebundle_(**kwargs)
        return None if data is None else data | {"text/html": self._summary()}

    def __repr__(self) -> str:
        """Name the step only: a table's values belong nowhere else."""
        return f"AnonymizationStudio(step={self.step})"


_OF_THE_TABLE = ("_settings", "_hierarchies", "_background", "_table", "_frame")
