"""A table in a frame of pandas or polars or an array: read, and given back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn import get_config
from sklearn.base import BaseEstimator

from skanon.exceptions import ColumnError, ColumnTypeError, ParameterError


def as_frame(X: Any) -> pd.DataFrame:
    """Take a table as a pandas DataFrame, without touching its values.

    Parameters
    ----------
    X : DataFrame (pandas, polars) or array-like of shape (n, n_columns)
        An array's columns are called 0, 1, 2, ….

    Raises
    ------
    ColumnTypeError
        ``X`` is sparse, or complex.
    ColumnError
        ``X`` is not two-dimensional, or has no rows, no columns or two columns of the
        same name.
    """
    if sparse.issparse(X):
        raise ColumnTypeError(
            "Sparse data was passed, but dense data is required: a release has a value "
            "in every cell. Use X.toarray()."
        )
    _refuse_no_table(X)
    if isinstance(X, pd.DataFrame):
        frame = X
    elif is_polars(X):
        # the plain conversion makes floats of integers beside a null
        frame = X.to_pandas(use_pyarrow_extension_array=True)
    elif hasattr(X, "to_pandas"):
        frame = X.to_pandas()
    else:
        frame = _of_array(X)
    if frame.columns.nlevels > 1:
        raise ColumnTypeError(
            f"The columns have names of {frame.columns.nlevels} levels, such as "
            f"{frame.columns.tolist()[0]}. Give each one name, for example with "
            "X.columns = X.columns.to_flat_index()."
        )
    if not frame.columns.is_unique:
        twice = list(frame.columns[frame.columns.duplicated()].unique())
        raise ColumnError(f"Columns {twice} stand twice in the table. Rename them.")
    for count, things in zip(frame.shape, ("sample", "feature"), strict=True):
        if count == 0:
            raise ColumnError(
                f"Found array with 0 {things}(s) (shape={frame.shape}) while a minimum "
                "of 1 is required. Give a table with at least one row and one column."
            )
    return frame


def _refuse_no_table(X: Any) -> None:
    """Say how something close to a table becomes one; raises ColumnError."""
    kind = type(X).__name__
    if kind == "LazyFrame":
        raise ColumnError(
            "The table is a LazyFrame, whose rows are not there yet. Use X.collect()."
        )
    if isinstance(X, Mapping):
        raise ColumnError("The table is a dict. Use pandas.DataFrame(X).")
    if kind == "Series" and hasattr(X, "to_frame"):
        raise ColumnError(
            "Expected 2D array, got 1D array instead: the table is a Series, which is "
            "one column without its table. Use X.to_frame()."
        )


def _of_array(X: Any) -> pd.DataFrame:
    if isinstance(X, np.ma.MaskedArray):
        raise ColumnTypeError(
            "The table is a masked array, whose masked values would be read as data. "
            "Use X.filled(np.nan), or a DataFrame."
        )
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise ColumnError(
            f"The table cannot be read: {error} Give rows of equal length."
        ) from error
    if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
        array = np.asarray(X, dtype=object)  # numbers beside text stay numbers
    if array.ndim != 2:
        raise ColumnError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data: a "
            "table has rows and columns, so use X.reshape(-1, 1) for a single column."
        )
    if array.dtype.kind == "c":
        raise ColumnTypeError(
            "Complex data not supported: give real and imaginary parts as columns."
        )
    return pd.DataFrame(array)


def is_polars(X: Any) -> bool:
    return type(X).__module__.startswith("polars") and hasattr(X, "to_pandas")


def names_its_columns(X: Any) -> bool:
    """Tell whether a table is a frame, which has names for its columns."""
    return isinstance(X, pd.DataFrame) or hasattr(X, "to_pandas")


def rename(frame: pd.DataFrame, fitted: list, X: Any, texts: bool) -> pd.DataFrame:
    """Give a table the fitted names, by position, where it has none of its own.

    Parameters
    ----------
    frame : DataFrame of shape (n, n_columns)
    fitted : list of length n_columns
    X : DataFrame (pandas, polars) or array-like
        What the frame was made of.
    texts : bool
        Whether the fitted names are text; these have been compared already.

    Raises
    ------
    ColumnError
        The names are others than the fitted ones, or in another order.
    """
    is_text = all(isinstance(name, str) for name in frame.columns)
    if names_its_columns(X) and not is_text and not texts:
        raise ColumnError(
            f"The columns are {list(frame.columns)}, but were {fitted} when the "
            "anonymizer was fitted. Give the same columns in the same order."
        )
    return frame.set_axis(fitted, axis=1)


def input_names(given: Any, fitted: Any, n: int) -> list[str]:
    """Choose the names that ``get_feature_names_out`` starts from.

    Parameters
    ----------
    given : array-like of str, or None
    fitted : ndarray of str, or None
        The names in the fitted table, where it had any.
    n : int
        The number of its columns.

    Raises
    ------
    ParameterError
        The given names are not those that were fitted.
    """
    if given is None:
        return [f"x{j}" for j in range(n)] if fitted is None else list(fitted)
    given = [str(name) for name in given]
    if fitted is not None and given != list(fitted):
        raise ParameterError(
            "input_features is not equal to feature_names_in_. Give the fitted names, "
            "or None."
        )
    if len(given) != n:
        raise ParameterError(
            "input_features should have length equal to number of features "
            f"({n}), got {len(given)}. Give a name for each column, or None."
        )
    return given


def check_distinct(names: np.ndarray) -> None:
    """Check that no two columns of a release have the same name.

    Raises
    ------
    ColumnError
        Two have; one of them would be lost.
    """
    twice = names[pd.Index(names).duplicated()]
    if len(twice):
        raise ColumnError(
            f"Two columns of the release would be called {twice[0]!r}. Rename the "
            "columns or values whose names make it up, or choose another encode."
        )


def one_zero(column: pd.Series) -> pd.Series:
    """Make 0.0 of -0.0, which is the same number but another text in a file.

    Parameters
    ----------
    column : Series of shape (n,)

    Returns
    -------
    Series of shape (n,)
        The same object, if there is none.
    """
    if column.dtype == object:
        negative = np.array([_is_negative_zero(value) for value in column], dtype=bool)
    elif pd.api.types.is_float_dtype(column.dtype):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        negative = (values == 0) & np.signbit(values)
    else:
        return column
    return column.mask(negative, 0.0) if negative.any() else column


def _is_negative_zero(value: Any) -> bool:
    return isinstance(value, float | np.floating) and not value and np.signbit(value)


def blanked(column: pd.Series, rows: np.ndarray) -> pd.Series:
    """Make some cells of a column missing.

    Parameters
    ----------
    column : Series of shape (n,)
    rows : ndarray of bool, shape (n,)

    Raises
    ------
    ColumnTypeError
        Its dtype has no missing value.
    """
    check_may_be_missing(column, "or leave out suppressed='blank'")
    return column.mask(rows)


def check_may_be_missing(column: pd.Series, remedy: str) -> None:
    """Check that a column's dtype has a missing value.

    Raises
    ------
    ColumnTypeError
        It has not; the message ends in the remedy.
    """
    some = column.iloc[:1]
    if some.mask(np.ones(len(some), dtype=bool)).dtype == column.dtype:
        return
    nullable = ""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iub":
        names = {"int": "Int", "uint": "UInt", "bool": "boolean"}
        kind = str(column.dtype).rstrip("0123456789")
        name = str(column.dtype).replace(kind, names[kind])
        nullable = f"Convert it with .astype({name!r}), "
    raise ColumnTypeError(
        f"Column {column.name!r} has the dtype {column.dtype}, which has no missing "
        "value, but the cells of suppressed records would have to be empty. "
        f"{nullable}{remedy if nullable else remedy.removeprefix('or ').capitalize()}."
    )


def as_release(columns: dict, index: pd.Index) -> pd.DataFrame:
    """Put a release's columns together, each of them as it is, in memory of its own.

    Parameters
    ----------
    columns : dict from column name to array of shape (n,)
    index : Index of length n
    """
    # without its dtype, pandas would make text of a column of objects
    series = {
        name: pd.Series(values, index=index, dtype=values.dtype)
        for name, values in columns.items()
    }
    return pd.DataFrame(series, index=index, copy=True)


def output_container(estimator: BaseEstimator) -> str:
    """Tell what ``set_output`` asks for: "default", "pandas" or "polars"."""
    # scikit-learn has no public way to ask; where it keeps the answer elsewhere one
    # day, its global setting counts
    own = getattr(estimator, "_sklearn_output_config", {})
    return own.get("transform", get_config()["transform_output"])


def as_container(release: pd.DataFrame, X: Any, wanted: str, untouched: list) -> Any:
    """Hand out a release as what the user gave, or asked for.

    Parameters
    ----------
    release : DataFrame of shape (n, n_features_out)
    X : DataFrame (pandas, polars) or array-like of shape (n, n_columns)
        What was given.
    wanted : {"default", "pandas", "polars"}
        ``"default"``: a pandas or polars frame like X, else an array.
    untouched : list of columns
        Those that are the same in X.

    Returns
    -------
    DataFrame (pandas, polars) or ndarray of shape (n, n_features_out)
    """
    if wanted == "default":
        wanted = "pandas" if isinstance(X, pd.DataFrame) else "array"
        wanted = "polars" if is_polars(X) else wanted
    if wanted == "array":
        return release.apply(_plain).to_numpy()
    if wanted == "pandas":
        return release
    import polars

    frame = polars.from_pandas(release.set_axis([*map(str, release.columns)], axis=1))
    if not is_polars(X):
        return frame
    kept = [c for c in frame.columns if c in X.columns and c not in untouched]
    typed = [frame[c].cast(X[c].dtype) for c in kept if release[c].dtype != "str"]
    return frame.with_columns([*typed, *(X[c] for c in untouched)])


def _plain(column: pd.Series) -> pd.Series:
    """Take nullable and arrow numbers as numpy's, where nothing is lost."""
    dtype = getattr(column.dtype, "numpy_dtype", None)
    if dtype is None or dtype.kind not in "biuf":
        return column
    if dtype.kind != "f" and column.isna().any():
        return column
    missing = {"na_value": np.nan} if dtype.kind == "f" else {}
    values: Any = column.array
    return pd.Series(values.to_numpy(dtype=dtype, **missing), column.index)
