"""A report says what the metrics say when each is asked by itself."""

import collections
import json
import math
import pickle
import statistics
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from report_tables import HIERARCHIES, fitted, forms, illnesses, people
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline

from skanon import KAnonymizer, MondrianAnonymizer, SequentialAnonymizer, metrics
from skanon.exceptions import ColumnError, ParameterError, PrivacyWarning
from skanon.losses import LM, MI
from skanon.privacy import k_anonymity
from skanon.report import Report, _measure

COLUMN_LOSSES = [
    "loss_metric",
    "tree_measure",
    "byun_information_loss",
    "normalized_certainty_penalty",
    "global_certainty_penalty",
    "entropy_loss",
    "mutual_information_loss",
]
OTHERS = [
    "ambiguity_metric",
    "discernibility_metric",
    "average_class_size",
    "kl_divergence",
    "distribution_distance",
    "correlation_difference",
]
CASES = {
    "plain": {},
    "suppressed": {"k": 8, "max_suppression": 0.2},
    "bits": {"loss": 0.5 * MI() + LM(weights={"age": 3})},
    "sensitive": {"loss": "pmi", "algorithm": "sequential"},
    "defaults": {"hierarchies": None},
    "representative": {"encode": "representative"},
    "bounds": {"encode": "bounds"},
    "sequential": {"algorithm": SequentialAnonymizer(n_init=2)},
}


def contents(anonymizer, **options):
    return anonymizer.report(**options).to_dict()


@pytest.fixture(params=CASES, scope="module")
def case(request):
    anonymizer = fitted(y=illnesses(), **CASES[request.param])
    return anonymizer, contents(anonymizer)


# ------------------------------------------------- the metrics, asked by themselves


@pytest.mark.parametrize("name", COLUMN_LOSSES)
def test_losses(case, name):
    anonymizer, told = case
    metric = getattr(metrics, name)
    assert told["losses"][name] == metric(people(), anonymizer)
    by_column = metric(people(), anonymizer, average=None)
    assert [x["losses"][name] for x in told["columns"]] == by_column.tolist()


def test_objective(case):
    anonymizer, told = case
    objective = told["losses"]["objective"]
    assert objective["value"] == anonymizer.information_loss_
    measured = metrics.information_loss(
        people(), anonymizer, loss=anonymizer.loss, sensitive=illnesses()
    )
    assert objective["value"] == pytest.approx(measured, abs=1e-12)
    ours = {x["name"]: x["losses"]["objective"] for x in told["columns"]}
    assert ours == anonymizer.column_losses_


@pytest.mark.parametrize("name", OTHERS)
def test_other_metrics(case, name):
    anonymizer, told = case
    metric = getattr(metrics, name)
    assert told["metrics"][name] == metric(people(), anonymizer)


def test_further_forms_of_metrics(case):
    anonymizer, told = case
    average = metrics.average_class_size(people(), anonymizer, k=anonymizer.k)
    assert told["metrics"]["average_class_size_over_k"] == average
    assert told["metrics"]["kl_divergence_error"] == 0
    distances = metrics.distribution_distance(people(), anonymizer, average=None)
    ours = [x["distribution_distance"] for x in told["columns"]]
    assert ours == distances.tolist()


def check_sensitive(part, anonymizer, y, X=None):
    X = people() if X is None else X
    for name in (
        "classification_metric",
        "class_entropy_diversity",
        "private_mutual_information_loss",
    ):
        assert part[name] == getattr(metrics, name)(X, anonymizer, sensitive=y)
    score = metrics.private_mutual_information_score
    for norm, value in part["private_mutual_information_scores"].items():
        assert value == score(X, anonymizer, sensitive=y, norm=norm)
    loss = metrics.private_mutual_information_loss(
        X, anonymizer, sensitive=y, average=None
    )
    told = score(X, anonymizer, sensitive=y, average=None)
    assert part["columns"] == [
        {
            "name": name,
            "private_mutual_information_loss": loss[name],
            "private_mutual_information_score": told[name],
        }
        for name in anonymizer._roles.quasi_identifiers
    ]


def test_sensitive_attribute(case):
    anonymizer, told = case
    (part,) = told["sensitive"]
    assert (part["name"], part["values"]) == ("y", 3)
    assert set(part["private_mutual_information_scores"]) == {"l1", "l2", "max"}
    check_sensitive(part, anonymizer, illnesses())


# -------------------------------------- what the published text says, counted by hand


def rows_of(anonymizer, X):
    """Read the release as text, row by row; None where a row is suppressed."""
    texts = anonymizer.generalizations_.astype(object)
    texts = texts.where(texts.notna(), "missing").to_numpy().tolist()
    return [tuple(texts[at]) if at >= 0 else None for at in anonymizer.labels_]


