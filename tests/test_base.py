"""The contract of every anonymizer: fitting, transforming, forgetting, copying."""

import copy
import pickle
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from algorithms import ALGORITHMS
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from skanon import KAnonymizer, SequentialAnonymizer

ENCODINGS = ["label", "representative", "bounds", "distribution"]
QUASI = ["age", "town", "height", "grade", "born"]


def people(n=60, seed=0):
    rng = np.random.default_rng(seed)
    grade = pd.Categorical.from_codes(
        rng.integers(-1, 3, n), ["low", "mid", "high"], ordered=True
    )
    return pd.DataFrame(
        {
            "name": [f"name-{i}-of-a-person" for i in range(n)],
            "age": rng.integers(18, 40, n),
            "town": pd.array(rng.choice(["Bern", "Bonn", "Kiel"], n), dtype="str"),
            "height": np.where(rng.random(n) < 0.1, np.nan, rng.integers(150, 160, n)),
            "grade": grade,
            "born": pd.Timestamp("1890-01-01")
            + pd.to_timedelta(rng.integers(0, 30, n), unit="D"),
            "note": [f"note-{i}-about-somebody" for i in range(n)],
            "illness": rng.choice(["flu", "cold", "none"], n),
        },
        index=rng.permutation(np.repeat(np.arange(n // 2), 2)),
    )


def anonymizer(k=4, **options):
    return KAnonymizer(
        k,
        **{
            "quasi_identifiers": QUASI,
            "identifiers": "name",
            "sensitive": "illness",
            "random_state": 0,
        }
        | options,
    )


@pytest.mark.parametrize("encode", ENCODINGS)
@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_transform_of_the_fitted_records_is_the_release(encode, algorithm):
    frame = people()
    frame["age"] = frame["age"].astype("Int64")  # may be missing
    fitted = anonymizer(algorithm=algorithm, encode=encode, max_suppression=0.2)
    release = fitted.fit_transform(frame)
    pd.testing.assert_frame_equal(fitted.transform(frame), release)
    again = fitted.fit(frame).transform(frame)
    pd.testing.assert_frame_equal(again, release)
    order = np.random.default_rng(1).permutation(len(frame))
    pd.testing.assert_frame_equal(
        fitted.transform(frame.iloc[order]), release.iloc[order]
    )
    some = order[:7]
    pd.testing.assert_frame_equal(
        fitted.transform(frame.iloc[some]), release.iloc[some]
    )


def two_classes_of_one_tuple():
    """Fit a table whose tuple (1,) lies in two classes: [0, 1] and [1, 2]."""
    frame = pd.DataFrame({"a": [1, 0, 1, 2]})
    fitted = SequentialAnonymizer(k=2)
    fitted._cluster = lambda problem: np.array([0, 0, 1, 1])
    return frame, fitted.fit(frame)


@pytest.mark.parametrize("encode", ENCODINGS)
def test_a_tuples_qth_occurrence_takes_the_class_of_its_qth_fitted_one(encode):
    frame, fitted = two_classes_of_one_tuple()
    fitted.set_params(encode=encode)
    release = fitted.transform(frame)
    assert (release.iloc[0] != release.iloc[2]).any()
    moved = fitted.transform(frame.iloc[[3, 0, 2, 1]])
    pd.testing.assert_frame_equal(moved, release.iloc[[3, 0, 2, 1]])
    swapped = fitted.transform(frame.iloc[[2, 0]])  # by the index
    assert swapped.to_numpy().tolist() == release.iloc[[2, 0]].to_numpy().tolist()
    plain = fitted.transform(frame.iloc[[2, 0]].set_axis([8, 9]))
    assert plain.to_numpy().tolist() == release.iloc[[0, 2]].to_numpy().tolist()
    thrice = fitted.transform(pd.DataFrame({"a": [1, 1, 1]}))
    assert thrice.iloc[2].tolist() in release.to_numpy().tolist()


def naive_class(fitted, frame, record, loss):
    """Find the cost of each published class once it covers a record as well."""
    costs = []
    for h in range(fitted.n_classes_):
        members = frame[fitted.labels_ == h]
        total = 0.0
        for name in frame.columns:
            values, new = members[name], record[name]
            known = frame[name].dropna().unique()
            whole = len(known) + frame[name].isna().any()
            joined = pd.concat([values, pd.Series([new], dtype=object)])
            if frame[name].dtype == "str":
                total += joined.nunique(dropna=False) > 1
            elif joined.isna().any():
                total += not joined.isna().all()
            else:
                # an unknown number counts as the nearest that is known
                near = min(sorted(known), key=lambda x: abs(x - new))
                ends = min(values.min(), near), max(values.max(), near)
                if loss == "lm":
                    inside = (known >= ends[0]) & (known <= ends[1])
                    total += (inside.sum() - 1) / (whole - 1)
                else:
                    total += (ends[1] - ends[0]) / np.ptp(known)
        costs.append(total)
    return costs


@pytest.mark.parametrize("loss", ["lm", "ncp"])
def test_an_unseen_record_takes_the_published_class_that_costs_it_least(loss):
    frame = people(40)[["age", "town", "height"]]
    fitted = KAnonymizer(4, loss=loss, random_state=0).fit(frame)
    rng = np.random.default_rng(5)
    new = pd.DataFrame(
        {
            "age": rng.integers(0, 60, 30),
            "town": rng.choice(["Bern", "Kiel", "Oslo", None], 30),
            "height": rng.choice([np.nan, 150, 153.4, 999], 30),
        }
    )
    published = fitted.generalizations_.fillna("missing")
    release = fitted.transform(new).fillna("missing")
    for (_, record), (_, got) in zip(new.iterrows(), release.iterrows(), strict=True):
        costs = naive_class(fitted, frame, record, loss)
        chosen = np.flatnonzero((published == got).all(axis=1))
        assert len(chosen) == 1
        assert costs[chosen[0]] == pytest.approx(min(costs))
    tuples = set(published.itertuples(index=False, name=None))
    assert tuples >= set(release.itertuples(index=False, name=None))
    assert fitted.class_sizes_.min() >= 4


@pytest.mark.parametrize("encode", ENCODINGS)
def test_tuples_of_unseen_records_were_published_for_k_records(encode):
    frame, k = people(), 4
    fitted = anonymizer(k, encode=encode)
    release = fitted.fit_transform(frame).drop(columns=["note", "illness"])
    new = people(50, seed=9).assign(age=99, town="Atlantis")
    emitted = fitted.transform(new).drop(columns=["note", "illness"])
    counts = Counter(map(repr, release.to_numpy(dtype=object).tolist()))
    for row in emitted.to_numpy(dtype=object).tolist():
        assert counts[repr(row)] >= k


def held_text(thing):
    return pickle.dumps(thing).decode("latin-1")


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_a_forgetful_copy_holds_no_record(algorithm):
    frame = people()
    inner = ALGORITHMS[algorithm](4).fit(frame[["age", "town"]])
    whole = anonymizer(algorithm=inner).fit(frame, y=frame["note"])
    forgetful = whole.forget()
    held = held_text(forgetful)
    for planted in ["-of-a-person", "-about-somebody"]:
        assert planted not in held
    sizes = {len(frame), len(frame) * len(QUASI)}
    assert not sizes & set(arrays_in(forgetful))
    assert sizes & set(arrays_in(whole))
    for gone in ["labels_", "suppressed_"]:
        assert not hasattr(forgetful, gone)
    assert whole.labels_.shape == (len(frame),)  # the original is whole


def arrays_in(thing, seen=None):
    """List the sizes of all arrays that an object leads to."""
    seen = set() if seen is None else seen
    if id(thing) in seen:
        return []
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        return [thing.size]
    if isinstance(thing, dict):
        below = list(thing.values())
    elif isinstance(thing, (list, tuple)):
        below = list(thing)
    else:
        below = list(getattr(thing, "__dict__", {}).values())
    return [size for part in below for size in arrays_in(part, seen)]


@pytest.mark.parametrize("encode", ENCODINGS)
def test_a_forgetful_copy_sends_every_record_to_its_cheapest_class(encode):
    frame, fitted = two_classes_of_one_tuple()
    fitted.set_params(encode=encode)
    forgetful = fitted.forget()
    release = forgetful.transform(pd.concat([frame] * 3, ignore_index=True))
    assert release[::4].nunique().max() == 1  # (1,) costs both classes the same
    published = set(map(tuple, fitted.transform(frame).to_numpy().tolist()))
    assert set(map(tuple, release.to_numpy().tolist())) == published
    twice = forgetful.forget()
    pd.testing.assert_frame_equal(twice.transform(frame), forgetful.transform(frame))
    assert twice.get_feature_names_out().tolist() == release.columns.tolist()


def test_pickles_copies_and_clones():
    frame = people()
    fitted = anonymizer(max_suppression=0.1)
    release = fitted.fit_transform(frame)
    for copied in [pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)]:
        pd.testing.assert_frame_equal(copied.transform(frame), release)
    forgetful = fitted.forget()
    restored = pickle.loads(pickle.dumps(forgetful))
    pd.testing.assert_frame_equal(restored.transform(frame), forgetful.transform(frame))
    cloned = clone(fitted)
    with pytest.raises(NotFittedError):
        cloned.transform(frame)
    pd.testing.assert_frame_equal(cloned.fit_transform(frame), release)


def test_a_random_state_decides_the_release_and_n_jobs_does_not():
    frame = people()
    options = {"algorithm": SequentialAnonymizer(n_init=3)}
    one = anonymizer(random_state=3, n_jobs=1, **options).fit(frame)
    two = anonymizer(random_state=3, n_jobs=2, **options).fit(frame)
    assert one.labels_.tolist() == two.labels_.tolist()
    assert one.fit(frame).labels_.tolist() == two.labels_.tolist()
    other = anonymizer(random_state=4, **options).fit(frame)
    assert one.labels_.tolist() != other.labels_.tolist()
    state = np.random.RandomState(3)
    assert anonymizer(random_state=state, **options).fit(frame).labels_.tolist() == (
        one.labels_.tolist()
    )


def test_representations_and_public_attributes_hold_no_record():
    frame = people()
    frame["town"] = [f"town-{i}-on-no-map" for i in range(len(frame))]
    fitted = anonymizer().fit(frame, y=frame["note"])
    planted = ["-of-a-person", "-about-somebody", "-on-no-map"]
    shown = [repr(fitted), fitted._repr_html_(), *fitted._repr_mimebundle_().values()]
    with config_context(print_changed_only=False):
        shown.append(repr(fitted))
    public = {
        name: value
        for name, value in vars(fitted).items()
        if name.endswith("_") and not name.startswith("_") and name != "algorithm_"
    }
    shown += [held_text(value) for value in public.values()]
    shown += [held_text(fitted.algorithm_)]
    for text in shown:
        assert not any(secret in text for secret in planted)
    assert "as confidential as" in fitted._repr_html_()
    for harmless in [fitted.forget(), anonymizer()]:
        assert "as confidential as" not in harmless._repr_html_()


def test_fitted_attributes():
    frame, k = people(), 4
    fitted = anonymizer(k, max_suppression=0.2)
    release = fitted.fit_transform(frame)
    n = len(frame)
    assert fitted.labels_.shape == fitted.suppressed_.shape == (n,)
    assert (fitted.suppressed_ == (fitted.labels_ == -1)).all()
    kept = fitted.labels_[~fitted.suppressed_]
    assert fitted.class_sizes_.tolist() == np.bincount(kept).tolist()
    assert fitted.n_classes_ == len(fitted.class_sizes_) == kept.max() + 1
    assert fitted.class_sizes_.min() >= k
    assert list(fitted.generalizations_.columns) == QUASI == list(fitted.hierarchies_)
    expected = fitted.generalizations_.iloc[kept].to_numpy()
    assert (
        release[QUASI][~fitted.suppressed_].fillna("").to_numpy()
        == pd.DataFrame(expected).fillna("").to_numpy()
    ).all()
    assert len(fitted.generalizations_.drop_duplicates()) == fitted.n_classes_
    assert fitted.feature_names_in_.tolist() == list(frame.columns)
    assert fitted.n_features_in_ == frame.shape[1]
    assert 0 < fitted.information_loss_ < 1
    assert list(fitted.column_losses_) == QUASI


@pytest.mark.parametrize("with_y", [True, False])
def test_a_pipeline_searches_k_and_the_algorithms_own_parameters(with_y):
    frame = people(120).drop(columns=["name", "note"])
    y = frame.pop("illness") == "flu"
    steps = [
        ("k", KAnonymizer(5, algorithm=SequentialAnonymizer(), encode="distribution")),
        ("clf", LogisticRegression(max_iter=9999)),
    ]
    grid = {"k__k": [2, 50], "k__algorithm__alpha": [0.5, 1.0]}
    frame["born"] = (frame["born"] - frame["born"].min()).dt.days
    if with_y:
        search = GridSearchCV(Pipeline(steps), grid, cv=2).fit(frame, y)
        assert search.predict(frame).shape == (120,)
    else:
        search = GridSearchCV(steps[0][1], {"k": [2, 5]}, cv=2, scoring=minus_loss)
        search.fit(frame)
        assert search.best_params_ == {"k": 2}
    assert len(search.cv_results_["params"]) == (4 if with_y else 2)
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()


def minus_loss(estimator, X, y=None):
    return -estimator.information_loss_


class Watching(SequentialAnonymizer):
    """Notes what reached ``fit``."""

    reached: list = []  # noqa: RUF012

    def fit(self, X, y=None, *, sensitive=None):
        Watching.reached.append(None if sensitive is None else len(sensitive))
        return super().fit(X, y, sensitive=sensitive)


@pytest.mark.parametrize("requested", [True, False])
def test_sensitive_is_routed_through_pipelines_and_searches(requested):
    frame = people(60)[["age", "height"]].fillna(155)
    illness = people(60)["illness"].to_numpy()
    y = (illness == "flu").astype(int)
    Watching.reached.clear()
    with config_context(enable_metadata_routing=True):
        inner = Watching(4, encode="distribution").set_fit_request(sensitive=requested)
        pipeline = Pipeline([("k", inner), ("clf", LogisticRegression())])
        search = GridSearchCV(pipeline, {"k__k": [3]}, cv=2)
        if not requested:
            with pytest.raises(TypeError, match="sensitive"):
                search.fit(frame, y, sensitive=illness)
            return
        pipeline.fit(frame, y, sensitive=illness)
        assert Watching.reached == [60]
        search.fit(frame, y, sensitive=illness)
        assert Watching.reached == [60, 30, 30, 60]


TREE = {"Europe": {"CH": ["Bern", "Basel"], "DE": ["Bonn", "Kiel"]}, "Asia": ["Hue"]}


def tree_of(values):
    """Count the leaves below the lowest node that covers some towns."""
    if len(values) == 1:
        return 1
    for node in ({"Bern", "Basel"}, {"Bonn", "Kiel"}):
        if values <= node:
            return 2
    return 4 if values <= {"Bern", "Basel", "Bonn", "Kiel"} else None


@pytest.mark.parametrize("hierarchy", ["suppression", "subsets", "tree"])
def test_an_unseen_town_takes_the_class_that_costs_it_least(hierarchy):
    rng = np.random.default_rng(2)
    towns = ["Basel", "Bern", "Bonn", "Hue", "Kiel", None]
    frame = pd.DataFrame({"a": rng.choice(towns, 40), "b": rng.choice(towns[:3], 40)})
    given = {"*": TREE} if hierarchy == "tree" else hierarchy
    fitted = KAnonymizer(3, hierarchies={"a": given}, random_state=0).fit(frame)
    unknown = [] if hierarchy == "tree" else ["Oslo"]
    new = pd.DataFrame(
        [(a, b) for a in [*towns, *unknown] for b in [*towns[:3], "Oslo", None]],
        columns=["a", "b"],
    )
    release = fitted.forget().transform(new)
    published = fitted.generalizations_
    for (_, record), (_, got) in zip(new.iterrows(), release.iterrows(), strict=True):
        costs = []
        for h in range(fitted.n_classes_):
            members = frame[fitted.labels_ == h].fillna("missing")
            a = set(members["a"]) | {record.fillna("missing")["a"]}
            b = set(members["b"]) | {record.fillna("missing")["b"]}
            size = {"suppression": None, "subsets": len(a), "tree": tree_of(a)}
            whole = "Oslo" in a or ("missing" in a and len(a) > 1)
            size = 1 if len(a) == 1 else (not whole and size[hierarchy]) or 6
            costs.append((size - 1) / 5 + (len(b) > 1))
        equal = published.fillna("?").eq(got.fillna("?")).all(axis=1)
        assert costs[np.flatnonzero(equal)[0]] == pytest.approx(min(costs))
