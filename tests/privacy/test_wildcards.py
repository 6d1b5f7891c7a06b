"""The wildcard convention: a missing or suppressed cell may be any value."""

import math

import naive_privacy
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skanon import privacy
from skanon.exceptions import ParameterError, ReleaseError

COLUMNS = ["a", "b", "c"]
GAPS = [None, "*", float("nan")]


@st.composite
def published(draw, most=12):
    n = draw(st.integers(1, most))
    cell = st.one_of(st.sampled_from("xyz"), st.sampled_from(GAPS))
    columns = {
        name: draw(st.lists(cell, min_size=n, max_size=n)) for name in COLUMNS
    } | {"ill": draw(st.lists(st.sampled_from("pqr"), min_size=n, max_size=n))}
    return pd.DataFrame(
        {name: pd.Series(x, dtype=object) for name, x in columns.items()}
    )


def wild(cell, suppressed="*"):
    return (cell != cell) or cell is None or cell == suppressed


def neighbours(frame, columns=COLUMNS, suppressed="*"):
    """List for each row those that it may be equal to, by looking at each pair."""
    rows = frame[columns].to_numpy(dtype=object).tolist()
    return [
        [
            j
            for j, other in enumerate(rows)
            if all(
                wild(x, suppressed) or wild(y, suppressed) or x == y
                for x, y in zip(row, other, strict=True)
            )
        ]
        for row in rows
    ]


@given(published(), st.sampled_from(["*", None]))
def test_each_row_counts_those_it_may_be_equal_to(frame, suppressed):
    how = {"suppressed": suppressed, "wildcard": True}
    reach = [len(near) for near in neighbours(frame, suppressed=suppressed)]
    assert privacy.k_anonymity(frame, COLUMNS, **how) == min(reach)
    risks = privacy.record_risks(frame, COLUMNS, **how)
    assert risks.tolist() == [1 / r for r in reach]
    found = privacy.prosecutor_risk(frame, COLUMNS, **how)
    assert found.n_records == len(frame)
    assert found.highest == 1 / min(reach)
    assert found.average == pytest.approx(np.mean([1 / r for r in reach]))
    assert found.at_risk == sum(r < 5 for r in reach)
    assert found.unique_share == pytest.approx(reach.count(1) / len(frame))
    assert privacy.marketer_risk(frame, COLUMNS, **how) == pytest.approx(found.average)
    people = 2 * len(frame)
    estimated = privacy.record_risks(frame, COLUMNS, population_size=people, **how)
    for reached, risk in zip(reach, estimated, strict=True):
        alone = pd.DataFrame({"a": ["x"] * reached + ["y"] * (len(frame) - reached)})
        alike = privacy.record_risks(alone, population_size=people, suppressed=None)
        assert risk == pytest.approx(alike[0])


@given(published())
def test_k_is_never_below_that_of_cells_with_a_value_of_their_own(frame):
    own = privacy.k_anonymity(frame, COLUMNS, suppressed=None)
    assert privacy.k_anonymity(frame, COLUMNS, wildcard=True) >= own
    full = frame.fillna("x").replace("*", "x")
    for suppressed in ("*", None):
        how = {"suppressed": suppressed}
        k = privacy.k_anonymity(full, COLUMNS, **how)
        assert privacy.k_anonymity(full, COLUMNS, wildcard=True, **how) == k


@given(published())
def test_private_values_are_those_of_all_neighbours(frame):
    everything = frame["ill"].tolist()
    classes = [[everything[j] for j in near] for near in neighbours(frame)]

    def naive(level, worst, *options):
        return worst(level(cls, everything, *options) for cls in classes)

    def measured(measure, **options):
        return measure(frame, COLUMNS, "ill", wildcard=True, **options)

    close = pytest.approx
    lowest = {
        "frequency": naive(naive_privacy.frequency_l, min),
        "distinct": naive(naive_privacy.distinct_l, min),
        "entropy": naive(naive_privacy.entropy_l, min),
    }
    for kind, level in lowest.items():
        assert measured(privacy.l_diversity, kind=kind) == close(float(level))
    recursive = measured(privacy.l_diversity, kind="recursive", c=1.5)
    assert recursive == naive(naive_privacy.recursive_l, min, 1.5)
    assert measured(privacy.p_sensitivity) == lowest["distinct"]
    alpha = naive(naive_privacy.alpha, max)
    assert measured(privacy.alpha_k_anonymity) == close(float(alpha))
    equal = naive(naive_privacy.equal_t, max)
    assert measured(privacy.t_closeness) == close(float(equal), abs=1e-12)
    basic = naive(naive_privacy.basic_beta, max)
    assert measured(privacy.beta_likeness) == close(float(basic))
    assert measured(privacy.delta_disclosure) == close(naive(naive_privacy.delta, max))


