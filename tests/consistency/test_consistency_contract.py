"""What every anonymizer of records one by one owes, whatever the table."""

import warnings
from collections import Counter
from datetime import date

import numpy as np
import pandas as pd
import pytest
from consistent import CLASSES, safe
from hypothesis import given, settings
from hypothesis import strategies as st
from mixed_tables import covers, loss_of, tables
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from skanon import KKAnonymizer, KOneAnonymizer, MondrianAnonymizer, OneKAnonymizer
from skanon.exceptions import (
    ColumnError,
    HierarchyError,
    InfeasibleError,
    ParameterError,
    PrivacyWarning,
    ReleaseError,
)
from skanon.losses import LM, ClassPenalty
from skanon.losses._named import LOSSES

ENCODINGS = ["label", "representative", "bounds", "distribution"]


def edges(frame, release, trees):
    """Tell by the labels alone which originals go with which released records."""
    n = len(frame)
    fits = np.ones((n, n), dtype=bool)
    for name in frame.columns:
        column, tree = frame[name], trees.get(name)
        known = {}
        for i, value in enumerate(column):
            for j, label in enumerate(release[name]):
                key = (repr(value), repr(label))
                if key not in known:
                    known[key] = covers(label, value, column, tree)
                fits[i, j] &= known[key]
    return fits


@pytest.mark.parametrize("anonymizer", CLASSES)
@settings(max_examples=25)
@given(tables(), st.data())
def test_the_release_keeps_its_promise_and_costs_what_is_said(anonymizer, table, data):
    frame, hierarchies, trees, kinds = table
    n = len(frame)
    k = data.draw(st.integers(2, max(n, 2)))
    loss = data.draw(st.sampled_from(list(LOSSES)))
    y = np.array(data.draw(st.lists(st.sampled_from("pq"), min_size=n, max_size=n)))
    fitted = CLASSES[anonymizer](k, hierarchies=hierarchies, loss=loss)
    if k > n:
        with pytest.raises(InfeasibleError, match=f"k={k} asks for at least {k} rec"):
            fitted.fit(frame, y)
        return
    release = safe(fitted).fit_transform(frame, y)
    fits = edges(frame, release, trees)
    assert fits.diagonal().all()
    assert fitted.n_consistent_releases_.tolist() == fits.sum(axis=1).tolist()
    assert fitted.n_consistent_originals_.tolist() == fits.sum(axis=0).tolist()
    model = fitted._model
    if model != "k_one":
        assert fits.sum(axis=1).min() >= k
    if model in ("k_one", "kk", "global_one_k"):
        assert fits.sum(axis=0).min() >= k
    nobody = np.zeros(n, dtype=int)
    found = loss_of(release, frame, y, nobody, trees, kinds, loss)
    assert fitted.information_loss_ == pytest.approx(found, abs=1e-9)


