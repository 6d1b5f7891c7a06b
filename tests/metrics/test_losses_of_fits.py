"""What is measured of an anonymizer's release is what the anonymizer says of itself."""

import numpy as np
import pandas as pd
import pytest
from published_tables import KINDS, random_table

from skanon import KAnonymizer, MondrianAnonymizer, SequentialAnonymizer
from skanon.datasets import load_cmc
from skanon.hierarchies import Taxonomy
from skanon.losses import (
    LM,
    MI,
    NCP,
    PMI,
    ByunInformationLoss,
    ClassPenalty,
    Entropy,
)
from skanon.losses._named import LOSSES
from skanon.metrics import (
    byun_information_loss,
    entropy_loss,
    global_certainty_penalty,
    information_loss,
    loss_metric,
    mutual_information_loss,
    normalized_certainty_penalty,
    private_mutual_information_loss,
    tree_measure,
)

SUMS = [
    0.25 * MI() + 0.75 * PMI(),
    LM(weights={"number0": 3, "tree1": 0}) + 0.5 * Entropy(),
    ByunInformationLoss() + 0.5 * ClassPenalty(),
    2.0 * ClassPenalty() + NCP(weights={"subset2": 0.5}),
]
KIND_LISTS = [
    ["number", "tree", "subset", "flat"],
    ["number", "tree", "subset", "category_tree", "number_tree"],
    ["number", "tree", "subset", "constant", "date"],
    ["number", "tree", "subset", "category", "flat_number", "number_subset"],
]


def fitted(seed, loss, algorithm, **options):
    """Fit a random table with missing values; also give its sensitive values."""
    rng = np.random.RandomState(seed)
    kinds = KIND_LISTS[seed % len(KIND_LISTS)]
    _, frame, hierarchies = random_table(rng, kinds, 60)
    y = rng.choice(["a", "b", "c"], size=60)
    anonymizer = KAnonymizer(
        k=5,
        algorithm=algorithm,
        hierarchies=hierarchies,
        loss=loss,
        random_state=0,
        **options,
    )
    return frame, y, anonymizer.fit(frame, y)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("max_suppression", [0.0, 0.2])
@pytest.mark.parametrize("loss", [*LOSSES, *SUMS], ids=str)
def test_information_loss_is_what_the_fit_reports(loss, max_suppression, seed):
    algorithm = ("mondrian", "sequential")[seed % 2]
    frame, y, anonymizer = fitted(
        seed, loss, algorithm, max_suppression=max_suppression
    )
    found = information_loss(frame, anonymizer, sensitive=y, loss=loss)
    assert found == pytest.approx(anonymizer.information_loss_, abs=1e-12)
    each = information_loss(frame, anonymizer, sensitive=y, loss=loss, average=None)
    expected = pd.Series(anonymizer.column_losses_)
    pd.testing.assert_series_equal(each, expected, check_names=False, atol=1e-12)


def test_the_tables_of_fits_have_all_that_can_go_wrong():
    """Suppressed records, missing values, subsets, intervals and taxonomies."""
    suppressed, missing = 0, 0
    for seed in range(4):
        own = {"max_suppression": 0.2, "refine": 0}
        frame, _, anonymizer = fitted(seed, "ncp", "mondrian", **own)
        suppressed += anonymizer.suppressed_.sum()
        missing += frame.isna().to_numpy().sum()
    assert suppressed > 5
    assert missing > 5
    assert {kind for kinds in KIND_LISTS for kind in kinds} == set(KINDS)


METRICS = {
    "lm": loss_metric,
    "tree": tree_measure,
    "ncp": global_certainty_penalty,
    "entropy": entropy_loss,
    "mi": mutual_information_loss,
    "pmi": private_mutual_information_loss,
}


@pytest.mark.parametrize("max_suppression", [0.0, 0.1])
@pytest.mark.parametrize("name", LOSSES)
def test_metrics_of_a_real_table_are_what_the_fit_reports(name, max_suppression):
    women = load_cmc()
    X, y = women.data, women.target
    weights = {"wife_age": 3, "wife_religion": 0}
    anonymizer = MondrianAnonymizer(
        k=20,
        hierarchies=women.hierarchies,
        loss=LOSSES[name](weights=weights),
        max_suppression=max_suppression,
    ).fit(X, y)
    reported = pytest.approx(anonymizer.information_loss_, rel=1e-12)
    given = {"sensitive": y, "weights": weights}
    if name in METRICS:
        assert METRICS[name](X, anonymizer, **given) == reported
    if name == "byun":
        total = byun_information_loss(X, anonymizer, **given)
        assert total / len(X) / (X.shape[1] + 1) == reported
    if name == "ncp":
        total = normalized_certainty_penalty(X, anonymizer, **given)
        assert total / len(X) / (X.shape[1] + 1) == reported


def test_a_release_is_measured_as_its_anonymizer_is():
    frame, y, anonymizer = fitted(1, "pmi", "sequential", max_suppression=0.1)
    release = anonymizer.transform(frame)
    for loss in (*LOSSES, *SUMS):
        own = information_loss(frame, anonymizer, sensitive=y, loss=loss)
        given = {"hierarchies": anonymizer.hierarchies_}
        assert information_loss(frame, release, sensitive=y, loss=loss, **given) == own


def test_what_reads_as_suppressed_is_suppressed():
    """A class of k records that comes out as * in all columns, and a class penalty."""
    table = pd.DataFrame({"x": list("aabb")})
    loss, y = LM() + ClassPenalty(), list("0010")
    anonymizer = SequentialAnonymizer(k=4, loss=loss, random_state=0).fit(table, y)
    assert anonymizer.transform(table)["x"].tolist() == ["*"] * 4
    assert anonymizer.suppressed_.sum() == 0
    assert information_loss(table, anonymizer, sensitive=y, loss=loss) == 1 + 1
    tree = {"x": Taxonomy(["a", "b"], [["letter"] * 2, ["*"] * 2])}
    assert tree_measure(table, anonymizer, hierarchies=tree) == 1
    other = table.assign(y="c")
    release = table.assign(x="*", y="c")
    each = tree_measure(other, release, hierarchies=tree, average=None)
    assert each.tolist() == [1.0, 0.0]  # as * it costs what the root does
