"""The inspector's figures: what they are, where they come from, what they keep back."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("anywidget")


from inspected import HIERARCHIES, TOWNS, fitted, people, sent_by

from skanon._table.domain import Domain
from skanon.consistency import KKAnonymizer
from skanon.hierarchies import Intervals
from skanon.losses import LM, MI
from skanon.metrics import (
    distribution_distance,
    information_loss,
)
from skanon.privacy.attacks import linkage_attack
from skanon_widgets import MetricInspector
from skanon_widgets._metric_inspector import costs as _costs
from skanon_widgets._metric_inspector.bins import bars
from skanon_widgets._metric_inspector.words import percent


@pytest.fixture(scope="module")
def anonymizer():
    return fitted()


@pytest.fixture(scope="module")
def figures(anonymizer):
    return MetricInspector(anonymizer).figures


# ---------------------------------------------------------------------- the figures


def test_classes_and_risks_are_counted_in_the_release(anonymizer, figures):
    release = anonymizer.transform(people())
    quasi = ["age", "town", "job"]
    sizes = [len(x) for _, x in release.groupby(quasi, dropna=False, sort=False)]
    assert figures["achieved_k"] == min(sizes) >= figures["asked_k"] == 4
    classes, risk = figures["classes"], figures["risk"]
    assert (classes["number"], classes["largest"]) == (len(sizes), max(sizes))
    assert classes["median"] == np.median(sizes)
    assert sum(part["classes"] for part in classes["bins"]) == len(sizes)
    assert sum(part["records"] for part in classes["bins"]) == 60
    for part in classes["bins"]:
        ends = [int(x) for x in part["label"].split(" to ")]
        assert part["classes"] == sum(ends[0] <= x <= ends[-1] for x in sizes)
    assert risk["highest"] == 1 / min(sizes)
    assert risk["marketer"] == risk["average"] == pytest.approx(len(sizes) / 60)
    for part in risk["records_above"]:
        assert part["records"] == sum(x for x in sizes if 1 / x > part["risk"])


def test_levels_of_sensitive_values(anonymizer, figures):
    release = anonymizer.transform(people())
    quasi = ["age", "town", "job"]
    overall = release["ill"].value_counts(normalize=True)
    most, fewest, strays = [], [], []
    for _, part in release.groupby(quasi, dropna=False):
        shares = part["ill"].value_counts(normalize=True)
        most.append(shares.max())
        fewest.append(len(shares))
        strays.append(shares.sub(overall, fill_value=0).abs().sum() / 2)
    (found,) = figures["sensitive"]
    assert found["name"] == "ill"
    assert found["values"] == 3
    assert found["l_frequency"] == pytest.approx(1 / max(most))
    assert found["l_distinct"] == min(fewest)
    assert found["t"] == pytest.approx(max(strays))


def test_losses_are_the_anonymizers(anonymizer, figures):
    losses = figures["losses"]
    assert losses["value"] == anonymizer.information_loss_
    by_name = {column["name"]: column for column in losses["columns"]}
    assert {x: by_name[x]["loss"] for x in by_name} == anonymizer.column_losses_
    release = anonymizer.transform(people())
    moved = distribution_distance(
        people()[["age", "town", "job"]],
        release,
        hierarchies=anonymizer.hierarchies_,
        average=None,
    )
    for name, distance in moved.items():
        assert by_name[name]["distance"] == pytest.approx(distance)


def test_distributions_before_and_after(anonymizer, figures):
    table, release = people(), anonymizer.transform(people())
    by_name = {x["name"]: x for x in figures["distributions"]}
    for part in by_name.values():
        assert sum(part["before"]) == pytest.approx(1)
        assert sum(part["after"]) == pytest.approx(1)
        assert not any(0 < x * 60 < 3.999 for x in part["before"])
    town = by_name["town"]
    below = {"north": ["Kiel", "Lübeck"], "south": ["Ulm", "Bonn"]}
    for label, before, after in zip(*town_bars(town), strict=True):
        assert before == pytest.approx((table["town"] == label).mean())
        shares = {label: 1.0, "*": 0.25}
        shares |= {node: 0.5 for node in below if label in below[node]}
        spread = [shares.get(x, 0.0) for x in release["town"]]
        assert after == pytest.approx(np.mean(spread))


def town_bars(part):
    return part["labels"], part["before"], part["after"]


def test_the_costliest_classes_come_first(anonymizer, figures):
    release = anonymizer.transform(people())[["age", "town", "job"]]
    every = release.groupby(["age", "town", "job"], dropna=False).size()
    costliest = figures["costliest"]
    assert set(costliest) == {"share", "record"}
    for name, key in (("share", "share"), ("record", "loss")):
        listed = [line[key] for line in costliest[name]]
        assert listed == sorted(listed, reverse=True)
        assert len(listed) == min(_costs.COSTLIEST, len(every))
        for line in costliest[name]:
            assert every[tuple(line["publishes"])] == line["size"]
            whole = 60 * anonymizer.information_loss_
            assert line["share"] == pytest.approx(line["size"] * line["loss"] / whole)


def test_figures_are_strict_json(figures):
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures


def test_figures_are_a_copy(anonymizer):
    inspector = MetricInspector(anonymizer)
    inspector.figures["risk"]["highest"] = 0
    assert inspector.figures["risk"]["highest"] > 0


def test_attacks_are_told(figures):
    (found,) = figures["attacks"]
    assert found["fewest_records"] >= 4
    assert 0 <= found["homogeneous_share"] <= found["highest_share"] <= 1


# ----------------------------------------------------------- where releases come from


def test_tables_give_the_same_as_their_anonymizer(anonymizer, figures):
    table = people()
    found = MetricInspector(
        original=table,
        released=anonymizer.transform(table),
        sensitive="ill",
        hierarchies=HIERARCHIES,
        k=4,
    ).figures
    assert found.pop("made_by") is None
    expected = {k: v for k, v in figures.items() if k != "made_by"}
    assert list(found) == list(expected)
    for name in ("classes", "risk", "sensitive", "attacks", "distributions"):
        assert found[name] == expected[name], name
    assert found["losses"]["value"] == pytest.approx(expected["losses"]["value"])


def test_sensitive_values_by_themselves(anonymizer):
    table = people()
    quasi = ["age", "town", "job"]
    inspector = MetricInspector(
        original=table[quasi],
        released=anonymizer.transform(table)[quasi],
        sensitive=table["ill"],
        hierarchies=HIERARCHIES,
    )
    own = MetricInspector(anonymizer).figures["sensitive"]
    assert inspector.figures["sensitive"] == own
    assert inspector.figures["asked_k"] is None


@pytest.mark.parametrize("loss", ["ncp", 0.5 * LM() + MI(), "pmi"])
def test_another_loss(anonymizer, loss):
    table = people()
    found = MetricInspector(anonymizer, loss=loss).figures["losses"]
    quasi = ["age", "town", "job"]
    given = {
        "hierarchies": anonymizer.hierarchies_,
        "sensitive": table["ill"],
        "loss": loss,
    }
    expected = information_loss(
        table[quasi], anonymizer.transform(table)[quasi], **given
    )
    assert found["value"] == pytest.approx(expected)


def test_everything_is_suppressed():
    table = people(8)
    release = table.assign(age="*", town="*", job="*")
    figures = MetricInspector(original=table, released=release, sensitive="ill").figures
    assert figures["suppressed"] == 8
    assert figures["classes"]["number"] == 0
    assert figures["classes"]["bins"] == []
    assert figures["costliest"] == {"share": [], "record": []}
    assert figures["losses"]["value"] == 1


def test_some_records_are_suppressed():
    X = people(40)
    X.loc[0, ["age", "town"]] = [400, "Kiel"]
    anonymizer = fitted(X=X, max_suppression=0.1, hierarchies=None)
    inspector = MetricInspector(anonymizer)
    suppressed = int(anonymizer.suppressed_.sum())
    assert inspector.figures["suppressed"] == suppressed > 0
    assert "suppressed" in inspector.releases[0]["words"]["promise"]


def test_a_release_that_changed_nothing():
    table = people()
    figures = MetricInspector(original=table, released=table, sensitive="ill").figures
    assert figures["losses"]["value"] == 0
    assert all(line["share"] is None for line in figures["costliest"]["share"])
    json.dumps(figures, allow_nan=False)


# --------------------------------------------------- records generalized one by one


def test_records_that_are_in_no_classes():
    table = people().drop(columns="job")
    anonymizer = KKAnonymizer(5, sensitive="ill", hierarchies={"town": TOWNS})
    anonymizer.fit(table)
    quasi = ["age", "town"]
    release = anonymizer.transform(table)[quasi]
    inspector = MetricInspector(anonymizer)
    figures = inspector.figures
    known = linkage_attack(
        table[quasi], release, quasi, table["ill"], hierarchies={"town": TOWNS}
    ).people["records"]
    assert figures["one_by_one"]
    assert figures["risk"]["fewest"] == known.min() >= 5
    assert figures["risk"]["highest"] == 1 / known.min()
    assert figures["risk"]["average"] == pytest.approx((1 / known).mean())
    for part in figures["risk"]["records_above"]:
        assert part["records"] == (1 / known > part["risk"]).sum()
    said = inspector.releases[0]["words"]
    assert "one by one" in said["promise"]
    assert f"left with {known.min()} records" in said["promise"]
    (answer,) = sent_by(inspector, do="population", size=1000)
    assert "generalized one by one" in answer["error"]
    inspector.compute_lower_bound()
    assert "in equivalence classes of 5" in inspector.releases[0]["words"]["gap"]
    (sensitive,) = figures["sensitive"]
    assert sensitive["l_frequency"] is None
    (attack,) = figures["attacks"]
    if attack["homogeneous_share"]:
        assert percent(attack["homogeneous_share"]) in said["sensitive"][0]
    else:
        assert "always differ" in said["sensitive"][0]


def test_sensitive_values_in_words():
    table = pd.DataFrame({"age": [20] * 4 + [30] * 6, "ill": list("aabb") + ["a"] * 6})
    inspector = MetricInspector(original=table, released=table, sensitive="ill")
    inspector.wait()
    (said,) = inspector.releases[0]["words"]["sensitive"]
    assert said.endswith("This gives away 60\u00a0% of people.")
    kept = table[:4]
    inspector = MetricInspector(original=kept, released=kept, sensitive="ill")
    (said,) = inspector.releases[0]["words"]["sensitive"]
    assert "at least 2 values of “ill”" in said
    assert f"more than {percent(0.5)} of a class" in said


def test_bars_of_whole_numbers_that_no_float_holds():
    for dtype, first in (("int64", 2**60), ("int64", -(2**63)), ("uint64", 2**64 - 9)):
        numbers = np.array([first + x for x in (0, 1, 8)], dtype=dtype)
        bound = Intervals().bind(Domain.learn(pd.Series(numbers), "x")[0])
        found = bars(bound, 1)
        assert found.labels == [str(first + x) for x in range(9)]
        assert found.of_code.tolist() == [0, 1, 8]
