"""Mondrian: worked by hand, beside the oracle, and what it promises."""

from itertools import product

import naive
import naive_mondrian
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import GROWING, KINDS, MEASURES, random_pair, seeded

from skanon import KAnonymizer
from skanon.clustering import MondrianAnonymizer, _mondrian
from skanon.clustering._mondrian import cut_regions
from skanon.exceptions import InfeasibleError, ParameterError
from skanon.hierarchies import Taxonomy
from skanon.losses import LM, MI, NCP, Entropy

TRUTHS = (True, False)
MODES = list(product(TRUTHS, ("median", "best"), (False, True)))
ORDERED = ["interval", "date", "ordered", "subset", "wide"]
TOWNS = Taxonomy(
    ["Bern", "Basel", "Bonn", "Ulm"], [["CH", "CH", "DE", "DE"], ["Europe"] * 4]
)


def labels_of(values, k=2, hierarchy=None, **parameters):
    """Fit one column of values."""
    frame = pd.DataFrame({"x": values})
    hierarchies = {"x": hierarchy} if hierarchy is not None else None
    fitted = MondrianAnonymizer(k, hierarchies=hierarchies, **parameters).fit(frame)
    return fitted.labels_.tolist()


def mixed_pair(seed, n=40, measure="lm", kinds=None, weights=(0.0, 0.3, 1.0, 1.0, 2.0)):
    rng = seeded(seed, measure)
    if kinds is None:
        kinds = list(rng.permutation(list(KINDS))[: rng.randint(1, 5)])
    drawn = [1.0, *rng.choice(weights, size=len(kinds) - 1).tolist()]
    return random_pair(rng, kinds, n, measure=measure, weights=drawn)


def regions_of(pair, k, strict, cut, ordered=False):
    """The regions, as sorted lists of record numbers in sorted order."""
    labels = cut_regions(
        pair.schema.columns,
        pair.codes,
        pair.sensitive,
        pair.schema.shares > 0,
        k,
        strict,
        ordered,
        cut == "best",
    )
    assert len(labels) == len(pair.codes)
    return sorted(naive.clusters_of(labels.tolist()))


def fit(pair, k, strict=True, cut="median", ordered=False, **parameters):
    return MondrianAnonymizer(
        k,
        hierarchies=pair.hierarchies,
        loss=pair.loss,
        strict=strict,
        cut=cut,
        ordered=ordered,
        **parameters,
    ).fit(pair.frame, pair.y)


# -------------------------------------------------------------- worked by hand


def test_strict_cuts_leave_equal_values_together():
    ages = [1, 5, 5, 5, 5, 9]  # apart from the fives there are too few on either side
    assert labels_of(ages) == [0] * 6
    assert labels_of(ages, strict=False) == [0, 0, 0, 1, 1, 1]


def test_the_allowed_place_nearest_to_the_median_is_taken():
    assert labels_of([1, 2, 3, 3, 3, 3]) == [0, 0, 1, 1, 1, 1]
    assert labels_of([1, 1, 1, 1, 2, 3]) == [0, 0, 0, 0, 1, 1]
    # both are one away from it: the lower one
    assert labels_of([1, 2, 3, 4, 4, 5, 6, 7], k=3) == [0] * 3 + [1] * 5
    assert labels_of([1, 2, 3, 4, 5]) == [0, 0, 1, 1, 1]


def test_the_best_cut_of_all():
    # median: 1 2 3 | 4 5 90 91, then 4 5 | 90 91
    ages = [1, 2, 3, 4, 5, 90, 91]
    assert labels_of(ages, loss="ncp") == [0, 0, 0, 1, 1, 2, 2]
    # best: first 1 2 3 4 5 | 90 91, then 1 2 | 3 4 5, as good as 1 2 3 | 4 5
    assert labels_of(ages, loss="ncp", cut="best") == [0, 0, 1, 1, 1, 2, 2]


