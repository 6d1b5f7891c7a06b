import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skanon._table.domain import Domain
from skanon.exceptions import HierarchyError
from skanon.hierarchies import Suppression, Taxonomy


def bind(hierarchy, values, name="col", **kwargs):
    domain, _ = Domain.learn(pd.Series(values, **kwargs), name)
    return hierarchy.bind(domain)


def closure(bound, codes):
    """Climb from a leaf until all codes are below; written for the kernels' arrays."""
    node = codes[0]
    while not all(bound.first[node] <= c <= bound.last[node] for c in codes):
        assert bound.parent[node] > node  # or the climb might never end
        node = bound.parent[node]
    return node


def naive_closure(taxonomy, values):
    """Find the smallest node's values, straight from the definition."""
    nodes = [{value} for value in taxonomy.values] + [set(taxonomy.values)]
    for labels in taxonomy.levels[:-1]:
        for label in set(labels) - {taxonomy.root}:
            pairs = zip(taxonomy.values, labels, strict=True)
            nodes.append({value for value, own in pairs if own == label})
    return min((node for node in nodes if values <= node), key=len)


@st.composite
def taxonomies(draw):
    """Random trees: ragged, with unary chains, with the root's name at low levels."""
    m = draw(st.integers(1, 9))
    values = draw(st.permutations([f"v{i}" for i in range(m)]))
    inside = list(values)
    levels = []
    for i in range(draw(st.integers(0, 4))):
        label = {own: own for own in inside}
        for own in label:
            join = draw(st.sampled_from(["stay", "0", "1", "2", "root"]))
            if own == "*" or join == "root":
                label[own] = "*"
            elif join != "stay":
                label[own] = f"n{i}{join}"
        inside = [label[own] for own in inside]
        levels.append(list(inside))
    return Taxonomy(values, [*levels, ["*"] * m])


@settings(deadline=None)
@given(taxonomies(), st.booleans(), st.data())
def test_closure_is_the_smallest_node_that_covers(taxonomy, with_missing, data):
    bound = bind(taxonomy, [*taxonomy.values, *([None] * with_missing)])
    values = data.draw(st.sets(st.sampled_from(taxonomy.values), min_size=1))
    _, codes_of = Domain.learn(pd.Series(sorted(taxonomy.values)), "c")
    position = dict(zip(sorted(taxonomy.values), codes_of, strict=True))
    codes = bound.codes(np.array([position[value] for value in values]))
    node = closure(bound, codes)
    value_of = dict(zip(bound.codes(np.arange(len(position))), position, strict=True))
    members = {value_of.get(c) for c in bound.members(np.array([node]))} - {None}
    assert members == naive_closure(taxonomy, values)


@settings(deadline=None)
@given(taxonomies(), st.booleans())
def test_nodes_are_a_tree_of_spans_in_depth_first_order(taxonomy, with_missing):
    bound = bind(taxonomy, [*taxonomy.values, *([None] * with_missing)])
    n, root = bound.n_codes, len(bound.first) - 1
    assert bound.parent[root] == -1
    assert (bound.first[root], bound.last[root]) == (-1, n - 1)
    assert bound.first[:n].tolist() == bound.last[:n].tolist() == list(range(n))
    spans = list(zip(bound.first, bound.last, strict=True))
    assert len(set(spans[:-1])) == len(spans) - 1
    for node in range(root):
        up = bound.parent[node]
        assert up > node and up >= n
        assert bound.first[up] <= bound.first[node] <= bound.last[node]
        assert bound.last[node] <= bound.last[up]
        assert bound.level[up] > bound.level[node]
    if with_missing:
        assert bound.parent[bound.missing] == root
    assert len(bound.names) == root + 1 - n


@settings(deadline=None)
@given(taxonomies())
def test_each_label_of_the_table_names_the_node_of_its_values(taxonomy):
    bound = bind(taxonomy, taxonomy.values)
    frame = taxonomy.to_frame()
    leaves = {bound.text_of_code(code): code for code in range(bound.n_codes)}
    for level in range(1, taxonomy.height + 1):
        for label, rows in frame.groupby(level)[0]:
            if label == "*" and level < taxonomy.height:
                continue
            node = closure(bound, [leaves[value] for value in rows])
            text = bound.text(np.array([node]))
            if len(rows) == len(frame) > 1:
                assert text == "*"
            elif len(rows) == 1:
                assert text == rows.iloc[0]
            else:
                below = [
                    name
                    for j in range(1, level + 1)
                    for name, own in frame.groupby(j)[0]
                    if set(own) == set(rows)
                ]
                assert text == below[0]


def test_a_chain_of_nodes_over_the_same_values_keeps_the_lowest_name():
    levels = [["low", "low", "c"], ["high", "high", "c"], ["*"] * 3]
    bound = bind(Taxonomy(list("abc"), levels), list("abc"))
    assert bound.names == ["low", "*"]


