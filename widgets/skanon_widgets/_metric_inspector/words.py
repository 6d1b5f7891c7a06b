"""An inspected release in words, and as the tables that stand in for the widget."""

from __future__ import annotations

import math
from typing import Any

from skanon.report._html import _section, escape
from skanon.report._style import STYLE
from skanon.report._words import Cell, Section, Share, Table, counted, shown

Figures = dict[str, Any]


_DIGITS = 3


def figure(number: float) -> str:
    """Write a number with three digits, as the front end does."""
    if number == 0:
        return "0"
    decimals = _DIGITS - 1 - math.floor(math.log10(abs(number)))
    return shown(round(number, max(decimals, 0)) if decimals < 12 else number)


def percent(share: float) -> str:
    """Write a share in percent, never apart at a line's end."""
    return f"{figure(100 * share)}\u00a0%"


def meanings(figures: Figures) -> dict[str, Any]:
    """Say what the figures of one release mean.

    Parameters
    ----------
    figures : dict
        As :mod:`skanon_widgets._metric_inspector.aggregates` gives them.

    Returns
    -------
    dict from "promise", "unchanged", "prosecutor", "journalist" and "marketer" to str
        ``"sensitive"`` has a list, a sentence for each sensitive attribute.
    """
    return {
        "promise": _promise(figures),
        "unchanged": _unchanged(figures),
        "prosecutor": _prosecutor(figures),
        "journalist": _journalist(figures),
        "marketer": _marketer(figures),
        "sensitive": [_sensitive(figures, part) for part in figures["sensitive"]],
    }


def _promise(figures: Figures) -> str:
    k, records = figures["achieved_k"], figures["records"]
    if figures["suppressed"] == records:
        return (
            f"All {counted(records, 'record')} are suppressed: the release tells "
            "nothing of the quasi-identifiers."
        )
    fewest, asked = figures["risk"]["fewest"], figures["asked_k"]
    if figures["one_by_one"]:
        said = (
            "Records are generalized one by one: whoever knows a person's "
            f"quasi-identifiers is left with {counted(fewest, 'record')} or more, but "
            "these need not read alike."
        )
    elif k == 1:
        said = (
            "The release hides nobody for sure: at least one record is the only one "
            "with its values."
        )
    else:
        said = (
            f"Each published record reads like at least {counted(k - 1, 'other')}, so "
            f"that whoever knows a person's quasi-identifiers is left with {k:,} "
            "records or more."
        )
    if asked is not None and fewest < asked:
        said += f" That is less than the k = {asked:,} that was asked for."
    if figures["suppressed"]:
        share = percent(figures["suppressed"] / records)
        said += f" {counted(figures['suppressed'], 'record')} ({share}) suppressed."
    return said


def _unchanged(figures: Figures) -> str:
    told = figures["unchanged"]["told"]
    if not figures["unchanged"]["singles_out"]:
        return told
    return (
        f"{told} Whoever knows such values finds the record: the risks below, which "
        "count quasi-identifiers only, do not hold for these records."
    )


def _prosecutor(figures: Figures) -> str:
    risk = figures["risk"]
    if risk["highest"] == 1:
        most = "is sure to find the right record of some people"
    else:
        most = (
            f"finds the right record with a chance of at most "
            f"{percent(risk['highest'])} (1 in {risk['fewest']:,})"
        )
    return (
        "Knows that a certain person is in the table, and all that person's "
        f"quasi-identifiers: {most}; {percent(risk['average'])} on average."
    )


def _journalist(figures: Figures) -> str:
    known = figures.get("journalist")
    who = "Does not know who is in the table"
    if known is None and figures["one_by_one"]:
        return (
            f"{who}, and so is at most as sure as the prosecutor "
            f"({percent(figures['risk']['highest'])})."
        )
    if known is None:
        return (
            f"{who}, and so is at most as sure as the prosecutor "
            f"({percent(figures['risk']['highest'])}). How much less depends on how "
            "many people the table was drawn from."
        )
    return (
        f"{who}. If it was drawn at random from {known['population_size']:,} people, "
        f"the chance is about {percent(known['highest'])} in the smallest class and "
        f"{percent(known['average'])} on average."
    )


def _marketer(figures: Figures) -> str:
    risk = figures["risk"]
    expected = round(risk["marketer"] * risk["in_classes"])
    return (
        "Tries to find as many people as possible, no matter whom: gets "
        f"{percent(risk['marketer'])} of the published records right, about "
        f"{expected:,} of {risk['in_classes']:,}."
    )


