"""Python that makes an estimator again."""

from __future__ import annotations

import datetime
import importlib
import inspect
import math
import os
import re
import textwrap
from typing import Any

import numpy as np
from pandas import Timedelta, Timestamp
from sklearn.base import BaseEstimator, clone

import skanon.cleaning
import skanon.constraints
import skanon.losses
from skanon._base import BaseAnonymizer
from skanon.cleaning import Repair
from skanon.constraints import Constraint
from skanon.exceptions import ParameterError
from skanon.hierarchies import Hierarchy
from skanon.losses import Loss
from skanon_widgets._hierarchy_editor.code import code_of
from skanon_widgets._risk_utility_explorer.plan import Plan

_WIDTH = 84

_MOMENTS = (datetime.date, datetime.time, datetime.timedelta)  # and pandas' own


def code_of_choice(plan: Plan, params: dict[str, Any], has_y: bool) -> str:
    """Write Python that makes and fits the estimator of one point.

    Parameters
    ----------
    plan : Plan
    params : dict
        Of the point.
    has_y : bool

    Returns
    -------
    str
        It takes the table from ``X``, and the sensitive attribute from ``y``. Where the
        estimator itself cannot be written as code, it takes it from ``estimator``.

    Raises
    ------
    ParameterError
        One of the parameters that are tried cannot be written as code.
    """
    estimator = clone(plan.estimator).set_params(**clone(params, safe=False))
    try:
        code = Code()
        made = f"chosen = {code.of(estimator)}"
    except Unwritable as error:
        code = Code()
        code.notes.append(f"estimator: what the explorer was given; {error}")
        made = _from_given(code, params)
    if isinstance(estimator, BaseAnonymizer):
        fitted = f"release = chosen.fit_transform(X{', y' * has_y})"
    else:
        fitted = f"chosen.fit(X{', y' * has_y})"
    if estimator.get_params().get(f"{plan.prefix}random_state") is None:
        code.notes.append("random_state is None, so another fit may differ a little")
    return "\n".join([*code.header(), made, fitted, ""])


def _from_given(code: Code, params: dict[str, Any]) -> str:
    code.imports["sklearn.base"] = {"clone"}
    try:
        given = [f"{name}={code.of(value)}" for name, value in params.items()]
    except Unwritable as error:
        raise ParameterError(
            f"The selected parameters cannot be written as code: {error}. Use "
            "selected_estimator instead."
        ) from error
    return f"chosen = clone(estimator).{_bracketed('set_params(', given, ')')}"


class Unwritable(Exception):
    """Something cannot be written as code."""


