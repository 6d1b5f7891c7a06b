"""Constraints in the life of an anonymizer: scikit-learn, faults, suppression."""

import copy
import pickle
import warnings

import naive_constraints
import numpy as np
import pandas as pd
import pytest
from naive_constraints import classes_of
from random_constraints import ILLNESSES
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skanon import KAnonymizer, SequentialAnonymizer
from skanon.clustering import _base as base
from skanon.constraints import (
    AlphaKAnonymity,
    BetaLikeness,
    Constraint,
    DeltaDisclosure,
    LDiversity,
    PSensitivity,
    TCloseness,
)
from skanon.constraints import _bound as bound_constraints
from skanon.exceptions import PrivacyWarning, ReleaseError
from skanon.privacy import alpha_k_anonymity, k_anonymity, l_diversity, t_closeness

ALL = [
    LDiversity(1.5),
    LDiversity(2, "distinct"),
    LDiversity(1.5, "entropy"),
    LDiversity(2, "recursive", c=3),
    PSensitivity(2, column="y"),
    AlphaKAnonymity(0.7),
    AlphaKAnonymity(0.7, values=["flu"]),
    TCloseness(0.4),
    TCloseness(0.3, "hierarchical", hierarchy=ILLNESSES),
    BetaLikeness(1.2),
    BetaLikeness(1.2, "enhanced"),
    DeltaDisclosure(2),
]


def table(n=60, seed=0):
    """People whose illness goes with their age."""
    rng = np.random.RandomState(seed)
    ages = rng.randint(20, 80, size=n)
    ill = np.where(ages < 45, "flu", "cold").astype(object)
    ill[rng.random_sample(n) < 0.3] = "ulcer"
    return pd.DataFrame({"age": ages, "town": rng.choice(list("abc"), n)}), ill


# ------------------------------------------------------------------- scikit-learn


@pytest.mark.parametrize("made", ALL, ids=repr)
def test_copies_are_equal_and_do_the_same(made):
    frame, ill = table()
    for again in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert again == made and hash(again) == hash(made)
    assert made != [made] and made != Constraint
    fitted = KAnonymizer(3, constraints=[made], random_state=0)
    release = fitted.fit_transform(frame, ill)
    cloned = clone(fitted)
    assert cloned.constraints == [made]
    pd.testing.assert_frame_equal(cloned.fit_transform(frame, ill), release)
    stored = pickle.loads(pickle.dumps(fitted))
    pd.testing.assert_frame_equal(stored.transform(frame), release)


def test_repr_is_what_one_would_write():
    written = [
        "LDiversity(l=1.5)",
        "LDiversity(l=2, kind='distinct')",
        "LDiversity(l=1.5, kind='entropy')",
        "LDiversity(l=2, kind='recursive', c=3)",
        "PSensitivity(p=2, column='y')",
        "AlphaKAnonymity(alpha=0.7)",
        "AlphaKAnonymity(alpha=0.7, values=['flu'])",
        "TCloseness(t=0.4)",
        f"TCloseness(t=0.3, distance='hierarchical', hierarchy={ILLNESSES})",
        "BetaLikeness(beta=1.2)",
        "BetaLikeness(beta=1.2, kind='enhanced')",
        "DeltaDisclosure(delta=2)",
    ]
    assert [repr(made) for made in ALL] == written
    assert [eval(text) for text in written] == ALL


def test_equality():
    assert LDiversity(2) == LDiversity(2.0)
    assert hash(LDiversity(2)) == hash(LDiversity(2.0))
    assert len({repr(made) for made in ALL}) == len(set(ALL)) == len(ALL)
    assert LDiversity(2) != LDiversity(2, column="y")
    assert LDiversity(2) != PSensitivity(2)


def test_a_fit_leaves_its_constraints_as_they_were():
    """They must not carry the table away with them."""
    frame, ill = table()
    made = [copy.deepcopy(bound_constraint) for bound_constraint in ALL]
    before = [dict(vars(bound_constraint)) for bound_constraint in made]
    fitted = KAnonymizer(3, constraints=made, random_state=0).fit(frame, ill)
    assert [vars(bound_constraint) for bound_constraint in made] == before
    assert fitted.constraints is made
    assert b"ulcer" not in pickle.dumps(
        KAnonymizer(3, constraints=made[:5], random_state=0).fit(frame, ill).forget()
    )


