"""Recursive full-domain recoding, against a naive one."""

import itertools

import numpy as np
import pandas as pd
import pytest

from skanon.clustering._recursive_full_domain import (
    RecursiveFullDomainAnonymizer,
    _publish,
)
from skanon.hierarchies import from_nested

TOWNS = {"Bern": "Swiss", "Basel": "Swiss", "Ulm": "Baden", "Kehl": "Baden"}
UP = {**TOWNS, "Baden": "German", "Kiel": "German", "Swiss": "*", "German": "*"}
LEAVES = ["Bern", "Basel", "Ulm", "Kehl", "Kiel"]


def tree():
    german = {"Baden": ["Ulm", "Kehl"], "Kiel": None}
    return from_nested({"*": {"Swiss": ["Bern", "Basel"], "German": german}})


def table(n, seed):
    rng = np.random.RandomState(seed)
    return pd.DataFrame(
        {
            "home": rng.choice(LEAVES, n),
            "work": rng.choice(LEAVES[1:], n),
            "sex": rng.choice(["f", "m"], n),
        }
    )


def lm(node):
    """Compute by hand: (leaves below - 1) / (all leaves - 1)."""
    return {"Swiss": 1 / 4, "Baden": 1 / 4, "German": 2 / 4, "*": 1}.get(node, 0)


def lift(value, level, deepest):
    """Climb until no more than so many nodes are above."""
    path = [value]
    while path[-1] != "*":
        path.append(UP.get(path[-1], "*"))
    return path[max(len(path) - 1 - (deepest - level), 0)]


def naive(people, k, deepest):
    """Publish by levels, the cheapest for those left first; say who is left over."""
    left = list(people.itertuples(index=False, name=None))
    rows = list(range(len(left)))
    waiting = list(itertools.product(*(range(deep + 1) for deep in deepest)))
    classes = []
    while waiting and len(rows) >= k:
        n = len(rows)

        def cost(levels, rows=tuple(rows), n=n):
            paid = sum(
                lm(lift(value, level, deep))
                for i in rows
                for value, level, deep in zip(left[i], levels, deepest, strict=True)
            )
            return round(paid / n, 9), levels

        waiting.sort(key=cost)
        batch, waiting = waiting[:100], waiting[100:]
        for levels in batch:
            groups = {}
            for i in rows:
                name = tuple(map(lift, left[i], levels, deepest))
                groups.setdefault(name, []).append(i)
            classes += [set(own) for own in groups.values() if len(own) >= k]
            rows = [i for own in groups.values() if len(own) < k for i in own]
            if len(rows) < k:
                break
    return classes, set(rows)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("k", [2, 3, 5, 11])
def test_equal_to_the_oracle(seed, k):
    people = table(30 + seed, seed)
    expected, left = naive(people, k, (3, 3, 1))
    labels = clusters(people, k)
    found = [set(np.flatnonzero(labels == h)) for h in np.unique(labels)]
    # leftovers joined some class; the others are as they were published
    assert {frozenset(own - left) for own in found} == {frozenset(c) for c in expected}
    assert min(map(len, found)) >= k


def clusters(people, k):
    hierarchies = {"home": tree(), "work": tree(), "sex": "suppression"}
    fitted = RecursiveFullDomainAnonymizer(k, hierarchies=hierarchies)
    seen = []
    cluster = fitted._cluster
    fitted._cluster = lambda problem: seen.append(cluster(problem)) or seen[0]
    fitted.fit(people)
    return seen[0]


def test_leftovers_join_where_they_cost_least():
    people = pd.DataFrame({"home": ["Bern"] * 3 + ["Ulm"] * 3 + ["Kehl"]})
    hierarchies = {"home": tree()}
    fitted = RecursiveFullDomainAnonymizer(3, hierarchies=hierarchies).fit(people)
    assert fitted.transform(people)["home"].tolist() == ["Bern"] * 3 + ["Baden"] * 4


def test_intervals_and_sets_are_single_values_or_everything():
    people = pd.DataFrame({"age": [1, 1, 2, 9, 9, 5], "town": list("aabbbb")})
    hierarchies = {"town": "subsets"}
    fitted = RecursiveFullDomainAnonymizer(2, hierarchies=hierarchies).fit(people)
    assert fitted.class_sizes_.tolist() == [2, 2, 2]
    assert fitted.transform(people)["age"].tolist()[:2] == ["1", "1"]


@pytest.mark.parametrize("n", [4, 5, 7])
def test_one_class(n):
    labels = clusters(table(n, 0), 4)
    assert np.bincount(labels).min() >= 4


def naive_publish(values, k):
    """Suppress ever more columns: the cheapest for all that are left come first."""
    n, r = values.shape
    label, n_classes = [-1] * n, 0
    # all cost the same for all records, so that the order never changes
    for hidden in sorted(
        itertools.product((0, 1), repeat=r), key=lambda x: (sum(x), x)
    ):
        left = [i for i in range(n) if label[i] < 0]
        groups = {}
        for i in left:
            seen = tuple(np.where(hidden, -1, values[i]).tolist())
            groups.setdefault(seen, []).append(i)
        for members in groups.values():
            if len(members) >= k:
                for i in members:
                    label[i] = n_classes
                n_classes += 1
    return label


@pytest.mark.parametrize("seed", range(6))
def test_many_like_columns_equal_the_naive_search(seed):
    """Values are the same in all columns; what is where must be told apart."""
    values = np.random.RandomState(seed).randint(3, size=(60, 8))
    top = np.full(60, 3)
    ancestors = [[column, top] for column in values.T]
    costs = [[np.zeros(60), np.ones(60)] for _ in ancestors]
    counts = np.ones(60, dtype=np.int64)
    for k in (2, 5):
        found = _publish(ancestors, costs, counts, k)
        expected = naive_publish(values, k)
        pairs = set(zip(found.tolist(), expected, strict=True))
        assert len(pairs) == len({x for x, _ in pairs}) == len({y for _, y in pairs})
