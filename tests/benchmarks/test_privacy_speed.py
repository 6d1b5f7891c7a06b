"""The time that checks and risks of a release take."""

import time

import numpy as np
import pandas as pd
import pytest

from skanon import KAnonymizer, privacy
from skanon.datasets import load_adult

pytestmark = pytest.mark.benchmark

ADULT = [
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
]


@pytest.fixture(scope="module")
def adult():
    """Give a release of Adult, its public columns, and the records themselves."""
    people = load_adult()
    raw = people.data[ADULT]
    hierarchies = {name: people.hierarchies[name] for name in ADULT}
    anonymizer = KAnonymizer(
        k=10, algorithm="mondrian", refine=0, hierarchies=hierarchies
    )
    release = anonymizer.fit_transform(raw)
    sensitive = people.data[["hours-per-week", "occupation"]].add_suffix(" (sensitive)")
    release = release.assign(income=people.target, **sensitive)
    hierarchies["occupation (sensitive)"] = people.hierarchies["occupation"]
    return release, ADULT, raw, hierarchies


@pytest.fixture(scope="module")
def millions():
    """Give a table of 5 million rows."""
    rng = np.random.default_rng(0)
    data = rng.integers(0, 20, size=(5_000_000, 5))
    frame = pd.DataFrame(data, columns=list("abcde"))
    sensitive = rng.integers(0, 1000, size=(5_000_000, 2))
    frame[["hours-per-week (sensitive)", "income"]] = sensitive
    return frame, list("abcde"), frame[list("abcde")], {}


HOURS = "hours-per-week (sensitive)"
OCCUPATION = "occupation (sensitive)"

LEVELS = {
    "k": lambda frame, names: privacy.k_anonymity(frame, names),
    "l": lambda frame, names: privacy.l_diversity(frame, names, HOURS),
    "entropy l": lambda frame, names: privacy.l_diversity(
        frame, names, HOURS, kind="entropy"
    ),
    "recursive l": lambda frame, names: privacy.l_diversity(
        frame, names, HOURS, kind="recursive", c=2
    ),
    "ordered t": lambda frame, names: privacy.t_closeness(frame, names, HOURS),
    "equal t": lambda frame, names: privacy.t_closeness(
        frame, names, HOURS, distance="equal"
    ),
    "alpha of two": lambda frame, names: privacy.alpha_k_anonymity(
        frame, names, [HOURS, "income"]
    ),
    "beta": lambda frame, names: privacy.beta_likeness(frame, names, HOURS),
    "delta": lambda frame, names: privacy.delta_disclosure(frame, names, HOURS),
    "feasible range": lambda frame, names: privacy.feasible_range(frame, HOURS),
    "no violations": lambda frame, names: privacy.violations(
        frame, names, HOURS, k=1, l=1, t=1
    ),
}
RISKS = {
    "prosecutor": lambda frame, names, raw, trees: privacy.prosecutor_risk(
        frame, names
    ),
    "journalist, estimated": lambda frame, names, raw, trees: privacy.journalist_risk(
        frame, names, population_size=60_000_000
    ),
    "pitman": lambda frame, names, raw, trees: privacy.population_uniqueness(
        frame, names, population_size=60_000_000, method="pitman"
    ),
    "zayatz": lambda frame, names, raw, trees: privacy.population_uniqueness(
        frame, names, population_size=60_000_000, method="zayatz"
    ),
    "singled out": lambda frame, names, raw, trees: privacy.singled_out(raw),
    "suggestions": lambda frame, names, raw, trees: privacy.suggest_quasi_identifiers(
        raw
    ),
    "causes": lambda frame, names, raw, trees: privacy.small_class_causes(raw, k=3),
}
ADULT_ONLY = {
    "hierarchical t": lambda frame, names, raw, trees: privacy.t_closeness(
        frame,
        names,
        OCCUPATION,
        hierarchies={OCCUPATION: trees[OCCUPATION]},
    ),
    "k-map": lambda frame, names, raw, trees: privacy.k_map(
        frame, names, population=raw, hierarchies=tree_only(trees, names)
    ),
    "journalist": lambda frame, names, raw, trees: privacy.journalist_risk(
        frame, names, population=raw, hierarchies=tree_only(trees, names)
    ),
    "all violations": lambda frame, names, raw, trees: privacy.violations(
        frame, names, HOURS, k=50, t=0.01
    ),
}
MILLIONS_ONLY = {
    "k-map": lambda frame, names, raw, trees: privacy.k_map(
        frame, names, population=raw
    ),
    "delta-presence": lambda frame, names, raw, trees: privacy.delta_presence(
        frame, names, population=raw, generalized=True
    ),
}


def tree_only(hierarchies, names):
    return {
        name: tree
        for name, tree in hierarchies.items()
        if name in names and hasattr(tree, "levels")
    }


def measure(figures, table, name, run, limit, repeats):
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    figures(
        "Checks and risks",
        ["table", "what", "seconds", "limit"],
        [table, name, f"{min(seconds):.2f}", limit],
    )
    assert min(seconds) <= limit, name


@pytest.mark.parametrize("name", [*LEVELS, *RISKS, *ADULT_ONLY])
def test_adult(figures, adult, name):
    frame, names, raw, trees = adult
    if name in LEVELS:
        run = lambda: LEVELS[name](frame, names)  # noqa: E731
    else:
        run = lambda: (RISKS | ADULT_ONLY)[name](frame, names, raw, trees)  # noqa: E731
    measure(figures, "Adult, 45,222 x 8", name, run, 0.5, 3)


@pytest.mark.parametrize("name", [*LEVELS, *RISKS, *MILLIONS_ONLY])
def test_five_million_rows(figures, millions, name):
    frame, names, raw, trees = millions
    if name in LEVELS:
        run = lambda: LEVELS[name](frame, names)  # noqa: E731
    else:
        run = lambda: (RISKS | MILLIONS_ONLY)[name](frame, names, raw, trees)  # noqa: E731
    measure(figures, "5 million x 5", name, run, 20, 1)