def test_best_relaxed_cuts_part_equal_values():
    ages = [9, 5, 5, 5, 0]
    # sorted: 0 5 | 5 5 9 costs 10 + 12, and 0 5 5 | 5 9 costs 15 + 8
    assert labels_of(ages, loss="ncp", cut="best", strict=False) == [0, 1, 0, 0, 1]
    assert labels_of(ages, loss="ncp", cut="best", strict=True) == [0] * 5


def test_missing_values_count_as_the_largest():
    assert labels_of([1, None, 2, None, 3, 4]) == [0, 1, 0, 1, 0, 1]
    assert labels_of([1, None, 2, None]) == [0, 1, 0, 1]


def test_sets_are_cut_at_a_place_in_the_order_of_values():
    assert labels_of(list("cabcac"), hierarchy="subsets") == [0, 1, 1, 0, 1, 0]


def test_the_widest_column_is_cut_and_the_first_of_equals():
    frame = pd.DataFrame({"a": [0, 10, 0, 10], "b": [0, 0, 1, 1]})
    by_a, by_b = [0, 1, 0, 1], [0, 0, 1, 1]
    assert MondrianAnonymizer(2).fit(frame).labels_.tolist() == by_a
    for loss in (LM({"a": 0.5}), NCP({"a": 0.5})):
        assert MondrianAnonymizer(2, loss=loss).fit(frame).labels_.tolist() == by_b


@pytest.mark.parametrize("m", range(3, 12))
def test_sums_that_are_off_by_a_hair_do_not_make_a_column_wider(m):
    """A set of all m values costs as much as their interval, but is summed up."""
    rng = np.random.RandomState(m)
    values = np.repeat(np.arange(m), 4)
    frame = pd.DataFrame({"x": rng.permutation(values), "y": rng.permutation(values)})
    fitted = MondrianAnonymizer(m + 4, hierarchies={"x": "subsets"}).fit(frame)
    first, second = (set(frame["x"][fitted.labels_ == h]) for h in (0, 1))
    assert not first & second


def test_a_column_without_an_allowed_cut_gives_way_to_the_next():
    frame = pd.DataFrame({"a": [1, 5, 5, 9], "b": [0, 1, 0, 1]})
    assert MondrianAnonymizer(2).fit(frame).labels_.tolist() == [0, 1, 0, 1]


def test_a_tree_is_cut_along_its_nodes():
    towns = ["Bern", "Bern", "Bern", "Basel", "Bonn", "Bonn", "Ulm"]
    # below Europe: CH with four, DE with three; below CH: Basel alone is too few
    assert labels_of(towns, hierarchy=TOWNS) == [0, 0, 0, 0, 1, 1, 1]
    # relaxed: the last one of Bern is lent to Basel
    relaxed = labels_of(towns, hierarchy=TOWNS, strict=False)
    assert relaxed == [0, 0, 1, 1, 2, 2, 2]
    both = [labels_of(towns, hierarchy=TOWNS, cut="best", strict=s) for s in TRUTHS]
    assert both == [[0, 0, 0, 0, 1, 1, 1], relaxed]


def test_a_tree_may_be_cut_in_the_order_of_its_values():
    towns = ["Ulm", "Bonn", "Bern", "Basel", "Bonn", "Bonn", "Bern", "Basel"]
    # Bern Bern Basel Basel | Bonn Bonn Bonn Ulm, though Bern and Basel are in one land
    cut = labels_of(towns, hierarchy=TOWNS, ordered=True)
    assert cut == [0, 0, 1, 2, 0, 0, 1, 2]
    towns = ["Bern", "Basel", "Basel", "Basel", "Bonn", "Ulm"]
    # along the tree CH and DE; in order Bern Basel Basel Basel | Bonn Ulm as well
    assert labels_of(towns, hierarchy=TOWNS) == [0, 0, 0, 0, 1, 1]
    relaxed = labels_of(towns, hierarchy=TOWNS, ordered=True, strict=False)
    assert relaxed == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("letters", "strict", "relaxed"),
    [
        ("aaabbcd", [0, 0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2, 2]),  # c and d together
        ("aaabbc", [0, 0, 0, 1, 1, 1], [0, 0, 1, 2, 2, 1]),  # b joins c; a lends one
        ("aabbc", [0, 0, 1, 1, 0], [0, 0, 1, 1, 0]),  # nobody can lend: the first joins
        ("aaab", [0, 0, 0, 0], [0, 0, 1, 1]),
        ("abcd", [0, 0, 0, 0], [0, 0, 0, 0]),  # all are small: no cut
    ],
)
def test_small_children_stay_together(letters, strict, relaxed):
    assert labels_of(list(letters)) == strict
    assert labels_of(list(letters), strict=False) == relaxed


