"""Agglomerative clustering: worked by hand, beside the oracle, what it promises."""

import naive
import naive_agglomerative as oracle
import numpy as np
import pandas as pd
import pytest
from clustered import (
    arranged,
    clusters_by,
    equals_oracle,
    fit,
    keeps_k,
    mixed_pair,
    tells_only_on_request,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import GROWING, KINDS, MEASURES, random_pair

from skanon._problem import Problem
from skanon._table.schema import Schema
from skanon.clustering import _agglomerative as agglomerative
from skanon.clustering._agglomerative import DISTANCES, AgglomerativeAnonymizer
from skanon.exceptions import ParameterError
from skanon.kernels.clustering import agglomerative as kernels
from skanon.kernels.clustering import interning as names
from skanon.kernels.clustering.joint import MANY
from skanon.losses import LM

WAYS = [(distance, modified) for distance in DISTANCES for modified in (True, False)]


def same_clusters(pair, k, distance, modified, epsilon=0.1):
    made = AgglomerativeAnonymizer(
        distance=distance, modified=modified, epsilon=epsilon
    )
    expected = oracle.agglomerate(pair.table, k, distance, epsilon, modified)
    assert clusters_by(made, pair, k) == arranged(expected)


# ---------------------------------------------------------- beside the oracle


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("distance", DISTANCES)
def test_equals_the_oracle(measure, distance):
    for seed in range(4):
        k = (2, 3, 5, 8)[seed]
        pair = mixed_pair(seed + 4 * DISTANCES.index(distance), 26, measure)
        same_clusters(pair, k, distance, seed % 2 == 0)


@pytest.mark.parametrize(("distance", "modified"), WAYS)
def test_the_whole_fit_equals_the_oracle(distance, modified):
    pair = mixed_pair(5, 30, "ncp")
    fitted = fit(AgglomerativeAnonymizer, pair, 4, distance=distance, modified=modified)
    clusters = oracle.agglomerate(pair.table, 4, distance, 0.1, modified)
    equals_oracle(fitted, pair, clusters)


@pytest.mark.parametrize("measure", ["lm", "mi", "all"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_column_equals_the_oracle(kind, measure):
    at = list(KINDS).index(kind) % len(WAYS)
    for turns, k in enumerate((2, 5)):
        pair = mixed_pair(1, 24, measure, [kind])
        same_clusters(pair, k, *WAYS[at - 3 * turns])


@pytest.mark.parametrize("measure", ["lm", "entropy", "lm+penalty"])
@pytest.mark.parametrize("kinds", [["flat"] * 3, ["ordered"] * 2, ["subset", "flat"]])
def test_many_equal_distances_equal_the_oracle(kinds, measure):
    pair = mixed_pair(1, 36, measure, kinds)
    for k, (distance, modified) in zip((2, 3, 5, 7, 9), WAYS[::2], strict=True):
        same_clusters(pair, k, distance, modified)
        same_clusters(pair, k, distance, not modified)


@pytest.mark.parametrize("measure", ["ncp", "entropy"])
def test_forty_columns_equal_the_oracle(measure):
    pair = mixed_pair(3, 20, measure, (list(KINDS) * 4)[:40])
    same_clusters(pair, 3, "scaled_difference", True)


def test_many_sensitive_values_equal_the_oracle():
    """With more than MANY, sums by sensitive value are not remembered."""
    rng = np.random.RandomState(0)
    pair = random_pair(rng, ["interval", "flat"], 24, measure="lm+penalty")
    y = rng.randint(MANY + 2, size=24)
    y[: MANY + 2] = np.arange(MANY + 2)
    loss = pair.loss
    schema, codes = Schema.learn(pair.frame, pair.hierarchies, loss, y.astype(np.int32))
    table = naive.Table(
        pair.table.records, pair.table.columns, pair.table.parts, y.tolist(), 0.3
    )
    problem = Problem(schema, codes, y.astype(np.int32), 4, None, None, 0)
    labels = AgglomerativeAnonymizer(distance="ratio", modified=False)._cluster(problem)
    expected = oracle.agglomerate(table, 4, "ratio", 0.1, False)
    found = [np.flatnonzero(labels == h).tolist() for h in np.unique(labels)]
    assert sorted(found) == arranged(expected)


@pytest.mark.parametrize("epsilon", [1e-9, 0.01, 3, 1e12])
def test_epsilon_equals_the_oracle(epsilon):
    same_clusters(mixed_pair(4, 24), 4, "ratio", False, epsilon)


def test_losses_of_any_size():
    pair = mixed_pair(6, 30)
    for factor in (1e-12, 1e15):
        fitted = AgglomerativeAnonymizer(4, loss=factor * LM(), distance="ratio")
        assert fitted.fit(pair.frame).class_sizes_.min() >= 4


# -------------------------------------------------------------- worked by hand


def clusters_of(values, k, **parameters):
    """Of whole numbers, whose loss is their cluster's width."""
    frame = pd.DataFrame({"x": values})
    fitted = AgglomerativeAnonymizer(k, loss="ncp", **parameters).fit(frame)
    parts = [frame["x"][fitted.labels_ == h].tolist() for h in range(fitted.n_classes_)]
    return sorted(map(sorted, parts))


def test_distances_differ_in_what_they_unite():
    # 0 1 and 8 9 are pairs; then 5 could join one, or 20 the rest
    values = [0, 1, 4, 8, 9, 20]
    for distance in ("rise", "difference"):
        parameters = {"distance": distance, "modified": False}
        assert clusters_of(values, 2, **parameters) == [[0, 1], [4, 20], [8, 9]]
    # three records: (9) widens a pair sooner than it makes another one
    values = [0, 4, 8, 100, 105, 200]
    assert clusters_of(values, 3, distance="difference", modified=False) == [
        [0, 4, 8],
        [100, 105, 200],
    ]


def test_ripe_clusters_release_what_makes_them_wide():
    values = [0, 1, 10, 11, 30, 31]
    # two pairs become four records, and no other cluster is left for 30 and 31
    ripe = clusters_of(values, 3, distance="rise", modified=False)
    assert ripe == [[0, 1, 10, 11, 30, 31]]
    # 0 is the first of the two without which the four are narrower
    shrunk = clusters_of(values, 3, distance="rise", modified=True)
    assert shrunk == [[0, 30, 31], [1, 10, 11]]


@pytest.mark.parametrize("measure", GROWING)
def test_all_distances_release_the_same_records(measure):
    """Algorithm 2 takes the record of the greatest dist(S, S less the record)."""
    for seed in range(3):
        pair = mixed_pair(seed, 9, measure)
        members, size = list(range(9)), 9
        whole = oracle.lost(pair.table, members)
        rests = [
            oracle.lost(pair.table, [m for m in members if m != i]) for i in members
        ]
        (first,) = oracle.shrink(pair.table, list(members), size - 1)
        paper = {
            "rise": [-(size - 1) * rest for rest in rests],
            "difference": [whole - whole - rest for rest in rests],
            "scaled_difference": [-rest / np.log(size) for rest in rests],
            "ratio": [whole / (whole + rest + 0.1) for rest in rests],
            "asymmetric": [whole - rest for rest in rests],
        }
        for name in DISTANCES:
            assert paper[name][first] == pytest.approx(max(paper[name]), abs=1e-9)


# ------------------------------------------------------------- the work behind it


@pytest.mark.parametrize("measure", ["lm", "pmi", "lm+penalty"])
def test_chunks_of_work_change_nothing(monkeypatch, measure):
    pair = mixed_pair(11, 90, measure)
    found = []
    for work in (2_000_000, 1, 3000):
        monkeypatch.setattr(agglomerative, "WORK", work)
        found.append(fit(AgglomerativeAnonymizer, pair, 4).labels_.tolist())
    assert found[0] == found[1] == found[2]


def run(monkeypatch, frame, k, **parameters):
    """Returns the labels, and what the kernel was given."""
    given = []

    def spy(*arguments):
        given[:] = arguments
        return grow(*arguments)

    grow = kernels.grow
    with monkeypatch.context() as patch:
        patch.setattr(kernels, "grow", spy)
        fitted = AgglomerativeAnonymizer(k, **parameters).fit(frame)
    return fitted.labels_, given


@pytest.mark.parametrize("distance", DISTANCES)
def test_ties_do_not_make_it_cubic(monkeypatch, distance):
    rng = np.random.RandomState(0)
    frame = pd.DataFrame(rng.randint(5, size=(1200, 5)))
    _, given = run(
        monkeypatch,
        frame.astype(str),
        20,
        loss="entropy",
        distance=distance,
        modified=True,
    )
    growth = given[3]
    assert growth.clock[2] < 4 * len(growth.made) ** 2


def test_names_may_run_out(monkeypatch):
    """Then all are given anew."""
    rng = np.random.RandomState(0)
    frame = pd.DataFrame(rng.randint(40, size=(150, 3)))
    parameters = {"hierarchies": {1: "subsets"}, "distance": "rise"}
    monkeypatch.setattr(names, "ROOM", 50)
    enough, given = run(monkeypatch, frame, 20, **parameters)
    used = given[5].names.used
    monkeypatch.setattr(names, "ROOM", 1)
    few, given = run(monkeypatch, frame, 20, **parameters)
    assert (given[5].names.used < used).all()
    assert (few == enough).all()


# --------------------------------------------------------------------- promises


@given(
    st.integers(2, 7),
    st.floats(0, 1),
    st.integers(0, 10**6),
    st.sampled_from(list(MEASURES)),
    st.sampled_from([0.0, 0.2]),
    st.sampled_from(WAYS),
)
@settings(max_examples=40)
def test_clusters_have_k_records(k, part, seed, measure, fraction, way):
    parameters = dict(zip(("distance", "modified"), way, strict=True))
    pair = mixed_pair(seed, k + int(part * 2 * k), measure)
    n = len(pair.codes)
    clusters = clusters_by(AgglomerativeAnonymizer(**parameters), pair, k)
    sizes = list(map(len, clusters))
    assert min(sizes) >= k
    assert sum(sizes) == n
    if parameters["modified"]:
        assert len(sizes) == n // k
    fitted = fit(
        AgglomerativeAnonymizer, pair, k, max_suppression=fraction, **parameters
    )
    keeps_k(fitted, pair, k, fraction)


def test_progress_goes_to_the_error_stream_on_request(monkeypatch, capsys):
    monkeypatch.setattr(agglomerative, "WORK", 50)
    told = tells_only_on_request(AgglomerativeAnonymizer, capsys)
    assert "clusters still grow" in told


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("distance", "euclidean"),
        ("epsilon", 0),
        ("epsilon", np.inf),
        ("modified", "no"),
    ],
)
def test_bad_parameters_are_named(parameter, value):
    with pytest.raises(ParameterError, match=parameter):
        AgglomerativeAnonymizer(2, **{parameter: value}).fit(
            pd.DataFrame({"a": [1, 2]})
        )
