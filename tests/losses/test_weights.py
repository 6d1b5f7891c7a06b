"""Weights of quasi-identifiers, and losses by their names."""

import numpy as np
import pandas as pd
import pytest

from skanon._table.schema import Schema
from skanon.exceptions import ParameterError
from skanon.losses import (
    LM,
    MI,
    NCP,
    PMI,
    ByunInformationLoss,
    ClassPenalty,
    Entropy,
    TreeMeasure,
)
from skanon.losses._named import LOSSES, as_loss


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
    assert schema.costs[0].nodes()[-1, 0] == 0.75
    assert schema.costs[1].listed()[2] == 0.25
    assert schema.shares.tolist() == [0.75, 0.25]
    assert schema.suppressed.tolist() == [[0.75], [0.25]]
    assert schema.origins.tolist() == [0, 0]


@pytest.mark.parametrize("loss", [MI, PMI])
def test_weights_scale_what_the_original_table_costs(loss):
    frame = pd.DataFrame({"a": list("xxyz"), "b": [1, 2, 5, 5]})
    sensitive = np.array([0, 1, 0, 1], dtype=np.int32)
    plain, weighted = (
        Schema.learn(frame, {}, loss(weights), sensitive)[0]
        for weights in (None, {"a": 3})
    )
    assert (plain.origins > 0).all()
    np.testing.assert_allclose(weighted.origins, plain.origins * [1.5, 0.5])
    np.testing.assert_allclose(weighted.suppressed, plain.suppressed * [[1.5], [0.5]])


def test_names():
    assert {name: type(as_loss(name)) for name in LOSSES} == {
        "entropy": Entropy,
        "byun": ByunInformationLoss,
        "lm": LM,
        "mi": MI,
        "ncp": NCP,
        "pmi": PMI,
        "tree": TreeMeasure,
    }
    loss = LM({"a": 2})
    assert as_loss(loss) is loss
    assert repr(loss) == "LM(weights={'a': 2})"
    with pytest.raises(ParameterError, match=r"no loss named 'dm'.*lm.*ncp"):
        as_loss("dm")


def test_only_what_looks_at_sensitive_values_asks_for_them():
    asking = {name for name, loss in LOSSES.items() if loss().uses_sensitive}
    assert asking == {"pmi"}
    assert ClassPenalty().uses_sensitive