def test_missing_values_are_a_child_of_the_root():
    towns = ["Bern", None, "Basel", None, "Bern"]
    assert labels_of(towns, hierarchy=TOWNS) == [0, 1, 0, 1, 0]


# ---------------------------------------------------------- beside the oracle


def compare(pair, k, strict, cut, ordered):
    expected = naive_mondrian.mondrian(
        pair.table, k, strict=strict, best=cut == "best", ordered=ordered
    )
    regions = regions_of(pair, k, strict, cut, ordered)
    assert regions == sorted(map(sorted, expected))
    fitted = fit(pair, k, strict, cut, ordered)
    classes = naive.classes_by_appearance(pair.table, expected)
    assert fitted.labels_.tolist() == classes
    loss = pair.table.loss(pair.table.release(expected))
    assert fitted.information_loss_ == pytest.approx(loss, abs=1e-12)
    return expected


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(("strict", "cut", "ordered"), MODES)
def test_mixed_tables_equal_the_oracle(strict, cut, ordered, measure):
    for seed in range(4):
        pair = mixed_pair(seed, measure=measure)
        compare(pair, (2, 3, 4, 7)[seed % 4], strict, cut, ordered)


@pytest.mark.parametrize("kind", KINDS)
def test_one_column_equals_the_oracle(kind):
    measures = ["lm", "ncp", "entropy", "pmi"]
    for seed, (strict, cut, ordered) in enumerate(MODES):
        for k, measure in product((2, 5), measures[seed % 2 :: 2]):
            pair = mixed_pair(seed, kinds=[kind], measure=measure)
            compare(pair, k, strict, cut, ordered)


@pytest.mark.parametrize(("strict", "cut", "ordered"), MODES)
def test_forty_columns_equal_the_oracle(strict, cut, ordered):
    kinds = (list(KINDS) * 4)[:40]
    pair = mixed_pair(3, n=30, kinds=kinds, measure="mi+pmi")
    assert len(compare(pair, 3, strict, cut, ordered)) > 1


@pytest.mark.parametrize(("strict", "cut", "ordered"), MODES)
@pytest.mark.parametrize("kinds", [["flat"] * 3, ["ordered"] * 2, ["subset", "flat"]])
def test_many_ties_equal_the_oracle(kinds, strict, cut, ordered):
    for seed, measure in enumerate(["lm", "penalty", "pmi"]):
        compare(
            mixed_pair(seed, n=60, kinds=kinds, measure=measure),
            4,
            strict,
            cut,
            ordered,
        )


# --------------------------------------------------------------------- promises


@given(
    st.integers(2, 9),
    st.integers(0, 40),
    st.sampled_from(MODES),
    st.integers(0, 10**6),
    st.sampled_from(sorted(MEASURES)),
)
@settings(max_examples=60)
def test_never_a_class_below_k(k, more, mode, seed, measure):
    pair = mixed_pair(seed, n=k + more, measure=measure)
    regions = regions_of(pair, k, *mode)
    assert sorted(i for region in regions for i in region) == list(range(k + more))
    assert min(map(len, regions)) >= k
    fitted = fit(pair, k, *mode)
    assert fitted.class_sizes_.min() >= k
    assert fitted.class_sizes_.sum() == k + more
    if measure in GROWING or (mode[1] == "best" and not pair.table.penalty):
        whole = pair.table.loss(pair.table.release([list(range(k + more))]))
        assert fitted.information_loss_ <= whole + 1e-12


