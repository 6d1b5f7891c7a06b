"""What an anonymizer remembers is the table that it was fitted on, and its release."""

import numpy as np
import pandas as pd
import pytest
from random_tables import KINDS, random_pair

from skanon import MondrianAnonymizer
from skanon.datasets import load_adult
from skanon.metrics._fitted import fitted_tables


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_column(kind):
    rng = np.random.RandomState(1)
    pair = random_pair(rng, [kind, "flat"], 30, missing=0.3)
    anonymizer = MondrianAnonymizer(k=3, hierarchies=pair.hierarchies)
    release = anonymizer.fit_transform(pair.frame)
    original, released = fitted_tables(anonymizer)
    pd.testing.assert_frame_equal(original, pair.frame)
    pd.testing.assert_frame_equal(released, release)


@pytest.mark.parametrize(
    "values",
    [
        pd.array([1, None, 3, 2**60 + 1], dtype="Int64"),
        pd.array([True, None, False, True], dtype="boolean"),
        pd.Categorical(["x", None, "y", "x"], categories=["y", "x"], ordered=True),
        pd.to_datetime(["2020-01-01", None, "2021-05-05", "2020-01-01"], utc=True),
        np.array([1, 2, 3, 250], dtype=np.uint8),
    ],
)
def test_every_dtype(values):
    table = pd.DataFrame({"a": values, "b": list("wxyz")})
    anonymizer = MondrianAnonymizer(k=2).fit(table)
    pd.testing.assert_frame_equal(fitted_tables(anonymizer)[0], table)


def test_with_names_that_are_no_text_and_rows_in_any_order():
    table = pd.DataFrame({0: [3, 1, 2, 3], 1: list("abab")}, index=[9, 8, 7, 6])
    anonymizer = MondrianAnonymizer(k=2).fit(table)
    original, _ = fitted_tables(anonymizer)
    pd.testing.assert_frame_equal(original, table.reset_index(drop=True))


def test_a_real_table():
    adult = load_adult().data.iloc[:500].reset_index(drop=True)
    anonymizer = MondrianAnonymizer(k=5).fit(adult)
    pd.testing.assert_frame_equal(fitted_tables(anonymizer)[0], adult)
