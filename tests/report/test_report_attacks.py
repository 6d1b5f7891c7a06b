"""What a report says of levels and attacks is what skanon.privacy says."""

import pandas as pd
from report_tables import fitted, forms, illnesses, people

from skanon.metrics._fitted import fitted_tables
from skanon.privacy import beta_likeness, l_diversity, t_closeness
from skanon.privacy.attacks import linkage_attack


def test_levels_and_linkage_are_those_of_the_privacy_functions():
    anonymizer = fitted(y=illnesses())
    told = anonymizer.report().to_dict()
    released = fitted_tables(anonymizer)[1]
    (part,) = told["sensitive"]
    roles = list(released.columns), pd.Series(illnesses())
    assert part["levels"]["l_frequency"] == l_diversity(released, *roles)
    assert part["levels"]["l_distinct"] == l_diversity(
        released, *roles, kind="distinct"
    )
    assert part["levels"]["l_entropy"] == l_diversity(released, *roles, kind="entropy")
    assert part["levels"]["t"] == t_closeness(released, *roles)
    assert part["levels"]["beta"] == beta_likeness(released, *roles)
    found = linkage_attack(
        people().reset_index(drop=True),
        released,
        *roles,
        hierarchies=anonymizer.hierarchies_,
    )
    assert part["linkage"] == {
        "fewest_records": found.fewest_records,
        "homogeneous_share": found.homogeneous_share,
        "highest_share": found.highest_share,
        "largest_gain": found.largest_gain,
    }


def test_all_forms_show_them():
    report = fitted(y=illnesses()).report()
    for form in ("html", "markdown"):
        text = forms(report)[form]
        assert "Sensitive attributes under attack" in text
        assert "people whose value is certain" in text


def test_a_value_that_a_class_lacks_leaves_no_delta():
    told = fitted(y=list(range(60))).report().to_dict()
    assert told["sensitive"][0]["levels"]["delta"] is None
    (gap,) = [gap for gap in told["not_measured"] if gap["what"] == "delta"]
    assert gap["why"] == "A class lacks one of the sensitive values."
