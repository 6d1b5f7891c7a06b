"""A report on a release, and the forms that it can be given."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from skanon._contract import Anonymizer
from skanon._files import write_whole
from skanon.exceptions import ParameterError
from skanon.report._html import fragment, page
from skanon.report._markdown import markdown
from skanon.report._measure import measure
from skanon.report._words import shown


class Report:
    """What a release promises, loses and keeps: a fitted anonymizer's ``report()``.

    It holds counts, averages, names of columns and parameters, but no record and no
    value of a column. A notebook shows it as tables.

    Parameters
    ----------
    contents : dict
        As :meth:`to_dict` gives it.

    Examples
    --------
    >>> import pandas as pd
    >>> from skanon import KAnonymizer
    >>> people = pd.DataFrame({"age": [21, 22, 60, 61]})
    >>> report = KAnonymizer(k=2, random_state=0).fit(people).report()
    >>> report
    Report(KAnonymizer, 4 records, 2 classes of 2 to 2, LM() = 0.3333)
    >>> report.to_dict()["risk"]["achieved_k"]
    2
    """

    def __init__(self, contents: dict[str, Any]) -> None:
        self._contents = contents

    def to_dict(self) -> dict[str, Any]:
        """Give all numbers, exactly, in types that JSON knows.

        Returns
        -------
        dict
            What could not be measured is None, and listed with the reason under
            ``"not_measured"``.
        """
        return copy.deepcopy(self._contents)

    def to_json(self, indent: int | None = 2) -> str:
        """Write :meth:`to_dict` as strict JSON."""
        return json.dumps(
            self._contents, indent=indent, ensure_ascii=False, allow_nan=False
        )

    def to_markdown(self) -> str:
        """Write it as Markdown with tables; numbers are rounded."""
        return markdown(self._contents)

    def to_html(self) -> str:
        """Write it as a page that needs nothing from elsewhere; numbers are rounded."""
        return page(self._contents)

    def save(self, path: str | Path) -> None:
        """Write it to a file.

        Parameters
        ----------
        path : str or Path
            Its suffix says in which form: ``.json``, ``.md`` or ``.html``.

        Raises
        ------
        ParameterError
            It has another suffix.
        """
        path = Path(path)
        writers: dict[str, Callable[[], str]] = {
            ".json": self.to_json,
            ".md": self.to_markdown,
            ".html": self.to_html,
        }
        if path.suffix.lower() not in writers:
            raise ParameterError(
                f"A report cannot be saved as {path.name!r}: the suffix says in which "
                f"form. Give one of {sorted(writers)}."
            )
        text = writers[path.suffix.lower()]()
        write_whole(path, (text.rstrip("\n") + "\n").encode())

    def _repr_html_(self) -> str:
        return fragment(self._contents)

    def __repr__(self) -> str:
        table, classes = self._contents["table"], self._contents["classes"]
        objective = self._contents["losses"]["objective"]
        sizes = ""
        if classes["number"]:
            sizes = f" of {classes['smallest']:,} to {classes['largest']:,}"
        return (
            f"Report({self._contents['parameters']['class']}, "
            f"{table['records']:,} records, {classes['number']:,} classes{sizes}, "
            f"{objective['loss']} = {shown(objective['value'])})"
        )


def make_report(anonymizer: Anonymizer, sensitive: Any = None) -> Report:
    """Measure the release that an anonymizer was fitted with.

    Parameters
    ----------
    anonymizer : Anonymizer
        Fitted, and not forgetful.
    sensitive : array-like of shape (n,) or (n, n_sensitive), or None
        Sensitive attributes, instead of those that the fit was given.

    Returns
    -------
    Report

    Raises
    ------
    NotFittedError
    ParameterError
        The anonymizer has forgotten its records.
    ColumnError
        ``sensitive`` does not have a value for each record.
    """
    return Report(measure(anonymizer, sensitive))
