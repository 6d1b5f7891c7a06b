"""Linkage: who of a release may be whom, and what is then known of them."""

import mixed_tables
import naive_attacks as naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from skanon import KAnonymizer
from skanon.datasets import load_adult
from skanon.exceptions import ColumnError
from skanon.hierarchies import Intervals, from_nested
from skanon.privacy import _graph, k_anonymity, l_diversity
from skanon.privacy.attacks import _linkage, linkage_attack

RELEASE = pd.DataFrame(
    {
        "age": ["[20, 29]"] * 4 + ["[25, 49]"] * 4 + ["60"] * 2,
        "town": ["Ulm"] * 4 + ["{Kiel, Ulm}"] * 4 + ["Kiel"] * 2,
        "ill": ["no"] * 4 + ["no", "no", "no", "yes", "no", "yes"],
    }
)
KNOWN = pd.DataFrame(
    {"town": ["Ulm", "Ulm", "Kiel", "Kiel", "Ulm"], "age": [21, 27, 30, 60, 99]},
    index=["Ada", "Bob", "Cid", "Dora", "Eve"],
)
PUBLIC = ["age", "town"]


def check_against_oracle(found, people, release, sensitive, consistent):
    expected, rates = naive.link(people, release, sensitive, consistent)
    assert found.people.index.equals(people.index)
    assert found.n_released == len(release)
    for row, (records, classes, shares) in zip(
        found.people.itertuples(index=False), expected, strict=True
    ):
        assert (row.records, row.classes) == (records, classes)
        if not records:
            assert all(pd.isna(x) for x in row[2:])
            continue
        value, raised = naive.key(row.value), naive.key(row.raised_value)
        most = max(shares.values())
        assert shares[value] == most
        assert row.share == pytest.approx(float(most), abs=1e-12)
        assert rates[value] == min(rates[v] for v in shares if shares[v] == most)
        assert row.base_rate == pytest.approx(float(rates[value]), abs=1e-12)
        assert row.gain == pytest.approx(float(most - rates[value]), abs=1e-12)
        gains = {v: shares[v] - rates[v] for v in shares}
        assert gains[raised] == max(gains.values())
        assert row.raised_share == pytest.approx(float(shares[raised]), abs=1e-12)
        assert row.raised_gain == pytest.approx(float(gains[raised]), abs=1e-12)
    n = len(people)
    counts = [records for records, _, _ in expected]
    tops = [max(shares.values(), default=0) for _, _, shares in expected]
    assert found.n_people == n
    assert found.unmatched_share == counts.count(0) / n
    assert found.unique_share == counts.count(1) / n
    assert found.fewest_records == min([c for c in counts if c], default=0)
    assert found.homogeneous_share == tops.count(1) / n
    for k in (1, 2, 3, 5):
        assert found.below(k) == sum(0 < c < k for c in counts) / n
    assert found.surer_than(0.5) == sum(top > 0.5 for top in tops) / n
    assert found.surer_than(1) == 0
    if any(counts):
        assert found.highest_share == float(max(tops))
        assert found.largest_gain == found.people["raised_gain"].max()
    else:
        assert "nobody linked" in repr(found)
        for name in ("highest_share", "largest_gain"):
            with pytest.raises(ColumnError, match="nothing may be concluded"):
                getattr(found, name)


# ------------------------------------------------------------------------- by hand


def test_people_are_linked_to_all_classes_that_may_hold_them():
    found = linkage_attack(KNOWN, RELEASE, PUBLIC, "ill").people
    assert found.index.tolist() == KNOWN.index.tolist()
    assert found["records"].tolist() == [4, 8, 4, 2, 0]
    assert found["classes"].tolist() == [1, 2, 1, 1, 0]
    assert found["share"].iloc[:4].tolist() == [1, 7 / 8, 3 / 4, 1 / 2]
    assert found["value"].iloc[:4].tolist() == ["no", "no", "no", "yes"]
    assert found["base_rate"].iloc[:4].tolist() == [0.8, 0.8, 0.8, 0.2]
    assert found["gain"].iloc[:4].tolist() == pytest.approx([0.2, 0.075, -0.05, 0.3])
    assert found.loc["Eve"].iloc[2:].isna().all()