class Code:
    """Writes values as Python expressions, and notes what must be imported.

    Attributes
    ----------
    imports : dict from str to set of str
        Names by module.
    modules : set of str
        Further lines of imports.
    notes : list of str
        What somebody who runs the code must know.
    """

    def __init__(self) -> None:
        self.imports: dict[str, set[str]] = {}
        self.modules: set[str] = set()
        self.notes: list[str] = []

    def header(self) -> list[str]:
        """Give the lines that stand above the code."""
        notes = [f"# {' '.join(note.split())}" for note in dict.fromkeys(self.notes)]
        lines = [
            f"from {module} import {', '.join(sorted(names))}"
            for module, names in sorted(self.imports.items())
        ]
        return [*notes, *sorted(self.modules), *lines, ""]

    def of(self, value: Any) -> str:
        """Write a value.

        Raises
        ------
        Unwritable
            Names the type.
        """
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int | str | bytes | complex):
            return repr(value)
        if isinstance(value, float):
            return repr(value) if math.isfinite(value) else f"float('{value}')"
        if isinstance(value, list | tuple | set | frozenset | dict | np.ndarray):
            return self._collection(value)
        if isinstance(value, _MOMENTS):
            return self._moment(value)
        if isinstance(value, os.PathLike):
            return repr(os.fspath(value))
        if isinstance(value, Hierarchy):
            return self._hierarchy(value)
        if isinstance(value, Loss):
            return self._written(value, skanon.losses)
        if isinstance(value, Constraint):
            return self._written(value, skanon.constraints)
        if isinstance(value, Repair):
            return self._written(value, skanon.cleaning)
        if isinstance(value, BaseEstimator):
            return self._estimator(value)
        if inspect.isclass(value) or inspect.isroutine(value):
            return self._named(value)
        if isinstance(value, np.ufunc):
            return self._import("numpy", value.__name__)
        raise Unwritable(f"it holds {_an(value)}, which cannot be written as code")

    def _moment(self, value: Any) -> str:
        text, kind = repr(value), type(value).__name__
        names = {"datetime": datetime, "Timestamp": Timestamp, "Timedelta": Timedelta}
        try:
            again = eval(text, names)
        except Exception:
            again = None
        if again != value:
            raise Unwritable(f"it holds {value!r}, which cannot be written as code")
        if isinstance(value, Timestamp | Timedelta):
            self._import("pandas", kind)
        else:
            self.modules.add("import datetime")
        return text

    def _collection(self, value: Any) -> str:
        if isinstance(value, dict):
            pairs = [f"{self.of(key)}: {self.of(x)}" for key, x in value.items()]
            return _bracketed("{", pairs, "}")
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in "biufUS":
                raise Unwritable(f"it holds an array of {value.dtype}")
            array = self._import("numpy", "array")
            return _bracketed(
                f"{array}(",
                [self.of(value.tolist()), f"dtype={value.dtype.str!r}"],
                ")",
            )
        items = [self.of(x) for x in value]
        if isinstance(value, list):
            return _bracketed("[", items, "]")
        if isinstance(value, tuple):
            return f"({items[0]},)" if len(items) == 1 else _bracketed("(", items, ")")
        name = type(value).__name__
        return f"{name}({_bracketed('[', items, ']')})"

    def _hierarchy(self, value: Hierarchy) -> str:
        head, _, made = code_of(value).partition("\n\nhierarchy = ")
        names: dict[str, Any] = {}
        try:
            exec(f"{head}\nagain = {made}", names)
        except Exception:
            names["again"] = None
        if names["again"] != value:
            raise Unwritable(f"it holds {value!r}, whose values cannot be written")
        for line in head.splitlines():
            module, _, name = line.removeprefix("from ").partition(" import ")
            if name:
                self._import(module, name)
            else:
                self.modules.add(line)
        return made

    def _written(self, value: Any, module: Any) -> str:
        """Write what writes itself, and check that it reads back."""
        text = repr(value)
        names = {x for x in re.findall(r"\b[A-Za-z]\w*", text) if hasattr(module, x)}
        try:
            again = repr(eval(text, {name: getattr(module, name) for name in names}))
        except Exception:
            again = ""
        if again != text:
            raise Unwritable(f"it holds {_an(value)}, which cannot be written as code")
        for name in names:
            self._import(module.__name__, name)
        return text

    def _estimator(self, value: BaseEstimator) -> str:
        defaults = {
            name: parameter.default
            for name, parameter in inspect.signature(type(value)).parameters.items()
        }
        given = []
        for name, own in value.get_params(deep=False).items():
            default = defaults.get(name, inspect.Parameter.empty)
            if not _is_default(own, default):
                given.append(f"{name}={self.of(own)}")
        return _bracketed(f"{self._named(type(value))}(", given, ")")

    def _named(self, value: Any) -> str:
        """Name a class or function, by the shortest public module that has it."""
        name = getattr(value, "__qualname__", "")
        module = getattr(value, "__module__", None) or ""
        if not name.isidentifier() or not module:
            raise Unwritable(f"it holds {value!r}, which has no name to import")
        if module == "builtins":
            return name
        if module == "__main__":
            self.notes.append(f"{name} is defined in your notebook")
            return name
        parts = module.split(".")
        for n in range(len(parts)):
            path = ".".join(parts[: n + 1])
            try:
                found = getattr(importlib.import_module(path), name, None)
            except ImportError:
                break
            if found is value:
                return self._import(path, name)
        raise Unwritable(f"it holds {value!r}, which cannot be imported from {module}")

    def _import(self, module: str, name: str) -> str:
        self.imports.setdefault(module, set()).add(name)
        return name


def _is_default(value: Any, default: Any) -> bool:
    if value is default:
        return True
    plain = (str, int, float, bool, tuple)
    return (
        type(value) is type(default) and isinstance(value, plain) and value == default
    )


def _an(value: Any) -> str:
    return f"an object of the type {type(value).__qualname__}"


def _bracketed(start: str, items: list[str], end: str) -> str:
    """Write items between brackets, on several lines where one is too short."""
    line = f"{start}{', '.join(items)}{end}"
    if len(line) <= _WIDTH and "\n" not in line:
        return line
    inner = textwrap.indent(_lines(items), "    ")
    return f"{start}\n{inner}\n{end}"


def _lines(items: list[str]) -> str:
    """Put short items side by side; each long one has lines of its own."""
    if any("\n" in item or len(item) > _WIDTH // 2 for item in items):
        return ",\n".join(items) + ","
    if any(re.match(r"\w+=", item) for item in items):
        return ",\n".join(items) + ","
    lines = [""]
    for item in items:
        if lines[-1] and len(lines[-1]) + len(item) + 2 > _WIDTH - 4:
            lines.append("")
        lines[-1] += f" {item}," if lines[-1] else f"{item},"
    return "\n".join(lines)
