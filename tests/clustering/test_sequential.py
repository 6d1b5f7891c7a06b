"""Sequential clustering as a whole: what it promises and what its parameters do."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import KINDS, MEASURES, random_pair, seeded

from skanon.clustering import SequentialAnonymizer
from skanon.clustering import _sequential_run as _search
from skanon.exceptions import InfeasibleError, ParameterError
from skanon.losses import LM


def mixed_pair(seed, n=40, measure="lm", n_columns=3):
    rng = seeded(seed, measure)
    kinds = list(rng.permutation(list(KINDS))[:n_columns])
    weights = [1.0, *rng.choice([0.5, 1.0, 2.0], size=n_columns - 1).tolist()]
    return random_pair(rng, kinds, n, measure=measure, weights=weights)


def fit(pair, k, **parameters):
    return SequentialAnonymizer(
        k, hierarchies=pair.hierarchies, loss=pair.loss, **parameters
    ).fit(pair.frame, pair.y)


@pytest.mark.parametrize("split", ["at_once", "after_pass"])
def test_chunks_of_visits_change_nothing(monkeypatch, split):
    for measure in ("lm", "pmi"):
        pair = mixed_pair(11, n=90, measure=measure)
        found = set()
        for chunk in (2000, 1, 8):
            monkeypatch.setattr(_search, "CHUNK", chunk)
            fitted = fit(pair, 4, random_state=2, split=split)
            found.add((fitted.n_iter_, *fitted.labels_.tolist()))
        assert len(found) == 1


def test_a_start_from_single_records_goes_on_after_the_first_pass():
    """Records alone must move, which raises the loss; the search is not over then."""
    ages = pd.DataFrame({"age": np.random.RandomState(0).permutation(24)})
    for k in (2, 3):
        first = SequentialAnonymizer(k, random_state=0, max_iter=1).fit(ages)
        fitted = SequentialAnonymizer(k, random_state=0).fit(ages)
        assert fitted.n_iter_ > 1
        assert fitted.information_loss_ <= first.information_loss_


# ------------------------------------------------------------------ parameters


def test_runs_side_by_side_give_the_same():
    pair = mixed_pair(5)
    alone = fit(pair, 3, random_state=1, n_init=3)
    both = fit(pair, 3, random_state=1, n_init=3, n_jobs=2)
    assert (alone.labels_ == both.labels_).all()
    assert alone.n_iter_ == both.n_iter_


def test_random_state():
    pair = mixed_pair(6, n=60)
    runs = [
        fit(pair, 5, random_state=seed).labels_.tolist()
        for seed in (0, 0, 1, np.random.RandomState(0))
    ]
    assert runs[0] == runs[1] == runs[3]
    assert runs[0] != runs[2]


def test_max_iter_and_tol_cut_the_search_short():
    pair = mixed_pair(8, n=80)
    full = fit(pair, 6, random_state=0)
    assert full.n_iter_ > 2
    for few in (1, 2):
        cut = fit(pair, 6, random_state=0, max_iter=few)
        assert cut.n_iter_ == few
    early = fit(pair, 6, random_state=0, tol=0.9)
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
        {"start": "random"},
        {"start": None},
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
    st.sampled_from(sorted(MEASURES)),
)
@settings(max_examples=60, deadline=None)
def test_never_a_class_below_k(k, part, split, seed, measure):
    n = k + int(part * 2 * k)
    pair = mixed_pair(seed, n=n, measure=measure, n_columns=2)
    fitted = fit(pair, k, random_state=seed, split=split, max_suppression=0.2)
    kept = fitted.labels_[fitted.labels_ >= 0]
    assert np.bincount(kept).min() >= k
    assert fitted.class_sizes_.sum() + fitted.suppressed_.sum() == n
    if measure in ("lm", "ncp", "tree", "byun"):
        assert 0 <= fitted.information_loss_ <= 1 + 1e-12


def test_k_equal_to_n_gives_one_class():
    pair = mixed_pair(2, n=12)
    assert fit(pair, 12, random_state=0).class_sizes_.tolist() == [12]
    with pytest.raises(InfeasibleError, match="k=13"):
        fit(pair, 13)


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