def test_one_constraint_instead_of_a_list():
    frame, ill = table()
    labels = [
        KAnonymizer(3, constraints=made, random_state=0)
        .fit(frame, ill)
        .labels_.tolist()
        for made in (LDiversity(1.5), [LDiversity(1.5)], (LDiversity(1.5),))
    ]
    assert labels[0] == labels[1] == labels[2]


def test_no_constraints_at_all():
    frame, _ = table()
    labels = [
        KAnonymizer(3, constraints=none, random_state=0).fit(frame).labels_.tolist()
        for none in ((), [])
    ]
    assert labels[0] == labels[1]


def test_a_grid_search_over_constraints():
    frame, ill = table(120)
    pipeline = make_pipeline(
        KAnonymizer(4, encode="distribution", random_state=0),
        LogisticRegression(max_iter=1000),
    )
    grid = {"kanonymizer__constraints": [[], [LDiversity(1.4)], [TCloseness(0.1)]]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(frame, ill == "flu")
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all() and len(set(scores)) > 1
    tried = [list(x["kanonymizer__constraints"]) for x in search.cv_results_["params"]]
    assert tried == [[], [LDiversity(1.4)], [TCloseness(0.1)]]


def test_parameters_of_the_front_door_reach_the_algorithm():
    frame, ill = table()
    made = [LDiversity(1.8)]
    outer = KAnonymizer(3, algorithm=SequentialAnonymizer(), constraints=made)
    release = outer.set_params(random_state=0).fit_transform(frame, ill)
    alone = SequentialAnonymizer(3, constraints=made, random_state=0)
    pd.testing.assert_frame_equal(release, alone.fit_transform(frame, ill))


# ------------------------------------------------------------- sensitive attributes


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA, pd.NaT])
def test_a_missing_sensitive_value_is_a_value_of_its_own(gap):
    frame, ill = table()
    ill[frame["age"] > 60] = gap
    made = [AlphaKAnonymity(0.5, values=[None])]
    release = KAnonymizer(3, constraints=made, random_state=0).fit_transform(frame, ill)
    classes = classes_of(release, pd.Series(ill), [False] * 60)
    assert all(naive_constraints.kept(made[0], cls, list(ill)) for cls in classes)
    free = KAnonymizer(3, random_state=0).fit_transform(frame, ill)
    both = free.assign(ill=pd.isna(ill))
    assert alpha_k_anonymity(both, list(free), "ill", value=[True]) > 0.5
    KAnonymizer(2, constraints=[LDiversity(2)]).fit(frame[:6], ["a", gap] * 3)


@pytest.mark.parametrize("kind", ["list", "array", "series", "frame", "categorical"])
def test_sensitive_attributes_of_all_forms(kind):
    frame, ill = table()
    given = {
        "list": ill.tolist(),
        "array": ill.astype(str),
        "series": pd.Series(ill, index=range(5, 65)),
        "frame": pd.DataFrame({"ill": ill}),
        "categorical": pd.Categorical(ill),
    }[kind]
    made = [LDiversity(1.8, column="ill" if kind == "frame" else "y")]
    fitted = KAnonymizer(3, constraints=made, random_state=0)
    release = fitted.fit_transform(frame, given)
    assert l_diversity(release.assign(ill=ill), list(release), "ill") >= 1.8


def test_numbers_in_a_list_are_as_ordered_as_in_an_array():
    frame, _ = table()
    wages = (frame["age"] * 10).tolist()
    labels = [
        KAnonymizer(3, constraints=[TCloseness(0.2)], random_state=0)
        .fit(frame, given)
        .labels_.tolist()
        for given in (wages, np.array(wages), np.array(wages, dtype=object))
    ]
    assert labels[0] == labels[1] == labels[2]
    release = KAnonymizer(3, constraints=[TCloseness(0.2)], random_state=0)
    release = release.fit_transform(frame, wages).assign(wage=wages)
    assert t_closeness(release, ["age", "town"], "wage", distance="ordered") <= 0.2


