"""What the studio says of wishes before the fit, and of a release after it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from skanon import KAnonymizer
from skanon._release.classes import check_feasible
from skanon._table.sensitive import sensitive_numbers
from skanon.clustering import ALGORITHMS
from skanon.constraints import Constraint, SensitiveAttribute
from skanon.exceptions import AnonymizationError
from skanon.losses._named import as_loss
from skanon_widgets._shared.severity import LEVELS
from skanon_widgets._studio.steps import Settings
from skanon_widgets._studio.words import AUTO_SUMMARY, expected


@dataclass(frozen=True)
class Finding:
    """What is known about the wishes, or about a release.

    Attributes
    ----------
    level : {"good", "look", "danger", "error"}
    about : str
        Which part of the form: ``"roles"``, ``"k"``, ``"constraint 0"`` and so on.
    text : str
    """

    level: str
    about: str
    text: str


def find(settings: Settings, frame: pd.DataFrame) -> list[Finding]:
    """Say what is possible and what is not, before the fit.

    Parameters
    ----------
    settings : Settings
    frame : DataFrame of shape (n, n_columns)

    Returns
    -------
    list of Finding
        Errors forbid the fit.
    """
    return [
        *_about_names(frame),
        *_about_roles(settings),
        *_about_k(settings, len(frame)),
        *_about_constraints(settings, frame),
        *_about_algorithm(settings, len(frame)),
        *_about_loss(settings, frame),
        *_about_suppression(settings, len(frame)),
    ]


def _about_names(frame: pd.DataFrame) -> list[Finding]:
    odd = [x for x in frame.columns if not isinstance(x, str)]
    if not odd or len(odd) == frame.shape[1]:
        return []
    text = (
        f"The names of {len(odd):,} columns are no text, and those of the others are. "
        "Make texts of all, as is suggested above."
    )
    return [Finding("error", "roles", text)]


def _about_roles(settings: Settings) -> list[Finding]:
    found = []
    if not settings.columns("quasi-identifier"):
        text = (
            "No column is a quasi-identifier, so there is nothing to anonymize. Mark "
            "those that others may know."
        )
        found.append(Finding("error", "roles", text))
    others = settings.columns("other")
    if others:
        named = ", ".join(f"“{name}”" for name in others)
        text = (
            f"Published as it is: {named}. Whoever knows these values of a person "
            "finds that person's record."
        )
        found.append(Finding("danger", "roles", text))
    return found


def _about_k(settings: Settings, n: int) -> list[Finding]:
    k = settings.k
    try:
        check_feasible(k, n)
    except AnonymizationError as error:
        return [Finding("error", "k", str(error))]
    if k == 1:
        text = "k = 1 hides nobody: the table is released as it is."
        return [Finding("danger", "k", text)]
    text = (
        f"Possible. Each person hides among at least {k:,}; the chance to find a "
        f"person's record is at most {1 / k:.3g}. There can be {n // k:,} classes at "
        "most."
    )
    return [Finding("good", "k", text)]


def _about_constraints(settings: Settings, frame: pd.DataFrame) -> list[Finding]:
    sensitive = settings.columns("sensitive")
    found = []
    for at, constraint in enumerate(settings.constraints):
        about = f"constraint {at}"
        if not sensitive:
            text = "It is about a sensitive attribute: mark a column as sensitive."
            found.append(Finding("error", about, text))
            continue
        columns = sensitive if constraint.column is None else [constraint.column]
        for column in columns:
            if column in sensitive:
                found.append(_kept(constraint, frame, column, about, settings.k))
                continue
            text = f"“{column}” is not marked as sensitive. Mark it, or choose another."
            found.append(Finding("error", about, text))
    for column in unprotected(settings.constraints, sensitive):
        text = (
            f"“{column}” is sensitive, and no constraint protects it: where all whose "
            "records look alike share its value, everybody learns it. Add a constraint."
        )
        found.append(Finding("danger", "constraints", text))
    return found


def unprotected(constraints: Iterable[Constraint], sensitive: list[Any]) -> list[Any]:
    """List the sensitive columns that no constraint is about."""
    about = {constraint.column for constraint in constraints}
    return [] if None in about else [x for x in sensitive if x not in about]


def _kept(
    constraint: Constraint, frame: pd.DataFrame, column: Any, about: str, k: int
) -> Finding:
    """Tell whether the table as one class keeps a constraint; else no release does."""
    try:
        attribute = SensitiveAttribute.learn(frame[column], column)[0]
        if not constraint.holds(attribute.counts[None], attribute)[0]:
            text = f"Impossible in “{column}”: {constraint.feasible(attribute)}"
            return Finding("error", about, text)
    except AnonymizationError as error:
        return Finding("error", about, str(error))
    least = getattr(constraint, "l", getattr(constraint, "p", 0))
    larger = (
        f" Each class needs at least {least:g} records for it, so k is {least:g} in "
        "fact."
        if least > k
        else ""
    )
    return Finding("good", about, f"Possible in “{column}”.{larger}")


def _about_algorithm(settings: Settings, n: int) -> list[Finding]:
    name = settings.algorithm
    r = len(settings.columns("quasi-identifier"))
    seconds = expected(settings.anonymizer({})._expected_seconds(n, r))
    if not isinstance(name, str):
        return [Finding("good", "algorithm", f"From the policy: {name!r}. {seconds}")]
    if name == "auto":
        return [Finding("good", "algorithm", f"{AUTO_SUMMARY} {seconds}")]
    about = ALGORITHMS[name]
    most = about.most_records
    if most is not None and n > most:
        text = (
            f"“{about.title}” takes up to {most:,} records, and the table has "
            f"{n:,}. Choose another algorithm."
        )
        return [Finding("error", "algorithm", text)]
    text = f"{about.summary} Its classes are then refined. {seconds}".strip()
    return [Finding("good", "algorithm", text)]


def _about_loss(settings: Settings, frame: pd.DataFrame) -> list[Finding]:
    try:
        sensitive_numbers(
            as_loss(settings.loss), None, frame[settings.columns("sensitive")]
        )
    except AnonymizationError as error:
        return [Finding("error", "loss", str(error))]
    return []


def _about_suppression(settings: Settings, n: int) -> list[Finding]:
    most = int(settings.max_suppression * n + 1e-9)
    if not most:
        text = "No record is suppressed."
    else:
        text = f"Up to {most:,} of {n:,} records may become * in all columns."
        if settings.suppressed == "keep" and most < settings.k:
            text = (
                f"No record is suppressed: {most:,} of {n:,} are fewer than k = "
                f"{settings.k}, and could not hide among themselves. Suppress more, or "
                "empty or drop their rows."
            )
            return [Finding("look", "max_suppression", text)]
    return [Finding("good", "max_suppression", text)]


# ----------------------------------------------------------------- about a release


def find_in_release(
    anonymizer: KAnonymizer,
    frame: pd.DataFrame,
    warnings: Iterable[tuple[str, str]] = (),
) -> list[Finding]:
    """Say what a release gives away, and what it does not.

    Parameters
    ----------
    anonymizer : KAnonymizer
        Fitted.
    frame : DataFrame of shape (n, n_columns)
        The table that it was fitted to.
    warnings : iterable of (level, text)
        Of the fit.

    Returns
    -------
    list of Finding
        The worst first.
    """
    sensitive = anonymizer._roles.sensitive
    left = unprotected(anonymizer.constraints, sensitive)
    told = anonymizer.unchanged_.told()
    found = [
        *_about_unchanged(anonymizer),
        *(_about_sensitive(anonymizer, frame[x], x in left) for x in sensitive),
        *_about_achieved(anonymizer),
        *(
            Finding(level, "fit", text)
            for level, text in warnings
            if not (told and text.startswith(told))  # that is found above
        ),
    ]
    return sorted(found, key=lambda x: -LEVELS.index(x.level))


def _about_unchanged(anonymizer: KAnonymizer) -> list[Finding]:
    unchanged = anonymizer.unchanged_
    text = unchanged.told()
    if not text:
        return []
    if not unchanged.singles_out():
        return [Finding("look", "unchanged", text)]
    text += (
        " Whoever knows such values finds the record, however large its class is. Make "
        "such a column a quasi-identifier or an identifier in step 1."
    )
    return [Finding("danger", "unchanged", text)]


def _about_sensitive(
    anonymizer: KAnonymizer, column: pd.Series, is_left: bool
) -> Finding:
    name = column.name
    numbers = SensitiveAttribute.learn(column, name)[1]
    labels = anonymizer.labels_
    published = anonymizer._is_published()
    by_class = pd.Series(numbers[published]).groupby(labels[published])
    n, given = int(published.sum()), by_class.transform("nunique") == 1
    if given.any():
        text = (
            f"“{name}” of {int(given.sum()):,} of {n:,} people is given away: all "
            "whose records read like theirs share their value."
        )
        if is_left:
            text += " No constraint protects it. Add one in step 3."
        return Finding("danger", "sensitive", text)
    text = f"In each class there are at least two values of “{name}”."
    if is_left:
        text = f"No constraint protects “{name}”. {text}"
        return Finding("look", "sensitive", text)
    return Finding("good", "sensitive", text)


def _about_achieved(anonymizer: KAnonymizer) -> list[Finding]:
    if anonymizer.k == 1:
        return []  # the fit warns
    if not anonymizer.n_classes_:
        return [Finding("look", "k", "All records are suppressed.")]
    least = int(anonymizer.class_sizes_.min())
    text = (
        "By the quasi-identifiers alone, each published record reads like at least "
        f"{least - 1:,} others."
    )
    return [Finding("good", "k", text)]
