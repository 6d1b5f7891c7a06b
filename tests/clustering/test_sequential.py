"""Sequential clustering as a whole: beside the oracle, and what its parameters do."""

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import KINDS, random_pair

from skanon.clustering import SequentialAnonymizer, _search
from skanon.exceptions import InfeasibleError, ParameterError
from skanon.losses import LM

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


def naive_run(table, k, seed, alpha, omega, at_once, max_iter=100, tol=0.0):
    """Draw what one run draws, and run the oracle with it."""
    n = len(table.records)
    draws = np.random.RandomState(seed)
    n_clusters = max(n // max(int(alpha * k), 1), 1)
    labels = [0] * n
    for at, i in enumerate(draws.permutation(n)):
        labels[i] = at % n_clusters
    permutations = iter(lambda: draws.permutation(n).tolist(), None)
    return naive.sequential(
        table,
        k,
        labels,
        permutations,
        omega=omega,
        at_once=at_once,
        max_iter=max_iter,
        tol=tol,
    )


def seeds_of(random_state, n_init):
    return np.random.RandomState(random_state).randint(2**31 - 1, size=n_init)


def mixed_pair(seed, n=40, measure="lm", n_columns=3):
    rng = np.random.RandomState(seed)
    kinds = list(rng.permutation(list(KINDS))[:n_columns])
    weights = [1.0, *rng.choice([0.5, 1.0, 2.0], size=n_columns - 1).tolist()]
    return random_pair(rng, kinds, n, measure=measure, weights=weights)


def anonymizer(pair, k, **parameters):
    return SequentialAnonymizer(
        k, hierarchies=pair.hierarchies, loss=pair.loss, **parameters
    )


@pytest.mark.parametrize("measure", ["lm", "ncp"])
@pytest.mark.parametrize(LABELS, SETTINGS)
def test_the_whole_fit_equals_the_oracle(alpha, omega, split, k, measure):
    for seed in range(4):
        pair = mixed_pair(seed, measure=measure)
        fitted = anonymizer(
            pair, k, random_state=seed, alpha=alpha, omega=omega, split=split
        ).fit(pair.frame)
        (run,) = seeds_of(seed, 1)
        at_once = split == "at_once"
        clusters, n_iter = naive_run(pair.table, k, run, alpha, omega, at_once)
        expected = naive.classes_by_appearance(pair.table, clusters)
        assert fitted.labels_.tolist() == expected
        assert fitted.n_iter_ == n_iter
        loss = pair.table.loss(pair.table.release(clusters))
        assert fitted.information_loss_ == pytest.approx(loss, abs=1e-12)


@pytest.mark.parametrize(("max_iter", "tol"), [(1, 0.0), (2, 0.0), (9, 0.05), (9, 0.5)])
def test_stopping_equals_the_oracle(max_iter, tol):
    for seed in range(4):
        pair = mixed_pair(seed)
        fitted = anonymizer(pair, 4, random_state=seed, max_iter=max_iter, tol=tol).fit(
            pair.frame
        )
        (run,) = seeds_of(seed, 1)
        clusters, n_iter = naive_run(
            pair.table, 4, run, 0.5, 1.5, True, max_iter=max_iter, tol=tol
        )
        expected = naive.classes_by_appearance(pair.table, clusters)
        assert fitted.labels_.tolist() == expected
        assert fitted.n_iter_ == n_iter <= max_iter


@pytest.mark.parametrize("fraction", [0.05, 0.2, 1.0])
def test_suppression_after_clustering_equals_the_oracle(fraction):
    for seed in range(4):
        pair = mixed_pair(seed)
        fitted = anonymizer(pair, 3, random_state=seed, max_suppression=fraction).fit(
            pair.frame
        )
        (run,) = seeds_of(seed, 1)
        clusters, _ = naive_run(pair.table, 3, run, 0.5, 1.5, True)
        gone = naive.suppress_outliers(pair.table, clusters, 3, int(fraction * 40), 1.0)
        expected = naive.classes_by_appearance(pair.table, clusters)
        assert fitted.labels_.tolist() == expected
        assert np.flatnonzero(fitted.suppressed_).tolist() == sorted(gone)
        loss = (pair.table.summed(clusters) + len(gone)) / 40
        assert fitted.information_loss_ == pytest.approx(loss, abs=1e-12)


@pytest.mark.parametrize("split", ["at_once", "after_pass"])
def test_chunks_of_visits_change_nothing(monkeypatch, split):
    pair = mixed_pair(11, n=90)
    whole = anonymizer(pair, 4, random_state=2, split=split).fit(pair.frame)
    for chunk in (1, 8):
        monkeypatch.setattr(_search, "CHUNK", chunk)
        cut = anonymizer(pair, 4, random_state=2, split=split).fit(pair.frame)
        assert (cut.labels_ == whole.labels_).all()
        assert cut.n_iter_ == whole.n_iter_


def test_a_start_from_single_records_goes_on_after_the_first_pass():
    """Records alone must move, which raises the loss; the search is not over then."""
    ages = pd.DataFrame({"age": np.random.RandomState(0).permutation(24)})
    for k in (2, 3):
        first = SequentialAnonymizer(k, random_state=0, max_iter=1).fit(ages)
        fitted = SequentialAnonymizer(k, random_state=0).fit(ages)
        assert fitted.n_iter_ > 1
        assert fitted.information_loss_ <= first.information_loss_


# ------------------------------------------------------------------ parameters


def test_n_init_keeps_the_best_run():
    for seed in range(4):
        pair = mixed_pair(seed)
        fitted = anonymizer(pair, 4, random_state=seed, n_init=4).fit(pair.frame)
        losses = []
        for run in seeds_of(seed, 4):
            clusters, _ = naive_run(pair.table, 4, run, 0.5, 1.5, True)
            losses.append(pair.table.loss(pair.table.release(clusters)))
        assert max(losses) > min(losses) + 1e-9  # or this would tell nothing
        assert fitted.information_loss_ == pytest.approx(min(losses), abs=1e-12)


def test_runs_side_by_side_give_the_same():
    pair = mixed_pair(5)
    alone = anonymizer(pair, 3, random_state=1, n_init=3).fit(pair.frame)
    both = anonymizer(pair, 3, random_state=1, n_init=3, n_jobs=2).fit(pair.frame)
    assert (alone.labels_ == both.labels_).all()
    assert alone.n_iter_ == both.n_iter_


def test_random_state():
    pair = mixed_pair(6, n=60)
    runs = [
        anonymizer(pair, 5, random_state=seed).fit(pair.frame).labels_.tolist()
        for seed in (0, 0, 1, np.random.RandomState(0))
    ]
    assert runs[0] == runs[1] == runs[3]
    assert runs[0] != runs[2]


def test_max_iter_and_tol_cut_the_search_short():
    pair = mixed_pair(8, n=80)
    full = anonymizer(pair, 6, random_state=0).fit(pair.frame)
    assert full.n_iter_ > 2
    for few in (1, 2):
        cut = anonymizer(pair, 6, random_state=0, max_iter=few).fit(pair.frame)
        assert cut.n_iter_ == few
    early = anonymizer(pair, 6, random_state=0, tol=0.9).fit(pair.frame)
    assert early.n_iter_ < full.n_iter_


def test_split_omega_and_alpha_have_an_effect():
    rng = np.random.RandomState(0)
    frame = pd.DataFrame(rng.randint(5, size=(80, 4)), columns=list("abcd"))
    chosen = [
        {},
        {"split": "after_pass"},
        {"omega": 1.1},
        {"omega": 2.0},
        {"alpha": 0.2},
        {"alpha": 1.0},
    ]
    hierarchies = dict.fromkeys("abcd", "suppression")
    found = set()
    for parameters in chosen:
        fitted = SequentialAnonymizer(
            5, hierarchies=hierarchies, random_state=0, **parameters
        ).fit(frame)
        found.add(tuple(fitted.labels_.tolist()))
    assert len(found) == len(chosen)


def test_omega_bounds_classes_before_small_ones_are_merged():
    """Distinct ages: no two clusters publish the same, so classes are clusters."""
    frame = pd.DataFrame({"age": np.random.RandomState(0).permutation(120)})
    for omega in (1.1, 1.5, 2.0):
        for split in ("at_once", "after_pass"):
            fitted = SequentialAnonymizer(
                10, random_state=0, omega=omega, split=split
            ).fit(frame)
            # at worst two clusters of k - 1 are united, or one joins a largest one
            assert fitted.class_sizes_.max() <= int(omega * 10) + 9
            assert fitted.class_sizes_.min() >= 10


@pytest.mark.parametrize(
    "wrong",
    [
        {"alpha": 0},
        {"alpha": 1.1},
        {"omega": 1},
        {"omega": 2.1},
        {"split": "never"},
        {"n_init": 0},
        {"n_init": 1.5},
        {"max_iter": 0},
        {"tol": -0.1},
        {"tol": 1},
    ],
)
def test_unfit_parameters(wrong):
    (name,) = wrong
    with pytest.raises(ParameterError, match=name):
        SequentialAnonymizer(2, **wrong).fit(pd.DataFrame({"a": [1, 2, 3]}))


def test_progress_goes_to_the_error_stream_on_request(capsys):
    frame = pd.DataFrame({"a": [1, 2, 3, 4]})
    SequentialAnonymizer(2, random_state=0).fit(frame)
    assert capsys.readouterr() == ("", "")
    fitted = SequentialAnonymizer(2, random_state=0, verbose=1).fit(frame)
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("records moved") == fitted.n_iter_


# --------------------------------------------------------------------- promises


@given(
    st.integers(2, 7),
    st.floats(0, 1),
    st.sampled_from(["at_once", "after_pass"]),
    st.integers(0, 10**6),
    st.sampled_from(["lm", "ncp"]),
)
@settings(max_examples=60, deadline=None)
def test_never_a_class_below_k(k, part, split, seed, measure):
    n = k + int(part * 2 * k)
    pair = mixed_pair(seed, n=n, measure=measure, n_columns=2)
    fitted = anonymizer(
        pair, k, random_state=seed, split=split, max_suppression=0.2
    ).fit(pair.frame)
    kept = fitted.labels_[fitted.labels_ >= 0]
    assert np.bincount(kept).min() >= k
    assert fitted.class_sizes_.sum() + fitted.suppressed_.sum() == n
    assert 0 <= fitted.information_loss_ <= 1 + 1e-12


def test_k_equal_to_n_gives_one_class():
    pair = mixed_pair(2, n=12)
    fitted = anonymizer(pair, 12, random_state=0).fit(pair.frame)
    assert fitted.class_sizes_.tolist() == [12]
    with pytest.raises(InfeasibleError, match="k=13"):
        anonymizer(pair, 13).fit(pair.frame)


@pytest.mark.parametrize("k", [2, 7, 20])
def test_equal_records_cost_nothing(k):
    frame = pd.DataFrame({"a": ["x"] * 20, "b": [1.5] * 20})
    fitted = SequentialAnonymizer(k, random_state=0).fit(frame)
    assert fitted.information_loss_ == 0
    assert fitted.n_classes_ == 1


def test_weightless_columns_do_not_steer_the_search():
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"a": list("xxyyzz") * 4, "b": rng.permutation(24)})
    alone = SequentialAnonymizer(4, random_state=0).fit(frame[["a"]])
    fitted = SequentialAnonymizer(4, loss=LM({"b": 0}), random_state=0).fit(frame)
    assert fitted.information_loss_ == alone.information_loss_
    assert fitted.n_iter_ == alone.n_iter_
