"""Errors that name what was given, and what to give instead."""

import inspect
import subprocess
import sys
import uuid

import pandas as pd
import pytest
from consistent import CLASSES
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from skanon import GlobalOneKAnonymizer, KAnonymizer, KKAnonymizer, OneKAnonymizer
from skanon.clustering import ALGORITHMS
from skanon.exceptions import AnonymizationError

TOWNS = pd.DataFrame({"town": ["Ulm", "Kiel"] * 2})


def fit(X, **parameters):
    return KAnonymizer(2, **parameters).fit(X)


def test_what_is_nearly_a_table():
    polars = pytest.importorskip("polars")
    frame = polars.from_pandas(TOWNS)
    given = {
        r"X\.collect\(\)": frame.lazy(),
        r"pandas\.DataFrame\(X\)": {"town": ["a", "b"]},
        r"X\.to_frame\(\)": TOWNS["town"],
        r"one column without its table. Use X\.to_frame": frame["town"],
    }
    for match, X in given.items():
        with pytest.raises(AnonymizationError, match=match):
            fit(X)


@pytest.mark.parametrize(
    ("spec", "match"),
    [
        ({"Ulm": "DE", "Kiel": "DE"}, "from_parents"),
        ({"Ulm": ["BW", "DE"], "Kiel": ["SH", "DE"]}, "from_levels"),
        (TOWNS, "^Column 'town': the DataFrame is no hierarchy.*from_levels"),
    ],
)
def test_what_is_nearly_a_hierarchy(spec, match):
    with pytest.raises(AnonymizationError, match=match) as caught:
        fit(TOWNS, hierarchies={"town": spec})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("values", "kind"),
    [([uuid.UUID(int=i) for i in range(4)], "UUID"), ([[1]] * 4, "list")],
)
def test_columns_of_one_odd_type_do_not_mix_types(values, kind):
    with pytest.raises(AnonymizationError, match=f"'u' holds values of type {kind}"):
        fit(pd.DataFrame({"u": values}))


def test_names_of_columns_of_two_types():
    with pytest.raises(
        AnonymizationError, match=r"\(int, str\).*columns\.astype\(str\)"
    ):
        fit(pd.DataFrame({"u": [1, 2], 5: [1, 2]}))


def test_options_come_in_the_same_order_in_each_run():
    code = (
        "from skanon import KAnonymizer\n"
        "import pandas as pd\n"
        "try: KAnonymizer(2, algorithm='x').fit(pd.DataFrame({'a': [1, 2]}))\n"
        "except ValueError as error: print(error)"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "12"
    }
    assert len(told) == 1 and "'agglomerative', 'bisecting'" in told.pop()


@pytest.mark.parametrize("kind", [KKAnonymizer, GlobalOneKAnonymizer, OneKAnonymizer])
def test_an_unknown_parameter_names_the_class_that_was_called(kind):
    with pytest.raises(
        TypeError, match=rf"^{kind.__name__}\.__init__\(\).*'constraints'"
    ):
        kind(constraints=[])
    assert "k" in inspect.signature(kind).parameters
    assert clone(kind(k=3)).k == 3


def test_a_search_without_a_scorer_prefers_what_loses_less():
    search = GridSearchCV(KAnonymizer(random_state=0), {"k": [2, 4]}, cv=2)
    search.fit(pd.DataFrame({"age": [21, 22, 23, 41, 42, 43, 61, 62, 63, 64]}))
    assert search.best_params_ == {"k": 2}
    fitted = search.best_estimator_
    assert fitted.score(pd.DataFrame({"age": [5]})) == -fitted.information_loss_
    with pytest.raises(AnonymizationError, match="Give the fitted columns"):
        fitted.score(TOWNS)


def test_the_html_names_the_encoding_for_models():
    note = "encode=&#x27;distribution&#x27; emits numbers"
    assert note in KAnonymizer()._repr_html_()
    assert note not in KAnonymizer(encode="distribution")._repr_html_()


@pytest.mark.parametrize("kind", [KAnonymizer, *ALGORITHMS.values(), *CLASSES.values()])
def test_each_algorithm_says_something_if_asked(kind, capsys):
    frame = pd.DataFrame({"age": [21, 22, 41, 42], "sex": ["f", "f", "m", "m"]})
    for verbose in (0, 1):
        kind(2, verbose=verbose).fit(frame)
        said = capsys.readouterr().err
        assert (f"{kind.__name__}: 4 records, information loss" in said) == (
            verbose > 0
        )
