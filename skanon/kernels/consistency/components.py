"""The strongly connected components of a digraph that gains arcs.

Each arc that is added can only unite components. These are found by two searches, one
along the arcs and one against them, which take turns until one of them has reached all
that it can; the other one then only goes on within that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skanon.kernels.core.union_find import find, roots_of
from skanon.kernels.jit import helper, inlined

FORWARD, BACKWARD = range(2)
BEGIN, STOP, NODE, ARC, LAST = range(5)
N_ARCS, N_SEARCHES = range(2)


class Components(NamedTuple):
    """Components, and the arcs between different ones.

    Components have numbers. Of those that were united one stays, the root of the
    others. Arcs are in lists, one for each root, FORWARD with those that leave it, and
    one BACKWARD with those that enter it. What has become an arc within a component is
    taken out when it is met.

    Attributes
    ----------
    parent : int32 (n,)
        Follow it to the root, which is its own parent.
    head, tail : int32 (2, n)
        The first arc of each list, and the last; -1: there is none.
    after : int32 (2, n_room)
        The next arc in the list, or -1.
    end : int32 (2, n_room)
        Any of the components that are now united where the arc ends, and begins.
    mark : int32 (2, n)
        The last search that reached the root.
    queue : int32 (2, n)
        What a search has reached.
    place : int64 (2, 5)
        Where a search is: BEGIN and STOP of what waits in the queue, the NODE that it
        looks at, the next ARC and the LAST one that stays.
    clock : int64 (2,)
        N_ARCS are in use, N_SEARCHES are done.
    """

    parent: np.ndarray
    head: np.ndarray
    tail: np.ndarray
    after: np.ndarray
    end: np.ndarray
    mark: np.ndarray
    queue: np.ndarray
    place: np.ndarray
    clock: np.ndarray


def components_of(parent, start, goal):
    """List the arcs between components, each once.

    Parameters
    ----------
    parent : int32 (n,)
        The root of each component.
    start, goal : int (n_arcs,)
        Where arcs begin and end: components.

    Returns
    -------
    Components
        With room for n more arcs at least, and for as many as there are.
    """
    n = len(parent)
    start, goal = parent[start].astype(np.int64), parent[goal]
    start, goal = np.divmod(np.unique((start * n + goal)[start != goal]), n)
    n_arcs = len(start)
    head, tail = np.full((2, 2, n), -1, dtype=np.int32)
    after, end = np.full((2, 2, 2 * n_arcs + n), -1, dtype=np.int32)
    for way, (here, there) in enumerate([(start, goal), (goal, start)]):
        order = np.argsort(here, kind="stable")
        same = here[order[:-1]] == here[order[1:]]
        after[way, order[:-1][same]] = order[1:][same]
        tail[way, here[order]] = order
        head[way, here[order[::-1]]] = order[::-1]
        end[way, :n_arcs] = there
    return Components(
        parent=parent,
        head=head,
        tail=tail,
        after=after,
        end=end,
        mark=np.zeros((2, n), dtype=np.int32),
        queue=np.zeros((2, n), dtype=np.int32),
        place=np.zeros((2, 5), dtype=np.int64),
        clock=np.array([n_arcs, 0]),
    )


def with_room(components):
    """Make room for n more arcs, if there is none: forget those that are not needed.

    These are the arcs within components, and all but one of those between the same two.
    """
    n_arcs = components.clock[N_ARCS]
    if n_arcs + len(components.parent) <= components.end.shape[1]:
        return components
    end = components.end[:, :n_arcs]
    return components_of(roots_of(components.parent), end[BACKWARD], end[FORWARD])


@inlined
def add_arc(components, a, b):
    """Add an arc from root a to root b, without uniting anything yet."""
    head, tail, after = components.head, components.tail, components.after
    end, clock = components.end, components.clock
    e = clock[N_ARCS]
    clock[N_ARCS] += 1
    end[FORWARD, e] = b
    end[BACKWARD, e] = a
    for way in range(2):
        here = end[1 - way, e]
        if head[way, here] < 0:
            head[way, here] = e
        else:
            after[way, tail[way, here]] = e
        tail[way, here] = e


@inlined
def unite_circles(components, root):
    """Unite what lies on circles through a root; all new arcs must end there.

    The root stays one.
    """
    parent, head, tail = components.parent, components.head, components.tail
    after, mark, queue = components.after, components.mark, components.queue
    place, clock = components.place, components.clock
    clock[N_SEARCHES] += 1
    search = clock[N_SEARCHES]
    for way in range(2):
        mark[way, root] = search
        queue[way, 0] = root
        place[way, BEGIN] = 0
        place[way, STOP] = 1
        place[way, ARC] = -1
    way = FORWARD
    while _follow(components, way, search, False):
        way = 1 - way
    while _follow(components, 1 - way, search, True):
        pass
    for at in range(1, place[way, STOP]):
        a = queue[way, at]
        if mark[1 - way, a] == search:
            parent[a] = root
            for side in range(2):
                if head[side, a] < 0:
                    continue
                if head[side, root] < 0:
                    head[side, root] = head[side, a]
                else:
                    after[side, tail[side, root]] = head[side, a]
                tail[side, root] = tail[side, a]


@helper
def _follow(components, way, search, within):
    """Follow the next arc of a search, ``within`` what the other search has reached.

    Returns
    -------
    bool
        False if there is none.
    """
    parent, head, tail = components.parent, components.head, components.tail
    after, end, mark = components.after, components.end, components.mark
    queue, place = components.queue, components.place
    while place[way, ARC] < 0:
        at = place[way, BEGIN]
        if at == place[way, STOP]:
            return False
        place[way, BEGIN] += 1
        a = queue[way, at]
        if not within or mark[1 - way, a] == search:
            place[way, NODE] = a
            place[way, ARC] = head[way, a]
            place[way, LAST] = -1
    a = place[way, NODE]
    e = place[way, ARC]
    b = find(parent, end[way, e])
    place[way, ARC] = after[way, e]
    if a != b:
        place[way, LAST] = e
        if mark[way, b] != search:
            mark[way, b] = search
            queue[way, place[way, STOP]] = b
            place[way, STOP] += 1
        return True
    if place[way, LAST] < 0:
        head[way, a] = after[way, e]
    else:
        after[way, place[way, LAST]] = after[way, e]
    if after[way, e] < 0:
        tail[way, a] = place[way, LAST]
    return True
