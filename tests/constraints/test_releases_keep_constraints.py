"""Whatever the algorithm, loss and hierarchies: the release keeps its promises."""

import warnings

import naive_constraints
import numpy as np
import pandas as pd
import pytest
from algorithms import ALGORITHMS
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mixed_tables import covers, loss_of, tables
from naive_constraints import classes_of, kept, read
from random_constraints import ILLNESSES, constraints, sensitive_columns

from skanon import KAnonymizer, privacy
from skanon.constraints import BetaLikeness, LDiversity, TCloseness
from skanon.exceptions import InfeasibleError, PrivacyWarning
from skanon.hierarchies._files import as_hierarchy
from skanon.losses._named import LOSSES

OPTIONS = st.fixed_dictionaries(
    {
        "algorithm": st.sampled_from(sorted(ALGORITHMS)),
        "loss": st.sampled_from(sorted(LOSSES)),
        "max_suppression": st.sampled_from([0.0, 0.0, 0.25, 1.0]),
        "random_state": st.integers(0, 3),
    }
)
GROUPS = st.sampled_from("abc")
PUBLIC = st.lists(st.sampled_from(["no", "yes"]), min_size=18, max_size=18)
"""What losses look at; the promises are about something else."""


def level_is_kept(bound_constraint, frame, quasi, suppressed):
    """The same by the checks of releases."""
    own = {"suppressed": suppressed}
    kind = type(bound_constraint).__name__
    if kind == "LDiversity":
        also = {"c": bound_constraint.c} if bound_constraint.c else {}
        level = privacy.l_diversity(
            frame, quasi, "p", kind=bound_constraint.kind, **also, **own
        )
        return level >= bound_constraint.l - 1e-9
    if kind == "PSensitivity":
        return privacy.p_sensitivity(frame, quasi, "p", **own) >= bound_constraint.p
    if kind == "AlphaKAnonymity":
        named = bound_constraint.values
        level = privacy.alpha_k_anonymity(frame, quasi, "p", value=named, **own)
        return level <= bound_constraint.alpha + 1e-9
    if kind == "BetaLikeness":
        level = privacy.beta_likeness(
            frame, quasi, "p", kind=bound_constraint.kind, **own
        )
        return level <= bound_constraint.beta + 1e-9
    if kind == "DeltaDisclosure":
        return (
            privacy.delta_disclosure(frame, quasi, "p", **own) < bound_constraint.delta
        )
    if bound_constraint.hierarchy is not None:
        own["hierarchies"] = {"p": bound_constraint.hierarchy}
    level = privacy.t_closeness(
        frame, quasi, "p", distance=bound_constraint.distance, **own
    )
    return level <= bound_constraint.t + 1e-9


@settings(max_examples=250)
@given(tables(), OPTIONS, st.integers(1, 9), st.data(), PUBLIC)
def test_every_release_keeps_its_promises(table, options, k, data, y):
    frame, hierarchies, trees, words = table
    n = len(frame)
    k, y = min(k, n), y[:n]
    column = data.draw(sensitive_columns(n)).rename("p")
    made = [data.draw(constraints(column)) for _ in range(data.draw(st.integers(1, 2)))]
    for bound_constraint in made:
        bound_constraint.column = "p"
    anonymizer = KAnonymizer(k, hierarchies=hierarchies, constraints=made, **options)
    if not all(
        kept(bound_constraint, read(column), read(column)) for bound_constraint in made
    ):
        with pytest.raises(InfeasibleError, match="cannot be kept in the sensitive"):
            anonymizer.fit(frame, y, sensitive=column.to_frame())
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        release = anonymizer.fit_transform(frame, y, sensitive=column.to_frame())
    hidden = anonymizer.labels_ < 0
    assert hidden.mean() <= options["max_suppression"]
    classes = classes_of(release, column, hidden)
    assert all(len(cls) >= k for cls in classes)
    quasi = list(release)
    both = release.assign(p=column.array)
    sign = "*" if hidden.any() else None
    for bound_constraint in made:
        assert naive_constraints.all_kept(bound_constraint, classes, read(column))
        if (release != "*").any(axis=None):
            assert level_is_kept(bound_constraint, both, quasi, sign)
        assert bound_constraint.kept_by(both, quasi, "p", suppressed=sign)
    for name in frame.columns:
        for label, value in zip(release[name], frame[name], strict=True):
            assert covers(label, value, frame[name], trees.get(name))
    labels = anonymizer.labels_
    naive = loss_of(release, frame, y, labels, trees, words, options["loss"])
    assert anonymizer.information_loss_ == pytest.approx(naive, abs=1e-12)


