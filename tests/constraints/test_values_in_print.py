"""Private values that a file shows alike are one value to every promise."""

import datetime
import io
import warnings

import numpy as np
import pandas as pd
import pytest

from skanon import KAnonymizer, MondrianAnonymizer
from skanon.constraints import BetaLikeness, LDiversity, PSensitivity, TCloseness
from skanon.exceptions import InfeasibleError, PrivacyWarning
from skanon.privacy import (
    alpha_k_anonymity,
    beta_likeness,
    l_diversity,
    one_k_anonymity,
    p_sensitivity,
    t_closeness,
)

ALIKE = {
    "number": [1, "1"],
    "truth": [True, "True"],
    "missing": [None, ""],
    "nan": [np.nan, ""],
    "date": [datetime.date(2020, 1, 2), "2020-01-02"],
    "float": [np.float32(0.1), 0.1],
    "bytes": [b"x", "b'x'"],
    "zero": [0.0, "-0.0".replace("-", "")],
}


@pytest.mark.parametrize("pair", ALIKE.values(), ids=ALIKE)
def test_what_prints_alike_is_one_value(pair):
    ill = pd.Series([*pair, *pair], dtype=object)
    frame = pd.DataFrame({"a": [1, 1, 1, 1], "ill": ill})
    written = pd.read_csv(io.StringIO(frame.to_csv(index=False)), dtype=str)
    assert written["ill"].nunique(dropna=False) == 1
    with pytest.raises(InfeasibleError):
        KAnonymizer(2, sensitive="ill", constraints=[LDiversity(2)]).fit(frame)
    with pytest.raises(InfeasibleError):
        KAnonymizer(2, constraints=[PSensitivity(2)]).fit(frame[["a"]], ill)
    for table, sensitive in ((frame, "ill"), (frame[["a"]], ill)):
        assert l_diversity(table, ["a"], sensitive) == 1
        assert p_sensitivity(table, ["a"], sensitive) == 1
        assert l_diversity(table, ["a"], sensitive, kind="distinct") == 1
        assert alpha_k_anonymity(table, ["a"], sensitive) == 1


def test_a_column_of_text_with_gaps():
    frame = pd.DataFrame(
        {"a": [1] * 4, "ill": pd.Series([None, "", None, ""], dtype="str")}
    )
    assert l_diversity(frame, ["a"], "ill") == 1


def test_quasi_identifiers_that_print_alike_stay_apart():
    """To take them for one would say that people hide who do not."""
    for values in (["", None], ["flu", "flu "]):
        table = pd.DataFrame({"a": pd.Series(values, dtype=object)})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert one_k_anonymity(table, table) == 1


LOOK = {
    "composed": ["caf\u00e9", "cafe\u0301"],
    "blank": ["flu", "flu "],
    "no width": ["flu", "fl\u200bu"],
}


@pytest.mark.parametrize("pair", LOOK.values(), ids=LOOK)
def test_what_looks_alike_is_named(pair):
    frame = pd.DataFrame({"a": [1, 1, 2, 2], "ill": pair * 2})
    message = "which count as two, though a reader may take them for one"
    with pytest.warns(PrivacyWarning, match=message):
        KAnonymizer(2, sensitive="ill", constraints=[LDiversity(2)]).fit(frame)
    with pytest.warns(PrivacyWarning, match=message):
        assert l_diversity(frame, ["a"], "ill") == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KAnonymizer(2, sensitive="ill").fit(frame)  # nothing is promised


@pytest.mark.parametrize("dtype", ["float64", "float32", "Float64", "object"])
@pytest.mark.parametrize("role", ["quasi_identifiers", "sensitive", None])
def test_there_is_one_zero_in_the_file(dtype, role):
    zeros = pd.Series([0.0, -0.0] * 4, dtype=dtype)
    frame = pd.DataFrame({"a": [1, 2] * 4, "z": zeros})
    given = {"quasi_identifiers": ["a"]}
    if role == "quasi_identifiers":
        given[role] = ["a", "z"]
    elif role:
        given[role] = "z"
    for encode in ("label", "representative", "bounds"):
        fitted = KAnonymizer(2, encode=encode, random_state=0, **given)
        written = fitted.fit_transform(frame).to_csv()
        assert "-0.0" not in written
    assert np.signbit(frame["z"].iloc[1])  # what was given is left as it was


def test_the_written_file_is_close_though_there_were_two_zeros():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(
            {
                "a": rng.integers(0, 9, 12),
                "ill": rng.choice([0.0, -0.0, 1.0], 12),
            }
        )
        given = {"sensitive": "ill", "constraints": [TCloseness(0.3), BetaLikeness(2)]}
        release = MondrianAnonymizer(2, **given).fit_transform(frame)
        written = pd.read_csv(io.StringIO(release.to_csv(index=False)), dtype=str)
        assert beta_likeness(written, ["a"], "ill") <= 2 + 1e-9
        numbers = written.astype({"ill": float})
        assert t_closeness(numbers, ["a"], "ill") <= 0.3 + 1e-9
