"""Suppressed records as they are published: counted by somebody else, row by row."""

import io
import warnings

import naive_constraints
import numpy as np
import pandas as pd
import pytest
from algorithms import ALGORITHMS
from hypothesis import given, settings
from hypothesis import strategies as st
from mixed_tables import tables
from test_promises import may_be_missing

from skanon import KAnonymizer, SequentialAnonymizer
from skanon.constraints import LDiversity, PSensitivity, TCloseness
from skanon.exceptions import InfeasibleError, PrivacyWarning
from skanon.privacy import check_release

PROMISES = [LDiversity(1.5), PSensitivity(2), TCloseness(0.4)]
ENCODINGS = ["label", "representative", "bounds", "distribution"]


def read_back(release):
    """Write a release, and read it as text, as anybody would."""
    return pd.read_csv(
        io.StringIO(release.to_csv(index=False)), dtype=str, keep_default_na=False
    )


def classes_of(written, ill):
    groups = {}
    rows = written.drop(columns="ill").to_numpy().tolist()
    for row, value in zip(rows, ill, strict=True):
        groups.setdefault(tuple(row), []).append(value)
    return groups


@settings(max_examples=120, deadline=None)
@given(
    tables(),
    st.sampled_from(sorted(ALGORITHMS)),
    st.sampled_from(PROMISES),
    st.sampled_from(ENCODINGS),
    st.sampled_from(["keep", "blank", "drop"]),
    st.sampled_from([0.2, 0.5, 0.9]),
    st.lists(st.sampled_from(["flu", "cold", "gout"]), min_size=18, max_size=18),
    st.integers(2, 5),
)
def test_what_is_written_keeps_k_and_the_promise_in_every_row(
    table, algorithm, made, encode, suppressed, part, ill, k
):
    frame, hierarchies, _, _ = table
    ill = ill[: len(frame)]
    frame = may_be_missing(frame).assign(ill=ill)
    fitted = KAnonymizer(
        min(k, len(frame)),
        algorithm=algorithm,
        hierarchies=hierarchies,
        sensitive="ill",
        constraints=[made],
        encode=encode,
        max_suppression=part,
        suppressed=suppressed,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        try:
            release = fitted.fit_transform(frame)
        except InfeasibleError:
            return
    hidden = fitted.suppressed_
    assert hidden.mean() <= part
    pd.testing.assert_frame_equal(fitted.transform(frame), release)
    written = read_back(release)
    if suppressed == "drop":
        assert len(written) == len(frame) - hidden.sum()
        hidden = hidden[~hidden]
    elif suppressed == "blank":
        assert (written["ill"] == "").tolist() == hidden.tolist()
        written = written[~hidden]
    classes = classes_of(written, written["ill"])
    values = list(release["ill"].dropna())
    for members in classes.values():
        assert len(members) >= fitted.k
        kept = members if suppressed == "keep" else [v for v in members if v]
        assert naive_constraints.all_kept(made, [kept], values)


def outliers(n=80, ill=("HIV", "HIV", "HIV", "HIV", "HIV", "HIV")):
    """People of whom the first six are each at another edge."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(40, 60, (n, 4)).astype(float), columns=[*"abcd"])
    for i, (column, value) in enumerate(
        [("a", 0), ("b", 0), ("c", 0), ("d", 0), ("a", 99), ("b", 99)]
    ):
        frame.loc[i, column] = value
    return frame.assign(ill=[*ill, *rng.choice(["flu", "cold"], n - len(ill))])


@pytest.mark.parametrize("algorithm", ["auto", "mondrian", "hilbert"])
def test_fewer_than_k_are_not_suppressed_by_themselves(algorithm):
    frame = outliers()
    given = {"algorithm": algorithm, "sensitive": "ill", "random_state": 0}
    given["refine"] = 0
    without = KAnonymizer(5, **given).fit(frame)
    few = KAnonymizer(5, max_suppression=0.05, **given).fit(frame)  # 4 of 80
    assert not few.suppressed_.any()
    assert few.information_loss_ == without.information_loss_
    fitted = KAnonymizer(5, max_suppression=0.1, **given)
    release = fitted.fit_transform(frame)
    n_suppressed = int(fitted.suppressed_.sum())
    check_release(release, [*"abcd"], k=5, suppressed=None)
    if algorithm == "hilbert":  # else a class of the outliers loses less
        assert 5 <= n_suppressed <= 8
        assert fitted.information_loss_ < without.information_loss_
    assert n_suppressed == 0 or n_suppressed >= 5
    dropped = KAnonymizer(5, max_suppression=0.05, suppressed="drop", **given)
    dropped.fit(frame)
    if algorithm == "hilbert":
        assert 0 < dropped.suppressed_.sum() <= 4
    assert dropped.information_loss_ <= without.information_loss_


def test_the_suppressed_keep_the_constraints_with_some_more_of_them():
    """An algorithm suppresses three with HIV; the cluster that costs least joins."""
    frame = pd.DataFrame({"age": [20, 21, 22, 40, 41, 42, 60, 75, 90, 70, 71, 72]})
    ill = ["flu", "cold", "flu"] * 2 + ["HIV"] * 3 + ["flu", "cold", "cold"]
    labels = np.array([0] * 3 + [1] * 3 + [-1] * 3 + [2] * 3)
    frame.loc[4, "age"] = 44
    given = {"constraints": [LDiversity(1.5)], "max_suppression": 0.5, "loss": "ncp"}

    def fit(**parameters):
        fitted = SequentialAnonymizer(3, **given | parameters)
        fitted._cluster = lambda problem: labels[: len(problem.codes)]
        return fitted.fit(frame, ill)

    # of the others, 40 44 42 loses most already
    assert np.flatnonzero(fit().suppressed_).tolist() == [3, 4, 5, 6, 7, 8]
    # where no more may be suppressed, they come back
    back = fit(max_suppression=0.25)
    assert not back.suppressed_.any() and back.class_sizes_.sum() == 12
    dropped = fit(max_suppression=0.25, suppressed="drop")
    assert np.flatnonzero(dropped.suppressed_).tolist() == [6, 7, 8]