def test_classes_and_risk(case):
    anonymizer, told = case
    rows = rows_of(anonymizer, people())
    sizes = collections.Counter(row for row in rows if row is not None)
    listed = sorted(sizes.values())
    assert told["classes"] == {
        "number": len(listed),
        "smallest": listed[0],
        "largest": listed[-1],
        "mean": pytest.approx(statistics.mean(listed)),
        "median": statistics.median(listed),
        "sizes": [
            {"size": size, "classes": classes}
            for size, classes in sorted(collections.Counter(listed).items())
        ],
    }
    published = [row for row in rows if row is not None]
    hidden = rows.count(None)  # who hide among themselves
    linked = [sizes[row] for row in published] + [hidden] * hidden
    above = {
        risk: sum(1 / size > risk for size in linked) for risk in (0.5, 0.2, 0.1, 0.05)
    }
    assert told["risk"] == {
        "model": "k",
        "asked_k": anonymizer.k,
        "achieved_k": listed[0],
        "highest": 1 / min(linked),
        "average": pytest.approx(statistics.mean(1 / size for size in linked)),
        "records_above": [
            {"risk": risk, "records": count, "share": count / 60}
            for risk, count in above.items()
        ],
        "share_suppressed": rows.count(None) / 60,
    }
    assert told["table"] == {
        "records": 60,
        "released": len(published),
        "suppressed": rows.count(None),
        "suppressed_are": "keep",
        "reads_as_suppressed": rows.count(None),
        "quasi_identifiers": ["age", "town", "sex", "job", "pay"],
        "sensitive": ["y"],
        "unchanged": [],
        "unchanged_alone": 0,
        "unchanged_together": 0,
        "dropped": [],
    }


def test_some_records_were_suppressed():
    table = contents(fitted(**CASES["suppressed"]))["table"]
    assert 0 < table["suppressed"] <= 12


def test_achieved_k_may_be_more_than_asked_for():
    X = pd.DataFrame({"a": [1] * 7 + [2] * 9})
    told = contents(fitted(3, X=X))
    assert told["risk"]["asked_k"] == 3
    assert told["risk"]["achieved_k"] == 7
    assert told["metrics"]["average_class_size_over_k"] == 8 / 3


def test_risk_thresholds_are_strict():
    X = pd.DataFrame({"a": [2] * 2 + [5] * 5 + [10] * 10 + [20] * 20 + [6] * 6})
    above = contents(fitted(2, X=X))["risk"]["records_above"]
    assert [x["records"] for x in above] == [0, 2, 13, 23]


def test_columns_are_described(case):
    anonymizer, told = case
    X, classes = people(), anonymizer.generalizations_
    for column in told["columns"]:
        values = X[column["name"]]
        assert column["values"] == values.nunique(dropna=False)
        texts = set(classes[column["name"]].astype(object).fillna("missing"))
        texts |= {"*"} if anonymizer.suppressed_.any() else set()
        if values.dtype.kind in "if":  # the whole range is written in two ways
            whole = f"[{values.min()}, {values.max()}]"
            texts = {"*" if text == whole else text for text in texts}
        assert column["published"] == len(texts)


def test_values_that_a_hierarchy_has_but_the_column_has_not_are_not_counted():
    X = people()[lambda table: table["town"] != "Ulm"]
    told = contents(fitted(X=X, hierarchies=HIERARCHIES))
    town = next(x for x in told["columns"] if x["name"] == "town")
    assert (town["values"], town["hierarchy"]) == (3, "Taxonomy(4 values, height 2)")


def test_classes_of_one_sensitive_value():
    X = pd.DataFrame({"a": [1, 1, 1, 2, 2, 3, 3, 9]})
    y = ["flu", "flu", "flu", "cold", "flu", "cold", "cold", "flu"]
    given = {"suppressed": "drop", "hierarchies": {"a": "suppression"}}
    anonymizer = fitted(2, y, X, max_suppression=0.2, **given)
    told = contents(anonymizer)
    anonymizer.set_params(suppressed="keep")  # transform gives all rows, to be checked
    assert told["table"]["suppressed"] == 1
    (part,) = told["sensitive"]
    assert part["classes_of_one_value"] == 2  # of 1 and 3, but not of 2
    assert part["records_in_them"] == 5
    check_sensitive(part, anonymizer, y, X)


# ---------------------------------------------------------------- sensitive attributes


def test_no_sensitive_attribute():
    report = fitted().report()
    assert report.to_dict()["sensitive"] == report.to_dict()["table"]["sensitive"] == []
    assert "No sensitive attribute was given" in report.to_markdown()


