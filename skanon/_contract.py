"""What an anonymizer is to those who read one: metrics, reports and widgets."""

from __future__ import annotations

import html
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin

from skanon._release.unchanged import Unchanged
from skanon._table.roles import Roles


class Anonymizer(TransformerMixin, BaseEstimator):
    """An anonymizer, as far as others read it; ``BaseAnonymizer`` is what fits.

    Attributes
    ----------
    _roles : Roles
    _column_names : list
        All columns of the fitted table.
    _classes : Classes
        What is published, without any record.
    _codes : ndarray of int32, shape (n, r)
        The fitted records; absent once they are forgotten.
    _sensitive : DataFrame of shape (n, n_sensitive)
        Their sensitive attributes.
    """

    _model: ClassVar[str]
    """What a release keeps: ``"k"``, or a model of
    :func:`skanon.privacy.consistency_violations`."""

    k: int
    loss: Any
    labels_: np.ndarray
    hierarchies_: dict[Any, Any]
    information_loss_: float
    column_losses_: dict[Any, float]
    unchanged_: Unchanged

    _roles: Roles
    _column_names: list
    _classes: Any
    _codes: np.ndarray
    _sensitive: pd.DataFrame

    @classmethod
    @abstractmethod
    def _own_names(cls) -> list[str]:
        """Name the parameters beyond those that all of its kind have, sorted."""

    @abstractmethod
    def _read(self, X: Any, *, reset: bool) -> pd.DataFrame:
        """Check a table's columns, against those that were fitted unless ``reset``."""

    @abstractmethod
    def _linked(self) -> np.ndarray:
        """Count with how many records each published person is linked at least.

        Returns
        -------
        ndarray of int, shape (n_published,)
        """

    @abstractmethod
    def _html_note(self) -> str:
        """Say what stands below the HTML representation; "" for nothing."""

    def _noted(self, shown: str) -> str:
        note = self._html_note()
        return f"{shown}<p>{html.escape(note)}</p>" if note else shown

    @property
    def _repr_html_(self) -> Callable[[], str]:
        shown = super()._repr_html_
        return lambda: self._noted(shown())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._noted(bundle["text/html"])
        return bundle
