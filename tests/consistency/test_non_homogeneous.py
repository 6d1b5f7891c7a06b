"""Non-homogeneous generalization: whole releases beside the oracle."""

from collections import Counter

import naive_rings as naive
import numpy as np
import pandas as pd
import pytest
from random_tables import KINDS, random_pair, seeded
from sklearn.base import clone

from skanon import (
    BisectingAnonymizer,
    HilbertAnonymizer,
    MondrianAnonymizer,
    NonHomogeneousAnonymizer,
    SequentialAnonymizer,
    TopDownAnonymizer,
)
from skanon.consistency import _non_homogeneous as non_homogeneous
from skanon.exceptions import ParameterError, ReleaseError

PARTITIONS = {
    "default": None,
    "mondrian": MondrianAnonymizer(cut="best"),
    "hilbert": HilbertAnonymizer(),
    "bisecting": BisectingAnonymizer(n_rounds=2),
}


def random_table(seed, measure, n=40):
    rng = seeded(seed, measure)
    kinds = list(rng.permutation(list(KINDS))[: rng.randint(1, 4)])
    return random_pair(rng, kinds, n, measure=measure)


def wanted_of(pair, labels, k):
    """All windows of all partitions, by definition."""
    windows = []
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        line = sorted(rows, key=lambda i: pair.codes[i].tolist())
        ring = naive.ring_of(pair.table, line, k, max(k // 2, 1))
        windows += naive.windows_of(pair.table, ring, k)
    return Counter(windows)


@pytest.mark.parametrize("partitions", PARTITIONS)
@pytest.mark.parametrize("measure", ["lm", "tree", "entropy", "mi", "mi+pmi"])
def test_the_release_is_the_oracles_windows(partitions, measure):
    for seed in range(3):
        pair, k = random_table(seed, measure), 2 + 3 * seed
        given = PARTITIONS[partitions]
        made = NonHomogeneousAnonymizer(
            k,
            hierarchies=pair.hierarchies,
            loss=pair.loss,
            random_state=seed,
            algorithm=given,
        ).fit(pair.frame, pair.y)
        alone = TopDownAnonymizer() if given is None else clone(given)
        labels = alone._cluster(pair.problem(k, np.random.RandomState(seed)))
        states = made._classes.states[made.labels_]
        released = [pair.decode(row) for row in states]
        assert Counter(released) == wanted_of(pair, labels, k)
        assert made.n_partitions_ == len(np.unique(labels))
        assert made.n_matches_.min() >= k
        for record, generalized in zip(pair.table.records, released, strict=True):
            assert all(v in s for v, s in zip(record, generalized, strict=True))


def people(n=300, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "town": rng.choice(["Bern", "Bonn", "Kiel", "Linz"], n),
            "height": np.where(rng.random(n) < 0.1, np.nan, rng.integers(150, 190, n)),
        }
    )


def test_windows_lose_less_than_their_partitions():
    frame = people()
    mondrian = MondrianAnonymizer(5).fit(frame)
    made = NonHomogeneousAnonymizer(5, algorithm=MondrianAnonymizer()).fit(frame)
    assert made.information_loss_ < 0.95 * mondrian.information_loss_
    assert made.n_partitions_ == mondrian.n_classes_


def test_neighbours_on_the_ring_are_alike():
    frame = pd.DataFrame({"age": np.random.default_rng(0).permutation(200)})
    whole = NonHomogeneousAnonymizer(10, algorithm=HilbertAnonymizer())
    whole._partition = lambda problem: (np.zeros(200, dtype=np.int32), 1)
    whole.fit(frame)
    # but for the 9 windows where the ring closes, all are as small as can be
    widths = whole.transform(frame)["age"].str.strip("[]").str.split(", ", expand=True)
    widths = widths.astype(int).to_numpy() @ [-1, 1]
    assert (widths == 9).sum() == 191


def test_the_draw_is_random_but_not_what_is_lost():
    frame = people()
    partitions = MondrianAnonymizer()
    fits = [
        NonHomogeneousAnonymizer(5, random_state=s, algorithm=partitions).fit(frame)
        for s in (0, 0, 1, None)
    ]
    releases = [made.transform(frame) for made in fits]
    assert releases[0].equals(releases[1])
    assert not releases[0].equals(releases[2])
    assert not releases[2].equals(releases[3])
    for made in fits:
        assert made.information_loss_ == pytest.approx(fits[0].information_loss_)


def test_persons_are_published_as_each_of_k_windows():
    frame = pd.DataFrame({"age": [10, 20, 30, 40, 50]})
    drawn = Counter(
        NonHomogeneousAnonymizer(3, random_state=s).fit_transform(frame)["age"][2]
        for s in range(200)
    )
    assert len(drawn) == 3
    # 200 draws of probability 1/3: five deviations are 33
    assert all(abs(count - 200 / 3) < 33 for count in drawn.values())


def test_partitions_of_exactly_k_are_published_whole():
    frame = people(40)
    whole = NonHomogeneousAnonymizer(40).fit_transform(frame)
    assert whole.drop_duplicates().shape[0] == 1
    line = NonHomogeneousAnonymizer(2, algorithm=HilbertAnonymizer())
    frame = pd.DataFrame({"a": [1, 2, 11, 12, 21, 22]})
    told = ["[1, 2]", "[11, 12]", "[21, 22]"]
    assert line.fit_transform(frame)["a"].tolist() == np.repeat(told, 2).tolist()


def test_equal_records_lie_side_by_side():
    frame = pd.DataFrame({"a": [1, 2] * 20, "b": list("xy") * 20})
    made = NonHomogeneousAnonymizer(4, algorithm=HilbertAnonymizer())
    made._partition = lambda problem: (np.zeros(40, dtype=np.int32), 1)
    released = made.fit_transform(frame)
    # 3 windows cover both kinds where the first end, and 3 where the ring closes
    assert (released["b"] == "*").sum() == 6


def test_compiled_calls_do_not_matter(monkeypatch):
    frame = people()
    wanted = NonHomogeneousAnonymizer(5, random_state=0).fit_transform(frame)
    monkeypatch.setattr(non_homogeneous, "WORK", 1)
    parts = NonHomogeneousAnonymizer(5, random_state=0).fit_transform(frame)
    pd.testing.assert_frame_equal(parts, wanted)


def test_few_edges_at_once(monkeypatch):
    frame = people()
    monkeypatch.setattr(non_homogeneous, "EDGES", 1)
    made = NonHomogeneousAnonymizer(8, algorithm=MondrianAnonymizer()).fit(frame)
    assert made.n_matches_.min() >= 8
    mondrian = MondrianAnonymizer(8).fit(frame)
    assert made.information_loss_ < mondrian.information_loss_


def test_partitions_take_what_both_have():
    frame = people(60)
    given = SequentialAnonymizer(alpha=0.4)
    made = NonHomogeneousAnonymizer(4, loss="tree", random_state=3, algorithm=given)
    made.fit(frame)
    assert made.algorithm_.k == 4 and made.algorithm_.loss == "tree"
    assert made.algorithm_.random_state == 3
    assert made.algorithm_.alpha == 0.4
    assert given.k == 5
    nested = NonHomogeneousAnonymizer(algorithm=MondrianAnonymizer())
    assert nested.set_params(algorithm__strict=False).algorithm.strict is False


class Faulty(MondrianAnonymizer):
    def _cluster(self, problem):
        labels = np.zeros(len(problem.codes), dtype=int)
        labels[: problem.k - 1] = 1
        return labels


class Forgetful(MondrianAnonymizer):
    def _cluster(self, problem):
        labels = np.zeros(len(problem.codes), dtype=int)
        labels[0] = -1
        return labels


def test_what_cannot_be_is_refused():
    frame = people(20)
    for option in ({"max_suppression": 0.1}, {"constraints": ["anything"]}):
        given = NonHomogeneousAnonymizer(2, algorithm=TopDownAnonymizer(**option))
        with pytest.raises(ParameterError, match=f"has {next(iter(option))}="):
            given.fit(frame)
    for wrong in ("mondrian", NonHomogeneousAnonymizer()):
        with pytest.raises(ParameterError, match=r"algorithm of .*, but must be"):
            NonHomogeneousAnonymizer(2, algorithm=wrong).fit(frame)
    with pytest.raises(ReleaseError, match="makes a partition of 2 records, but k=3"):
        NonHomogeneousAnonymizer(3, algorithm=Faulty()).fit(frame)
    with pytest.raises(ReleaseError, match="leaves records out"):
        NonHomogeneousAnonymizer(3, algorithm=Forgetful()).fit(frame)


def test_a_record_of_fewer_than_k_people_is_never_handed_out(monkeypatch):
    """Everybody has 3 matches, but the first record generalizes 2 people only."""

    def lopsided(self, problem):
        from skanon.consistency._base import closed

        whole = closed(problem, np.zeros(4, dtype=np.int32))
        whole[0] = closed(problem, np.array([0, 0, 1, 1], dtype=np.int32))[0]
        return whole

    monkeypatch.setattr(NonHomogeneousAnonymizer, "_generalize", lopsided)
    with pytest.raises(ReleaseError, match="row 0 generalizes 2 originals only"):
        NonHomogeneousAnonymizer(3).fit(pd.DataFrame({"a": [1, 1, 2, 2]}))


def test_tells_its_partitions_only_on_request(capfd):
    frame = people(40)
    NonHomogeneousAnonymizer(3).fit(frame)
    assert capfd.readouterr() == ("", "")
    NonHomogeneousAnonymizer(3, verbose=1).fit(frame)
    assert "partitions, the largest has" in capfd.readouterr().err
