"""How a hierarchy was built, and the code that builds it again."""

from __future__ import annotations

from typing import Any, NamedTuple

from skanon import hierarchies
from skanon.exceptions import AnonymizationError
from skanon.hierarchies import Hierarchy
from skanon_widgets._hierarchy_editor.code import (
    WIDTH,
    _imports,
    _written,
    code_of,
    variable_of,
)


class Recipe(NamedTuple):
    """A builder of :mod:`skanon.hierarchies` and what it was called with.

    Attributes
    ----------
    maker : str
    values : list
        The column's distinct values, the builder's first argument.
    args : tuple
    kwargs : dict
    """

    maker: str
    values: list[Any]
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}  # noqa: RUF012

    def build(self) -> Hierarchy:
        """Call the builder."""
        return getattr(hierarchies, self.maker)(self.values, *self.args, **self.kwargs)


def code_by(recipe: Recipe | None, hierarchy: Hierarchy, name: object = None) -> str:
    """Write Python that rebuilds a hierarchy, by its builder where that is enough.

    Parameters
    ----------
    recipe : Recipe or None
    hierarchy : Hierarchy
    name : object
        The column, after which the variable is called.

    Returns
    -------
    str

    Examples
    --------
    >>> age = Recipe("from_widths", [21, 38], (10,))
    >>> print(code_by(age, age.build(), "age"))
    from skanon.hierarchies import from_widths
    <BLANKLINE>
    age = from_widths([21, 38], 10)
    """
    if recipe is None or not _rebuilds(recipe, hierarchy):
        return code_of(hierarchy, name)
    variable, maker = variable_of(name), recipe.maker
    given = [repr(arg) for arg in recipe.args]
    given += [f"{key}={value!r}" for key, value in recipe.kwargs.items()]
    body = ", ".join([repr(recipe.values), *given])
    if len(variable) + len(maker) + len(body) + 5 > WIDTH:
        parts = [_written(recipe.values, 4), *given]
        body = "".join(f"\n    {part}," for part in parts) + "\n"
    of_args = [x for arg in recipe.args for x in (arg if isinstance(arg, list) else [])]
    lines = _imports((*recipe.values, *of_args))
    lines += [f"from skanon.hierarchies import {maker}"]
    return "\n".join([*lines, "", f"{variable} = {maker}({body})"])


def _rebuilds(recipe: Recipe, hierarchy: Hierarchy) -> bool:
    try:
        return recipe.build() == hierarchy
    except AnonymizationError:
        return False
