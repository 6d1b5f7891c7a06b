"""What releases promise whose records are generalized one by one, in words."""

from __future__ import annotations

from typing import Any

from skanon.report._words import Share, counted, shown

NOT_PROMISED = (
    "Records that are consistent with a person need not be alike, so there are no "
    "equivalence classes, and what is measured by class is left out. It is not "
    "promised that the records of a person differ in their sensitive values. Nor does "
    "it hide whether somebody is in the table, or guard against what is known beside "
    "the quasi-identifiers, such as another release of the same people."
)

_PROMISES = {
    "one_k": (
        "Each person in the table is consistent with at least {records}: the release "
        "is (1, {k})-anonymous. By itself this is not safe, as a released record may "
        "still be of one person only."
    ),
    "k_one": (
        "Each released record is consistent with at least {people}: the release is "
        "({k}, 1)-anonymous. By itself this is not safe, as a person may still be "
        "consistent with one released record only."
    ),
    "kk": (
        "Each person in the table is consistent with at least {records}, and each "
        "released record with at least {people}: the release is ({k}, {k})-anonymous. "
        "Somebody who knows exactly who is in the table may still rule some of them "
        "out."
    ),
    "global_one_k": (
        "Each person in the table has at least {matches}, the released records that "
        "are left even to somebody who knows exactly who is in the table: the release "
        "is globally (1, {k})-anonymous."
    ),
}


def promised(risk: dict[str, Any]) -> str:
    """Say what was counted again in the published text."""
    k = risk["achieved_k"]
    return _PROMISES[risk["model"]].format(
        k=f"{k:,}",
        records=counted(k, "released record"),
        people=counted(k, "person", "people"),
        matches=counted(k, "match", "matches"),
    )


def certain(part: dict[str, Any]) -> list[str]:
    """Say for how many people a sensitive value is the same in all of their records."""
    if not part["linkage"]:
        return []
    share = shown(Share(part["linkage"]["homogeneous_share"]))
    return [
        f"For {share} of the people all consistent records have the same "
        f"“{part['name']}”."
    ]
