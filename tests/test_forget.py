"""A forgetful copy holds no record and no private value, searched byte by byte."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from algorithms import ALGORITHMS

import skanon
from skanon import KAnonymizer
from skanon.constraints import (
    AlphaKAnonymity,
    BetaLikeness,
    LDiversity,
    PSensitivity,
    TCloseness,
)
from skanon.losses import LM, PMI, ClassPenalty
from skanon.losses._named import LOSSES

SECRETS = ["secret-HIV", "secret-flu", "secret-cold"]
LOSS = [*LOSSES, LM() + 0.5 * ClassPenalty(), PMI() + LM(), PMI(norm="l2")]
CONSTRAINTS = [
    LDiversity(1.5),
    PSensitivity(2),
    TCloseness(0.9),
    BetaLikeness(5),
    AlphaKAnonymity(0.8),
]
MODELS = [
    "KKAnonymizer",
    "OneKAnonymizer",
    "KOneAnonymizer",
    "GlobalOneKAnonymizer",
    "NonHomogeneousAnonymizer",
]


def people(n=16):
    """Each value of zip is held by one person; so is each name."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "zip": [f"zip-{i:05d}" for i in range(n)],
            "age": rng.integers(20, 60, n),
            "ill": pd.Series(SECRETS * n)[:n],
            "name": [f"name-of-{i}" for i in range(n)],
            "note": [f"note-of-{i}" for i in range(n)],
        }
    )


def fit(anonymizer, frame):
    anonymizer.set_params(
        quasi_identifiers=["zip", "age"], sensitive="ill", identifiers="name"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return anonymizer.fit(frame)


def numbers_of(frame):
    """What the private values are in code: the order of sensitive values by row."""
    codes, _ = pd.factorize(frame["ill"])
    for dtype in ("int8", "int32", "int64", "float64"):
        yield codes.astype(dtype).tobytes()
        table = np.zeros((len(frame), 3), dtype=dtype)
        table[np.arange(len(frame)), codes] = 1  # of zip by illness
        yield table.tobytes()
        yield np.cumsum(table, axis=0).astype(dtype).tobytes()


def check(fitted, frame):
    gone = fitted.forget()
    told = pickle.dumps(gone)
    for text in [*SECRETS, "name-of", "note-of"]:
        assert text.encode() not in told, text
    for numbers in numbers_of(frame):
        assert numbers not in told
    for name, value in vars(gone).items():
        assert not (isinstance(value, np.ndarray) and len(value) == len(frame)), name
    for anonymizer in (gone, pickle.loads(told)):
        new = frame.drop(columns=["ill", "name"])
        written = anonymizer.transform(new)
        assert list(written) == ["zip", "age", "note"]
    assert pickle.loads(told).__dict__.keys() == gone.__dict__.keys()


def test_the_search_finds_what_is_there():
    frame = people()
    told = pickle.dumps(fit(KAnonymizer(4, loss="pmi"), frame))
    assert SECRETS[0].encode() in told
    assert any(numbers in told for numbers in numbers_of(frame))


@pytest.mark.parametrize("loss", LOSS, ids=repr)
def test_no_loss_keeps_private_values(loss):
    frame = people()
    check(fit(KAnonymizer(4, loss=loss, random_state=0), frame), frame)


@pytest.mark.parametrize("made", CONSTRAINTS, ids=repr)
def test_no_constraint_keeps_private_values(made):
    frame = people()
    check(fit(KAnonymizer(4, constraints=[made], random_state=0), frame), frame)


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_no_algorithm_keeps_private_values(algorithm):
    frame = people()
    given = {"algorithm": algorithm, "loss": LM() + ClassPenalty(), "random_state": 0}
    check(fit(KAnonymizer(4, max_suppression=0.3, **given), frame), frame)


@pytest.mark.parametrize("loss", ["lm", "pmi"])
@pytest.mark.parametrize("model", MODELS)
def test_no_model_keeps_private_values(model, loss):
    frame = people()
    check(fit(getattr(skanon, model)(3, loss=loss, random_state=0), frame), frame)


def test_what_was_given_beside_the_table_goes_too():
    frame = people()
    fitted = KAnonymizer(4, loss="pmi", constraints=[LDiversity(1.5)])
    fitted.set_params(quasi_identifiers=["zip", "age"], identifiers="name")
    fitted.fit(frame.drop(columns="ill"), frame["ill"])
    told = pickle.dumps(fitted.forget())
    assert not any(secret.encode() in told for secret in SECRETS)
    assert not any(numbers in told for numbers in numbers_of(frame))
