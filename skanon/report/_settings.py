"""Parameters and versions, as plain types; no values of columns, no addresses."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from skanon._contract import Anonymizer
from skanon._version import __version__
from skanon.hierarchies import Hierarchy, Taxonomy

_PACKAGES = ("numpy", "pandas", "scikit-learn", "numba")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_ROLES = ("quasi_identifiers", "sensitive", "identifiers")
_UNPRINTABLE = re.compile(r"[\ud800-\udfff]")


def versions() -> dict[str, str]:
    """Tell what made the release: versions of Python and of the packages in use."""
    found = {"skanon": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        if package.replace("scikit-learn", "sklearn") in sys.modules:
            found[package] = importlib.metadata.version(package)
    return found


def settings(anonymizer: Anonymizer) -> dict[str, Any]:
    """Describe a fitted anonymizer: its class and all its parameters.

    Hierarchies are those that were used, and roles are lists of columns.
    """
    given = anonymizer.get_params(deep=False)
    described = {name: _plain(value) for name, value in given.items()}
    for role in _ROLES:
        if given.get(role) is not None:
            described[role] = names(getattr(anonymizer._roles, role))
    described["hierarchies"] = [
        {"column": plain_name(column), "hierarchy": describe(hierarchy)}
        for column, hierarchy in anonymizer.hierarchies_.items()
    ]
    return {"class": type(anonymizer).__name__, "parameters": described}


def _inner(anonymizer: Anonymizer) -> dict[str, Any]:
    """Describe an algorithm by the parameters of its own.

    The others are overruled by those of the anonymizer that it is a part of.
    """
    own = {name: _plain(getattr(anonymizer, name)) for name in anonymizer._own_names()}
    return {"class": type(anonymizer).__name__, "parameters": own}


def describe(hierarchy: Hierarchy) -> str:
    """Describe a hierarchy without any of its values, nor its nodes."""
    if type(hierarchy).__repr__ is Taxonomy.__repr__:
        assert isinstance(hierarchy, Taxonomy)
        values = f"{len(hierarchy.values)} values"
        return f"{type(hierarchy).__name__}({values}, height {hierarchy.height})"
    ours = type(hierarchy).__module__.startswith("skanon.")
    return repr(hierarchy) if ours else type(hierarchy).__name__


def names(columns: Any) -> list[str | int]:
    """Give columns' names in types that JSON knows."""
    return [plain_name(column) for column in columns]


def plain_name(name: Any) -> str | int:
    """Give a column's name as text; integers stay."""
    if isinstance(name, int | np.integer) and not isinstance(name, bool):
        return int(name)
    return _text(str(name))


def _text(text: str) -> str:
    """Replace what no file can hold."""
    return _UNPRINTABLE.sub("\ufffd", text)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Anonymizer):
        return _inner(value)
    if isinstance(value, Hierarchy):
        return describe(value)
    if isinstance(value, np.ndarray | pd.DataFrame | pd.Series | pd.Index):
        return f"{type(value).__name__} of shape {value.shape}"
    if isinstance(value, Mapping):
        return {_text(str(key)): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, set | frozenset):
        return sorted((_plain(part) for part in value), key=repr)
    return described(value)


def described(value: object) -> str:
    """Give an object's representation, without the address in memory."""
    return _text(_ADDRESS.sub("", repr(value)))
