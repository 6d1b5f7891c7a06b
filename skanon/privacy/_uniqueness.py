"""How many people of a population are unique in it, estimated from a sample."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import least_squares, minimize
from scipy.special import betaln, expit, gammaln, logit
from scipy.stats import hypergeom

from skanon.exceptions import InfeasibleError
from skanon.privacy._classes import classify
from skanon.privacy._models import check_option
from skanon.privacy._risks import check_population_size

METHODS = ("auto", "pitman", "snb", "zayatz")

_SOLVED = 1e-6


class UniquenessEstimate(NamedTuple):
    """The estimated number of people who are unique in their population.

    Attributes
    ----------
    n_unique : float
        From 0 to the size of the population.
    share : float
        The same, as a share of the population.
    method : str
        ``"pitman"``, ``"snb"`` or ``"zayatz"``.
    """

    n_unique: float
    share: float
    method: str


class Sizes(NamedTuple):
    """How many classes of each size a sample has.

    ``sizes`` ascends; ``numbers`` holds the classes of each size; ``n`` the rows, and
    ``u`` the classes in all.
    """

    sizes: np.ndarray
    numbers: np.ndarray
    n: int
    u: int

    def of_size(self, size: int) -> int:
        """Count the classes of one size."""
        return int(self.numbers[self.sizes == size].sum())


def population_uniqueness(
    X: Any,
    quasi_identifiers: Any = None,
    *,
    population_size: int,
    method: str = "auto",
    suppressed: Any = "*",
) -> UniquenessEstimate:
    """Estimate how many people of a population are unique in it, from a sample.

    A record that is unique in the table may have a double in the population. The
    estimators see the sizes of the table's classes only, and take it for a simple
    random sample.

    Parameters
    ----------
    X : DataFrame (pandas or polars) or ndarray of shape (n, n_columns)
        The published table, or the raw one.
    quasi_identifiers : iterable of column labels, default=None
        None means every column.
    population_size : int
        The number of people N it was drawn from, at least n.
    method : {"auto", "pitman", "snb", "zayatz"}, default="auto"
        ``"pitman"``: Pitman's model of the sizes of classes, with the likeliest
        parameters, and the expected number of uniques of N people in it. ``"snb"``: the
        slide negative binomial model. It takes the number of classes in the population
        from Shlosser's third estimator, and its parameters from the numbers of classes
        of sizes 1 and 2. ``"zayatz"``: takes the sizes in the sample for those in the
        population, to tell how many of the sample's uniques are unique in the
        population. ``"auto"`` is the rule of Dankar et al.: Pitman if at most a tenth
        was drawn, else the lower one of the other two.
    suppressed : str, number, missing value or None, default="*"
        What stands for a suppressed value. Wholly suppressed rows are left out of the
        sample, unless there are no others.

    Returns
    -------
    UniquenessEstimate
        N where all records are unique: then nothing tells how many doubles there are.

    Raises
    ------
    ParameterError
        There is no such method, or ``population_size`` is no integer of at least n.
    InfeasibleError
        The slide negative binomial model fits no population to such a sample.
    ColumnError, ColumnTypeError, ParameterError
        As in :func:`equivalence_classes`.

    References
    ----------
    N. Hoshino, Applying Pitman's Sampling Formula to Microdata Disclosure Risk
    Assessment (2001). G. Chen, S. Keller-McNulty, Estimation of Identification
    Disclosure Risk in Microdata (1998). L. V. Zayatz, Estimation of the Percent of
    Unique Population Elements on a Microdata File Using the Sample (1991). P. J. Haas,
    L. Stokes, Estimating the Number of Classes in a Finite Population (1998). F. K.
    Dankar, K. El Emam, A. Neisa, T. Roffey, Estimating the Re-identification Risk of
    Clinical Data Sets (2012).

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon.privacy import population_uniqueness
    >>> sample = pd.DataFrame({"zip": [1, 2, 3, 4, 5, 5, 6, 6, 7, 7, 7, 7]})
    >>> found = population_uniqueness(sample, population_size=100, method="zayatz")
    >>> round(found.n_unique, 1), found.method
    (12.9, 'zayatz')
    """
    check_option("method", method, METHODS)
    classes = classify(X, quasi_identifiers, suppressed)
    n_people = check_population_size(population_size, len(classes.of_row))
    sizes, numbers = np.unique(classes.counts, return_counts=True)
    sample = Sizes(sizes, numbers, int(classes.counts.sum()), int(numbers.sum()))
    if sample.n == n_people:
        chosen = "zayatz" if method == "auto" else method
        n_unique = float(sample.of_size(1))
    elif method == "auto":
        n_unique, chosen = _choose(sample, n_people)
    else:
        n_unique, chosen = _ESTIMATORS[method](sample, n_people), method
    n_unique = min(max(n_unique, 0.0), float(n_people))
    return UniquenessEstimate(n_unique, n_unique / n_people, chosen)


def _choose(sample: Sizes, n_people: int) -> tuple[float, str]:
    if sample.n <= 0.1 * n_people:
        return pitman(sample, n_people), "pitman"
    found = [(zayatz(sample, n_people), "zayatz")]
    try:
        found.append((snb(sample, n_people), "snb"))
    except InfeasibleError:
        pass
    return min(found)


def zayatz(sample: Sizes, n_people: int) -> float:
    """Estimate as Zayatz (1991) does."""
    if not sample.of_size(1):
        return 0.0
    chances = hypergeom.pmf(1, n_people, sample.sizes, sample.n)
    unique = chances[0] / (sample.numbers * chances).sum() * sample.of_size(1)
    return float(sample.of_size(1) * unique * n_people / sample.n)


def pitman(sample: Sizes, n_people: int) -> float:
    """Estimate as Hoshino (2001) does, with the expectation in full."""
    if sample.u == sample.n:
        return float(n_people)
    theta, alpha = fit_pitman(sample)
    if theta + alpha <= 0:
        return 0.0
    grown = _log_rising(theta + alpha, n_people - 1)
    return float(n_people * np.exp(grown - _log_rising(theta + 1, n_people - 1)))


def fit_pitman(sample: Sizes) -> tuple[float, float]:
    """Find the likeliest theta and alpha, 0 <= alpha < 1 and theta > -alpha."""
    if sample.u == 1:
        return 0.0, 0.0

    def loss(at: np.ndarray) -> float:
        alpha = expit(at[0])
        return -pitman_likelihood(sample, np.exp(at[1]) - alpha, alpha)

    starts = [
        (logit(alpha), np.log(scale))
        for alpha in (0.1, 0.8)
        for scale in (1.0, float(sample.u))
    ]
    bounds = [(-25.0, 25.0), (-25.0, 30.0)]
    fits = [
        minimize(
            loss,
            start,
            method="Nelder-Mead",
            bounds=bounds,
            options={"xatol": 1e-6, "fatol": 1e-7, "maxiter": 2000},
        )
        for start in starts
    ]
    best = min(fits, key=lambda fit: fit.fun)
    alpha = float(expit(best.x[0]))
    return float(np.exp(best.x[1]) - alpha), alpha


def pitman_likelihood(sample: Sizes, theta: float, alpha: float) -> float:
    """Give the log-likelihood of the sizes, but for a constant."""
    new = (sample.u - 1) * np.log(alpha)
    new += _log_rising(theta / alpha + 1, sample.u - 1)
    old = _log_rising(theta + 1, sample.n - 1)
    within = sample.numbers * _log_rising(1 - alpha, sample.sizes - 1)
    return float(new - old + within.sum())


def _log_rising(x: Any, times: Any) -> Any:
    """Give log(x (x + 1) ... (x + times - 1)), x > 0, also of a large x."""
    some = np.maximum(times, 1)
    return np.where(times > 0, gammaln(some) - betaln(x, some), 0.0)


def snb(sample: Sizes, n_people: int) -> float:
    """Estimate as Chen and Keller-McNulty (1998) do."""
    if sample.u == sample.n:
        return float(n_people)
    if not sample.of_size(1):
        return 0.0
    drawn = sample.n / n_people
    n_classes = shlosser(sample, drawn)
    wanted = np.array([sample.of_size(1), sample.of_size(2)]) / n_classes

    def gap(at: np.ndarray) -> np.ndarray:
        alpha, beta = np.exp(at[0]), expit(at[1])
        return (np.array(snb_shares(alpha, beta, drawn)) - wanted) / wanted.max()

    fits = [
        least_squares(
            gap,
            (np.log(alpha), logit(beta)),
            bounds=([-20.0, -30.0], [20.0, 30.0]),
            xtol=1e-14,
            ftol=1e-14,
            gtol=1e-14,
        )
        for alpha in (0.02, 0.5, 5.0)
        for beta in (0.02, 0.3, 0.9)
    ]
    best = min(fits, key=lambda fit: fit.cost)
    if np.abs(best.fun).max() > _SOLVED:
        raise InfeasibleError(
            f"The slide negative binomial model has no population of {n_people} people "
            f"of which a sample would have {sample.of_size(1)} classes of 1 row and "
            f"{sample.of_size(2)} of 2 rows. Use method='pitman' or method='zayatz'."
        )
    return float(n_classes * expit(best.x[1]) ** np.exp(best.x[0]))


def snb_shares(alpha: float, beta: float, drawn: float) -> tuple[float, float]:
    """Give the shares of the population's classes with 1 and with 2 sampled rows.

    A class has 1 + X people, X negative binomial; each is drawn by itself.
    """
    hidden = (1 - drawn) * (1 - beta)
    shown = drawn + (1 - drawn) * beta
    none = np.exp(alpha * (np.log(beta) - np.log(shown)))
    one = drawn * none * (1 + alpha * hidden / shown)
    two = drawn**2 / 2 * none * alpha * (1 - beta) / shown**2
    return one, two * (2 + (alpha - 1) * hidden)


def shlosser(sample: Sizes, drawn: float) -> float:
    """Estimate the number of classes in the population: Haas and Stokes's Sh3."""
    sizes, numbers = sample.sizes.astype(float), sample.numbers
    missed = numbers * (1 - drawn) ** sizes
    once = numbers * sizes * drawn * (1 - drawn) ** (sizes - 1)
    twice = numbers * sizes * drawn**2 * (1 - drawn**2) ** (sizes - 1)
    more = numbers * ((1 - drawn**2) ** sizes - (1 - drawn) ** sizes)
    ratio = missed.sum() / once.sum()
    return float(sample.u + sample.of_size(1) * twice.sum() / more.sum() * ratio**2)


_ESTIMATORS = {"pitman": pitman, "snb": snb, "zayatz": zayatz}
