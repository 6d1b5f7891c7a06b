"""Weights of quasi-identifiers, and losses by their names."""

import numpy as np
import pandas as pd
import pytest

from skanon.exceptions import ParameterError
from skanon.losses import LM, LOSSES, NCP, as_loss
from skanon.table import Schema


def test_weights_are_relative_and_default_to_one():
    assert LM().relative_weights(["a", "b"]).tolist() == [0.5, 0.5]
    assert LM({"a": 3}).relative_weights(["a", "b"]).tolist() == [0.75, 0.25]
    once, twice = {"a": 1, "b": 0.2}, {"a": 2, "b": np.float32(0.4)}
    np.testing.assert_allclose(
        NCP(once).relative_weights(["a", "b"]), NCP(twice).relative_weights(["a", "b"])
    )
    assert NCP({"b": 0}).relative_weights(["a", "b"]).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"c": 1}, "weights 'c', which is not a quasi-identifier"),
        ({"a": -1}, "gives 'a' the weight -1"),
        ({"a": np.inf}, "gives 'a' the weight inf"),
        ({"a": np.nan}, "gives 'a' the weight nan"),
        ({"a": "1"}, "gives 'a' the weight '1'"),
        ({"a": True}, "gives 'a' the weight True"),
        ({"a": None}, "gives 'a' the weight None"),
        ({"a": 0, "b": 0}, "gives all quasi-identifiers the weight 0"),
    ],
)
def test_unfit_weights(weights, message):
    with pytest.raises(ParameterError, match=message):
        LM(weights).relative_weights(["a", "b"])


def test_a_weighted_schema_scales_its_columns():
    frame = pd.DataFrame({"a": list("xyz"), "b": [1, 2, 5]})
    schema, _ = Schema.learn(frame, {}, NCP({"a": 3}))
    assert schema.costs[0].top == 0.75
    assert schema.costs[1].top == 0.25
    assert schema.shares.tolist() == [0.75, 0.25]


def test_names():
    assert {name: type(as_loss(name)) for name in LOSSES} == {"lm": LM, "ncp": NCP}
    loss = LM({"a": 2})
    assert as_loss(loss) is loss
    assert repr(loss) == "LM(weights={'a': 2})"
    with pytest.raises(ParameterError, match=r"no loss named 'dm'.*lm.*ncp"):
        as_loss("dm")