def test_several_sensitive_attributes():
    X = people().assign(illness=illnesses(seed=3), wage=np.arange(60) % 7)
    anonymizer = KAnonymizer(
        3,
        algorithm="mondrian",
        hierarchies=HIERARCHIES,
        sensitive=["illness", "wage"],
        random_state=0,
    ).fit(X, illnesses())
    told = contents(anonymizer)
    assert told["table"]["sensitive"] == ["illness", "wage", "y"]
    for part, y in zip(
        told["sensitive"], [X["illness"], X["wage"], illnesses()], strict=True
    ):
        check_sensitive(part, anonymizer, y, X)
    assert told["table"]["unchanged"] == []


def test_y_stands_in_for_what_was_fitted():
    anonymizer = fitted(y=illnesses())
    other = illnesses(seed=5)
    (part,) = contents(anonymizer, sensitive=other)["sensitive"]
    check_sensitive(part, anonymizer, other)
    assert part != contents(anonymizer)["sensitive"][0]
    assert contents(fitted(), sensitive=other)["sensitive"] == [part]
    two = pd.DataFrame({"b": other, "a": illnesses()}, index=range(100, 160))
    parts = contents(anonymizer, sensitive=two)["sensitive"]
    assert [x["name"] for x in parts] == ["b", "a"]
    assert parts[0] | {"name": "sensitive"} == part
    assert contents(anonymizer, sensitive=two.to_numpy())["sensitive"][1] == parts[
        1
    ] | {"name": "sensitive_1"}


@pytest.mark.parametrize(
    "y", [[1, 2], np.zeros((61,)), 5, "y", np.zeros((60, 2, 2)), pd.DataFrame()]
)
def test_values_of_another_shape(y):
    with pytest.raises(ColumnError, match="sensitive "):
        fitted().report(y)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
@pytest.mark.parametrize("as_list", [True, False])
def test_missing_sensitive_values(missing, as_list):
    y = illnesses()
    y[[3, 5]] = missing
    reports = [fitted().report(y.tolist() if as_list else y)]
    if not as_list:
        reports.append(fitted(y=y).report())
    for name, report in zip(["sensitive", "y"], reports, strict=False):
        told = report.to_dict()
        assert told["not_measured"] == [
            {
                "part": "sensitive",
                "of": name,
                "what": "everything",
                "why": "2 of 60 sensitive values are missing.",
            }
        ]
        (part,) = told["sensitive"]
        assert part.pop("name") == name
        assert set(part.values()) == {None}
        for form in ("html", "markdown"):
            assert "2 of 60 sensitive values are missing." in forms(report)[form]


def test_one_of_two_sensitive_attributes_cannot_be_measured():
    y = pd.DataFrame({"wage": np.arange(60.0), "lists": [[at] for at in range(60)]})
    told = contents(fitted(), sensitive=y)
    assert [x["values"] for x in told["sensitive"]] == [60, None]
    (gap,) = [gap for gap in told["not_measured"] if gap["of"] == "lists"]
    assert gap["of"] == "lists"
    assert "compared" in gap["why"]


def test_too_many_sensitive_values():
    X = pd.DataFrame({"a": np.arange(1001) % 3})
    anonymizer = fitted(2, X=X)
    y = np.arange(1001)
    told = contents(anonymizer, sensitive=y)
    assert told["sensitive"][0]["values"] == 1001
    assert told["sensitive"][0]["classification_metric"] is None
    assert [x["why"] for x in told["not_measured"][1:]] == [
        "It has more than 1,000 different values."
    ]
    y[0] = 1
    (part,) = contents(anonymizer, sensitive=y)["sensitive"]
    check_sensitive(part, anonymizer, y, X)


# ---------------------------------------------------------------------- odd releases


def test_single_column_has_no_correlation():
    told = contents(fitted(X=people()[["age"]]))
    assert told["metrics"]["correlation_difference"] is None
    (gap,) = told["not_measured"]
    assert (gap["part"], gap["what"]) == ("metrics", "correlation_difference")
    assert len(told["columns"]) == 1


def test_k_of_1():
    with pytest.warns(PrivacyWarning):
        anonymizer = fitted(1)
    report = anonymizer.report()
    told = report.to_dict()
    assert told["risk"]["achieved_k"] == told["risk"]["highest"] == 1
    assert told["losses"]["objective"]["value"] == 0
    assert "hides nobody" in report.to_html()
    assert "hides nobody" in report.to_markdown()