def test_a_node_over_everything_stays_below_the_root_for_missing_values():
    taxonomy = Taxonomy(["a", "b"], [["all", "all"], ["all", "all"], ["*", "*"]])
    bound = bind(taxonomy, ["a", "b", None])
    assert bound.names == ["all", "*"]
    assert bound.text(np.array([3])) == "all"
    assert bound.text(np.array([4])) == "*"
    assert bind(taxonomy, ["a", "b"]).text(np.array([2])) == "*"


def test_the_roots_name_at_low_levels_is_the_root():
    levels = [["A", "A", "*", "*"], ["A", "A", "*", "*"], ["*"] * 4]
    bound = bind(Taxonomy(list("abcd"), levels), list("abcd"))
    assert bound.names == ["A", "*"]
    assert bound.parent.tolist() == [4, 4, 5, 5, 5, -1]


def test_a_value_may_bear_the_roots_name():
    bound = bind(Taxonomy(["any", "b"], [["any", "any"]]), ["any", "b"])
    assert [bound.text(np.array([i])) for i in range(3)] == ["any", "b", "*"]


def test_a_single_leaf():
    bound = bind(Taxonomy(["a"], [["A"], ["*"]]), ["a", "a"])
    assert bound.parent.tolist() == [1, -1]
    assert bound.text(np.array([0])) == "a"


def test_counts_follow_the_trees_order():
    taxonomy = Taxonomy(list("abcd"), [list("xyxy"), ["*"] * 4])
    bound = bind(taxonomy, ["a", "b", "b", "c", None, None])
    by_text = {bound.text_of_code(i): int(bound.counts[i]) for i in range(4)}
    assert by_text == {"a": 1, "b": 2, "c": 1, "d": 0}
    assert bound.counts[bound.missing] == 2
    assert np.isnan(bound.text_of_code(bound.missing))


LEAVES = {
    "int": ([1, 2, 30], {}),
    "big int": ([2**53, 2**53 + 1, 2**62], {}),
    "uint64": ([1, 2**63, 2**64 - 1], {"dtype": "uint64"}),
    "float": ([0.1, 0.3, 1e300], {}),
    "float32": ([0.1, 0.3, 7.0], {"dtype": "float32"}),
    "bool": ([False, True], {}),
    "text": (["a", "b, c", ""], {}),
    "date": ([datetime.date(1500, 1, 1), datetime.date(2020, 2, 29)], {}),
    "datetime": ([datetime.datetime(1850, 1, 1, 5), datetime.datetime(2020, 1, 1)], {}),
    "timedelta": ([datetime.timedelta(1), datetime.timedelta(hours=-2)], {}),
    "category": (["lo", "hi"], {"dtype": pd.CategoricalDtype(["lo", "hi"], True)}),
}


@pytest.mark.parametrize("kind", LEAVES)
@pytest.mark.parametrize("as_text", [False, True])
def test_leaves_bind_to_a_column_of_their_kind_or_as_text(kind, as_text):
    values, options = LEAVES[kind]
    column = pd.Series(values, **options)
    domain, codes = Domain.learn(column, "col")
    leaves = [str(v) for v in values] if as_text else values
    bound = Taxonomy(leaves, [["*"] * len(leaves)]).bind(domain)
    texts = [bound.text_of_code(code) for code in bound.codes(codes)]
    assert texts == [domain.text()[code] for code in codes]


def test_times_with_a_zone_keep_their_own_hour():
    stamps = pd.Series(pd.to_datetime(["2020-01-01", "2020-07-01"]))
    stamps = stamps.dt.tz_localize("Europe/Berlin")
    domain, _ = Domain.learn(stamps, "t")
    for leaves in (stamps.tolist(), [str(stamp) for stamp in stamps]):
        bound = Taxonomy(leaves, [["*", "*"]]).bind(domain)
        assert bound.text_of_code(0) == "2020-01-01 00:00:00+01:00"
    with pytest.raises(HierarchyError, match=r"'t' has a time zone.*leaves lack one"):
        Taxonomy(["2020-01-01", "2020-07-01"], [["*", "*"]]).bind(domain)


def test_suppression_keeps_each_value_as_the_column_writes_it():
    bound = bind(Suppression(), [0.1, 0.3, None], dtype="float32")
    assert [bound.text_of_code(i) for i in (0, 1)] == ["0.1", "0.3"]
    assert bind(Suppression(), [None, None], dtype=object).names == ["*"]


@pytest.mark.parametrize("dtype", ["float64", "object", "datetime64[us]", "Int64"])
@pytest.mark.parametrize("leaves", [["a", "b"], [1, 2]])
def test_a_column_of_missing_values_takes_any_leaves(dtype, leaves):
    bound = bind(Taxonomy(leaves, [["*", "*"]]), [None, None], dtype=dtype)
    assert (bound.n_codes, bound.missing) == (3, 2)
    assert bound.counts.tolist() == [0, 0, 2]
    assert bound.text_of_code(0) == str(leaves[0])


