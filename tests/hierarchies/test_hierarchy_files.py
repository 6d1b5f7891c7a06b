import datetime
import json
import string

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skanon._table.domain import Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import (
    Hierarchy,
    Intervals,
    Subsets,
    Suppression,
    Taxonomy,
    from_calendar,
    from_levels,
    from_nested,
    from_widths,
    read_arx,
    read_json,
    write_arx,
    write_json,
)
from skanon.hierarchies._files import as_hierarchy

ARX_ATTRIBUTES = {
    "age": 4,
    "education": 3,
    "marital-status": 2,
    "native-country": 2,
    "occupation": 2,
    "race": 1,
    "salary-class": 1,
    "sex": 1,
    "workclass": 2,
}


def write(folder, content, name="h.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_arx_rows_labels_and_order(tmp_path):
    taxonomy = read_arx(write(tmp_path, "b;B;*\na;A;*\n"))
    assert taxonomy.values == ("b", "a")
    assert taxonomy.levels == [["B", "A"], ["*", "*"]]


@pytest.mark.parametrize(
    "content",
    [
        "b;B;*\na;A;*",
        "b;B;*\r\na;A;*\r\n",
        "\ufeffb;B;*\na;A;*\n",
        '"b";"B";"*"\n"a";A;*\n\n\n',
        "b;old;*\na;A;*\nb;B;*\n",
    ],
)
def test_arx_line_ends_marks_quotes_and_repeats(tmp_path, content):
    assert read_arx(write(tmp_path, content)) == from_levels(
        [["b", "B", "*"], ["a", "A", "*"]]
    )


def test_arx_quotes_what_needs_it(tmp_path):
    values = ['a"b', "c;d", "e\nf", "g\r\nh", " i ", "", "ü"]
    taxonomy = Taxonomy(values, [['x";y'] * 7, ["*"] * 7])
    path = tmp_path / "h.csv"
    write_arx(taxonomy, path)
    assert path.read_bytes().startswith(b'"a""b";"x"";y";*\n"c;d";')
    assert read_arx(path) == taxonomy
    write_arx(taxonomy, path, sep=",", encoding="latin-1")
    assert read_arx(path, sep=",", encoding="latin-1") == taxonomy


@settings(deadline=None, max_examples=50)
@given(st.sets(st.text(string.printable + "äß\u2028\ufeff"), min_size=1))
def test_arx_holds_any_text(tmp_path_factory, values):
    values = sorted(values - {"*"}) or ["x"]
    path = tmp_path_factory.mktemp("arx") / "h.csv"
    labels = [f"\ue000{value}" for value in values]  # a sign that no value holds
    taxonomy = Taxonomy(values, [labels, ["*"] * len(values)])
    write_arx(taxonomy, path)
    assert read_arx(path) == taxonomy
    before = path.read_bytes()
    write_arx(read_arx(path), path)
    assert path.read_bytes() == before


def test_arx_values_become_text_that_binds_again(tmp_path):
    path = tmp_path / "h.csv"
    dates = [datetime.date(1899, 12, 31), datetime.date(2020, 2, 29)]
    columns = [pd.Series([1, 12, -3]), pd.Series(dates), pd.Series([0.3, 1e-7])]
    builders = [lambda v: from_widths(v, 5), from_calendar, lambda v: from_widths(v, 1)]
    for column, build in zip(columns, builders, strict=True):
        taxonomy = build(column)
        write_arx(taxonomy, path)
        read = read_arx(path)
        assert read.levels == taxonomy.levels
        domain, codes = Domain.learn(column, "c")
        one, other = taxonomy.bind(domain), read.bind(domain)
        assert one.codes(codes).tolist() == other.codes(codes).tolist()
        assert one.names == other.names
    assert read_arx(path).values == ("1e-07", "0.3")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"h.csv is empty.*one row per value.*';'"),
        ("\n\r\n", "h.csv is empty"),
        ("a;A;*\nb;*\n", r"line 2 has 2 field\(s\), but the first line has 3"),
        ('"a\nb";A;*\nb;*\n', r"line 3 has 2 field\(s\)"),
        ("a;A;*\n\nb;A;*\n", r"line 2 has 1 field\(s\)"),
        ("a,A,*\n", r"line 1 has one field only.*separator may be ','.*';'"),
        ("a\nb\n", r"line 1 has one field only, so there is no level.*at least '\*'"),
        ('a;A;*\n"b"c;A;*\n', r"line 2: .*double the quote"),
        ('a;A;*\n"b;A;*\n', r"line 2: .*double the quote"),
        ("a;A;*\nb;A;+\n", r"h.csv: the hierarchy has 2 roots at level 2"),
        ("a;A;p;*\nb;A;q;*\n", r"h.csv: the value 'b' has 'A' at level 1 and 'q'"),
        ("a;*\n*;*\n", r"h.csv: .*value '\*'"),
        (b"\xe4;*\n", r"h.csv is not text in utf-8-sig.*encoding='latin-1'"),
    ],
)
def test_a_broken_arx_file_is_refused(tmp_path, content, message):
    with pytest.raises(HierarchyError, match=message):
        read_arx(write(tmp_path, content))


