"""What the tests of single algorithms share: random tables, clusters, promises."""

import naive
import numpy as np
import pandas as pd
import pytest
from random_tables import KINDS, random_pair, seeded


def mixed_pair(seed, n=40, measure="lm", kinds=None, missing=0.1):
    """A table of one to four columns, the first of which has a weight."""
    rng = seeded(seed, measure)
    if kinds is None:
        kinds = list(rng.permutation(list(KINDS))[: rng.randint(1, 5)])
    weights = [1.0, *rng.choice([0.0, 0.5, 1.0, 2.0], size=len(kinds) - 1).tolist()]
    return random_pair(rng, kinds, n, measure=measure, weights=weights, missing=missing)


def fit(algorithm, pair, k, **parameters):
    return algorithm(k, hierarchies=pair.hierarchies, loss=pair.loss, **parameters).fit(
        pair.frame, pair.y
    )


def clusters_by(anonymizer, pair, k, seed=0, bound_constraints=()):
    """What an algorithm makes of a table, before anything else is done to it.

    Clusters are sorted, and so are they in a list; suppressed records are left out.
    """
    draws = np.random.RandomState(seed)
    labels = anonymizer._cluster(pair.problem(k, draws, bound_constraints))
    assert len(labels) == len(pair.codes)
    parts = [np.flatnonzero(labels == h).tolist() for h in np.unique(labels)]
    return sorted(parts[1:] if labels.min() < 0 else parts)


def arranged(clusters):
    return sorted(map(sorted, clusters))


def equals_oracle(fitted, pair, clusters):
    """A fit publishes what the oracle's clusters do, at their loss."""
    expected = naive.classes_by_appearance(pair.table, clusters)
    assert fitted.labels_.tolist() == expected
    release = pair.table.release(clusters)
    assert fitted.information_loss_ == pytest.approx(
        pair.table.loss(release), abs=1e-10
    )


def keeps_k(fitted, pair, k, fraction=0.0):
    """All classes have k records, and no more are suppressed than may be."""
    n = len(pair.codes)
    assert fitted.suppressed_.sum() <= int(fraction * n + 1e-9)
    assert fitted.class_sizes_.sum() + fitted.suppressed_.sum() == n
    assert not len(fitted.class_sizes_) or fitted.class_sizes_.min() >= k
    loss = pair.table.loss(
        [
            None if h < 0 else pair.table.closure(np.flatnonzero(fitted.labels_ == h))
            for h in fitted.labels_
        ]
    )
    assert fitted.information_loss_ == pytest.approx(loss, abs=1e-10)


def tells_only_on_request(algorithm, capsys, **parameters):
    """Returns what is told."""
    frame = pd.DataFrame({"a": np.arange(47) ** 2})
    quiet = algorithm(4, random_state=0, **parameters).fit(frame)
    assert capsys.readouterr() == ("", "")
    loud = algorithm(4, random_state=0, verbose=1, **parameters).fit(frame)
    told = capsys.readouterr()
    assert told.out == ""
    assert (loud.labels_ == quiet.labels_).all()
    assert all(line.startswith("[skanon] ") for line in told.err.splitlines())
    return told.err