def test_numbers_follow_leaves_and_categories():
    bound = bind(Taxonomy(["30", "1"], [["*", "*"]]), [1, 30])
    assert bound.numbers[bound.codes(np.array([0, 1]))].tolist() == [1.0, 30.0]
    dtype = pd.CategoricalDtype(["lo", "mid", "hi"], ordered=True)
    bound = bind(Taxonomy(["hi", "lo", "new"], [["*"] * 3]), ["lo", "hi"], dtype=dtype)
    assert bound.numbers[bound.codes(np.array([0, 1]))].tolist() == [0.0, 1.0]
    assert np.isnan(bound.numbers).sum() == 1


def test_forty_thousand_leaves():
    values = [f"{i:05d}" for i in range(40_000)]
    levels = [[v[:4] + "*" for v in values], [v[:2] + "***" for v in values]]
    bound = bind(Taxonomy(values, [*levels, ["*"] * 40_000]), values)
    assert bound.n_codes == 40_000
    assert len(bound.first) == 40_000 + 4_000 + 40 + 1


@pytest.mark.parametrize(
    ("values", "levels", "message"),
    [
        ([], [[]], "no values"),
        (["a"], [], "no level above"),
        (["a", "b"], [["*"]], "level 1 has 1 labels for 2 values"),
        (["a", "b"], [["x", None], ["*", "*"]], "'b' has no label at level 1"),
        (["a", None], [["*", "*"]], "missing value among its leaves"),
        ([1, float("nan")], [["*", "*"]], "missing value among its leaves"),
        (["a", "b", "a"], [["*"] * 3], "'a' stands twice"),
        (["a", "*"], [["*"] * 2], r"value '\*'.*Remove its row"),
        (["a", "b"], [["x", "y"]], r"2 roots at level 1: 'x', 'y'.*last level"),
        (
            ["a", "b", "c"],
            [["x", "x", "y"], ["p", "q", "q"], ["*"] * 3],
            r"'b' has 'x' at level 1 and 'q' at level 2, but 'a'.*must nest",
        ),
        (
            ["a", "b", "c"],
            [["b", "b", "c"], ["*"] * 3],
            r"label 'b' at level 1.*value 'a'.*Rename",
        ),
        (
            ["a", "b", "c", "d"],
            [["x", "x", "c", "d"], ["y", "y", "x", "x"], ["*"] * 4],
            r"label 'x' at level 2 stands for other values.*value 'c'",
        ),
        (
            ["a", "b", "c"],
            [["*", "b", "c"], ["y", "y", "c"], ["*"] * 3],
            r"'a' has the root '\*' at level 1, but 'y' at level 2",
        ),
    ],
)
def test_a_broken_table_is_refused(values, levels, message):
    with pytest.raises(HierarchyError, match=message):
        Taxonomy(values, levels)


@pytest.mark.parametrize(
    ("leaves", "column", "message"),
    [
        (["a", "b"], ["a", "c", "d"], r"'col'.*lacks 2 .*'c', 'd'.*level 0"),
        ([1, 2], [1.5, 2.0], r"'col'.*lacks 1 .*'1.5'"),
        (["a", "1"], [1, 2], r"'col' holds numbers.*leaf 'a', which is none"),
        (["now", "b"], [datetime.date(2020, 1, 1)], r"'col' holds datetimes.*'now'"),
        (["yes", "no"], [True, False], r"'col' holds bools.*'yes'"),
        (["1", "1.0"], [1, 2], r"'col'.*leaves '1' and '1.0'.*the same number"),
        ([True, False], [1, 0], r"'col' holds numbers.*kind bool.*True"),
        ([1, "a"], ["a", "b"], r"hierarchy of column 'col'.*mixes types"),
        ([1.0, float("inf")], [1.0], r"hierarchy of column 'col'.*infinite"),
    ],
)
def test_a_hierarchy_that_does_not_fit_is_refused(leaves, column, message):
    with pytest.raises(HierarchyError, match=message):
        bind(Taxonomy(leaves, [["*"] * len(leaves)]), column)


def test_equality_is_of_the_description():
    one = Taxonomy(np.array([1, 2]), [["*", "*"]])
    assert one == Taxonomy([1, 2], [["*", "*"]])
    assert hash(one) == hash(Taxonomy([1, 2], [["*", "*"]]))
    assert one != Taxonomy([2, 1], [["*", "*"]])
    assert one != Suppression() and one != "x"


def test_new_values_are_not_rounded_to_leaves():
    b = 2**53
    tree = Taxonomy([float(b), b + 2.0], [["*"] * 2])
    bound = tree.bind(Domain.learn(pd.Series([float(b)]), "x")[0])
    with pytest.raises(HierarchyError, match=f"lacks '{b + 1}'"):
        bound.encode(pd.Series([b + 1]))
    far = [pd.Timestamp("1500-01-01"), pd.Timestamp("2020-01-01"), pd.Timestamp("2021")]
    fitted = pd.Series(far[1:2]).astype("datetime64[ns]")
    bound = Taxonomy(far, [["*"] * 3]).bind(Domain.learn(fitted, "x")[0])
    new = pd.Series(far[2:]).astype("datetime64[ns]")
    assert bound.encode(new)[0].tolist() == [2]
