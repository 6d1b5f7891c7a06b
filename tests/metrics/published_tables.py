"""Random tables with releases that any tool may have made: no closures, no nodes."""

from dataclasses import dataclass

import naive_additive
import numpy as np
import pandas as pd

from skanon.hierarchies import Intervals, Subsets, Suppression, Taxonomy


@dataclass
class Column:
    values: list  # one for each record, None where it is missing
    attribute: naive_additive.Attribute
    hierarchy: object
    dtype: object
    text: object = str
    ranges: bool = False  # whether [low, high] can be read

    def random_entry(self, rng, value):
        """A set that holds a value, and how it is written."""
        whole = self.attribute.everything
        form = rng.choice(["own", "all", "set", "range", "node"])
        if form == "all" or value is None:
            own = form != "all"
            return (frozenset([None]), None) if own else (whole, "*")
        present = sorted(whole - {None}, key=self.place)
        if form == "range" and self.ranges:
            other = present[rng.randint(len(present))]
            low, high = sorted([value, other], key=self.place)
            inside = [
                v
                for v in present
                if self.place(low) <= self.place(v) <= self.place(high)
            ]
            return frozenset(inside), f"[{self.text(low)}, {self.text(high)}]"
        if form == "set":
            others = [v for v in present if rng.randint(3) == 0]
            entry = frozenset([value, *others])
            return entry, "{" + ", ".join(
                map(self.text, rng.permutation(list(entry)))
            ) + "}"
        if form == "node" and self.attribute.form == "tree":
            labels = self.attribute.levels[rng.randint(len(self.attribute.levels))]
            if labels[value] != "*":  # which covers missing values as well
                inside = [v for v in labels if labels[v] == labels[value]]
                return frozenset(inside), labels[value]
        return frozenset([value]), self.text(value)

    def place(self, value):
        return self.attribute.places[value] if self.ranges else str(value)


def _with_gaps(rng, values, fraction):
    absent = rng.random_sample(len(values)) < fraction
    absent[rng.randint(len(values))] = False
    return [None if a else v for v, a in zip(values, absent, strict=True)]


def _levels(rng, leaves, height):
    """Dicts leaf -> label; leaves of one node need not be neighbours."""
    place, levels = rng.permutation(len(leaves)), []
    for level in range(1, height):
        place = place // rng.randint(1, 4)
        names = [f"level {level} node {at}" for at in place]
        levels.append(dict(zip(leaves, names, strict=True)))
    return [*levels, dict.fromkeys(leaves, "*")]


def _tree(values, leaves, levels, dtype, places=None, **options):
    everything = frozenset(leaves) | ({None} & set(values))
    hierarchy = Taxonomy(leaves, [list(labels.values()) for labels in levels])
    attribute = naive_additive.Attribute(everything, "tree", places, levels)
    return Column(values, attribute, hierarchy, dtype, **options)


def _flat(values, dtype, places=None):
    present = sorted(set(values) - {None})
    levels = [dict.fromkeys(present, "*")]
    attribute = naive_additive.Attribute(frozenset(values), "tree", places, levels)
    return Column(values, attribute, Suppression(), dtype, ranges=places is not None)


def tree(rng, pick):
    leaves = [f"leaf {at}" for at in range(rng.randint(1, 9))]
    return _tree(pick(leaves), leaves, _levels(rng, leaves, 3), object)


def number_tree(rng, pick):
    leaves = rng.permutation(np.unique(rng.randint(-30, 30, size=9))).tolist()
    places = dict(zip(leaves, leaves, strict=True))
    levels = _levels(rng, leaves, 4)
    return _tree(pick(leaves), leaves, levels, float, places, ranges=True)


def category_tree(rng, pick):
    leaves = ["low", "middle", "high", "top", "never"]
    values = pick(leaves[:4])
    used = [leaf for leaf in leaves if leaf in values]
    places = {leaf: at for at, leaf in enumerate(used)}
    dtype = pd.CategoricalDtype(leaves, ordered=True)
    return _tree(values, leaves, _levels(rng, leaves, 3), dtype, places)


def flat(rng, pick):
    return _flat(pick(list("abcde")), object)


