"""The demonstration's report, in plain text for 80 columns."""

from __future__ import annotations

import textwrap
from itertools import zip_longest

import numpy as np

from skanon._demo.study import DROPPED, FOLDS, QUASI_IDENTIFIERS, SAMPLE, Study
from skanon._version import __version__

WIDTH = 79
LABEL = 16
CELL = 20
BAR = 40
SHOWN = 3


def table_part(study: Study) -> str:
    """Say what the table is and which of its columns plays which role."""
    kept = [name for name in study.X.columns if name not in QUASI_IDENTIFIERS]
    dropped = ", ".join(f"{name} ({why})" for name, why in DROPPED.items())
    roles = {
        "others may know": ", ".join(QUASI_IDENTIFIERS),
        "sensitive": "income",
        "kept as is": ", ".join(kept) + " (taken to be unknown to others)",
        "dropped": dropped,
    }
    lines = [_entry(name, text) for name, text in roles.items()]
    return (
        f"skanon {__version__}: a census table, made {study.k}-anonymous\n\n"
        + _paragraph(
            f"UCI's Adult: {len(study.X):,} people of a survey of the United States "
            "Census Bureau, and whether they earn more than 50,000 dollars a year."
        )
        + "\n"
        + "\n".join(lines)
        + "\n"
    )


def records_part(study: Study) -> str:
    """Show some records before and after."""
    before = study.X.iloc[:SHOWN].assign(income=study.y)
    after = study.release.iloc[:SHOWN]
    heads = [f"person {i + 1}" for i in range(SHOWN)]
    lines = [_row("", heads)]
    for name in QUASI_IDENTIFIERS:
        was = [str(value) for value in before[name]]
        now = [str(value) for value in after[name]]
        lines.append(_row(name, was))
        lines.append(_row("  becomes", now))
    lines.append(_row("income", [str(value) for value in before["income"]]))
    lines.append(_row("  stays", [str(value) for value in before["income"]]))
    return _heading(f"The first {SHOWN} records, before and after") + "".join(lines)


def classes_part(study: Study) -> str:
    """Describe the equivalence classes, and what they hide and do not hide."""
    sizes = study.fitted.class_sizes_
    return (
        _heading(f"Equivalence classes: {study.fitted.n_classes_:,}")
        + _entry(
            "records in one",
            f"{np.min(sizes):,} at least, {int(np.median(sizes)):,} in the median, "
            f"{np.max(sizes):,} at most",
        )
        + "\n"
        + _entry(
            "k achieved",
            f"{study.achieved:,} (asked for: {study.k:,}), counted again in the "
            "published table alone",
        )
        + "\n\n"
        + _paragraph(
            f"So whoever knows all {len(QUASI_IDENTIFIERS)} values of a person finds "
            f"at least {study.achieved:,} records that fit equally well. It does not "
            f"hide what a whole class shares: {_shared(study)}"
        )
    )


def _shared(study: Study) -> str:
    n_alike, n_people = study.same_income()
    if n_alike == 0:
        return "here no class does so with its income."
    classes = "one class" if n_alike == 1 else f"{n_alike:,} classes"
    return f"in {classes} ({n_people:,} people) all have the same income."


def loss_part(study: Study) -> str:
    """Draw each attribute's loss as a bar."""
    losses = study.fitted.column_losses_
    lines = [_bar(name, loss) for name, loss in losses.items()]
    lines.append(_bar("all together", study.fitted.information_loss_))
    head = "Information lost, by attribute (LM: 0 nothing, 1 all suppressed)"
    return _heading(head) + "".join(lines)


def accuracy_part(study: Study) -> str:
    """Tabulate the classifier's accuracy against k."""
    raw = float(study.raw.mean())
    head = f"  {'k':>5}  {'accuracy':>8}  {'+-':>5}  {'against raw':>11}\n"
    lines = [head, f"  {'raw':>5}  {raw:8.3f}  {study.raw.std():5.3f}\n"]
    for k, mean, deviation in study.accuracies():
        points = (mean - raw) * 100
        lines.append(f"  {k:>5}  {mean:8.3f}  {deviation:5.3f}  {points:+9.1f} %p\n")
    lines.append(f"  {'guess':>5}  {study.majority:8.3f}\n\n")
    return (
        _heading("Who earns more than 50,000? Accuracy of a logistic regression")
        + "".join(lines)
        + _paragraph(
            f"{FOLDS}-fold cross-validation by GridSearchCV on {SAMPLE:,} of the "
            "records; each fold's training part is anonymized by itself, and the "
            "records to be judged take the published class that suits them best. "
            "'guess' always says <=50K; %p are percentage points."
        )
        + "\n"
        + _paragraph(_advice(study, raw))
    )


def _advice(study: Study, raw: float) -> str:
    near = [k for k, mean, _ in study.accuracies() if mean >= raw - 0.01]
    if not near:
        return "Every k tried costs more than one percentage point of accuracy."
    return f"The largest k that costs at most one percentage point: k = {max(near)}."


def _heading(text: str) -> str:
    return f"\n{text}\n{'-' * len(text)}\n"


def _paragraph(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_on_hyphens=False) + "\n"


def _entry(name: str, text: str) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=f"  {name:<{LABEL}}",
        subsequent_indent=" " * (LABEL + 2),
        break_on_hyphens=False,
    )


def _row(name: str, cells: list[str]) -> str:
    """Write a table's row, on several lines where a cell is long."""
    wrapped = [textwrap.wrap(cell, CELL, break_on_hyphens=False) for cell in cells]
    lines = zip_longest([name], *wrapped, fillvalue="")
    return "".join(
        f"  {first:<{LABEL}}{' '.join(f'{x:<{CELL}}' for x in rest)}".rstrip() + "\n"
        for first, *rest in lines
    )


def _bar(name: str, loss: float) -> str:
    drawn = "#" * round(loss * BAR)
    return f"  {name:<{LABEL}}{loss:.3f}  {drawn:.<{BAR}}\n"
