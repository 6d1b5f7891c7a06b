"""The oracle: privacy models from their definitions, by fractions and transport plans.

A table is a list of classes, each the list of its sensitive values, and the list of all
sensitive values, those of suppressed rows among them.
"""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
from naive_k_anonymity import read, rows_by_values
from scipy.optimize import linprog


def classes_of(frame, quasi_identifiers, sensitive, suppressed="*"):
    values = [read(cell) for cell in sensitive]
    classes, hidden = rows_by_values(frame, quasi_identifiers, suppressed)
    members = list(classes.values()) if classes else [hidden]
    return [[values[i] for i in rows] for rows in members], values


def share(values, value):
    return Fraction(sum(x == value for x in values), len(values))


def frequency_l(cls, everything):
    return 1 / max(share(cls, value) for value in cls)


def distinct_l(cls, everything):
    return len(set(cls))


def entropy_l(cls, everything):
    shares = [float(share(cls, value)) for value in set(cls)]
    return math.exp(-sum(p * math.log(p) for p in shares))


def recursive_l(cls, everything, c):
    r = sorted(Counter(cls).values(), reverse=True)
    c = Fraction(str(c))
    return max([1, *(i for i in range(1, len(r) + 1) if r[0] < c * sum(r[i - 1 :]))])


def alpha(cls, everything, wanted=None):
    return max(share(cls, value) for value in (wanted or set(cls)))


def basic_beta(cls, everything):
    gains = [0]
    for value in set(cls):
        p, q = share(everything, value), share(cls, value)
        if q > p:
            gains.append((q - p) / p)
    return max(gains)


def enhanced_beta(cls, everything):
    beta = 0.0
    for value in set(cls):
        p, q = share(everything, value), share(cls, value)
        if q > p:
            gain = float((q - p) / p)
            beta = max(beta, gain if gain <= -math.log(p) else math.inf)
    return beta


def delta(cls, everything, absent="infinite"):
    found = 0.0
    for value in set(everything):
        p, q = share(everything, value), share(cls, value)
        if q > 0:
            found = max(found, abs(math.log(q / p)))
        elif absent == "infinite":
            found = math.inf
    return found


def earth_movers_distance(cls, everything, values, distance):
    """Find the cheapest plan that turns the table's shares into the class's."""
    m = len(values)
    cost = [distance(a, b) for a, b in itertools.product(values, values)]
    sources = np.kron(np.eye(m), np.ones(m))
    targets = np.kron(np.ones(m), np.eye(m))
    sides = [float(share(everything, v)) for v in values]
    sides += [float(share(cls, v)) for v in values]
    plan = linprog(cost, A_eq=np.vstack([sources, targets]), b_eq=sides)
    assert plan.success
    return plan.fun


def equal_t(cls, everything):
    values = sorted(set(everything), key=repr)
    return earth_movers_distance(cls, everything, values, lambda a, b: float(a != b))


def ordered_t(cls, everything):
    """``read`` gives the missing value as text, which ranks last."""
    kinds = {x for x in everything if isinstance(x, str)}
    values = [*sorted(set(everything) - kinds, key=lambda x: x[1]), *kinds]
    if len(values) == 1:
        return 0.0
    rank = {value: i for i, value in enumerate(values)}
    return earth_movers_distance(
        cls,
        everything,
        values,
        lambda a, b: abs(rank[a] - rank[b]) / (len(values) - 1),
    )


def hierarchical_t(cls, everything, paths):
    """``paths`` holds the nodes above each value, up to the root."""
    height = len(next(iter(paths.values())))

    def up(value):
        if value == "missing":
            return ["missing"] * height + ["root"]
        return [value[1], *paths[value[1]][:-1], "root"]

    def distance(a, b):
        if a == b:
            return 0.0
        meet = [i for i, (x, y) in enumerate(zip(up(a), up(b), strict=True)) if x == y]
        return min(meet) / height

    return earth_movers_distance(
        cls, everything, sorted(set(everything), key=repr), distance
    )
