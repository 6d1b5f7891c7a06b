"""What every release promises, on random tables of all kinds."""

import warnings

import numpy as np
import pandas as pd
import pytest
from algorithms import ALGORITHMS
from hypothesis import given, settings
from hypothesis import strategies as st
from mixed_tables import covers, loss_of, strays, tables

from skanon import KAnonymizer
from skanon.exceptions import PrivacyWarning
from skanon.losses import LM, ClassPenalty
from skanon.losses._named import LOSSES, as_loss
from skanon.privacy import k_anonymity

OPTIONS = st.fixed_dictionaries(
    {
        "algorithm": st.sampled_from(sorted(ALGORITHMS)),
        "loss": st.sampled_from(sorted(LOSSES)),
        "max_suppression": st.sampled_from([0.0, 0.25, 1.0]),
        "random_state": st.integers(0, 3),
    }
)


SENSITIVE = st.lists(st.sampled_from(["flu", "cold", "gout"]), min_size=18, max_size=18)
"""For tables of at most so many records."""


@settings(max_examples=80, deadline=None)
@given(tables(), OPTIONS, st.integers(1, 18), SENSITIVE)
def test_every_release_keeps_k_covers_the_table_and_costs_what_it_says(
    table, options, k, y
):
    frame, hierarchies, trees, words = table
    k, y = min(k, len(frame)), y[: len(frame)]
    anonymizer = KAnonymizer(k, hierarchies=hierarchies, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        release = anonymizer.fit_transform(frame, y)
    labels = anonymizer.labels_
    if (labels >= 0).any():
        assert k_anonymity(release[labels >= 0], suppressed=None) >= k
    assert (release[labels < 0] == "*").all(axis=None)
    assert (labels < 0).mean() <= options["max_suppression"]
    for name in frame.columns:
        for label, value in zip(release[name], frame[name], strict=True):
            assert covers(label, value, frame[name], trees.get(name)), (label, value)
    naive = loss_of(release, frame, y, labels, trees, words, options["loss"])
    assert anonymizer.information_loss_ == pytest.approx(naive, abs=1e-12)
    by_column = np.mean(list(anonymizer.column_losses_.values()))
    assert anonymizer.information_loss_ == pytest.approx(by_column, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(tables(), OPTIONS, st.integers(2, 18), SENSITIVE)
def test_the_figure_of_a_sum_is_the_sum_of_what_labels_say(table, options, k, y):
    frame, hierarchies, trees, words = table
    k, y = min(max(k, 2), len(frame)), y[: len(frame)]
    if len(frame) < 2:
        return
    other = options.pop("loss")
    loss = 0.5 * as_loss(other) + 2 * LM() + 0.3 * ClassPenalty()
    anonymizer = KAnonymizer(k, hierarchies=hierarchies, loss=loss, **options)
    release = anonymizer.fit_transform(frame, y)
    table = release, frame, y, anonymizer.labels_, trees, words
    naive = 0.5 * loss_of(*table, other) + 2 * loss_of(*table, "lm")
    naive += 0.3 * strays(release, y, anonymizer.labels_)
    assert anonymizer.information_loss_ == pytest.approx(naive, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(
    tables(),
    OPTIONS,
    st.integers(2, 18),
    SENSITIVE,
    st.sampled_from(["label", "representative", "bounds", "distribution"]),
    st.integers(0, 9),
)
def test_the_fitted_records_get_their_release_in_any_order(
    table, options, k, y, encode, seed
):
    frame, hierarchies, _, _ = table
    if len(frame) < 2:
        return
    frame = may_be_missing(frame)
    anonymizer = KAnonymizer(
        min(k, len(frame)), hierarchies=hierarchies, encode=encode, **options
    )
    release = anonymizer.fit_transform(frame, y[: len(frame)])
    pd.testing.assert_frame_equal(release, anonymizer.transform(frame))
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(frame))
    shuffled = anonymizer.transform(frame.iloc[order])
    # equal tuples may trade places, but each gets as many of each class as before
    assert shuffled.index.tolist() == order.tolist()
    assert pairs(frame, release) == pairs(frame.iloc[order], shuffled)


def may_be_missing(frame):
    """Give numbers and truth values a dtype for what is suppressed."""
    to = {"i": "Int64", "u": "UInt64", "b": "boolean"}
    kinds = {name: dtype.kind for name, dtype in frame.dtypes.items()}
    return frame.astype({name: to[k] for name, k in kinds.items() if k in to})


def pairs(frame, release):
    both = pd.concat([frame, release.add_prefix("released_")], axis=1)
    return sorted(repr(row) for row in both.astype(object).to_numpy().tolist())


@settings(max_examples=40, deadline=None)
@given(tables(), OPTIONS, st.integers(2, 18), SENSITIVE)
def test_suppression_never_raises_the_loss(table, options, k, y):
    frame, hierarchies, _, _ = table
    if len(frame) < 2:
        return
    if options["random_state"] == 3:
        options["loss"] = as_loss(options["loss"]) + 0.5 * ClassPenalty()
    k, y = min(k, len(frame)), y[: len(frame)]
    options = options | {"hierarchies": hierarchies}
    with_ = KAnonymizer(k, **options).fit(frame, y)
    without = KAnonymizer(k, **options | {"max_suppression": 0.0}).fit(frame, y)
    assert with_.information_loss_ <= without.information_loss_ + 1e-12
    if options["max_suppression"] == 0.0:
        assert with_.labels_.tolist() == without.labels_.tolist()
