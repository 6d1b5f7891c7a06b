"""Look at a release: its classes, what it promises, risks and loses."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import traitlets

from skanon._base import BaseAnonymizer
from skanon.exceptions import ParameterError
from skanon.losses import LM, Loss
from skanon_widgets._metric_inspector import aggregates, words
from skanon_widgets._metric_inspector.costs import ClassCosts
from skanon_widgets._metric_inspector.levels import levels
from skanon_widgets._metric_inspector.releases import (
    InspectedRelease,
    names_no_value,
    of_anonymizer,
    of_tables,
    reason,
)
from skanon_widgets._shared.widget import SkanonWidget, front_end, style_sheet

PATIENCE = 0.6
"""So many seconds after the call a display waits for losses and distributions."""


class MetricInspector(SkanonWidget):
    """Look at a release, or at two side by side.

    It shows how large the equivalence classes are, which k, l and t are achieved, the
    risks by three attackers, in words and numbers, what each column loses and how its
    distribution has changed, and which classes cost most. All of these are counts,
    shares and averages; no record leaves Python. What a class of fewer records than k
    publishes is not shown, and the chart of an original column has no bar of so few. If
    k is 1 or not known, that is 3 records.

    Parameters
    ----------
    anonymizer : BaseAnonymizer or mapping from str to releases, default=None
        Fitted, and not forgetful. A mapping of two names is what :meth:`compare` takes.
    original, released : DataFrame or array-like of shape (n, n_columns), default=None
        Instead of an anonymizer: the table before and after, the same records in the
        same order.
    quasi_identifiers : list of columns, default=None
        With tables. None: all columns of ``original`` but the sensitive ones.
    sensitive : column, list of columns, or Series or DataFrame of n rows, default=None
        With tables. The sensitive attributes: columns of ``released`` or of
        ``original``, or their values.
    hierarchies : mapping from column to hierarchy, default=None
        With tables, as in :class:`skanon.KAnonymizer`.
    loss : str or Loss, default=None
        How loss is measured. None: the anonymizer's own, or LM with tables.
    k : int, default=None
        With tables. The k that was asked for; None if it is not known.
    sensitive_published : bool, default=False
        Whether sensitive attributes that are no columns of the release, such as ``y``,
        are published beside it. Only then, their shares in a single class are shown.
    population_size : int, default=None
        How many people the table was drawn from, for the journalist's risk. It can be
        told in the widget, too.

    Raises
    ------
    NotFittedError
    AnonymizationError
        The anonymizer has forgotten its records, or the tables do not fit together;
        the message says what, where and the remedy.

    Notes
    -----
    What the published values alone tell is measured at once; loss, distributions and
    attacks follow in the background. The lower bound of the loss is computed when the
    button is pressed, or :meth:`compute_lower_bound` is called.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon import KAnonymizer
    >>> from skanon_widgets import MetricInspector
    >>> people = pd.DataFrame({"age": [21, 22, 60, 61]})
    >>> inspector = MetricInspector(KAnonymizer(k=2, random_state=0).fit(people))
    >>> inspector.figures["achieved_k"], inspector.figures["risk"]["highest"]
    (2, 0.5)
    """

    _esm = front_end(
        "_metric_inspector/inspector_charts",
        "_metric_inspector/inspector_panels",
        "_metric_inspector/metric_inspector",
    )
    _css = style_sheet("_metric_inspector/metric_inspector")

    releases = traitlets.List(traitlets.Dict()).tag(sync=True)
    verdict = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        anonymizer: BaseAnonymizer | Mapping[str, Any] | None = None,
        *,
        original: Any = None,
        released: Any = None,
        quasi_identifiers: Any = None,
        sensitive: Any = None,
        hierarchies: Any = None,
        loss: str | Loss | None = None,
        k: int | None = None,
        sensitive_published: bool = False,
        population_size: int | None = None,
    ) -> None:
        tables = {
            "original": original,
            "released": released,
            "quasi_identifiers": quasi_identifiers,
            "sensitive": sensitive,
            "hierarchies": hierarchies,
            "k": k,
        }
        options = {"loss": loss, "sensitive_published": sensitive_published}
        given = {name: x for name, x in tables.items() if x is not None}
        self._patient = time.monotonic() + PATIENCE
        self._inspected = _read(anonymizer, given, options)
        self._costs: dict[int, ClassCosts] = {}
        self._lock = threading.RLock()
        self._bounding: threading.Thread | None = None
        self._shown = threading.Event()
        classes = [aggregates.class_numbers(x) for x in self._inspected]
        ranges = aggregates.size_bins([aggregates.class_sizes(x) for x in classes])
        found = [
            aggregates.overview(x, own, ranges)
            for x, own in zip(self._inspected, classes, strict=True)
        ]
        if population_size is not None:
            for figures, release in zip(found, self._inspected, strict=True):
                figures["journalist"] = aggregates.journalist(release, population_size)
        super().__init__(releases=[_told(x) for x in found], verdict=_verdict(found))
        self._measuring = self._start(self._measure)

    @classmethod
    def compare(cls, releases: Mapping[str, Any], **options: Any) -> MetricInspector:
        """Look at two releases side by side.

        Parameters
        ----------
        releases : mapping from str to release
            Two names, each with a fitted anonymizer, an inspector of one release, or a
            dict of the parameters ``original``, ``released`` and so on.
        **options
            ``loss``, ``sensitive_published`` and ``population_size``. Where the two
            were made for different losses and none is given, both are measured by LM.

        Raises
        ------
        ParameterError
            They are not two.
        """
        return cls(releases, **options)

    # ------------------------------------------------------------------ what is known

    @property
    def figures(self) -> dict[str, Any]:
        """All figures that are shown, in types that JSON knows.

        It waits until the background has measured them. With two releases, a dict from
        their names to their figures. ``"bound"`` is there if it was computed.
        """
        self.wait()
        shortened = [
            {k: v for k, v in x.items() if k not in ("words", "levels")}
            for x in self.releases
        ]
        shortened = copy.deepcopy(shortened)
        if len(shortened) == 1:
            return shortened[0]
        names = (release.name for release in self._inspected)
        return dict(zip(names, shortened, strict=True))

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for what is measured in the background.

        Parameters
        ----------
        timeout : float, default=None
            In seconds; None waits as long as it takes.

        Returns
        -------
        bool
            Whether it is done.
        """
        jobs = [job for job in (self._measuring, self._bounding) if job is not None]
        for job in jobs:
            job.join(timeout)
        return not any(job.is_alive() for job in jobs)

    def compute_lower_bound(self) -> dict[str, Any]:
        """Compute how little any such release can lose, and wait for it.

        Returns
        -------
        dict
            ``"k"``, ``"lower_bound"``, ``"loss"``, the ``"gap"`` between the two, and
            ``"avoidable"``, the gap as a share of the loss. With two releases, by name.
        """
        self._do_bound()
        figures = self.figures
        if len(self.releases) == 1:
            return figures["bound"]
        return {name: x["bound"] for name, x in figures.items()}

    # --------------------------------------------------------------- in the background

    def _start(self, job: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=job, daemon=True)
        thread.start()
        return thread

    def _measure(self) -> None:
        least = max(release.least for release in self._inspected)
        parts: dict[str, Callable[[int], Any]] = {
            "losses": lambda at: aggregates.losses(self._inspected[at]),
            "distributions": lambda at: aggregates.distributions(
                self._inspected[at], least
            ),
            "costliest": lambda at: self._class_costs(at).costliest(),
        }
        for name, part in parts.items():
            for at in range(len(self._inspected)):
                self._tell(at, name, part)
        self._shown.set()
        for at in range(len(self._inspected)):
            self._tell(at, "attacks", lambda i: aggregates.attacks(self._inspected[i]))

    def _tell(self, at: int, name: str, part: Callable[[int], Any]) -> None:
        """Measure a part of a release and show it, or why it cannot be measured."""
        try:
            found = part(at)
        except Exception as error:  # the other parts are shown nevertheless
            found = {"why": reason(error)}
            if not names_no_value(error):
                self.show_error(error)  # a message: unlike the figures it is not saved
        self._put(at, name, found)

    def _put(self, at: int, name: str, found: Any) -> None:
        with self._lock:
            shortened = list(self.releases)
            shortened[at] = _told(shortened[at] | {name: found})
            self.releases = shortened
            self.verdict = _verdict(shortened)

    def _class_costs(self, at: int) -> ClassCosts:
        with self._lock:
            if at not in self._costs:
                self._costs[at] = ClassCosts(self._inspected[at])
            return self._costs[at]

    # ---------------------------------------------------------------- what is asked for

    def _do_inspect(self, release: int, number: int, view: Any = None) -> None:
        """Tell of a class the view that asked; the answer names it."""
        details = self._class_costs(release).details(number)
        answer = {"kind": "class", "release": release, "details": details}
        self.send(answer | {"view": view})

    def _do_population(self, size: int | None) -> None:
        found = [
            None if size is None else aggregates.journalist(x, size)
            for x in self._inspected
        ]
        for at, risk in enumerate(found):
            self._put(at, "journalist", risk)

    def _do_bound(self) -> None:
        if self._bounding is not None and self._bounding.is_alive():
            return
        for at in range(len(self._inspected)):
            self._put(at, "bound", {"running": True})
        self._bounding = self._start(self._bound)

    def _bound(self) -> None:
        for at in range(len(self._inspected)):
            self._tell(at, "bound", lambda i: aggregates.bound(self._inspected[i]))

    def _summary(self) -> str:
        done = self._shown.wait(max(self._patient - time.monotonic(), 0.0))
        return words.summary(self.releases, done)

    def __repr__(self) -> str:
        """Name the releases."""
        names = ", ".join(repr(x["name"]) for x in self.releases)
        return f"MetricInspector({names})"


