"""What a report is written as: strict, escaped, and without any record."""

import importlib.metadata
import json
import platform
import re
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_tables import HIERARCHIES, fitted, forms, illnesses, people

import skanon
from skanon import KAnonymizer, MondrianAnonymizer, SequentialAnonymizer
from skanon._parameters import ANYTHING
from skanon.exceptions import ParameterError
from skanon.hierarchies import Hierarchy, Intervals, Suppression, Taxonomy, from_nested
from skanon.losses import LM, MI, NCP
from skanon.report import Report
from skanon.report._markdown import escape
from skanon.report._settings import plain_name, versions
from skanon.report._words import Bar, Share, bins, counted, listed, printable, shown

NASTY = [
    "<img src=x onerror=alert(1)>",
    "</style></script><script>alert(1)</script>",
    "a|b",
    "two\nlines\r\n\u2028more",
    "\"double\" 'single'",
    "&lt;b&gt; &amp; &",
    "`code` *star* _low_ ~wave~ $x^2$ # !",
    "[link](javascript:alert(1)) ![pic](http://example.org/x.png)",
    "https://example.org www.example.org me@example.org",
    "back\\slash|",
    "nul\x00 bell\x07 turn\u202e",
]


def nasty_table(n=12):
    rng = np.random.RandomState(0)
    return pd.DataFrame({name: rng.randint(0, 4, n) for name in NASTY})


# --------------------------------------------------------------------------- JSON


def refuse(constant):
    raise AssertionError(f"{constant} is not JSON")


@pytest.mark.parametrize("options", [{}, {"k": 8, "max_suppression": 0.2}])
def test_json_comes_back_as_it_was(options):
    report = fitted(y=illnesses(), **options).report()
    for indent in (2, None):
        text = report.to_json(indent)
        assert json.loads(text, parse_constant=refuse) == report.to_dict()
    assert "\n" not in report.to_json(None)
    assert report.to_json().startswith('{\n  "versions"')


def test_json_is_never_loose():
    with pytest.raises(ValueError, match="JSON"):
        Report({"a": float("nan")}).to_json()


def test_parts():
    assert list(fitted().report().to_dict()) == [
        "versions",
        "parameters",
        "table",
        "classes",
        "losses",
        "columns",
        "metrics",
        "sensitive",
        "risk",
        "not_measured",
    ]


# --------------------------------------------------------- parameters and versions


def parameters(anonymizer):
    return anonymizer.report().to_dict()["parameters"]


def test_all_parameters_are_told():
    anonymizer = fitted(4, loss=NCP(weights={"age": 2}), max_suppression=0.1)
    told = parameters(anonymizer)
    assert told["class"] == "KAnonymizer"
    assert set(told["parameters"]) == set(anonymizer.get_params(deep=False))
    assert told["parameters"]["k"] == 4
    assert told["parameters"]["loss"] == "NCP(weights={'age': 2})"
    assert told["parameters"]["max_suppression"] == 0.1
    assert told["parameters"]["random_state"] == 0
    assert told["parameters"]["sensitive"] is None
    assert told["parameters"]["hierarchies"] == [
        {"column": "age", "hierarchy": "Intervals()"},
        {"column": "town", "hierarchy": "Taxonomy(4 values, height 2)"},
        {"column": "sex", "hierarchy": "Suppression()"},
        {"column": "job", "hierarchy": "Subsets()"},
        {"column": "pay", "hierarchy": "Intervals()"},
    ]


def test_an_algorithm_is_told_with_its_own_parameters():
    algorithm = SequentialAnonymizer(n_init=2)
    report = fitted(algorithm=algorithm).report()
    told = report.to_dict()["parameters"]["parameters"]["algorithm"]
    assert told["class"] == "SequentialAnonymizer"
    assert told["parameters"]["n_init"] == 2
    own = set(algorithm.get_params()) - set(MondrianAnonymizer().get_params())
    assert own <= set(told["parameters"])
    assert "k" not in told["parameters"]
    for text in (report.to_markdown(), report.to_html()):
        assert "algorithm__n_init" in text.replace("\\", "")


def test_an_algorithm_by_itself():
    told = parameters(MondrianAnonymizer(3, cut="best").fit(people()))
    assert told["class"] == "MondrianAnonymizer"
    assert told["parameters"]["cut"] == "best"


def test_roles_are_told_however_they_were_given():
    X = people()
    for given_as in (["age", "pay"], ("age", "pay"), pd.Index(["pay", "age"])):
        anonymizer = fitted(X=X, quasi_identifiers=given_as, sensitive="job")
        told = parameters(anonymizer)["parameters"]
        assert told["quasi_identifiers"] == ["age", "pay"]
        assert told["sensitive"] == ["job"]


