"""Anybody's release made better."""

import numpy as np
import pandas as pd
import pytest

from skanon import KAnonymizer, LDiversity, MondrianAnonymizer, information_loss, refine
from skanon.exceptions import ColumnError, ParameterError, ReleaseError
from skanon.privacy import k_anonymity, l_diversity

NAMES = ["age", "town"]
TOWNS = {"*": {"north": ["Kiel", "Bremen"], "south": ["Ulm", "Bern"]}}
OWN = {"quasi_identifiers": NAMES, "hierarchies": {"town": TOWNS}, "random_state": 0}


def people(n=200, seed=0):
    rng = np.random.RandomState(seed)
    return pd.DataFrame(
        {
            "age": rng.randint(20, 70, n),
            "town": rng.choice(["Kiel", "Bremen", "Ulm", "Bern"], n),
            "ill": rng.choice(["flu", "cold", "none"], n),
        },
        index=rng.permutation(n) + 1000,
    )


def by_decade(table):
    """A release as somebody else might write it."""
    decade = table["age"] // 10 * 10
    return table.assign(age=decade.map("from {}".format), town="anywhere")


def test_a_coarse_release_gets_better_and_keeps_k():
    table = people()
    coarse = by_decade(table)
    k = k_anonymity(coarse, NAMES)
    better = refine(table, coarse, k, **OWN)
    assert k_anonymity(better, NAMES) >= k
    assert better["ill"].equals(table["ill"])
    loss = information_loss(table, better, NAMES, hierarchies={"town": TOWNS})
    classes = coarse.groupby("age")["age"].transform("size")
    assert (classes >= k).all()
    as_it_was = refine(table, coarse, k, visits=0, **OWN)
    before = information_loss(table, as_it_was, NAMES, hierarchies={"town": TOWNS})
    assert loss < 0.8 * before


def test_one_class_of_all_comes_near_to_what_the_default_makes():
    table = people(400)
    given = {"sensitive": "ill", **OWN}
    better = refine(table, table.assign(age="*", town="some"), 5, **given)
    best = KAnonymizer(5, **given).fit(table)
    loss = information_loss(table, better, NAMES, hierarchies={"town": TOWNS})
    assert loss < 1.1 * best.information_loss_
    own = {"constraints": [LDiversity(2)], **given}
    better = refine(table, table.assign(age="*", town="some"), 5, **own)
    assert l_diversity(better, NAMES, "ill") >= 2
    assert better["age"].nunique() > 20


def test_without_visits_the_classes_stay():
    table = people()
    coarse = by_decade(table)
    again = refine(table, coarse, 20, visits=0, **OWN)
    spans = table.groupby(coarse["age"])["age"].agg(["min", "max"])
    expected = coarse["age"].map(
        {key: f"[{row['min']}, {row['max']}]" for key, row in spans.iterrows()}
    )
    assert again["age"].tolist() == expected.tolist()
    assert set(again["town"]) == {"*"}


def test_our_own_release_is_never_made_worse():
    table = people()
    for seed in range(5):
        mondrian = MondrianAnonymizer(5, **{**OWN, "random_state": seed})
        released = mondrian.fit_transform(table)
        better = refine(table, released, 5, **OWN)
        loss = information_loss(table, better, NAMES, hierarchies={"town": TOWNS})
        assert loss < mondrian.information_loss_
    best = KAnonymizer(5, effort="high", sensitive="ill", **OWN)
    released = best.fit_transform(table)
    again = refine(table, released, 5, effort="fast", sensitive="ill", **OWN)
    loss = information_loss(table, again, NAMES, hierarchies={"town": TOWNS})
    assert loss <= best.information_loss_ + 1e-12


def test_suppressed_records_stay_so_but_k_of_them_are_a_class():
    table = people()
    for n_hidden, stay in ((4, True), (5, False)):
        coarse = by_decade(table)
        coarse.iloc[:n_hidden, :2] = "*"
        better = refine(table, coarse, 5, suppressed="blank", **OWN)
        hidden = (better[NAMES] == "*").all(axis=1)
        assert hidden.iloc[:n_hidden].all() == stay
        assert not hidden.iloc[n_hidden:].any()
        assert better["ill"].isna().tolist() == hidden.tolist()
        dropped = refine(table, coarse, 5, suppressed="drop", **OWN)
        assert len(dropped) == len(table) - stay * n_hidden
        kept = refine(table, coarse, 5, **OWN)
        assert not (kept[NAMES] == "*").all(axis=1).any()
        assert k_anonymity(kept, NAMES) >= 5


@pytest.mark.parametrize("seed", range(3))
def test_constraints_are_kept(seed):
    table = people(seed=seed)
    coarse = by_decade(table)
    l = l_diversity(coarse, NAMES, "ill")  # noqa: E741
    given = {"constraints": [LDiversity(l)], "sensitive": "ill", **OWN}
    better = refine(table, coarse, 10, **given)
    assert l_diversity(better, NAMES, "ill") >= l - 1e-9
    with pytest.raises(ReleaseError, match=r"1 of 5 classes .* records of age=from"):
        given["constraints"] = [LDiversity(l + 1e-6)]
        refine(table, coarse, 10, **given)
    mended = refine(table, coarse, 10, repair=True, **given)
    assert l_diversity(mended, NAMES, "ill") >= l + 1e-6 - 1e-9


def test_classes_that_are_too_small_are_named_or_mended():
    table = people()
    coarse = by_decade(table)
    coarse.iloc[0, 0] = "secret"
    coarse.iloc[1:3, 0] = "also"
    said = (
        r"2 of 7 classes of the release have fewer than k=5 records: 1 records of "
        r"age=secret, town=anywhere; 2 records of age=also, town=anywhere\. Give repair"
    )
    with pytest.raises(ReleaseError, match=said):
        refine(table, coarse, 5, **OWN)
    mended = refine(table, coarse, 5, repair=True, **OWN)
    assert k_anonymity(mended, NAMES) >= 5
    assert k_anonymity(refine(table, table, 5, repair=True, **OWN), NAMES) >= 5


def test_tables_that_do_not_fit_together():
    table = people()
    coarse = by_decade(table)
    with pytest.raises(ColumnError, match="200 rows, but the release has 199"):
        refine(table, coarse.iloc[1:], 5, **OWN)
    with pytest.raises(ColumnError, match="index in another order"):
        refine(table, coarse.iloc[::-1], 5, **OWN)
    with pytest.raises(ColumnError, match=r"lacks the columns \['age'\]"):
        refine(table, coarse.drop(columns="age"), 5, **OWN)


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"effort": "much"}, "effort"),
        ({"visits": -1}, "visits"),
        ({"on_interrupt": "never"}, "on_interrupt"),
        ({"encode": "x"}, "encode"),
    ],
)
def test_unfit_parameters(wrong, name):
    table = people()
    with pytest.raises(ParameterError, match=name):
        refine(table, by_decade(table), 5, **OWN, **wrong)
    with pytest.raises(ParameterError, match="k of refine is 0, but must be"):
        refine(table, by_decade(table), 0, **OWN)
