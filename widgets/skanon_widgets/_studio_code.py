"""Python that makes hierarchies and the studio's release again."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from skanon import KAnonymizer
from skanon.hierarchies import Hierarchy
from skanon_widgets._code import code_of
from skanon_widgets._sweep_code import Code


def code_of_release(anonymizer: KAnonymizer) -> str:
    """Write Python that makes an anonymizer and its release.

    Parameters
    ----------
    anonymizer : KAnonymizer
        Its hierarchies are objects; only parameters count.

    Returns
    -------
    str
        It takes the table from ``table``.
    """
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
    return "\n".join(
        [
            *code.header()[:-1],
            code_of_all(anonymizer.hierarchies or {}),
            "",
            f"anonymizer = KAnonymizer(\n    {body}\n)",
            "release = anonymizer.fit_transform(table)",
            "",
        ]
    )


def code_of_all(hierarchies: Mapping[Any, Hierarchy]) -> str:
    """Write Python that rebuilds several hierarchies, as a dict.

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
    plain, named, bodies = set(), set(), []
    for name, hierarchy in hierarchies.items():
        head, _, body = code_of(hierarchy).rpartition("\n\nhierarchy = ")
        for line in head.splitlines():
            start = "from skanon.hierarchies import "
            if line.startswith(start):
                named.add(line.removeprefix(start))
            else:
                plain.add(line)
        inner = body.replace("\n", "\n    ")
        bodies.append(f"    {_key(name)}: {inner},")
    lines = sorted(plain)
    if named:
        lines += [f"from skanon.hierarchies import {', '.join(sorted(named))}", ""]
    return "\n".join([*lines, "hierarchies = {", *bodies, "}"])


def _key(name: Any) -> str:
    text = repr(name)
    is_plain = isinstance(name, str) and '"' not in text and "\\" not in text
    return f'"{name}"' if is_plain else text
