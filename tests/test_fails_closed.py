"""A release that breaks its promise is never handed out."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from skanon import KAnonymizer, SequentialAnonymizer
from skanon._release.emission import Emitter
from skanon.constraints import LDiversity, TCloseness
from skanon.exceptions import AnonymizationError, ReleaseError
from skanon.privacy import k_anonymity

ENCODINGS = ["label", "representative", "bounds", "distribution"]


def wrong_clusters(problem):
    labels = np.arange(len(problem.codes)) // problem.k
    labels[: problem.k - 1] = labels.max() + 1
    return labels


def too_few_suppressed(problem):
    labels = np.zeros(len(problem.codes), dtype=int)
    labels[: problem.k - 1] = -1
    return labels


def all_but_a_few_hidden(problem):
    """A class of k - 1 that comes out as * everywhere."""
    labels = np.zeros(len(problem.codes), dtype=int)
    labels[:2] = 1
    return labels


def interrupted(problem):
    raise KeyboardInterrupt


PLAIN = {"algorithm": "sequential", "refine": 0, "random_state": 0}
FAULTS = {
    "class of k - 1": (wrong_clusters, ReleaseError, "not 3-anonymous"),
    "suppressed": (too_few_suppressed, ReleaseError, "suppresses 2 records, but"),
    "hidden": (all_but_a_few_hidden, ReleaseError, "not 3-anonymous"),
    "Ctrl+C": (interrupted, KeyboardInterrupt, None),
}


@pytest.mark.parametrize("refit", [False, True])
@pytest.mark.parametrize("encode", ENCODINGS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_release_that_breaks_its_promise_is_never_handed_out(
    fault, encode, refit, monkeypatch
):
    cluster, error, message = FAULTS[fault]
    first = "pp" if fault == "class of k - 1" else "pq"
    frame = pd.DataFrame({"a": list(f"{first}rrrrrr"), "b": list("pqssssss")})
    fitted = KAnonymizer(3, encode=encode, **PLAIN)
    if refit:
        fitted.fit(frame)
    monkeypatch.setattr(SequentialAnonymizer, "_cluster", lambda _, p: cluster(p))
    for method in [fitted.fit, fitted.fit_transform]:
        with pytest.raises(error, match=message):
            method(frame)
        with pytest.raises(NotFittedError):
            check_is_fitted(fitted)
        with pytest.raises(NotFittedError):
            fitted.transform(frame)
        assert vars(fitted) == vars(KAnonymizer(3, encode=encode, **PLAIN))
    monkeypatch.undo()
    assert k_anonymity(fitted.set_params(encode="label").fit_transform(frame)) >= 3


@pytest.mark.parametrize("faulty", ["number", "town"])
@pytest.mark.parametrize("encode", ENCODINGS[1:])
def test_each_encoding_is_checked_by_what_it_says(encode, faulty, monkeypatch):
    """A record of a class of k reads as another class, though its label is right."""
    frame = pd.DataFrame({"number": [1, 1, 2, 7, 8, 8, 8], "town": list("pppqqqq")})
    labels = np.array([0, 0, 0, 1, 1, 1, 1])
    monkeypatch.setattr(SequentialAnonymizer, "_cluster", lambda *_: labels)
    emit = Emitter.emit

    def slipped(emitter, asked, classes):
        written = emit(emitter, asked, classes)
        if asked == "label" or emitter.bound.domain.name != faulty:
            return written
        at = np.arange(len(classes))
        at[0] = np.flatnonzero(classes == 1)[0]
        return {suffix: column.take(at) for suffix, column in written.items()}

    KAnonymizer(3, encode=encode, **PLAIN).fit(frame)
    monkeypatch.setattr(Emitter, "emit", slipped)
    for method in ["fit", "fit_transform"]:
        fitted = KAnonymizer(3, encode=encode, **PLAIN)
        with pytest.raises(ReleaseError, match="not 3-anonymous"):
            getattr(fitted, method)(frame)
        with pytest.raises(NotFittedError):
            check_is_fitted(fitted)


def test_a_refit_with_bad_input_leaves_nothing_of_the_first_fit():
    frame = pd.DataFrame({"a": [1, 1, 2, 2]})
    fitted = KAnonymizer(2, random_state=0).fit(frame)
    with pytest.raises(AnonymizationError):
        fitted.fit(frame[:1])
    assert not [name for name in vars(fitted) if name.endswith("_")]
    with pytest.raises(NotFittedError):
        fitted.transform(frame)


@pytest.mark.parametrize("shape", ["all suppressed", "wrong length"])
def test_odd_clusterings(shape):
    frame = pd.DataFrame({"a": list("pqrs")})
    fitted = SequentialAnonymizer(k=2, max_suppression=1.0)
    if shape == "wrong length":
        fitted._cluster = lambda problem: np.zeros(3, dtype=int)
        with pytest.raises(ReleaseError, match="3 labels for 4 records"):
            fitted.fit(frame)
        return
    fitted._cluster = lambda problem: np.full(4, -1)
    assert fitted.fit_transform(frame)["a"].tolist() == ["*"] * 4
    assert fitted.information_loss_ == 1 and fitted.n_classes_ == 0
    assert fitted.transform(pd.DataFrame({"a": ["new"]}))["a"].tolist() == ["*"]


# ------------------------------------------------- the last check, by itself

SIX = pd.DataFrame({"a": list("ppqqrs")})


def classes_of_six(encode="label"):
    """Make what is published of six records in classes of two, the last one of "*"."""
    made = SequentialAnonymizer(k=2, encode=encode)
    made._cluster = lambda problem: np.repeat([0, 1, 2], 2)
    return made.fit(SIX)._classes


# which constraint, the private values, and under which suppression they are kept
VALUES = {
    "all differ": (LDiversity(2), "uvuvuv", ["keep", "blank", "drop"]),
    "a class of one value": (LDiversity(2), "uuuvuv", []),
    "the suppressed have one value": (LDiversity(2), "uvuvuu", ["blank", "drop"]),
    # by hand: half and half in each class, and in the table; empty cells are a third
    # of the column, and a third away
    "empty cells are in the table": (TCloseness(0.2), "uvuvuv", ["keep", "drop"]),
    "a third away is allowed": (TCloseness(0.34), "uvuvuv", ["keep", "blank", "drop"]),
}


@pytest.mark.parametrize("encode", ["label", "distribution"])
@pytest.mark.parametrize("suppressed", ["keep", "blank", "drop"])
@pytest.mark.parametrize("case", VALUES)
def test_constraints_are_read_from_what_is_published(case, suppressed, encode):
    constraint, values, where = VALUES[case]
    labels = np.array([0, 0, 1, 1, -1, -1])
    classes, values = classes_of_six(encode), pd.Series(list(values), name="ill")
    given = labels, encode, 2, suppressed, [(constraint, values)]
    if suppressed in where:
        assert classes.check(*given) is None
        return
    with pytest.raises(ReleaseError, match=r"not keep (LD|TC).*attribute 'ill'"):
        classes.check(*given)


@pytest.mark.parametrize("suppressed", ["keep", "blank", "drop"])
def test_sizes_are_read_from_what_is_published(suppressed):
    classes = classes_of_six()
    assert classes.check(np.array([0, 0, 1, 1, -1, -1]), "label", 2, suppressed) is None
    with pytest.raises(ReleaseError, match="not 2-anonymous"):
        classes.check(np.array([0, 0, 0, 1, -1, -1]), "label", 2, suppressed)
    lonely = np.array([0, 0, 1, 1, 1, -1])
    if suppressed == "keep":
        with pytest.raises(ReleaseError, match="not 2-anonymous"):
            classes.check(lonely, "label", 2, suppressed)
    else:
        assert classes.check(lonely, "label", 2, suppressed) is None
        assert classes.check(np.full(6, -1), "label", 2, suppressed) is None


def test_two_columns_of_one_name_are_both_checked():
    """The check writes columns by position, so that no name hides another."""
    frame = pd.DataFrame({"sensitive": list("ppqq"), "of a class": list("rrss")})
    made = SequentialAnonymizer(k=2, constraints=[LDiversity(2)], suppressed="blank")
    made._cluster = lambda problem: np.array([0, 0, 1, 1])
    made.fit(frame, list("uvuv"))
    assert made.labels_.tolist() == [0, 0, 1, 1]
