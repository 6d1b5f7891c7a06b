"""No release that keeps k may lose less than the bound says, in all or by record."""

import numpy as np
import pandas as pd
import pytest
from clustered import mixed_pair
from random_tables import KINDS, MEASURES, random_pair, seeded
from sklearn.exceptions import NotFittedError

from skanon import KAnonymizer
from skanon.clustering import OptimalAnonymizer
from skanon.exceptions import ColumnError, InfeasibleError, ParameterError
from skanon.losses import PMI
from skanon.metrics import _dual, loss_lower_bound, optimality_gap
from skanon.metrics._bounds import METHODS

SLACK = 1e-9

PEOPLE = pd.DataFrame({"age": [23, 25, 61, 64], "sex": list("ffmf")})


def bound_of(pair, k, **options):
    return loss_lower_bound(
        pair.frame,
        k=k,
        loss=pair.loss,
        hierarchies=pair.hierarchies,
        sensitive=pair.y,
        **options,
    )


def fit(pair, k, algorithm="sequential", **options):
    return KAnonymizer(
        k,
        algorithm=algorithm,
        hierarchies=pair.hierarchies,
        loss=pair.loss,
        random_state=0,
        **options,
    ).fit(pair.frame, pair.y)


def methods_for(pair):
    """All but ``"dual"`` where the loss looks at the sensitive attribute."""
    return [m for m in METHODS if m != "dual" or not pair.loss.uses_sensitive]


# ------------------------------------------------------------------------- soundness


@pytest.mark.parametrize("budget", [0.0, 0.4])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("measure", MEASURES)
def test_the_optimum_is_not_below(measure, seed, budget):
    rng = seeded(seed, measure)
    kinds = list(rng.permutation(list(KINDS))[:2])
    pair = random_pair(rng, kinds, 8, measure=measure)
    fitted = OptimalAnonymizer(
        2, hierarchies=pair.hierarchies, loss=pair.loss, max_suppression=budget
    ).fit(pair.frame, pair.y)
    for method in methods_for(pair):
        assert bound_of(pair, 2, method=method) <= fitted.information_loss_ + SLACK


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("measure", MEASURES)
def test_no_record_of_a_release_pays_less(measure, seed):
    pair = mixed_pair(seed, n=60, measure=measure)
    k = 2 + seed
    for algorithm in ("sequential", "mondrian"):
        fitted = fit(pair, k, algorithm, max_suppression=0.1 * (seed % 2))
        members = {h: np.flatnonzero(fitted.labels_ == h) for h in fitted.labels_}
        paid = [
            np.sum(
                pair.table.costs(pair.table.closure(members[h]) if h >= 0 else None, i)
            )
            for i, h in enumerate(fitted.labels_)
        ]
        for method in ("auto", "support", "neighbour"):
            single = bound_of(pair, k, method=method, per_record=True)
            assert (single <= np.array(paid) + SLACK).all()


# -------------------------------------------------------------------------- the value


def test_by_hand():
    """The two of 23 and 25 have each other; with whom would the others lose least?"""
    by_record = loss_lower_bound(PEOPLE, k=2, loss="ncp", per_record=True)
    others = [(3 / 41 + 1) / 2, 39 / 41 / 2]  # [61, 64] and *; [25, 64] and f
    assert by_record == pytest.approx([2 / 41 / 2, 2 / 41 / 2, *others])
    assert loss_lower_bound(PEOPLE, k=2, loss="ncp") == pytest.approx(by_record.mean())


def test_k_of_one_costs_nothing():
    for loss in ("lm", "mi", "entropy"):
        assert loss_lower_bound(PEOPLE, k=1, loss=loss) == pytest.approx(0, abs=SLACK)


def test_all_records_alike_cost_nothing():
    alike = pd.DataFrame({"a": [1] * 6, "b": ["x"] * 6})
    assert loss_lower_bound(alike, k=6) == 0


def test_where_all_must_be_one_class_it_is_full_suppression():
    by_record = loss_lower_bound(PEOPLE, k=4, per_record=True)
    assert by_record == pytest.approx(np.ones(4))


def test_it_grows_with_k():
    pair = mixed_pair(1, n=60)
    bounds = [bound_of(pair, k) for k in (1, 2, 4, 8, 16, 60)]
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[2] < bounds[-1]


