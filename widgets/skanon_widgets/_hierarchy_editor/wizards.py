"""A wizard for every builder of :mod:`skanon.hierarchies`.

A wizard knows which columns it fits, what to ask, what to suggest, and which call of
the builder the answers mean. Its result is the builder's own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skanon import hierarchies
from skanon._table.domain import Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import Hierarchy, Taxonomy
from skanon.hierarchies._leaves import like
from skanon_widgets._hierarchy_editor.recipes import Recipe
from skanon_widgets._hierarchy_editor.wizard_questions import WIZARDS, Answers, Wizard
from skanon_widgets._hierarchy_editor.wizard_texts import lines_of

SHOWN = 8
"""How many groups of a level a preview names."""


class Built(NamedTuple):
    """What a wizard leads to."""

    hierarchy: Hierarchy
    label: str
    recipe: Recipe | None


def offers(domain: Domain) -> list[dict[str, str]]:
    """List the wizards that fit a column."""
    return [
        {"name": x.maker, "title": x.title, "hint": x.hint}
        for x in WIZARDS
        if x.fits(domain)
    ]


def form(domain: Domain, maker: str, now: Hierarchy | None = None) -> dict[str, Any]:
    """Give a wizard's questions, with what the column suggests as answers.

    Parameters
    ----------
    domain : Domain
    maker : str
        The builder's name.
    now : Hierarchy or None
        The present hierarchy, where the wizard can begin with it.

    Returns
    -------
    dict
        ``"title"``, ``"hint"`` and ``"fields"``, each a dict with ``"name"``,
        ``"label"``, ``"value"``, ``"form"`` (text, area, choice or checks) and where
        need be ``"options"`` and ``"hint"``.
    """
    wizard = _wizard(maker)
    about = {"name": maker, "title": wizard.title, "hint": wizard.hint}
    return about | {"fields": wizard.fields(domain, now)}


def build(domain: Domain, maker: str, answers: Answers) -> Built:
    """Call a wizard's builder.

    Parameters
    ----------
    domain : Domain
    maker : str
    answers : dict
        From field to text (for checks: a list).

    Returns
    -------
    Built

    Raises
    ------
    HierarchyError
        The answers make no hierarchy; the error is the builder's.
    """
    wizard = _wizard(maker)
    first, args, kwargs = wizard.call(domain, answers)
    maker_of = getattr(hierarchies, maker)
    label = f"Build: {wizard.title}"
    said = answers.get(next(iter(answers), ""), "")
    said = ", ".join(said) if isinstance(said, list) else str(said)
    if said and len(lines_of(said)) == 1:
        label += f" ({said.strip()})"
    if maker in ("Intervals", "Subsets", "Suppression"):
        return Built(maker_of(), label, None)
    if first is not None:
        return Built(maker_of(first), label, None)
    column = column_of(domain, counted=maker == "from_frequency")
    hierarchy = maker_of(column, *args, **kwargs)
    recipe = Recipe(maker, domain.values.tolist(), args, kwargs)
    return Built(hierarchy, label, recipe)


def column_of(domain: Domain, counted: bool = False) -> pd.Series:
    """Give the column's values, in its own type.

    Parameters
    ----------
    domain : Domain
    counted : bool
        Each value as often as in the column, not once.
    """
    values = pd.Series(domain.values, name=domain.name)
    if isinstance(domain.dtype, pd.CategoricalDtype):
        values = values.astype(domain.dtype)
    return values.repeat(domain.counts.tolist()) if counted else values


def preview(domain: Domain, hierarchy: Hierarchy) -> dict[str, Any]:
    """Describe a hierarchy that is not in use yet.

    Returns
    -------
    dict
        ``"words"`` and ``"levels"``: the largest groups of each with their records.
    """
    if not isinstance(hierarchy, Taxonomy):
        what = {
            "Intervals": "Any range between two values may be published.",
            "Subsets": "Any set of values may be published.",
        }
        alone = "A value is kept, or published as *."
        return {"words": what.get(type(hierarchy).__name__, alone), "levels": []}
    at, lost = _leaves(domain, hierarchy)
    held = np.bincount(at[at >= 0], domain.counts[at >= 0], len(hierarchy.values))
    levels = [_level(i, x, held) for i, x in enumerate(hierarchy.levels, start=1)]
    words = f"{len(hierarchy.values):,} values in {hierarchy.height} levels."
    if len(lost):
        named = ", ".join(repr(x) for x in lost[:3]) + (", …" if len(lost) > 3 else "")
        words += f" {len(lost):,} values of the column are not in it: {named}."
    return {"words": words, "levels": levels}


def _leaves(domain: Domain, taxonomy: Taxonomy) -> tuple[np.ndarray, list[str]]:
    """Find the leaf of each of the column's values, -1 where it has none."""
    found = domain.match(like(domain, taxonomy.values))
    at = np.full(len(domain), -1)
    for leaf, value in enumerate(found):
        if value >= 0:
            at[value] = leaf
    return at, domain.text()[at < 0].tolist()


def _level(at: int, labels: list[str], held: np.ndarray) -> dict[str, Any]:
    codes, names = pd.factorize(np.array(labels, dtype=object))
    records = np.bincount(codes, held, len(names)).astype(int)
    largest = np.argsort(-records, kind="stable")[:SHOWN]
    return {
        "level": at,
        "groups": len(names),
        "least": int(records.min()),
        "largest": [[str(names[i]), int(records[i])] for i in largest],
    }


def _wizard(maker: str) -> Wizard:
    for wizard in WIZARDS:
        if wizard.maker == maker:
            return wizard
    raise HierarchyError(f"There is no wizard {maker!r}.")
