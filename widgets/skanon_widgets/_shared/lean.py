"""A front end's text without what only people read."""

from __future__ import annotations

import re

_DOC = re.compile(r"^[ \t]*/\*\*(?:[^*]|\*(?!/))*\*/[ \t]*\n", re.MULTILINE)


def lean(script: str) -> str:
    r"""Leave out comments that stand in lines of their own, and indentation.

    A page loads the whole text with every widget. No line of it may begin inside a
    template literal; a test holds the front ends to that.

    Parameters
    ----------
    script : str

    Returns
    -------
    str

    Examples
    --------
    >>> lean("/** Why. */\nfunction f() {\n  // how\n  return 1;\n}\n")
    'function f() {\nreturn 1;\n}'
    """
    lines = (line.strip() for line in _DOC.sub("", script).splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))
