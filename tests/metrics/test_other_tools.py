"""Releases that another tool has made are read and measured."""

import pandas as pd
import pytest

from skanon.hierarchies import read_arx
from skanon.metrics import (
    ambiguity_metric,
    average_class_size,
    classification_metric,
    discernibility_metric,
    kl_divergence,
)
from skanon.metrics._reading import read_release


@pytest.fixture(scope="module")
def adult(shared_data):
    table = pd.read_csv(shared_data / "arx_adult_30162.csv.gz", sep=";", dtype=str)
    hierarchies = {
        name: read_arx(shared_data / f"adult_hierarchy_{name}.csv")
        for name in table.columns
        if name != "salary-class"
    }
    return table, hierarchies


@pytest.mark.parametrize("k", [2, 5, 10, 50])
def test_releases_of_arx(shared_data, adult, k):
    table, hierarchies = adult
    path = shared_data / f"arx_local_k{k}.csv.gz"
    release = pd.read_csv(path, sep=";", dtype=str)
    sensitive = table["salary-class"]
    given = {"hierarchies": hierarchies, "quasi_identifiers": list(hierarchies)}
    reading = read_release(table, release, **given)
    for column in reading.columns:
        assert not column.gapped
        assert column.covers_own().all()
    sizes = average_class_size(table, release, **given)
    assert sizes >= k
    squares = discernibility_metric(table, release, **given)
    assert len(table) * sizes <= squares < len(table) ** 2
    wrong = classification_metric(table, release, sensitive=sensitive, **given)
    majority = sensitive.value_counts(normalize=True).iloc[0]
    assert 0 < wrong <= 1 - majority
    assert ambiguity_metric(table, release, **given) > 1
    assert kl_divergence(table, release, **given) > 0