@pytest.mark.parametrize(
    "state", [np.random.RandomState(7), np.int64(7), np.random.mtrand._rand]
)
def test_no_addresses(state):
    report = fitted(random_state=state).report()
    for text in forms(report).values():
        assert "0x" not in text
    told = report.to_dict()["parameters"]["parameters"]["random_state"]
    assert told == (7 if state == 7 else "RandomState(MT19937)")


class _Named(Intervals):
    def __repr__(self):
        return "every value: 20, 21, 22"


class _Weighted(KAnonymizer):
    def __init__(self, k=5, *, extra=None, algorithm="mondrian", random_state=None):
        super().__init__(k, algorithm=algorithm, random_state=random_state)
        self.extra = extra


_Weighted._parameter_rules = {
    **KAnonymizer._parameter_rules,
    "extra": ANYTHING,
}


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        (np.array([123456.0]), "ndarray of shape (1,)"),
        (pd.DataFrame({"a": [123456]}), "DataFrame of shape (1, 1)"),
        (pd.Series([123456]), "Series of shape (1,)"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (np.float64(0.5), 0.5),
        (np.bool_(True), True),
        ((1, "a", None), [1, "a", None]),
        ({"b", "a"}, ["a", "b"]),
        ({1: Suppression()}, {"1": "Suppression()"}),
        (MI(), "MI()"),
        (
            SequentialAnonymizer(n_init=3),
            SequentialAnonymizer(n_init=3),
        ),
        (object(), "<object object>"),
        ("x\ud800", "x\ufffd"),
    ],
)
def test_parameters_of_any_kind(extra, told):
    report = _Weighted(3, extra=extra).fit(people()).report()
    found = report.to_dict()["parameters"]["parameters"]["extra"]
    if isinstance(told, SequentialAnonymizer):
        assert found["class"] == "SequentialAnonymizer"
        assert found["parameters"]["n_init"] == 3
    else:
        assert found == told
        assert type(found) is type(told)
    assert json.loads(report.to_json(), parse_constant=refuse) == report.to_dict()
    for text in forms(report).values():
        assert "123456" not in text
        text.encode("utf-8")


def test_hierarchies_of_others_are_told_by_their_class():
    told = parameters(fitted(X=people(), hierarchies={"age": _Named()}))["parameters"]
    assert told["hierarchies"][0]["hierarchy"] == "_Named"
    assert isinstance(_Named(), Hierarchy)


def test_versions():
    told = fitted().report().to_dict()["versions"]
    assert told.pop("skanon") == skanon.__version__
    assert told.pop("python") == platform.python_version()
    assert set(told) == {"numpy", "pandas", "scikit-learn", "numba"}
    for name, version in told.items():
        assert version == importlib.metadata.version(name)


def test_versions_of_what_is_not_in_use(monkeypatch):
    monkeypatch.delitem(sys.modules, "numba")
    assert set(versions()) == {"skanon", "python", "numpy", "pandas", "scikit-learn"}


# --------------------------------------------------------------------- no records


def test_no_value_is_told_in_any_form():
    n = 40
    numbers = 8_000_003 + 1_237 * np.arange(n)
    names = [f"secret{at:03}" for at in range(n)]
    tree = {"rootsecret": {f"node{at % 4}secret": [] for at in range(n)}}
    for at, name in enumerate(names):
        tree["rootsecret"][f"node{at % 4}secret"].append(name)
    X = pd.DataFrame(
        {
            "number": numbers,
            "date": pd.Timestamp("1951-01-01") + pd.to_timedelta(numbers % 9999, "D"),
            "name": names,
            "tree": names,
            "sets": [f"set{name}" for name in names],
            "passes": [f"passes{name}" for name in names],
            "ill": [f"ill{name}" for name in names],
            "gone": [f"gone{name}" for name in names],
        }
    )
    anonymizer = KAnonymizer(
        4,
        quasi_identifiers=["number", "date", "name", "tree", "sets"],
        sensitive="ill",
        identifiers="gone",
        hierarchies={"tree": tree, "sets": "subsets"},
        algorithm="mondrian",
        max_suppression=0.2,
    ).fit(X, names)
    y = pd.DataFrame({"gaps": [None, *names[1:]], "own": names})
    for report in (anonymizer.report(), anonymizer.report(y)):
        for name, text in forms(report).items():
            assert "secret" not in text, name
            for value in [*numbers, *X["date"].dt.strftime("%Y-%m-%d")]:
                assert str(value) not in text, name
                assert f"{value:,}" not in text if value in numbers else True


def test_a_taxonomy_of_one_value_is_not_told():
    X = pd.DataFrame({"town": ["secret"] * 5, "age": range(5)})
    hierarchy = Taxonomy(["secret"], [["secret"]])
    report = fitted(2, X=X, hierarchies={"town": hierarchy}).report()
    for text in forms(report).values():
        assert "secret" not in text
    assert from_nested({"*": ["a"]}).root == "*"


