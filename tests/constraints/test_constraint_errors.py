"""What constraints refuse, and what they say."""

import numpy as np
import pandas as pd
import pytest
from random_constraints import ILLNESSES

from skanon import KAnonymizer
from skanon.constraints import (
    AlphaKAnonymity,
    BetaLikeness,
    Constraint,
    DeltaDisclosure,
    LDiversity,
    PSensitivity,
    TCloseness,
)
from skanon.exceptions import (
    AnonymizationError,
    ColumnError,
    ColumnTypeError,
    HierarchyError,
    InfeasibleError,
    ParameterError,
)
from skanon.hierarchies import Intervals

FRAME = pd.DataFrame({"age": [20, 21, 22, 30, 31, 32, 40, 41]})
ILL = ["flu", "cold", "flu", "cold", "flu", "ulcer", "flu", "flu"]


def fit(constraints, y=ILL, frame=FRAME, **parameters):
    parameters = {"k": 2, "random_state": 0, **parameters}
    return KAnonymizer(constraints=constraints, **parameters).fit(frame, y)


# ---------------------------------------------------------------- bad parameters

BAD = [
    (lambda: LDiversity(0.5), "LDiversity: l is 0.5. Give a number of at least 1"),
    (lambda: LDiversity("2"), "LDiversity: l is '2'"),
    (lambda: LDiversity(None), "LDiversity: l is None"),
    (lambda: LDiversity(True), "LDiversity: l is True"),
    (lambda: LDiversity(float("nan")), "LDiversity: l is nan"),
    (lambda: LDiversity(2.5, "distinct"), "l is 2.5. Give a whole number of at least"),
    (lambda: LDiversity(2, "some"), "kind is 'some'. Choose one of 'frequency', 'dist"),
    (lambda: LDiversity(2, ["distinct"]), "kind is \\['distinct'\\]"),
    (lambda: LDiversity(2, "recursive"), "LDiversity: c is None. Give a number"),
    (lambda: LDiversity(2, "recursive", c=-1), "c is -1"),
    (lambda: LDiversity(2, c=3), "c is 3, but kind='frequency' has no use for it"),
    (lambda: PSensitivity(0), "PSensitivity: p is 0. Give a whole number"),
    (lambda: PSensitivity(1.5), "PSensitivity: p is 1.5"),
    (lambda: AlphaKAnonymity(1.1), "alpha is 1.1. Give a number from 0 to 1"),
    (lambda: AlphaKAnonymity(0.5, values="flu"), "values is 'flu'. Give a list of"),
    (lambda: AlphaKAnonymity(0.5, values=[]), "values is \\[\\]. Give a list of"),
    (lambda: TCloseness(-0.1), "TCloseness: t is -0.1. Give a number from 0 to 1"),
    (lambda: TCloseness(2), "TCloseness: t is 2"),
    (lambda: TCloseness(0.1, "far"), "distance is 'far'. Choose one of 'equal'"),
    (lambda: TCloseness(0.1, "hierarchical"), 'distance="hierarchical" needs a'),
    (lambda: TCloseness(0.1, hierarchy=ILLNESSES), "nothing else has use for one"),
    (lambda: BetaLikeness(-1), "BetaLikeness: beta is -1"),
    (lambda: BetaLikeness(1, "other"), "BetaLikeness: kind is 'other'"),
    (lambda: DeltaDisclosure(-1), "DeltaDisclosure: delta is -1"),
    (lambda: DeltaDisclosure("x"), "DeltaDisclosure: delta is 'x'"),
]