def test_arx_holds_only_what_it_can(tmp_path):
    path = tmp_path / "h.csv"
    with pytest.raises(HierarchyError, match=r"Intervals\(\) has no table.*write_json"):
        write_arx(Intervals(), path)
    same = Taxonomy([1, "1"], [["*", "*"]])
    with pytest.raises(HierarchyError, match=r"values 1 and '1' have the same text"):
        write_arx(same, path)
    for sep in ("", ";;", '"', None):
        with pytest.raises(HierarchyError, match="sep must be one character"):
            write_arx(from_levels([["a", "*"]]), path, sep=sep)
        with pytest.raises(HierarchyError, match="sep must be one character"):
            read_arx(path, sep=sep)
    assert not path.exists()


@pytest.mark.parametrize("attribute", ARX_ATTRIBUTES)
def test_arx_files_of_adult(shared_data, tmp_path, attribute):
    source = shared_data / f"adult_hierarchy_{attribute}.csv"
    taxonomy = read_arx(source)
    assert taxonomy.height == ARX_ATTRIBUTES[attribute]
    write_arx(taxonomy, tmp_path / "h.csv")
    written = (tmp_path / "h.csv").read_text()
    assert written.split() == source.read_text().split()
    assert read_arx(tmp_path / "h.csv") == taxonomy


@pytest.mark.parametrize("attribute", ARX_ATTRIBUTES)
def test_arx_files_of_adult_bind_to_its_table(shared_data, attribute):
    table = pd.read_csv(shared_data / "arx_adult_30162.csv.gz", sep=";")
    taxonomy = read_arx(shared_data / f"adult_hierarchy_{attribute}.csv")
    domain, codes = Domain.learn(table[attribute], attribute)
    bound = taxonomy.bind(domain)
    assert bound.counts.sum() == 30_162
    found = bound.parent[bound.codes(codes)] - bound.n_codes
    for value, at in set(zip(table[attribute], found, strict=True)):
        row = taxonomy.values.index(str(value))
        wide = [level[row] for level in taxonomy.levels if level.count(level[row]) > 1]
        assert bound.names[at] == wide[0]


HIERARCHIES = [
    Intervals(),
    Subsets(),
    Suppression(),
    Taxonomy(["a", "b"], [["A", "A"], ["*", "*"]]),
    Taxonomy([1, 2**70, -5], [["*"] * 3]),
    Taxonomy([0.1, 1e300, 5e-324], [["*"] * 3]),
    Taxonomy([True, False], [["*"] * 2]),
    Taxonomy([datetime.date(1066, 10, 14)], [["*"]]),
    Taxonomy([datetime.datetime(1850, 1, 1, 5, 6, 7, 8)], [["*"]]),
    Taxonomy([pd.Timestamp("2020-01-01 00:00:00.000000001")], [["*"]]),
    Taxonomy([pd.Timestamp("2020-01-01", tz="Europe/Berlin")], [["*"]]),
    Taxonomy([np.datetime64("1500-01-01")], [["*"]]),
    Taxonomy([np.timedelta64(5, "ns"), datetime.timedelta(days=-1)], [["*"] * 2]),
    Taxonomy(np.array([1.5, 2.5], dtype="float32"), [["*"] * 2]),
]