def test_columns_that_are_no_quasi_identifiers_do_not_count():
    wide = PEOPLE.assign(name=list("abcd"))
    chosen = loss_lower_bound(wide, k=2, quasi_identifiers=["age", "sex"])
    assert chosen == loss_lower_bound(PEOPLE, k=2) < loss_lower_bound(wide, k=2)


def test_arrays_are_tables_too():
    numbers = np.array([[1, 5], [2, 5], [9, 6], [9, 7]])
    assert loss_lower_bound(numbers, k=2) == loss_lower_bound(
        pd.DataFrame(numbers), k=2
    )


# ------------------------------------------------------------------------------ gap


@pytest.mark.parametrize("measure", ["lm", "mi", "pmi", "all"])
def test_the_gap_is_the_difference(measure):
    pair = mixed_pair(2, n=50, measure=measure)
    fitted = fit(pair, 3)
    expected = fitted.information_loss_ - bound_of(pair, 3)
    assert optimality_gap(fitted, pair.frame, pair.y) == pytest.approx(expected)


def test_the_gap_finds_the_sensitive_column_itself():
    frame = PEOPLE.assign(illness=["flu", "cold", "flu", "cold"])
    fitted = KAnonymizer(2, loss=PMI(), sensitive="illness", random_state=0).fit(frame)
    y = frame["illness"]
    expected = loss_lower_bound(PEOPLE, k=2, loss="pmi", sensitive=y)
    gap = optimality_gap(fitted, frame)
    assert gap == pytest.approx(fitted.information_loss_ - expected)


def test_an_optimal_release_of_pairs_has_no_gap():
    frame = pd.DataFrame(
        {"town": ["Bern", "Bern", "Bonn", "Bonn"], "age": [3, 4, 7, 8]}
    )
    fitted = KAnonymizer(2, random_state=0).fit(frame)
    assert optimality_gap(fitted, frame) == pytest.approx(0)


def test_the_gap_is_of_the_fitted_table_only():
    fitted = KAnonymizer(2, random_state=0).fit(PEOPLE)
    for other in (PEOPLE[::-1], PEOPLE.iloc[:3], PEOPLE.assign(age=23)):
        with pytest.raises(ColumnError, match="not what the anonymizer was fitted on"):
            optimality_gap(fitted, other)


def test_the_gap_is_of_the_fitted_sensitive_values_only():
    y = ["flu", "cold", "flu", "cold"]
    fitted = KAnonymizer(2, loss="pmi", random_state=0).fit(PEOPLE, y)
    with pytest.raises(ColumnError, match="not what the anonymizer was fitted on"):
        optimality_gap(fitted, PEOPLE, ["flu", "flu", "flu", "cold"])


def test_the_gap_needs_a_fit_that_remembers():
    with pytest.raises(NotFittedError):
        optimality_gap(KAnonymizer(2), PEOPLE)
    fitted = KAnonymizer(2, random_state=0).fit(PEOPLE)
    with pytest.raises(ParameterError, match="forgotten"):
        optimality_gap(fitted.forget(), PEOPLE)


# ----------------------------------------------------------------------------- dual


def test_shares_by_hand():
    """Ages 1, 2, 3 and 9, in pairs, NCP.

    The first three have a neighbour at 1 / 8, the last one at 6 / 8. Relaxed, 9 is
    suppressed for 1, and the others are in each of their three pairs by half.
    """
    ages = pd.DataFrame({"age": [1, 2, 3, 9]})
    by_support = loss_lower_bound(ages, k=2, loss="ncp")
    assert by_support == pytest.approx((1 + 1 + 1 + 6) / 32)
    found = loss_lower_bound(ages, k=2, loss="ncp", method="dual")
    relaxed = (1 + 1 / 8 + 1 / 8 + 2 / 8) / 4
    assert relaxed * 0.998 < found <= relaxed


def test_the_gap_by_shares_is_the_smaller():
    pair = mixed_pair(2, n=60, measure="lm")
    fitted = fit(pair, 3, "auto")
    by_support = optimality_gap(fitted, pair.frame)
    by_shares = optimality_gap(fitted, pair.frame, method="dual")
    assert 0 <= by_shares < 0.7 * by_support


