"""Reports on releases whose records are generalized one by one."""

import json

import numpy as np
import pandas as pd
import pytest
from consistent import CLASSES, safe

from skanon.metrics import make_release_scorer
from skanon.privacy.attacks import linkage_attack


def table(n=60):
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "town": rng.choice(["Bern", "Bonn", "Kiel"], n),
            "illness": rng.choice(["flu", "cold"], n),
        }
    )


SAID = {
    "one_k": "the release is (1, {k})-anonymous. By itself this is not safe",
    "k_one": "the release is ({k}, 1)-anonymous. By itself this is not safe",
    "kk": "the release is ({k}, {k})-anonymous. Somebody who knows exactly",
    "global_one_k": "the release is globally (1, {k})-anonymous.",
}


@pytest.mark.parametrize("anonymizer", CLASSES)
def test_what_is_told(anonymizer):
    frame = table()
    fitted = safe(CLASSES[anonymizer](4, sensitive="illness")).fit(frame)
    report = fitted.report()
    told = json.loads(report.to_json())
    linked = fitted._linked()
    risk = told["risk"]
    model = risk["model"]
    assert model == fitted._model and risk["asked_k"] == 4
    people, records = fitted.n_consistent_originals_, fitted.n_consistent_releases_
    reached = {
        "one_k": records.min(),
        "k_one": people.min(),
        "kk": min(records.min(), people.min()),
        "global_one_k": linked.min(),
    }
    assert risk["achieved_k"] == reached[model]
    assert risk["highest"] == pytest.approx(1 / linked.min())
    assert risk["average"] == pytest.approx(np.mean(1 / linked))
    for above in risk["records_above"]:
        assert above["records"] == sum(1 / linked > above["risk"])
    assert told["table"]["suppressed"] == 0
    assert told["metrics"]["discernibility_metric"] is None
    (sensitive,) = told["sensitive"]
    assert sensitive["levels"] is None and sensitive["classification_metric"] is None
    gaps = {gap["what"] for gap in told["not_measured"]}
    assert {"discernibility_metric", "levels", "classification_metric"} <= gaps
    release = fitted.transform(frame)
    found = linkage_attack(frame, release, ["age", "town"], "illness")
    share = sensitive["linkage"]["homogeneous_share"]
    assert share == found.homogeneous_share
    text = report.to_markdown()
    assert SAID[model].format(k=risk["achieved_k"]) in text
    assert "Released records that read the same" in text
    assert "Equivalence classes" not in text and "k-anonymity" not in text
    assert "of the people all consistent records have the same “illness”" in text
    assert report.to_html()


def test_scorers():
    frame = table()
    fitted = CLASSES["KKAnonymizer"](4, sensitive="illness").fit(frame)
    risks = 1 / fitted.n_consistent_releases_
    assert make_release_scorer("highest_risk")(fitted) == -risks.max()
    assert make_release_scorer("average_risk")(fitted) == pytest.approx(-risks.mean())
    assert make_release_scorer("suppressed")(fitted) == 0
    assert make_release_scorer("lm")(fitted) == pytest.approx(-fitted.information_loss_)
