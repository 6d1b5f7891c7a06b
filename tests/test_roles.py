"""Which column plays which role."""

import numpy as np
import pandas as pd
import pytest

from skanon import KAnonymizer
from skanon._table.roles import assign_roles, check_lengths
from skanon.exceptions import AnonymizationError, ColumnError

COLUMNS = pd.Index(["age", "town", "name", "illness"])


def roles(**named):
    keys = ("quasi_identifiers", "sensitive", "identifiers")
    found = assign_roles(COLUMNS, *(named.get(key) for key in keys))
    return [found.quasi_identifiers, found.sensitive, found.identifiers, found.others]


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ({}, [list(COLUMNS), [], [], []]),
        (
            {"sensitive": "illness", "identifiers": ["name"]},
            [["age", "town"], ["illness"], ["name"], []],
        ),
        ({"quasi_identifiers": "age"}, [["age"], [], [], ["town", "name", "illness"]]),
        # in the table's order, whatever list-like names them
        (
            {"quasi_identifiers": np.array(["town", "age"], dtype=object)},
            [["age", "town"], [], [], ["name", "illness"]],
        ),
        (
            {"quasi_identifiers": pd.Index(["age"]), "sensitive": ("illness", "town")},
            [["age"], ["town", "illness"], [], ["name"]],
        ),
        ({"identifiers": []}, [list(COLUMNS), [], [], []]),
    ],
)
def test_every_column_has_one_role(named, expected):
    assert roles(**named) == expected


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"quasi_identifiers": ["age", "zip"]}, r"names 'zip', which is not.*'age'"),
        ({"sensitive": "zip"}, "sensitive names 'zip', which is not a column"),
        ({"identifiers": ["zip"]}, "identifiers names 'zip', which is not a column"),
        ({"quasi_identifiers": ["age", "age"]}, r"\['age'\] more than once. Name each"),
        ({"quasi_identifiers": []}, "no quasi-identifier: name the columns.*'town'"),
        ({"sensitive": list(COLUMNS)}, "no quasi-identifier"),
        (
            {"quasi_identifiers": ["age"], "sensitive": "age"},
            "'age' is named in both quasi_identifiers and sensitive. Give each",
        ),
        (
            {"sensitive": "name", "identifiers": "name"},
            "'name' is named in both sensitive and identifiers",
        ),
        ({"quasi_identifiers": [["age"]]}, r"names \['age'\], which is not a column"),
        ({"quasi_identifiers": 3.5}, "names 3.5, which is not a column"),
    ],
)
def test_roles_that_make_no_sense(named, message):
    with pytest.raises(ColumnError, match=message):
        roles(**named)
    frame = pd.DataFrame([[1, 2, 3, 4]] * 3, columns=COLUMNS)
    with pytest.raises(ColumnError, match=message):
        KAnonymizer(2, **named).fit(frame)


def test_a_mask_is_no_list_of_columns():
    mask = [True, False]
    with pytest.raises(ColumnError, match="names True, which is not a column"):
        assign_roles(pd.RangeIndex(2), mask, None, None)
    found = assign_roles(pd.Index([True, False]), [True], None, None)
    assert found.quasi_identifiers == [True]


def test_identifiers_are_dropped_and_sensitive_columns_kept():
    frame = pd.DataFrame([[1, "a", "n", "flu"]] * 3, columns=COLUMNS)
    fitted = KAnonymizer(3, sensitive="illness", identifiers="name")
    release = fitted.fit_transform(frame, y=[1, 2, 3], sensitive=["p", "q", "r"])
    assert release.columns.tolist() == ["age", "town", "illness"]
    assert release["illness"].tolist() == ["flu"] * 3


@pytest.mark.parametrize("values", [[1, 2], 5, "abc"[:2], np.zeros((2, 3)), []])
def test_what_comes_beside_the_table_has_a_value_for_each_row(values):
    with pytest.raises(ColumnError, match=r"X has 3 rows, but y (has|is)"):
        check_lengths(3, y=values)
    with pytest.raises(AnonymizationError, match="one value per row"):
        KAnonymizer(2).fit(pd.DataFrame({"a": [1, 2, 3]}), sensitive=values)


def test_what_has_a_value_for_each_row_is_fine():
    check_lengths(3, a=[1, 2, 3], b=np.zeros((3, 2)), c=pd.Series([1, 2, 3]), d=None)
