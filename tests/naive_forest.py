"""The oracle of the forest algorithm: trees as lists of edges.

Aggarwal et al., "Approximation algorithms for k-anonymity" (2005), section 4.
"""

from naive_agglomerative import lost, rounded


def most_records(k):
    return max(2 * k - 1, 3 * k - 5)


def weight(table, i, m):
    """What the two records lose if they are published as one."""
    return lost(table, [i, m])


def grow_trees(table, k, groups):
    """Tree after tree, by the lightest edge that leaves it, until it has k records.

    Of those that have fewer, the paper takes any; here that of the first record.
    ``groups`` are lists of records that are trees from the start, each a star.
    """
    n = len(table.records)
    edges = [(own[0], i) for own in sorted(groups) for i in own[1:]]
    trees = [set(own) for own in groups]
    trees += [{i} for i in range(n) if not any(i in tree for tree in trees)]
    while any(len(tree) < k for tree in trees):
        tree = min((tree for tree in trees if len(tree) < k), key=min)
        leaving = [
            tuple(sorted((i, m))) for i in tree for m in range(n) if m not in tree
        ]
        edge = min(leaving, key=lambda pair: (rounded(weight(table, *pair)), pair))
        edges.append(edge)
        other = next(t for t in trees if t is not tree and set(edge) & t)
        trees = [t for t in trees if t is not tree and t is not other]
        trees.append(tree | other)
    return edges


def equal_groups(table, k):
    """k equal records each; fewer that are left go to the first of these.

    None where costs depend on sensitive values.
    """
    if table.penalty or len(set(table.sensitive)) > 1:
        return []
    groups = []
    alike = {}
    for i, record in enumerate(table.records):
        seen = tuple(v for j, v in enumerate(record) if table.counts(j))
        alike.setdefault(seen, []).append(i)
    for own in alike.values():
        whole = [own[at : at + k] for at in range(0, len(own) // k * k, k)]
        rest = own[len(whole) * k :]
        if whole:
            whole[0] = whole[0] + rest
        groups += whole or [rest]
    return groups


def cut_large(edges, n, k):
    """Halve trees that are too large, from their first record towards the most."""
    kept = list(edges)
    while True:
        large = [i for i in range(n) if len(side(kept, i)) > most_records(k)]
        dividing = next(filter(None, (divide(kept, i, k) for i in large)), None)
        if dividing is None:
            return kept
        kept.remove(dividing)


def divide(edges, i, k):
    """The first edge on the way into the largest branch that leaves k behind."""
    tree = side(edges, i)
    here, behind = min(tree), set()
    while True:
        ways = {}
        for edge in edges:
            there = sum(edge) - here
            if here in edge and there not in behind:
                others = [other for other in edges if other != edge]
                ways[edge] = len(side(others, there))
        if not ways or max(ways.values()) < k:
            return None
        edge = max(ways, key=ways.get)  # of equals the one that was added first
        if len(tree) - ways[edge] >= k:
            return edge
        others = [other for other in edges if other != edge]
        here = sum(edge) - here
        behind = tree - side(others, here)


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


def forest(table, k, lightest_first=False):
    if lightest_first:
        edges = cut(grow(table, k), k)
    else:
        edges = grow_trees(table, k, equal_groups(table, k))
        edges = cut_large(edges, len(table.records), k)
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
