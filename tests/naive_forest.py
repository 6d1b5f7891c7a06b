"""The oracle of the forest algorithm: trees as lists of edges.

Aggarwal et al., "Approximation algorithms for k-anonymity" (2005), section 4.
"""

from naive_agglomerative import lost, rounded


def most_records(k):
    return max(2 * k - 1, 3 * k - 5)


def weight(table, i, m):
    """What the two records lose if they are published as one."""
    return lost(table, [i, m])


def grow(table, k):
    """The lightest edge that leaves a tree of fewer than k records, repeatedly."""
    n = len(table.records)
    trees, edges = [{i} for i in range(n)], []
    pairs = [(i, m) for i in range(n) for m in range(i + 1, n)]
    for i, m in sorted(pairs, key=lambda pair: rounded(weight(table, *pair))):
        a = next(tree for tree in trees if i in tree)
        b = next(tree for tree in trees if m in tree)
        if a is not b and min(len(a), len(b)) < k:
            trees = [tree for tree in trees if tree is not a and tree is not b]
            trees.append(a | b)
            edges.append((i, m))
    return edges


def side(edges, i):
    """All records that can be reached from i."""
    reached = {i}
    while True:
        more = {v for edge in edges if set(edge) & reached for v in edge} - reached
        if not more:
            return reached
        reached |= more


def cut(edges, k):
    """The heaviest first; of equals the one that was added last."""
    kept = list(edges)
    for edge in reversed(edges):
        others = [other for other in kept if other != edge]
        if min(len(side(others, v)) for v in edge) >= k:
            kept = others
    return kept


def branches(edges, centre):
    """What hangs on a record, from the lightest edge on."""
    found = []
    for edge in edges:
        if centre in edge:
            others = [other for other in edges if other != edge]
            found.append(side(others, sum(edge) - centre))
    return found


def take_apart(edges, tree, k):
    """Split a tree that has no edge with k records on both sides."""
    (centre,) = (i for i in tree if all(len(b) < k for b in branches(edges, i)))
    waiting = branches(edges, centre)
    fitting = [branch for branch in waiting if len(branch) == k - 1][:1]
    waiting = fitting + [branch for branch in waiting if branch not in fitting]
    groups, growing, free = [], set(), {centre}
    for branch in waiting:
        growing = growing | branch
        if len(growing) == k - 1:
            growing, free = growing | free, set()
        if len(growing) >= k:
            groups.append(growing)
            growing = set()
    growing = growing | free
    if growing:
        room = [g for g in groups if len(g) + len(growing) <= most_records(k)]
        room[-1].update(growing)
    return groups


def forest(table, k):
    edges = cut(grow(table, k), k)
    clusters = []
    for i in range(len(table.records)):
        tree = side(edges, i)
        if i != min(tree):
            continue
        if len(tree) <= most_records(k):
            clusters.append(sorted(tree))
        else:
            clusters += [sorted(group) for group in take_apart(edges, tree, k)]
    return clusters