# ----------------------------------------------------------------------- Markdown


def markdown_tables(text):
    """Cut Markdown's tables into cells, as GitHub does."""
    tables = []
    for block in text.rstrip("\n").split("\n\n"):
        lines = block.split("\n")
        if lines[0].startswith("|"):
            cells = [re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1] for line in lines]
            tables.append(cells)
    return tables


def unescaped(cell):
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", cell.strip())
    for entity, sign in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(entity, sign)
    return text


def nasty_report():
    X = nasty_table()
    anonymizer = fitted(3, X=X, loss=LM(weights={NASTY[0]: 2}))
    return anonymizer.report(X.rename(columns=lambda name: f"sensitive {name}"))


def test_markdown_shows_any_name_as_it_is():
    text = nasty_report().to_markdown()
    tables = markdown_tables(text)
    assert len(tables) >= 8
    for table in tables:
        assert {len(row) for row in table} == {len(table[0])}
        assert all(re.fullmatch(r" --[-:] ", cell) for cell in table[1])
    names = [printable(name) for name in NASTY]
    by_column = next(t for t in tables if "objective" in t[0][1])
    assert [unescaped(row[0]) for row in by_column[2:]] == names
    sensitive = next(t for t in tables if "attribute" in t[0][0])
    assert [unescaped(row[0]) for row in sensitive[2:]] == [
        f"sensitive {x}" for x in names
    ]


def test_markdown_has_no_markup_of_the_names():
    text = nasty_report().to_markdown()
    for sign in "<>\x00\x07\r\u2028\u202e":
        assert sign not in text
    for pattern in (
        r"(?<!\\)[`$~]",
        r"(?<!\\)!?(?<!\\)\[",
        r"(?<!\\)://",
        r"www\.",
        r"(?<!\\)@",
        r"&(?!(amp|lt|gt);)",
    ):
        assert not re.search(pattern, text), pattern
    headings = re.findall(r"^#.*", text, re.MULTILINE)
    assert headings[0] == "# Report on a release by KAnonymizer"
    assert all(line.startswith("## ") for line in headings[1:])


@given(st.text())
def test_markdown_escapes_any_text(text):
    written = escape(text)
    assert "\n" not in written
    assert unescaped(written) == printable(text)
    assert not re.search(r"(?<!\\)(\\\\)*[|`*_\[\]<>]", written)


@given(st.text())
def test_printable_is_one_line_that_can_be_saved(text):
    assert printable(text).encode("utf-8").decode().isprintable() or not re.search(
        r"[\x00-\x1f\x7f-\x9f]", printable(text)
    )
    assert printable(text).strip() == printable(text)


def test_names_that_no_file_can_hold():
    assert printable("a\ud800") == "a\ufffd"
    y = pd.DataFrame(people()[["sex", "job"]].to_numpy())
    y.columns = pd.Index(["a\ud800", 2], dtype=object)
    report = fitted(y=y).report()
    assert report.to_dict()["table"]["sensitive"] == ["a\ufffd", 2]
    for text in forms(report).values():
        text.encode("utf-8")


def test_names_that_are_no_text():
    stamp = pd.Timestamp("2020-01-01")
    X = people()[["age", "pay", "job", "sex"]]
    X.columns = pd.Index([3, stamp, ("a", 1), 2.5], tupleize_cols=False)
    report = fitted(X=X).report()
    told = [x["name"] for x in report.to_dict()["columns"]]
    assert told == [3, "2020-01-01 00:00:00", "('a', 1)", "2.5"]
    assert json.loads(report.to_json()) == report.to_dict()
    assert "| 3 |" in report.to_markdown()
    assert [plain_name(x) for x in (True, np.int64(4), "x")] == ["True", 4, "x"]


def test_markdown_puts_numbers_to_the_right():
    by_start = {
        t[0][0].strip(): t for t in markdown_tables(fitted().report().to_markdown())
    }
    assert by_start["column"][1] == [" --- ", " --- ", *[" --: "] * 3]
    assert by_start["loss"][1] == [" --- ", " --: ", " --- "]
    assert by_start["risk above"][1] == [" --: "] * 3


# ------------------------------------------------------------------------ numbers


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (0, "0"),
        (0.0, "0"),
        (1.0, "1"),
        (45222, "45,222"),
        (10039.0, "10,039"),
        (10039.4, "10,040"),
        (5.62214, "5.622"),
        (0.113456, "0.1135"),
        (0.00034567, "0.0003457"),
        (0.0000345678, "3.457e-05"),
        (-0.125, "-0.125"),
        (1234567.8, "1,235,000"),
        (3.04e25, "3.040e+25"),
        (999.96, "1,000"),
        (0.99999, "1"),
        (100.25, "100.2"),
        (Share(0.2), "20 %"),
        (Share(0.123456), "12.35 %"),
        (Bar(0.25, 1.0), "0.25"),
        (None, "n/a"),
        ("text", "text"),
    ],
)
def test_numbers_for_people(cell, text):
    assert shown(cell) == text


