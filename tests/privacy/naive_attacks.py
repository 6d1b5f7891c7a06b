"""The oracle: attacks by looking at each person, record and column; in fractions."""

import math
from collections import Counter
from fractions import Fraction

import pandas as pd
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm

TOWNS = {"land": {"north": ["Kiel", "Bremen"], "south": {"bavaria": ["Ulm, Neu"]}}}

# what each label says of an age, of a town
AGES = {
    "*": lambda age: True,
    "21": lambda age: age == 21,
    33.0: lambda age: age == 33,
    "[20, 29]": lambda age: age is not None and 20 <= age <= 29,
    "(21, 33]": lambda age: age is not None and 21 < age <= 33,
    "29-40": lambda age: age is not None and 29 <= age <= 40,
    "< 29": lambda age: age is not None and age < 29,
    "{20, 33}": lambda age: age in (20, 33),
    pd.Interval(20, 29, closed="left"): lambda age: age is not None and 20 <= age < 29,
    None: lambda age: age is None,
}
PLACES = {
    "*": lambda town: True,
    "land": lambda town: True,
    "Kiel": lambda town: town == "Kiel",
    "north": lambda town: town in ("Kiel", "Bremen"),
    "south": lambda town: town == "Ulm, Neu",
    '{Kiel, "Ulm, Neu"}': lambda town: town in ("Kiel", "Ulm, Neu"),
    None: lambda town: town is None,
}


def key(value):
    """Make missing values of all kinds one."""
    return None if pd.api.types.is_scalar(value) and pd.isna(value) else value


def _column(draw, values, n):
    return draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))


@st.composite
def releases(draw):
    """Draw people, and a release of anybody with a sensitive attribute ``ill``."""
    n, size = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    ages = draw(st.sampled_from([list(AGES), ["[20, 29]", 33.0, "*"], ["21", None]]))
    places = draw(st.sampled_from([list(PLACES), ["north", "south", None], ["*"]]))
    release = pd.DataFrame(
        {
            "age": _column(draw, ages, n),
            "town": _column(draw, places, n),
            "ill": _column(draw, ["flu", "cold", "ulcer", None], n),
        },
        dtype=object,
    )
    people = pd.DataFrame(
        {
            "town": _column(draw, ["Kiel", "Bremen", "Ulm, Neu", None], size),
            "age": _column(draw, [20, 21, 25, 29, 33, 40, 77, None], size),
        },
        index=[f"person {i}" for i in range(size)],
    )
    dtype = draw(st.sampled_from(["float64", "Int64"]))
    return release, people.astype({"age": dtype})


def fits(label, value, says):
    return says[key(label)](key(value))


def link(people, release, sensitive, consistent):
    """Link each person; ``consistent(name, label, value)`` reads a label."""
    names = list(people.columns)
    sensitive = [key(x) for x in sensitive]
    rates = {v: Fraction(c, len(sensitive)) for v, c in Counter(sensitive).items()}
    found = []
    for person in people.to_dict("records"):
        rows = [
            row
            for row, record in enumerate(release[names].to_dict("records"))
            if all(consistent(x, record[x], person[x]) for x in names)
        ]
        classes = {
            tuple((type(release[x].iloc[i]), key(release[x].iloc[i])) for x in names)
            for i in rows
        }
        counts = Counter(sensitive[i] for i in rows)
        shares = {v: Fraction(c, len(rows)) for v, c in counts.items()}
        found.append((len(rows), len(classes), shares))
    return found, rates


def wilson(hits, n, confidence):
    """Solve |p - hits / n| = z sqrt(p (1 - p) / n) for both p."""
    z, share = norm.ppf((1 + confidence) / 2), hits / n

    def score(p):
        return (p - share) ** 2 - z * z * p * (1 - p) / n

    low = 0.0 if hits == 0 else brentq(score, 0, min(share, 1 - 1e-9), xtol=1e-14)
    high = 1.0 if hits == n else brentq(score, max(share, 1e-9), 1, xtol=1e-14)
    return low, high


def newcombe(hits, n, other_hits, other_n, confidence):
    p, q = hits / n, other_hits / other_n
    l1, u1 = wilson(hits, n, confidence)
    l2, u2 = wilson(other_hits, other_n, confidence)
    return (
        p - q - math.sqrt((p - l1) ** 2 + (u2 - q) ** 2),
        p - q + math.sqrt((u1 - p) ** 2 + (q - l2) ** 2),
    )


def number_features(values, inside):
    """Describe the values of a number column for which ``inside`` is true.

    Returns
    -------
    list
        The mean rank, scaled, and the share of the missing value if there is one.
    """
    present = sorted({v for v in values if key(v) is not None})
    held = [present.index(v) for v in present if inside(v)]
    gone = any(key(v) is None for v in values) and inside(None)
    mean = Fraction(sum(held), len(held) * max(len(present) - 1, 1)) if held else 0.5
    missing = [gone / (len(held) + gone) if held or gone else 0]
    return [float(mean)] + (missing if None in map(key, values) else [])


def text_features(values, inside):
    """Describe the values of a text column, in the order of ``values``."""
    held = [bool(inside(v)) for v in values]
    return [h / max(sum(held), 1) for h in held]
