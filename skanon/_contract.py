"""What an anonymizer is to those who read one: metrics, reports and widgets."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin

from skanon._sklearn import NotedInHTML
from skanon._table.roles import Roles


class Anonymizer(TransformerMixin, NotedInHTML, BaseEstimator):
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

    _roles: Roles
    _column_names: list
    _classes: Any
    _codes: np.ndarray
    _sensitive: pd.DataFrame

    @classmethod
    @abstractmethod
    def _own_names(cls) -> list[str]:
        """Name the parameters beyond those that all of its kind have."""

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