@pytest.mark.parametrize("cut", ["median", "best"])
def test_regions_are_the_same_side_by_side(monkeypatch, cut):
    for seed in range(4):
        pair = mixed_pair(seed, n=60)
        options = {"hierarchies": pair.hierarchies, "loss": pair.loss, "cut": cut}
        whole = MondrianAnonymizer(3, **options).fit(pair.frame, pair.y)
        for part, n_jobs in ((1, 2), (10, 1), (10, 2), (30, 2)):
            with monkeypatch.context() as patch:
                patch.setattr(_mondrian, "PART", part)
                cut_up = MondrianAnonymizer(3, n_jobs=n_jobs, **options)
                cut_up.fit(pair.frame, pair.y)
            assert cut_up.labels_.tolist() == whole.labels_.tolist()


@pytest.mark.parametrize("cut", ["median", "best"])
def test_strict_depends_on_values_alone(cut):
    """Equal records stay together, and the order of the records does not matter."""
    for seed in range(12):
        pair = mixed_pair(seed, n=60, measure=["lm", "pmi"][seed % 2])
        regions = regions_of(pair, 3, True, cut)
        tuples = [{pair.table.records[i] for i in region} for region in regions]
        assert sum(map(len, tuples)) == len(set().union(*tuples))
        order = np.random.RandomState(seed).permutation(60)
        shuffled = cut_regions(
            pair.schema.columns,
            pair.codes[order],
            pair.sensitive[order],
            pair.schema.shares > 0,
            3,
            True,
            False,
            cut == "best",
        )
        back = naive.clusters_of(shuffled.tolist())
        assert sorted(sorted(order[part].tolist()) for part in back) == regions


@pytest.mark.parametrize("measure", ["lm", "ncp", "pmi", "penalty"])
def test_what_is_left_uncut_cannot_be_cut(measure):
    for seed in range(4):
        pair = mixed_pair(seed, n=60, measure=measure, weights=(0.5, 1.0))
        for strict, ordered in product(TRUTHS, TRUTHS):
            for region in regions_of(pair, 3, strict, "median", ordered):
                for j in naive_mondrian.spreads(pair.table, region):
                    assert not naive_mondrian.cuts(
                        pair.table, region, j, 3, strict, ordered
                    )


def test_relaxed_median_cuts_all_but_equal_records_below_2k():
    large = 0
    for seed in range(12):
        rng = np.random.RandomState(seed)
        kinds = list(rng.permutation(ORDERED)[: rng.randint(1, 4)])
        pair = mixed_pair(seed, n=60, kinds=kinds, weights=(1.0, 2.0))
        for region in regions_of(pair, 4, False, "median"):
            if len(region) >= 8:
                assert len({pair.table.records[i] for i in region}) == 1
                large += 1
    assert large < 100


@pytest.mark.parametrize("loss", ["lm", "ncp"])
@pytest.mark.parametrize(("strict", "cut", "ordered"), MODES)
def test_distinct_values_give_classes_below_2k(strict, cut, ordered, loss):
    rng = np.random.RandomState(0)
    frame = pd.DataFrame(
        {"distinct": rng.permutation(200), "few": rng.randint(3, size=200)}
    )
    for k in (2, 3, 10, 64):
        fitted = MondrianAnonymizer(
            k, loss=loss, strict=strict, cut=cut, ordered=ordered
        ).fit(frame)
        assert fitted.class_sizes_.min() >= k
        assert fitted.class_sizes_.max() < 2 * k


