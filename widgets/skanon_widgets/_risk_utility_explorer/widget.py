"""Try many k, see what each costs and risks, and pick one."""

from __future__ import annotations

import copy
from typing import Any

import pandas as pd
import traitlets
from sklearn.base import BaseEstimator, clone

from skanon.exceptions import ParameterError
from skanon_widgets._risk_utility_explorer.code import code_of_choice
from skanon_widgets._risk_utility_explorer.plan import Plan, make_plan, without_k
from skanon_widgets._risk_utility_explorer.sweep import Sweep
from skanon_widgets._risk_utility_explorer.view import (
    curves_of,
    news_of,
    read_k,
    state_of,
    summary_of,
)
from skanon_widgets._shared.widget import SkanonWidget, front_end, style_sheet


class RiskUtilityExplorer(SkanonWidget):
    """Sweep k in the background, see risk and utility against it, and pick a point.

    Each variant is fitted to the training part of each fold. Its release is measured
    there, by loss and risk; what the estimator makes of it is scored on the records
    that were held out. Points appear as they are done; the kernel stays free.

    Parameters
    ----------
    estimator : anonymizer, or Pipeline with one as a step
        Unfitted; it is copied.
    X : DataFrame or array-like of shape (n, n_columns)
        The table. Only aggregates of it ever leave the kernel.
    y : array-like of shape (n,), or None
        The sensitive attribute, and what a classifier learns. An anonymizer alone is
        judged by loss and risk only.
    k : iterable of int, or None
        The values of k to try. None: those of ``param_grid``, or the estimator's own;
        without any grid, common ones that the table has room for.
    param_grid : dict, list of dicts, or None
        What else to try, as in :class:`sklearn.model_selection.GridSearchCV`: a list
        of values for each parameter of the estimator. A dict from names to values
        gives the values names for the legend. Each combination is a line.
    cv : int, cross-validation generator or iterable, default=5
        As in scikit-learn. All variants are fitted to the same folds.
    scoring : str, callable, list, dict or None
        As in scikit-learn; None: the accuracy of a classifier, R² of a regressor.
    groups : array-like of shape (n,), or None
        For splitters that keep groups together.
    n_jobs : int or None, default=None
        How many processes fit side by side; None means one, -1 one for each core.

    Attributes
    ----------
    selected : int
        The selected point, a row of `results`; -1 for none. It can be set.

    Raises
    ------
    ParameterError
        There is no anonymizer, a parameter's name is unknown, a k is none, or the
        estimator needs the ``y`` that is missing.

    Notes
    -----
    Where losses are swept, all releases are measured by the estimator's own loss, so
    that they can be compared. A ``KAnonymizer`` with the default effort sweeps with
    ``effort="sweep"``, as :func:`skanon.anonymization_path` does, so that its losses
    are some 2 % above those of `selected_estimator`, which is fitted as given. Fits run
    in processes of their own, which get a copy of the table; warnings and errors of a
    fit are shown at its point.

    Examples
    --------
    >>> from skanon import KAnonymizer
    >>> from skanon.datasets import load_cmc
    >>> women = load_cmc()
    >>> explorer = RiskUtilityExplorer(
    ...     KAnonymizer(random_state=0), women.data, k=[2, 5, 10], cv=3
    ... )
    >>> explorer.results["param_k"].tolist()
    [2, 5, 10]
    """

    _esm = front_end("_risk_utility_explorer/risk_utility_explorer")
    _css = style_sheet("_risk_utility_explorer/risk_utility_explorer")

    selected = traitlets.Int(-1).tag(sync=True)
    curves = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        k: Any = None,
        param_grid: Any = None,
        cv: Any = 5,
        scoring: Any = None,
        groups: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self._settings = {"cv": cv, "scoring": scoring, "groups": groups}
        self._data = (_kept(X), _kept(y))
        self._n_jobs = n_jobs
        self._fitted: BaseEstimator | None = None
        self._grid = param_grid
        self._sweep = self._new_sweep(estimator, k)
        super().__init__(curves=curves_of(self._sweep))

    # ------------------------------------------------------------------- sweeping

    def run(self, k: Any = None) -> None:
        """Start the sweep in the background, from the beginning.

        Parameters
        ----------
        k : iterable of int, or None
            Other values of k than before.

        Raises
        ------
        ParameterError
            A sweep is running already, or a k is none.
        """
        if self._sweep.state == "running":
            raise ParameterError("A sweep is running. Cancel it, or wait for its end.")
        plan = self._sweep.plan
        if k is None:
            sweep = self._sweep_of(plan)
        else:
            self._grid = without_k(self._grid, plan.prefix)
            sweep = self._new_sweep(plan.estimator, k)
        sweep.start()
        self.selected = -1
        self._sweep = sweep
        self._show_all()

    def cancel(self) -> None:
        """Stop the sweep at once, also in the midst of a fit; what is done stays."""
        self._sweep.cancel()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end of the sweep.

        Parameters
        ----------
        timeout : float or None
            In seconds; None waits for as long as it takes.

        Returns
        -------
        bool
            Whether it has ended.
        """
        return self._sweep.wait(timeout)

    def close(self) -> None:
        """Stop the sweep and take the widget away."""
        if not hasattr(self, "_sweep"):  # it was refused before it was made
            return
        self.cancel()
        super().close()

    @property
    def results(self) -> pd.DataFrame:
        """All that is known, like scikit-learn's ``cv_results_``, one row a point.

        Columns are ``param_<name>``, ``params``, ``line``, ``state`` (waiting, running,
        done, failed, cancelled), ``split<i>_<measure>``, ``mean_<measure>`` and
        ``std_<measure>`` over the folds that went well, ``mean_fit_time``,
        ``std_fit_time`` and ``problems``. Scores on held-out records are named
        ``test_<scorer>``, higher is better; ``loss``, ``highest_risk``,
        ``average_risk`` and ``suppressed`` are of the releases, lower is better.
        """
        return self._sweep.results()

    # ------------------------------------------------------------------ selecting

    @property
    def selected_params(self) -> dict[str, Any]:
        """The parameters of the selected point."""
        return dict(self._sweep.plan.points[self._chosen()].params)

    @property
    def selected_estimator(self) -> BaseEstimator:
        """The estimator of the selected point, fitted to all records.

        It is fitted when it is first asked for, and kept until another is selected.
        """
        params = self.selected_params
        if self._fitted is None:
            estimator = clone(self._sweep.plan.estimator)
            estimator.set_params(**clone(params, safe=False))
            self._fitted = estimator.fit(*self._data)
        return self._fitted

    def to_code(self) -> str:
        """Write Python that makes the selected estimator again.

        Returns
        -------
        str
            It takes the table from ``X`` and the sensitive attribute from ``y``.
        """
        return code_of_choice(
            self._sweep.plan, self.selected_params, self._data[1] is not None
        )

    def _chosen(self) -> int:
        if self.selected < 0:
            raise ParameterError(
                "No point is selected. Click one, or set selected to a row of results."
            )
        return self.selected

    @traitlets.validate("selected")
    def _check_selected(self, proposal: Any) -> int:
        at = proposal["value"]
        if at < 0:
            return -1
        n = len(self._sweep.plan.points)
        state = self._sweep.state_of(at) if at < n else f"there are only {n} points"
        if state != "done":
            raise ParameterError(f"Point {at} cannot be selected: {state}.")
        return at

    @traitlets.observe("selected")
    def _on_selected(self, _change: Any) -> None:
        self._fitted = None
        self.send(self._choice())

    # ------------------------------------------------------------------ front end

    def _do_open(self) -> None:
        self.send({"kind": "state", **state_of(self._sweep)})
        self.send(self._choice())

    def _do_run(self, k: str) -> None:
        typed = read_k(k)
        same = typed == sorted({point.k for point in self._sweep.plan.points})
        self.run(None if same else typed)

    def _do_cancel(self) -> None:
        self.cancel()

    def _choice(self) -> dict[str, Any]:
        choice: dict[str, Any] = {"kind": "choice", "selected": self.selected}
        if self.selected >= 0:
            try:
                choice["code"] = self.to_code()
            except ParameterError as error:
                choice["no_code"] = str(error)
        return choice

    def _show_all(self) -> None:
        state = state_of(self._sweep)
        self.curves = state["curves"]
        self.send({"kind": "state", **state})

    def _tell(self, sweep: Sweep, point: int | None) -> None:
        if sweep is not self._sweep:
            return
        if point is None:
            self._show_all()
        else:
            self.send({"kind": "point", **news_of(sweep, point)})

    def _summary(self) -> str:
        return summary_of(self.curves, self.selected)

    def _new_sweep(self, estimator: Any, k: Any) -> Sweep:
        X, y = self._data
        plan = make_plan(estimator, X, y, k=k, param_grid=self._grid, **self._settings)
        return self._sweep_of(plan)

    def _sweep_of(self, plan: Plan) -> Sweep:
        return Sweep(plan, *self._data, n_jobs=self._n_jobs, listen=self._tell)


def _kept(data: Any) -> Any:
    """Keep a table as it is now, whatever is done to it later."""
    if isinstance(data, pd.DataFrame | pd.Series):
        return data.copy(deep=False)
    return copy.copy(data)
