"""Decimals, times of day, periods and intervals as quasi-identifiers."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skanon import KAnonymizer
from skanon.exceptions import ColumnTypeError
from skanon.hierarchies import Subsets, Taxonomy, from_nested
from skanon.metrics import information_loss
from skanon.privacy import check_release, k_map, kk_anonymity

TIMES = [datetime.time(h, m) for h in (0, 8, 9, 23) for m in (0, 30)]
MONTHS = list(pd.period_range("2019-11", periods=6, freq="M"))
WEEKS = list(pd.period_range("2019-12-20", periods=4, freq="W"))
BINS = list(pd.interval_range(-10, 50, periods=6))
DAYS = list(pd.interval_range(pd.Timestamp("2020"), pd.Timestamp("2021"), 4))
GAPS = [pd.Interval(0.5, 1), pd.Interval(2, 3.25), pd.Interval(8, 9)]
PRICES = [Decimal(text) for text in ("-0.5", "1.10", "1.1", "2", "19.99", "1E+2")]


def written(value):
    """Give what a label of one value reads: numbers as numbers."""
    return float(value) if isinstance(value, Decimal) else str(value)


def stands_for(label, value, kind):
    """Read a label without the library: a value, a range or everything."""
    if label == "*":
        return True
    if isinstance(label, float) or value is None:
        return pd.isna(label) and value is None
    if kind == "decimal":
        if label[0] != "[":
            return float(label) == float(value)
        low, high = label[1:-1].split(", ")
        return float(low) <= float(value) <= float(high)
    if kind == "interval":
        convert = pd.Timestamp if isinstance(value.left, pd.Timestamp) else float
        low, high = (convert(end) for end in label[1:-1].split(", "))
        assert label[0] + label[-1] == "(]"
        return low <= value.left and value.right <= high
    if label[0] != "[":
        return label == str(value)
    low, high = label[1:-1].split(", ")
    return low <= str(value) <= high  # as they are written, they sort


COLUMNS = {
    "decimal": [PRICES],
    "time": [TIMES],
    "period": [MONTHS, WEEKS],
    "interval": [BINS, DAYS, GAPS],
}


@st.composite
def column(draw):
    kind = draw(st.sampled_from(sorted(COLUMNS)))
    values = draw(st.sampled_from(COLUMNS[kind]))
    listed = draw(
        st.lists(st.sampled_from([*values, None]), min_size=6, max_size=14).filter(
            lambda x: sum(v is not None for v in x) > 1
        )
    )
    series = pd.Series(listed, dtype=object)
    form = draw(st.sampled_from(["object", "own", "category"]))
    if form == "category":
        series = series.astype("category")
    elif form == "own" and kind in ("period", "interval"):
        series = pd.Series(series.tolist()).infer_objects()
    return kind, listed, series


@given(column(), st.integers(2, 3))
def test_labels_cover_what_they_stand_for(drawn, k):
    kind, listed, series = drawn
    frame = series.to_frame("x")
    anonymizer = KAnonymizer(k, random_state=0)
    released = anonymizer.fit_transform(frame)
    check_release(released, k=k)
    labels = released["x"].tolist()
    assert all(
        stands_for(label, value, kind)
        for label, value in zip(labels, listed, strict=True)
    )
    fits = [sum(stands_for(label, v, kind) for v in listed) for label in labels]
    assert k_map(released, population=frame, suppressed="*") == min(
        [n for n, label in zip(fits, labels, strict=True) if label != "*"] or fits
    )
    assert kk_anonymity(frame, released) >= k
    loss = anonymizer.information_loss_
    assert information_loss(frame, released) == pytest.approx(loss)
    pd.testing.assert_frame_equal(anonymizer.transform(frame), released)


def test_bins_become_longer_bins():
    ages = pd.cut(pd.Series([3, 12, 25, 38, 44, 47]), [0, 10, 20, 30, 40, 50])
    released = KAnonymizer(2, random_state=0).fit_transform(ages.to_frame("age"))
    assert (
        released["age"].tolist()
        == ["(0, 20]"] * 2 + ["(20, 40]"] * 2 + ["(40, 50]"] * 2
    )


def test_bins_that_overlap_are_named_at_both_ends():
    spans = [pd.Interval(0, 2), pd.Interval(1, 3), pd.Interval(5, 9), pd.Interval(6, 9)]
    frame = pd.DataFrame({"x": spans})
    released = KAnonymizer(2, random_state=0).fit_transform(frame)
    assert (
        released["x"].tolist()
        == ['["(0, 2]", "(1, 3]"]'] * 2 + ['["(5, 9]", "(6, 9]"]'] * 2
    )
    assert kk_anonymity(frame, released) == 2


def test_categories_keep_an_order_of_their_own():
    shift = pd.CategoricalDtype([TIMES[6], TIMES[0], TIMES[2]], ordered=True)
    frame = pd.DataFrame({"x": pd.Series([TIMES[6], TIMES[0]] * 2, dtype=shift)})
    released = KAnonymizer(4, random_state=0).fit_transform(frame)
    assert set(released["x"]) == {"[23:00:00, 00:00:00]"}


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize(
    ("values", "height"), [(MONTHS[:4], "2019"), (TIMES[:4], "a"), (BINS[:4], "b")]
)
def test_taxonomies_have_them_or_their_texts_as_leaves(values, height, as_text):
    leaves = [str(value) for value in values] if as_text else values
    tree = from_nested({"*": {height: list(leaves[:2]), "rest": list(leaves[2:])}})
    assert Taxonomy.from_dict(tree.to_dict()) == tree
    frame = pd.DataFrame({"x": pd.Series([*values, *values[:2]], dtype=object)})
    anonymizer = KAnonymizer(2, hierarchies={"x": tree}, random_state=0)
    released = anonymizer.fit_transform(frame)
    assert set(released["x"]) == {str(values[0]), str(values[1]), "rest"}
    typical = anonymizer.set_params(encode="representative").fit_transform(frame)
    assert set(typical["x"]) <= set(values)


def test_sets_of_them():
    frame = pd.DataFrame({"x": [MONTHS[0], MONTHS[5], MONTHS[1], MONTHS[2]]})
    anonymizer = KAnonymizer(4, hierarchies={"x": Subsets()}, random_state=0)
    assert anonymizer.fit_transform(frame)["x"].tolist() == ["*"] * 4


def test_others_at_transform():
    fitted = KAnonymizer(2, random_state=0).fit(pd.DataFrame({"x": MONTHS}))
    new = pd.DataFrame({"x": [MONTHS[0], pd.Period("2031-01", "M")]})
    assert fitted.transform(new)["x"].tolist()[0] != "*"
    with pytest.raises(ColumnTypeError, match=r"held texts.*but holds numbers now"):
        fitted.transform(pd.DataFrame({"x": [1, 2]}))


def test_decimals_are_the_numbers_that_they_are():
    prices = pd.DataFrame({"x": [Decimal("1.10"), Decimal("1.1"), Decimal("2.50")] * 2})
    numbers = prices.astype(float)
    for encode in ("label", "distribution"):
        one = KAnonymizer(2, encode=encode, random_state=0)
        pd.testing.assert_frame_equal(
            one.fit_transform(prices), one.fit_transform(numbers)
        )
    ends = KAnonymizer(6, encode="bounds", random_state=0).fit_transform(prices)
    assert ends.iloc[0].tolist() == [Decimal("1.1"), Decimal("2.5")]
    assert np.array_equal(ends.astype(float).to_numpy()[0], [1.1, 2.5])