def test_each_attribute_its_own_promise_or_all_the_same():
    frame, ill = table()
    frame = frame.assign(ill=ill, wage=frame["age"] // 20)
    own = [LDiversity(1.5, column="ill"), PSensitivity(2, column="wage")]
    for made, levels in ((own, (1.5, 2)), ([PSensitivity(2)], (1, 2))):
        fitted = KAnonymizer(3, constraints=made, sensitive=["ill", "wage"])
        release = fitted.set_params(random_state=0).fit_transform(frame)
        quasi = ["age", "town"]
        assert l_diversity(release, quasi, "ill") >= levels[0]
        assert l_diversity(release, quasi, "ill", kind="distinct") >= 2
        assert l_diversity(release, quasi, "wage", kind="distinct") >= levels[1]


# ------------------------------------------------------------- k = 1, suppression


@pytest.mark.parametrize("made", ALL, ids=repr)
def test_k_of_1_with_a_promise(made):
    frame, ill = table(30)
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyWarning)  # there is something to hide in
        fitted = KAnonymizer(1, constraints=[made]).fit(frame, ill)
    classes = classes_of(fitted.transform(frame), pd.Series(ill), [False] * 30)
    assert naive_constraints.all_kept(made, classes, list(ill))


@pytest.mark.parametrize("suppressed", ["keep", "drop"])
@pytest.mark.parametrize("made", ALL, ids=repr)
@pytest.mark.parametrize(
    "algorithm", ["sequential", "mondrian", "bisecting", "one_pass_k_means"]
)
def test_suppression_keeps_the_budget_and_the_promise(algorithm, made, suppressed):
    frame, ill = table(80)
    frame.loc[::16, "age"] = np.arange(5) * 1000  # outliers
    own = {"algorithm": algorithm, "constraints": [made], "random_state": 0}
    own["refine"] = 0  # else what is left hardly gains
    own["loss"] = "ncp"
    without = KAnonymizer(3, **own).fit(frame, ill)
    fitted = KAnonymizer(3, max_suppression=0.1, suppressed=suppressed, **own)
    release = fitted.fit_transform(frame, ill)
    assert fitted.suppressed_.sum() <= 8
    if fitted.suppressed_.any():
        assert fitted.information_loss_ < without.information_loss_
    else:
        assert fitted.information_loss_ == without.information_loss_
    drops = suppressed == "drop"
    if drops and made in (ALL[0], ALL[-1]) and algorithm in ("sequential", "bisecting"):
        assert fitted.suppressed_.any()  # elsewhere the heuristic may find nothing
    hidden = fitted.suppressed_
    if drops:  # hidden rows are not there any more
        assert len(release) == len(frame) - hidden.sum()
        values, hidden = pd.Series(ill)[~hidden], np.zeros(len(release), dtype=bool)
        values.index = release.index
    else:  # they are a class like any other
        values, hidden = pd.Series(ill), np.zeros(len(release), dtype=bool)
    classes = classes_of(release, values, hidden)
    assert min(map(len, classes)) >= 3
    assert naive_constraints.all_kept(made, classes, list(ill))


def test_records_that_an_algorithm_leaves_out_come_back_where_they_are_needed():
    """Without them no class of the others would be diverse."""
    frame, ill = pd.DataFrame({"age": range(8)}), ["a"] * 5 + ["b"] * 3
    made = SequentialAnonymizer(2, constraints=[LDiversity(1.6)], max_suppression=0.5)
    made._cluster = lambda problem: np.where(np.arange(len(problem.codes)) < 5, 0, -1)
    fitted = made.fit(frame, ill)
    assert fitted.class_sizes_.tolist() == [8]


# ------------------------------------------------------------------- fails closed


@pytest.mark.parametrize("made", ALL, ids=repr)
def test_clusters_that_nobody_repairs_are_never_handed_out(made, monkeypatch):
    frame, ill = table()
    order = np.argsort(ill, kind="stable")
    frame, ill = frame.iloc[order], ill[order]  # neighbours share their illness
    frame["age"] = np.arange(60)
    monkeypatch.setattr(base, "repair", lambda *given: given[3])  # the labels
    fitted = SequentialAnonymizer(3, constraints=[made])
    fitted._cluster = lambda problem: np.arange(60) // 3
    with pytest.raises(ReleaseError, match="does not keep") as caught:
        fitted.fit_transform(frame, ill)
    assert repr(made) in str(caught.value) and "'y'" in str(caught.value)
    with pytest.raises(NotFittedError):
        fitted.transform(frame)


