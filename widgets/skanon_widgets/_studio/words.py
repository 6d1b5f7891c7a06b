"""What the studio offers, in words."""

from __future__ import annotations

import math

from skanon.clustering._effort import in_words

AUTO = "Chosen for the table (loses least)"
AUTO_SUMMARY = (
    "What loses least in a reasonable time, in blocks where the table is large."
)

EFFORTS = {
    "fast": "Little: a first look",
    "default": "As much as pays",
    "high": "Much: the final release",
}


def expected(seconds: float) -> str:
    """Say how long a fit will take, roughly."""
    if math.isnan(seconds):
        return "How long it takes is not known."
    return f"It takes {in_words(seconds)}."


ENCODINGS = {
    "label": "Text for people: [20, 29], a group's name, *",
    "representative": "A typical value of the column's own type",
    "bounds": "Two columns for numbers: low and high",
    "distribution": "For classifiers: shares of categories, mean and width",
}

SUPPRESSIONS = {
    "keep": "stay as a class: none, or at least k",
    "blank": "stay, with all their other cells empty",
    "drop": "are left out",
}

ROLE_WORDS = {
    "identifier": "names a person; it is dropped",
    "quasi-identifier": "others may know it; it is generalized",
    "sensitive": "sensitive; it is published as it is, and constraints protect it",
    "other": "neither; it is published as it is",
}

INDEX_IS_LEFT_OUT = (
    "The table's index is left out of the release: an index often names people. If it "
    "tells nothing of them, AnonymizationStudio(table, keep_index=True) keeps it."
)

KINDS = {
    "number": "numbers",
    "datetime": "dates",
    "timedelta": "time spans",
    "bool": "yes or no",
    "text": "text",
    None: "unreadable",
}
