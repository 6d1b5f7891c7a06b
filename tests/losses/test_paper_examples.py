"""The worked examples of the papers."""

import itertools

import naive
import numpy as np
import pandas as pd
import pytest

from skanon import KAnonymizer
from skanon._table.schema import Schema
from skanon.hierarchies import from_nested
from skanon.kernels.core.closures import close, states_of
from skanon.losses import LM, MI, PMI, ByunInformationLoss
from skanon.metrics import byun_information_loss

# Goldberger & Tassa 2010, section 5.1
NINE = pd.DataFrame({"x": list("aaaabbbbc")})
SENSITIVE = [0, 0, 0, 1, 0, 1, 1, 1, 1]
G1 = [0, 0, 0, 1, 1, 2, 2, 2, 1]  # a a a * * b b b *
G2 = [0, 0, 1, 0, 1, 2, 2, 2, 1]  # a a * a * b b b *


def kernel_loss(loss, labels):
    """Price a release with the kernels."""
    sensitive = np.array(SENSITIVE if loss.uses_sensitive else [0] * 9, dtype=np.int32)
    schema, codes = Schema.learn(NINE, {"x": "suppression"}, loss, sensitive)
    labels = np.array(labels, dtype=np.int32)
    n_clusters = labels.max() + 1
    states, costs = close(schema.columns, codes, sensitive, labels, n_clusters)
    texts = [schema.bounds[0].text(state) for state in states[labels]]
    paid = np.bincount(labels) @ costs[:, 0] / 9 - schema.origins[0]
    return paid, "".join(texts)


def test_pmi_is_not_monotone_and_tells_outliers():
    by_hand_1 = 6 * np.log2(3 / 4) + 2 * np.log2(5 / 9) + np.log2(4 / 9)
    by_hand_2 = 5 * np.log2(3 / 4) + np.log2(1 / 4) + 2 * np.log2(4 / 9)
    by_hand_2 += np.log2(5 / 9)
    original = 6 * np.log2(3 / 4) + 2 * np.log2(1 / 4) + np.log2(1)
    first, text_1 = kernel_loss(PMI(), G1)
    second, text_2 = kernel_loss(PMI(), G2)
    assert (text_1, text_2) == ("aaa**bbb*", "aa*a*bbb*")
    assert first == pytest.approx(-(by_hand_1 - original) / 9)
    assert second == pytest.approx(-(by_hand_2 - original) / 9)
    assert round(first, 3) == -0.126
    assert round(second, 3) == 0.086
    assert kernel_loss(PMI(), range(9))[0] == pytest.approx(0)


@pytest.mark.parametrize("loss", [LM(), MI()])
def test_measures_of_public_values_cannot_tell_them_apart(loss):
    first, second = kernel_loss(loss, G1)[0], kernel_loss(loss, G2)[0]
    assert first == pytest.approx(second)
    assert first > 0


def test_any_other_choice_of_records_for_c_loses_more():
    losses = {}
    for a, b in itertools.product(range(4), range(4, 8)):
        labels = [0] * 4 + [2] * 4 + [1]
        labels[a] = labels[b] = 1
        losses[a, b], _ = kernel_loss(PMI(), labels)
    assert min(losses, key=losses.get) == (3, 4)
    assert sorted(losses.values())[1] > losses[3, 4] + 0.1


@pytest.mark.parametrize("seed", range(3))
def test_the_release_that_hides_the_outliers_is_found(seed):
    fitted = KAnonymizer(
        3, hierarchies={"x": "suppression"}, loss=PMI(), random_state=seed
    )
    release = fitted.fit_transform(NINE, SENSITIVE)
    assert "".join(release["x"]) == "aaa**bbb*"
    assert fitted.information_loss_ == pytest.approx(kernel_loss(PMI(), G1)[0])


# Byun et al. 2007, figures 3 and 4, example 1
COUNTRY = from_nested(
    {
        "Country": {
            "America": {"North": ["USA", "Canada"], "South": ["Brazil", "Mexico"]},
            "Asia": {"West": ["Iran", "Egypt"], "East": ["India", "Japan"]},
        }
    }
)
OCCUPATION = from_nested(
    {"Occupation": ["Armed-Forces", "Teacher", "Doctor", "Salesman", "Tech-Support"]}
)


