"""Random tables, once as the package takes them and once as the oracle does."""

from dataclasses import dataclass

import naive
import numpy as np
import pandas as pd
from naive import MISSING

from skanon.hierarchies import Intervals, Subsets, Suppression, Taxonomy
from skanon.losses import LM, NCP
from skanon.problem import Problem
from skanon.table import Schema

MEASURES = {"lm": (LM, naive.lm), "ncp": (NCP, naive.ncp)}


@dataclass
class Pair:
    """The same table twice."""

    frame: pd.DataFrame
    hierarchies: dict
    loss: object
    schema: Schema
    codes: np.ndarray
    table: naive.Table

    def problem(self, k, random_state=None):
        return Problem(self.schema, self.codes, k, random_state, None, 0)

    def decode(self, row):
        """Turn a row of states into the sets of values that it stands for."""
        return tuple(
            decode(bound, row[at])
            for bound, at in zip(self.schema.bounds, self.schema.parts(), strict=True)
        )


def decode(bound, state):
    values = list(bound.values)
    return frozenset(
        MISSING if code == bound.missing else values[code]
        for code in bound.members(state).tolist()
    )


def code_of(bound, value):
    """A value's code, found by looking at all of them."""
    if value is naive.UNKNOWN:
        return -1
    return bound.missing if value is MISSING else list(bound.values).index(value)


def random_pair(rng, kinds, n, *, measure="lm", weights=None, missing=0.1):
    """Make a table with a column of each of some kinds (keys of KINDS)."""
    series, hierarchies, columns, records = {}, {}, [], []
    for j, kind in enumerate(kinds):
        name = f"{kind}{j}"
        values, hierarchy, make, dtype = KINDS[kind](rng, n)
        absent = rng.random_sample(n) < rng.choice([0, missing])
        with_gaps = [None if a else v for v, a in zip(values, absent, strict=True)]
        used = [v for v in values_in_order(values) if v in set(with_gaps) - {None}]
        series[name] = pd.Series(with_gaps, dtype=dtype)
        hierarchies[name] = hierarchy
        columns.append(make(used, bool(absent.any())))
        records.append([MISSING if v is None else v for v in with_gaps])
    frame = pd.DataFrame(series)
    given = dict(zip(frame.columns, weights, strict=True)) if weights else None
    loss_class, naive_measure = MEASURES[measure]
    schema, codes = Schema.learn(frame, hierarchies, loss_class(given))
    rows = list(zip(*records, strict=True))
    table = naive.Table(rows, columns, weights or [1.0] * len(kinds), naive_measure)
    return Pair(frame, hierarchies, loss_class(given), schema, codes, table)


def values_in_order(values):
    return sorted(set(values))


def _pick(rng, vocabulary, n):
    return [vocabulary[at] for at in rng.randint(len(vocabulary), size=n)]


def random_levels(rng, m, height=3):
    """Levels of a random tree over m leaves, not necessarily neighbours."""
    place = rng.permutation(m)
    levels = []
    for level in range(1, height):
        place = place // rng.randint(1, 4)
        levels.append([f"level {level}, node {at}" for at in place])
    return [*levels, ["*"] * m]


def _tree(rng, n):
    leaves = [f"leaf {at}" for at in range(rng.randint(1, 12))]
    levels = random_levels(rng, len(leaves))

    def make(used, missing):
        return naive.taxonomy(leaves, levels, missing)

    return _pick(rng, leaves, n), Taxonomy(leaves, levels), make, object


def _number_tree(rng, n):
    leaves = np.unique(rng.randint(-50, 50, size=12)).tolist()
    levels = random_levels(rng, len(leaves))

    def make(used, missing):
        return naive.taxonomy(
            leaves, levels, missing, dict(zip(leaves, leaves, strict=True))
        )

    return _pick(rng, leaves, n), Taxonomy(leaves, levels), make, float


def _ordered_tree(rng, n):
    leaves = ["low", "middle", "high", "top", "never"]
    levels = random_levels(rng, len(leaves))

    def make(used, missing):
        ranked = [leaf for leaf in leaves if leaf in used]
        places = {leaf: at for at, leaf in enumerate(ranked)}
        return naive.taxonomy(leaves, levels, missing, places)

    dtype = pd.CategoricalDtype(leaves, ordered=True)
    return _pick(rng, leaves[:4], n), Taxonomy(leaves, levels), make, dtype


def _flat(rng, n):
    values = _pick(rng, list("abcde"), n)
    return values, Suppression(), naive.suppression, object


def _flat_number(rng, n):
    def make(used, missing):
        return naive.suppression(used, missing, dict(zip(used, used, strict=True)))

    return _pick(rng, [1, 2, 4, 9, 33], n), Suppression(), make, float


def _interval(rng, n):
    def make(used, missing):
        return naive.intervals(used, missing, dict(zip(used, used, strict=True)))

    values = _pick(rng, np.unique(rng.randint(0, 60, size=20)).tolist(), n)
    return values, Intervals(), make, float


def _date(rng, n):
    def make(used, missing):
        return naive.intervals(used, missing, {v: v.value for v in used})

    days = pd.Timestamp("1899-12-30") + pd.to_timedelta(rng.randint(0, 900, 9), "D")
    return _pick(rng, list(days), n), Intervals(), make, "datetime64[us]"


def _ordered(rng, n):
    order = ["small", "large", "x", "huge", "average"]  # not that of the alphabet

    def make(used, missing):
        ranked = [value for value in order if value in used]
        places = {value: at for at, value in enumerate(ranked)}
        return naive.intervals(ranked, missing, places)

    dtype = pd.CategoricalDtype(order, ordered=True)
    return _pick(rng, order, n), Intervals(), make, dtype


def _subset(rng, n):
    return _pick(rng, list("abcdefg"), n), Subsets(), naive.subsets, object


def _wide(rng, n):
    vocabulary = [f"{at:03}" for at in range(rng.choice([64, 65, 128, 129, 200]))]
    picked = [*vocabulary[-n:], *_pick(rng, vocabulary, n)][:n]
    return picked, Subsets(), naive.subsets, object


def _constant(rng, n):
    chosen = rng.randint(3)
    if chosen == 0:
        return ["a"] * n, Subsets(), naive.subsets, object
    if chosen == 1:
        return ["a"] * n, Suppression(), naive.suppression, object

    def make(used, missing):
        return naive.intervals(used, missing, dict(zip(used, used, strict=True)))

    return [7] * n, Intervals(), make, float


KINDS = {
    "tree": _tree,
    "number_tree": _number_tree,
    "ordered_tree": _ordered_tree,
    "flat": _flat,
    "flat_number": _flat_number,
    "interval": _interval,
    "date": _date,
    "ordered": _ordered,
    "subset": _subset,
    "wide": _wide,
    "constant": _constant,
}
