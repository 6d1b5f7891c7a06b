"""The optimum under constraints, beside all partitions one after the other."""

import naive
import naive_constraints
import numpy as np
import pandas as pd
import pytest
from algorithms import ALGORITHMS
from naive_optimal import partitions
from random_tables import KINDS, MEASURES, random_pair

from skanon import KAnonymizer
from skanon.clustering import OptimalAnonymizer
from skanon.constraints import (
    AlphaKAnonymity,
    BetaLikeness,
    Constraint,
    LDiversity,
    PSensitivity,
    TCloseness,
)
from skanon.constraints._bound import bind_constraints

MADE = {
    "frequency": [LDiversity(1.5)],
    "distinct": [PSensitivity(2)],
    "close": [TCloseness(0.35)],
    "two": [AlphaKAnonymity(0.7), BetaLikeness(1.5)],
}


def pair_of(seed, measure):
    rng = np.random.RandomState(seed)
    kinds = list(rng.permutation(list(KINDS))[:2])
    pair = random_pair(rng, kinds, int(rng.randint(6, 8)), measure=measure)
    ill = ["flu", "cold", "gout"]
    sensitive = [*ill, *rng.choice(ill, size=len(pair.codes) - 3)]
    return pair, pd.DataFrame({"p": rng.permutation(sensitive).astype(object)})


def keeps(made, sensitive):
    values = sensitive["p"].tolist()

    def kept(members):
        cls = [values[i] for i in members]
        return all(
            naive_constraints.kept(bound_constraint, cls, values)
            for bound_constraint in made
        )

    return kept


def feasible(made, sensitive):
    return keeps(made, sensitive)(range(len(sensitive)))


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("measure", MEASURES)
def test_no_partition_that_keeps_the_promises_is_better(measure, name):
    made, checked, dearer = MADE[name], 0, 0
    for seed in range(3):
        pair, sensitive = pair_of(seed, measure)
        if not feasible(made, sensitive):
            continue
        checked += 1
        kept = keeps(made, sensitive)

        problem = pair.problem(2, bound_constraints=bind_constraints(made, sensitive))
        labels = OptimalAnonymizer(2)._cluster(problem)
        clusters = naive.clusters_of(labels.tolist())
        assert min(map(len, clusters)) >= 2 and all(map(kept, clusters))
        every = [found for found, _ in partitions(list(range(len(sensitive))), 2, 0)]
        able = [found for found in every if all(map(kept, found))]
        least = min(map(pair.table.summed, able))
        free = min(map(pair.table.summed, every))
        assert pair.table.summed(clusters) == pytest.approx(least, abs=1e-9)
        dearer += least > free + 1e-9
    assert checked
    assert dearer or measure == "penalty"  # or constraints would not matter


@pytest.mark.parametrize("suppressed", ["keep", "drop"])
def test_nor_any_with_suppressed_records(suppressed):
    for seed in range(4):
        pair, sensitive = pair_of(seed, "ncp")
        made = MADE["close"]
        kept = keeps(made, sensitive)

        def may_hide(rows, kept=kept):
            return suppressed == "drop" or not rows or (len(rows) > 1 and kept(rows))

        problem = pair.problem(2, bound_constraints=bind_constraints(made, sensitive))
        labels = OptimalAnonymizer(
            2, max_suppression=0.5, suppressed=suppressed
        )._cluster(problem)
        clusters = naive.clusters_of([h for h in labels.tolist() if h >= 0])
        rows = np.flatnonzero(labels >= 0).tolist()
        clusters = [[rows[at] for at in members] for members in clusters]
        hidden = np.flatnonzero(labels < 0).tolist()
        budget = int(0.5 * len(sensitive))
        assert all(map(kept, clusters)) and len(hidden) <= budget
        assert may_hide(hidden)
        least = min(
            pair.table.summed(found) + sum(map(pair.table.suppressed, dropped))
            for found, dropped in partitions(list(range(len(sensitive))), 2, budget)
            if all(map(kept, found)) and may_hide(dropped)
        )
        found = pair.table.summed(clusters) + sum(map(pair.table.suppressed, hidden))
        assert found == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_no_algorithm_is_below_the_optimum(algorithm):
    for seed, measure in enumerate(["lm", "ncp", "mi", "entropy", "pmi"]):
        pair, sensitive = pair_of(seed, measure)
        for made in MADE.values():
            if not feasible(made, sensitive):
                continue
            losses = []
            for name in ("optimal", algorithm):
                for bound_constraint in made:
                    bound_constraint.column = "p"
                fitted = KAnonymizer(
                    2,
                    algorithm=name,
                    hierarchies=pair.hierarchies,
                    loss=pair.loss,
                    constraints=made,
                    random_state=seed,
                )
                fitted.fit(pair.frame, pair.y, sensitive=sensitive)
                losses.append(fitted.information_loss_)
                for bound_constraint in made:
                    bound_constraint.column = None
            assert losses[0] <= losses[1] + 1e-9


def test_clusters_of_2k_records_may_be_needed():
    """Without promises they could be cut in two, so that none is looked at."""
    frame = pd.DataFrame({"a": [1, 2, 3, 4, 5, 6, 50, 60, 70]})
    made = [PSensitivity(3)]
    fitted = OptimalAnonymizer(2, constraints=made).fit(frame, list("aaaabcabc"))
    assert fitted.class_sizes_.tolist() == [6, 3]


def test_a_promise_is_never_asked_about_no_records():
    class Half(Constraint):
        def holds(self, counts, attribute):
            return counts[:, 0] / counts.sum(axis=1) <= 0.5  # 0 / 0 would warn

    frame = pd.DataFrame({"a": range(6)})
    fitted = OptimalAnonymizer(2, constraints=[Half()]).fit(frame, list("ababba"))
    assert fitted.class_sizes_.tolist() == [2, 2, 2]