def distance(hierarchy, one, other):
    """Price the closure of two values."""
    values = pd.DataFrame({"x": list(hierarchy.values)})
    schema, codes = Schema.learn(values, {"x": hierarchy}, ByunInformationLoss())
    pair = codes[values["x"].isin([one, other]).to_numpy()]
    columns = schema.columns
    labels = np.zeros(len(pair), dtype=np.int32)
    (state,) = states_of(columns.layout, columns.tree, pair, labels, 1)
    return schema.costs[0].nodes()[state[0], 0]


def test_distances_in_taxonomies():
    assert distance(COUNTRY, "India", "USA") == pytest.approx(3 / 3)
    assert distance(COUNTRY, "India", "Iran") == pytest.approx(2 / 3)
    assert distance(COUNTRY, "India", "Japan") == pytest.approx(1 / 3)
    assert distance(COUNTRY, "India", "India") == 0
    for one, other in itertools.combinations(OCCUPATION.values, 2):
        assert distance(OCCUPATION, one, other) == 1


def test_heights_are_of_the_tree_below_also_where_branches_are_short():
    """Definition 5: H of the tree below the lowest common ancestor, by hand."""
    europe = {"South": {"Iberia": ["ES", "PT"], "Malta": None}, "North": ["NO", "SE"]}
    hierarchy = from_nested({"World": {"Europe": europe, "Oceania": ["AU", "NZ"]}})
    expected = {
        ("AU", "NZ"): 1 / 4,  # its children are leaves, though its level is 3
        ("NO", "SE"): 1 / 4,
        ("ES", "PT"): 1 / 4,
        ("ES", "Malta"): 2 / 4,
        ("Malta", "SE"): 3 / 4,
        ("Malta", "NZ"): 4 / 4,
    }
    for pair, height in expected.items():
        assert distance(hierarchy, *pair) == pytest.approx(height)
        table = pd.DataFrame({"x": pair})
        fitted = KAnonymizer(2, hierarchies={"x": hierarchy}, loss="byun").fit(table)
        assert fitted.information_loss_ == pytest.approx(height)
        total = byun_information_loss(
            table, fitted.transform(table), hierarchies={"x": hierarchy}
        )
        assert total == pytest.approx(2 * height)


def test_total_il_by_hand():
    """Definitions 5 and 6, over one class of three records."""
    frame = pd.DataFrame(
        {
            "age": [20, 30, 60, 100],
            "country": ["India", "Iran", "Iran", "USA"],
            "job": ["Teacher"] * 4,
        }
    )
    hierarchies = {"country": COUNTRY, "job": OCCUPATION}
    fitted = KAnonymizer(
        3,
        hierarchies=hierarchies,
        loss=ByunInformationLoss(),
        max_suppression=0.25,
        suppressed="drop",
        random_state=0,
    ).fit(frame)
    assert fitted.suppressed_.tolist() == [False] * 3 + [True]
    total = 3 * (40 / 80 + 2 / 3 + 0)
    assert fitted.information_loss_ == pytest.approx((total + 3) / (4 * 3))


def test_il_of_taxonomies_over_numbers_and_of_sets():
    """Levels wherever there is a taxonomy; sets are whole or not."""
    ages = from_nested({"*": {"young": [1, 2], "old": {"60s": [60, 65], "rest": [90]}}})
    column = naive.taxonomy(
        [1, 2, 60, 65, 90],
        [[1, 2, "60s", "60s", "rest"], ["young"] * 2 + ["old"] * 3, ["*"] * 5],
    )
    for pair in itertools.combinations(ages.values, 2):
        subset = column.closure(frozenset(pair))
        assert distance(ages, *pair) == pytest.approx(naive.IL.full(column, subset))
    frame = pd.DataFrame({"x": list("aabc")})
    fitted = KAnonymizer(
        2, hierarchies={"x": "subsets"}, loss=ByunInformationLoss(), random_state=0
    )
    assert fitted.fit(frame).information_loss_ == 0.5