def _told(figures: dict[str, Any]) -> dict[str, Any]:
    """Add what the figures mean in words."""
    said = words.meanings(figures)
    if (figures.get("bound") or {}).get("k"):
        said["gap"] = words.gap_in_words(figures)
    return figures | {"words": said, "levels": levels(figures)}


def _verdict(found: list[dict[str, Any]]) -> str:
    return words.verdict(*found) if len(found) == 2 else ""


def _read(
    anonymizer: Any, tables: dict[str, Any], options: dict[str, Any]
) -> list[InspectedRelease]:
    if isinstance(anonymizer, Mapping):
        if tables:
            raise ParameterError(
                f"{sorted(tables)} are given beside releases to compare. Give each "
                "release its own: {'name': {'original': …, 'released': …}}."
            )
        return _read_two(anonymizer, options)
    return [_read_one("release", anonymizer, tables, options)]


def _read_two(
    given: Mapping[str, Any], options: dict[str, Any]
) -> list[InspectedRelease]:
    if len(given) != 2:
        raise ParameterError(
            f"{len(given)} releases are to be compared. Give two: "
            "MetricInspector.compare({'k = 5': …, 'k = 20': …})."
        )
    found = []
    for name, one in given.items():
        inner = isinstance(one, Mapping)
        maker, tables = (None, dict(one)) if inner else (one, {})
        found.append(_read_one(str(name), maker, tables, options))
    if options["loss"] is None and found[0].loss != found[1].loss:
        found = [release.measured_by(LM()) for release in found]
    return found