@given(published(), st.integers(1, 6), st.floats(1, 3))
def test_violations_and_causes_name_those_with_few_neighbours(frame, k, l_asked):
    near = neighbours(frame)
    reach = [len(x) for x in near]
    everything = frame["ill"].tolist()
    levels = [
        naive_privacy.frequency_l([everything[j] for j in x], everything) for x in near
    ]
    broken = [
        i for i, r in enumerate(reach) if r < k or levels[i] < l_asked * (1 - 1e-9)
    ]
    found = privacy.violations(frame, COLUMNS, "ill", k=k, l=l_asked, wildcard=True)
    assert sorted(found["positions"].explode().tolist()) == broken
    for _, row in found.iterrows():
        assert {reach[i] for i in row["positions"]} == {row["reaches"]}
        assert row["size"] == len(row["positions"])
    assert found["reaches"].is_monotonic_increasing
    causes = privacy.small_class_causes(frame, COLUMNS, k=k, wildcard=True)
    assert causes.index.tolist() == [i for i, r in enumerate(reach) if r < k]
    for i, row in causes.iterrows():
        assert row["size"] == reach[i]
        without = {
            name: len(neighbours(frame, [x for x in COLUMNS if x != name])[i])
            for name in COLUMNS
        }
        assert row["size_without"] == max(without.values()) == without[row["column"]]


@given(published(6), published(9))
def test_a_population_fits_where_either_is_unknown(frame, people):
    people = people.replace("*", "x")
    expected = min(
        sum(
            all(
                wild(mine) or wild(theirs) or mine == theirs
                for mine, theirs in zip(row, person, strict=True)
            )
            for person in people[COLUMNS].to_numpy(dtype=object).tolist()
        )
        for row in frame[COLUMNS].to_numpy(dtype=object).tolist()
    )
    for generalized in (True, False):
        if not generalized:
            # a label of nobody in the population cannot be read
            everyone = {name: set(people[name].dropna()) for name in COLUMNS}
            if not all(set("xyz") == values for values in everyone.values()):
                continue
        found = privacy.k_map(
            frame, COLUMNS, population=people, generalized=generalized, wildcard=True
        )
        assert found == expected


def test_consistency_takes_missing_cells_for_anything():
    original = pd.DataFrame({"age": [20, 25, None], "town": ["Ulm", None, "Kiel"]})
    released = pd.DataFrame(
        {"age": [None, "[20, 25]", None], "town": ["Ulm", "Ulm", "*"]}, dtype=object
    )
    with pytest.raises(ReleaseError, match="does not generalize"):
        privacy.one_k_anonymity(original, released)
    how = {"wildcard": True}
    # people 0, 1 and 2 fit the records {0, 1, 2}, {0, 1, 2} and {2}
    assert privacy.one_k_anonymity(original, released, **how) == 1
    assert privacy.k_one_anonymity(original, released, **how) == 2
    assert privacy.kk_anonymity(original, released, **how) == 1
    assert privacy.global_one_k_anonymity(original, released, **how) == 1
    listed = privacy.consistency_violations(original, released, k=2, **how)
    assert listed["position"].tolist() == [2]


def test_one_suppressed_row_hides_everybody_by_this_convention():
    release = pd.DataFrame({"zip": ["1", "2", "3", "*"], "sex": ["f", "m", "f", None]})
    assert privacy.k_anonymity(release) == 1
    assert privacy.k_anonymity(release, wildcard=True) == 2
    privacy.check_release(release, k=2, wildcard=True)
    with pytest.raises(ReleaseError, match=r"may be equal to fewer than 3 rows.*'1'"):
        privacy.check_release(release, k=3, wildcard=True)
    journalist = privacy.journalist_risk(release, population_size=40, wildcard=True)
    assert journalist.n_records == 4
    assert math.isclose(journalist.unique_share, 0)


@pytest.mark.parametrize("wildcard", ["yes", None, 1])
def test_what_is_no_yes_or_no_is_refused(wildcard):
    frame = pd.DataFrame({"zip": ["1", "1"], "ill": ["x", "y"]})
    for measure in (
        lambda: privacy.k_anonymity(frame, ["zip"], wildcard=wildcard),
        lambda: privacy.l_diversity(frame, ["zip"], "ill", wildcard=wildcard),
        lambda: privacy.kk_anonymity(frame, frame, ["zip"], wildcard=wildcard),
    ):
        with pytest.raises(ParameterError, match="wildcard is"):
            measure()
