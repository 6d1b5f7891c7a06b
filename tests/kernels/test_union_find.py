"""Disjoint sets by their roots, beside scipy's components."""

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from skanon.kernels.core.union_find import find, roots_of


@pytest.mark.parametrize("n_pairs", [0, 1, 10, 40])
def test_sets_that_were_united(n_pairs):
    n = 30
    rng = np.random.RandomState(n_pairs)
    pairs = rng.randint(n, size=(2, n_pairs))
    parent = np.arange(n, dtype=np.int32)
    for a, b in pairs.T:
        parent[find(parent, a)] = find(parent, b)
    before = parent.copy()
    roots = roots_of(parent)
    assert np.array_equal(parent, before)
    assert roots.dtype == np.int32 and np.array_equal(roots[roots], roots)
    assert [find(parent, a) for a in range(n)] == roots.tolist()
    graph = coo_array((np.ones(n_pairs), pairs), shape=(n, n))
    _, expected = connected_components(graph, directed=False)
    assert np.array_equal(
        roots[:, None] == roots, expected[:, None] == expected[None, :]
    )
