"""Python that makes hierarchies and the studio's release again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

from skanon import KAnonymizer
from skanon.cleaning import Repair, clean, read_table
from skanon.exceptions import ParameterError
from skanon.hierarchies import Hierarchy
from skanon_widgets._hierarchy_editor.code import code_of
from skanon_widgets._risk_utility_explorer.code import Code, Unwritable


@dataclass(frozen=True)
class Preparation:
    """What is done to a table before it is anonymized.

    Attributes
    ----------
    source : str
        The file that it is read from; "" if it is not known.
    drops_index : bool
    repairs : tuple of Repair
    """

    source: str = ""
    drops_index: bool = False
    repairs: tuple[Repair, ...] = ()


def code_of_release(
    anonymizer: KAnonymizer, preparation: Preparation | None = None
) -> str:
    """Write Python that makes an anonymizer and its release.

    Parameters
    ----------
    anonymizer : KAnonymizer
        Its hierarchies are objects; only parameters count.
    preparation : Preparation, optional
        What is done to the table first.

    Returns
    -------
    str
        It takes the table from ``table``, or reads it from its file.

    Raises
    ------
    ParameterError
        A column's name or a parameter cannot be written as code.
    """
    try:
        return _release(anonymizer, preparation or Preparation())
    except Unwritable as error:
        raise _refused(error) from error


def _refused(error: Unwritable) -> ParameterError:
    return ParameterError(
        f"This cannot be written as code: {error}. Rename such columns, best to text."
    )


def _release(anonymizer: KAnonymizer, preparation: Preparation) -> str:
    plain, code = KAnonymizer().get_params(deep=False), Code()
    lines = []
    for name in signature(KAnonymizer).parameters:
        value = getattr(anonymizer, name)
        if name == "hierarchies":
            lines.append("hierarchies=hierarchies,")
        elif name == "k" or repr(value) not in (repr(plain[name]), "[]"):
            lines.append(f"{name}={code.of(value)},")
    body = "\n".join(lines).replace("\n", "\n    ")
    code.of(KAnonymizer)  # imports it
    before = _prepared(preparation, code)
    return "\n".join(
        [
            *code.header()[:-1],
            *before,
            _all(anonymizer.hierarchies or {}),
            "",
            f"anonymizer = KAnonymizer(\n    {body}\n)",
            "release = anonymizer.fit_transform(table)",
            "",
        ]
    )


def _prepared(preparation: Preparation, code: Code) -> list[str]:
    lines = []
    if preparation.source:
        lines.append(f"table = {code.of(read_table)}({code.of(preparation.source)})")
    if preparation.drops_index:
        lines.append("table = table.reset_index(drop=True)")
    if preparation.repairs:
        listed = code.of(list(preparation.repairs))
        lines.append(f"table = {code.of(clean)}(table, {listed})")
    return [*lines, ""] if lines else []


def code_of_all(hierarchies: Mapping[Any, Hierarchy]) -> str:
    """Write Python that rebuilds several hierarchies, as a dict.

    Raises
    ------
    ParameterError
        A column's name cannot be written as code.

    Examples
    --------
    >>> from skanon.hierarchies import Intervals, Suppression
    >>> print(code_of_all({"age": Intervals(), "sex": Suppression()}))
    from skanon.hierarchies import Intervals, Suppression
    <BLANKLINE>
    hierarchies = {
        "age": Intervals(),
        "sex": Suppression(),
    }
    """
    try:
        return _all(hierarchies)
    except Unwritable as error:
        raise _refused(error) from error


def _all(hierarchies: Mapping[Any, Hierarchy]) -> str:
    named, bodies, keys = set(), [], Code()
    for name, hierarchy in hierarchies.items():
        head, _, body = code_of(hierarchy).rpartition("\n\nhierarchy = ")
        key = _key(name, keys)
        for line in head.splitlines():
            start = "from skanon.hierarchies import "
            if line.startswith(start):
                named.add(line.removeprefix(start))
            else:
                keys.modules.add(line)
        inner = body.replace("\n", "\n    ")
        bodies.append(f"    {key}: {inner},")
    lines = [line for line in keys.header() if line]
    if named:
        lines += [f"from skanon.hierarchies import {', '.join(sorted(named))}", ""]
    return "\n".join([*lines, "hierarchies = {", *bodies, "}"])


def _key(name: Any, code: Code) -> str:
    text = code.of(name)
    is_plain = isinstance(name, str) and '"' not in text and "\\" not in text
    return f'"{name}"' if is_plain else text
