"""What the inspector answers, compares and refuses, and what it keeps back."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("anywidget")

from inspected import (
    HIERARCHIES,
    HOSTILE,
    TOWNS,
    details_of,
    fitted,
    people,
    sent_by,
    state_of,
)
from sklearn.exceptions import NotFittedError

from skanon import KAnonymizer
from skanon.exceptions import ColumnError, ParameterError
from skanon.losses import LM, MI
from skanon.metrics import (
    loss_lower_bound,
    optimality_gap,
)
from skanon.privacy import journalist_risk
from skanon_widgets import MetricInspector
from skanon_widgets._metric_inspector import aggregates as _aggregates
from skanon_widgets._metric_inspector import costs as _costs
from skanon_widgets._metric_inspector import releases as _releases
from skanon_widgets._metric_inspector.words import figure, percent, verdict


@pytest.fixture(scope="module")
def anonymizer():
    return fitted()


@pytest.fixture(scope="module")
def figures(anonymizer):
    return MetricInspector(anonymizer).figures


# --------------------------------------------------------------------- single classes


def test_details_of_a_class(anonymizer):
    inspector = MetricInspector(anonymizer)
    release = anonymizer.transform(people())
    for number in range(inspector.figures["classes"]["number"]):
        found = details_of(inspector, number)
        inside = release[["age", "town", "job"]].eq(found["publishes"]).all(axis=1)
        assert found["size"] == inside.sum()
        assert found["risk"] == 1 / found["size"]
        means = [column["loss"] for column in found["columns"]]
        assert found["loss"] == pytest.approx(np.mean(means))
        (sensitive,) = found["sensitive"]
        shares = release["ill"][inside].value_counts(normalize=True)
        told = {x["value"]: x["share"] for x in sensitive["shares"]}
        assert told == pytest.approx(shares.to_dict())
        assert sensitive["others"] == 0


def test_a_column_without_weight_costs_nothing():
    table = pd.DataFrame({"age": [20, 30] * 4, "pay": [1, 2] * 4})
    release = table.assign(age="*", pay="[1, 2]")
    loss = LM({"pay": 0})
    inspector = MetricInspector(original=table, released=release, loss=loss)
    assert [x["loss"] for x in details_of(inspector)["columns"]] == [1, 0]


def test_sensitive_values_that_are_not_published_are_not_told():
    X, y = people(), people()["ill"]
    hidden = fitted(X=X[["age", "town", "job"]], y=y, sensitive=None)
    (sensitive,) = details_of(MetricInspector(hidden))["sensitive"]
    assert sensitive["shares"] == []
    assert "no column of the release" in sensitive["why"]
    shown = MetricInspector(hidden, sensitive_published=True)
    assert details_of(shown)["sensitive"][0]["shares"]


def test_a_sensitive_column_of_the_original_alone_is_not_told(anonymizer):
    table = people()
    release = anonymizer.transform(table).drop(columns="ill")
    inspector = MetricInspector(
        original=table, released=release, sensitive="ill", hierarchies=HIERARCHIES
    )
    assert details_of(inspector)["sensitive"][0]["shares"] == []


def test_sensitive_values_of_a_small_class_are_not_told():
    table = pd.DataFrame({"age": [20] * 5 + [60], "ill": list("aabbcz")})
    inspector = MetricInspector(original=table, released=table, sensitive="ill")
    assert details_of(inspector, 0)["sensitive"][0]["shares"]
    (sensitive,) = details_of(inspector, 1)["sensitive"]
    assert sensitive["shares"] == []
    assert "fewer than 3" in sensitive["why"]


def test_many_sensitive_values_are_told_in_part():
    table = pd.DataFrame({"age": [20] * 40, "ill": range(40)})
    table["ill"] %= 20
    inspector = MetricInspector(original=table, released=table, sensitive="ill")
    (sensitive,) = details_of(inspector)["sensitive"]
    assert len(sensitive["shares"]) == _costs.MOST_SHARES
    assert sensitive["others"] == pytest.approx(1 - _costs.MOST_SHARES / 20)


def test_an_answer_names_the_view_that_asked(anonymizer):
    inspector = MetricInspector(anonymizer)
    asked = {"do": "inspect", "release": 0, "number": 0}
    (answer,) = sent_by(inspector, **asked, view="one")
    assert answer["view"] == "one"


def test_an_unknown_class_is_an_error_in_words(anonymizer):
    inspector = MetricInspector(anonymizer)
    (answer,) = sent_by(inspector, do="inspect", release=0, number=10_000)
    assert "there is no class 10000" in answer["error"]


# ------------------------------------------------------------ what has to be asked for


def test_the_journalists_risk(anonymizer):
    inspector = MetricInspector(anonymizer)
    assert "journalist" not in inspector.figures
    assert sent_by(inspector, do="population", size=5000) == []
    found = inspector.figures["journalist"]
    release = anonymizer.transform(people())[["age", "town", "job"]]
    expected = journalist_risk(release, population_size=5000)
    assert found["highest"] == expected.highest
    assert found["average"] == expected.average
    assert "5,000 people" in inspector.releases[0]["words"]["journalist"]
    assert sent_by(inspector, do="population", size=None) == []
    assert inspector.figures["journalist"] is None
    assert "at most as sure" in inspector.releases[0]["words"]["journalist"]
    given = MetricInspector(anonymizer, population_size=5000)
    assert given.figures["journalist"] == found


@pytest.mark.parametrize("size", [59, 0, -3, 60.5, "many"])
def test_a_population_that_cannot_be(anonymizer, size):
    inspector = MetricInspector(anonymizer)
    (answer,) = sent_by(inspector, do="population", size=size)
    assert "population_size is" in answer["error"]
    assert "journalist" not in inspector.figures


def test_the_lower_bound_is_that_of_the_metrics(anonymizer):
    inspector = MetricInspector(anonymizer)
    assert "bound" not in inspector.figures
    found = inspector.compute_lower_bound()
    table = people()
    gap = optimality_gap(anonymizer, table)
    assert found["k"] == 4
    assert found["gap"] == pytest.approx(gap)
    assert found["avoidable"] == pytest.approx(gap / anonymizer.information_loss_)
    assert inspector.figures["bound"] == found
    assert percent(found["avoidable"]) in inspector.releases[0]["words"]["gap"]


def test_the_lower_bound_of_tables_and_of_sensitive_losses(anonymizer):
    table = people()
    quasi = ["age", "town", "job"]
    inspector = MetricInspector(
        original=table,
        released=anonymizer.transform(table),
        sensitive="ill",
        hierarchies=HIERARCHIES,
        loss="pmi",
    )
    found = inspector.compute_lower_bound()
    k = inspector.figures["achieved_k"]
    given = {"loss": "pmi", "hierarchies": HIERARCHIES, "sensitive": table["ill"]}
    expected = loss_lower_bound(table[quasi], k=k, **given)
    assert found["lower_bound"] == pytest.approx(expected)


def test_the_bound_is_asked_for_once_at_a_time(anonymizer, monkeypatch):
    go_on, calls = threading.Event(), []

    def slowly(release):
        calls.append(release.name)
        assert go_on.wait(20)
        return {"k": 4, "lower_bound": 0.0, "loss": 1.0, "gap": 1.0, "avoidable": 1.0}

    inspector = MetricInspector(anonymizer)
    inspector.wait()
    monkeypatch.setattr(_aggregates, "bound", slowly)
    sent_by(inspector, do="bound")
    sent_by(inspector, do="bound")
    assert inspector.releases[0]["bound"] == {"running": True}
    assert not inspector.wait(0.01)
    go_on.set()
    assert inspector.figures["bound"]["gap"] == 1
    assert calls == ["release"]


def test_a_part_that_fails_is_told_and_the_others_are_there(anonymizer, monkeypatch):
    def broken(release):
        raise RuntimeError("no <b>luck</b>")

    monkeypatch.setattr(_aggregates, "losses", broken)
    inspector = MetricInspector(anonymizer)
    figures = inspector.figures
    assert "It cannot be measured (RuntimeError)." in figures["losses"]["why"]
    assert figures["distributions"]
    assert figures["attacks"]
    assert "<b>" not in inspector._summary()


# --------------------------------------------------------------------------- comparing


def test_two_releases(anonymizer):
    loose, strict = anonymizer, fitted(12)
    inspector = MetricInspector.compare({"k = 4": loose, "k = 12": strict})
    figures = inspector.figures
    assert list(figures) == ["k = 4", "k = 12"]
    for name, one in (("k = 4", loose), ("k = 12", strict)):
        alone = MetricInspector(one).figures
        for part in (
            "achieved_k",
            "risk",
            "sensitive",
            "losses",
            "attacks",
            "costliest",
        ):
            assert figures[name][part] == alone[part], part
    first, second = (x["classes"]["bins"] for x in figures.values())
    assert [x["label"] for x in first] == [x["label"] for x in second]
    first, second = (x["distributions"] for x in figures.values())
    assert [x["labels"] for x in first] == [x["labels"] for x in second]
    assert [x["before"] for x in first] == [x["before"] for x in second]
    assert "“k = 12” is safer for those at most risk" in inspector.verdict
    assert "“k = 4” loses less" in inspector.verdict
    bounds = inspector.compute_lower_bound()
    assert bounds["k = 4"]["lower_bound"] < bounds["k = 12"]["lower_bound"]


def test_releases_of_any_kind_are_compared(anonymizer):
    table = people()
    tables = {"original": table, "released": anonymizer.transform(table)}
    tables |= {"sensitive": "ill", "hierarchies": HIERARCHIES, "k": 4}
    inspector_of_one = MetricInspector(anonymizer)
    inspector = MetricInspector({"a": inspector_of_one, "b": tables})
    a, b = inspector.figures.values()
    assert a["risk"] == b["risk"]
    two = {"a": inspector_of_one, "b": tables}
    for loss in ("ncp", MI()):
        a, b = MetricInspector.compare(two, loss=loss).figures.values()
        assert a["losses"]["loss"] == b["losses"]["loss"] != "LM()"
        assert a["losses"]["value"] == pytest.approx(b["losses"]["value"])
    assert inspector.verdict.count("Neither") == 3


def test_sensitive_published_holds_for_inspectors_too():
    X, y = people(), people()["ill"]
    hidden = fitted(X=X[["age", "town", "job"]], y=y, sensitive=None)
    one = MetricInspector(hidden)
    two = {"a": one, "b": hidden}
    assert details_of(MetricInspector(two))["sensitive"][0]["shares"] == []
    shown = MetricInspector.compare(two, sensitive_published=True)
    assert details_of(shown)["sensitive"][0]["shares"]
    assert details_of(one)["sensitive"][0]["shares"] == []  # it stays what it was


def test_releases_made_for_different_losses_are_measured_alike(anonymizer):
    other = fitted(loss="ncp")
    figures = MetricInspector.compare({"a": anonymizer, "b": other}).figures
    assert {x["losses"]["loss"] for x in figures.values()} == {"LM()"}
    assert figures["a"]["losses"]["value"] == pytest.approx(
        anonymizer.information_loss_
    )


def test_equal_figures_have_no_better_one(figures):
    same = verdict(figures | {"name": "a"}, figures | {"name": "b"})
    assert same.count("Neither") == 3


# ------------------------------------------------------------------------------ errors


def test_what_cannot_be_inspected():
    with pytest.raises(NotFittedError):
        MetricInspector(KAnonymizer(2))
    with pytest.raises(ParameterError, match="forgotten"):
        MetricInspector(fitted().forget())
    with pytest.raises(ParameterError, match="Give a fitted anonymizer"):
        MetricInspector()
    with pytest.raises(ParameterError, match="Give a fitted anonymizer"):
        MetricInspector(fitted(), original=people())
    with pytest.raises(ColumnError, match="60 rows, but the release has 59"):
        MetricInspector(original=people(), released=people()[1:])
    with pytest.raises(ColumnError, match="does not cover the original value"):
        MetricInspector(original=people(), released=people(seed=1))
    with pytest.raises(ColumnError, match="neither table has such a column"):
        MetricInspector(original=people(), released=people(), sensitive="pay")
    with pytest.raises(ParameterError, match="k is 0"):
        MetricInspector(original=people(), released=people(), k=0)
    with pytest.raises(ParameterError, match="population_size is 3"):
        MetricInspector(fitted(), population_size=3)


def test_what_cannot_be_compared(anonymizer):
    with pytest.raises(ParameterError, match="1 releases are to be compared"):
        MetricInspector.compare({"a": anonymizer})
    with pytest.raises(ParameterError, match="no parameters"):
        table = {"original": people(), "released": people(), "colour": "red"}
        MetricInspector.compare({"a": anonymizer, "b": table})
    with pytest.raises(ParameterError, match="beside releases to compare"):
        MetricInspector({"a": anonymizer, "b": anonymizer}, original=people())


# ---------------------------------------------------------------- what leaves Python


def test_no_record_is_in_the_saved_state():
    n = 60
    table = people(n)
    table["job"] = [f"job-of-person-{i}" for i in range(n)]
    table["ill"] = [f"secret-{i % 7}" for i in range(n)]
    anonymizer = fitted(X=table, hierarchies={"town": TOWNS})
    inspector = MetricInspector(anonymizer)
    sent_by(inspector, do="population", size=1000)
    inspector.compute_lower_bound()
    details_of(inspector)
    saved = state_of(inspector) + inspector._summary()
    assert "job-of-person" not in saved
    assert "secret" not in saved
    ages = {str(x) for x in table["age"]}
    published = " ".join(map(str, anonymizer.transform(table)["age"]))
    rare = {x for x in ages if x not in published}
    for part in inspector.figures["distributions"]:
        if part["name"] == "age":
            assert not rare & set(part["labels"])


def test_hostile_names_are_text_in_the_summary():
    table = people().rename(columns={"job": HOSTILE})
    table["ill"] = HOSTILE
    anonymizer = fitted(X=table, hierarchies=None)
    inspector = MetricInspector.compare({HOSTILE: anonymizer, "b": anonymizer})
    inspector.wait()
    bundle, _ = inspector._repr_mimebundle_()
    assert "<img" not in bundle["text/html"]
    assert "&lt;img src=x onerror=alert(1)&gt;" in bundle["text/html"]


def test_the_summary_has_what_matters(anonymizer, figures):
    text = MetricInspector(anonymizer)._summary()
    for told in (
        percent(figures["risk"]["highest"]).replace("\u00a0", " "),
        figure(figures["losses"]["value"]),
        "prosecutor",
        "journalist",
        "marketer",
        "town",
        "l (frequency) of “ill”",
    ):
        assert told in text
    assert "still being measured" not in text


def test_long_labels_are_cut():
    assert _releases.shortened("x" * 500).endswith("x…")
    assert len(_releases.shortened("x" * 500)) == 120
    assert _releases.shortened("a\nb\u202ec") == "a b\ufffdc"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (0.066759, "0.0668"),
        (12.345, "12.3"),
        (100.0, "100"),
        (1234.5, "1,234"),
    ],
)
def test_numbers_in_words(number, text):
    assert figure(number) == text


def test_the_front_end_is_small():
    text = str(MetricInspector._esm)
    assert len(text.encode()) < 60_000
    assert "innerHTML" not in text
    assert "import " not in text
