"""What a published table tells of sensitive values: l, alpha and p."""

from __future__ import annotations

from typing import Any

from skanon.privacy._models import Model, diversity, share
from skanon.privacy._sensitive import read_sensitive, spread_over


def l_diversity(
    X: Any,
    quasi_identifiers: Any,
    sensitive: Any,
    *,
    kind: str = "frequency",
    c: float | None = None,
    suppressed: Any = "*",
    wildcard: bool = False,
) -> float:
    """Measure which l a table achieves: how diverse its least diverse class is.

    Parameters
    ----------
    X : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The published table.
    quasi_identifiers : iterable of column labels, or None
        None means every column but the sensitive attributes.
    sensitive : column label, list of labels, Series or DataFrame of n rows
        The sensitive attribute, or several: each class counts with its least diverse
        one, and the others are no quasi-identifiers. They may be columns of ``X``
        or come by themselves, in the same order. Missing values are one value.
    kind : {"frequency", "distinct", "entropy", "recursive"}, default="frequency"
        What makes a class l-diverse. ``"frequency"``: no value has more than 1/l of
        its rows. ``"distinct"``: it has l distinct values. ``"entropy"``: the entropy
        of its values is at least log(l), so that the achieved l is 2 to the entropy in
        bits, the effective number of values. ``"recursive"``: r_1 < c (r_l + ... +
        r_m), where r_i is the count of its i-th most frequent value; each class is
        1-diverse.
    c : float, default=None
        The constant of ``kind="recursive"``, above 0; a smaller one asks for more.
    suppressed : str, number, missing value or None, default="*"
        What stands for a suppressed value; None means that no value does. Wholly
        suppressed rows are in no class, as in :func:`skanon.privacy.k_anonymity`.
    wildcard : bool, default=False
        As in :func:`skanon.privacy.k_anonymity`: a class then counts with the values
        of all rows that its rows may be equal to, and wholly suppressed rows with all.

    Returns
    -------
    float or int
        At least 1, and 1 where the sensitive attribute is constant; an integer for
        ``"distinct"`` and ``"recursive"``.

    Raises
    ------
    ColumnError
        A sensitive attribute is unknown, is also a quasi-identifier, or has not one
        value per row.
    ParameterError
        There is no such kind, or c is missing or out of place.
    ColumnError, ColumnTypeError, ParameterError
        As in :func:`skanon.privacy.equivalence_classes`.

    References
    ----------
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, l-Diversity: Privacy
    beyond k-Anonymity (2007), section 4. The frequency form: J.
    Goldberger, T. Tassa, Efficient Anonymizations with Enhanced Utility, section 7.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import l_diversity
    >>> release = pd.DataFrame(
    ...     {
    ...         "age": ["[20, 29]"] * 4 + ["[30, 39]"] * 3,
    ...         "disease": ["flu", "flu", "cold", "ulcer", "flu", "cold", "ulcer"],
    ...     }
    ... )
    >>> l_diversity(release, ["age"], "disease")
    2.0
    >>> l_diversity(release, ["age"], "disease", kind="distinct")
    3
    >>> round(l_diversity(release, ["age"], "disease", kind="entropy"), 3)
    2.828
    >>> l_diversity(release, ["age"], "disease", kind="recursive", c=1.5)
    2
    """
    model = diversity(kind, c)
    return achieved(model, X, quasi_identifiers, sensitive, suppressed, wildcard)


def alpha_k_anonymity(
    X: Any,
    quasi_identifiers: Any,
    sensitive: Any,
    *,
    value: Any = None,
    suppressed: Any = "*",
    wildcard: bool = False,
) -> float:
    """Measure which alpha a table achieves: the greatest share of a sensitive value.

    The k that goes with it is that of :func:`skanon.privacy.k_anonymity`.

    Parameters
    ----------
    frame, quasi_identifiers, sensitive, suppressed, wildcard
        As in :func:`l_diversity`. Missing sensitive values are one value.
    value : scalar or list of scalars, default=None
        The sensitive values to protect; None means all. With several sensitive
        attributes, each must have them.

    Returns
    -------
    float
        Above 0 and at most 1; 0 if ``value`` stands only in wholly suppressed rows.
        It is 1 where the sensitive attribute is constant.

    Raises
    ------
    ColumnError
        A sensitive attribute has no such ``value``; or as in :func:`l_diversity`.
    ColumnTypeError, ParameterError
        As in :func:`l_diversity`.

    References
    ----------
    R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang, (alpha, k)-Anonymity: An Enhanced
    k-Anonymity Model for Privacy-Preserving Data Publishing (2006).

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import alpha_k_anonymity
    >>> release = pd.DataFrame(
    ...     {"zip": ["47*"] * 4, "disease": ["flu", "flu", "flu", "HIV"]}
    ... )
    >>> alpha_k_anonymity(release, ["zip"], "disease")
    0.75
    >>> alpha_k_anonymity(release, ["zip"], "disease", value="HIV")
    0.25
    """
    return achieved(share(value), X, quasi_identifiers, sensitive, suppressed, wildcard)


def p_sensitivity(
    X: Any,
    quasi_identifiers: Any,
    sensitive: Any,
    *,
    suppressed: Any = "*",
    wildcard: bool = False,
) -> int:
    """Measure which p a table achieves: the fewest sensitive values of a class.

    A table is p-sensitive k-anonymous if it is k-anonymous and each sensitive attribute
    has at least p distinct values in each class. This is the distinct form of
    l-diversity.

    Parameters
    ----------
    frame, quasi_identifiers, sensitive, suppressed, wildcard
        As in :func:`l_diversity`. Missing sensitive values are one value.

    Returns
    -------
    int
        At least 1; 1 where a sensitive attribute is constant.

    Raises
    ------
    ColumnError, ColumnTypeError, ParameterError
        As in :func:`l_diversity`.

    References
    ----------
    T. M. Truta, B. Vinay, Privacy Protection: p-Sensitive k-Anonymity Property (2006).

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import p_sensitivity
    >>> release = pd.DataFrame(
    ...     {"zip": ["47*"] * 3, "disease": ["flu", "flu", "HIV"], "income": [1, 2, 3]}
    ... )
    >>> p_sensitivity(release, ["zip"], ["disease", "income"])
    2
    """
    model = diversity("distinct")
    return achieved(model, X, quasi_identifiers, sensitive, suppressed, wildcard)


def achieved(
    model: Model,
    frame: Any,
    quasi_identifiers: Any,
    sensitive: Any,
    suppressed: Any,
    wildcard: bool,
) -> Any:
    """Measure the level of the least protected class and attribute."""
    classes, attributes = read_sensitive(
        frame, quasi_identifiers, sensitive, suppressed, wildcard
    )
    return model.worst(model.per_class(attributes, spread_over(classes)))
