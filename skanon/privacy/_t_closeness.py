"""How far the classes of a published table stray from the table: t, beta and delta."""

from __future__ import annotations

from typing import Any

from skanon.privacy._l_diversity import achieved
from skanon.privacy._models import closeness, disclosure, likeness
from skanon.privacy._published import to_pandas
from skanon.privacy._sensitive import read_sensitive, spread_over


def t_closeness(
    X: Any,
    quasi_identifiers: Any,
    sensitive: Any,
    *,
    distance: Any = None,
    hierarchies: Any = None,
    suppressed: Any = "*",
    wildcard: bool = False,
) -> float:
    """Measure which t a table achieves: the distance of the class that strays most.

    It is the earth mover's distance between the sensitive values of a class and those
    of the whole table, wholly suppressed rows among them.

    Parameters
    ----------
    frame, quasi_identifiers, sensitive, suppressed, wildcard
        As in :func:`skanon.privacy.l_diversity`. Missing sensitive values are one
        value.
    distance : {"equal", "ordered", "hierarchical"}, mapping or None, default=None
        How far two of the m sensitive values of the table are from each other.
        ``"equal"``: 1. ``"ordered"``: the difference of their ranks, over m - 1; a
        missing value ranks last. ``"hierarchical"``: the level of their lowest common
        node over that of the root; a missing value hangs below the root by itself.
        None means hierarchical for attributes in ``hierarchies``, ordered for numbers,
        dates and ordered categories, and equal for the rest. A mapping gives each
        sensitive attribute its own.
    hierarchies : mapping from column to hierarchy, default=None
        Each a nested dict, a table of levels (a DataFrame or list of rows: the value
        and its nodes up to the root), or an object with ``values`` and ``levels``,
        as :class:`skanon.hierarchies.Taxonomy`. Values are found by their text.

    Returns
    -------
    float
        From 0 to below 1; 0 where the sensitive attribute is constant.

    Raises
    ------
    ParameterError
        There is no such distance, the values have no order, or a hierarchy is missing.
    HierarchyError
        A hierarchy cannot be read, or lacks a value.
    ColumnError, ColumnTypeError, ParameterError
        As in :func:`skanon.privacy.l_diversity`.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian, t-Closeness: Privacy Beyond k-Anonymity and
    l-Diversity (2007), section 4.

    Examples
    --------
    The paper's example of salaries, in units of 1000:

    >>> import pandas as pd
    >>> from skanon.privacy import t_closeness
    >>> release = pd.DataFrame(
    ...     {
    ...         "age": ["2*"] * 3 + ["4*"] * 3 + ["3*"] * 3,
    ...         "salary": [3, 4, 5, 6, 8, 11, 7, 9, 10],
    ...     }
    ... )
    >>> round(t_closeness(release, ["age"], "salary"), 3)
    0.375
    >>> round(t_closeness(release, ["age"], "salary", distance="equal"), 3)
    0.667
    """
    classes, attributes = read_sensitive(
        X, quasi_identifiers, sensitive, suppressed, wildcard
    )
    names = [attribute.name for attribute in attributes]
    model = closeness(distance, hierarchies, names, to_pandas(X).columns)
    return model.worst(model.per_class(attributes, spread_over(classes)))


def beta_likeness(
    X: Any,
    quasi_identifiers: Any,
    sensitive: Any,
    *,
    kind: str = "basic",
    suppressed: Any = "*",
    wildcard: bool = False,
) -> float:
    """Measure which beta a table achieves: the greatest relative gain of a value.

    Where a sensitive value has the share p in the table and the share q > p in a class,
    its gain is (q - p) / p.

    Parameters
    ----------
    frame, quasi_identifiers, sensitive, suppressed, wildcard
        As in :func:`skanon.privacy.l_diversity`. Missing sensitive values are one
        value. Wholly suppressed rows count for p.
    kind : {"basic", "enhanced"}, default="basic"
        ``"basic"``: no gain exceeds beta. ``"enhanced"``: nor -ln(p), so that frequent
        values are protected, too.

    Returns
    -------
    float
        At least 0; 0 where the sensitive attribute is constant. For ``"enhanced"`` it
        is infinite if a gain exceeds -ln(p): then no beta will do.

    Raises
    ------
    ParameterError
        There is no such kind.
    ColumnError, ColumnTypeError, ParameterError
        As in :func:`skanon.privacy.l_diversity`.

    References
    ----------
    J. Cao, P. Karras, Publishing Microdata with a Robust Privacy Guarantee (2012).

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import beta_likeness
    >>> release = pd.DataFrame(
    ...     {
    ...         "zip": ["47*"] * 5 + ["48*"] * 5,
    ...         "disease": ["flu", "flu", "HIV", "flu", "flu"] + ["flu"] * 5,
    ...     }
    ... )
    >>> round(beta_likeness(release, ["zip"], "disease"), 9)
    1.0
    """
    model = likeness(kind)
    return achieved(model, X, quasi_identifiers, sensitive, suppressed, wildcard)


def delta_disclosure(
    X: Any,
    quasi_identifiers: Any,
    sensitive: Any,
    *,
    absent: str = "infinite",
    suppressed: Any = "*",
    wildcard: bool = False,
) -> float:
    """Measure which delta a table achieves: the greatest change of a share, as a log.

    Where a sensitive value has the share p in the table and q in a class, it is the
    natural |ln(q / p)|.

    Parameters
    ----------
    frame, quasi_identifiers, sensitive, suppressed, wildcard
        As in :func:`skanon.privacy.l_diversity`. Missing sensitive values are one
        value. Wholly suppressed rows count for p.
    absent : {"infinite", "ignored"}, default="infinite"
        What a sensitive value counts that is absent from a class: infinite is the
        definition, since the class tells that its members do not have it. Merging two
        classes can only lower such a delta. Where absent values are ignored, it can
        also raise it.

    Returns
    -------
    float
        At least 0, maybe infinite; 0 where the sensitive attribute is constant. The
        definition asks for a |ln(q / p)| below delta: the table keeps each delta above
        the one returned.

    Raises
    ------
    ParameterError
        ``absent`` has another value.
    ColumnError, ColumnTypeError, ParameterError
        As in :func:`skanon.privacy.l_diversity`.

    References
    ----------
    J. Brickell, V. Shmatikov, The Cost of Privacy: Destruction of Data-Mining Utility
    in Anonymized Data Publishing (2008).

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import delta_disclosure
    >>> release = pd.DataFrame(
    ...     {"zip": [1] * 4 + [2] * 4, "disease": list("aabb" + "aaab")}
    ... )
    >>> round(delta_disclosure(release, ["zip"], "disease"), 4)
    0.4055
    >>> release["disease"] = list("aabb" + "aaaa")
    >>> delta_disclosure(release, ["zip"], "disease")
    inf
    """
    model = disclosure(absent)
    return achieved(model, X, quasi_identifiers, sensitive, suppressed, wildcard)
