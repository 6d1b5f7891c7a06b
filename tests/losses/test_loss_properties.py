"""What is true of each loss: its zero, its maximum, and whether it grows."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import (
    GROWING,
    KINDS,
    MEASURES,
    random_levels,
    random_pair,
    seeded,
)
from sklearn.metrics import mutual_info_score

from skanon import KAnonymizer
from skanon._release.suppression import paid
from skanon._table.domain import Domain
from skanon._table.schema import Schema
from skanon.exceptions import PrivacyWarning
from skanon.hierarchies import Suppression, Taxonomy, from_nested
from skanon.losses import MI, PMI, Entropy
from skanon.losses._named import LOSSES, as_loss

PENALIZED = ("lm+penalty", "penalty", "all")
SEEDS = st.integers(0, 10**6)


def drawn_pair(seed, measure, n=30):
    rng = seeded(seed, measure)
    kinds = list(rng.permutation(list(KINDS))[: rng.randint(1, 4)])
    return rng, random_pair(rng, kinds, n, measure=measure)


def losses_of(pair, labels):
    """The loss of each column's release, and the penalty, as fits report them."""
    losses = paid(pair.schema, pair.codes, pair.sensitive, labels) / len(labels)
    losses[:-1] -= pair.schema.origins
    return losses


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("measure", MEASURES)
def test_the_original_table_costs_nothing(measure, seed):
    """Only equal records with different sensitive values are penalized even there."""
    _, pair = drawn_pair(seed, measure)
    same = pd.factorize(pd.Series(pair.table.records))[0]
    for labels in (np.arange(30), same):
        losses = losses_of(pair, labels)
        np.testing.assert_allclose(losses[:-1], 0, atol=1e-12)
        assert losses[-1] == 0 or measure in PENALIZED
    with pytest.warns(PrivacyWarning):
        fitted = KAnonymizer(1, hierarchies=pair.hierarchies, loss=pair.loss).fit(
            pair.frame, pair.y
        )
    assert fitted.information_loss_ == pytest.approx(losses[-1], abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("measure", GROWING)
def test_full_suppression_costs_most(measure, seed):
    rng, pair = drawn_pair(seed, measure)
    labels = rng.randint(-1, rng.randint(1, 10), size=30)
    whole = losses_of(pair, np.full(30, -1))
    assert (losses_of(pair, labels) <= whole + 1e-12).all()
    if measure != "mi":
        assert whole.sum() == pytest.approx(1)


def test_full_suppression_need_not_cost_most_in_bits():
    """Neither under EM, where a frequent value leaves little doubt, nor under PMI."""
    frame = pd.DataFrame({"x": [*"ab", *"ab", *"f" * 36]})
    rare_apart = np.array([0, 0, *[1] * 38])
    whole = loss_of(Entropy(), frame, np.full(40, -1))
    assert loss_of(Entropy(), frame, rare_apart) == pytest.approx(
        (2 * 1 + 38 * whole) / 40
    )
    assert whole < 1  # so the loss falls when all are united
    frame = pd.DataFrame({"x": list("aaaabbbbc")})
    ill = np.array([0, 0, 0, 1, 0, 1, 1, 1, 1], dtype=np.int32)
    outliers_apart = np.array([0, 0, 0, 1, 2, 0, 0, 0, 0])
    whole = loss_of(PMI(), frame, np.full(9, -1), ill)
    assert loss_of(PMI(), frame, outliers_apart, ill) > whole + 0.2


def loss_of(loss, frame, labels, sensitive=None):
    """Release one column of sets."""
    schema, codes = Schema.learn(frame, {"x": "subsets"}, loss, sensitive)
    if sensitive is None:
        sensitive = np.zeros(len(frame), dtype=np.int32)
    released = paid(schema, codes, sensitive, labels).sum() / len(frame)
    return released - schema.origins.sum()


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("measure", GROWING)
def test_what_never_falls_when_a_release_is_coarsened(measure, seed):
    rng, pair = drawn_pair(seed, measure)
    labels = rng.randint(8, size=30)
    losses = losses_of(pair, labels)
    for n_clusters in (4, 2, 1):
        labels = rng.randint(n_clusters, size=8)[labels]
        coarser = losses_of(pair, labels)
        assert (coarser >= losses - 1e-12).all()
        losses = coarser


def test_pmi_may_fall_when_a_release_is_coarsened():
    """So may entropy: see what full suppression costs."""
    fell = 0
    for seed in range(30):
        rng, pair = drawn_pair(seed, "pmi")
        labels = rng.randint(8, size=30)
        united = rng.randint(4, size=8)[labels]
        fell += (losses_of(pair, united) < losses_of(pair, labels) - 0.01).any()
    assert fell


@st.composite
def recodings(draw):
    """A column, sensitive values, and two global recodings, the second coarser."""
    n = draw(st.integers(2, 30))
    values = draw(st.lists(st.sampled_from("abcdefg"), min_size=n, max_size=n))
    ill = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    block = draw(st.lists(st.integers(0, 4), min_size=7, max_size=7))
    union = draw(st.lists(st.integers(0, 2), min_size=5, max_size=5))
    fine = np.array([block["abcdefg".index(value)] for value in values])
    coarse = np.array(union)[fine]
    return pd.DataFrame({"x": values}), np.array(ill, np.int32), fine, coarse


@given(recodings())
@settings(max_examples=40)
def test_losses_in_bits_are_what_information_theory_says(recoding):
    """Equations (7) and (11): under global recoding they are mutual informations."""
    frame, ill, fine, coarse = recoding
    for labels in (fine, coarse):
        kept = mutual_info_score(frame["x"], labels) / np.log(2)
        whole = mutual_info_score(frame["x"], frame["x"]) / np.log(2)
        for loss in (MI(), Entropy()):
            expected = pytest.approx(whole - kept, abs=1e-9)
            assert loss_of(loss, frame, labels) == expected
        told = mutual_info_score(ill, frame["x"]) - mutual_info_score(ill, labels)
        expected = pytest.approx(told / np.log(2), abs=1e-9)
        assert loss_of(PMI(), frame, labels, ill) == expected


@given(recodings())
@settings(max_examples=40)
def test_all_losses_grow_under_global_recoding(recoding):
    """Section 5.1: PMI as well, by the data processing lemma."""
    frame, ill, fine, coarse = recoding
    for name in LOSSES:
        sensitive = ill if as_loss(name).uses_sensitive else None
        below, above = (
            loss_of(as_loss(name), frame, labels, sensitive)
            for labels in (fine, coarse)
        )
        assert -1e-12 <= below <= above + 1e-12


@pytest.mark.parametrize("loss", [Entropy(), MI()])
@pytest.mark.parametrize("hierarchy", ["suppression", "subsets", "intervals"])
def test_logarithms_have_base_two(loss, hierarchy):
    frame = pd.DataFrame({"x": [1, 2] * 8})
    both = KAnonymizer(16, hierarchies={"x": hierarchy}, loss=loss).fit(frame)
    assert both.information_loss_ == pytest.approx(1)
    hidden = KAnonymizer(
        16, hierarchies={"x": hierarchy}, loss=0.5 * loss, max_suppression=1.0
    ).fit(frame)
    assert hidden.information_loss_ == pytest.approx(0.5)
    schema, _ = Schema.learn(frame, {"x": hierarchy}, loss)
    reported = schema.suppressed.sum() - schema.origins.sum()
    assert reported == pytest.approx(1)


def test_pmi_has_base_two_as_well():
    frame, ill = pd.DataFrame({"x": list("ab") * 8}), ["no", "yes"] * 8
    told = KAnonymizer(16, loss=PMI()).fit(frame, ill)
    assert told.information_loss_ == pytest.approx(1)
    apart = KAnonymizer(16, loss=PMI()).fit(frame, ["no", "no", "yes", "yes"] * 4)
    assert apart.information_loss_ == pytest.approx(0)


# --------------------------------------------------------- what floors rely on


def bound_trees(seed):
    rng = np.random.RandomState(seed)
    m = rng.randint(1, 15)
    leaves = [f"leaf {at}" for at in range(m)]
    missing = [None] * rng.randint(2)
    column = pd.Series([*rng.choice(leaves, size=5), *missing], dtype=object)
    domain, _ = Domain.learn(column, "x")
    yield Taxonomy(leaves, random_levels(rng, m, rng.randint(1, 6))).bind(domain)
    yield Suppression().bind(domain)
    yield from_nested({"root": uneven(rng, leaves)}).bind(domain)


def uneven(rng, leaves, name="node"):
    """Nested dicts over leaves that hang at different depths."""
    if len(leaves) < 2:
        return leaves
    cut = rng.randint(1, len(leaves))
    return {
        f"{name}0": uneven(rng, leaves[:cut], f"{name}0"),
        **dict.fromkeys(leaves[cut:]),
    }


@given(SEEDS)
def test_parents_have_higher_numbers_than_their_children(seed):
    for bound in bound_trees(seed):
        n_nodes = len(bound.parent)
        assert (bound.parent[:-1] > np.arange(n_nodes - 1)).all()
        assert bound.parent[-1] == -1
        assert (bound.parent[:-1] < n_nodes).all()
        below = np.maximum(bound.first, 0)
        for node, parent in enumerate(bound.parent[:-1]):
            assert below[parent] <= below[node] <= bound.last[node]
            assert bound.last[node] <= bound.last[parent]


@given(SEEDS, st.sampled_from(sorted(MEASURES)))
def test_floors_of_nodes_are_the_least_on_the_way_up(seed, measure):
    rng = np.random.RandomState(seed)
    kind = ["tree", "number_tree", "ordered_tree", "flat"][seed % 4]
    pair = random_pair(rng, [kind], 30, measure=measure)
    (bound,), (costs,) = pair.schema.bounds, pair.schema.costs
    nodes, held = costs.nodes(), costs.ground.tree().by_sensitive > 0
    floors = costs.floors(nodes)
    for node, c in itertools.product(range(len(nodes)), range(held.shape[1])):
        above, prices = node, []
        while above >= 0:
            if held[above, c]:
                prices.append(nodes[above, c])
            above = bound.parent[above]
        assert floors[node, c] == min(prices)
