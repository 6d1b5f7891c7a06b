"""The innermost loops, made callable from here: they take and return no Python."""

from skanon.kernels.clustering import clusters, merging, pools, sequential
from skanon.kernels.core import columns, curve
from skanon.kernels.jit import kernel


@kernel
def rise(cols, j, state, h, cost, x):
    layout, tree, price, _ = cols
    return columns.rise(layout, tree, price, j, state, h, cost, x)


@kernel
def price_of(cols, j, state, h):
    layout, _, price, _ = cols
    return columns.price_of(layout, price, j, state, h)


@kernel
def single(cols, j, x, state, h):
    layout, tree, _, _ = cols
    columns.single(layout, tree, j, x, state, h)


@kernel
def join(cols, j, x, state, h):
    layout, tree, _, _ = cols
    columns.join(layout, tree, j, x, state, h)


@kernel
def merge(cols, j, into, a, other, b):
    layout, tree, _, _ = cols
    columns.merge(layout, tree, j, into, a, other, b)


@kernel
def covers_all(cols, j, state, h):
    return columns.covers_all(cols.layout, j, state, h)


@kernel
def entry(cols, priced, j, state, h, c):
    layout, _, price, _ = cols
    return curve.entry(layout, price, priced, j, state, h, c)


@kernel
def summed(cols, priced, j, state, h, mix, g):
    layout, _, price, _ = cols
    return curve.summed(layout, price, priced, j, state, h, mix, g)


@kernel
def joint_floor(cols, priced, j, state, h, mix, least):
    return curve.joint_floor(cols, priced, j, state, h, mix, least)


@kernel
def link(held, i, h):
    clusters.link(held, held.mixture, i, h)


@kernel
def cover(cols, codes, held, i, h):
    clusters.cover(cols, codes, held, i, h)


@kernel
def reclose(cols, codes, held, h):
    clusters.reclose(cols, codes, held, h)


@kernel
def without(cols, codes, held, i, state, mix):
    return clusters.without(cols, codes, held, i, state, mix)


@kernel
def best_cluster(cols, codes, held, memory, i, bound, scratch, mix):
    return sequential.best_cluster(
        cols,
        cols.curve,
        codes,
        held,
        held.mixture,
        memory,
        i,
        bound,
        scratch,
        mix,
    )


@kernel
def merging_rise(cols, held, a, b, bound, scratch, mix):
    return merging.merging_rise(
        cols, cols.curve, held, held.mixture, a, b, bound, scratch, mix
    )


@kernel
def cluster_greedily(cols, pool, n, q, k, furthest):
    return pools.cluster_greedily(cols, pool, n, q, k, furthest)


@kernel
def settle(cols, pool, n, q, k):
    return pools.settle(cols, pool, n, q, k)


@kernel
def draw(luck):
    return pools.draw(luck)
