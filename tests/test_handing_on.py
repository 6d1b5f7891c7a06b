"""Parameters that an inner anonymizer has in common with the outer one."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from skanon import (
    KAnonymizer,
    MondrianAnonymizer,
    NonHomogeneousAnonymizer,
    OneKAnonymizer,
    SequentialAnonymizer,
)
from skanon.clustering import ALGORITHMS
from skanon.constraints import LDiversity
from skanon.exceptions import ParameterError
from skanon.hierarchies import Taxonomy

PEOPLE = pd.DataFrame(
    {
        "name": [f"person {i}" for i in range(40)],
        "age": np.arange(40) % 13,
        "town": list("abcd") * 10,
        "ill": ["flu", "cold"] * 20,
    }
)
SHARED = {
    "k": 20,
    "quasi_identifiers": ["age"],
    "hierarchies": {"town": Taxonomy(list("abcd"), [["x", "x", "y", "y"], ["*"] * 4])},
    "loss": "ncp",
    "constraints": [LDiversity(2)],
    "sensitive": "ill",
    "identifiers": ["name"],
    "encode": "bounds",
    "max_suppression": 0.5,
    "suppressed": "blank",
    "refine": 3,
    "on_interrupt": "release",
    "random_state": 7,
    "n_jobs": 2,
    "verbose": 1,
}


@pytest.mark.parametrize("name", SHARED)
def test_what_is_set_inside_is_not_dropped(name):
    """It would release classes of 5 where 20 are asked for, or the names."""
    own = {name: SHARED[name]}
    inner = MondrianAnonymizer(**own)
    outer = KAnonymizer(algorithm=inner)
    match = rf"^algorithm=MondrianAnonymizer.* has {name}=.*Give {name}=.* to KAnonym"
    with pytest.raises(ParameterError, match=match):
        outer.fit(PEOPLE)
    assert inner.get_params()[name] == SHARED[name]  # and it is left as it was


def test_all_parameters_of_algorithms_that_are_shared_are_looked_at():
    assert set(SHARED) <= set(KAnonymizer().get_params())
    for made in ALGORITHMS.values():
        shared = set(made().get_params()) & set(KAnonymizer().get_params())
        assert shared == set(SHARED)


def test_the_same_value_may_stand_on_both_sides():
    table = PEOPLE[["age", "town", "ill"]]
    rules = [LDiversity(1.5)]
    given = {
        "sensitive": "ill",
        "random_state": 0,
        "hierarchies": SHARED["hierarchies"],
    }
    inner = SequentialAnonymizer(4, constraints=rules, **given)
    outer = KAnonymizer(4, constraints=rules, algorithm=inner, **given)
    fitted = clone(outer).fit(table)
    plain = KAnonymizer(4, constraints=rules, algorithm=SequentialAnonymizer(), **given)
    assert fitted.labels_.tolist() == plain.fit(table).labels_.tolist()


def test_parameters_of_its_own_are_kept():
    fitted = KAnonymizer(4, algorithm=MondrianAnonymizer(strict=False)).fit(PEOPLE)
    assert fitted.algorithm_.strict is False
    assert fitted.algorithm_.k == 4


def test_a_grid_over_what_would_be_dropped_fails():
    grid = GridSearchCV(
        KAnonymizer(5, algorithm=MondrianAnonymizer(), random_state=0),
        {"algorithm__k": [2, 8]},
        scoring=lambda anonymizer, X, y=None: -anonymizer.information_loss_,
        cv=2,
        error_score="raise",
    )
    with pytest.raises(ParameterError, match="Give k=2 to KAnonymizer"):
        grid.fit(PEOPLE[["age", "town"]])


@pytest.mark.parametrize("host", [OneKAnonymizer, NonHomogeneousAnonymizer])
def test_records_generalized_one_by_one_drop_nothing_either(host):
    for name in ("hierarchies", "loss", "identifiers", "encode"):
        outer = host(2, algorithm=MondrianAnonymizer(2, **{name: SHARED[name]}))
        with pytest.raises(ParameterError, match=rf"{name}=.* to {host.__name__}"):
            outer.fit(PEOPLE)


def test_rings_have_the_k_of_their_host():
    outer = NonHomogeneousAnonymizer(3, algorithm=MondrianAnonymizer(20))
    with pytest.raises(ParameterError, match="Give k=20 to NonHomogeneousAnonymizer"):
        outer.fit(PEOPLE)
    outer = NonHomogeneousAnonymizer(20, algorithm=MondrianAnonymizer(20))
    assert outer.fit(PEOPLE[["age", "town"]]).algorithm_.k == 20
