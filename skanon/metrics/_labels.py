"""A reader of labels for a column and the hierarchy that is bound to it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from skanon.hierarchies import BoundHierarchy, Hierarchy, Taxonomy
from skanon.hierarchies._taxonomy import BoundTaxonomy
from skanon.privacy._labels import Reader, Span, Subset


def label_reader(bound: BoundHierarchy, hierarchy: Hierarchy) -> Reader:
    """Make a reader whose codes are those of a bound hierarchy.

    Parameters
    ----------
    bound : BoundHierarchy
        The hierarchy, bound to the column as it was before.
    hierarchy : Hierarchy
        The same, which still has all names of nodes.
    """
    domain = bound.domain
    gap = [None] if bound.missing >= 0 else []
    values = pd.Series([*bound.values, *gap], dtype=object)
    kind = domain.kind if len(domain) else "text"  # leaves without a column are text
    reader = Reader(values, kind, domain.categories, complete=True)
    reader.nodes = _node_spans(bound, hierarchy)
    return reader


def _node_spans(bound: BoundHierarchy, hierarchy: Hierarchy) -> dict[str, Subset]:
    """Find what each node's name stands for.

    The bound tree drops a node that covers no more than the one below it, but other
    tools may well have published its name.
    """
    if not isinstance(bound, BoundTaxonomy) or not isinstance(hierarchy, Taxonomy):
        return {}
    spans: dict[str, Subset] = {}
    for labels in hierarchy.levels:
        nodes, names = pd.factorize(np.array(labels, dtype=object))
        first = np.full(len(names), bound.n_codes)
        last = np.zeros(len(names), dtype=np.int64)
        np.minimum.at(first, nodes, bound._rank)
        np.maximum.at(last, nodes, bound._rank)
        ends = map(Span, first.tolist(), last.tolist())
        spans |= dict(zip(names, ends, strict=True))
    spans[hierarchy.root] = Span(0, bound.n_codes - 1)
    return spans
