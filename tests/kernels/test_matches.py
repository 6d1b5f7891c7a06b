"""From consistent records to matches, beside the oracle."""

from dataclasses import replace

import compiled
import naive_consistency_fit
import naive_global as naive
import numpy as np
import pytest
from random_tables import KINDS, MEASURES, random_pair, seeded
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from skanon.consistency import _matches
from skanon.consistency._matches import read_rows, to_global
from skanon.exceptions import ReleaseError
from skanon.kernels.consistency.components import (
    N_ARCS,
    add_arc,
    components_of,
    unite_circles,
    with_room,
)
from skanon.kernels.consistency.expansion import (
    expand,
    join_neighbours,
    kinds_of,
    make_table,
)
from skanon.kernels.consistency.matches import WIDENED, make_global
from skanon.kernels.consistency.widening import price_rows, upgrade
from skanon.kernels.core.columns import state_width
from skanon.kernels.core.union_find import find, roots_of
from skanon.kernels.jit import kernel

TIES = [["flat"], ["subset", "flat"], ["flat_number", "flat"], ["interval"]]


def random_table(seed, n, measure):
    """Mixed columns, or few values so that much is equal or equally good."""
    rng = seeded(seed, measure)
    kinds = list(rng.permutation(list(KINDS))[: rng.randint(1, 4)])
    if seed % 3 == 2:
        kinds = TIES[seed // 3 % len(TIES)]
    weights = rng.choice([0.0, 0.3, 1.0, 2.0], size=len(kinds)).tolist()
    weights[0] = 1.0
    return rng, random_pair(rng, kinds, n, measure=measure, weights=weights)


def prepare(pair, order=None):
    if order is None:
        order = np.arange(pair.codes.shape[1], dtype=np.int32)
    return kinds_of(pair.schema.columns, pair.codes, pair.sensitive, order)


def upgraded(pair, state, k):
    """Algorithm 5."""
    cols, kinds = pair.schema.columns, prepare(pair)
    rows = price_rows(cols, pair.sensitive, kinds.order, state)
    given = cols, pair.codes, pair.sensitive, kinds
    upgrade(*given, k, state, rows, 0, len(kinds.first))
    return state


def consistent(method, pair, k):
    """A (k, k)-anonymous release."""
    cols, kinds = pair.schema.columns, prepare(pair)
    state = np.zeros((len(kinds.seed), state_width(cols.layout)), dtype=np.int64)
    given = cols, pair.codes, pair.sensitive, kinds
    method(*given, k, state, 0, len(state), make_table(cols, kinds))
    return upgraded(pair, state[kinds.of_record], k)


def covering(pair, members):
    """The rows that cover some originals each."""
    cols = pair.schema.columns
    state = np.zeros((len(members), state_width(cols.layout)), dtype=np.int64)
    for h, chosen in enumerate(members):
        for j in range(pair.codes.shape[1]):
            compiled.single(cols, j, pair.codes[chosen[0], j], state, h)
            for i in chosen[1:]:
                compiled.join(cols, j, pair.codes[i, j], state, h)
    return state


def random_release(rng, pair, k):
    """Each original is covered by k rows that are drawn, its own one among them."""
    n = len(pair.codes)
    members = [[i] for i in range(n)]
    for i in range(n):
        others = np.delete(np.arange(n), i)
        for h in rng.permutation(others)[: k - 1]:
            members[h].append(i)
    return covering(pair, members)


def few_wide(pair, k):
    """The paper's bad example: all rows are the originals, but k that cover all."""
    n = len(pair.codes)
    wide = range(n - k, n)
    return covering(pair, [[i, *range(n)] if i in wide else [i] for i in range(n)])


def releases(rng, pair, k):
    yield consistent(expand, pair, k)
    yield consistent(join_neighbours, pair, k)
    yield random_release(rng, pair, k)
    yield few_wide(pair, k)


def decoded(pair, state):
    return [pair.decode(row) for row in state]


def components_read(pair, state, k=1):
    """The component of each record's kind."""
    kinds = prepare(pair)
    neighbours, _ = read_rows(pair.schema.columns, pair.codes, kinds, k, state)
    return neighbours.node[kinds.of_seed[kinds.of_record]]


# ----------------------------------------------------------------------- matches


@pytest.mark.parametrize("seed", range(24))
def test_matches_are_neighbours_in_the_same_component(seed):
    rng, pair = random_table(seed, int(seeded(seed, "lm").randint(2, 10)), "lm")
    n = len(pair.codes)
    for k in {1, 2, n // 2 + 1}:
        for state in releases(rng, pair, k):
            near = naive.neighbours(pair.table, decoded(pair, state))
            expected = [naive.matches(near, i) for i in range(n)]
            of_record = components_read(pair, state, k)
            assert expected == [
                [j for j in js if of_record[j] == of_record[i]]
                for i, js in enumerate(near)
            ]
            assert expected == [naive.matches_on_circles(near, i) for i in range(n)]


# ------------------------------------------------------------------- Algorithm 6


def agrees(pair, state, k, matches):
    """Compare with the oracle; tell how often a row was widened."""
    expected, expected_number = naive.made_global(
        pair.table, decoded(pair, state), k, matches
    )
    n_widened = to_global(pair.problem(k), state)
    assert decoded(pair, state) == expected
    assert n_widened == expected_number
    near = naive.neighbours(pair.table, expected)
    assert min(len(matches(near, i)) for i in range(len(near))) >= k
    return n_widened


@pytest.mark.parametrize("measure", MEASURES)
def test_small_tables_equal_the_oracle(measure):
    """Where matches are found by removing both ends of each edge."""
    n_widened = 0
    for seed in range(5):
        rng, pair = random_table(seed, 4 + seed, measure)
        k = int(rng.choice([2, 3]))
        for state in releases(rng, pair, k):
            n_widened += agrees(pair, state, k, naive.matches)
    assert n_widened > 0


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", range(6))
def test_larger_tables_equal_the_oracle(seed, measure):
    rng, pair = random_table(seed, int(seeded(seed, measure).choice([20, 30])), measure)
    k = int(rng.choice([1, 2, 3, 5, 8]))
    for state in releases(rng, pair, k):
        agrees(pair, state, k, naive.matches_on_circles)


@pytest.mark.parametrize("k", [4, 7])
@pytest.mark.parametrize("seed", range(4))
def test_records_with_little_in_common_equal_the_oracle(seed, k):
    """There are many components, and matches among rows that are wider already."""
    rng = seeded(seed, "lm")
    columns = ["interval", "flat", "date", "tree", "subset"]
    pair = random_pair(rng, columns, 90, weights=[1.0, 0.3, 1.0, 2.0, 0.7])
    n_widened = 0
    for method in (expand, join_neighbours):
        state = consistent(method, pair, k)
        n_widened += agrees(pair, state, k, naive.matches_on_circles)
    assert n_widened > 0


def test_all_originals_must_match_all_records():
    rng, pair = random_table(0, 8, "lm")
    n = len(pair.codes)
    state = random_release(rng, pair, n)
    assert agrees(pair, state, n, naive.matches) == 0


def test_equal_originals_match_each_other():
    _, pair = random_table(2, 40, "lm")
    weight = prepare(pair).weight
    state = covering(pair, [[i] for i in range(40)])
    k = int(weight.min())
    assert agrees(pair, state, k, naive.matches_on_circles) == 0


# ------------------------------------------------------------- calls and components


def same_partition(labels, others):
    pairs = set(zip(labels.tolist(), others.tolist(), strict=True))
    return len(pairs) == len(set(labels.tolist())) == len(set(others.tolist()))


@pytest.mark.parametrize("measure", ["lm", "entropy", "pmi", "all"])
@pytest.mark.parametrize("seed", range(3))
def test_components_stay_exact_from_call_to_call(seed, measure):
    """Each call widens one row at most; the columns are in any order."""
    rng, pair = random_table(seed, 40, measure)
    order = rng.permutation(pair.codes.shape[1]).astype(np.int32)
    cols, kinds, k = pair.schema.columns, prepare(pair, order), 4
    for state in releases(rng, pair, k):
        origin, whole = state.copy(), state.copy()
        expected = to_global(pair.problem(k), whole)
        neighbours, components = read_rows(cols, pair.codes, kinds, k, state)
        rows = price_rows(cols, pair.sensitive, kinds.order, state)
        given = cols, pair.codes, pair.sensitive, kinds, k, state, rows, neighbours
        start = n_widened = 0
        while start < len(kinds.first):
            components = with_room(components)
            before = start, n_widened
            start, more = make_global(*given, components, start, 0)
            assert more <= 1
            n_widened += more
            assert (start, n_widened) > before
            roots = roots_of(components.parent)[neighbours.node]
            fresh = components_read(pair, state)[kinds.first]
            assert same_partition(roots, fresh)
        assert n_widened == expected
        np.testing.assert_array_equal(state, whole)
        listed = neighbours.widened[: neighbours.number[WIDENED]]
        (changed,) = np.nonzero((state != origin).any(axis=1))
        assert sorted(kinds.first[listed].tolist()) == changed.tolist()
        paid = price_rows(cols, pair.sensitive, kinds.order, state)
        np.testing.assert_allclose(rows.cost, paid.cost, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_work_may_be_cut_into_any_calls(seed, monkeypatch):
    rng, pair = random_table(seed, 50, "lm")
    for state in releases(rng, pair, 4):
        results = []
        for work in (10**9, 1, 300):
            monkeypatch.setattr(_matches, "WORK", work)
            copy = state.copy()
            results.append((to_global(pair.problem(4), copy), copy.tolist()))
        assert results[0] == results[1] == results[2]


def test_it_tells_how_far_it_is(capsys):
    rng, pair = random_table(0, 30, "lm")
    state = random_release(rng, pair, 3)
    problem = replace(pair.problem(3), verbose=1)
    n_widened, n = to_global(problem, state), len(prepare(pair).first)
    told = capsys.readouterr().err.splitlines()
    assert told[-2] == f"[skanon] {n} of {n} kinds have enough matches"
    assert told[-1] == f"[skanon] {n_widened} times a record was widened for a match"


@kernel
def add_arcs(components, starts, goal):
    """Let some nodes have an arc to one; there may be some already."""
    root = find(components.parent, goal)
    for start in starts:
        a = find(components.parent, start)
        if a != root:
            add_arc(components, a, root)
    unite_circles(components, root)


@pytest.mark.parametrize("seed", range(20))
def test_arcs_unite_components(seed):
    rng = np.random.RandomState(seed)
    n = rng.randint(1, 40)
    arcs = rng.randint(n, size=(rng.choice([0, n // 2, n]), 2))
    _, of_node = strong(n, arcs)
    node = of_node.astype(np.int32)
    parent = np.arange(node.max() + 1, dtype=np.int32)
    components = components_of(parent, node[arcs[:, 0]], node[arcs[:, 1]])
    for _ in range(60):
        starts, goal = rng.randint(n, size=rng.randint(4)), rng.randint(n)
        components = with_room(components)
        add_arcs(components, node[starts], node[goal])
        new = np.stack([starts, np.full(len(starts), goal)], axis=1)
        arcs = np.concatenate([arcs, new])
        roots = roots_of(components.parent)[node]
        assert same_partition(roots, strong(n, arcs)[1])
        lists_are_sound(components, len(parent))


def strong(n, arcs):
    ones = np.ones(len(arcs), dtype=np.int8)
    digraph = coo_array((ones, (arcs[:, 0], arcs[:, 1])), shape=(n, n)).tocsr()
    return connected_components(digraph, connection="strong")


def lists_are_sound(components, n):
    """Roots have all arcs of what they are the root of, in both directions."""
    roots = roots_of(components.parent)
    n_arcs = components.clock[N_ARCS]
    goal, start = roots[components.end[:, :n_arcs]]
    between = set(np.flatnonzero(start != goal).tolist())
    for way, here in enumerate([start, goal]):
        listed = []
        for a in range(n):
            if roots[a] != a:
                continue
            e, last = components.head[way, a], -1
            while e >= 0:
                assert here[e] == a
                listed.append(int(e))
                e, last = components.after[way, e], e
            assert components.tail[way, a] == last
        assert len(listed) == len(set(listed))
        assert between <= set(listed)


# ------------------------------------------------------------------------- refusals


def test_a_record_that_is_no_generalization_is_named():
    _, pair = random_table(2, 20, "lm")
    state = covering(pair, [[i] for i in range(20)])
    other = next(i for i in range(20) if (pair.codes[i] != pair.codes[7]).any())
    state[7] = state[other]
    before = state.copy()
    with pytest.raises(ReleaseError, match=r"row 7 does not generalize its own .*\(1 "):
        to_global(pair.problem(1), state)
    np.testing.assert_array_equal(state, before)


def test_an_original_with_too_few_consistent_records_is_named():
    rng, pair = random_table(0, 12, "lm")
    state = random_release(rng, pair, 2)
    release = decoded(pair, state)
    counts, _ = naive_consistency_fit.consistent_counts(pair.table, release)
    k = min(counts) + 1
    short = [i for i, count in enumerate(counts) if count < k]
    said = (
        rf"row {short[0]} is consistent with {counts[short[0]]} released records only, "
        rf"and {len(short)} originals with fewer than k = {k}"
    )
    with pytest.raises(ReleaseError, match=said):
        to_global(pair.problem(k), state)
