"""pycanon finds the same levels, where it means the same by them."""

import json
import math
import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skanon import KAnonymizer
from skanon.datasets import load_adult, load_cmc
from skanon.privacy import (
    alpha_k_anonymity,
    beta_likeness,
    delta_disclosure,
    feasible_range,
    k_anonymity,
    l_diversity,
    t_closeness,
)

SCRIPT = Path(__file__).with_name("pycanon_levels.py")


@pytest.fixture(scope="module")
def pycanon():
    """Give a function that runs pycanon on some tables, in its own environment."""
    interpreter = os.environ.get("SKANON_PYCANON")
    if not interpreter:
        pytest.skip("SKANON_PYCANON names no interpreter that has pycanon")

    def run(tables, folder):
        paths = [folder / f"{i}.csv" for i in range(len(tables))]
        for table, path in zip(tables, paths, strict=True):
            table.to_csv(path, index=False)
        command = [interpreter, str(SCRIPT), *map(str, paths)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def check(table, theirs):
    *public, sensitive = table.columns
    roles = table, public, sensitive

    def close(name):
        return pytest.approx(theirs[name], rel=1e-9, abs=1e-12)

    assert k_anonymity(table, public) == theirs["k"] == theirs["k_of_alpha"]
    assert alpha_k_anonymity(*roles) == close("alpha")
    assert l_diversity(*roles, kind="distinct") == theirs["l_distinct"]
    assert t_closeness(*roles) == close("t")
    basic = beta_likeness(*roles)
    assert basic == close("beta")
    assert delta_disclosure(*roles, absent="ignored") == close("delta")
    # an integer there, cut off
    entropy = l_diversity(*roles, kind="entropy")
    cut = {math.floor(entropy * (1 + sign * 1e-9)) for sign in (-1, 1)}
    assert theirs["l_entropy"] in cut
    # there, the gain of one value is held against the frequencies of all
    rarest = table[sensitive].value_counts(normalize=True).min()
    assert min(basic, -math.log(rarest)) == close("beta_enhanced")


def random_table(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 60))
    table = {
        f"c{j}": rng.choice(["[1, 2]", "3", "north", "{a, b}"], n)
        for j in range(rng.integers(1, 4))
    }
    values = np.array([[-4, 0, 7, 12, 13], list("abcde")][seed % 2])
    shares = rng.dirichlet(np.ones(5))
    sensitive = rng.choice(values, n, p=shares)
    sensitive[:2] = values[:2]
    return pd.DataFrame(table).assign(sensitive=sensitive)


def test_random_tables(pycanon, tmp_path):
    tables = [random_table(seed) for seed in range(200)]
    for table, theirs in zip(tables, pycanon(tables, tmp_path), strict=True):
        check(table, theirs)


@pytest.mark.parametrize("load", [load_adult, load_cmc], ids=["adult", "cmc"])
def test_real_tables(pycanon, tmp_path, load):
    people = load()
    number = {"load_adult": "education-num", "load_cmc": "n_children"}[load.__name__]
    data = people.data.drop(columns=number)
    hierarchies = {name: people.hierarchies[name] for name in data}
    anonymizer = KAnonymizer(k=50, algorithm="mondrian", hierarchies=hierarchies)
    release = anonymizer.fit_transform(data)
    tables = [
        release.assign(sensitive=people.target),
        release.assign(sensitive=people.data[number]),
    ]
    for table, theirs in zip(tables, pycanon(tables, tmp_path), strict=True):
        check(table, theirs)


def test_enhanced_likeness_is_stricter_than_pycanons():
    """The definition compares each value's gain with its own frequency."""
    table = pd.DataFrame({"zip": list("aabb"), "x": list("uuuv")})
    assert beta_likeness(table, ["zip"], "x", kind="enhanced") == math.inf
    assert feasible_range(table, "x").loc[("x", "beta_enhanced"), "strictest"] == 0
