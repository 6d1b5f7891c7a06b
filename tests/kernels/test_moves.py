"""The pruned search makes the very same moves as the unpruned oracle."""

import compiled
import naive
import numpy as np
import pytest
from random_tables import KINDS, random_pair

from skanon.clustering import _search
from skanon.clustering._search import Search
from skanon.kernels.clusters import gather
from skanon.kernels.sequential import Memory, merge_small

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


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("measure", ["lm", "ncp"])
@pytest.mark.parametrize("seed", range(12))
def test_mixed_columns(seed, measure, at_once):
    rng = np.random.RandomState(seed)
    kinds = list(rng.permutation(list(KINDS))[: rng.randint(1, 5)])
    weights = rng.choice([0.0, 0.3, 1.0, 2.0], size=len(kinds)).tolist()
    weights[0] = 1.0
    pair = random_pair(rng, kinds, 40, measure=measure, weights=weights)
    k, omega, alpha = SETTINGS[seed % len(SETTINGS)]
    compare_passes(pair, seed, k, omega, alpha, at_once)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("kinds", TIES, ids="-".join)
def test_many_equals(kinds, at_once):
    for seed, (k, omega, alpha) in enumerate(SETTINGS):
        rng = np.random.RandomState(seed)
        pair = random_pair(rng, kinds, 36)
        compare_passes(pair, seed, k, omega, alpha, at_once)


@pytest.mark.parametrize("at_once", [True, False])
def test_many_clusters(at_once):
    """More clusters than share an entry of the memory, in late passes."""
    for seed, kinds in enumerate([["tree", "interval", "subset"], ["interval"] * 2]):
        pair = random_pair(np.random.RandomState(seed), kinds, 150)
        compare_passes(pair, seed, 3, 1.5, 0.5, at_once, n_passes=12)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("chunk", [1, 3, 7])
def test_calls_cut_short(monkeypatch, chunk, at_once):
    """Little room for changes and new clusters: both must be made in time."""
    monkeypatch.setattr(_search, "CHUNK", chunk)
    pair = random_pair(np.random.RandomState(chunk), ["tree", "interval"], 70)
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
        np.full_like(memory.gain, -1.0),
        np.full_like(memory.visited, -1),
        memory.changed.copy(),
        memory.recent.copy(),
        memory.clock.copy(),
        memory.alike[:, :0],  # nor are there hints
    )


@pytest.mark.parametrize("n", [40, 100])
def test_memory_changes_no_answer(n):
    for seed in range(3):
        rng = np.random.RandomState(seed)
        pair = random_pair(rng, list(rng.permutation(list(KINDS))[:3]), n)
        search = Search(pair.problem(2), np.random.RandomState(seed), 0.5, 1.5)
        for _ in range(3):
            search.sweep(at_once=True)
            for i in range(n):
                for bound in (np.inf, float(search.memory.gain[i]), 0.3, 0.0):
                    found = [
                        compiled.best_cluster(
                            search.columns,
                            search.codes,
                            search.clusters,
                            memory,
                            i,
                            bound,
                        )
                        for memory in (search.memory, forgetful(search.memory))
                    ]
                    assert found[0] == found[1]


def compare_merging(rng, pair, n_clusters, k):
    n, cols = len(pair.codes), pair.schema.columns
    labels = rng.randint(n_clusters, size=n).astype(np.int32)
    labels[:n_clusters] = np.arange(n_clusters)
    clusters = naive.clusters_of(labels.tolist())
    order = np.arange(pair.codes.shape[1], dtype=np.int32)
    held = gather(cols, pair.codes, labels, n_clusters + 3, order)
    merge_small(cols, held, k)
    naive.merge_small(pair.table, clusters, k)
    position = {int(h): p for p, h in enumerate(np.unique(held.label))}
    merged = [position[h] for h in held.label.tolist()]
    assert merged == naive.labels_of(clusters, n)
    assert np.bincount(merged).min() >= k
    assert held.size @ held.total == pytest.approx(pair.table.summed(clusters))


@pytest.mark.parametrize("seed", range(24))
def test_merging_small_clusters(seed):
    rng = np.random.RandomState(seed)
    many = list(rng.permutation(list(KINDS))[:3])
    kinds = [many, ["flat"], ["interval"], ["subset", "flat"]][seed % 4]
    pair = random_pair(rng, kinds, 40, measure=["lm", "ncp"][seed % 2])
    compare_merging(rng, pair, rng.randint(12, 24), rng.randint(2, 6))


@pytest.mark.parametrize(
    ("kinds", "n_clusters", "k"), [(["flat", "flat"], 32, 8), (["subset"], 20, 5)]
)
def test_merging_takes_the_first_of_equal_pairs(kinds, n_clusters, k):
    for seed in range(8):
        rng = np.random.RandomState(seed)
        compare_merging(rng, random_pair(rng, kinds, 40), n_clusters, k)


def test_rise_of_a_union_stops_at_its_bound():
    rng = np.random.RandomState(3)
    pair = random_pair(rng, ["tree", "interval", "subset"], 30)
    labels = (np.arange(30) % 6).astype(np.int32)
    cols = pair.schema.columns
    held = gather(cols, pair.codes, labels, 6, np.arange(3, dtype=np.int32))
    clusters = naive.clusters_of(labels.tolist())
    scratch = np.zeros((1, held.state.shape[1]), dtype=np.int64)
    for a in range(6):
        for b in range(a):
            distance = pair.table.distance(clusters[a], clusters[b])
            rise = compiled.merging_rise(cols, held, a, b, np.inf, scratch)
            assert rise == pytest.approx(distance)
            bound = distance / 2
            cut = compiled.merging_rise(cols, held, a, b, bound, scratch)
            assert bound <= cut <= distance + 1e-12
