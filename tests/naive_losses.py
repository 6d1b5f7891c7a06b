"""The oracle of losses: what one entry costs, as the papers define it.

A measure takes the column, the published subset, the record's own value and its
sensitive value; those that need less can be called with less.
"""

import math
from dataclasses import dataclass

from naive_columns import MISSING, UNKNOWN


def lm(column, subset, *_):
    """Goldberger & Tassa 2010, equation (3): one entry's summand."""
    if len(column.everything) == 1:
        return 0.0
    return (len(subset & column.everything) - 1) / (len(column.everything) - 1)


def ncp(column, subset, *_):
    """He et al. 2012, definition 1: one entry's share of the domain's length.

    Without an order, values lie one apart. A missing value may be anywhere, so that
    it makes the range the widest that there is; a category that the column lacks is
    nowhere, and adds no length.
    """
    if not column.places:
        return lm(column, subset)
    if len(subset & column.everything) == 1:
        return 0.0
    if MISSING in subset:
        return 1.0
    placed = [column.places[v] for v in subset if v in column.places]
    known = [column.places[v] for v in column.everything if v in column.places]
    if max(known) == min(known) or not placed:
        return 0.0
    return (max(placed) - min(placed)) / (max(known) - min(known))


def tree(column, subset, *_):
    """Gionis et al. 2008, section IV: the level, by the height of the taxonomy.

    Without one, an entry is whole or not. What is not known is under the root only,
    and what covers everything is published as the root is.
    """
    if column.levels is None:
        return float(len(subset & column.everything) > 1)
    if UNKNOWN in subset or (len(subset) > 1 and subset == column.everything):
        return 1.0
    return column.levels[subset] / column.height


def il(column, subset, *_):
    """Byun et al. 2007, definition 5: lengths of ranges, heights of subtrees.

    Of the nodes, as of those that are published, there is one for each set of values;
    the missing value hangs under the root and makes nothing higher.
    """
    if column.is_intervals:
        return ncp(column, subset)
    if column.levels is None or UNKNOWN in subset or subset == column.everything:
        return float(len(subset & column.everything) > 1)
    nodes = {node - {MISSING} for node in (*column.levels, column.everything)}

    def height(top):
        below = [node for node in nodes if node and node < top]
        return 1 + max(map(height, below)) if below else 0

    return height(subset) / max(height(column.everything - {MISSING}), 1)


def entropy(column, subset, *_):
    """Gionis et al. 2008, definition 4.3: H(X | X in R)."""
    tally = column.tally(subset)
    shares = [count / tally.total() for count in tally.values()]
    return -math.fsum(share * math.log2(share) for share in shares)


def mi(column, subset, value, *_):
    """Goldberger & Tassa 2010, equation (10): -log2 Pr(X = x | X in R)."""
    tally = column.tally(subset)
    return -math.log2(tally[value] / tally.total())


def pmi(column, subset, value, sensitive):
    """Goldberger & Tassa 2010, equation (14), as in the gc of section 6.1.

    Relative to what the record's own value tells of its sensitive value.
    """
    own = column.sensitive_tally(frozenset([value]))
    return -math.log2(pr(column, subset, sensitive) / (own[sensitive] / own.total()))


def pr(column, subset, sensitive):
    """Pr(Y = y | X in R)."""
    tally = column.sensitive_tally(subset)
    return tally[sensitive] / tally.total()


def searched_mi(column, subset, *_):
    """What of equation (10) depends on where a record goes: log2 N(R)."""
    return math.log2(column.tally(subset).total())


def searched_pmi(column, subset, _, sensitive):
    """What of equation (14) depends on where a record goes."""
    return -math.log2(pr(column, subset, sensitive))


@dataclass(frozen=True)
class Measure:
    """An entry's cost as it is reported, and as it is while an algorithm searches.

    Both differ by what the entry costs wherever its record goes.
    """

    full: object
    searched: object
    in_bits: bool = False  # if not, a suppressed entry costs 1, whatever the column

    def cost(self, column, subset, value, sensitive, *, searched):
        """Price an entry; None stands for one of a suppressed record."""
        if subset is None:
            if not self.in_bits:
                return 1.0
            subset = column.everything
        return (self.searched if searched else self.full)(
            column, subset, value, sensitive
        )


LM, NCP, TREE, IL = (Measure(one, one) for one in (lm, ncp, tree, il))
EM = Measure(entropy, entropy, in_bits=True)
MI = Measure(mi, searched_mi, in_bits=True)
PMI = Measure(pmi, searched_pmi, in_bits=True)


@dataclass(frozen=True)
class Part:
    """A measure in a sum: its factor, and its columns' weights on any scale."""

    factor: float
    measure: Measure
    weights: tuple

    def share(self, j):
        return self.factor * self.weights[j] / sum(self.weights)