def _read_one(
    name: str, maker: Any, tables: dict[str, Any], options: dict[str, Any]
) -> InspectedRelease:
    loss = options["loss"]
    published = {"sensitive_published": options["sensitive_published"]}
    if isinstance(maker, MetricInspector) and len(maker._inspected) == 1 and not tables:
        release = maker._inspected[0].renamed(name)
        if options["sensitive_published"]:
            release = release.with_sensitive_published()
        return release if loss is None else release.measured_by(loss)
    if isinstance(maker, BaseAnonymizer) and not tables:
        release = of_anonymizer(name, maker, **published)
        return release if loss is None else release.measured_by(loss)
    if maker is None and {"original", "released"} <= set(tables):
        unknown = set(tables) - set(_TABLES)
        if unknown:
            raise ParameterError(
                f"Release {name!r} has {sorted(unknown)}, which are no parameters. "
                f"Give some of {list(_TABLES)}."
            )
        given = published | ({} if loss is None else {"loss": loss}) | tables
        return of_tables(name, **given)
    parts = [] if maker is None else [f"an object of the type {type(maker).__name__}"]
    parts += [f"{x}=..." for x in sorted(tables)]
    raise ParameterError(
        f"For {name!r} there is {' and '.join(parts) or 'nothing'}. Give a fitted "
        "anonymizer, or both tables: MetricInspector(original=table, released=release)."
    )


_TABLES = (
    "original",
    "released",
    "quasi_identifiers",
    "sensitive",
    "hierarchies",
    "loss",
    "k",
)
