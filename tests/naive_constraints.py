"""The oracle: what each promise means, from the papers' definitions.

A class is the list of its sensitive values, the table that of all. Missing values are
``MISSING``, one value of their own that comes last.
"""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
from scipy.optimize import linprog

MISSING = "(missing)"

SLACK = 1e-9


class Ranked(str):
    """An ordered category."""

    rank: int

    def __lt__(self, other):
        """Compare places in the order."""
        return self.rank < other.rank


def read(column):
    """List sensitive values, the missing ones as one."""
    values = [MISSING if pd.isna(value) else value for value in column]
    if isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered:
        known = {}
        for rank, value in enumerate(column.dtype.categories):
            known[value] = Ranked(value)
            known[value].rank = rank
        values = [known.get(value, MISSING) for value in values]
    return values


def exact(number):
    """What was typed: 0.1 is a tenth."""
    return Fraction(str(number))


def share(values, value):
    return Fraction(values.count(value), len(values))


def kept(constraint, cls, table):
    """Tell whether a class keeps a promise of the package's."""
    return RULES[type(constraint).__name__](constraint, cls, table)


def all_kept(constraint, classes, table):
    return all(kept(constraint, cls, table) for cls in classes)


# --------------------------------------------------------------- diversity of values


def l_diversity(bound_constraint, cls, table):
    """000_ section 7; Machanavajjhala et al. 2007, definitions 4.1 and 4.2."""
    if bound_constraint.kind == "frequency":
        return all(share(cls, v) * exact(bound_constraint.l) <= 1 for v in cls)
    if bound_constraint.kind == "distinct":
        return len(set(cls)) >= bound_constraint.l
    if bound_constraint.kind == "entropy":
        shares = [float(share(cls, v)) for v in set(cls)]
        entropy = -math.fsum(p * math.log(p) for p in shares)
        return entropy >= math.log(bound_constraint.l) - SLACK
    counts = sorted(Counter(cls).values(), reverse=True)
    return bound_constraint.l == 1 or counts[0] < exact(bound_constraint.c) * sum(
        counts[bound_constraint.l - 1 :]
    )


def p_sensitivity(bound_constraint, cls, table):
    """Truta & Vinay 2006: the number of distinct values."""
    return len(set(cls)) >= bound_constraint.p


def alpha_k_anonymity(bound_constraint, cls, table):
    """Wong et al. 2006: the share of each value that is named."""
    named = set(cls) if bound_constraint.values is None else bound_constraint.values
    named = [MISSING if value is None else value for value in named]
    return all(share(cls, value) <= exact(bound_constraint.alpha) for value in named)


# ------------------------------------------------------------ distance from the table


def beta_likeness(bound_constraint, cls, table):
    """Cao & Karras 2012, definitions 2 and 3."""
    for value in set(cls):
        p, q = share(table, value), share(cls, value)
        if q <= p:
            continue
        most = bound_constraint.beta
        if bound_constraint.kind == "enhanced":
            most = min(most, -math.log(p))
        if float((q - p) / p) > most + SLACK:
            return False
    return True


def delta_disclosure(bound_constraint, cls, table):
    """Brickell & Shmatikov 2008, definition 1."""
    for value in set(table):
        p, q = share(table, value), share(cls, value)
        if q == 0 or abs(math.log(q / p)) >= bound_constraint.delta:
            return False
    return True


def t_closeness(bound_constraint, cls, table):
    """Li et al. 2007: the cheapest way to turn one distribution into the other."""
    return (
        earth_movers(cls, table, distance_of(bound_constraint, table))
        <= bound_constraint.t + 1e-7
    )


def distance_of(bound_constraint, table):
    """Section 4 of Li et al.: how far two values are apart."""
    values = in_order(table)
    if bound_constraint.distance == "hierarchical":
        return in_tree(bound_constraint.hierarchy)
    ordered = bound_constraint.distance == "ordered"
    if bound_constraint.distance is None:
        kinds = {type(value) for value in table if value != MISSING}
        ordered = not kinds & {str, bool, np.bool_}
    if ordered:
        steps = max(len(values) - 1, 1)
        return lambda a, b: abs(values.index(a) - values.index(b)) / steps
    return lambda a, b: float(a != b)


def in_order(table):
    values = sorted({value for value in table if value != MISSING})
    return [*values, MISSING] if MISSING in table else values


def in_tree(nested):
    """The height of the lowest node above both values, over that of the root."""
    above = {}

    def walk(below, path):
        for value in below:
            if isinstance(below, dict):
                walk(below[value], [value, *path])
            else:
                above[value] = path

    walk(nested, [])
    height = len(next(iter(above.values())))

    def distance(a, b):
        if a == b:
            return 0.0
        if MISSING in (a, b):
            return 1.0
        shared = [x == y for x, y in zip(above[a], above[b], strict=True)]
        return (shared.index(True) + 1) / height

    return distance


def earth_movers(cls, table, distance):
    """Solve the transportation problem as a linear program."""
    values = in_order(table)
    m = len(values)
    cost = [distance(a, b) for a, b in itertools.product(values, values)]
    sources = np.kron(np.eye(m), np.ones(m))
    targets = np.kron(np.ones(m), np.eye(m))
    sides = [float(share(whole, v)) for whole in (cls, table) for v in values]
    plan = linprog(cost, A_eq=np.vstack([sources, targets]), b_eq=sides)
    assert plan.success
    return plan.fun


RULES = {
    "LDiversity": l_diversity,
    "PSensitivity": p_sensitivity,
    "AlphaKAnonymity": alpha_k_anonymity,
    "BetaLikeness": beta_likeness,
    "DeltaDisclosure": delta_disclosure,
    "TCloseness": t_closeness,
}


# ------------------------------------------------------------------ published tables


def classes_of(release, sensitive, hidden):
    """The sensitive values of each class of a published table.

    ``hidden`` tells which rows are suppressed; they are in no class.
    """
    classes = {}
    rows = release.astype(object).itertuples(index=False, name=None)
    for row, value, gone in zip(rows, read(sensitive), hidden, strict=True):
        if not gone:
            key = tuple(MISSING if pd.isna(x) else x for x in row)
            classes.setdefault(key, []).append(value)
    return list(classes.values())