@settings(max_examples=60)
@given(st.data(), st.integers(4, 20))
def test_kept_by_is_the_definition_on_any_table(data, n):
    """Also where the promise is broken."""
    column = data.draw(sensitive_columns(n)).rename("p")
    groups = data.draw(st.lists(st.sampled_from("abc*"), min_size=n, max_size=n))
    frame = pd.DataFrame({"q": groups}).assign(p=column)
    bound_constraint = data.draw(constraints(column))
    hidden = frame["q"] == "*"
    classes = classes_of(frame[["q"]], column, hidden)
    if classes:
        expected = naive_constraints.all_kept(bound_constraint, classes, read(column))
        assert bound_constraint.kept_by(frame, ["q"], "p", suppressed="*") == expected
        assert level_is_kept(bound_constraint, frame, ["q"], "*") == expected
    everything = classes_of(frame[["q"]], column, [False] * n)
    expected = naive_constraints.all_kept(bound_constraint, everything, read(column))
    assert bound_constraint.kept_by(frame, ["q"], "p", suppressed=None) == expected


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_larger_tables_keep_several_promises(algorithm):
    rng = np.random.RandomState(0)
    ages, towns = rng.randint(99, size=150), rng.randint(9, size=150)
    frame = pd.DataFrame({"a": ages, "b": towns})
    ill = np.where(frame["b"] < 3, "flu", rng.choice(["cold", "gout", "none"], 150))
    wage = pd.Series(frame["a"] // 10 * 100 + 1000, name="wage")
    made = [
        LDiversity(1.8, column="y"),
        BetaLikeness(3, "enhanced", column="y"),
        TCloseness(0.35, column="wage"),
    ]
    anonymizer = KAnonymizer(4, algorithm=algorithm, constraints=made, random_state=0)
    release = anonymizer.fit_transform(frame, ill, sensitive=wage.to_frame())
    quasi = list(release)
    assert privacy.k_anonymity(release) >= 4
    assert privacy.l_diversity(release.assign(y=ill), quasi, "y") >= 1.8
    level = privacy.beta_likeness(
        release.assign(y=ill), quasi, "y", kind="enhanced", suppressed=None
    )
    assert level <= 3
    assert privacy.t_closeness(release.assign(w=wage), quasi, "w") <= 0.35 + 1e-9
    assert anonymizer.n_classes_ > 1
    free = KAnonymizer(4, algorithm=algorithm, random_state=0).fit(frame)
    assert free.information_loss_ <= anonymizer.information_loss_ + 0.05
    alone = privacy.l_diversity(free.transform(frame).assign(y=ill), quasi, "y")
    assert alone < 1.8  # or the promise would have cost nothing


@settings(max_examples=60)
@given(st.data(), st.integers(1, 12))
def test_a_taxonomy_and_nested_dicts_are_the_same_distance(data, n):
    column = data.draw(sensitive_columns(n, ("text",))).rename("p")
    assume(column.notna().any())
    frame = pd.DataFrame({"q": data.draw(st.lists(GROUPS, min_size=n, max_size=n))})
    frame = frame.assign(p=column)
    level = privacy.t_closeness(frame, ["q"], "p", hierarchies={"p": ILLNESSES})
    for tree in (ILLNESSES, as_hierarchy(ILLNESSES)):
        for t, wanted in ((level + 1e-6, True), (level - 1e-6, False)):
            if 0 <= t <= 1:
                bound_constraint = TCloseness(t, "hierarchical", hierarchy=tree)
                assert bound_constraint.kept_by(frame, ["q"], "p") == wanted
