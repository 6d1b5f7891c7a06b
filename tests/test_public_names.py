"""The public names with their signatures are those of ``public_names.txt``.

Where a change of them is meant, ``python tests/test_public_names.py`` writes the file
anew, and the changelog says what was renamed.
"""

import inspect
from importlib import import_module
from pathlib import Path

FILE = Path(__file__).with_name("public_names.txt")
MODULES = [
    "skanon",
    "skanon.cleaning",
    "skanon.clustering",
    "skanon.consistency",
    "skanon.constraints",
    "skanon.datasets",
    "skanon.exceptions",
    "skanon.hierarchies",
    "skanon.losses",
    "skanon.metrics",
    "skanon.privacy",
    "skanon.privacy.attacks",
    "skanon.report",
    "skanon_widgets",
]


def signature_of(thing):
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):  # no callable, or written in C
        return ""
    plain = [
        p.replace(annotation=inspect.Parameter.empty)
        for p in signature.parameters.values()
    ]
    return str(signature.replace(parameters=plain, return_annotation=inspect._empty))


def members_of(kind, seen):
    """Methods and attributes of a class that are skanon's own, once for all heirs."""
    for name in sorted(dir(kind)):
        owner = next((c for c in kind.__mro__ if name in vars(c)), None)
        if name.startswith("_") or not owner.__module__.startswith("skanon"):
            continue
        if (owner, name) in seen or name == "set_fit_request":
            continue
        seen.add((owner, name))
        found = getattr(kind, name)
        yield f"    {name}{signature_of(found) if callable(found) else ''}"


def listing():
    lines = []
    seen = set()
    for module_name in MODULES:
        module = import_module(module_name)
        lines.append(module_name)
        for name in module.__all__:
            thing = getattr(module, name)
            lines.append(f"  {name}{signature_of(thing)}")
            if inspect.isclass(thing):
                lines.extend(members_of(thing, seen))
    return "\n".join(lines) + "\n"


def test_public_names_are_those_of_the_list():
    assert listing() == FILE.read_text()


def test_quasi_identifiers_come_right_after_the_tables():
    """Positional or by keyword, in every function that takes them."""
    tables = {"X", "original", "released"}
    for module_name in MODULES[:-1]:
        module = import_module(module_name)
        for name in module.__all__:
            thing = getattr(module, name)
            if not inspect.isfunction(thing):
                continue
            parameters = inspect.signature(thing).parameters
            if "quasi_identifiers" not in parameters:
                continue
            if name == "refine":  # as for anonymizers, k comes first
                continue
            before = list(parameters)[: list(parameters).index("quasi_identifiers")]
            assert before and set(before) <= tables, name
            kind = parameters["quasi_identifiers"].kind
            assert kind is inspect.Parameter.POSITIONAL_OR_KEYWORD, name


if __name__ == "__main__":
    FILE.write_text(listing())
