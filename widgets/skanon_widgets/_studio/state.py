"""What the studio's panel is told: all that it shows, in types that JSON knows."""

from __future__ import annotations

from html import escape
from typing import Any

from skanon import KAnonymizer
from skanon.cleaning import Repair, Suggestion
from skanon.clustering import ALGORITHMS
from skanon.constraints._base import offered
from skanon.losses._named import LOSSES, as_loss
from skanon_widgets._shared.severity import WORDS, worst
from skanon_widgets._studio.background import Background
from skanon_widgets._studio.columns import Column
from skanon_widgets._studio.findings import Finding
from skanon_widgets._studio.steps import Settings, kind_of
from skanon_widgets._studio.words import (
    AUTO,
    EFFORTS,
    ENCODINGS,
    KINDS,
    ROLE_WORDS,
    SUPPRESSIONS,
)

STEPS = ("Columns", "Hierarchies", "Privacy", "Release")


def offers() -> dict[str, Any]:
    """Say what can be chosen from."""
    return {
        "roles": ROLE_WORDS,
        "algorithms": {
            "auto": AUTO,
            **{kind.word: kind.title for kind in ALGORITHMS.offered()},
        },
        "efforts": EFFORTS,
        "losses": {kind.word: kind.summary or kind.word for kind in LOSSES.offered()},
        "encodings": ENCODINGS,
        "suppressions": SUPPRESSIONS,
        "constraints": {
            kind: {
                "label": offer.title,
                "words": offer.summary,
                "level": offer.level,
            }
            for kind, (_, offer) in offered().items()
        },
    }


def state_of(
    *,
    step: int,
    n: int,
    described: list[Column],
    suggested: list[Suggestion],
    settings: Settings,
    findings: list[Finding],
    possible: dict[Any, dict[str, Any]],
    rows: list[dict[str, Any]],
    background: Background,
    number: int,
    given_away: list[Finding],
    stale: bool,
    notes: list[dict[str, str]],
    undo: str,
    redo: str,
) -> dict[str, Any]:
    """Put together what the panel shows.

    Returns
    -------
    dict
        Counts, names of columns and words; the most frequent sensitive value, where it
        limits what is possible, is the only value in it.
    """
    faults = [f"“{row['name']}”: {row['fault']}" for row in rows if row["fault"]]
    result = background.result
    release = None
    if result is not None:
        release = {
            "number": number,
            "figures": figures_of(result.anonymizer),
            "findings": [vars(finding) for finding in given_away],
            "stale": stale,
        }
    return {
        "step": step,
        "records": n,
        "notes": notes,
        "undo": undo,
        "redo": redo,
        "steps": _steps(findings, faults, background, release, given_away),
        "repairs": [_repair(x) for x in settings.repairs],
        "suggested": [
            _repair(x.repair) | {"reason": x.reason, "safe": x.safe} for x in suggested
        ],
        "columns": [_column(x, settings) for x in described],
        "faults": faults,
        "settings": _settings(settings),
        "findings": [vars(finding) for finding in findings],
        "possible": {
            str(column): {kind: level["words"] for kind, level in levels.items()}
            for column, levels in possible.items()
        },
        "run": {
            "state": background.state,
            "said": background.said,
            "seconds": background.seconds if background.state == "running" else 0,
        },
        "release": release,
    }


def _steps(
    findings: list[Finding],
    faults: list[str],
    background: Background,
    release: dict[str, Any] | None,
    given_away: list[Finding],
) -> list[dict[str, str]]:
    levels = [
        worst(x.level for x in findings if x.about == "roles"),
        "error" if faults else "good",
        worst(x.level for x in findings if x.about != "roles"),
        "good" if release is None else worst(x.level for x in given_away),
    ]
    told = ["to be mended" if level == "error" else "" for level in levels]
    if background.state == "running":
        told[3] = "being made"
    elif release is not None:
        told[3] = "of earlier settings" if release["stale"] else "made"
    return [
        {"label": label, "told": words, "level": level}
        for label, words, level in zip(STEPS, told, levels, strict=True)
    ]


def _repair(repair: Repair) -> dict[str, str]:
    return {"column": str(getattr(repair, "column", "")), "told": repair.told()}


def _column(column: Column, settings: Settings) -> dict[str, Any]:
    return {
        "name": str(column.name),
        "kind": KINDS[column.kind],
        "distinct": column.distinct,
        "missing": column.missing,
        "suggestion": column.suggestion,
        "reason": column.reason,
        "role": settings.roles[column.name],
    }


def _settings(settings: Settings) -> dict[str, Any]:
    sensitive = settings.columns("sensitive")
    algorithm = settings.algorithm
    return {
        "k": settings.k,
        "algorithm": algorithm if isinstance(algorithm, str) else repr(algorithm),
        "effort": settings.effort,
        "loss": _word(settings.loss),
        "encode": settings.encode,
        "max_suppression": settings.max_suppression,
        "suppressed": settings.suppressed,
        "random_state": int(settings.random_state),
        "sensitive": [str(name) for name in sensitive],
        "constraints": [
            _constraint(constraint, sensitive) for constraint in settings.constraints
        ],
    }


def _constraint(constraint: Any, sensitive: list[Any]) -> dict[str, Any]:
    kind = kind_of(constraint)
    level = None if kind is None else getattr(constraint, offered()[kind][1].level)
    known = constraint.column in sensitive
    return {
        "kind": kind,
        "level": level,
        "column": sensitive.index(constraint.column) if known else -1,
        "text": repr(constraint),
    }


def _word(loss: Any) -> str:
    made = as_loss(loss)
    return getattr(made, "word", repr(made))


def summary_of(
    settings: Settings, anonymizer: KAnonymizer | None, given_away: list[Finding]
) -> str:
    """Write what stands in place of the studio where no front end runs, as HTML."""
    roles = "".join(
        f"<tr><td>{escape(str(name))}</td><td>{role}</td></tr>"
        for name, role in settings.roles.items()
    )
    told = "No release has been made." if anonymizer is None else figures_of(anonymizer)
    found = "".join(
        f"<p><b>{WORDS[x.level]}:</b> {escape(x.text)}</p>"
        for x in given_away
        if x.level != "good"
    )
    return (
        "<p><b>Anonymization studio</b>, when this cell ran</p>"
        f"<table><tr><th>column</th><th>role</th></tr>{roles}</table>"
        f"<p>k = {settings.k}. {escape(told)}</p>{found}"
    )


def figures_of(anonymizer: KAnonymizer) -> str:
    """Sum a release up in a sentence."""
    n = len(anonymizer.labels_)
    n_suppressed = int(anonymizer.suppressed_.sum())
    told = f"{n_suppressed:,} suppressed" if n_suppressed else "none suppressed"
    least = int(anonymizer.class_sizes_.min()) if anonymizer.n_classes_ else 0
    return (
        f"{n:,} records in {anonymizer.n_classes_:,} classes of at least {least:,} "
        f"(k = {anonymizer.k:,}), {told}. Information loss: "
        f"{anonymizer.information_loss_:.4f} "
        f"({as_loss(anonymizer.loss)!r}, 0 for the original table)."
    )
