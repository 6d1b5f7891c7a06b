"""How many sensitive values a class must have, and how evenly."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from skanon.constraints._base import (
    SLACK,
    Constraint,
    SensitiveAttribute,
    check_kind,
    check_number,
    shares,
)
from skanon.constraints._offer import Offer
from skanon.exceptions import ParameterError, in_short
from skanon.privacy import alpha_k_anonymity, l_diversity, p_sensitivity

KINDS = ("frequency", "distinct", "entropy", "recursive")


class LDiversity(Constraint):
    """l-diversity: each class has at least l well-represented sensitive values.

    Parameters
    ----------
    l : float
        At least 1; a whole number for ``"distinct"`` and ``"recursive"``.
    kind : {"frequency", "distinct", "entropy", "recursive"}, default="frequency"
        - ``"frequency"``: no value has a share of more than 1 / l in a class
        - ``"distinct"``: a class has at least l different values
        - ``"entropy"``: the entropy of a class's values is at least log(l)
        - ``"recursive"``: the most frequent value occurs less often than c times all
          but the l - 1 most frequent together; always kept for l = 1
    c : float, or None
        For ``"recursive"`` only.
    column : column, or None
        The sensitive attribute; None: each of them.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam, "l-Diversity: privacy beyond
    k-anonymity", TKDD 1 (2007), definitions 4.1 and 4.2; the form by frequency is that
    of Goldberger & Tassa (2010), section 7, and He et al. (2012), definition 3.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon import KAnonymizer
    >>> from skanon.constraints import LDiversity
    >>> people = pd.DataFrame({"age": [20, 21, 30, 31]})
    >>> illness = ["flu", "flu", "cold", "cold"]
    >>> anonymizer = KAnonymizer(k=2, constraints=[LDiversity(2)], random_state=0)
    >>> sorted(set(anonymizer.fit_transform(people, illness)["age"]))
    ['[20, 31]', '[21, 30]']
    """

    in_policy = ("l", "kind", "c")
    offers = (
        Offer(
            "l_frequency",
            "l-diversity",
            "No sensitive value has a share of more than 1/l in a class, so "
            "that nobody can be sure of it.",
            level="l",
            start=2,
            feasible="l",
            high=True,
            options={"kind": "frequency"},
            position=0,
        ),
        Offer(
            "l_distinct",
            "distinct l-diversity",
            "Each class has at least l different sensitive values.",
            level="l",
            start=2,
            feasible="l_distinct",
            high=True,
            whole=True,
            options={"kind": "distinct"},
            position=1,
        ),
        Offer(
            "l_entropy",
            "entropy l-diversity",
            "The sensitive values of each class are spread as evenly as l "
            "values would be.",
            level="l",
            start=1.5,
            feasible="l_entropy",
            high=True,
            options={"kind": "entropy"},
            position=2,
        ),
    )

    def __init__(
        self,
        l: float,  # noqa: E741
        kind: str = "frequency",
        *,
        c: float | None = None,
        column: Hashable | None = None,
    ) -> None:
        super().__init__(column)
        check_kind("LDiversity", "kind", kind, KINDS)
        whole = kind in ("distinct", "recursive")
        check_number("LDiversity", "l", l, 1, np.inf, whole=whole)
        if kind == "recursive":
            check_number("LDiversity", "c", c, 0, np.inf)
        elif c is not None:
            raise ParameterError(
                f"LDiversity: c is {in_short(c)}, but kind={kind!r} has no use for "
                'it. Leave it out, or choose kind="recursive".'
            )
        self.l = l
        self.kind = kind
        self.c = c

    def holds(self, counts: np.ndarray, attribute: SensitiveAttribute) -> np.ndarray:
        """Tell which classes are diverse; see :meth:`Constraint.holds`."""
        if self.kind == "frequency":
            sizes = counts.sum(axis=1)
            return counts.max(axis=1) * self.l <= sizes * (1 + SLACK)
        if self.kind == "distinct":
            return (counts > 0).sum(axis=1) >= self.l
        if self.kind == "entropy":
            return effective_number(counts) >= self.l * (1 - SLACK)
        if self.l == 1:  # by definition
            return np.ones(len(counts), dtype=bool)
        ranked = -np.sort(-counts, axis=1)
        rest = ranked[:, int(self.l) - 1 :].sum(axis=1)
        return ranked[:, 0] * (1 + SLACK) < self.c * rest

    def caps(self, attribute: SensitiveAttribute) -> np.ndarray | None:
        """Give 1 / l for each value, for ``"frequency"``."""
        if self.kind != "frequency":
            return None
        return np.full(len(attribute.values), 1 / self.l)

    def feasible(self, attribute: SensitiveAttribute) -> str:
        """Name the highest l that the table can reach."""
        whole = attribute.counts[None]
        if self.kind == "frequency":
            value, share = attribute.most_frequent
            return (
                f"The table reaches l = {1 / share:.6g} at most, since the value "
                f"{value!r} has a share of {share:.6g}. Ask for no more."
            )
        if self.kind == "recursive":
            return (
                f"The most frequent value, {attribute.most_frequent[0]!r}, is too "
                "frequent in the whole table. Lower l, or raise c."
            )
        most = (whole > 0).sum() if self.kind == "distinct" else effective_number(whole)
        reached = f"{float(np.sum(most)):.6g}"
        return f"The table reaches l = {reached} at most. Ask for no more."

    def kept_by(
        self, X: Any, quasi_identifiers: Any, sensitive: Any, **how: Any
    ) -> bool:
        """Tell whether a published table is diverse; see :meth:`Constraint.kept_by`."""
        options: dict[str, Any] = {} if self.c is None else {"c": self.c}
        level = l_diversity(
            X, quasi_identifiers, sensitive, kind=self.kind, **options, **how
        )
        return bool(level >= self.l * (1 - SLACK))


class PSensitivity(Constraint):
    """p-sensitivity: each class has at least p different sensitive values.

    Parameters
    ----------
    p : int
        At least 1.
    column : column, or None
        The sensitive attribute; None: each of them.

    References
    ----------
    Truta & Vinay, "Privacy protection: p-sensitive k-anonymity property", ICDE
    Workshops 2006.
    """

    in_policy = ("p",)

    def __init__(self, p: int, *, column: Hashable | None = None) -> None:
        super().__init__(column)
        check_number("PSensitivity", "p", p, 1, np.inf, whole=True)
        self.p = p

    def holds(self, counts: np.ndarray, attribute: SensitiveAttribute) -> np.ndarray:
        """Tell which classes have p values; see :meth:`Constraint.holds`."""
        return (counts > 0).sum(axis=1) >= self.p

    def feasible(self, attribute: SensitiveAttribute) -> str:
        """Name the highest p that the table can reach."""
        n = int((attribute.counts > 0).sum())
        return f"The table has {n} different values. Ask for no more."

    def kept_by(
        self, X: Any, quasi_identifiers: Any, sensitive: Any, **how: Any
    ) -> bool:
        """Tell whether a published table keeps it; see :meth:`Constraint.kept_by`."""
        level = p_sensitivity(X, quasi_identifiers, sensitive, **how)
        return bool(level >= self.p)


class AlphaKAnonymity(Constraint):
    """(alpha, k)-anonymity: sensitive values have a share of at most alpha in a class.

    Parameters
    ----------
    alpha : float
        Above 0 and at most 1.
    values : list, or None
        The sensitive values that this is about; None: all of them.
    column : column, or None
        The sensitive attribute; None: each of them.

    References
    ----------
    Wong, Li, Fu & Wang, "(alpha, k)-anonymity: an enhanced k-anonymity model for
    privacy preserving data publishing", KDD 2006.
    """

    in_policy = ("alpha",)
    offers = (
        Offer(
            "alpha",
            "(alpha, k)-anonymity",
            "No sensitive value has a share of more than alpha in a class.",
            level="alpha",
            start=0.8,
            feasible="alpha",
            position=3,
        ),
    )

    def __init__(
        self,
        alpha: float,
        *,
        values: list | None = None,
        column: Hashable | None = None,
    ) -> None:
        super().__init__(column)
        check_number("AlphaKAnonymity", "alpha", alpha, 0, 1)
        if not (values is None or (isinstance(values, list) and values)):
            raise ParameterError(
                f"AlphaKAnonymity: values is {in_short(values)}. Give a list of "
                "sensitive values, or None for all."
            )
        self.alpha = alpha
        self.values = values

    def holds(self, counts: np.ndarray, attribute: SensitiveAttribute) -> np.ndarray:
        """Tell which classes keep it; see :meth:`Constraint.holds`."""
        most = shares(counts)[:, self._wanted(attribute)].max(axis=1, initial=0)
        return most <= self.alpha * (1 + SLACK)

    def caps(self, attribute: SensitiveAttribute) -> np.ndarray:
        """Give alpha for the values that this is about, 1 for others."""
        caps = np.ones(len(attribute.values))
        caps[self._wanted(attribute)] = self.alpha
        return caps

    def _wanted(self, attribute: SensitiveAttribute) -> np.ndarray:
        if self.values is None:
            return np.arange(len(attribute.values))
        for value in self.values:
            if value not in attribute.values:
                raise ParameterError(
                    f"AlphaKAnonymity: {attribute.name!r} has no value {value!r}. Its "
                    f"values begin with {attribute.values[:5]!r}."
                )
        return np.array([attribute.values.index(value) for value in self.values])

    def feasible(self, attribute: SensitiveAttribute) -> str:
        """Name the lowest alpha that the table can reach."""
        wanted = self._wanted(attribute)
        at = wanted[np.argmax(attribute.counts[wanted])]
        return (
            f"The table reaches alpha = {attribute.shares[at]:.6g} at least, since the "
            f"value {attribute.values[at]!r} has that share. Ask for no less."
        )

    def kept_by(
        self, X: Any, quasi_identifiers: Any, sensitive: Any, **how: Any
    ) -> bool:
        """Tell whether a published table keeps it; see :meth:`Constraint.kept_by`."""
        level = alpha_k_anonymity(
            X, quasi_identifiers, sensitive, value=self.values, **how
        )
        return bool(level <= self.alpha * (1 + SLACK))


def effective_number(counts: np.ndarray) -> np.ndarray:
    """Compute 2 to the power of each class's entropy: shape (n_classes,)."""
    p = shares(counts)
    logs = np.log2(p, out=np.zeros_like(p), where=p > 0)
    return np.exp2(-(p * logs).sum(axis=1))
