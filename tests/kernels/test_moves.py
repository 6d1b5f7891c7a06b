"""The pruned search makes the very same moves as the unpruned oracle."""

import itertools

import compiled
import naive
import numpy as np
import pytest
from random_tables import KINDS, MEASURES, random_pair, seeded

from skanon.clustering import _sequential_run as _search
from skanon.clustering._sequential_run import Search
from skanon.kernels.clustering.clusters import gather
from skanon.kernels.clustering.merging import merge_small
from skanon.kernels.clustering.sequential import Memory

# k; the room for growth; the initial size of clusters as a part of k
SETTINGS = [(2, 1.5, 0.5), (4, 1.5, 0.5), (5, 1.2, 1.0), (6, 2.0, 0.2)]
TIES = [["flat"] * 2, ["subset", "flat"], ["constant", "flat"], ["interval"]]


def compare_passes(pair, seed, k, omega, alpha, at_once, n_passes=3):
    """Compare labels and moves after each pass; return both searches' ends."""
    random_state = np.random.RandomState(seed)
    search = Search(pair.problem(k), random_state, alpha, omega)
    draws = np.random.RandomState(seed)
    clusters = naive.clusters_of(initial_labels(draws, len(pair.codes), k, alpha))
    assert search.clusters.label.tolist() == naive.labels_of(clusters, len(pair.codes))
    for _ in range(n_passes):
        ranks = draws.permutation(len(pair.codes)).tolist()
        expected = naive.one_pass(pair.table, clusters, ranks, int(omega * k), at_once)
        assert search.sweep(at_once=at_once) == expected
        labels = naive.labels_of(clusters, len(pair.codes))
        assert search.clusters.label.tolist() == labels
        assert search.loss == pytest.approx(pair.table.summed(clusters), abs=1e-10)
    return search, clusters


