"""Rings and their windows beside the oracle, and the probabilities of the draw."""

from collections import Counter

import naive_rings as naive
import numpy as np
import pandas as pd
import pytest
from random_tables import KINDS, MEASURES, random_pair, seeded
from scipy.stats import chi2

from skanon._table.schema import Schema
from skanon.hierarchies import Intervals
from skanon.kernels.consistency.rings import (
    LOOK,
    close_windows,
    draw_windows,
    order_rings,
)
from skanon.losses import LM

WITHOUT_PENALTY = [name for name in MEASURES if "pen" not in name and name != "all"]


def random_rings(seed, measure, k):
    """A random table whose records lie on rings of k records and more, by chance."""
    rng = seeded(seed, measure)
    kinds = list(rng.permutation(list(KINDS))[: rng.randint(1, 5)])
    if seed % 3 == 2:  # much is equal
        kinds = [["flat"], ["subset", "flat"], ["interval"]][seed % 9 // 3]
    sizes = [k, k + 1, *(k + rng.randint(0, 3 * k, size=2))]
    weights = rng.choice([0.0, 0.3, 1.0, 2.0], size=len(kinds)).tolist()
    weights[0] = 1.0
    pair = random_pair(rng, kinds, sum(sizes), measure=measure, weights=weights)
    members = rng.permutation(sum(sizes)).astype(np.int32)
    return pair, members, np.append(0, np.cumsum(sizes))


def parts(members, start):
    return [part.tolist() for part in np.split(members, start[1:-1])]


@pytest.mark.parametrize("measure", WITHOUT_PENALTY)
@pytest.mark.parametrize("seed", range(6))
def test_the_order_is_the_oracles(measure, seed):
    k, reach = 1 + seed, 1 + seed // 2
    pair, members, start = random_rings(seed, measure, k)
    lines = parts(members, start)
    chosen = np.array([0, 1, 3])
    table = pair.schema.columns, pair.codes, pair.sensitive
    order_rings(*table, members, start, chosen, k, reach)
    for g, (line, ring) in enumerate(zip(lines, parts(members, start), strict=True)):
        wanted = naive.ring_of(pair.table, line, k, reach) if g in chosen else line
        assert ring == wanted


def interval_table(values):
    frame = pd.DataFrame({"a": values})
    schema, codes = Schema.learn(frame, {"a": Intervals()}, LM())
    return schema.columns, codes, np.zeros(len(values), dtype=np.int32)


@pytest.mark.parametrize(("place", "is_seen"), [(LOOK, True), (LOOK + 1, False)])
def test_only_some_of_the_next_are_considered(place, is_seen):
    values = np.arange(LOOK + 10) + 50
    values[0], values[place] = 0, 1
    members = np.arange(len(values), dtype=np.int32)
    start = np.array([0, len(values)])
    order_rings(*interval_table(values), members, start, np.array([0]), 2, 1)
    assert members[:3].tolist() == ([0, place, 1] if is_seen else [0, 1, 2])
    assert sorted(members) == list(range(len(values)))


@pytest.mark.parametrize("seed", range(30))
def test_windows_are_closures_of_k_neighbours(seed):
    k = 1 + seed % 7
    pair, members, start = random_rings(seed, "lm", k)
    states = close_windows(pair.schema.columns, pair.codes, members, start, k)
    wanted = []
    for ring in parts(members, start):
        wanted += naive.windows_of(pair.table, ring, k)
    assert [pair.decode(row) for row in states] == wanted


def draw(sizes, k, seed, n_shifts=None, chosen=None):
    start = np.append(0, np.cumsum(sizes))
    given = np.full(start[-1], -1, dtype=np.int64)
    rings = np.arange(len(sizes)) if chosen is None else np.array(chosen)
    rng = np.random.default_rng(seed)
    draw_windows(start, rings, k, n_shifts or k, rng, given)
    shifted = zip(np.split(given, start[1:-1]), start[:-1], strict=True)
    return [tuple((part - first).tolist()) for part, first in shifted]


@pytest.mark.parametrize("n_shifts", [None, 1, 2, 3])
def test_each_draw_is_a_perfect_matching(n_shifts):
    for k in range(3 if n_shifts else 1, 9):
        sizes = [*range(k, 3 * k + 2), k, 40]
        drawn = draw(sizes, k, seed=k, n_shifts=n_shifts)
        for m, given in zip(sizes, drawn, strict=True):
            assert naive.is_perfect(given, m, k)
            if n_shifts and m > k:
                shifts = {(p - w) % m for p, w in enumerate(given)}
                assert len(shifts) <= n_shifts


def test_rings_that_are_not_chosen_are_left_alone():
    given = draw([5, 6, 7], 3, seed=0, chosen=[0, 2])
    assert set(given[1]) == {-1 - 5}
    assert naive.is_perfect(given[0], 5, 3) and naive.is_perfect(given[2], 7, 3)


@pytest.mark.parametrize("n_shifts", [None, 2])
@pytest.mark.parametrize(("m", "k"), [(4, 3), (7, 3), (9, 4), (11, 5), (14, 8)])
def test_each_edge_has_probability_1_in_k(m, k, n_shifts):
    n_draws = 200_000 if m < 8 else 20_000
    drawn = np.array(draw([m] * n_draws, k, seed=m, n_shifts=n_shifts))
    # draws are independent, so the windows of one record are a sample; the level of
    # the test is shared by the m records
    bound = chi2.isf(1e-3 / m, k - 1)
    for place, windows in enumerate(naive.fitting(m, k)):
        counts = np.array([(drawn[:, place] == w).sum() for w in windows])
        assert counts.sum() == n_draws
        statistic = ((counts - n_draws / k) ** 2 / (n_draws / k)).sum()
        assert statistic < bound


@pytest.mark.parametrize(("m", "k"), [(3, 2), (4, 3), (5, 3), (6, 4), (7, 3)])
def test_all_perfect_matchings_occur(m, k):
    drawn = Counter(draw([m] * 20_000, k, seed=m))
    assert set(drawn) == naive.all_matchings(m, k)


def test_a_seed_makes_the_draw_reproducible():
    sizes = [30, 40, 50]
    assert draw(sizes, 10, seed=1) == draw(sizes, 10, seed=1)
    assert draw(sizes, 10, seed=1) != draw(sizes, 10, seed=2)


def test_long_rings_and_many_windows():
    given = draw([20_000], 100, seed=0)[0]
    assert sorted(given) == list(range(20_000))
    assert max((p - w) % 20_000 for p, w in enumerate(given)) == 99
