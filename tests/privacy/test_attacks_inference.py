"""Inference: what a classifier learns of those in a release beyond those outside."""

from functools import partial
from operator import eq

import naive_attacks as naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from skanon import KAnonymizer
from skanon.privacy._classes import classify
from skanon.privacy._tables import read_columns
from skanon.privacy._trees import read_trees
from skanon.privacy.attacks import _features, inference_attack
from skanon.privacy.attacks._features import encode
from skanon.privacy.attacks._inference import difference_interval


def population(n, seed):
    """People whose sensitive value is a coin's, whatever else is known of them."""
    rng = np.random.default_rng(seed)
    people = pd.DataFrame(
        {
            "age": rng.permutation(4 * n)[:n],
            "town": rng.choice(["Ulm", "Kiel", "Bonn"], n),
            "ill": rng.choice(["no", "yes"], n),
        },
        index=[f"p{i}" for i in range(n)],
    )
    return people.iloc[: n // 2], people.iloc[n // 2 :]


def test_the_raw_table_gives_everybody_in_it_away():
    inside, outside = population(600, 0)
    found = inference_attack(inside, inside, None, "ill", holdout=outside)
    assert found.accuracy == 1
    assert found.targets["right"].all()
    assert 0.4 < found.control_accuracy < 0.6
    assert found.advantage == 1 - found.control_accuracy
    assert found.risk == 1
    assert found.low > 0.4
    assert found.gain == 1 - found.base_rate


def test_noise_gives_no_advantage():
    covered = 0
    for seed in range(20):
        inside, outside = population(300, seed)
        noise, _ = population(300, 100 + seed)
        found = inference_attack(
            inside,
            noise,
            None,
            "ill",
            holdout=outside,
            estimator=KNeighborsClassifier(1),
        )
        covered += found.low <= 0 <= found.high
    assert covered >= 18
    found = inference_attack(inside, noise, None, "ill", holdout=outside)
    assert found.low <= 0 <= found.high


def test_learning_about_the_population_is_no_breach():
    inside, outside = population(400, 1)
    inside, outside = (
        x.assign(ill=np.where(x["age"] > 800, "old", "young"))
        for x in (inside, outside)
    )
    found = inference_attack(inside, inside, None, "ill", holdout=outside)
    assert found.accuracy == 1 and found.control_accuracy > 0.97
    assert found.gain > 0.3
    assert found.low <= 0 <= found.high


def test_a_k_anonymous_release_gives_less_away():
    inside, outside = population(800, 2)
    public = ["age", "town"]
    release = KAnonymizer(k=20, algorithm="mondrian").fit_transform(inside[public])
    found = inference_attack(
        inside, release.assign(ill=inside["ill"]), public, "ill", holdout=outside
    )
    raw = inference_attack(inside, inside, public, "ill", holdout=outside)
    assert found.advantage < raw.advantage / 2
    assert found.high < raw.low


def test_figures_are_those_of_the_people():
    inside, outside = population(60, 3)
    found = inference_attack(
        inside.iloc[::-1],
        inside,
        ["age"],
        "ill",
        holdout=outside,
        estimator=KNeighborsClassifier(3),
        confidence=0.9,
    )
    usual = inside["ill"].mode()[0]
    for part, people in ((found.targets, inside[::-1]), (found.controls, outside)):
        assert part.index.equals(people.index)
        assert part["value"].tolist() == people["ill"].tolist()
        right = part["value"] == part["predicted"]
        assert part["right"].tolist() == right.tolist()
    hits, other = found.targets["right"].sum(), found.controls["right"].sum()
    assert found.accuracy == hits / 30 and found.control_accuracy == other / 30
    assert found.base_rate == (inside["ill"] == usual).mean()
    assert found.control_base_rate == (outside["ill"] == usual).mean()
    assert found.advantage == found.accuracy - found.control_accuracy
    expected = naive.newcombe(hits, 30, other, 30, 0.9)
    assert (found.low, found.high) == pytest.approx(expected)
    assert found.confidence == 0.9
    assert found.risk == pytest.approx(found.advantage / (1 - other / 30))
    assert found.summary()["advantage"] == found.advantage
    assert repr(found).startswith("InferenceResult(accuracy=")


def test_a_classifier_that_guesses_the_usual_value_reaches_the_base_rate():
    inside, outside = population(101, 4)
    found = inference_attack(
        inside, inside, None, "ill", holdout=outside, estimator=DummyClassifier()
    )
    assert found.accuracy == found.base_rate
    assert found.control_accuracy == found.control_base_rate


def test_released_labels_are_learned_as_what_they_stand_for():
    inside = pd.DataFrame({"age": [20, 24, 60, 64], "ill": list("aabb")})
    outside = pd.DataFrame({"age": [22, 66], "ill": list("ab")})
    release = inside.assign(age=["[20, 24]"] * 2 + ["[60, 66]"] * 2)
    found = inference_attack(
        inside,
        release,
        ["age"],
        "ill",
        holdout=outside,
        estimator=KNeighborsClassifier(1),
    )
    assert found.controls["predicted"].tolist() == ["a", "b"]
    swapped = release.assign(ill=list("bbaa"))
    found = inference_attack(
        inside,
        swapped,
        ["age"],
        "ill",
        holdout=outside,
        estimator=KNeighborsClassifier(1),
    )
    assert found.targets["predicted"].tolist() == ["b", "b", "a", "a"]
    assert found.accuracy == 0


def test_missing_sensitive_values_are_one_value():
    inside, outside = population(200, 5)
    inside, outside = (x.replace({"ill": {"yes": None}}) for x in (inside, outside))
    found = inference_attack(inside, inside, None, "ill", holdout=outside)
    assert found.accuracy == 1
    assert found.targets["predicted"].isna().sum() == inside["ill"].isna().sum()


def test_a_constant_sensitive_attribute_is_known_beforehand():
    inside, outside = (x.assign(ill="yes") for x in population(40, 6))
    found = inference_attack(
        inside, inside, None, "ill", holdout=outside, estimator=LogisticRegression()
    )
    assert found.accuracy == found.base_rate == found.control_accuracy == 1
    assert found.advantage == found.risk == found.gain == 0
    assert found.low < 0 < found.high


def test_sensitive_values_that_the_release_lacks_are_never_guessed():
    inside, outside = population(200, 7)
    release = inside.query("ill == 'no'")
    found = inference_attack(inside, release, None, "ill", holdout=outside)
    assert found.accuracy == (inside["ill"] == "no").mean()


@pytest.mark.parametrize(
    ("hits", "n", "other_hits", "other_n"),
    [(56, 70, 48, 80), (9, 10, 3, 10), (10, 10, 0, 20), (0, 5, 0, 7), (5, 5, 9, 9)],
)
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_intervals_equal_the_oracle(hits, n, other_hits, other_n, confidence):
    found = difference_interval(hits, n, other_hits, other_n, confidence)
    expected = naive.newcombe(hits, n, other_hits, other_n, confidence)
    assert found == pytest.approx(expected, abs=1e-9)
    assert -1 <= found[0] <= hits / n - other_hits / other_n <= found[1] <= 1


@given(naive.releases(), st.booleans())
def test_features_equal_the_oracle(tables, many):
    release, people = tables
    known = people.iloc[[0] * 3].assign(
        town=["Kiel", "Bremen", "Ulm, Neu"], age=[21, 33, 20]
    )
    classes = classify(release, ["age", "town"], None)
    trees = read_trees({"town": naive.TOWNS}, ["town"], ["town"])
    columns = read_columns(classes, {"a": people, "b": known}, trees, "*")
    with pytest.MonkeyPatch.context() as patch:
        if many:
            patch.setattr(_features, "MOST_VALUES", 2)
        shown, plain = encode(columns)
    both = pd.concat([people, known])
    ages, towns = (
        [naive.key(x) for x in both[name].unique()] for name in ("age", "town")
    )
    describe_towns = naive.number_features if many else naive.text_features

    def features(age_is, town_is):
        return naive.number_features(ages, age_is) + describe_towns(towns, town_is)

    for group, age, town in zip(
        classes.groups, release["age"], release["town"], strict=True
    ):
        says = naive.AGES[naive.key(age)], naive.PLACES[naive.key(town)]
        assert shown[group].tolist() == pytest.approx(features(*says))
    for row, age, town in zip(plain, both["age"], both["town"], strict=True):
        own = [partial(eq, naive.key(x)) for x in (age, town)]
        assert row.tolist() == pytest.approx(features(*own))


def test_ordered_categories_are_ranked():
    grades = pd.CategoricalDtype(["poor", "fair", "good"], ordered=True)
    people = pd.DataFrame({"grade": pd.Series(["good", "poor"], dtype=grades)})
    release = pd.DataFrame({"grade": ["[poor, good]", "poor"]})
    classes = classify(release, ["grade"], None)
    shown, plain = encode(read_columns(classes, {"original": people}, {}, "*"))
    assert shown.tolist() == [[0.5], [0.0]]
    assert plain.tolist() == [[1.0], [0.0]]
