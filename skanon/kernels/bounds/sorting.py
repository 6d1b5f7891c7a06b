"""Sorting a set of records by some columns, without making arrays."""

from __future__ import annotations

from skanon.kernels.jit import helper


@helper
def compare_rows(item, keys, n_keys, a, b):
    """Return -1, 0 or 1: whether row a comes before, with or after row b."""
    for q in range(n_keys):
        x = item[a, keys[q]]
        y = item[b, keys[q]]
        if x != y:
            return -1 if x < y else 1
    return 0


@helper
def sort_set(item, rep, d, scratch, n_keys, m):
    """Sort ``order[:m]``, places in the set of depth d, by merging ascending runs."""
    order, ends, keys = scratch.order, scratch.ends, scratch.keys
    n_runs = 0
    for s in range(1, m):
        if compare_rows(item, keys, n_keys, rep[d, order[s - 1]], rep[d, order[s]]) > 0:
            ends[n_runs] = s
            n_runs += 1
    ends[n_runs] = m
    n_runs += 1
    while n_runs > 1:
        start = 0
        n_merged = 0
        for run in range(0, n_runs, 2):
            stop = ends[min(run + 1, n_runs - 1)]
            if run + 1 < n_runs:
                _merge(item, rep, d, scratch, n_keys, start, ends[run], stop)
            ends[n_merged] = stop
            n_merged += 1
            start = stop
        n_runs = n_merged


@helper
def _merge(item, rep, d, scratch, n_keys, start, middle, stop):
    order, spare, keys = scratch.order, scratch.spare, scratch.keys
    a = start
    b = middle
    for s in range(start, stop):
        left = b == stop or (
            a < middle
            and compare_rows(item, keys, n_keys, rep[d, order[a]], rep[d, order[b]])
            <= 0
        )
        if left:
            spare[s] = order[a]
            a += 1
        else:
            spare[s] = order[b]
            b += 1
    for s in range(start, stop):
        order[s] = spare[s]