@pytest.mark.parametrize("made", [*ALL[:8], *ALL[9:]], ids=repr)
def test_a_wrong_definition_is_caught_by_the_check(made, monkeypatch):
    """What ``holds`` gets wrong, the independent check must find.

    There is none for trees: they are counted anew, but by the same formula.
    """
    frame, ill = table()
    order = np.argsort(ill, kind="stable")
    frame, ill = frame.iloc[order], ill[order]
    frame["age"] = np.arange(60)

    def wrong(self, counts, attribute):
        return np.ones(len(counts), dtype=bool)

    monkeypatch.setattr(type(made), "holds", wrong)
    fitted = SequentialAnonymizer(3, constraints=[made])
    fitted._cluster = lambda problem: np.arange(60) // 3
    with pytest.raises(ReleaseError, match="does not keep"):
        fitted.fit(frame, ill)


class OneMoreThanThrees(Constraint):
    """Not monotone: 4 and 4 keep it, 8 do not."""

    def holds(self, counts, attribute):
        return counts.sum(axis=1) % 3 == 1


def test_a_constraint_that_is_not_monotone_fails_closed():
    frame = pd.DataFrame({"town": ["a"] * 8 + ["b"] * 8})
    fitted = SequentialAnonymizer(4, constraints=[OneMoreThanThrees()])
    fitted._cluster = lambda problem: np.arange(16) // 4
    with pytest.raises(ReleaseError, match="or the constraint is not monotone"):
        fitted.fit(frame, ["x", "y"] * 8)
    with pytest.raises(NotFittedError):
        fitted.transform(frame)


# ---------------------------------------------------------------- written by users


class FewSmokers(Constraint):
    """The example of the documentation."""

    def __init__(self, most=0.5, *, column=None):
        super().__init__(column)
        self.most = most

    def holds(self, counts, attribute):
        smokers = counts[:, attribute.values.index("smoker")]
        return smokers <= self.most * counts.sum(axis=1)


class WithCaps(FewSmokers):
    def caps(self, attribute):
        return np.where(np.array(attribute.values) == "smoker", self.most, 1.0)


@pytest.mark.parametrize("algorithm", ["sequential", "bisecting", "k_member"])
@pytest.mark.parametrize("made", [FewSmokers(0.4), WithCaps(0.4, column="y")])
def test_a_constraint_of_ones_own(made, algorithm):
    frame, ill = table()
    habits = np.where(ill == "ulcer", "smoker", "none")
    own = {"algorithm": algorithm, "random_state": 0}
    fitted = KAnonymizer(3, constraints=[made], **own)
    release = fitted.fit_transform(frame, habits)
    smokers = release.assign(s=habits == "smoker").groupby(["age", "town"])["s"].mean()
    assert smokers.max() <= 0.4
    free = KAnonymizer(3, **own).fit_transform(frame, habits)
    smokers = free.assign(s=habits == "smoker").groupby(["age", "town"])["s"].mean()
    assert smokers.max() > 0.4
    assert repr(made).startswith(f"{type(made).__name__}(most=0.4")
    assert clone(fitted).constraints == [made] and k_anonymity(release) >= 3


def test_the_repair_gives_up_looking_far_away(monkeypatch):
    """Then the nearest is taken, again and again."""
    monkeypatch.setattr(bound_constraints, "FAR", 1)
    monkeypatch.setattr(bound_constraints, "NEARBY", 1)
    frame, ill = table()
    made = [LDiversity(2, "distinct"), TCloseness(0.3)]
    release = KAnonymizer(3, constraints=made, random_state=0).fit_transform(frame, ill)
    classes = classes_of(release, pd.Series(ill), [False] * 60)
    for bound_constraint in made:
        assert naive_constraints.all_kept(bound_constraint, classes, list(ill))