def initial_labels(draws, n, k, alpha):
    """Deal the records out at random, as many clusters as step 1 asks for."""
    n_clusters = max(n // max(int(alpha * k), 1), 1)
    labels = [0] * n
    for at, i in enumerate(draws.permutation(n)):
        labels[i] = at % n_clusters
    return labels


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", range(8))
def test_mixed_columns(seed, measure):
    rng = seeded(seed, measure)
    kinds = list(rng.permutation(list(KINDS))[: rng.randint(1, 5)])
    weights = rng.choice([0.0, 0.3, 1.0, 2.0], size=len(kinds)).tolist()
    weights[0] = 1.0
    pair = random_pair(rng, kinds, 40, measure=measure, weights=weights)
    k, omega, alpha = SETTINGS[seed % len(SETTINGS)]
    compare_passes(pair, seed, k, omega, alpha, at_once=seed < 4)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("kinds", TIES, ids="-".join)
def test_many_equals(kinds, at_once):
    for seed, measure in enumerate(["lm", "mi", "pmi", "lm+penalty", "penalty"]):
        k, omega, alpha = SETTINGS[seed % len(SETTINGS)]
        rng = np.random.RandomState(seed)
        pair = random_pair(rng, kinds, 36, measure=measure)
        compare_passes(pair, seed, k, omega, alpha, at_once)


@pytest.mark.parametrize("measure", ["lm", "mi+pmi"])
@pytest.mark.parametrize("at_once", [True, False])
def test_many_clusters(at_once, measure):
    """More clusters than share an entry of the memory, in late passes."""
    for seed, kinds in enumerate([["tree", "interval", "subset"], ["interval"] * 2]):
        pair = random_pair(np.random.RandomState(seed), kinds, 100, measure=measure)
        compare_passes(pair, seed, 3, 1.5, 0.5, at_once, n_passes=8)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("chunk", [1, 2, 7])
def test_calls_cut_short(monkeypatch, chunk, at_once):
    """Little room for changes and new clusters: both must be made in time."""
    monkeypatch.setattr(_search, "CHUNK", chunk)
    measure = ["lm", "pmi"][chunk % 2]
    kinds = ["tree", "interval"]
    pair = random_pair(np.random.RandomState(chunk), kinds, 70, measure=measure)
    compare_passes(pair, chunk, 4, 1.25, 1.0, at_once)


def test_many_splits_after_a_pass(monkeypatch):
    """Of 12 clusters 11 are too large from the start, and nothing can be gained."""
    monkeypatch.setattr(_search, "CHUNK", 1)
    pair = random_pair(np.random.RandomState(0), ["constant"], 155)
    search, _ = compare_passes(pair, 0, 12, 1.05, 1.0, True, n_passes=2)
    assert len(search.clusters.size[search.clusters.size > 0]) == 23


def forgetful(memory):
    """Memory that has seen nothing, so that nothing can be left out."""
    return Memory(
        gain=np.full_like(memory.gain, -1.0),
        visited=np.full_like(memory.visited, -1),
        changed=memory.changed.copy(),
        recent=memory.recent.copy(),
        clock=memory.clock.copy(),
        alike=memory.alike[:, :0],  # nor are there hints
    )


def scratch(pair):
    """Room for a row of states, and for the numbers of sensitive values."""
    curve = pair.schema.columns.curve
    n_sensitive = 1 if curve is None else curve.whole.shape[1] - 1
    width = sum(bound.width for bound in pair.schema.bounds)
    return np.zeros((1, width), np.int64), np.zeros((1, n_sensitive), np.int32)


def best_cluster(pair, search, memory, i, bound):
    return compiled.best_cluster(
        search.columns,
        search.codes,
        search.clusters,
        memory,
        i,
        bound,
        *scratch(pair),
    )


@pytest.mark.parametrize(
    ("measure", "n"), [*((measure, 40) for measure in MEASURES), ("pmi", 90)]
)
def test_memory_changes_no_answer(measure, n):
    for seed in range(1 + (n == 40)):
        rng = seeded(seed, measure)
        kinds = list(rng.permutation(list(KINDS))[:3])
        pair = random_pair(rng, kinds, n, measure=measure)
        search = Search(pair.problem(2), np.random.RandomState(seed), 0.5, 1.5)
        for _ in range(2):
            search.sweep(at_once=True)
            for i in range(n):
                for bound in (np.inf, float(search.memory.gain[i]), 0.3, 0.0):
                    found = [
                        best_cluster(pair, search, memory, i, bound)
                        for memory in (search.memory, forgetful(search.memory))
                    ]
                    assert found[0][0] == found[1][0]
                    assert found[0][1] == pytest.approx(found[1][1], abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", range(3))
def test_the_best_cluster_below_any_bound(seed, measure):
    rng = seeded(seed, measure)
    kinds = list(rng.permutation(list(KINDS))[:3])
    compare_best(seed, random_pair(rng, kinds, 40, measure=measure))


@pytest.mark.parametrize("measure", ["entropy", "pmi"])
@pytest.mark.parametrize("kind", ["interval", "subset", "tree"])
def test_the_best_cluster_where_costs_fall(kind, measure):
    for seed in range(5):
        compare_best(
            seed, random_pair(seeded(seed, measure), [kind], 40, measure=measure)
        )


def compare_best(seed, pair):
    """Pruning overlooks nothing: neither floors nor hints nor memory."""
    search = Search(pair.problem(4), np.random.RandomState(seed), 0.5, 1.5)
    search.sweep(at_once=True)
    labels = search.clusters.label
    clusters = [np.flatnonzero(labels == h).tolist() for h in range(labels.max() + 1)]
    for i in range(40):
        rises = [
            pair.table.summed([[*members, i]]) - pair.table.summed([members])
            if members and i not in members
            else np.inf
            for members in clusters
        ]
        for bound in (np.inf, np.median(rises), min(rises) + 1e-6, min(rises) - 1e-6):
            h, least = best_cluster(pair, search, forgetful(search.memory), i, bound)
            if min(rises) < bound - 1e-9:
                # the first of equals
                assert h == np.flatnonzero(np.array(rises) < min(rises) + 1e-11)[0]
                assert least == pytest.approx(min(rises), abs=1e-11)
            else:
                assert (h, least) == (-1, bound)


def compare_merging(rng, pair, n_clusters, k):
    n, cols = len(pair.codes), pair.schema.columns
    labels = rng.randint(n_clusters, size=n).astype(np.int32)
    labels[:n_clusters] = np.arange(n_clusters)
    clusters = naive.clusters_of(labels.tolist())
    order = rng.permutation(pair.codes.shape[1]).astype(np.int32)
    held = gather(cols, pair.codes, pair.sensitive, labels, n_clusters + 3, order)
    merge_small(cols, held, k)
    naive.merge_small(pair.table, clusters, k)
    position = {int(h): p for p, h in enumerate(np.unique(held.label))}
    merged = [position[h] for h in held.label.tolist()]
    assert merged == naive.labels_of(clusters, n)
    assert np.bincount(merged).min() >= k
    assert held.size @ held.total == pytest.approx(pair.table.summed(clusters))


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", range(6))
def test_merging_small_clusters(seed, measure):
    rng = seeded(seed, measure)
    many = list(rng.permutation(list(KINDS))[:3])
    kinds = [many, many, ["flat"], many, ["interval"], ["subset", "flat"]][seed]
    pair = random_pair(rng, kinds, 40, measure=measure)
    compare_merging(rng, pair, rng.randint(12, 24), rng.randint(2, 6))


@pytest.mark.parametrize(
    ("kinds", "n_clusters", "k"), [(["flat", "flat"], 32, 8), (["subset"], 20, 5)]
)
def test_merging_takes_the_first_of_equal_pairs(kinds, n_clusters, k):
    for seed in range(8):
        rng = np.random.RandomState(seed)
        pair = random_pair(rng, kinds, 40, measure=["lm", "penalty"][seed % 2])
        compare_merging(rng, pair, n_clusters, k)


@pytest.mark.parametrize("measure", MEASURES)
def test_rise_of_a_union_stops_at_its_bound(measure):
    for seed in range(4):
        rng = seeded(seed, measure)
        kinds = list(rng.permutation(list(KINDS))[:4])
        pair = random_pair(rng, kinds, 30, measure=measure)
        labels = (np.arange(30) % 9 % 6).astype(np.int32)
        cols = pair.schema.columns
        order = rng.permutation(4).astype(np.int32)
        held = gather(cols, pair.codes, pair.sensitive, labels, 6, order)
        clusters = naive.clusters_of(labels.tolist())

        def rise(a, b, bound, pair=pair, held=held, cols=cols):
            return compiled.merging_rise(cols, held, a, b, bound, *scratch(pair))

        for a, b in itertools.permutations(range(6), 2):
            distance = pair.table.distance(clusters[a], clusters[b])
            assert rise(a, b, np.inf) == pytest.approx(distance, abs=1e-11)
            assert rise(a, b, distance + 1e-6) == pytest.approx(distance, abs=1e-11)
            for bound in (distance / 2, distance - 0.5, distance - 1e-6, -3.0):
                cut = rise(a, b, bound)
                if bound < distance:
                    assert bound - 1e-11 <= cut <= distance + 1e-11
