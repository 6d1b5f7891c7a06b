"""The oracle of the optimum: all partitions, one after the other."""


def partitions(records, k, may_drop):
    """All ways to put records into clusters of at least k, and some into none."""
    if not records:
        yield [], []
        return
    first, *others = records
    if may_drop:
        for clusters, dropped in partitions(others, k, may_drop - 1):
            yield clusters, [first, *dropped]
    for bits in range(2 ** len(others)):
        inside = [i for at, i in enumerate(others) if bits >> at & 1]
        if len(inside) + 1 < k:
            continue
        rest = [i for i in others if i not in inside]
        for clusters, dropped in partitions(rest, k, may_drop):
            yield [[first, *inside], *clusters], dropped
