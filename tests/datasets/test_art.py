"""The artificial data follow the published distributions and subsets."""

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

from skanon._table.domain import Domain
from skanon.datasets import make_art
from skanon.datasets._art import ART_PROBABILITIES
from skanon.exceptions import ParameterError

# Section VI of the paper, as printed; (first, last) stands for {a_first, …, a_last}.
PUBLISHED = {
    "A1": set(),
    "A2": {(1, 2), (3, 4)},
    "A3": {(1, 2), (3, 4)},
    "A4": {(1, 6), (7, 12), (13, 18), (19, 25), (1, 12), (13, 25)},
    "A5": {(1, 2), (3, 4), (6, 7), (8, 9), (1, 5), (6, 10)},
    "A6": {(1, 2), (4, 5), (3, 5)},
}
SIZES = {"A1": 2, "A2": 4, "A3": 4, "A4": 25, "A5": 10, "A6": 5}


def names(first, last):
    return frozenset(f"a{i}" for i in range(first, last + 1))


def subsets(hierarchy, column, name):
    """Collect what every state of the bound hierarchy covers."""
    bound = hierarchy.bind(Domain.learn(column, name)[0])
    texts = [bound.text_of_code(code) for code in range(bound.n_codes)]
    return [
        frozenset(texts[code] for code in bound.members(np.array([node])))
        for node in range(len(bound.parent))
    ]


@pytest.mark.parametrize("name", PUBLISHED)
def test_permissible_subsets_are_the_published_ones(name):
    art = make_art(random_state=0)
    found = subsets(art.hierarchies[name], art.data[name], name)
    m = SIZES[name]
    single = {names(i, i) for i in range(1, m + 1)}
    inner = {names(*ends) for ends in PUBLISHED[name]}
    assert set(found) == single | inner | {names(1, m)}
    assert len(found) == len(set(found))


@pytest.mark.parametrize("name", PUBLISHED)
def test_labels_name_the_ends_of_what_they_cover(name):
    art = make_art(random_state=0)
    bound = art.hierarchies[name].bind(Domain.learn(art.data[name], name)[0])
    labels = {bound.text(np.array([v])) for v in range(len(bound.parent))}
    inner = {f"a{first}-a{last}" for first, last in PUBLISHED[name]}
    assert labels == names(1, SIZES[name]) | inner | {"*"}


def test_probabilities_are_the_published_ones():
    assert {name: len(p) for name, p in ART_PROBABILITIES.items()} == SIZES
    for chances in ART_PROBABILITIES.values():
        assert sum(chances) == pytest.approx(1, abs=1e-12)
    assert ART_PROBABILITIES["A1"] == (0.7, 0.3)
    assert ART_PROBABILITIES["A3"] == (0.25, 0.25, 0.4, 0.1)
    assert ART_PROBABILITIES["A4"] == tuple([0.07] * 6 + [0.04] * 10 + [0.02] * 9)
    assert ART_PROBABILITIES["A6"] == (0.05, 0.05, 0.5, 0.3, 0.1)


def test_values_occur_as_often_as_they_should():
    n = 50_000
    data = make_art(n, random_state=0).data
    for name, chances in ART_PROBABILITIES.items():
        shares = data[name].value_counts(normalize=True)
        for i, chance in enumerate(chances, start=1):
            # four and a half standard deviations
            tolerance = 4.5 * np.sqrt(chance * (1 - chance) / n)
            assert shares[f"a{i}"] == pytest.approx(chance, abs=tolerance)


def test_attributes_are_independent():
    data = make_art(50_000, random_state=1).data
    codes = np.column_stack([data[name].str[1:].astype(int) for name in data])
    correlation = np.corrcoef(codes, rowvar=False) - np.eye(6)
    assert np.abs(correlation).max() < 4.5 / np.sqrt(50_000)


def test_bunch_holds_together():
    art = make_art(10, random_state=0)
    assert list(art.data) == art.feature_names == list(SIZES) == list(art.hierarchies)
    assert list(art.columns) == art.feature_names
    assert art.frame.equals(art.data)
    assert set(art.data.dtypes.astype(str)) == {"str"}
    for name in SIZES:
        assert f"- {name}: " in art.DESCR


def test_default_is_the_published_size():
    assert make_art().data.shape == (5000, 6)


def test_hierarchies_cover_values_that_a_small_sample_lacks():
    art = make_art(1, random_state=0)
    for name, m in SIZES.items():
        assert set(art.hierarchies[name].values) == names(1, m)


def test_a_seed_makes_the_same_table():
    first = make_art(100, random_state=7).data
    assert_frame_equal(first, make_art(100, random_state=7).data)
    assert_frame_equal(first, make_art(100, random_state=np.random.RandomState(7)).data)
    assert not first.equals(make_art(100, random_state=8).data)


def test_a_generator_moves_on():
    rng = np.random.RandomState(7)
    assert not make_art(100, random_state=rng).data.equals(
        make_art(100, random_state=rng).data
    )


@pytest.mark.parametrize("n", [0, -1, 2.5, "10", True, None])
def test_a_wrong_number_of_records_is_refused(n):
    with pytest.raises(ParameterError, match=r"n=.* is not a number of records"):
        make_art(n)


def test_numpy_s_integers_are_numbers_of_records():
    assert len(make_art(np.int64(3), random_state=0).data) == 3
