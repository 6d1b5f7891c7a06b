"""The oracle of diversity: 000_ section 7, Algorithms 2 and 3, and the repair."""

import math

import naive
import naive_constraints
import naive_fit
import numpy as np
from naive import TOLERANCE

DECIMALS = 9


class Promises:
    """Constraints, each with the values that it is about.

    ``sensitive`` maps a name to all records' values; text, so that they have an order.
    """

    def __init__(self, constraints, sensitive):
        self._pairs = [
            (constraint, sensitive[name])
            for constraint in constraints
            for name in ([constraint.column] if constraint.column else sensitive)
        ]

    def kept(self, members, only_shares=False):
        """Tell whether a cluster keeps all of them, or all about single shares."""
        return all(
            naive_constraints.kept(made, [values[i] for i in members], values)
            for made, values in self._pairs
            if not only_shares or is_about_shares(made)
        )

    @property
    def first_values(self):
        """The values of the first promise that is about single shares."""
        found = [values for made, values in self._pairs if is_about_shares(made)]
        return found[0] if found else None


def is_about_shares(made):
    kind = type(made).__name__
    frequency = kind == "LDiversity" and made.kind == "frequency"
    return frequency or kind in ("AlphaKAnonymity", "BetaLikeness")


# ------------------------------------------------------------------- Algorithm 3


def spread(values, t, draws):
    """Equations (24) and (25), for t clusters."""
    clusters = [[] for _ in range(t)]
    for value in sorted(set(values)):
        ranked = draws.permutation([i for i, v in enumerate(values) if v == value])
        ranked = ranked.tolist()
        p = len(ranked)
        order = draws.permutation(t).tolist()
        for h in range(t):
            x = math.ceil(p / t) if order.index(h) < p % t else p // t
            clusters[h] += ranked[:x]
            del ranked[:x]
        assert not ranked
    return clusters


def ordered_with_coins(draws, n):
    """Ranks in a random order, whose parities are coins of their own."""
    order = draws.permutation(n)
    return (2 * order + draws.randint(2, size=n)).tolist()


def halves(values, members, ranks):
    """Algorithm 3 with t = 2; the first half stays, and an odd record by its coin."""
    stay, go = [], []
    for value in sorted({values[i] for i in members}):
        ordered = sorted(
            (i for i in members if values[i] == value), key=ranks.__getitem__
        )
        n = len(ordered) // 2
        if len(ordered) % 2 and ranks[ordered[0]] % 2 == 0:
            n += 1
        stay += ordered[:n]
        go += ordered[n:]
    return stay, go


# ------------------------------------------------------------------- Algorithm 2


def split(clusters, members, ranks, values, keeps):
    """Step 14: only if both halves are diverse; an empty one is no half."""
    stay, go = halves(values, members, ranks)
    if stay and go and keeps(stay) and keeps(go):
        members[:] = stay
        clusters.append(go)


def one_pass(table, clusters, ranks, largest, at_once, *, values, keeps):
    """Steps 4 to 14, in place; returns the number of moves."""
    moved = 0
    for i in range(len(table.records)):
        own = next(members for members in clusters if i in members)
        if len(own) > 1 and not keeps([m for m in own if m != i]):
            continue
        least, found = (math.inf if len(own) == 1 else 0.0), None
        for other in clusters:
            if other is not own and keeps([*other, i]):
                change = table.change(i, own, other)
                if change < least - TOLERANCE:
                    least, found = change, other
        if found is None:
            continue
        own.remove(i)
        if not own:
            clusters[:] = [members for members in clusters if members]
        found.append(i)
        moved += 1
        if at_once and len(found) > largest:
            split(clusters, found, ranks, values, keeps)
    for members in list(clusters):
        if len(members) > largest:
            split(clusters, members, ranks, values, keeps)
    return moved


def unite_broken(table, clusters, keeps):
    """The repair: the smallest cluster that breaks a promise goes first, in place.

    Returns False where nothing is left to be united.
    """
    while not all(map(keeps, clusters)):
        bad = [members for members in clusters if not keeps(members)]
        own = min(bad, key=len)
        others = [members for members in clusters if members is not own]
        if not others:
            return False
        others.sort(key=lambda other: round(table.distance(own, other), DECIMALS))
        fitting = [other for other in others if keeps([*own, *other])]
        other = (fitting or others)[0]
        first, second = sorted((own, other), key=lambda x: position(clusters, x))
        first.extend(second)
        clusters[:] = [members for members in clusters if members is not second]
    return True


def position(clusters, wanted):
    return next(at for at, members in enumerate(clusters) if members is wanted)


def algorithm_2(
    table,
    k,
    start,
    bound_constraints,
    draws,
    omega=1.5,
    at_once=True,
    max_iter=100,
):
    """From given clusters."""
    n = len(table.records)

    def keeps(members):
        return bound_constraints.kept(members, only_shares=True)

    def visit(*given):
        return one_pass(*given, values=bound_constraints.first_values, keeps=keeps)

    clusters, n_iter = naive.sequential(
        table,
        k,
        naive.labels_of(start, n),
        iter(lambda: ordered_with_coins(draws, n), None),
        omega=omega,
        at_once=at_once,
        max_iter=max_iter,
        tol=0.0,
        visit=visit,
    )
    return clusters, n_iter


def naive_run(table, k, seed, bound_constraints, alpha=0.5, free=False, **own):
    """Draw what one run draws; the clusters and the passes.

    That is Algorithm 2, or with ``free`` the same from what is found without
    constraints, then repaired. In the end all promises are repaired.
    """
    n, draws = len(table.records), np.random.RandomState(seed)

    def keeps(members):
        return bound_constraints.kept(members, only_shares=True)

    if free:
        start, before = naive_fit.naive_run(table, k, draws, alpha, **own)
    else:
        n_clusters, before = max(n // max(int(alpha * k), 1), 1), 0
        start = spread(bound_constraints.first_values, n_clusters, draws)
        start = [members for members in start if members]
    assert unite_broken(table, start, keeps)
    first = [list(members) for members in start]
    clusters, n_iter = algorithm_2(table, k, start, bound_constraints, draws, **own)
    if free and table.summed(first) <= table.summed(clusters) + TOLERANCE:
        clusters = first
    assert unite_broken(table, clusters, bound_constraints.kept)
    return clusters, before + n_iter
