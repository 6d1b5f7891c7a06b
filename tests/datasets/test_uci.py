"""The shipped tables are UCI's, whole and in UCI's order."""

import gzip
import hashlib
from importlib import resources

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from skanon._table.domain import Domain
from skanon.datasets import load_adult, load_cmc

NUMBERS = {
    "age",
    "fnlwgt",
    "education-num",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "wife_age",
    "n_children",
}
KEYS = {
    "data",
    "target",
    "frame",
    "feature_names",
    "target_names",
    "hierarchies",
    "columns",
    "DESCR",
    "source",
    "licence",
}
LOADERS = {
    "adult": load_adult,
    "adult with missing values": lambda **options: load_adult(missing=True, **options),
    "cmc": load_cmc,
}


@pytest.fixture(params=LOADERS)
def load(request):
    return LOADERS[request.param]


@pytest.fixture
def table(load):
    return load()


def test_adult_has_the_complete_records():
    adult = load_adult()
    assert adult.data.shape == (45_222, 14)
    assert adult.frame.index.equals(pd.RangeIndex(45_222))
    assert not adult.frame.isna().any().any()
    assert adult.target.value_counts().to_dict() == {"<=50K": 34_014, ">50K": 11_208}
    assert adult.target_names == ["<=50K", ">50K"]
    assert adult.target.name == "income"


def test_adult_with_missing_values_has_all_records():
    frame = load_adult(missing=True).frame
    assert frame.shape == (48_842, 15)
    missing = frame.isna().sum()
    assert missing[missing > 0].to_dict() == {
        "workclass": 2_799,
        "occupation": 2_809,
        "native-country": 857,
    }
    assert not (frame == "?").any().any()
    assert_frame_equal(frame.dropna(ignore_index=True), load_adult().frame)


def test_cmc_has_all_records():
    cmc = load_cmc()
    assert cmc.data.shape == (1_473, 9)
    assert not cmc.frame.isna().any().any()
    counts = {"No-use": 629, "Short-term": 511, "Long-term": 333}
    assert cmc.target.value_counts().to_dict() == counts
    assert cmc.target_names == ["Long-term", "No-use", "Short-term"]
    assert cmc.target.name == "contraceptive_method"


def test_bunch_holds_together(table):
    assert set(table) == KEYS
    assert list(table.data) == table.feature_names == list(table.hierarchies)
    assert list(table.frame) == list(table.columns)
    assert_frame_equal(table.frame, table.data.join(table.target))
    assert all(table.columns.values())


def test_dtypes_are_plain(table):
    for name, column in table.frame.items():
        expected = "int64" if name in NUMBERS else "str"
        assert column.dtype == expected, name


def test_x_and_y_are_the_bunch_s(load):
    X, y = load(return_X_y=True)
    table = load()
    assert_frame_equal(X, table.data)
    assert y.equals(table.target)


def test_each_call_gives_a_table_of_its_own():
    first = load_cmc()
    first.data.loc[0, "wife_age"] = 0
    first.hierarchies.clear()
    first.columns.clear()
    again = load_cmc()
    assert again.data.loc[0, "wife_age"] == 24
    assert len(again.hierarchies) == 9 and len(again.columns) == 10


def test_description_says_what_a_user_must_know(table):
    for name in table.frame:
        assert f"- {name}: " in table.DESCR
    for words in (table.frame.columns[-1], "Quasi-identif", "CC BY 4.0", "10.24432"):
        assert words.lower() in table.DESCR.lower()
    assert "CC BY 4.0" in table.licence
    assert max(map(len, table.DESCR.splitlines())) <= 81


def test_hierarchies_bind_to_every_column(table):
    for name, column in table.data.items():
        domain, _ = Domain.learn(column, name)
        bound = table.hierarchies[name].bind(domain)
        assert bound.counts.sum() == len(column), name


def test_hierarchies_have_no_leaf_that_uci_lacks():
    for table in (load_adult(missing=True), load_cmc()):
        for name, hierarchy in table.hierarchies.items():
            if name not in NUMBERS:
                assert set(hierarchy.values) == set(table.data[name].dropna()), name


def test_labels_differ_from_the_values_and_from_each_other():
    for table in (load_adult(missing=True), load_cmc()):
        for name, hierarchy in table.hierarchies.items():
            if name in NUMBERS:
                continue
            covers = {}
            levels = [hierarchy.values, *hierarchy.levels]
            for level in levels:
                below = pd.Series(hierarchy.values).groupby(list(level)).agg(frozenset)
                for label, values in below.items():
                    assert covers.setdefault(label, values) == values, (name, label)


@pytest.mark.parametrize(
    "column, node, values",
    [
        ("native-country", "British Isles", {"England", "Ireland", "Scotland"}),
        ("education", "Graduate degree", {"Masters", "Prof-school", "Doctorate"}),
        ("marital-status", "Formerly married", {"Divorced", "Widowed"}),
        ("relationship", "Spouse", {"Husband", "Wife"}),
    ],
)
def test_nodes_cover_what_they_say(column, node, values):
    table = load_adult().hierarchies[column].to_frame().set_index(0)
    assert set(table.index[(table == node).any(axis=1)]) == values


def test_education_stages_follow_the_years_of_school():
    adult = load_adult(missing=True)
    number = dict(
        zip(adult.data["education"], adult.data["education-num"], strict=True)
    )
    leaves = adult.hierarchies["education"].values
    assert [number[leaf] for leaf in leaves] == list(range(1, 17))


@pytest.mark.parametrize(
    "name, digest",
    [
        ("adult", "6f8f2babc5ee744afd03f6d978d8d6b3e3b0aae240d931c4976a9cce7af0d347"),
        ("cmc", "2d94fc0bd6a397b7c6ff448d4253900068fd2bc19390ea6749a9962149000160"),
    ],
)
def test_shipped_files_are_the_ones_that_were_built(name, digest):
    packed = resources.files("skanon.datasets").joinpath(f"data/{name}.csv.gz")
    content = packed.read_bytes()
    # the text, since another zlib may compress the same text to other bytes
    assert hashlib.sha256(gzip.decompress(content)).hexdigest() == digest
    assert len(content) < 700_000


@pytest.mark.parametrize("missing", [False, True])
def test_adult_is_the_table_from_another_source(shared_data, missing):
    name = "adult.csv.gz" if missing else "adult_clean.csv.gz"
    other = pd.read_csv(shared_data / name, keep_default_na=False, na_values="?")
    assert_frame_equal(load_adult(missing=missing).frame, other)


def test_cmc_is_the_table_from_another_source(shared_data):
    # the same names for columns and for decoded values: nothing to translate
    other = pd.read_csv(shared_data / "cmc.csv", keep_default_na=False)
    assert_frame_equal(load_cmc().frame, other)
