"""What is downloaded from the studio."""

from __future__ import annotations

import io
import json
from typing import Any

from skanon import KAnonymizer
from skanon._table.containers import as_frame
from skanon.exceptions import ColumnError, ParameterError
from skanon_widgets._studio.code import Preparation, code_of_release
from skanon_widgets._studio.policy import policy_of


def make_file(
    what: str,
    anonymizer: KAnonymizer,
    release: Any,
    table: Any,
    *,
    preparation: Preparation | None = None,
    keep_index: bool = False,
) -> tuple[str, str, bytes]:
    """Write a release, or how it was made.

    Parameters
    ----------
    what : {"csv", "parquet", "code", "policy"}
    anonymizer : KAnonymizer
        Fitted.
    release : DataFrame of shape (n, n_features_out)
    table : DataFrame of shape (n, n_columns)
        What it was fitted to.
    preparation : Preparation, optional
        What was done to the table first.
    keep_index : bool
        Whether the index is published.

    Returns
    -------
    tuple of str, str and bytes
        The file's name, type and content.
    """
    prepared = preparation or Preparation()
    if what == "policy":
        text = json.dumps(
            policy_of(anonymizer, table, prepared.repairs), ensure_ascii=False, indent=1
        )
        return "policy.json", "application/json", text.encode()
    if what == "code":
        return (
            "release.py",
            "text/x-python",
            code_of_release(anonymizer, prepared).encode(),
        )
    if what == "csv":
        content = as_frame(release).to_csv(index=keep_index).encode()
        return "release.csv", "text/csv", content
    if what == "parquet":
        return (
            "release.parquet",
            "application/vnd.apache.parquet",
            _parquet(release, keep_index),
        )
    raise ParameterError(f"There is no file of the kind {what!r}.")


def _parquet(release: Any, keep_index: bool) -> bytes:
    frame = as_frame(release)
    frame = frame.set_axis([*map(str, frame.columns)], axis=1)
    target = io.BytesIO()
    try:
        frame.to_parquet(target, index=keep_index)
    except ImportError as error:
        raise ColumnError(
            "Parquet needs the package pyarrow: install skanon[frames]."
        ) from error
    return target.getvalue()
