"""What comes beside the table must not belong to other rows of it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import train_test_split

from skanon import KAnonymizer, KKAnonymizer, anonymization_path
from skanon.constraints import LDiversity
from skanon.exceptions import ColumnError
from skanon.metrics import loss_lower_bound, optimality_gap
from skanon.privacy import l_diversity

RNG = np.random.RandomState(0)
PEOPLE = pd.DataFrame(
    {"age": RNG.randint(90, size=60), "town": RNG.choice(list("abc"), 60)},
    index=RNG.permutation(np.arange(100, 160)),
)
ILL = pd.Series(RNG.choice(["flu", "cold", "gout"], 60), PEOPLE.index, name="ill")
SORTED = ILL.sort_index()
MATCH = r"has the rows of the table in another order: its row 0 has the index 100"


def calls():
    yield "fit y", lambda ill: KAnonymizer(3, random_state=0).fit(PEOPLE, ill)
    yield (
        "fit sensitive",
        lambda ill: KAnonymizer(3, random_state=0).fit(PEOPLE, sensitive=ill),
    )
    yield "kk", lambda ill: KKAnonymizer(3).fit(PEOPLE, ill)
    yield "path", lambda ill: anonymization_path(PEOPLE, ill, ks=[3])
    yield "bound", lambda ill: loss_lower_bound(PEOPLE, k=3, sensitive=ill, loss="pmi")


@pytest.mark.parametrize(("name", "call"), [pytest.param(*c, id=c[0]) for c in calls()])
def test_another_order_is_refused(name, call):
    """By position, a class with l = 2 would have l = 1 once it is put together."""
    for wrong in (SORTED, SORTED.to_frame()):
        with pytest.raises(ColumnError, match=MATCH):
            call(wrong)
    call(ILL)
    call(SORTED.loc[PEOPLE.index])
    call(SORTED.to_numpy())  # as it is


def test_the_gap_is_of_the_fitted_rows():
    fitted = KAnonymizer(3, random_state=0).fit(PEOPLE, ILL)
    assert optimality_gap(fitted, PEOPLE, ILL) >= 0
    with pytest.raises(ColumnError, match=MATCH):
        optimality_gap(fitted, PEOPLE, SORTED)


def test_a_promise_holds_once_the_release_is_put_together():
    rule = [LDiversity(1.5)]
    made = KAnonymizer(3, constraints=rule, random_state=0)
    with pytest.raises(ColumnError, match=MATCH):
        made.fit(PEOPLE, SORTED)
    release = made.fit(PEOPLE, ILL).transform(PEOPLE)
    together = release.join(ILL)
    assert l_diversity(together, ["age", "town"], "ill") >= 1.5


def test_repeated_labels_and_levels():
    doubled = PEOPLE.set_axis([1, 1, 2, 2] * 15)
    with pytest.raises(ColumnError, match="row 0 has the index 2, the table's 1"):
        KAnonymizer(3).fit(doubled, pd.Series(["x", "y"] * 30, [2, 2, 1, 1] * 15))
    KAnonymizer(3, random_state=0).fit(
        doubled, pd.Series(["x", "y"] * 30, doubled.index)
    )
    levels = pd.MultiIndex.from_product([range(6), range(10)])
    deep, y = PEOPLE.set_axis(levels), pd.Series(["x", "y"] * 30, levels[::-1])
    with pytest.raises(ColumnError, match=r"the index \(5, 9\), the table's \(0, 0\)"):
        KAnonymizer(3).fit(deep, y)


def test_any_other_index_goes_by_position():
    for index in (range(60), list("ab") * 30, pd.date_range("2020-01-01", periods=60)):
        y = ILL.set_axis(index)
        fitted = KAnonymizer(3, random_state=0).fit(PEOPLE, y)
        assert fitted._sensitive["y"].tolist() == ILL.tolist()
    # an array has no index
    plain = KAnonymizer(3, random_state=0).fit(PEOPLE.to_numpy(), SORTED)
    assert plain._sensitive["y"].tolist() == SORTED.tolist()


def test_what_scikit_learn_splits_stays_together():
    X, _, y, _ = train_test_split(PEOPLE, ILL, random_state=0)
    assert KAnonymizer(3, random_state=0).fit(X, y).n_classes_ > 1