def flat_number(rng, pick):
    numbers = [1, 2, 4, 9, 33]
    values = pick(numbers)
    return _flat(values, float, {v: v for v in values if v is not None})


def _interval(values, dtype, places, text=str):
    attribute = naive_additive.Attribute(frozenset(values), "interval", places)
    return Column(values, attribute, Intervals(), dtype, text, ranges=True)


def number(rng, pick):
    values = pick(np.unique(rng.randint(0, 50, size=12)).tolist())
    return _interval(values, float, {v: v for v in values if v is not None})


def date(rng, pick):
    start = pd.Timestamp("1999-12-30")
    values = pick([start + pd.Timedelta(days=int(d)) for d in rng.randint(0, 400, 8)])
    places = {v: v.value for v in values if v is not None}
    return _interval(values, "datetime64[us]", places, lambda v: v.strftime("%Y-%m-%d"))


def category(rng, pick):
    order = ["small", "large", "x", "huge"]  # not that of the alphabet
    values = pick(order)
    used = [v for v in order if v in values]
    places = {v: at for at, v in enumerate(used)}
    return _interval(values, pd.CategoricalDtype(order, ordered=True), places)


def subset(rng, pick):
    values = pick(list("abcdefg"))
    attribute = naive_additive.Attribute(frozenset(values), "set")
    return Column(values, attribute, Subsets(), object)


def number_subset(rng, pick):
    values = pick([3, 5, 8, 9])
    places = {v: v for v in values if v is not None}
    attribute = naive_additive.Attribute(frozenset(values), "set", places)
    return Column(values, attribute, Subsets(), float, ranges=True)


def constant(rng, pick):
    if rng.randint(2):
        return _flat(pick(["a"]), object)
    values = pick([7])
    return _interval(values, float, {7: 7})


KINDS = {
    make.__name__: make
    for make in (
        tree,
        number_tree,
        category_tree,
        flat,
        flat_number,
        number,
        date,
        category,
        subset,
        number_subset,
        constant,
    )
}


@dataclass
class Published:
    """A random table, its release, and both as the oracle takes them."""

    table: pd.DataFrame
    release: pd.DataFrame
    hierarchies: dict
    naive: naive_additive.Measured

    def measured(self, metric, **options):
        return metric(
            self.table,
            self.release,
            hierarchies=self.hierarchies,
            sample_weight=self.naive.weights,
            **options,
        )


def random_table(rng, kinds, n, missing=0.15):
    """Columns of some kinds, and the frame and hierarchies that they make."""

    def pick(vocabulary):
        chosen = [vocabulary[at] for at in rng.randint(len(vocabulary), size=n)]
        return _with_gaps(rng, chosen, rng.choice([0, missing]))

    columns = {f"{kind}{j}": KINDS[kind](rng, pick) for j, kind in enumerate(kinds)}
    frame = pd.DataFrame(
        {name: pd.Series(c.values, dtype=c.dtype) for name, c in columns.items()}
    )
    return columns, frame, {name: c.hierarchy for name, c in columns.items()}


def random_published(seed, kinds, n):
    rng = np.random.RandomState(seed)
    columns, frame, hierarchies = random_table(rng, kinds, n)
    hidden = rng.random_sample(n) < rng.choice([0, 0.2, 1], p=[0.45, 0.45, 0.1])
    texts, sets = [], []
    for i in range(n):
        entries = [
            column.random_entry(rng, column.values[i]) for column in columns.values()
        ]
        if hidden[i]:
            entries = [(c.attribute.everything, "*") for c in columns.values()]
        sets.append(tuple(entry for entry, _ in entries))
        texts.append([text for _, text in entries])
    weights = rng.randint(0, 4, size=n) + rng.choice([0, 0.25])
    weights[rng.randint(n)] = 1.5
    naive = naive_additive.Measured(
        [column.attribute for column in columns.values()],
        list(zip(*(column.values for column in columns.values()), strict=True)),
        sets,
        [all(text == "*" for text in row) for row in texts],
        [f"illness {at}" for at in rng.randint(3, size=n)],
        weights.tolist(),
    )
    release = pd.DataFrame(texts, columns=list(columns), dtype=object)
    return Published(frame, release, hierarchies, naive)
