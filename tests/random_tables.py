"""Random tables, once as the package takes them and once as the oracle does."""

from dataclasses import dataclass

import naive
import numpy as np
import pandas as pd
from naive import MISSING

from skanon._problem import Problem
from skanon._table.schema import Schema
from skanon.hierarchies import Intervals, Subsets, Suppression, Taxonomy
from skanon.losses import (
    LM,
    MI,
    NCP,
    PMI,
    ByunInformationLoss,
    ClassPenalty,
    Entropy,
    TreeMeasure,
)

MEASURES = {
    "lm": [(1, LM, naive.LM)],
    "ncp": [(1, NCP, naive.NCP)],
    "tree": [(1, TreeMeasure, naive.TREE)],
    "byun": [(1, ByunInformationLoss, naive.IL)],
    "entropy": [(1, Entropy, naive.EM)],
    "mi": [(1, MI, naive.MI)],
    "pmi": [(1, PMI, naive.PMI)],
    "mi+pmi": [(0.25, MI, naive.MI), (0.75, PMI, naive.PMI)],
    "lm+penalty": [(1, LM, naive.LM), (0.3, ClassPenalty, None)],
    "penalty": [(2, ClassPenalty, None)],
    "ncp+entropy": [(0.1, NCP, naive.NCP), (1, Entropy, naive.EM)],
    "all": [
        (0.5, ByunInformationLoss, naive.IL),
        (1, PMI, naive.PMI),
        (0.4, TreeMeasure, naive.TREE),
        (0.3, Entropy, naive.EM),
        (0.1, MI, naive.MI),
        (0.7, ClassPenalty, None),
    ],
}
"""The parts of losses: a factor, the package's class and the oracle's measure. The
penalty is no measure of columns."""

LISTED = ("lm", "ncp")
"""Those that are a price list, whatever the hierarchies."""

GROWING = (*LISTED, "tree", "byun", "mi")
"""Those that never fall when subsets grow."""


def loss_of(measure, names, weights):
    """Make a loss of the package's; each part has its weights turned one further."""
    terms = []
    for turns, (factor, loss, oracle) in enumerate(MEASURES[measure]):
        given = None
        if weights and oracle:
            given = dict(zip(names, np.roll(weights, turns).tolist(), strict=True))
        part = loss(given) if oracle else loss()
        terms.append(part if factor == 1 else factor * part)
    return terms[0] if len(terms) == 1 else sum(terms[1:], start=terms[0])


def naive_parts(measure, n_columns, weights):
    """The same for the oracle; and the penalty."""
    parts, penalty = [], 0.0
    for turns, (factor, _, oracle) in enumerate(MEASURES[measure]):
        if oracle is None:
            penalty += factor
        else:
            given = np.roll(weights or [1.0] * n_columns, turns)
            parts.append(naive.Part(float(factor), oracle, tuple(given.tolist())))
    return parts, penalty


@dataclass
class Pair:
    """The same table twice."""

    frame: pd.DataFrame
    y: list
    hierarchies: dict
    loss: object
    schema: Schema
    codes: np.ndarray
    sensitive: np.ndarray
    table: naive.Table

    def problem(self, k, random_state=None, bound_constraints=()):
        parts = self.schema, self.codes, self.sensitive, k, random_state, None, 0
        return Problem(*parts, list(bound_constraints))

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
    loss = loss_of(measure, frame.columns, weights)
    y, sensitive = [0] * n, np.zeros(n, dtype=np.int32)
    if loss.uses_sensitive:
        y = random_sensitive(rng, records)
        sensitive = np.unique(y, return_inverse=True)[1].astype(np.int32)
    schema, codes = Schema.learn(frame, hierarchies, loss, sensitive)
    parts, penalty = naive_parts(measure, len(kinds), weights)
    for column, values in zip(columns, records, strict=True):
        column.rows = list(zip(values, y, strict=True))
    rows = list(zip(*records, strict=True))
    table = naive.Table(rows, columns, parts, y, penalty)
    return Pair(frame, y, hierarchies, loss, schema, codes, sensitive, table)


def seeded(seed, measure):
    """Random numbers that are others for each measure."""
    return np.random.RandomState(1000 * list(MEASURES).index(measure) + seed)


def random_sensitive(rng, records):
    """Two to four sensitive values, which a column's values mostly tell."""
    telling = records[rng.randint(len(records))]
    names = ["flu", "cold", "none", "gout"][: rng.randint(2, 5)]
    rule = {value: names[rng.randint(len(names))] for value in dict.fromkeys(telling)}
    return [
        rule[value] if rng.randint(4) else names[rng.randint(len(names))]
        for value in telling
    ]


def values_in_order(values):
    return sorted(set(values))


def _pick(rng, vocabulary, n):
    """Pick values that are equally likely, or one of them most of the time."""
    favourite, favoured = rng.randint(len(vocabulary)), rng.choice([0, 0.85])
    places = rng.randint(len(vocabulary), size=n)
    places[rng.random_sample(n) < favoured] = favourite
    return [vocabulary[at] for at in places]


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

TREES = ["tree", "number_tree", "ordered_tree", "flat", "flat_number"]
"""The kinds whose permissible subsets are the nodes of a tree."""
