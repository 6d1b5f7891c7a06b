"""A report's sections on sensitive attributes."""

from __future__ import annotations

from typing import Any

from skanon.report._words import Cell, Section, Share, Table


def sensitive_section(contents: dict[str, Any]) -> Section:
    measured = [x for x in contents["sensitive"] if x["columns"] is not None]
    if not measured:
        return Section("Sensitive attributes")
    rows: list[list[Cell]] = []
    for part in measured:
        scores = part["private_mutual_information_scores"]
        rows.append(
            [
                part["name"],
                part["values"],
                part["classes_of_one_value"],
                part["classification_metric"],
                part["class_entropy_diversity"],
                part["private_mutual_information_loss"],
                scores["l1"],
                scores["max"],
            ]
        )
    heads = [
        "attribute",
        "values",
        "classes of one value",
        "CM",
        "bits in a class",
        "PMI loss",
        "PMI score",
        "PMI score, best column",
    ]
    said = [
        "CM is the share of records whose sensitive value is not the majority's in "
        "their class. Bits in a class: the entropy of the sensitive value within one, "
        "on average; 0 means that each class gives it away. PMI: bits that the "
        "published columns tell of the sensitive value; the score is what is left of "
        "them, the loss what is lost."
    ]
    table = Table("Sensitive attributes, within the classes", heads, rows)
    return Section("Sensitive attributes", said, tables=[table])


def attack_section(contents: dict[str, Any]) -> Section:
    """Tell what classes promise of sensitive values, and what linking them tells."""
    attacked = [part for part in contents["sensitive"] if part["linkage"]]
    measured = [part for part in contents["sensitive"] if part["levels"]]
    if not (attacked or measured):
        return Section("Sensitive attributes under attack")
    levels = ["l_frequency", "l_distinct", "l_entropy", "t", "beta", "delta"]
    promised = Table(
        "What each class keeps at least, by sensitive attribute",
        [
            "attribute",
            "l (frequency)",
            "l (distinct)",
            "l (entropy)",
            "t",
            "beta",
            "delta",
        ],
        [
            [part["name"], *(part["levels"][level] for level in levels)]
            for part in measured
        ],
    )
    linked = Table(
        "What somebody learns who knows all quasi-identifiers of everybody",
        [
            "attribute",
            "fewest records that fit a person",
            "people whose value is certain",
            "surest guess",
            "largest gain over the value's share",
        ],
        [
            [
                part["name"],
                part["linkage"]["fewest_records"],
                Share(part["linkage"]["homogeneous_share"]),
                Share(part["linkage"]["highest_share"]),
                Share(part["linkage"]["largest_gain"]),
            ]
            for part in attacked
        ],
    )
    said = [
        "l: how many values a class has, evenly spread or not. t: how far its values "
        "are from those of the table, from 0 to 1. beta, delta: by how much a value's "
        "share grows or changes in a class. An attack tells what these mean for "
        "people: the records that fit somebody may lie in several classes."
    ]
    tables = [promised, linked] if measured else [linked]
    return Section("Sensitive attributes under attack", said, tables=tables)