def test_a_homogeneous_class_makes_the_adversary_sure():
    found = linkage_attack(KNOWN, RELEASE, PUBLIC, "ill")
    assert found.homogeneous_share == 0.2  # Ada alone
    assert found.highest_share == 1
    assert found.unmatched_share == 0.2
    assert found.fewest_records == 2
    assert found.below(4) == 0.2


def test_skewness_shows_where_the_likeliest_value_does_not():
    release = pd.DataFrame({"age": ["20"] * 10 + ["30"] * 90})
    release["ill"] = ["yes"] * 4 + ["no"] * 6 + ["no"] * 90
    (person,) = linkage_attack(
        pd.DataFrame({"age": [20]}), release, ["age"], "ill"
    ).people.itertuples()
    assert (person.value, person.share) == ("no", 0.6)
    assert person.gain == pytest.approx(0.6 - 0.96)
    assert (person.raised_value, person.raised_share) == ("yes", 0.4)
    assert person.raised_gain == pytest.approx(0.4 - 0.04)


def test_a_unique_person_is_found_in_the_raw_table():
    raw = KNOWN.assign(ill=["a", "b", "c", "d", "e"])
    found = linkage_attack(KNOWN, raw, PUBLIC, "ill")
    assert found.unique_share == found.homogeneous_share == 1
    assert found.people["value"].tolist() == ["a", "b", "c", "d", "e"]
    assert found.largest_gain == 0.8


def test_wholly_suppressed_records_fit_everybody():
    release = pd.concat(
        [RELEASE, pd.DataFrame({"age": ["*"], "town": ["*"], "ill": ["yes"]})]
    )
    found = linkage_attack(KNOWN, release, PUBLIC, "ill").people
    assert found["records"].tolist() == [5, 9, 5, 3, 1]
    assert found.loc["Eve", "value"] == "yes"


def test_another_word_for_what_is_suppressed():
    release = RELEASE.replace({"town": {"Ulm": "?"}})
    found = linkage_attack(KNOWN, release, PUBLIC, "ill", suppressed="?").people
    assert found["records"].tolist() == [4, 8, 4, 2, 0]
    kiel = pd.DataFrame({"age": [21], "town": ["Kiel"]})
    found = linkage_attack(
        kiel, release, PUBLIC, "ill", suppressed="?", domain=KNOWN
    ).people
    assert found["records"].tolist() == [4]


def test_sensitive_values_may_come_apart():
    found = linkage_attack(KNOWN, RELEASE[PUBLIC], None, RELEASE["ill"]).people
    again = linkage_attack(KNOWN, RELEASE, None, "ill").people
    pd.testing.assert_frame_equal(found, again)


def test_a_known_table_says_what_other_texts_are():
    ada = KNOWN.loc[["Ada"]]
    found = linkage_attack(ada, RELEASE, PUBLIC, "ill", domain=KNOWN).people
    assert found["records"].tolist() == [4]


def test_sensitive_numbers_stay_what_they_are():
    large = 2**53 + 1
    release = RELEASE.assign(ill=RELEASE["ill"].map({"no": large, "yes": 0}))
    found = linkage_attack(KNOWN.iloc[:4], release, PUBLIC, "ill").people
    assert found["value"].dtype == np.int64
    assert found["value"].tolist() == [large, large, large, 0]
    found = linkage_attack(KNOWN, release, PUBLIC, "ill").people
    assert found["value"].tolist()[:4] == [large, large, large, 0]
    assert pd.isna(found.loc["Eve", "value"])