@pytest.mark.parametrize("hierarchy", HIERARCHIES, ids=repr)
def test_json_is_lossless(tmp_path, hierarchy):
    path = tmp_path / "h.json"
    write_json(hierarchy, path)
    read = read_json(path)
    assert read == hierarchy
    assert Hierarchy.from_dict(json.loads(json.dumps(hierarchy.to_dict()))) == hierarchy
    if isinstance(hierarchy, Taxonomy):
        pairs = zip(read.values, hierarchy.values, strict=True)
        assert all(one == other for one, other in pairs)
        assert [type(x) is bool for x in read.values] == [
            type(x) is bool for x in hierarchy.values
        ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", r"h.json is no JSON: .*read_arx"),
        (b"\xff\xfe", r"h.json is no JSON"),
        ("[]", r"h.json: .*needs a 'type', one of 'intervals', .*'taxonomy'"),
        ("{}", "needs a 'type'"),
        ('{"type": "tree"}', r"type 'tree' is unknown.*'taxonomy'"),
        ('{"type": ["tree"]}', r"type \['tree'\] is unknown"),
        ('{"type": "taxonomy"}', r"keys .*\['levels', 'values'\] is absent or unknown"),
        ('{"type": "intervals", "step": 5}', r"\['step'\] is absent or unknown"),
        ('{"type": "taxonomy", "values": 5, "levels": []}', "taxonomy is broken"),
        (
            '{"type": "taxonomy", "values": [{"day": "x"}], "levels": [["*"]]}',
            r"value \{'day': 'x'\} is not understood.*'date'",
        ),
        (
            '{"type": "taxonomy", "values": [{"date": "x"}], "levels": [["*"]]}',
            r"value \{'date': 'x'\} is no date.*ISO",
        ),
        ('{"type": "taxonomy", "values": ["a", "a"], "levels": [["*", "*"]]}', "twice"),
    ],
)
def test_broken_json_is_refused(tmp_path, content, message):
    with pytest.raises(HierarchyError, match=message):
        read_json(write(tmp_path, content, "h.json"))


@pytest.mark.parametrize("value", [float("inf"), 1j, b"x"])
def test_json_holds_only_what_it_can(tmp_path, value):
    path = tmp_path / "h.json"
    with pytest.raises(HierarchyError, match="cannot be written as JSON"):
        write_json(Taxonomy([value], [["*"]]), path)
    assert not path.exists()


def test_as_hierarchy_takes_every_form(tmp_path):
    nested = {"*": {"A": ["a", "b"]}}
    taxonomy = from_nested(nested)
    write_arx(taxonomy, tmp_path / "h.CSV")
    write_json(taxonomy, tmp_path / "h.json")
    for spec in (
        taxonomy,
        nested,
        taxonomy.to_dict(),
        tmp_path / "h.CSV",
        str(tmp_path / "h.json"),
    ):
        assert as_hierarchy(spec) == taxonomy
    for word, kind in (
        ("intervals", Intervals),
        ("subsets", Subsets),
        ("suppression", Suppression),
    ):
        assert type(as_hierarchy(word)) is kind
    assert as_hierarchy({"type": {"A": ["a"]}}).root == "type"


@pytest.mark.parametrize("spec", ["interval", "h.txt", None, 5, Intervals, ["a"]])
def test_as_hierarchy_names_what_is_allowed(spec):
    with pytest.raises(HierarchyError, match=r"no hierarchy.*dict.*\.csv.*'subsets'"):
        as_hierarchy(spec)


def test_an_absent_file_is_named():
    with pytest.raises(FileNotFoundError, match=r"absent\.csv"):
        as_hierarchy("absent.csv")


def test_forty_thousand_leaves_go_through_both_files(tmp_path):
    values = [f"{i:05d}" for i in range(40_000)]
    taxonomy = from_levels([[v, v[:4] + "*", v[:2] + "***", "*"] for v in values])
    write_arx(taxonomy, tmp_path / "h.csv")
    write_json(taxonomy, tmp_path / "h.json")
    assert read_arx(tmp_path / "h.csv") == read_json(tmp_path / "h.json") == taxonomy