@pytest.mark.parametrize(("strict", "cut", "ordered"), MODES)
def test_equal_records_cost_nothing(strict, cut, ordered):
    frame = pd.DataFrame({"a": ["x"] * 20, "b": [1.5] * 20})
    for k in (2, 10, 20):
        fitted = MondrianAnonymizer(k, strict=strict, cut=cut, ordered=ordered).fit(
            frame
        )
        assert fitted.information_loss_ == 0
        assert fitted.n_classes_ == 1


@pytest.mark.parametrize(("strict", "cut", "ordered"), MODES)
def test_k_equal_to_n_gives_one_class(strict, cut, ordered):
    pair = mixed_pair(2, n=12)
    assert fit(pair, 12, strict, cut, ordered).class_sizes_.tolist() == [12]
    assert regions_of(pair, 7, strict, cut, ordered) == [list(range(12))]
    with pytest.raises(InfeasibleError, match="k=13"):
        fit(pair, 13, strict, cut, ordered)


@pytest.mark.parametrize(("strict", "cut", "ordered"), MODES)
def test_suppression_leaves_classes_of_k(strict, cut, ordered):
    for seed, measure in enumerate(["lm", "ncp", "entropy", "mi", "pmi", "byun"]):
        pair = mixed_pair(seed, n=50, measure=measure)
        whole = fit(pair, 4, strict, cut, ordered)
        fitted = fit(pair, 4, strict, cut, ordered, max_suppression=0.2)
        assert fitted.suppressed_.sum() <= 10
        assert not len(fitted.class_sizes_) or fitted.class_sizes_.min() >= 4
        assert fitted.information_loss_ <= whole.information_loss_ + 1e-12


# ------------------------------------------------------------------ parameters


@pytest.mark.parametrize("loss", [MI(), Entropy()])
def test_a_column_is_as_wide_as_it_costs_more_than_its_single_values(loss):
    """Under MI both cost 4 bits if united; alone they cost 3.19 and 3."""
    frame = pd.DataFrame({"a": list("yyxx" + "xxxx" * 2 + "xxyy"), "b": list("pq" * 8)})
    hierarchies = dict.fromkeys("ab", "subsets")
    fitted = MondrianAnonymizer(4, loss=loss, hierarchies=hierarchies).fit(frame)
    assert fitted.labels_.tolist() == [0, 1] * 8


@pytest.mark.parametrize("cut", ["median", "best"])
def test_weightless_columns_are_not_cut(cut):
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"a": rng.permutation(30), "b": rng.permutation(30)})
    alone = MondrianAnonymizer(3, cut=cut).fit(frame[["a"]])
    fitted = MondrianAnonymizer(3, cut=cut, loss=LM({"b": 0})).fit(frame)
    assert fitted.labels_.tolist() == alone.labels_.tolist()


def test_nothing_is_random():
    pair = mixed_pair(4, n=60)
    found = {tuple(fit(pair, 3, random_state=s).labels_) for s in (None, 0, 1)}
    assert len(found) == 1


def test_as_an_algorithm_of_the_front_door():
    pair = mixed_pair(4, n=60)
    shared = {"hierarchies": pair.hierarchies, "loss": pair.loss}
    named = KAnonymizer(3, algorithm="mondrian", refine=0, **shared).fit(pair.frame)
    assert named.labels_.tolist() == fit(pair, 3).labels_.tolist()
    given = KAnonymizer(3, algorithm=MondrianAnonymizer(cut="best"), refine=0, **shared)
    best = fit(pair, 3, cut="best").labels_.tolist()
    assert given.fit(pair.frame).labels_.tolist() == best


@pytest.mark.parametrize(
    "wrong", [{"strict": "yes"}, {"strict": None}, {"cut": "middle"}, {"cut": True}]
)
def test_unfit_parameters(wrong):
    (name,) = wrong
    with pytest.raises(ParameterError, match=name):
        MondrianAnonymizer(2, **wrong).fit(pd.DataFrame({"a": [1, 2, 3]}))
