"""That no record gets into what is saved with the notebook, whatever was released."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("anywidget")

from inspected import details_of, fitted, people, state_of

from skanon.consistency import KKAnonymizer
from skanon.exceptions import (
    ColumnError,
    InfeasibleError,
    ParameterError,
    PrivacyWarning,
)
from skanon_widgets import MetricInspector
from skanon_widgets._metric_inspector import aggregates as _aggregates
from skanon_widgets._metric_inspector.releases import reason


def named(n=12):
    """A table whose every value is told apart from anything else in the state."""
    return pd.DataFrame(
        {
            "age": [7001.5 + 13 * i for i in range(n)],
            "town": [f"town-of-{i}" for i in range(n)],
        }
    )


def saved_of(inspector):
    return state_of(inspector) + inspector._summary()


def test_a_release_that_changed_nothing_is_not_in_the_state():
    table = named()
    inspector = MetricInspector(original=table, released=table)
    saved = saved_of(inspector)
    assert "town-of-" not in saved
    assert not any(str(age) in saved for age in table["age"])
    for lines in inspector.figures["costliest"].values():
        assert lines
        for line in lines:
            assert line["publishes"] is None
            assert "fewer than 3 records" in line["why"]


@pytest.mark.parametrize("copies", [1, 2])
def test_k_of_1_asks_for_nothing_and_tells_nothing(copies):
    table = pd.concat([named()] * copies, ignore_index=True)
    with pytest.warns(PrivacyWarning, match="hides nobody"):
        anonymizer = fitted(1, X=table, hierarchies=None, sensitive=None)
    inspector = MetricInspector(anonymizer)
    assert inspector.figures["classes"]["smallest"] == copies
    assert "town-of-" not in saved_of(inspector)
    assert "town-of-" not in str(details_of(inspector))


def test_one_record_that_stayed_whole():
    table = pd.DataFrame({"age": [20, 21] * 5 + [7099], "town": ["Ulm"] * 10 + ["Rom"]})
    released = table.assign(age=["[20, 21]"] * 10 + ["7099"])
    inspector = MetricInspector(original=table, released=released, k=5)
    saved = saved_of(inspector)
    assert "Rom" not in saved
    assert "7099" not in saved
    large, small = (details_of(inspector, number) for number in (0, 1))
    assert large["publishes"] == ["[20, 21]", "Ulm"]
    assert large["why"] is None
    assert small["size"] == 1
    assert "Rom" not in str(small)
    assert [x["publishes"] for x in small["columns"]] == [None, None]
    assert "fewer than 5 records" in small["why"]


def test_a_class_of_few_is_not_told_though_one_column_is_generalized():
    table = pd.DataFrame({"age": [20, 21] * 5, "town": ["Ulm"] * 8 + ["Rom"] * 2})
    released = table.assign(age="[20, 21]")
    saved = saved_of(MetricInspector(original=table, released=released))
    assert "Rom" not in saved
    assert "Ulm" in saved


def test_records_generalized_one_by_one_are_not_told():
    table = people().drop(columns="job")
    anonymizer = KKAnonymizer(5, sensitive="ill").fit(table)
    inspector = MetricInspector(anonymizer)
    listed = inspector.figures["costliest"]
    lines = listed["share"] + listed["record"]
    assert any(line["size"] < 5 for line in lines)
    assert all((line["publishes"] is None) == (line["size"] < 5) for line in lines)


def test_rare_ends_of_a_column_are_not_in_the_state():
    rng = np.random.RandomState(0)
    table = pd.DataFrame({"age": [*rng.randint(7020, 7026, 60), 7013, 7031]})
    released = table.assign(age="*")
    saved = saved_of(MetricInspector(original=table, released=released, k=5))
    assert "7013" not in saved
    assert "7031" not in saved
    assert "from " in saved
    assert "up to " in saved


def test_the_text_of_an_error_is_sent_and_not_saved(monkeypatch):
    sent = []

    def broken(release):
        raise ColumnError("the release has 'Rom' at row 7")

    monkeypatch.setattr(_aggregates, "losses", broken)
    monkeypatch.setattr(
        MetricInspector,
        "send",
        lambda self, content, buffers=None: sent.append(content),
    )
    inspector = MetricInspector(fitted())
    saved = saved_of(inspector)
    assert "Rom" not in saved
    assert "It cannot be measured (ColumnError)" in saved
    assert sent == [{"error": "the release has 'Rom' at row 7"}]


def test_an_error_that_may_be_saved_is_told_once(monkeypatch):
    sent = []

    def broken(release):
        raise ParameterError("k is 9, but there are 4 records.")

    monkeypatch.setattr(_aggregates, "losses", broken)
    inspector = MetricInspector(fitted())
    inspector.send = sent.append
    inspector.wait()
    inspector._tell(0, "losses", lambda at: broken(None))
    assert inspector.figures["losses"] == {"why": "k is 9, but there are 4 records."}
    assert sent == []


@pytest.mark.parametrize("function", ["l_diversity", "linkage_attack"])
def test_the_text_of_a_single_figures_error_is_not_saved(monkeypatch, function):
    def broken(*given, **options):
        raise TypeError("'secret-7' cannot be compared")

    monkeypatch.setattr(_aggregates, function, broken)
    saved = saved_of(MetricInspector(fitted()))
    assert "secret-7" not in saved
    assert "It cannot be measured (TypeError)" in saved


def test_errors_that_name_no_value_speak_for_themselves():
    for kind in (ParameterError, InfeasibleError):
        assert reason(kind("k is 9, but there are 4 records.")).startswith("k is 9")
