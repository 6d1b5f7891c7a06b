"""The objective of k-member clustering: sizes times diameters."""

import naive_losses
import numpy as np
import pandas as pd
import pytest
from clustered import fit, mixed_pair
from random_tables import KINDS

from skanon import KMemberAnonymizer, MondrianAnonymizer
from skanon.exceptions import ParameterError
from skanon.hierarchies import from_nested
from skanon.metrics import _diameters, byun_information_loss, intra_cluster_distance


def naive_diameters(pair, labels, weights=()):
    """Definition 1: the sum of |e| times the greatest distance of two records of e."""
    total = 0.0
    for h in np.unique(labels):
        members = np.flatnonzero(labels == h)
        furthest = 0.0
        for a in members:
            for b in members:
                apart = 0.0
                for j, column in enumerate(pair.table.columns):
                    one, other = (pair.table.records[i][j] for i in (a, b))
                    both = column.closure(frozenset([one, other]))
                    scale = dict(weights).get(pair.frame.columns[j], 1.0)
                    apart += scale * naive_losses.il(column, both)
                furthest = max(furthest, apart)
        total += len(members) * furthest
    return total


@pytest.mark.parametrize("kind", [*KINDS, None])
def test_it_equals_the_oracle(kind):
    for seed in range(5):
        kinds = [kind, "flat"] if kind else None
        pair = mixed_pair(seed, n=25, measure="byun", kinds=kinds)
        fitted = fit(KMemberAnonymizer, pair, 3, random_state=seed)
        expected = naive_diameters(pair, fitted.labels_)
        given = {"hierarchies": pair.hierarchies}
        release = fitted.transform(pair.frame)
        assert intra_cluster_distance(pair.frame, release, **given) == pytest.approx(
            expected, abs=1e-9
        )
        assert intra_cluster_distance(pair.frame, fitted) == pytest.approx(expected)
        assert expected <= byun_information_loss(pair.frame, fitted) + 1e-9
        heavy = {pair.frame.columns[0]: 2.5, pair.frame.columns[-1]: 0.0}
        if len(pair.frame.columns) > 1:
            weighted = intra_cluster_distance(pair.frame, fitted, weights=heavy)
            by_hand = naive_diameters(pair, fitted.labels_, heavy)
            assert weighted == pytest.approx(by_hand)


def test_an_unbalanced_tree_by_hand():
    tree = from_nested({"all": {"a": {"b": ["x", "y"], "w": None}, "z": None}})
    table = pd.DataFrame({"v": ["x", "y", "z", "x", "z", "z"]})
    release = table.assign(v=["b", "b", "*", "*", "z", "z"])
    # x and y: height 1 of 3; x and z: the whole tree; z and z are one value
    found = intra_cluster_distance(table, release, hierarchies={"v": tree})
    assert found == pytest.approx(2 * 1 / 3 + 2 * 1 + 0)


def test_a_diameter_is_of_two_records_not_of_the_class():
    """No two of them differ in both columns by the whole range."""
    table = pd.DataFrame({"a": [0, 10, 0], "b": [0, 0, 10]})
    release = pd.DataFrame({"a": ["[0, 10]"] * 3, "b": ["[0, 10]"] * 3})
    assert intra_cluster_distance(table, release) == 3 * 2
    table = pd.DataFrame({"a": [0, 10, 5], "b": [0, 0, 10]})
    assert intra_cluster_distance(table, release) == 3 * 1.5
    assert byun_information_loss(table, release) == 3 * 2


def test_suppressed_records_and_missing_values():
    table = pd.DataFrame({"a": [1.0, 9.0, np.nan, 5.0], "b": list("xxyy")})
    release = pd.DataFrame({"a": ["[1, 9]", "[1, 9]", "*", "*"], "b": list("xx**")})
    # a missing value is a whole range away; y and y are alike
    assert intra_cluster_distance(table, release) == 2 * 1 + 2 * 1


def test_chunks_of_pairs_change_nothing(monkeypatch):
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"a": rng.rand(300), "b": rng.choice(list("uvw"), 300)})
    fitted = MondrianAnonymizer(40).fit(frame)
    before = intra_cluster_distance(frame, fitted)
    monkeypatch.setattr(_diameters, "PAIRS", 100)
    assert intra_cluster_distance(frame, fitted) == before


def test_unfit_weights():
    frame = pd.DataFrame({"a": [1, 2]})
    with pytest.raises(ParameterError, match="'a' the weight -1"):
        intra_cluster_distance(frame, frame, weights={"a": -1})