@pytest.mark.parametrize(("make", "message"), BAD)
def test_levels_out_of_range(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_numbers_of_numpy_are_numbers():
    fit([LDiversity(np.float64(1.5)), PSensitivity(np.int64(2))])
    fit([LDiversity(np.int32(2), "distinct")])


@pytest.mark.parametrize(
    "constraints", [["l-diversity"], [2], [LDiversity], [None], [LDiversity(1.5), 3]]
)
def test_something_else_in_the_list(constraints):
    with pytest.raises(ParameterError, match="which is no Constraint"):
        fit(constraints)


@pytest.mark.parametrize("constraints", ["LDiversity(2)", 3, None, {"a": 1}])
def test_no_list(constraints):
    with pytest.raises(ParameterError, match="Give a list, such as \\[LDiversity"):
        fit(constraints)


# -------------------------------------------------------------- sensitive attributes


def test_no_sensitive_attribute():
    with pytest.raises(ColumnError, match="sensitive attribute, but there is none"):
        fit([LDiversity(1.5)], y=None)


@pytest.mark.parametrize("column", ["age", "name", "nothing", 5, ["age"], ("y", "y")])
def test_what_is_no_sensitive_attribute(column):
    frame = FRAME.assign(name=list("abcdefgh"))
    with pytest.raises(ColumnError, match="is no sensitive attribute") as caught:
        fit([LDiversity(1.5, column=column)], frame=frame, identifiers=["name"])
    assert "These are ['y']" in str(caught.value)
    assert repr(column) in str(caught.value)


def test_sensitive_values_that_cannot_be_compared():
    with pytest.raises(ColumnTypeError, match="'y' has values that cannot be comp"):
        fit([LDiversity(1.5)], y=pd.Series([[1], [2]] * 4))


def test_unknown_values():
    made = AlphaKAnonymity(0.5, values=["HIV"])
    with pytest.raises(ParameterError, match="'y' has no value 'HIV'"):
        fit([made])


def test_an_order_that_is_not_there():
    with pytest.raises(ParameterError, match="'y' has values without an order, such"):
        fit([TCloseness(0.5, "ordered")])
    fit([TCloseness(0.5, "ordered")], y=[True, False] * 4)
    fit([TCloseness(0.5, "ordered")], y=[1.5, 2.5] * 4)


def test_trees_that_do_not_fit():
    short = {"*": {"lungs": ["flu", "cold"]}}
    with pytest.raises(HierarchyError, match="'ulcer'"):
        fit([TCloseness(0.5, "hierarchical", hierarchy=short)])
    with pytest.raises(HierarchyError, match="needs a Taxonomy"):
        made = TCloseness(0.5, "hierarchical", hierarchy=Intervals())
        fit([made], y=[1, 2] * 4)


# -------------------------------------------------------------------- infeasible

INFEASIBLE = [
    (LDiversity(2), ["l = 1.6 at most", "'flu'", "0.625"]),
    (LDiversity(4, "distinct"), ["l = 3 at most"]),
    (LDiversity(3, "entropy"), ["l = 2.46023 at most"]),
    (LDiversity(2, "recursive", c=1), ["'flu'", "Lower l, or raise c"]),
    (PSensitivity(4), ["3 different values"]),
    (AlphaKAnonymity(0.6), ["alpha = 0.625 at least", "'flu'"]),
    (AlphaKAnonymity(0.2, values=["cold", "ulcer"]), ["alpha = 0.25", "'cold'"]),
    (DeltaDisclosure(0), ["Give a delta above 0"]),
]


@pytest.mark.parametrize(("made", "words"), INFEASIBLE)
def test_what_the_table_cannot_reach_is_said_at_once(made, words, monkeypatch):
    def never(self, problem):
        raise AssertionError

    monkeypatch.setattr("skanon.SequentialAnonymizer._cluster", never)
    with pytest.raises(
        InfeasibleError, match="cannot be kept in the sensitive"
    ) as caught:
        fit([made])
    for word in [*words, repr(made), "'y'"]:
        assert word in str(caught.value)


def test_entropy_and_its_level():
    p = np.array([5, 2, 1]) / 8
    assert 2 ** -(p * np.log2(p)).sum() == pytest.approx(2.46, abs=0.005)
    fit([LDiversity(2.45, "entropy")])


def test_the_limit_itself_is_feasible():
    whole = fit([LDiversity(1.6), TCloseness(0), BetaLikeness(0)])
    assert whole.n_classes_ == 1
    assert fit([AlphaKAnonymity(0.625)]).class_sizes_.min() >= 2


def test_the_column_at_fault_is_named():
    frame = FRAME.assign(ill=ILL, wage=[1, 2, 3, 4, 5, 6, 7, 8])
    with pytest.raises(InfeasibleError, match="in the sensitive attribute 'ill'"):
        fit([LDiversity(2)], y=None, frame=frame, sensitive=["wage", "ill"])
    fit([LDiversity(2, column="wage")], None, frame, sensitive=["wage", "ill"])


def test_constant_sensitive_attribute():
    for made in [
        LDiversity(1),
        TCloseness(0),
        BetaLikeness(0),
        BetaLikeness(0, "enhanced"),
        DeltaDisclosure(0.1),
        AlphaKAnonymity(1),
        PSensitivity(1),
        LDiversity(1, "entropy"),
        LDiversity(1, "recursive", c=0.1),
    ]:
        assert fit([made], y=["flu"] * 8).n_classes_ > 1
    with pytest.raises(InfeasibleError, match=r"l = 1 at most.*'flu' has a share of 1"):
        fit([LDiversity(2)], y=["flu"] * 8)


# ------------------------------------------------------------- constraints of users


class Odd(Constraint):
    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def holds(self, counts, attribute):
        return self.answer(counts)


@pytest.mark.parametrize(
    "answer",
    [
        lambda counts: True,
        lambda counts: counts,
        lambda counts: counts.sum(axis=1),
        lambda counts: [True] * (len(counts) + 1),
        lambda counts: None,
    ],
)
def test_answers_that_are_no_truth_values(answer):
    with pytest.raises(ParameterError, match="must give a truth value for each class"):
        fit([Odd(answer)])


def test_what_even_the_whole_table_breaks():
    with pytest.raises(InfeasibleError, match="Even one class of all records does not"):
        fit([Odd(lambda counts: counts[:, 0] < 0)])


def test_after_an_error_nothing_is_fitted():
    anonymizer = fit([LDiversity(1.5)])
    anonymizer.set_params(constraints=[LDiversity(3)])
    with pytest.raises(AnonymizationError):
        anonymizer.fit(FRAME, ILL)
    assert not [name for name in vars(anonymizer) if name.endswith("_")]
