"""Whole fits of sequential clustering, and what they transform, equal the oracle."""

import naive
import numpy as np
import pandas as pd
import pytest
from naive import MISSING
from naive_fit import naive_run, naive_suppression, seeds_of
from random_tables import KINDS, MEASURES, random_pair, seeded

from skanon.clustering import SequentialAnonymizer
from skanon.losses._named import as_loss

LABELS = ("alpha", "omega", "split", "k")
SETTINGS = [
    (0.5, 1.5, "at_once", 4),
    (0.5, 1.5, "after_pass", 4),
    (0.5, 1.5, "at_once", 2),
    (0.5, 1.5, "after_pass", 3),
    (1.0, 1.1, "at_once", 5),
    (0.2, 2.0, "after_pass", 6),
    (0.1, 1.7, "at_once", 9),
]


def mixed_pair(seed, n=40, measure="lm", n_columns=3):
    rng = seeded(seed, measure)
    kinds = list(rng.permutation(list(KINDS))[:n_columns])
    weights = [1.0, *rng.choice([0.5, 1.0, 2.0], size=n_columns - 1).tolist()]
    return random_pair(rng, kinds, n, measure=measure, weights=weights)


def fit(pair, k, **parameters):
    return SequentialAnonymizer(
        k, hierarchies=pair.hierarchies, loss=pair.loss, **parameters
    ).fit(pair.frame, pair.y)


def compare(pair, seed, alpha, omega, split, k):
    own = {"alpha": alpha, "omega": omega}
    fitted = fit(pair, k, random_state=seed, split=split, **own)
    (run,) = seeds_of(seed, 1)
    at_once = split == "at_once"
    clusters, n_iter = naive_run(pair.table, k, run, at_once=at_once, **own)
    expected = naive.classes_by_appearance(pair.table, clusters)
    assert fitted.labels_.tolist() == expected
    assert fitted.n_iter_ == n_iter
    loss = pair.table.loss(pair.table.release(clusters))
    assert fitted.information_loss_ == pytest.approx(loss, abs=1e-12)


@pytest.mark.parametrize(LABELS, SETTINGS)
def test_the_whole_fit_equals_the_oracle(alpha, omega, split, k):
    for seed, measure in enumerate(["lm", "ncp", "pmi"]):
        pair = mixed_pair(seed, measure=measure)
        compare(pair, seed, alpha, omega, split, k)


@pytest.mark.parametrize("measure", MEASURES)
def test_every_loss_equals_the_oracle(measure):
    for seed in range(4):
        pair = mixed_pair(seed + 10, measure=measure)
        compare(pair, seed, *SETTINGS[seed])


@pytest.mark.parametrize(("max_iter", "tol"), [(1, 0.0), (2, 0.0), (9, 0.05), (9, 0.5)])
def test_stopping_equals_the_oracle(max_iter, tol):
    for seed, measure in enumerate(["lm", "pmi", "entropy", "lm+penalty"]):
        pair = mixed_pair(seed, measure=measure)
        own = {"max_iter": max_iter, "tol": tol}
        fitted = fit(pair, 4, random_state=seed, **own)
        (run,) = seeds_of(seed, 1)
        clusters, n_iter = naive_run(pair.table, 4, run, **own)
        expected = naive.classes_by_appearance(pair.table, clusters)
        assert fitted.labels_.tolist() == expected
        assert fitted.n_iter_ == n_iter <= max_iter


def compare_suppression(pair, seed, fraction):
    given = {"max_suppression": fraction, "suppressed": "drop"}
    fitted = fit(pair, 3, random_state=seed, **given)
    (run,) = seeds_of(seed, 1)
    losses, releases = [], []
    for tried in naive_suppression(pair.table, 3, run, int(fraction * 40)):
        losses.append(pair.table.loss(pair.table.release(tried)))
        releases.append(naive.classes_by_appearance(pair.table, tried))
    least = min(losses)
    assert fitted.information_loss_ == pytest.approx(least, abs=1e-12)
    best = [x for x, y in zip(releases, losses, strict=True) if y <= least + 1e-12]
    assert fitted.labels_.tolist() in best  # some may be as good
    assert (fitted.suppressed_ == (fitted.labels_ < 0)).all()


@pytest.mark.parametrize("fraction", [0.05, 0.2, 1.0])
def test_suppression_after_clustering_equals_the_oracle(fraction):
    for seed, measure in enumerate(["lm", "pmi"]):
        pair = mixed_pair(seed, measure=measure)
        compare_suppression(pair, seed, fraction)


@pytest.mark.parametrize("measure", MEASURES)
def test_suppression_under_every_loss_equals_the_oracle(measure):
    for seed in range(3):
        pair = mixed_pair(seed + 10, measure=measure)
        compare_suppression(pair, seed, (0.05, 0.2, 1.0)[seed])


@pytest.mark.parametrize("measure", ["lm", "pmi"])
def test_n_init_keeps_the_best_run(measure):
    for seed in range(2):
        pair = mixed_pair(seed, measure=measure)
        fitted = fit(pair, 4, random_state=seed, n_init=4)
        losses = []
        for run in seeds_of(seed, 4):
            clusters, _ = naive_run(pair.table, 4, run)
            losses.append(pair.table.loss(pair.table.release(clusters)))
        assert max(losses) > min(losses) + 1e-9  # or this would tell nothing
        assert fitted.information_loss_ == pytest.approx(min(losses), abs=1e-12)


# -------------------------------------------------------------------- transform


def unseen_records(rng, pair, n):
    """Known values put together anew; tuples that were fitted are left out."""
    drawn = []
    while len(drawn) < n:
        rows = [pair.table.records[i] for i in rng.randint(40, size=len(pair.codes[0]))]
        record = tuple(row[j] for j, row in enumerate(rows))
        if record not in pair.table.records:
            drawn.append(record)
    frame = pd.DataFrame(
        {
            name: pd.Series(
                [None if record[j] is MISSING else record[j] for record in drawn],
                dtype=pair.frame[name].dtype,
            )
            for j, name in enumerate(pair.frame.columns)
        }
    )
    return drawn, frame


@pytest.mark.parametrize("measure", MEASURES)
def test_unseen_records_take_the_class_that_costs_them_least(measure):
    for seed in range(3):
        pair = mixed_pair(seed + 20, measure=measure)
        records, frame = unseen_records(np.random.RandomState(seed), pair, 25)
        fitted = fit(pair, 3, random_state=seed)
        classes = [
            pair.table.closure(np.flatnonzero(fitted.labels_ == h).tolist())
            for h in range(fitted.n_classes_)
        ]
        released = fitted.transform(frame).astype(object)
        expected = fitted.generalizations_.astype(object).iloc[
            [naive.assign(pair.table, classes, record) for record in records]
        ]
        pd.testing.assert_frame_equal(released, expected.reset_index(drop=True))
        forgetful = fitted.forget().transform(frame).astype(object)
        if not as_loss(pair.loss).uses_sensitive:  # which are forgotten, too
            pd.testing.assert_frame_equal(forgetful, released)


@pytest.mark.parametrize("measure", MEASURES)
def test_fitted_records_get_their_release_again(measure):
    pair = mixed_pair(5, measure=measure)
    fitted = fit(pair, 4, random_state=0, max_suppression=0.1)
    released = fitted.transform(pair.frame)
    shown = fitted.generalizations_.astype(object)
    for i, label in enumerate(fitted.labels_):
        row = shown.iloc[label] if label >= 0 else ["*"] * 3
        assert [x if x == x else None for x in released.iloc[i].astype(object)] == [
            x if x == x else None for x in row
        ]
