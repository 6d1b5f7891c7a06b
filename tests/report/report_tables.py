"""Fitted anonymizers to report on, and what their outputs look like."""

import numpy as np
import pandas as pd

from skanon import KAnonymizer
from skanon.hierarchies import Subsets, from_nested

TOWNS = from_nested({"*": {"north": ["Kiel", "Lübeck"], "south": ["Ulm", "Bonn"]}})
HIERARCHIES = {"town": TOWNS, "job": Subsets()}


def people(n=60, seed=0):
    rng = np.random.RandomState(seed)
    return pd.DataFrame(
        {
            "age": rng.randint(20, 70, n),
            "town": rng.choice(["Kiel", "Lübeck", "Ulm", "Bonn"], n),
            "sex": rng.choice(["F", "M", None], n),
            "job": rng.choice(list("abcde"), n),
            "pay": rng.randint(1, 9, n) * 1.5,
        }
    )


def illnesses(n=60, seed=1):
    return np.random.RandomState(seed).choice(["flu", "cold", "none"], n).astype(object)


def fitted(k=3, y=None, X=None, **options):
    options = {"algorithm": "mondrian", "refine": 0, "random_state": 0} | options
    if X is None:
        X = people()
        options = {"hierarchies": HIERARCHIES} | options
    return KAnonymizer(k, **options).fit(X, y)


def forms(report):
    """All that a report can be written as."""
    return {
        "json": report.to_json(),
        "flat json": report.to_json(indent=None),
        "markdown": report.to_markdown(),
        "html": report.to_html(),
        "notebook": report._repr_html_(),
        "repr": repr(report),
        "dict": repr(report.to_dict()),
    }