def test_class_that_reads_as_suppressed():
    X = pd.DataFrame({"a": [1, 2, 3], "b": list("xyz")})
    anonymizer = fitted(3, list("pqr"), X, hierarchies={"a": "suppression"})
    report = anonymizer.report()
    told = report.to_dict()
    assert told["table"]["suppressed"] == 0
    assert told["table"]["reads_as_suppressed"] == 3
    assert told["classes"]["number"] == 1
    assert told["risk"]["achieved_k"] == 3
    assert told["metrics"]["discernibility_metric"] == 9
    assert "that read as suppressed" in report.to_markdown()
    assert "that read as suppressed" not in fitted().report().to_markdown()


def test_achieved_k_is_read_in_the_text_where_a_class_reads_as_suppressed():
    X = pd.DataFrame({"a": list("pqrrr"), "b": list("xyzzz")})
    told = contents(fitted(2, X=X))
    assert [x["size"] for x in told["classes"]["sizes"]] == [2, 3]
    assert told["risk"]["achieved_k"] == 3
    assert told["risk"]["highest"] == 1 / 2
    assert told["table"]["reads_as_suppressed"] == 2


class _Suppressing(MondrianAnonymizer):
    def _clusters(self, schema, codes, sensitive, bound_constraints):
        return np.full(len(codes), -1)


def test_all_records_suppressed():
    anonymizer = _Suppressing(2, max_suppression=1.0).fit(people(), illnesses())
    report = anonymizer.report()
    told = report.to_dict()
    assert told["table"]["suppressed"] == 60
    assert told["risk"]["highest"] == told["risk"]["average"] == pytest.approx(1 / 60)
    assert told["risk"]["share_suppressed"] == 1
    assert told["classes"] == {
        "number": 0,
        "smallest": None,
        "largest": None,
        "mean": None,
        "median": None,
        "sizes": [],
    }
    assert [x["what"] for x in told["not_measured"]] == [
        "smallest",
        "largest",
        "mean",
        "median",
    ]
    assert told["losses"]["loss_metric"] == 1
    (part,) = told["sensitive"]
    check_sensitive(part, anonymizer, illnesses())
    assert part["classes_of_one_value"] == part["records_in_them"] == 0
    for text in forms(report).values():
        assert "Traceback" not in text
    assert "All 60 records are suppressed" in report.to_html()
    assert repr(report) == ("Report(_Suppressing, 60 records, 0 classes, LM() = 1)")


def test_infinite_ambiguity():
    X = pd.DataFrame({f"c{at}": np.arange(10) for at in range(320)})
    report = fitted(10, X=X).report()
    told = report.to_dict()
    assert told["metrics"]["ambiguity_metric"] is None
    (gap,) = told["not_measured"]
    assert gap["what"] == "ambiguity_metric"
    assert "range of floating-point numbers" in gap["why"]
    assert json.loads(report.to_json()) == told


def test_divergence_is_estimated_where_it_takes_long(monkeypatch):
    anonymizer = fitted()
    monkeypatch.setattr(_measure, "MOST_PAIRS", 10)
    report = anonymizer.report()
    told = report.to_dict()["metrics"]
    estimate = metrics.kl_divergence(
        people(), anonymizer, max_pairs=10, random_state=0, return_error=True
    )
    assert (told["kl_divergence"], told["kl_divergence_error"]) == estimate
    assert estimate.error > 0
    assert anonymizer.report().to_dict() == report.to_dict()
    assert "standard error" in report.to_markdown()


def test_divergence_is_left_out_where_it_takes_too_long(monkeypatch):
    anonymizer = fitted(**CASES["suppressed"])
    boxes = len(set(rows_of(anonymizer, people())))  # suppressed rows are one of them
    monkeypatch.setattr(_measure, "MOST_CLASSES", boxes)
    assert contents(anonymizer)["not_measured"] == []
    monkeypatch.setattr(_measure, "MOST_CLASSES", boxes - 1)
    told = contents(anonymizer)
    assert told["metrics"]["kl_divergence"] is None
    assert told["metrics"]["kl_divergence_error"] is None
    (gap,) = told["not_measured"]
    assert gap["what"] == "kl_divergence"
    assert "skanon.metrics.kl_divergence" in gap["why"]


# ------------------------------------------------------------- ways to be fitted


def test_arrays_without_names():
    X = people()[["age", "pay"]].to_numpy()
    anonymizer = KAnonymizer(3, algorithm="mondrian").fit(X, illnesses())
    told = contents(anonymizer)
    assert told["table"]["quasi_identifiers"] == [0, 1]
    assert [x["name"] for x in told["columns"]] == [0, 1]
    assert told["losses"]["loss_metric"] == metrics.loss_metric(X, anonymizer)