def test_the_summary_has_all_figures():
    found = linkage_attack(KNOWN, RELEASE, PUBLIC, "ill")
    summary = found.summary()
    assert summary.to_dict() == {x: getattr(found, x) for x in summary.index}
    assert len(summary) == 7
    assert "n_people=5" in repr(found) and "fewest_records=2" in repr(found)


# --------------------------------------------------------------------- the oracle


@given(naive.releases(), st.sampled_from([1, 2**25]), st.sampled_from([1, 2**25]))
def test_linkage_equals_the_oracle(tables, chunk, other_chunk):
    release, people = tables
    says = {"age": naive.AGES, "town": naive.PLACES}
    domain = people.iloc[[0] * 3].assign(
        town=["Kiel", "Bremen", "Ulm, Neu"], age=[21, 33, 20]
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_graph, "CHUNK", chunk)
        patch.setattr(_linkage, "CHUNK", other_chunk)
        found = linkage_attack(
            people,
            release,
            None,
            "ill",
            hierarchies={"town": naive.TOWNS},
            domain=domain,
        )
    check_against_oracle(
        found,
        people,
        release,
        release["ill"],
        lambda name, label, value: naive.fits(label, value, says[name]),
    )


@given(mixed_tables.tables(), st.data())
@settings(max_examples=60)
def test_releases_of_the_package_keep_their_promises(table, data):
    frame, hierarchies, trees, _ = table
    assume(len(frame) > 1)
    k = data.draw(st.integers(2, len(frame)))
    sensitive = pd.Series(
        data.draw(
            st.lists(st.sampled_from("abc"), min_size=len(frame), max_size=len(frame))
        ),
        name="sensitive",
    )
    anonymizer = KAnonymizer(k=k, algorithm="mondrian", hierarchies=hierarchies)
    release = anonymizer.fit_transform(frame)
    people = frame.sample(frac=1, random_state=0)
    people = people.iloc[: data.draw(st.integers(1, len(frame)))]
    found = linkage_attack(
        people,
        release,
        None,
        sensitive,
        hierarchies=anonymizer.hierarchies_,
        domain=frame,
    )
    assert (found.people["records"] >= k_anonymity(release, suppressed=None)).all()
    assert found.below(k) == found.unmatched_share == 0
    level = l_diversity(
        release.assign(sensitive=sensitive), None, "sensitive", suppressed=None
    )
    assert found.highest_share <= 1 / level + 1e-12

    def consistent(name, label, value):
        return mixed_tables.covers(label, value, frame[name], trees.get(name))

    check_against_oracle(found, people, release, sensitive, consistent)


def test_nobody_of_adult_is_below_k_and_the_raw_table_gives_them_away():
    adult = load_adult()
    public = ["age", "education", "marital-status", "sex", "native-country"]
    frame = adult.data[public].iloc[:3000]
    income = adult.target.iloc[:3000]
    release = KAnonymizer(
        k=7,
        algorithm="mondrian",
        hierarchies={name: adult.hierarchies[name] for name in public},
    ).fit_transform(frame)
    people = adult.data.sample(frac=1, random_state=1)
    inside = people.loc[people.index.isin(frame.index)]
    found = linkage_attack(
        inside, release, public, income, hierarchies=adult.hierarchies
    )
    assert found.below(7) == found.unmatched_share == 0
    assert found.people.index.equals(inside.index)
    raw = linkage_attack(inside, frame, public, income)
    alone = frame.value_counts() == 1
    assert raw.unique_share == alone.sum() / len(frame)
    assert raw.homogeneous_share > found.homogeneous_share


def test_only_hierarchies_with_names_are_needed():
    towns = from_nested({"*": {"south": ["Ulm"], "north": ["Kiel"]}})
    release = RELEASE.replace({"town": {"Ulm": "south"}})
    found = linkage_attack(
        KNOWN.assign(other=1),
        release,
        PUBLIC,
        "ill",
        hierarchies={"age": Intervals(), "town": towns, "other": towns},
    )
    assert found.people["records"].tolist() == [4, 8, 4, 2, 0]
