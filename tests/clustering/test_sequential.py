"""Sequential clustering as a whole: beside the oracle, and what its parameters do."""

from dataclasses import replace

import naive
import naive_refinement
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import KINDS, random_pair

from skanon.clustering import SequentialAnonymizer, _search, sequential
from skanon.clustering.sequential import automatic_rounds
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


def naive_run(
    table, k, seed, alpha=0.5, omega=1.5, at_once=True, max_iter=100, tol=0.0, refine=0
):
    """Draw what one run draws, and run the oracle with it."""
    n = len(table.records)
    draws = np.random.RandomState(seed)
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
    n_slots = n // k
    assert len(clusters) <= n_slots
    clusters += [[] for _ in range(n_slots - len(clusters))]
    for _ in range(refine):
        visits = draws.permutation(n_slots).tolist()
        chances = draws.uniform(size=(n_slots, 2)).tolist()
        if not naive_refinement.refine(table, clusters, k, visits, chances, 2):
            break
    return [members for members in clusters if members], n_iter


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


@pytest.mark.parametrize("refine", [0, 2])
@pytest.mark.parametrize("measure", ["lm", "ncp"])
@pytest.mark.parametrize(LABELS, SETTINGS)
def test_the_whole_fit_equals_the_oracle(alpha, omega, split, k, measure, refine):
    for seed in range(4):
        pair = mixed_pair(seed, measure=measure)
        own = {"alpha": alpha, "omega": omega, "refine": refine}
        fitted = anonymizer(pair, k, random_state=seed, split=split, **own).fit(
            pair.frame
        )
        (run,) = seeds_of(seed, 1)
        at_once = split == "at_once"
        clusters, n_iter = naive_run(pair.table, k, run, at_once=at_once, **own)
        expected = naive.classes_by_appearance(pair.table, clusters)
        assert fitted.labels_.tolist() == expected
        assert fitted.n_iter_ == n_iter
        loss = pair.table.loss(pair.table.release(clusters))
        assert fitted.information_loss_ == pytest.approx(loss, abs=1e-12)


@pytest.mark.parametrize(("max_iter", "tol"), [(1, 0.0), (2, 0.0), (9, 0.05), (9, 0.5)])
def test_stopping_equals_the_oracle(max_iter, tol):
    for seed in range(4):
        pair = mixed_pair(seed)
        own = {"max_iter": max_iter, "tol": tol, "refine": seed % 2}
        fitted = anonymizer(pair, 4, random_state=seed, **own).fit(pair.frame)
        (run,) = seeds_of(seed, 1)
        clusters, n_iter = naive_run(pair.table, 4, run, **own)
        expected = naive.classes_by_appearance(pair.table, clusters)
        assert fitted.labels_.tolist() == expected
        assert fitted.n_iter_ == n_iter <= max_iter


def naive_suppression(table, k, run, budget, refine):
    """Both tries; returns for each the clusters and the suppressed records."""
    clusters, _ = naive_run(table, k, run, refine=refine)
    simple = [list(members) for members in clusters]
    yield simple, naive.suppress_outliers(table, simple, k, budget, 1.0)
    gone = naive.suppress_outliers(table, clusters, 1, budget, 1.0)
    kept = [i for i in range(len(table.records)) if i not in gone]
    if not gone or len(kept) < k:
        return
    part = replace(table, records=[table.records[i] for i in kept])
    anew, _ = naive_run(part, k, run, refine=refine)
    anew = [[kept[at] for at in members] for members in anew]
    more = naive.suppress_outliers(table, anew, k, budget - len(gone), 1.0)
    yield anew, gone + more


@pytest.mark.parametrize("refine", [0, 1])
@pytest.mark.parametrize("fraction", [0.05, 0.2, 1.0])
def test_suppression_after_clustering_equals_the_oracle(fraction, refine):
    for seed in range(6):
        pair = mixed_pair(seed)
        fitted = anonymizer(
            pair, 3, random_state=seed, max_suppression=fraction, refine=refine
        ).fit(pair.frame)
        (run,) = seeds_of(seed, 1)
        losses, releases = [], []
        budget = int(fraction * 40)
        for tried, gone in naive_suppression(pair.table, 3, run, budget, refine):
            losses.append((pair.table.summed(tried) + len(gone)) / 40)
            releases.append(naive.classes_by_appearance(pair.table, tried))
        assert fitted.information_loss_ == pytest.approx(min(losses), abs=1e-12)
        least = min(losses) + 1e-12  # both tries may be as good
        best = [x for x, loss in zip(releases, losses, strict=True) if loss <= least]
        assert fitted.labels_.tolist() in best
        assert (fitted.suppressed_ == (fitted.labels_ < 0)).all()


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
        first = SequentialAnonymizer(k, random_state=0, max_iter=1, refine=0).fit(ages)
        fitted = SequentialAnonymizer(k, random_state=0, refine=0).fit(ages)
        assert fitted.n_iter_ > 1
        assert fitted.information_loss_ <= first.information_loss_