def people(n=40, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "name": [f"name-{i}" for i in range(n)],
            "age": rng.integers(18, 40, n),
            "town": rng.choice(["Bern", "Bonn", "Kiel"], n),
            "height": np.where(rng.random(n) < 0.1, np.nan, rng.integers(150, 160, n)),
            "illness": rng.choice(["flu", "cold", "none"], n),
        },
        index=rng.permutation(np.repeat(np.arange(n // 2), 2)),
    )


def pairs(frame, release):
    """Count what became of what, whatever the order of the rows."""
    quasi = frame[["age", "town", "height"]].reset_index(drop=True)
    both = pd.concat(
        [quasi, release.drop(columns="illness").reset_index(drop=True)], axis=1
    )
    return Counter(map(tuple, both.astype(str).to_numpy()))


ROLES = {"identifiers": "name", "sensitive": "illness"}


@pytest.mark.parametrize("encode", ENCODINGS)
@pytest.mark.parametrize("anonymizer", CLASSES)
def test_transform_of_the_fitted_records_is_the_release(encode, anonymizer):
    frame = people()
    fitted = safe(CLASSES[anonymizer](4, encode=encode, **ROLES))
    release = fitted.fit_transform(frame)
    assert release.index.equals(frame.index)
    pd.testing.assert_series_equal(release["illness"], frame["illness"])
    assert not any(name.startswith("name") for name in release)
    pd.testing.assert_frame_equal(fitted.transform(frame), release)
    order = np.random.default_rng(1).permutation(len(frame))
    moved = fitted.transform(frame.iloc[order])
    # equal records may be published differently: their q-th ones are the same
    assert pairs(frame.iloc[order], moved) == pairs(frame, release)
    assert list(release.columns) == fitted.get_feature_names_out().tolist()


@pytest.mark.parametrize("anonymizer", CLASSES)
def test_other_records_get_a_published_generalized_record(anonymizer):
    frame, others = people(), people(300, seed=1)
    others["age"] += 0.5  # so that none of them was fitted
    fitted = safe(CLASSES[anonymizer](4, **ROLES)).fit(frame)
    names = list(fitted.generalizations_.columns)
    published = {tuple(map(str, row)) for row in fitted.generalizations_.to_numpy()}
    given = fitted.transform(others)[names]
    assert {tuple(map(str, row)) for row in given.to_numpy()} <= published
    forgetful = fitted.forget()
    for name in ("labels_", "n_consistent_releases_", "n_consistent_originals_"):
        assert not hasattr(forgetful, name)
    pd.testing.assert_frame_equal(
        forgetful.transform(others[:5])[names], fitted.transform(others[:5])[names]
    )


@pytest.mark.parametrize("anonymizer", CLASSES)
def test_every_person_wholly_alike(anonymizer):
    frame = pd.DataFrame({"a": [1] * 6, "b": list("xxxxxx")})
    fitted = CLASSES[anonymizer](6).fit(frame)
    assert fitted.information_loss_ == 0
    assert fitted.n_consistent_releases_.tolist() == [6] * 6


@pytest.mark.parametrize("anonymizer", CLASSES)
def test_k_of_1_warns_and_changes_nothing(anonymizer):
    frame = people()[["age", "town"]]
    with pytest.warns(PrivacyWarning, match="k=1 hides nobody") as caught:
        release = CLASSES[anonymizer](1).fit_transform(frame)
    assert caught[0].filename == __file__
    assert release["town"].tolist() == frame["town"].tolist()


@pytest.mark.parametrize("anonymizer", CLASSES)
def test_what_it_cannot_do_is_refused(anonymizer):
    frame = people()[["age", "town"]]
    made = CLASSES[anonymizer]
    for loss in (LM() + 0.5 * ClassPenalty(), ClassPenalty()):
        with pytest.raises(ParameterError, match="has a ClassPenalty, but records"):
            made(2, loss=loss).fit(frame)
    with pytest.raises(ColumnError, match="weight"):
        made(2, quasi_identifiers=["age", "weight"]).fit(frame)
    tree = {"town": {"*": {"south": ["Bern"], "north": ["Bonn"]}}}
    with pytest.raises(HierarchyError, match="Kiel"):
        made(2, hierarchies=tree).fit(frame)
    for wrong in (0, 1.5, "2"):
        with pytest.raises(ParameterError, match=r"k of \w+ is .*, but must be an"):
            made(wrong).fit(frame)
    assert not hasattr(made(), "constraints")
    assert not hasattr(made(), "max_suppression")


@pytest.mark.parametrize("anonymizer", CLASSES)
def test_a_release_that_breaks_its_promise_is_never_handed_out(anonymizer, monkeypatch):
    from skanon.consistency._base import unchanged

    made = CLASSES[anonymizer]
    monkeypatch.setattr(made, "_generalize", lambda _, problem: unchanged(problem))
    fitted = made(3)
    with pytest.raises(ReleaseError, match="anonymity of k=3: row 0 reaches 1"):
        fitted.fit(pd.DataFrame({"a": [1, 2, 2, 2]}))
    with pytest.raises(NotFittedError):
        fitted.transform(pd.DataFrame({"a": [1, 2, 2, 2]}))
    assert vars(fitted) == vars(made(3))


@pytest.mark.parametrize("anonymizer", CLASSES)
def test_a_record_published_as_what_it_is_not_is_found(anonymizer, monkeypatch):
    from skanon.consistency._base import unchanged

    made = CLASSES[anonymizer]
    others = lambda _, problem: unchanged(problem)[::-1].copy()  # noqa: E731
    monkeypatch.setattr(made, "_generalize", others)
    with pytest.raises(ReleaseError, match="as what they are not, the first at row 0"):
        made(2).fit(pd.DataFrame({"a": [1, 1, 2, 2]}))


def test_an_encoding_that_tells_records_apart_is_found(monkeypatch):
    from skanon._release.classes import Classes

    write = Classes.write

    def telling(self, columns, encode, labels):
        written = write(self, columns, encode, labels)
        if encode != "label":
            written["a"] = np.arange(len(labels))
        return written

    monkeypatch.setattr(Classes, "write", telling)
    with pytest.raises(ReleaseError, match="'representative' tells records apart"):
        KKAnonymizer(2, encode="representative").fit(pd.DataFrame({"a": [1, 1, 2, 2]}))


def test_halves_of_the_model_warn_where_they_are_unsafe():
    frame = pd.DataFrame({"age": [23, 25, 27, 61], "town": list("aabc")})
    message = "each released record may be of k people, but the person of row 3 finds 1"
    with pytest.warns(PrivacyWarning, match=message) as caught:
        KOneAnonymizer(2).fit(frame)
    assert caught[0].filename == __file__
    message = "each person finds k released records, but row 2 of it may be of 1 only"
    with pytest.warns(PrivacyWarning, match=message):
        OneKAnonymizer(2).fit(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OneKAnonymizer(2, algorithm=KOneAnonymizer(2)).fit(frame)


def test_one_k_over_any_release():
    frame = people()[["age", "town", "height"]]
    together = OneKAnonymizer(4, algorithm=KOneAnonymizer(4)).fit(frame)
    coupled = KKAnonymizer(4).fit(frame)
    pd.testing.assert_frame_equal(together.transform(frame), coupled.transform(frame))
    assert together.n_widened_ == coupled.n_widened_
    over = safe(OneKAnonymizer(6, algorithm=MondrianAnonymizer(2))).fit(frame)
    assert over.algorithm_.k == 2 and over.n_consistent_releases_.min() >= 6
    already = OneKAnonymizer(2, algorithm=MondrianAnonymizer(4)).fit(frame)
    assert already.n_widened_ == 0
    release = MondrianAnonymizer(4).fit_transform(frame)
    pd.testing.assert_frame_equal(already.transform(frame), release)
    alone = safe(OneKAnonymizer(2, algorithm=MondrianAnonymizer(1))).fit(frame)
    pd.testing.assert_frame_equal(
        alone.transform(frame), safe(OneKAnonymizer(2)).fit_transform(frame)
    )


def test_what_one_k_cannot_widen_is_refused():
    frame = people()[["age", "town"]]
    for option in ({"max_suppression": 0.1}, {"constraints": ["anything"]}):
        given = OneKAnonymizer(2, algorithm=MondrianAnonymizer(2, **option))
        with pytest.raises(ParameterError, match=f"has {next(iter(option))}="):
            given.fit(frame)
    with pytest.raises(InfeasibleError, match="k=50"):
        OneKAnonymizer(2, algorithm=MondrianAnonymizer(50)).fit(frame)
    with pytest.raises(ParameterError, match=r"algorithm of .*, but must be"):
        OneKAnonymizer(2, algorithm="mondrian").fit(frame)


@pytest.mark.parametrize("anonymizer", CLASSES)
@pytest.mark.filterwarnings("ignore::skanon.exceptions.PrivacyWarning")
def test_in_a_pipeline_and_a_grid_search(anonymizer):
    frame = people(60)[["age", "town"]]
    y = np.arange(60) % 2
    made = CLASSES[anonymizer](3)
    copy = clone(made)
    assert copy.get_params(deep=False).keys() == made.get_params(deep=False).keys()
    from sklearn.tree import DecisionTreeClassifier

    pipeline = make_pipeline(
        made, OneHotEncoder(handle_unknown="ignore"), DecisionTreeClassifier()
    )
    step = type(made).__name__.lower()
    search = GridSearchCV(pipeline, {f"{step}__k": [2, 5]}, cv=2).fit(frame, y)
    assert search.best_params_[f"{step}__k"] in (2, 5)


def test_threads_do_not_matter():
    frame = people(200)[["age", "town", "height"]]
    for method in ("expansion", "neighbours"):
        one = KKAnonymizer(5, method=method).fit_transform(frame)
        two = KKAnonymizer(5, method=method, n_jobs=2).fit_transform(frame)
        pd.testing.assert_frame_equal(one, two)


def test_tells_its_steps_only_on_request(capfd):
    frame = people()[["age", "town"]]
    KKAnonymizer(3).fit(frame)
    assert capfd.readouterr() == ("", "")
    KKAnonymizer(3, verbose=1).fit(frame)
    told = capfd.readouterr().err
    assert "each joined by expansion" in told and "was widened for another" in told


@pytest.mark.parametrize(
    "values",
    [
        [0.5, 1.25, 2.0, None, 3.5, 4.0],
        [1, 2, 2**60, 2**60 + 1, None, 5],
        [date(2020, 1, day) for day in range(1, 7)],
        [True, False, None, True, False, True],
        ["b", "a", None, "c", "a", "b"],
    ],
    ids=["floats", "integers", "dates", "bools", "texts"],
)
def test_columns_of_objects_can_be_checked(values):
    frame = pd.DataFrame({"a": pd.Series(values, dtype=object), "b": list("xxyyzz")})
    fitted = KKAnonymizer(2).fit(frame)
    assert fitted.n_consistent_releases_.min() >= 2
