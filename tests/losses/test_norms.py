"""PMI by other norms: equations (15) and (16) of Goldberger & Tassa 2010."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from skanon import AgglomerativeAnonymizer, KAnonymizer
from skanon.datasets import load_adult
from skanon.exceptions import ParameterError
from skanon.losses import LM, MI, PMI
from skanon.metrics import information_loss, private_mutual_information_score

RNG = np.random.RandomState(0)
TABLE = pd.DataFrame(
    {
        "a": RNG.choice(list("xyz"), 60),
        "b": RNG.choice(list("uv"), 60),
        "c": RNG.choice(list("pqrs"), 60),
    }
)
ILL = np.where(RNG.rand(60) < 0.8, TABLE["b"] == "u", TABLE["a"] == "x").astype(str)
TREES = dict.fromkeys(TABLE, "suppression")


def told(column, y):
    """I(Y; X) of the original table, equation (11) word for word."""
    n, both = len(y), Counter(zip(column, y, strict=True))
    of_x, of_y = Counter(column), Counter(y)
    return (
        math.fsum(
            math.log2((both[x, s] / of_x[x]) / (of_y[s] / n))
            for x, s in zip(column, y, strict=True)
        )
        / n
    )


def beyond_chance(column, y):
    """Miller & Madow: less (m - 1) (s - 1) / 2n nats."""
    chance = (len(set(column)) - 1) * (len(set(y)) - 1) / (2 * len(y)) / math.log(2)
    return max(told(column, y) - chance, 0)


def slope(norm):
    corrected = np.array([beyond_chance(TABLE[name], ILL) for name in TABLE])
    if norm == "l1":
        return np.full(3, 1 / 3)
    if norm == "l2":
        return corrected / math.sqrt(math.fsum(corrected**2)) / 3
    return (corrected == corrected.max()).astype(float)


def tell(labels):
    """What each column tells before and where classes suppress what differs."""
    before = [told(TABLE[name], ILL) for name in TABLE]
    after = []
    n, of_y = len(ILL), Counter(ILL)
    for name in TABLE:
        column = TABLE[name].to_numpy()
        total = 0.0
        for i in range(n):
            alone = len(set(column[labels == labels[i]])) == 1
            inside = column == column[i] if alone else np.full(n, True)
            same = (ILL[inside] == ILL[i]).mean()
            total += math.log2(same / (of_y[ILL[i]] / n))
        after.append(total / n)
    return np.array(before), np.array(after)


@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
def test_the_loss_is_the_fall_of_the_tangent(norm):
    fitted = AgglomerativeAnonymizer(4, loss=PMI(norm=norm), hierarchies=TREES)
    fitted.fit(TABLE, ILL)
    before, after = tell(fitted.labels_)
    fall = slope(norm) @ (before - after)
    assert fitted.information_loss_ == pytest.approx(fall, abs=1e-12)
    measured = information_loss(TABLE, fitted, sensitive=ILL, loss=PMI(norm=norm))
    assert measured == pytest.approx(fitted.information_loss_, abs=1e-12)


@pytest.mark.parametrize("norm", ["l2", "max"])
def test_the_norm_is_at_least_what_the_tangent_says(norm):
    before, _ = tell(np.arange(60))
    for loss in (PMI(norm=norm), LM(), PMI()):
        for k in (2, 5, 20):
            fitted = AgglomerativeAnonymizer(k, loss=loss, hierarchies=TREES)
            fitted.fit(TABLE, ILL)
            given = {"sensitive": ILL}
            lost = information_loss(TABLE, fitted, loss=PMI(norm=norm), **given)
            score = private_mutual_information_score(TABLE, fitted, norm=norm, **given)
            assert score >= slope(norm) @ before - lost - 1e-12


def test_columns_that_tell_by_chance_do_not_count():
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"id": np.arange(200), "sex": rng.choice(list("fm"), 200)})
    y = np.where(rng.rand(200) < 0.9, frame["sex"], "f")
    assert told(frame["id"], y) > told(frame["sex"], y)
    for norm in ("l2", "max"):
        fitted = KAnonymizer(20, loss=PMI(norm=norm), random_state=0).fit(frame, y)
        assert fitted.column_losses_["sex"] < 0.05


def test_weights_multiply_what_columns_tell():
    given = dict.fromkeys(TABLE, "suppression")
    told_by = {name: beyond_chance(TABLE[name], ILL) for name in TABLE}
    ordered = sorted(told_by, key=told_by.get)
    heavy = {ordered[-2]: 2 * told_by[ordered[-1]] / told_by[ordered[-2]]}
    fitted = AgglomerativeAnonymizer(5, loss=PMI(heavy, "max"), hierarchies=given)
    fitted.fit(TABLE, ILL)
    lost = fitted.column_losses_
    assert [name for name in TABLE if lost[name] != 0] in ([], [ordered[-2]])
    plain = AgglomerativeAnonymizer(5, loss=PMI({ordered[-2]: 1}), hierarchies=given)
    assert (plain.fit(TABLE, ILL).labels_ != fitted.labels_).any()


def test_each_norm_is_kept_best_by_its_own_loss():
    adult = load_adult()
    frame, y = adult.data[:2000], adult.target[:2000]
    trees = dict.fromkeys(frame, "suppression")
    scores = {}
    for norm in ("l1", "max"):
        fitted = KAnonymizer(
            10, loss=PMI(norm=norm), hierarchies=trees, effort="fast", random_state=0
        ).fit(frame, y)
        scores[norm] = {
            other: private_mutual_information_score(
                frame, fitted, sensitive=y, norm=other
            )
            for other in ("l1", "max")
        }
    assert scores["l1"]["l1"] > scores["max"]["l1"]
    assert scores["max"]["max"] > scores["l1"]["max"]


def test_a_norm_is_a_part_of_the_description():
    assert repr(PMI(norm="l2")) == "PMI(norm='l2')"
    assert repr(0.5 * PMI({"a": 2}, "max")) == "0.5 * PMI(weights={'a': 2}, norm='max')"
    assert PMI(norm="l2") != PMI() == PMI(norm="l1")
    with pytest.raises(ParameterError, match="norm is 'l3', but must be one of"):
        PMI(norm="l3")


def test_where_nothing_is_told_nothing_is_lost():
    frame, y = pd.DataFrame({"a": list("xyxy"), "b": list("uuvv")}), ["s"] * 4
    for norm in ("l2", "max"):
        fitted = KAnonymizer(4, loss=PMI(norm=norm)).fit(frame, y)
        assert fitted.information_loss_ == 0


def test_norms_add_up_with_other_losses():
    loss = 0.5 * MI() + 2 * PMI(norm="max")
    fitted = AgglomerativeAnonymizer(5, loss=loss, hierarchies=TREES).fit(TABLE, ILL)
    parts = [
        information_loss(TABLE, fitted, sensitive=ILL, loss=part)
        for part in (MI(), PMI(norm="max"))
    ]
    expected = 0.5 * parts[0] + 2 * parts[1]
    assert fitted.information_loss_ == pytest.approx(expected, abs=1e-12)
