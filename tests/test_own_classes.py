"""One's own algorithm, loss, constraint and hierarchy work like those of skanon.

Each is one class; nothing else names it. They live in a process of their own, so that
no other test meets them.
"""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from skanon.clustering import ALGORITHMS
from skanon.constraints._base import CONSTRAINTS
from skanon.hierarchies._base import HIERARCHIES
from skanon.losses._named import LOSSES

DOCS = Path(__file__).parents[1] / "docs"

OWN = """
import numpy as np, pandas as pd
from skanon import KAnonymizer, k_anonymity
from skanon.clustering import ClusteringAnonymizer
from skanon.constraints import Constraint
from skanon.constraints._offer import Offer
from skanon.hierarchies import Suppression
from skanon.losses import LM
from skanon.losses._base import Measure

class InOrderAnonymizer(ClusteringAnonymizer):
    word, title, summary = "in_order", "In order", "Takes records as they come."

    def _cluster(self, problem):
        n = len(problem.codes)
        return np.minimum(np.arange(n) // problem.k, n // problem.k - 1)

class Half(LM):
    word, summary = "half", "Half of LM"
    measures = (Measure("half_metric", "half metric", "half a share"),)

    def blend(self, bound):
        return super().blend(bound) / 2

class AtLeastTwo(Constraint):
    in_policy = ("least",)
    offers = (Offer("two", "at least two", "Two values each.", "least", 2, whole=True),)

    def __init__(self, least=2, *, column=None):
        super().__init__(column)
        self.least = least

    def holds(self, counts, attribute):
        return (counts > 0).sum(axis=1) >= self.least

class AllOrNothing(Suppression):
    word = "all_or_nothing"

people = pd.DataFrame({
    "age": [20, 21, 22, 30, 31, 40, 41], "town": list("aabbccc"), "ill": list("xyxyxyx")
})
anonymizer = KAnonymizer(
    2, algorithm="in_order", loss="half", constraints=[AtLeastTwo(2)], sensitive="ill",
    hierarchies={"town": "all_or_nothing"}, random_state=0,
).fit(people)
release = anonymizer.transform(people)
"""


def run(code):
    whole = OWN + textwrap.dedent(code)
    command = [sys.executable, "-W", "error", "-c", whole]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_in_a_fit_and_its_report():
    run("""
    assert k_anonymity(release, ["age", "town"]) == 2
    assert release["age"].tolist()[:4] == ["[20, 21]"] * 2 + ["[22, 30]"] * 2
    report = anonymizer.report()
    contents = report.to_dict()
    assert contents["losses"]["objective"]["loss"] == "Half()"
    own, losses = anonymizer.information_loss_, contents["losses"]
    assert own > 0 and abs(losses["loss_metric"] - 2 * own) < 1e-12
    assert losses["objective"]["value"] == own and "half_metric" in losses
    lm = KAnonymizer(2, algorithm="in_order", sensitive="ill").fit(people).report()
    for text in (lm.to_markdown(), lm.to_html()):
        assert "half metric" in text and "half a share" in text
    """)


def test_in_the_studio_and_its_policy():
    pytest.importorskip("anywidget")
    run("""
    from skanon_widgets._studio.policy import anonymizer_of, policy_of
    from skanon_widgets._studio.state import offers
    from skanon_widgets._studio.steps import constraint_from, kind_of, possible_levels
    from skanon_widgets._studio.words import expected

    offered = offers()
    assert offered["algorithms"]["in_order"] == "In order"
    assert offered["losses"]["half"] == "Half of LM"
    assert offered["constraints"]["two"]["words"] == "Two values each."
    assert constraint_from("two", 2.0, "ill") == AtLeastTwo(2, column="ill")
    assert kind_of(AtLeastTwo(3)) == "two"
    assert "two" not in possible_levels(people, "ill")
    seconds = KAnonymizer(algorithm="in_order")._expected_seconds(100, 2)
    assert expected(seconds) == "How long it takes is not known."

    policy = policy_of(anonymizer, people)
    again = anonymizer_of(policy, people)
    assert again.constraints == [AtLeastTwo(2)] and again.loss == "half"
    assert again.fit(people).transform(people).equals(release)
    """)


def test_what_a_policy_may_not_hold():
    pytest.importorskip("anywidget")
    run("""
    from skanon.exceptions import ParameterError
    from skanon_widgets._studio.policy import policy_of

    class Rare(AtLeastTwo):
        in_policy = ()

    anonymizer.set_params(constraints=[Rare(2)])
    try:
        policy_of(anonymizer, people)
    except ParameterError as error:
        assert "Rare.in_policy" in str(error)
    else:
        raise AssertionError
    """)


def test_of_two_with_one_word_the_last_holds():
    run("""
    first = InOrderAnonymizer
    class InOrderAnonymizer(ClusteringAnonymizer):
        word, title = "in_order", "Again"
        def _cluster(self, problem):
            return np.zeros(len(problem.codes), dtype=int)
    assert KAnonymizer(2, algorithm="in_order").fit(people).n_classes_ == 1
    """)


@pytest.mark.parametrize("page", ["concepts", "losses", "constraints", "hierarchies"])
def test_the_tables_of_the_pages_list_all(page):
    text = (DOCS / f"{page}.md").read_text("utf-8")
    classes = {
        "concepts": ALGORITHMS,
        "losses": LOSSES,
        "constraints": CONSTRAINTS,
        "hierarchies": HIERARCHIES,
    }[page]
    for kind in classes.values():
        if kind.__module__.startswith("skanon."):
            assert f"| `{kind.__name__}" in text
    if page in ("concepts", "losses"):
        for word, kind in classes.items():
            if kind.__module__.startswith("skanon."):
                assert f'| `{kind.__name__}` | `"{word}"` |' in text
