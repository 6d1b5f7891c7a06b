"""The oracle of a whole fit: sequential clustering, suppression, transform."""

from dataclasses import replace

import naive
import numpy as np
from sklearn.utils import check_random_state


def naive_run(
    table, k, seed, alpha=0.5, omega=1.5, at_once=True, max_iter=100, tol=0.0
):
    """Draw what one run draws, and run the oracle with it.

    ``seed`` may be a random state, from which is drawn.
    """
    n = len(table.records)
    draws = check_random_state(seed)
    n_clusters = max(n // max(int(alpha * k), 1), 1)
    labels = [0] * n
    for at, i in enumerate(draws.permutation(n)):
        labels[i] = at % n_clusters
    permutations = iter(lambda: draws.permutation(n).tolist(), None)
    clusters, n_iter = naive.sequential(
        table,
        k,
        labels,
        permutations,
        omega=omega,
        at_once=at_once,
        max_iter=max_iter,
        tol=tol,
    )
    assert len(clusters) <= n // k
    return clusters, n_iter


def seeds_of(random_state, n_init):
    return np.random.RandomState(random_state).randint(2**31 - 1, size=n_init)


def naive_suppression(table, k, run, budget):
    """No suppression and both tries; yields the clusters of each."""
    clusters, _ = naive_run(table, k, run)
    yield [list(members) for members in clusters]
    simple = [list(members) for members in clusters]
    naive.suppress_outliers(table, simple, k, budget)
    yield simple
    gone = naive.suppress_outliers(table, clusters, 1, budget)
    kept = [i for i in range(len(table.records)) if i not in gone]
    if not gone or len(kept) < k:
        return
    part = replace(
        table,
        records=[table.records[i] for i in kept],
        sensitive=[table.sensitive[i] for i in kept],
    )
    anew, _ = naive_run(part, k, run)
    anew = [[kept[at] for at in members] for members in anew]
    naive.suppress_outliers(table, anew, k, budget - len(gone))
    yield anew
