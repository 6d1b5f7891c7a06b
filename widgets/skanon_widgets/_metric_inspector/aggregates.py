"""The figures of a release that the inspector shows: counts, shares and averages.

Every part is a dict of types that JSON knows. A chart of the original tells nothing of
fewer records than a class has; sensitive values are shares of a class, and only where
the release itself tells them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from skanon.exceptions import AnonymizationError, ParameterError
from skanon.metrics import loss_lower_bound
from skanon.metrics._columns import ReadColumn
from skanon.metrics._distributions import column_distances
from skanon.metrics._divergence import spread_weights
from skanon.privacy import (
    equivalence_classes,
    journalist_risk,
    k_anonymity,
    l_diversity,
    marketer_risk,
    prosecutor_risk,
    t_closeness,
)
from skanon.privacy.attacks import linkage_attack
from skanon.report._measure import THRESHOLDS
from skanon.report._settings import describe, described, names, plain_name
from skanon.report._words import Bin, bins
from skanon_widgets._metric_inspector.bins import bars
from skanon_widgets._metric_inspector.releases import (
    InspectedRelease,
    reason,
    shortened,
)

# ------------------------------------------------------------------- classes and risks


def class_numbers(release: InspectedRelease) -> pd.DataFrame:
    """Give each record's equivalence class, as the published values alone tell it.

    Returns
    -------
    DataFrame of shape (n, 1)
        ``HIDDEN`` where a record is wholly suppressed. It is read many times faster
        than the published texts, and has the same classes.
    """
    return equivalence_classes(release.released).to_frame("class")


HIDDEN = -1


def class_sizes(classes: pd.DataFrame) -> np.ndarray:
    """Count the records of each class."""
    numbers = classes["class"].to_numpy()
    return np.bincount(numbers[numbers != HIDDEN])


def size_bins(sizes: list[np.ndarray]) -> list[Bin]:
    """Choose ranges of class sizes that several releases are shown in."""
    distinct, counts = np.unique(np.concatenate(sizes), return_counts=True)
    pairs = zip(distinct.tolist(), counts.tolist(), strict=True)
    return bins([{"size": size, "classes": count} for size, count in pairs])


def overview(
    release: InspectedRelease, classes: pd.DataFrame, ranges: list[Bin]
) -> dict[str, Any]:
    """Measure what the published values alone tell: classes, k, l, t and risks.

    Parameters
    ----------
    release : InspectedRelease
    classes : DataFrame of shape (n, 1)
        As :func:`class_numbers` gives them.
    ranges : list of Bin
        As :func:`size_bins` gives them.
    """
    n, sizes = len(release), class_sizes(classes)
    return {
        "name": shortened(release.name),
        "made_by": release.made_by,
        "asked_k": release.k,
        "records": n,
        "suppressed": n - int(sizes.sum()),
        "quasi_identifiers": [shortened(x) for x in names(release.original.columns)],
        "classes": _classes(sizes, ranges),
        "achieved_k": k_anonymity(classes, suppressed=HIDDEN),
        "sensitive": [
            _levels(release, classes, name) for name in release.sensitive.columns
        ],
        "one_by_one": release.linked is not None,
        "unchanged": {
            "told": shortened(release.unchanged.told(), most=1000),
            "singles_out": release.unchanged.singles_out(),
        },
        "risk": _risks(classes) if release.linked is None else _linked(release.linked),
    }


def _classes(sizes: np.ndarray, ranges: list[Bin]) -> dict[str, Any]:
    some = len(sizes) > 0
    inside = [sizes[(part.low <= sizes) & (sizes <= part.high)] for part in ranges]
    return {
        "number": len(sizes),
        "smallest": int(sizes.min()) if some else None,
        "largest": int(sizes.max()) if some else None,
        "mean": float(sizes.mean()) if some else None,
        "median": float(np.median(sizes)) if some else None,
        "bins": [
            {"label": x.label, "classes": len(found), "records": int(found.sum())}
            for x, found in zip(ranges, inside, strict=True)
        ],
    }


def _levels(
    release: InspectedRelease, classes: pd.DataFrame, name: Any
) -> dict[str, Any]:
    """Measure l and t of one sensitive attribute."""
    values = release.sensitive[name]
    part = {"name": shortened(plain_name(name)), "why": None}
    lacking = dict.fromkeys(("values", *LEVELS))
    if release.linked is not None:
        why = "l and t are measured in equivalence classes, which there are none of."
        return part | lacking | {"why": why}

    def measured(model: Any, **options: Any) -> float:
        return float(model(classes, ["class"], values, suppressed=HIDDEN, **options))

    try:
        return part | {
            "values": int(values.nunique(dropna=False)),
            "l_frequency": measured(l_diversity),
            "l_distinct": measured(l_diversity, kind="distinct"),
            "l_entropy": measured(l_diversity, kind="entropy"),
            "t": measured(t_closeness),
        }
    except (AnonymizationError, TypeError) as error:
        return part | lacking | {"why": reason(error)}


LEVELS = ("l_frequency", "l_distinct", "l_entropy", "t")


def _risks(classes: pd.DataFrame) -> dict[str, Any]:
    prosecutor = prosecutor_risk(classes, suppressed=HIDDEN)
    above = {
        risk: prosecutor_risk(classes, threshold=risk, suppressed=HIDDEN).at_risk
        for risk in THRESHOLDS
    }
    return {
        "highest": prosecutor.highest,
        "average": prosecutor.average,
        "fewest": round(1 / prosecutor.highest),
        "marketer": marketer_risk(classes, suppressed=HIDDEN),
        "in_classes": prosecutor.n_records,
        "records_above": [
            {"risk": risk, "records": records, "share": records / len(classes)}
            for risk, records in above.items()
        ],
    }


def _linked(linked: np.ndarray) -> dict[str, Any]:
    """Tell the same of records that are in no classes, but linked with some others."""
    risks = 1.0 / linked
    above = {most: int((risks > most).sum()) for most in THRESHOLDS}
    return {
        "highest": float(risks.max()),
        "average": float(risks.mean()),
        "fewest": int(linked.min()),
        "marketer": float(risks.mean()),
        "in_classes": len(linked),
        "records_above": [
            {"risk": risk, "records": records, "share": records / len(linked)}
            for risk, records in above.items()
        ],
    }


def journalist(release: InspectedRelease, population_size: int) -> dict[str, Any]:
    """Estimate the journalist's risk, for a random sample of so many people.

    Raises
    ------
    ParameterError
        The number cannot be, or there are no equivalence classes.
    """
    if release.linked is not None:
        raise ParameterError(
            f"The records of {release.name!r} are generalized one by one, but the "
            "estimate looks at equivalence classes. The prosecutor's risk is an upper "
            "bound."
        )
    risk = journalist_risk(release.released, population_size=population_size)
    return {
        "population_size": population_size,
        "highest": risk.highest,
        "average": risk.average,
    }


# ---------------------------------------------------------------------------- the loss


def losses(release: InspectedRelease) -> dict[str, Any]:
    """Measure the loss, in all and by column, and how far distributions have moved."""
    reading = release.reading
    moved = column_distances(reading, np.ones(len(reading)), "uniform")
    shares = release.settled_loss.relative_weights(list(release.original.columns))
    return {
        "loss": described(release.loss),
        "value": release.information_loss(),
        "columns": [
            {
                "name": shortened(plain_name(column.name)),
                "hierarchy": describe(release.hierarchies[column.name]),
                "weight": float(share),
                "loss": loss,
                "distance": float(distance),
                "values": int((column.bound.counts > 0).sum()),
                "published": column.n_subsets,
            }
            for column, loss, distance, share in zip(
                reading.columns, release.column_losses(), moved, shares, strict=True
            )
        ],
    }


def distributions(release: InspectedRelease, least: int | None = None) -> list[dict]:
    """Give each column's distribution before and after, in few bars.

    Parameters
    ----------
    release : InspectedRelease
    least : int or None
        A bar has no original record, or so many at least; None means k.
    """
    least = release.least if least is None else least
    return [_distribution(column, least) for column in release.reading.columns]


def _distribution(column: ReadColumn, least: int) -> dict[str, Any]:
    drawn = bars(column.bound, least)
    n, n_bars = len(column.codes), len(drawn.labels)
    values = spread_weights(column, "uniform", np.ones(n))
    masses = np.bincount(column.subset, minlength=column.n_subsets) / n
    after = column.spread(masses, values)
    before = column.bound.counts / n
    return {
        "name": shortened(plain_name(column.name)),
        "labels": [shortened(label) for label in drawn.labels],
        "before": np.bincount(drawn.of_code, before, minlength=n_bars).tolist(),
        "after": np.bincount(drawn.of_code, after, minlength=n_bars).tolist(),
    }


# ------------------------------------------------------------------------ what is slow


def attacks(release: InspectedRelease) -> list[dict[str, Any]]:
    """Let somebody who knows all quasi-identifiers link everybody."""
    return [_attack(release, name) for name in release.sensitive.columns]


def _attack(release: InspectedRelease, name: Any) -> dict[str, Any]:
    part: dict[str, Any] = {"name": shortened(plain_name(name)), "why": None}
    try:
        found = linkage_attack(
            release.original,
            release.released,
            list(release.released.columns),
            release.sensitive[name],
            hierarchies=release.hierarchies,
        )
    except (AnonymizationError, TypeError) as error:
        return part | dict.fromkeys(LINKED) | {"why": reason(error)}
    return part | {
        "fewest_records": found.fewest_records,
        **{key: float(getattr(found, key)) for key in LINKED[1:]},
    }


LINKED = ("fewest_records", "homogeneous_share", "highest_share", "largest_gain")


def bound(release: InspectedRelease) -> dict[str, Any]:
    """Bound the loss of every release of this table that is as anonymous as this."""
    k = release.k or k_anonymity(release.released)
    y = None
    if release.loss.uses_sensitive:
        y = release.sensitive[release.looked_at]
    lowest = loss_lower_bound(
        release.original,
        k=k,
        loss=release.loss,
        hierarchies=dict(release.hierarchies),
        sensitive=y,
    )
    loss = release.information_loss()
    return {
        "k": int(k),
        "lower_bound": lowest,
        "loss": loss,
        "gap": loss - lowest,
        "avoidable": (loss - lowest) / loss if loss > 0 else 0.0,
    }
