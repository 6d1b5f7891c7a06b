"""What the papers state about losses, on releases that the package makes."""

import naive
import numpy as np
import pandas as pd
import pytest
from random_tables import KINDS, MEASURES, random_pair, seeded

from skanon._release.suppression import suppress
from skanon.clustering import SequentialAnonymizer
from skanon.hierarchies import Suppression
from skanon.losses import LM, NCP


def random_clusters(rng, n, t):
    labels = rng.randint(t, size=n)
    labels[:t] = np.arange(t)
    return naive.clusters_of(labels.tolist())


def drawn_pair(seed, measure, n, n_columns):
    rng = seeded(seed, measure)
    kinds = list(rng.permutation(list(KINDS))[:n_columns])
    weights = [1.0, *rng.choice([0.0, 0.5, 2.0], size=n_columns - 1).tolist()]
    return rng, random_pair(rng, kinds, n, measure=measure, weights=weights)


def whole(table):
    """What the search leaves out: the records' costs where all values stay whole."""
    alone = [[i] for i in range(len(table.records))]
    return table.summed(alone) / len(alone)


def classes_of(table, clusters):
    """Unite clusters that publish the same; strays are counted class by class."""
    classes = {}
    for members in filter(None, clusters):
        classes.setdefault(table.closure(members), []).extend(members)
    return list(classes.values())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("measure", MEASURES)
def test_equation_19_sums_clusters_to_the_loss_of_the_release(seed, measure):
    rng, pair = drawn_pair(seed, measure, 30, 4)
    clusters = classes_of(pair.table, random_clusters(rng, 30, 7))
    by_clusters = sum(pair.table.gc(c) * len(c) for c in clusters) / 30
    loss = pair.table.loss(pair.table.release(clusters))
    assert loss == pytest.approx(by_clusters - whole(pair.table))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("measure", MEASURES)
def test_equation_22_is_the_change_of_the_loss(seed, measure):
    rng, pair = drawn_pair(seed, measure, 20, 3)
    clusters = classes_of(pair.table, random_clusters(rng, 20, 4))
    before = pair.table.loss(pair.table.release(clusters))
    for i in range(20):
        own = next(c for c in clusters if i in c)
        for other in clusters:
            if other is own:
                continue
            moved = [c for c in clusters if c is not own and c is not other]
            moved += [[m for m in own if m != i], [*other, i]]
            classes = classes_of(pair.table, moved)
            if pair.table.penalty and len(classes) < len([c for c in moved if c]):
                continue
            after = pair.table.loss(pair.table.release(moved))
            change = pair.table.change(i, own, other) / 20
            assert after - before == pytest.approx(change, abs=1e-12)


def test_equation_3_by_hand():
    """Two records share {a, b} of a, b, c; ages 1 and 3 of 1, 2, 3, 5."""
    frame = pd.DataFrame({"x": list("aabc"), "age": [1, 1, 3, 5]})
    oracle = [
        naive.subsets(list("abc")),
        naive.intervals([1, 3, 5], places={1: 1, 3: 3, 5: 5}),
    ]
    rows = list(frame.itertuples(index=False, name=None))
    table = naive.table_of(rows, oracle, naive.LM)
    release = table.release([[0, 2], [1], [3]])
    assert release[0] == (frozenset("ab"), frozenset([1, 3]))
    assert table.loss(release) == pytest.approx((2 * (1 / 2) + 2 * (1 / 2)) / (4 * 2))
    fitted = SequentialAnonymizer(k=4, hierarchies={"x": "subsets"}, random_state=0)
    assert fitted.fit(frame).information_loss_ == 1


def test_suppression_costs_a_whole_entry_and_keeping_none():
    """Section 2: suppression keeps an entry or suppresses it totally."""
    frame = pd.DataFrame({"x": list("aabb"), "y": list("cdcd")})
    both = {"x": Suppression(), "y": Suppression()}
    fitted = SequentialAnonymizer(k=2, hierarchies=both, random_state=0).fit(frame)
    assert fitted.information_loss_ == 0.5
    assert sorted(fitted.column_losses_.values()) == [0, 1]


@pytest.mark.parametrize("fraction", [0.0, 0.3])
@pytest.mark.parametrize("measure", MEASURES)
def test_the_reported_loss_is_that_of_the_release(measure, fraction):
    for seed in range(3):
        _, pair = drawn_pair(seed, measure, 40, 3)
        fitted = SequentialAnonymizer(
            4,
            hierarchies=pair.hierarchies,
            loss=pair.loss,
            max_suppression=fraction,
            random_state=seed,
        ).fit(pair.frame, pair.y)
        clusters = [
            np.flatnonzero(fitted.labels_ == h).tolist()
            for h in range(fitted.n_classes_)
        ]
        release = pair.table.release(clusters)
        loss = pair.table.loss(release)
        assert fitted.information_loss_ == pytest.approx(loss, abs=1e-12)
        shares = np.array(
            [sum(part.share(j) for part in pair.table.parts) for j in range(3)]
        )
        if not pair.table.parts:
            assert set(fitted.column_losses_.values()) == {0.0}
            continue
        factors = sum(part.factor for part in pair.table.parts)
        by_column = np.array(pair.table.column_losses(release))
        kept = shares > 0  # a column without weight reports no loss
        reported = np.array(list(fitted.column_losses_.values()))
        expected = by_column[kept] / shares[kept] * factors
        np.testing.assert_allclose(reported[kept], expected, atol=1e-12)
        assert not reported[~kept].any()


def test_gcp_is_ncp_over_records_and_columns():
    """He et al., section 6.1: GCP = NCP(T) / (d N) when all weights are 1."""
    ages, incomes = [20, 30, 40, 60], [0, 10, 50, 100]
    frame = pd.DataFrame({"age": ages, "income": incomes})
    fitted = SequentialAnonymizer(2, loss=NCP(), random_state=0).fit(frame)
    ncp = 0.0
    for label in fitted.labels_:
        rows = frame[fitted.labels_ == label]
        ncp += (rows["age"].max() - rows["age"].min()) / 40
        ncp += (rows["income"].max() - rows["income"].min()) / 100
    assert fitted.information_loss_ == pytest.approx(ncp / (2 * 4))


def test_weights_multiply_what_a_suppressed_record_costs():
    frame = pd.DataFrame({"a": list("xxxxy"), "b": list("ppppq")})
    pair_loss = LM({"a": 3})
    fitted = SequentialAnonymizer(
        4, loss=pair_loss, max_suppression=0.2, suppressed="drop", random_state=0
    ).fit(frame)
    assert fitted.suppressed_.tolist() == [False] * 4 + [True]
    assert fitted.information_loss_ == pytest.approx(1 / 5)
    assert fitted.column_losses_ == pytest.approx({"a": 0.2, "b": 0.2})


def test_suppress_counts_records_that_are_suppressed_already():
    pair = random_pair(np.random.RandomState(1), ["flat", "flat"], 20)
    labels = np.zeros(20, dtype=int)
    labels[:3] = -1
    few = suppress(pair.schema, pair.codes, pair.sensitive, labels, 2, 0.15)
    assert (few == labels).all()
    more = suppress(pair.schema, pair.codes, pair.sensitive, labels, 2, 0.25)
    assert (more < 0).sum() <= 5
