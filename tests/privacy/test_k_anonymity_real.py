"""Releases of a census table that another tool made."""

import naive_k_anonymity as naive
import numpy as np
import pandas as pd
import pytest

from skanon.exceptions import ReleaseError
from skanon.privacy import check_release, equivalence_classes, k_anonymity, violations


def read_release(folder, k):
    return pd.read_csv(folder / f"arx_local_k{k}.csv.gz", sep=";", dtype=str)


@pytest.mark.parametrize("k", [2, 5, 10, 50])
@pytest.mark.parametrize("dtype", ["str", object, "category"])
def test_foreign_releases_keep_their_promise(shared_data, k, dtype):
    release = read_release(shared_data, k).astype(dtype)
    names = [name for name in release if name != "salary-class"]
    achieved = k_anonymity(release, names)
    assert achieved >= k
    assert achieved == naive.k_anonymity(release, names)
    check_release(release, names, k=k)
    assert violations(release, names, k=k).empty
    # the sensitive column is no part of the promise
    assert k_anonymity(release) < achieved


@pytest.mark.parametrize("k", [2, 5, 10, 50])
def test_one_changed_cell_is_caught(shared_data, k):
    release = read_release(shared_data, k)
    names = [name for name in release if name != "salary-class"]
    rng = np.random.default_rng(0)
    visible = np.flatnonzero(equivalence_classes(release, names) >= 0)
    for row, name in zip(rng.choice(visible, 4), rng.choice(names, 4), strict=True):
        spoiled = release.copy()
        spoiled.iloc[row, release.columns.get_loc(name)] = "spoiled"
        assert k_anonymity(spoiled, names) == 1
        assert [row] in violations(spoiled, names, k=k)["positions"].tolist()
        with pytest.raises(ReleaseError, match="smallest has 1 row"):
            check_release(spoiled, names, k=k)


def test_raw_records_are_not_anonymous(shared_data):
    raw = pd.read_csv(shared_data / "adult_clean.csv.gz").drop(columns="income")
    assert k_anonymity(raw) == 1
    shuffled = raw.sample(frac=1, random_state=0)
    assert len(violations(shuffled, k=2)) == len(violations(raw, k=2))