def test_bars():
    assert Bar(0.25, 1.0).percent == 25
    assert Bar(-1.0, 1.0).percent == 0
    assert Bar(5.0, 2.0).percent == 100
    assert Bar(5.0, 0.0).percent == 0


def test_words_for_numbers():
    assert counted(1, "class", "classes") == "1 class"
    assert counted(2000, "class", "classes") == "2,000 classes"
    assert counted(0, "record") == "0 records"
    assert listed(["a", 1]) == "“a”, “1”"
    assert listed([*range(12)]).endswith("“9” and 2 more")


@given(st.dictionaries(st.integers(1, 50_000), st.integers(1, 99)))
def test_bins_hold_each_class_once(counts):
    sizes = [{"size": x, "classes": counts[x]} for x in sorted(counts)]
    found = bins(sizes)
    assert len(found) <= 20
    for part in found:
        inside = [x for x in counts if part.low <= x <= part.high]
        assert part.classes == sum(counts[x] for x in inside)
    assert sum(part.classes for part in found) == sum(counts.values())
    if found:
        assert found[0].low == min(counts)
        edges = [part.high + 1 for part in found[:-1]]
        assert edges == [part.low for part in found[1:]]
        assert found[-1].classes > 0


@pytest.mark.parametrize(
    ("sizes", "labels"),
    [
        ([5, 7], ["5", "6", "7"]),
        ([5, 24], [str(at) for at in range(5, 25)]),
        ([10, 69], [f"{at} to {at + 5}" for at in range(10, 70, 6)]),
        ([5, 90], ["5 to 9", "10 to 19", "20 to 39", "40 to 79", "80 to 159"]),
        ([5, 80], ["5 to 9", "10 to 19", "20 to 39", "40 to 79", "80 to 159"]),
        ([1000, 1000], ["1,000"]),
    ],
)
def test_bins_are_easy_to_read(sizes, labels):
    found = bins([{"size": x, "classes": 1} for x in dict.fromkeys(sizes)])
    assert [part.label for part in found] == labels


# ------------------------------------------------------------------------- sentences


def test_the_promise_in_words():
    text = fitted(3).report().to_markdown()
    assert (
        "each record reads like at least 2 others: the release is 3-anonymous" in text
    )
    assert "does not hide a sensitive value that all records of a class share" in text
    assert "suppressed, with" not in text
    hidden = fitted(8, max_suppression=0.2).report()
    count = hidden.to_dict()["table"]["suppressed"]
    assert f"{count} record" in hidden.to_markdown()
    assert "They are a class of their own" in hidden.to_markdown()
    assert "each record that is in a class" in hidden.to_markdown()


def test_how_many_classes_share_a_sensitive_value():
    X = pd.DataFrame({"a": [1, 1, 2, 2, 3, 3]})
    text = fitted(2, list("ppqrss"), X).report().to_markdown()
    assert "In 2 of 3 classes (4 records) all have the same “y”." in text
    text = fitted(2, list("pqpqpq"), X).report().to_markdown()
    assert "No class has the same “y” throughout." in text


# ---------------------------------------------------------------------------- files


def test_saved_files(tmp_path):
    X = people().rename(columns={"town": "Straße"})
    report = fitted(X=X, hierarchies={}).report()
    for suffix, text in {
        ".json": report.to_json(),
        ".md": report.to_markdown(),
        ".html": report.to_html(),
        ".HTML": report.to_html(),
    }.items():
        path = tmp_path / f"report{suffix}"
        report.save(path)
        assert path.read_bytes().decode("utf-8") == text.rstrip("\n") + "\n"
        assert "Straße" in text
    report.save(str(tmp_path / "another.json"))
    told = json.loads((tmp_path / "another.json").read_text("utf-8"))
    assert told == report.to_dict()


@pytest.mark.parametrize("name", ["report.txt", "report", ".html", "report.html.gz"])
def test_other_files_are_refused(tmp_path, name):
    with pytest.raises(ParameterError, match=r"\['\.html', '\.json', '\.md'\]"):
        fitted().report().save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_short_representation():
    report = fitted(X=people(), hierarchies=HIERARCHIES).report()
    told = report.to_dict()
    assert repr(report) == (
        f"Report(KAnonymizer, 60 records, {told['classes']['number']} classes of "
        f"{told['classes']['smallest']} to {told['classes']['largest']}, "
        f"LM() = {told['losses']['objective']['value']:.4g})"
    )
