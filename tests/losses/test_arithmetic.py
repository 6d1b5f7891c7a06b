"""Losses are multiplied by numbers and added up."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from random_tables import KINDS, MEASURES, random_pair, seeded
from sklearn.base import clone

from skanon import KAnonymizer
from skanon.exceptions import ParameterError
from skanon.losses import (
    LM,
    MI,
    NCP,
    PMI,
    ByunInformationLoss,
    ClassPenalty,
    Entropy,
)
from skanon.losses._base import Sum

NAMES = ["a", "b"]


def test_sums_are_flat_lists_of_parts():
    loss = 0.25 * MI() + PMI() * 0.75
    assert isinstance(loss, Sum)
    assert loss.parts == [(0.25, MI()), (0.75, PMI())]
    twice = 2 * (loss + LM())
    assert twice.parts == [(0.5, MI()), (1.5, PMI()), (2, LM())]
    assert sum([NCP(), LM(), ByunInformationLoss()], start=0 * LM()).parts[1:] == [
        (1, NCP()),
        (1, LM()),
        (1, ByunInformationLoss()),
    ]


def test_how_sums_are_written():
    assert repr(0.25 * MI() + PMI()) == "0.25 * MI() + PMI()"
    assert repr(3 * LM({"a": 2})) == "3 * LM(weights={'a': 2})"
    assert repr(LM() + 0.1234567 * ClassPenalty()) == (
        "LM() + 0.1234567 * ClassPenalty()"
    )


def test_losses_are_equal_if_they_are_the_same_description():
    assert LM() == LM() != NCP()
    assert LM({"a": 1}) == LM({"a": 1}) != LM({"a": 2})
    assert 0.5 * MI() + PMI() == MI() * 0.5 + PMI() != PMI() + 0.5 * MI()
    assert 0.1234567 * LM() != 0.1234568 * LM()
    assert hash(2 * LM()) == hash(LM() * 2)
    assert LM() != "lm"
    assert len({LM(), LM(), 1 * LM(), 2 * LM()}) == 2  # 1 * LM() is written LM()


@pytest.mark.parametrize(
    "factor", [2, 0.5, np.float64(0.5), np.float32(2), np.int64(3)]
)
def test_factors_of_all_kinds(factor):
    for product in (factor * LM(), LM() * factor):
        assert isinstance(product, Sum)
        assert product.parts == [(float(factor), LM())]


@pytest.mark.parametrize("factor", [-1, -1e-9, np.inf, np.nan, -np.inf])
def test_factors_below_zero_or_without_end_are_refused(factor):
    with pytest.raises(ParameterError, match=r"multiplied by .* at least 0"):
        factor * LM()


@pytest.mark.parametrize("other", ["2", None, True, [1, 2], 1j])
def test_what_is_no_number_or_loss_is_refused(other):
    with pytest.raises(TypeError):
        LM() * other
    with pytest.raises(TypeError):
        other + LM()
    with pytest.raises(TypeError):
        LM() + other


def test_a_loss_of_nothing_is_refused():
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
    for loss in (0 * LM(), 0 * LM() + 0 * ClassPenalty()):
        with pytest.raises(ParameterError, match="is 0 whatever is released"):
            loss.relative_weights(NAMES)
        with pytest.raises(ParameterError, match="is 0 whatever is released"):
            KAnonymizer(2, loss=loss).fit(frame)


@pytest.mark.parametrize("factor", [0, 1])
def test_unfit_weights_of_any_part_are_refused(factor):
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
    for weights, message in (
        ({"c": 1}, "'c', which is not a quasi-identifier"),
        ({"a": -1}, "gives 'a' the weight -1"),
        ({"a": 0, "b": 0}, "all quasi-identifiers the weight 0"),
    ):
        with pytest.raises(ParameterError, match=message):
            KAnonymizer(2, loss=LM() + factor * NCP(weights)).fit(frame)


def test_a_penalty_has_no_weights():
    with pytest.raises(TypeError, match="argument"):
        ClassPenalty({"a": 1})


def test_shares_are_those_of_the_parts_by_column():
    loss = LM({"a": 3}) + 3 * NCP({"b": 0})
    assert loss.relative_weights(NAMES).tolist() == [0.9375, 0.0625]
    with_penalty = loss + 100 * ClassPenalty()
    assert with_penalty.relative_weights(NAMES).tolist() == [0.9375, 0.0625]
    assert (2 * ClassPenalty()).relative_weights(NAMES).tolist() == [0.5, 0.5]
    assert (0 * LM({"a": 3}) + ClassPenalty()).relative_weights(NAMES).tolist() == [
        0.5,
        0.5,
    ]
    without = LM({"a": 3}) + 0 * NCP({"b": 0})
    assert without.relative_weights(NAMES).tolist() == [0.75, 0.25]


def test_what_has_the_factor_0_asks_for_nothing():
    loss = LM() + 0 * PMI() + 0 * ClassPenalty()
    assert not loss.uses_sensitive
    assert loss.penalty == 0
    frame = pd.DataFrame({"a": [1, 2, 9, 9]})
    plain = KAnonymizer(2, random_state=0).fit(frame)
    fitted = KAnonymizer(2, loss=loss, random_state=0).fit(frame)
    assert fitted.information_loss_ == plain.information_loss_
    assert (LM() + PMI()).uses_sensitive


def test_a_part_that_looks_at_sensitive_values_makes_the_sum_do_so():
    assert (LM() + 0.1 * ClassPenalty()).uses_sensitive
    assert (0.5 * ClassPenalty() + 0.25 * ClassPenalty()).penalty == 0.75


@pytest.mark.parametrize("measure", MEASURES)
def test_a_factor_for_all_changes_the_figure_only(measure):
    for seed in range(2):
        rng = seeded(seed, measure)
        kinds = list(rng.permutation(list(KINDS))[:2])
        pair = random_pair(rng, kinds, 30, measure=measure)
        shared = {"hierarchies": pair.hierarchies, "random_state": 0, "k": 3}
        once = KAnonymizer(loss=pair.loss, **shared).fit(pair.frame, pair.y)
        thrice = KAnonymizer(loss=4 * pair.loss, **shared).fit(pair.frame, pair.y)
        assert thrice.labels_.tolist() == once.labels_.tolist()
        loss = 4 * once.information_loss_
        assert thrice.information_loss_ == pytest.approx(loss, abs=1e-12)


def test_the_figure_of_a_sum_is_the_sum_of_the_figures():
    """One class of all, so that each loss makes the same release."""
    rng = np.random.RandomState(0)
    pair = random_pair(rng, ["tree", "interval", "subset"], 20, measure="pmi")

    def fit(loss):
        fitted = KAnonymizer(20, hierarchies=pair.hierarchies, loss=loss)
        return fitted.fit(pair.frame, pair.y).information_loss_

    losses = [
        LM(),
        NCP({"tree0": 5}),
        Entropy(),
        MI(),
        PMI(),
        ClassPenalty(),
        ByunInformationLoss(),
    ]
    factors = [0.5, 1, 2, 0.25, 0.75, 3, 1]
    summed = np.sum([f * fit(x) for f, x in zip(factors, losses, strict=True)])
    together = [f * x for f, x in zip(factors, losses, strict=True)]
    assert fit(sum(together[1:], start=together[0])) == pytest.approx(summed)


def test_sums_are_copied_and_pickled():
    loss = 0.25 * MI() + 0.75 * PMI({"a": 2})
    assert pickle.loads(pickle.dumps(loss)) == copy.deepcopy(loss) == loss
    assert clone(KAnonymizer(loss=loss)).loss == loss
    with pytest.raises(AttributeError):
        loss.penalty = 3
    loss.parts.clear()
    assert len(loss.parts) == 2
