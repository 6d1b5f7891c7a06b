"""A report in words and tables."""

from __future__ import annotations

from typing import Any

from skanon.losses._base import Measure
from skanon.losses._named import LOSSES
from skanon.report._models import NOT_PROMISED, certain, promised
from skanon.report._sensitive import attack_section, sensitive_section
from skanon.report._words import (
    Bar,
    Cell,
    Section,
    Share,
    Table,
    bins,
    counted,
    listed,
    shown,
)


def title(contents: dict[str, Any]) -> str:
    """Give the report a title."""
    return f"Report on a release by {contents['parameters']['class']}"


def sections(contents: dict[str, Any]) -> list[Section]:
    """Put a report into words.

    Parameters
    ----------
    contents : dict
        As :meth:`skanon.report.Report.to_dict` gives it.

    Returns
    -------
    list of Section
    """
    parts = [
        _promises(contents),
        _classes(contents),
        _losses(contents),
        _columns(contents),
        _others(contents),
        sensitive_section(contents),
        attack_section(contents),
        _risk(contents),
        _missing(contents),
        _settings(contents),
    ]
    return [part for part in parts if part.tables or part.paragraphs]


def _promises(contents: dict[str, Any]) -> Section:
    table = contents["table"]
    rows: list[list[Cell]] = [
        ["records", table["records"]],
        ["of these published", table["released"]],
        ["suppressed", table["suppressed"]],
        ["that read as suppressed", table["reads_as_suppressed"]],
        ["quasi-identifiers", len(table["quasi_identifiers"])],
        ["k asked for", contents["risk"]["asked_k"]],
        ["k achieved, read in the published text", contents["risk"]["achieved_k"]],
    ]
    if table["reads_as_suppressed"] == table["suppressed"]:
        del rows[3]
    paragraphs = [_promise(contents), _no_promise(contents), *_alike(contents)]
    if table["unchanged"]:
        paragraphs.append(_unchanged(table))
    captioned = Table("The release in figures", ["", "number"], rows)
    return Section("What the release promises", paragraphs, tables=[captioned])


def _promise(contents: dict[str, Any]) -> str:
    table, k = contents["table"], contents["risk"]["achieved_k"]
    if not table["released"]:
        return (
            f"All {counted(table['records'], 'record')} are suppressed: the release "
            "tells nothing of the quasi-identifiers."
        )
    if contents["risk"]["model"] != "k":
        return promised(contents["risk"])
    q = counted(len(table["quasi_identifiers"]), "quasi-identifier")
    if k == 1:
        return (
            "The release hides nobody for sure: at least one record is the only one "
            f"with its values in the {q} (k = 1). {_hidden(table)}"
        ).rstrip()
    kept, who = "each record", "a person"
    if table["suppressed"]:
        kept, who = "each record that is in a class", "such a record's person"
    return (
        f"In its {q} {kept} reads like at least {counted(k - 1, 'other')}: the release "
        f"is {k:,}-anonymous, counted again in the published text alone. Whoever knows "
        f"all quasi-identifiers of {who} is left with at least {counted(k, 'record')} "
        f"that may be this person's. {_hidden(table)}"
    ).rstrip()


def _unchanged(table: dict[str, Any]) -> str:
    alone, together = table["unchanged_alone"], table["unchanged_together"]
    text = (
        "These columns pass through unchanged, and classes do not protect from who "
        f"knows them: {listed(table['unchanged'])}. "
    )
    if not together:
        return f"{text}They single out no record, alone or with the generalized ones."
    return (
        f"{text}{counted(alone, 'record')} can be found by them alone, "
        f"{together:,} by them and the generalized columns."
    )


