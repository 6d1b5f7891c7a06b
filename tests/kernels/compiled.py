"""The innermost loops, made callable from here: they take and return no Python."""

from skanon.kernels import clusters, columns, sequential
from skanon.kernels.jit import kernel


@kernel
def rise(cols, j, state, h, cost, x):
    layout, tree, price = cols
    return columns.rise(layout, tree, price, j, state, h, cost, x)


@kernel
def single(cols, j, x, state, h):
    return columns.single(cols, j, x, state, h)


@kernel
def join(cols, j, x, state, h, cost):
    return columns.join(cols, j, x, state, h, cost)


@kernel
def merge(cols, j, into, a, other, b):
    return columns.merge(cols, j, into, a, other, b)


@kernel
def link(held, i, h):
    clusters.link(held, i, h)


@kernel
def unlink(held, i):
    clusters.unlink(held, i)


@kernel
def cover(cols, codes, held, i, h):
    clusters.cover(cols, codes, held, i, h)


@kernel
def refollow(cols, held, h):
    clusters.refollow(cols, held, h)


@kernel
def reclose(cols, codes, held, h):
    clusters.reclose(cols, codes, held, h)


@kernel
def without(cols, codes, held, i, state, cost):
    return clusters.without(cols, codes, held, i, state, cost)


@kernel
def best_cluster(cols, codes, held, memory, i, bound):
    return sequential.best_cluster(cols, codes, held, memory, i, bound)


@kernel
def merging_rise(cols, held, a, b, bound, scratch):
    return sequential.merging_rise(cols, held, a, b, bound, scratch)
