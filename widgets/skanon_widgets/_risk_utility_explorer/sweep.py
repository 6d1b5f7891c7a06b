"""Fitting many variants in the background, in processes that can be stopped at once."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import cloudpickle
import numpy as np
import pandas as pd
import sklearn
from joblib import effective_n_jobs

from skanon.exceptions import ParameterError
from skanon_widgets._risk_utility_explorer.fold_worker import FoldResult
from skanon_widgets._risk_utility_explorer.plan import Plan, swept
from skanon_widgets._shared.process import Worker, in_words

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_REMEDY = "a smaller n_jobs needs less."


class Sweep:
    """A plan that is carried out in the background.

    Each fit runs in a process of its own kind (see ``_process``), so that this one
    stays responsive, that warnings are caught where they belong, and that a fit can be
    stopped in its midst. What a single fit warns of or fails with is recorded and does
    not end the sweep, even where its process dies.

    Parameters
    ----------
    plan : Plan
    X, y : as for ``fit``
        They are copied when the sweep starts.
    n_jobs : int or None
        How many processes fit side by side.
    listen : callable
        Called after every change, by whatever thread made it, one at a time: with the
        sweep and the number of the point of which a fit was done, or None at the end.

    Attributes
    ----------
    state : {"ready", "running", "done", "cancelled"}
    folds : list of list of (FoldResult or None)
        By point and fold.
    """

    def __init__(
        self,
        plan: Plan,
        X: Any,
        y: Any = None,
        *,
        n_jobs: int | None = None,
        listen: Callable[[Sweep, int | None], None] | None = None,
    ) -> None:
        self.plan = plan
        self.state = "ready"
        self.folds: list[list[FoldResult | None]] = [
            [None] * len(plan.splits) for _ in plan.points
        ]
        self._listen = listen or (lambda *_: None)
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._data = (X, y)
        self._tasks = deque(np.ndindex(len(plan.points), len(plan.splits)))
        self._workers: set[Worker] = set()
        self._at_work = min(effective_n_jobs(n_jobs), len(self._tasks))
        self._threads = max(1, (os.cpu_count() or 1) // self._at_work)

    # ---------------------------------------------------------------- from outside

    def start(self) -> None:
        """Begin; once only.

        Raises
        ------
        ParameterError
            Something cannot be sent to another process.
        """
        self._job = _pickled_job(self.plan, *self._data)
        self.state = "running"
        self._started = time.monotonic()
        for _ in range(self._at_work):
            threading.Thread(target=self._work, daemon=True).start()

    def cancel(self) -> None:
        """Stop at once, also in the midst of a fit; what is done stays."""
        with self._lock:
            if self.state != "running":
                return
            self.state = "cancelled"
            self._tasks.clear()
            for worker in self._workers:
                worker.kill()
            self._over.set()
            self._listen(self, None)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end.

        Parameters
        ----------
        timeout : float or None
            In seconds.

        Returns
        -------
        bool
            Whether nothing is running any more.
        """
        return self.state == "ready" or self._over.wait(timeout)

    @property
    def n_fits(self) -> int:
        """Count the fits of the whole sweep."""
        return len(self.plan.points) * len(self.plan.splits)

    @property
    def n_done(self) -> int:
        """Count the fits that are done, well or not."""
        with self._lock:
            return sum(fold is not None for point in self.folds for fold in point)

    def seconds_left(self) -> float | None:
        """Guess how long the rest takes; None if nobody can know."""
        done = self.n_done
        if not done or self.state != "running":
            return None
        passed = time.monotonic() - self._started
        return passed / done * (self.n_fits - done)

    def state_of(self, point: int) -> str:
        """Tell what became of a point.

        Returns
        -------
        {"waiting", "running", "done", "failed", "cancelled"}
            ``"done"`` if at least one of its fits went well.
        """
        with self._lock:
            folds = self.folds[point]
            if None in folds:
                if self.state == "cancelled":
                    return "cancelled"
                return "running" if any(folds) else "waiting"
            return "failed" if all(fold.error for fold in folds if fold) else "done"

    def values(self, point: int, measure: int) -> np.ndarray:
        """Give a measure of each fold's fit.

        Returns
        -------
        ndarray of float, shape (n_folds,)
            NaN where there is none.
        """
        name, _, lower_is_better, _ = self.plan.measures[measure]
        sign = -1.0 if lower_is_better else 1.0
        with self._lock:
            return np.array(
                [
                    sign * fold.values[name] if fold and fold.values else np.nan
                    for fold in self.folds[point]
                ]
            )

    def problems(self, point: int) -> list[str]:
        """Say which fits of a point failed or warned, and of what."""
        with self._lock:
            folds = [fold for fold in self.folds[point] if fold is not None]
        errors = _counted([[fold.error] for fold in folds if fold.error], len(folds))
        said = _counted([fold.complaints for fold in folds], len(folds))
        return [f"Failed{text}" for text in errors] + [f"Warned{text}" for text in said]

    def results(self) -> pd.DataFrame:
        """Give all that is known, like scikit-learn's ``cv_results_``.

        Returns
        -------
        DataFrame of shape (n_points, …)
        """
        with self._lock:
            return pd.DataFrame([self._row(i) for i in range(len(self.plan.points))])

    def _row(self, at: int) -> dict[str, Any]:
        point = self.plan.points[at]
        names = dict.fromkeys(name for p in self.plan.points for name in p.params)
        row: dict[str, Any] = {
            f"param_{name}": point.params.get(name, np.nan) for name in names
        }
        row["params"] = point.params
        row["line"] = self.plan.lines[point.line]
        row["state"] = self.state_of(at)
        for j, measure in enumerate(self.plan.measures):
            values = self.values(at, j)
            for fold, value in enumerate(values):
                row[f"split{fold}_{measure.name}"] = value
            row[f"mean_{measure.name}"], row[f"std_{measure.name}"] = summarize(values)
        seconds = np.array(
            [fold.seconds if fold else np.nan for fold in self.folds[at]]
        )
        row["mean_fit_time"], row["std_fit_time"] = summarize(seconds)
        row["problems"] = "\n".join(self.problems(at))
        return row

    # -------------------------------------------------------------------- threads

    def _work(self) -> None:
        try:
            self._work_off()
        finally:  # whatever happens, nobody waits for ever
            self._leave()

    def _work_off(self) -> None:
        worker: Worker | None = None
        while (task := self._next_task()) is not None:
            params = self.plan.points[task[0]].params
            try:
                asked = cloudpickle.dumps((params, int(task[1])))
                worker = worker or self._hire()
                result = FoldResult(*worker.ask(asked))
            except (EOFError, OSError) as error:
                said = worker.last_words(_REMEDY) if worker else f"({error})."
                said = f"The process of this fit ended before it was done {said}"
                result = FoldResult({}, error=said)
                self._dismiss(worker)
                worker = None
            except Exception as error:  # such as a parameter that cannot be pickled
                result = FoldResult({}, error=in_words(error, before=""))
            self._record(task, result)
        self._dismiss(worker)

    def _next_task(self) -> tuple[int, ...] | None:
        with self._lock:
            return self._tasks.popleft() if self._tasks else None

    def _hire(self) -> Worker:
        with self._lock:
            if self.state != "running":
                raise EOFError
            limits = dict.fromkeys(_THREADS, str(self._threads))
            worker = Worker(
                "_risk_utility_explorer/fold_worker", lambda: self._job, limits
            )
            self._workers.add(worker)
        return worker

    def _dismiss(self, worker: Worker | None) -> None:
        if worker is not None:
            with self._lock:
                self._workers.discard(worker)
            worker.close()

    def _record(self, task: tuple[int, ...], result: FoldResult) -> None:
        with self._lock:
            if self.state == "running":
                self.folds[task[0]][task[1]] = result
                self._listen(self, task[0])

    def _leave(self) -> None:
        with self._lock:
            self._at_work -= 1
            if not self._at_work and self.state == "running":
                self.state = "done"
                self._over.set()
                self._listen(self, None)


def _pickled_job(plan: Plan, X: Any, y: Any) -> bytes:
    job = {
        "X": X,
        "y": y,
        "splits": plan.splits,
        "scoring": {measure.name: measure.scorer for measure in plan.measures},
        "config": sklearn.get_config(),
    }
    try:
        return cloudpickle.dumps(job | {"estimator": swept(plan)})
    except Exception as error:
        raise ParameterError(
            "The estimator, the table or a scorer cannot be sent to another process, "
            f"where a sweep fits: {in_words(error, before='')}"
        ) from error


def summarize(values: np.ndarray) -> tuple[float, float]:
    """Give mean and standard deviation of what is there; NaN where nothing is."""
    there = values[~np.isnan(values)]
    if not len(there):
        return float("nan"), float("nan")
    # equal numbers differ from their mean by what rounding leaves
    deviation = 0.0 if np.ptp(there) == 0 else float(there.std())
    return float(there.mean()), deviation


def _counted(lists: Any, n: int) -> list[str]:
    counts: dict[str, int] = {}
    for text in (text for texts in lists for text in texts):
        counts[text] = counts.get(text, 0) + 1
    return [f" in {count} of {n} fits: {text}" for text, count in counts.items()]