def _hidden(table: dict[str, Any]) -> str:
    if not table["suppressed"]:
        return ""
    share = shown(Share(table["suppressed"] / table["records"]))
    are = "is" if table["suppressed"] == 1 else "are"
    told = (
        f"{counted(table['suppressed'], 'record')} ({share}) {are} suppressed, with * "
        "in all quasi-identifiers"
    )
    becomes = {
        "keep": "who fits no class can only be there. They are a class of their own, "
        "as large as any and under the same constraints.",
        "blank": "who fits no class can only be there, but all else that the table "
        "holds of these records is emptied, too. That they are fewer than k is no "
        "breach then.",
        "drop": "their rows are not in the release.",
    }
    return f"{told}; {becomes[table['suppressed_are']]}"


def _no_promise(contents: dict[str, Any]) -> str:
    if contents["risk"]["model"] != "k":
        return NOT_PROMISED
    return (
        "It does not promise more than that. k-anonymity does not hide a sensitive "
        "value that all records of a class share: who finds the class has found the "
        "value. Nor does it hide whether somebody is in the table, or guard against "
        "what is known beside the quasi-identifiers, such as another release of the "
        "same people."
    )


def _alike(contents: dict[str, Any]) -> list[str]:
    """Say how often a whole class has one sensitive value."""
    if not contents["sensitive"]:
        return [
            "No sensitive attribute was given, so that it is not measured how often a "
            "whole class shares a sensitive value; report(sensitive) does so."
        ]
    said = []
    for part in contents["sensitive"]:
        alike, number = part["classes_of_one_value"], contents["classes"]["number"]
        if contents["risk"]["model"] != "k":
            said += certain(part)
        if alike is None or not number:
            continue
        if alike == 0:
            said.append(f"No class has the same “{part['name']}” throughout.")
            continue
        said.append(
            f"In {alike:,} of {counted(number, 'class', 'classes')} "
            f"({counted(part['records_in_them'], 'record')}) all have the same "
            f"“{part['name']}”."
        )
    return said


def _classes(contents: dict[str, Any]) -> Section:
    classes = contents["classes"]
    words = ("number", "smallest", "largest", "mean", "median")
    rows: list[list[Cell]] = [[word, classes[word]] for word in words]
    rows[0][0] = "number of classes"
    head, caption = "Equivalence classes", "Sizes of the equivalence classes"
    if contents["risk"]["model"] != "k":
        head, caption = "Released records that read the same", "How many do"
        rows[0][0] = "number of different records"
    summary = Table(caption, ["", "value"], rows)
    return Section(head, bins=bins(classes["sizes"]), tables=[summary])


def _losses(contents: dict[str, Any]) -> Section:
    losses = contents["losses"]
    objective = losses["objective"]
    rows: list[list[Cell]] = [
        [
            f"{objective['loss']}, the objective",
            objective["value"],
            "what the algorithm kept low, with its weights",
        ]
    ]
    rows += [
        [one.title, losses[one.name], one.unit]
        for one in _measures(objective)
        if one.name in losses
    ]
    caption = "Information loss of the whole release; 0 for the original table"
    tables = [Table(caption, ["loss", "value", "what it counts"], rows)]
    return Section("Information loss", tables=tables)


def _measures(objective: dict[str, Any]) -> list[Measure]:
    """List the measures of losses that are shown beside the objective."""
    return [
        one
        for kind in LOSSES.offered()
        for one in kind.measures
        if one.summed or repr(kind()) != objective["loss"]
    ]


def _columns(contents: dict[str, Any]) -> Section:
    objective = contents["losses"]["objective"]
    columns = contents["columns"]
    most = max(column["losses"]["objective"] for column in columns)
    full = max(most, 1.0)
    known = columns[0]["losses"]
    shown_too = [x for x in _measures(objective) if x.name in known and not x.summed]
    heads = [one.title.split(",")[0] for one in shown_too]
    rows = [
        [
            column["name"],
            Bar(column["losses"]["objective"], full),
            *(column["losses"][one.name] for one in shown_too),
        ]
        for column in columns
    ]
    caption = (
        f"Loss by quasi-identifier. The objective is {objective['loss']}, here without "
        f"weights; a full bar is {shown(full)}."
    )
    losses = Table(caption, ["column", "objective", *heads], rows)
    kinds = Table(
        "Hierarchies and values by quasi-identifier; the distance is that of the "
        "column's distribution before and after, 0 to 1",
        ["column", "hierarchy", "values", "subsets published", "distance"],
        [
            [
                column["name"],
                column["hierarchy"],
                column["values"],
                column["published"],
                column["distribution_distance"],
            ]
            for column in columns
        ],
    )
    return Section("Columns", tables=[losses, kinds])