def test_polars():
    polars = pytest.importorskip("polars")
    X, y = people(), illnesses()
    plain = fitted(y=y).report().to_dict()
    anonymizer = fitted(
        X=polars.from_pandas(X), y=polars.Series(y.tolist()), hierarchies=HIERARCHIES
    )
    assert contents(anonymizer) == plain
    (named,) = contents(fitted(), sensitive=polars.Series(y.tolist()))["sensitive"]
    assert named == plain["sensitive"][0] | {"name": "sensitive"}
    (part,) = contents(fitted(), sensitive=polars.DataFrame({"ill": y.tolist()}))[
        "sensitive"
    ]
    assert part == plain["sensitive"][0] | {"name": "ill"}


def test_step_of_a_pipeline():
    X = people()[["age", "pay"]].astype(float)
    X.iloc[3, 0] = None
    pipeline = Pipeline(
        [("fill", SimpleImputer()), ("hide", KAnonymizer(4, algorithm="mondrian"))]
    ).fit(X, illnesses())
    filled = SimpleImputer().fit_transform(X)
    step = pipeline.named_steps["hide"]
    told = contents(step)
    assert told["table"]["records"] == 60
    check_rows = metrics.discernibility_metric(filled, step)
    assert told["metrics"]["discernibility_metric"] == check_rows
    assert [x["name"] for x in told["sensitive"]] == ["y"]


def test_rows_and_index_of_the_fit_do_not_matter():
    X = people().set_index(pd.Index([*"ab"] * 30))
    assert contents(fitted(X=X, hierarchies=HIERARCHIES)) == contents(fitted())


def test_roles_of_columns():
    X = people().assign(name=[f"n{at}" for at in range(60)])
    told = contents(
        fitted(
            X=X,
            quasi_identifiers=["age", "sex"],
            sensitive="job",
            identifiers="name",
        )
    )
    assert told["table"]["quasi_identifiers"] == ["age", "sex"]
    assert told["table"]["sensitive"] == ["job"]
    assert told["table"]["unchanged"] == ["town", "pay"]
    assert told["table"]["dropped"] == ["name"]
    anonymizer = fitted(X=X, quasi_identifiers=["age"], sensitive="job")
    release = anonymizer.transform(X)
    others = ["town", "sex", "pay", "name"]
    alone = [
        (release.groupby(known, dropna=False, observed=True)["job"].size() == 1).sum()
        for known in (others, ["age", *others])
    ]
    told = contents(anonymizer)["table"]
    assert [told["unchanged_alone"], told["unchanged_together"]] == alone
    text = anonymizer.report()
    assert (
        f"{alone[0]} records can be found by them alone, {alone[1]} by them and the "
        "generalized columns" in text.to_markdown()
    )
    assert "pass through unchanged" not in fitted().report().to_markdown()


def test_published_text_decides_on_k():
    anonymizer = fitted(5)
    told = contents(anonymizer)["risk"]["achieved_k"]
    assert told == k_anonymity(anonymizer.transform(people()))


# ----------------------------------------------------------------- when it cannot be


def test_not_fitted():
    with pytest.raises(NotFittedError):
        KAnonymizer().report()


def test_forgetful():
    with pytest.raises(ParameterError, match="forgotten the records"):
        fitted().forget().report()


def test_report_leaves_the_anonymizer_as_it_is():
    anonymizer = fitted(y=illnesses())
    before = pickle.dumps(anonymizer)
    first = anonymizer.report()
    assert pickle.dumps(anonymizer) == before
    given = first.to_dict()
    given["table"]["records"] = 0
    given["classes"]["sizes"].clear()
    assert first.to_dict() == pickle.loads(before).report().to_dict()


def test_objects_are_their_own():
    report = fitted().report()
    assert isinstance(report, Report)
    assert Report(report.to_dict()).to_html() == report.to_html()
    assert pickle.loads(pickle.dumps(report)).to_dict() == report.to_dict()


def test_importing_skanon_imports_neither_kernels_nor_what_draws():
    code = (
        "import skanon, sys;"
        "heavy = ('numba', 'skanon.kernels', 'matplotlib', 'ipywidgets', 'IPython');"
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_numbers_are_finite(case):
    def walk(part):
        if isinstance(part, dict):
            assert all(type(key) is str for key in part)
            return [x for inner in part.values() for x in walk(inner)]
        if isinstance(part, list):
            return [x for inner in part for x in walk(inner)]
        assert type(part) in (str, int, float, bool, type(None)), part
        return [part]

    numbers = [x for x in walk(case[1]) if isinstance(x, float)]
    assert len(numbers) > 50
    assert all(map(math.isfinite, numbers))