def _sensitive(figures: Figures, part: Figures) -> str:
    name, distinct = f"“{part['name']}”", part["l_distinct"]
    if distinct is None and not figures["one_by_one"]:
        return ""  # it was not measured
    if distinct is not None and distinct > 1:
        return (
            f"Each class has at least {counted(int(distinct), 'value')} of {name}, and "
            f"none of them makes up more than {percent(1 / part['l_frequency'])} of a "
            "class."
        )
    said = (
        f"Not everybody's {name} is hidden: where all records that fit a person share "
        "one value, whoever finds them has found the value."
    )
    linked = figures.get("attacks")
    for found in linked if isinstance(linked, list) else []:
        if found["name"] == part["name"] and found["homogeneous_share"] is not None:
            certain = found["homogeneous_share"]
            if certain == 0 and figures["one_by_one"]:
                return f"The records that fit a person always differ in {name}."
            said += f" This gives away {percent(certain)} of people."
            return said
    return "" if figures["one_by_one"] else said


def gap_in_words(figures: Figures) -> str:
    """Say what the lower bound means."""
    found = figures["bound"]
    if figures["one_by_one"]:
        return (
            f"No release of this table in equivalence classes of {found['k']:,}, with "
            f"these hierarchies, loses less than {figure(found['lower_bound'])}. This "
            f"one, generalized record by record, loses {figure(found['loss'])}."
        )
    return (
        f"No release of this table with k = {found['k']:,} and these hierarchies loses "
        f"less than {figure(found['lower_bound'])}. This one loses "
        f"{figure(found['loss'])}: at most {figure(max(found['gap'], 0.0))} "
        f"({percent(max(found['avoidable'], 0.0))} of it) might be avoided."
    )


def verdict(first: Figures, second: Figures) -> str:
    """Compare two releases in a few sentences."""
    risks = [(x["risk"]["highest"], x["risk"]["average"]) for x in (first, second)]
    (high_1, mean_1), (high_2, mean_2) = risks
    said = [
        _which(
            first, second, high_1, high_2, "is safer for those at most risk", percent
        ),
        _which(first, second, mean_1, mean_2, "is safer on average", percent),
    ]
    a, b = ((x.get("losses") or {}).get("value") for x in (first, second))
    if a is not None and b is not None:
        said.append(_which(first, second, a, b, "loses less", figure))
    return " ".join(said)


def _which(
    first: Figures, second: Figures, a: Any, b: Any, says: str, write: Any
) -> str:
    if write(a) == write(b):
        return f"Neither {says} ({write(a)})."
    better = first if a < b else second
    return f"“{better['name']}” {says} ({write(min(a, b))} against {write(max(a, b))})."


# ------------------------------------------------------------- where no front end runs


def summary(releases: list[Figures], done: bool) -> str:
    """Write static HTML: every name and value in it is escaped.

    Parameters
    ----------
    releases : list of dict
    done : bool
        Whether all figures are there.
    """
    parts = [_section(section, 3) for x in releases for section in _sections(x)]
    if len(releases) == 2:
        parts.insert(0, f"<p>{escape(verdict(*releases))}</p>\n")
    if not done:
        parts.append("<p>The other figures were still being measured.</p>\n")
    return (
        f"<style>\n{STYLE}</style>\n"
        f'<div class="skanon-report" lang="en">\n{"".join(parts)}</div>\n'
    )


def _sections(figures: Figures) -> list[Section]:
    words = meanings(figures)
    classes = figures["classes"]
    rows: list[list[Cell]] = [
        ["records", figures["records"]],
        ["suppressed", figures["suppressed"]],
        ["equivalence classes", classes["number"]],
        ["smallest class", classes["smallest"]],
        ["largest class", classes["largest"]],
        ["k achieved", figures["achieved_k"]],
    ]
    for part in figures["sensitive"]:
        of = f"of “{part['name']}”"
        rows += [[f"l (frequency) {of}", part["l_frequency"]], [f"t {of}", part["t"]]]
    risk = figures["risk"]
    attackers: list[list[Cell]] = [
        ["prosecutor", Share(risk["highest"]), words["prosecutor"]],
        ["journalist, at most", Share(risk["highest"]), words["journalist"]],
        ["marketer", Share(risk["marketer"]), words["marketer"]],
    ]
    if figures.get("journalist"):
        attackers[1][:2] = ["journalist", Share(figures["journalist"]["highest"])]
    tables = [
        Table("The release in figures", ["", "value"], rows),
        Table("Risk of being found, by attacker", ["attacker", "risk", ""], attackers),
        *_loss_tables(figures),
    ]
    unchanged = words["unchanged"]
    if figures["unchanged"]["singles_out"]:
        unchanged = f"Danger: {unchanged}"
    said = [words["promise"], *filter(None, [unchanged, *words["sensitive"]])]
    if (figures.get("bound") or {}).get("k"):
        said.append(gap_in_words(figures))
    return [Section(f"Release “{figures['name']}”", said, tables=tables)]


def _loss_tables(figures: Figures) -> list[Table]:
    losses = figures.get("losses")
    if not losses or "value" not in losses:
        return []
    caption = (
        f"Information loss {losses['loss']} = {figure(losses['value'])}, by column"
    )
    rows: list[list[Cell]] = [
        [column["name"], column["loss"], column["distance"]]
        for column in losses["columns"]
    ]
    heads = ["column", "loss", "distance of the distribution"]
    return [Table(caption, heads, rows)]
