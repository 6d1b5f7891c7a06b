"""The oracle of the bottom-up algorithm of Xu et al. 2006."""

from naive_k_member import least_of
from naive_regroup import regroup


def closest(table, groups, group, distance):
    others = [other for other in groups if other and other is not group]
    if distance == "rise":
        return least_of(others, lambda other: table.distance(group, other))[0]
    return least_of(others, lambda other: table.summed([[*group, *other]]))[0]


def one_round(table, groups, k, distance):
    """In place; a group that is united with another leaves an empty one."""
    for group in groups:
        if 0 < len(group) < k:
            other = closest(table, groups, group, distance)
            group += other
            other.clear()
            if len(group) >= 2 * k:
                group[:], other[:] = regroup(table, sorted(group), k, 0)


def bottom_up(table, k, distance="union"):
    groups = [[i] for i in range(len(table.records))]
    while any(0 < len(group) < k for group in groups):
        one_round(table, groups, k, distance)
    return [group for group in groups if group]
