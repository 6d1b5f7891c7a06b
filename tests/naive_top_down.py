"""The oracle of the top-down algorithm of Xu et al. 2006."""

from naive import TOLERANCE
from naive_k_member import least_of


def furthest(table, pool, i):
    others = [other for other in pool if other != i]
    found, most = least_of(others, lambda other: -table.gc([i, other]))
    return found, -most


def seeds(table, pool, n_rounds):
    u = pool[0]
    v, far = furthest(table, pool, u)
    for _ in range(n_rounds - 1):
        w, farther = furthest(table, pool, v)
        if farther <= far + TOLERANCE:
            break
        u, v, far = v, w, farther
    return u, v


def part(table, pool, k, n_rounds):
    """Two groups; or None where neither would have k records."""
    u, v = seeds(table, pool, n_rounds)
    groups = [u], [v]
    for i in pool:
        if i in (u, v):
            continue
        rises = [table.summed([[*g, i]]) - table.summed([g]) for g in groups]
        if abs(rises[0] - rises[1]) <= TOLERANCE:
            chosen = 0 if len(groups[0]) <= len(groups[1]) else 1
        else:
            chosen = 0 if rises[0] < rises[1] else 1
        groups[chosen].append(i)
    return list(groups) if max(map(len, groups)) >= k else None


def recursion(table, k, n_rounds, permute):
    """``permute`` yields a random order of all records, once for each level."""
    groups, whole = [list(range(len(table.records)))], []
    while any(len(group) > k and group not in whole for group in groups):
        order, parts = permute(), []
        for group in groups:
            if len(group) <= k or group in whole:
                parts.append(group)
                continue
            two = part(table, [i for i in order if i in group], k, n_rounds)
            if two is None:
                whole.append(group)
            parts += two or [group]
        groups = parts
    return groups


def borrow(table, group, donor, k):
    """The records that the donor gives, and by how much the summed loss rises."""
    taken = []
    while len(group) + len(taken) < k:
        free = sorted(set(donor) - set(taken))
        found, _ = least_of(free, lambda i: table.gc([*group, *taken, i]))
        taken.append(found)
    rest = [i for i in donor if i not in taken]
    after = table.summed([[*group, *taken], rest])
    return taken, after - table.summed([group, donor])


def adjust(table, groups, k):
    """In place; a group that is united with another leaves an empty one."""
    for group in groups:
        while 0 < len(group) < k:
            others = [other for other in groups if other and other is not group]
            nearest, rise = least_of(
                others, lambda other, group=group: table.distance(group, other)
            )
            rich = [other for other in others if len(other) >= 2 * k - len(group)]
            donor, _ = least_of(
                rich, lambda other, group=group: table.distance(group, other)
            )
            if donor:
                taken, moved = borrow(table, group, donor, k)
                if moved < rise - TOLERANCE:
                    donor[:] = [i for i in donor if i not in taken]
                    group += taken
                    continue
            group += nearest
            nearest.clear()


def top_down(table, k, n_rounds, permute):
    groups = recursion(table, k, n_rounds, permute)
    adjust(table, groups, k)
    return [group for group in groups if group]
