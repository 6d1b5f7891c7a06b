"""Refinement as a stage of its own: never worse, and what was promised stays so."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from random_tables import MEASURES, random_pair, seeded

from skanon._problem import Problem
from skanon._table.schema import Schema
from skanon.clustering import _refinement
from skanon.clustering._refinement import refined
from skanon.constraints import LDiversity, TCloseness
from skanon.constraints._bound import bind_constraints, broken, members_of, repair
from skanon.losses import LM


def random_labels(rng, n, k):
    """Clusters of at least k, some of them larger than 2k."""
    labels = rng.permutation(np.arange(n) % (n // (2 * k)))
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)


def summed(pair, labels):
    clusters = [np.flatnonzero(labels == h).tolist() for h in range(labels.max() + 1)]
    return pair.table.summed(clusters)


@pytest.fixture(params=[(2500, 64), (8, 4)], ids=["one region", "small regions"])
def regions(request, monkeypatch):
    monkeypatch.setattr(_refinement, "REGION", request.param)


@pytest.mark.usefixtures("regions")
@pytest.mark.parametrize("measure", MEASURES)
def test_no_clustering_gets_worse(measure):
    for seed in range(3):
        rng = seeded(seed, measure)
        kinds = ["tree", "interval", "subset", "flat"][: rng.randint(1, 5)]
        pair = random_pair(rng, kinds, 60, measure=measure)
        labels = random_labels(rng, 60, 3)
        problem = pair.problem(3, np.random.RandomState(seed))
        found = refined(problem, labels, 8)
        assert np.bincount(found).min() >= 3
        assert summed(pair, found) <= summed(pair, labels) + 1e-9


@pytest.mark.usefixtures("regions")
def test_labels_depend_on_the_seed_alone():
    rng = seeded(4, "lm")
    pair = random_pair(rng, ["tree", "interval", "subset"], 200)
    labels = random_labels(rng, 200, 3)
    found = [
        refined(
            replace(pair.problem(3, np.random.RandomState(seed)), n_jobs=n_jobs),
            labels,
            9,
        ).tolist()
        for seed, n_jobs in [(0, None), (0, 2), (1, 1)]
    ]
    assert found[0] == found[1] != found[2]


def test_more_visits_lose_less_and_none_change_nothing():
    rng = seeded(5, "ncp")
    pair = random_pair(rng, ["tree", "interval", "subset"], 400, measure="ncp")
    labels = random_labels(rng, 400, 4)
    losses = [
        summed(pair, refined(pair.problem(4, np.random.RandomState(0)), labels, visits))
        for visits in (0, 1, 40)
    ]
    assert losses[0] == summed(pair, labels)
    assert losses[0] > losses[1] > losses[2]


def test_what_is_best_by_hand_is_found():
    """Six ages in the worst pairs; the best ones lose 1 year of 51 each."""
    ages = pd.DataFrame({"age": [0, 50, 1, 51, 20, 21] * 2})
    schema, codes = Schema.learn(ages, {}, LM())
    problem = Problem(
        schema,
        codes,
        np.zeros(12, dtype=np.int32),
        2,
        np.random.RandomState(0),
        None,
        0,
    )
    found = refined(problem, np.arange(12, dtype=np.int32) // 2, 20)
    assert found.tolist() == found[:6].tolist() * 2
    assert len(set(found.tolist())) == 6


@pytest.mark.usefixtures("regions")
@pytest.mark.parametrize("constraint", [LDiversity(2), TCloseness(0.3)])
def test_constraints_are_kept(constraint):
    rng = seeded(6, "lm")
    pair = random_pair(rng, ["tree", "interval", "subset"], 120)
    ill = pd.DataFrame({"ill": rng.choice(["flu", "cold", "none"], size=120)})
    bound = bind_constraints([constraint], ill)
    start = repair(
        pair.schema, pair.codes, pair.sensitive, random_labels(rng, 120, 3), bound
    )
    labels = np.unique(start, return_inverse=True)[1].astype(np.int32)
    problem = pair.problem(3, np.random.RandomState(0), bound)
    found = refined(problem, labels, 12)
    clusters = members_of(found, found.max() + 1)
    assert not broken(bound, clusters).any()
    assert min(map(len, clusters)) >= 3
    assert summed(pair, found) < summed(pair, labels)


@pytest.mark.usefixtures("regions")
def test_records_in_no_cluster_stay_so():
    rng = seeded(7, "lm")
    pair = random_pair(rng, ["tree", "interval"], 90)
    labels = random_labels(rng, 90, 3)
    labels[rng.permutation(90)[:2]] = -1
    found = refined(pair.problem(3, np.random.RandomState(0)), labels, 6)
    assert (np.flatnonzero(found < 0) == np.flatnonzero(labels < 0)).all()
    assert np.bincount(found[found >= 0]).min() >= 3


def test_progress_is_told_on_request(capsys):
    pair = random_pair(seeded(8, "lm"), ["interval"], 40)
    labels = random_labels(np.random.RandomState(0), 40, 3)
    problem = pair.problem(3, np.random.RandomState(0))
    refined(problem, labels, 5)
    assert capsys.readouterr() == ("", "")
    refined(replace(problem, verbose=1), labels, 5)
    out, told = capsys.readouterr()
    assert not out
    assert "refinement 2 of 2" in told