def test_fewer_programs_give_a_lower_bound():
    pair = mixed_pair(2, n=60, measure="lm")
    bounds = [
        bound_of(pair, 3, method="dual", max_iter=n_iter) for n_iter in (1, 3, 9, 27)
    ]
    assert bound_of(pair, 3) <= bounds[0]
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[-1]


def test_an_interrupted_search_has_a_bound(monkeypatch):
    pair = mixed_pair(2, n=60, measure="lm")
    solve, calls = _dual._Rows.solve, []

    def interrupted(self, *args):
        calls.append(args)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return solve(self, *args)

    monkeypatch.setattr(_dual._Rows, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bound_of(pair, 3, method="dual")
    calls.clear()
    early = bound_of(pair, 3, method="dual", on_interrupt="return")
    assert early == bound_of(pair, 3, method="dual", max_iter=4)
    calls.clear()
    fitted = fit(pair, 3, "auto", certify="dual", on_interrupt="release")
    assert fitted.optimality_gap_ == fitted.information_loss_ - early


@pytest.mark.parametrize("method", METHODS)
def test_an_anonymizer_certifies_itself(method):
    pair = mixed_pair(2, n=60, measure="lm")
    fitted = fit(pair, 3, "auto", certify=method)
    gap = optimality_gap(fitted, pair.frame, method=method)
    assert fitted.optimality_gap_ == pytest.approx(gap)
    fitted.set_params(certify=None).fit(pair.frame)
    assert not hasattr(fitted, "optimality_gap_")


def test_single_shares_sum_to_the_bound(capsys):
    pair = mixed_pair(4, n=40, measure="mi")
    bound = bound_of(pair, 3, method="dual", verbose=1)
    shares = bound_of(pair, 3, method="dual", per_record=True)
    assert shares.mean() == pytest.approx(bound)
    assert f"the loss is at least {bound:.5f}" in capsys.readouterr().err


def test_shares_are_refused_where_they_cannot_be_found(monkeypatch):
    y = ["flu", "cold", "flu", "cold"]
    with pytest.raises(ParameterError, match="looks at the sensitive attribute"):
        loss_lower_bound(PEOPLE, k=2, loss="pmi", sensitive=y, method="dual")
    with pytest.raises(ParameterError, match="looks at the sensitive attribute"):
        KAnonymizer(2, loss="pmi", certify="dual").fit(PEOPLE, y)
    monkeypatch.setattr(_dual, "MOST_RECORDS", 3)
    with pytest.raises(ParameterError, match="3 at most, but the table has 4"):
        loss_lower_bound(PEOPLE, k=2, method="dual")


# ------------------------------------------------------------------------ bad input


@pytest.mark.parametrize("k", [0, -1, 2.0, True, "2", None])
def test_k_must_be_a_number_of_records(k):
    with pytest.raises(ParameterError, match=r"k is .*, but must be an integer"):
        loss_lower_bound(PEOPLE, k=k)


def test_k_must_not_exceed_the_table():
    with pytest.raises(InfeasibleError, match="at least 5 records"):
        loss_lower_bound(PEOPLE, k=5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "fast"}, "'fast'"),
        ({"method": "dual", "max_iter": 0}, "max_iter is 0"),
        ({"method": "dual", "on_interrupt": "stop"}, "'stop'"),
        ({"method": "dual", "max_iter": 2.5}, "max_iter is 2.5"),
        ({"loss": "nothing"}, "'nothing'"),
        ({"loss": "pmi"}, "sensitive"),
        ({"quasi_identifiers": ["height"]}, "height"),
        ({"hierarchies": {"height": "intervals"}}, "height"),
        ({"sensitive": [1, 2]}, "2"),
    ],
)
def test_errors_name_the_cause(options, words):
    with pytest.raises(ValueError, match=words):
        loss_lower_bound(PEOPLE, k=2, **options)


def test_sensitive_values_matter_to_losses_that_look_at_them():
    y = ["flu", "cold", "flu", "cold"]
    bound = loss_lower_bound(PEOPLE, k=2, loss="pmi", sensitive=y)
    fitted = KAnonymizer(2, loss="pmi", random_state=0).fit(PEOPLE, y)
    assert bound <= fitted.information_loss_ + SLACK
    assert bound != loss_lower_bound(PEOPLE, k=2, loss="pmi", sensitive=["flu"] * 4)
