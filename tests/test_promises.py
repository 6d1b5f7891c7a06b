"""What every release promises, on random tables of all kinds."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mixed_tables import covers, loss_of, tables

from skanon import KAnonymizer
from skanon.clustering import ALGORITHMS
from skanon.exceptions import PrivacyWarning
from skanon.privacy import k_anonymity

OPTIONS = st.fixed_dictionaries(
    {
        "algorithm": st.sampled_from(sorted(ALGORITHMS)),
        "loss": st.sampled_from(["lm", "ncp"]),
        "max_suppression": st.sampled_from([0.0, 0.25, 1.0]),
        "random_state": st.integers(0, 3),
    }
)


@settings(max_examples=60, deadline=None)
@given(tables(), OPTIONS, st.integers(1, 18))
def test_every_release_keeps_k_covers_the_table_and_costs_what_it_says(
    table, options, k
):
    frame, hierarchies, trees, words = table
    k = min(k, len(frame))
    anonymizer = KAnonymizer(k, hierarchies=hierarchies, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        release = anonymizer.fit_transform(frame)
    labels = anonymizer.labels_
    if (labels >= 0).any():
        assert k_anonymity(release[labels >= 0], suppressed=None) >= k
    assert (release[labels < 0] == "*").all(axis=None)
    assert (labels < 0).mean() <= options["max_suppression"]
    for name in frame.columns:
        for label, value in zip(release[name], frame[name], strict=True):
            assert covers(label, value, frame[name], trees.get(name)), (label, value)
    naive = loss_of(release, frame, labels, trees, words, options["loss"])
    assert anonymizer.information_loss_ == pytest.approx(naive)
    by_column = np.mean(list(anonymizer.column_losses_.values()))
    assert anonymizer.information_loss_ == pytest.approx(by_column)


@settings(max_examples=40, deadline=None)
@given(
    tables(),
    OPTIONS,
    st.integers(2, 18),
    st.sampled_from(["label", "representative", "bounds", "distribution"]),
    st.integers(0, 9),
)
def test_the_fitted_records_get_their_release_in_any_order(
    table, options, k, encode, seed
):
    frame, hierarchies, _, _ = table
    if len(frame) < 2:
        return
    anonymizer = KAnonymizer(
        min(k, len(frame)), hierarchies=hierarchies, encode=encode, **options
    )
    release = anonymizer.fit_transform(frame)
    pd.testing.assert_frame_equal(release, anonymizer.transform(frame))
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(frame))
    shuffled = anonymizer.transform(frame.iloc[order])
    # equal tuples may trade places, but each gets as many of each class as before
    assert shuffled.index.tolist() == order.tolist()
    assert pairs(frame, release) == pairs(frame.iloc[order], shuffled)


def pairs(frame, release):
    both = pd.concat([frame, release.add_prefix("released_")], axis=1)
    return sorted(repr(row) for row in both.astype(object).to_numpy().tolist())


@settings(max_examples=40, deadline=None)
@given(tables(), OPTIONS, st.integers(2, 18))
def test_suppression_never_raises_the_loss(table, options, k):
    frame, hierarchies, _, _ = table
    if len(frame) < 2:
        return
    k = min(k, len(frame))
    options = options | {"hierarchies": hierarchies}
    with_ = KAnonymizer(k, **options).fit(frame)
    without = KAnonymizer(k, **options | {"max_suppression": 0.0}).fit(frame)
    assert with_.information_loss_ <= without.information_loss_ + 1e-12
    if options["max_suppression"] == 0.0:
        assert with_.labels_.tolist() == without.labels_.tolist()