_METRICS = {
    "ambiguity_metric": (
        "AM, ambiguity",
        "combinations of values that a record may stand for, on average",
    ),
    "discernibility_metric": (
        "DM, discernibility",
        "how many records each looks like, summed; all where it is suppressed",
    ),
    "average_class_size": ("C_avg, average class size", "records to a class"),
    "average_class_size_over_k": ("C_avg / k", "the same over the k asked for; 1 best"),
    "kl_divergence": (
        "KL divergence",
        "bits between the table's distribution and the release's",
    ),
    "distribution_distance": (
        "distribution distance",
        "average over the columns, 0 to 1",
    ),
    "correlation_difference": (
        "correlation difference",
        "average over pairs of ordered columns, 0 to 2",
    ),
}


def _others(contents: dict[str, Any]) -> Section:
    metrics = contents["metrics"]
    rows = [[name, metrics[key], says] for key, (name, says) in _METRICS.items()]
    if metrics["kl_divergence_error"]:
        at = list(_METRICS).index("kl_divergence") + 1
        says = "its standard error, since it is estimated"
        rows.insert(
            at, ["± of the KL divergence", metrics["kl_divergence_error"], says]
        )
    table = Table("Lower is better", ["metric", "value", "what it counts"], rows)
    return Section("Other metrics", tables=[table])


def _risk(contents: dict[str, Any]) -> Section:
    risk = contents["risk"]
    rows: list[list[Cell]] = [
        [
            "prosecutor: the most that any published record is at",
            Share(risk["highest"]),
        ],
        ["marketer: the average of the published records", Share(risk["average"])],
    ]
    summary = Table(
        "Risk that a record is linked to its person, by somebody who knows all "
        "quasi-identifiers, and who is in the table",
        ["risk", "value"],
        rows,
    )
    above = Table(
        "Records at more than some risk",
        ["risk above", "records", "share of all"],
        [
            [Share(x["risk"]), x["records"], Share(x["share"])]
            for x in risk["records_above"]
        ],
    )
    said = [
        "The prosecutor looks for one person, the marketer for as many as possible. A "
        "journalist who does not know who is in the table is at most as sure as the "
        "prosecutor; how much less depends on the population, which a report does not "
        "know (skanon.privacy.journalist_risk)."
    ]
    return Section("Risk", said, tables=[summary, above])


def _missing(contents: dict[str, Any]) -> Section:
    rows = [
        [
            x["what"] if x["of"] is None else f"{x['what']} of “{x['of']}”",
            x["part"],
            x["why"],
        ]
        for x in contents["not_measured"]
    ]
    table = Table("What is missing above, and why", ["what", "part", "why"], rows)
    return Section("Not measured", tables=[table] if rows else [])


def _settings(contents: dict[str, Any]) -> Section:
    parameters = contents["parameters"]["parameters"]
    rows: list[list[Cell]] = []
    for name, value in parameters.items():
        if name == "hierarchies":
            continue  # they are shown by column
        if isinstance(value, dict) and set(value) == {"class", "parameters"}:
            rows.append([name, value["class"]])
            rows += [[f"{name}__{k}", _said(v)] for k, v in value["parameters"].items()]
        else:
            rows.append([name, _said(value)])
    chosen = Table("Parameters", ["parameter", "value"], rows)
    versions = Table(
        "Versions",
        ["package", "version"],
        [[name, version] for name, version in contents["versions"].items()],
    )
    return Section("Parameters and versions", tables=[chosen, versions])


def _said(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(str(part) for part in value)
    return str(value)