# ------------------------------------------------------------------ parameters


@pytest.mark.parametrize("refine", [0, 1])
def test_n_init_keeps_the_best_run(refine):
    for seed in range(4):
        pair = mixed_pair(seed)
        fitted = anonymizer(pair, 4, random_state=seed, n_init=4, refine=refine).fit(
            pair.frame
        )
        losses = []
        for run in seeds_of(seed, 4):
            clusters, _ = naive_run(pair.table, 4, run, refine=refine)
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
            5, hierarchies=hierarchies, random_state=0, refine=0, **parameters
        ).fit(frame)
        found.add(tuple(fitted.labels_.tolist()))
    assert len(found) == len(chosen)


def test_omega_bounds_classes_before_small_ones_are_merged():
    """Distinct ages: no two clusters publish the same, so classes are clusters."""
    frame = pd.DataFrame({"age": np.random.RandomState(0).permutation(120)})
    for omega in (1.1, 1.5, 2.0):
        for split in ("at_once", "after_pass"):
            fitted = SequentialAnonymizer(
                10, random_state=0, omega=omega, split=split, refine=0
            ).fit(frame)
            # at worst two clusters of k - 1 are united, or one joins a largest one
            assert fitted.class_sizes_.max() <= int(omega * 10) + 9
            assert fitted.class_sizes_.min() >= 10


def test_refinement_never_loses_more():
    better = 0
    for seed in range(8):
        pair = mixed_pair(seed, n=60, measure=["lm", "ncp"][seed % 2])
        losses = [
            anonymizer(pair, 4, random_state=seed, refine=refine)
            .fit(pair.frame)
            .information_loss_
            for refine in (0, 1, 2, 9)
        ]
        assert (np.diff(losses) <= 1e-12).all()
        better += losses[0] > losses[1] > losses[-1]
    assert better > 0


def test_refined_classes_are_of_k_to_less_than_3k():
    """A pool makes room for as many clusters as it can; fewer than k may join one."""
    frame = pd.DataFrame({"age": np.random.RandomState(0).permutation(125)})
    for k in (2, 7, 10, 62, 63):
        fitted = SequentialAnonymizer(k, random_state=0, refine=20).fit(frame)
        assert fitted.class_sizes_.min() >= k
        assert fitted.class_sizes_.max() < 3 * k


@pytest.mark.parametrize(
    ("n", "k", "rounds"),
    [
        (2, 2, 20),
        (157, 5, 20),  # 20 while n is below 158
        (158, 5, 19),
        (3000, 5, 2),
        (3001, 5, 1),
        (45222, 100, 1),
        (50_000, 100, 1),  # n k is 5 million
        (50_001, 100, 0),
        (1500, 1500, 2),
        (2500, 2000, 1),
        (2501, 2000, 0),
    ],
)
def test_automatic_rounds(n, k, rounds):
    assert automatic_rounds(n, k) == rounds


def test_auto_takes_the_automatic_rounds(monkeypatch, capsys):
    frame = pd.DataFrame(np.random.RandomState(0).randint(9, size=(160, 4)))
    auto = SequentialAnonymizer(5, random_state=0, verbose=1).fit(frame)
    told = capsys.readouterr().err
    assert 1 < told.count("refinement") <= 19
    given = SequentialAnonymizer(5, random_state=0, refine=19).fit(frame)
    assert (auto.labels_ == given.labels_).all()
    monkeypatch.setattr(sequential, "automatic_rounds", lambda n, k: 0)
    plain = SequentialAnonymizer(5, random_state=0).fit(frame)
    paper = SequentialAnonymizer(5, random_state=0, refine=0).fit(frame)
    assert (plain.labels_ == paper.labels_).all()
    assert paper.information_loss_ > auto.information_loss_


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
        {"refine": -1},
        {"refine": 0.5},
        {"refine": "never"},
        {"refine": None},
        {"refine": True},
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
    # one round, which finds nothing better
    assert told.err.count("refinement") == 1
    SequentialAnonymizer(2, random_state=0, verbose=1, refine=0).fit(frame)
    assert "refinement" not in capsys.readouterr().err


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
