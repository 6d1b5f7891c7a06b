"""Releases to inspect, and messages as a front end sends them."""

import json

import numpy as np
import pandas as pd

from skanon import KAnonymizer
from skanon.hierarchies import Subsets, from_nested

HOSTILE = "<img src=x onerror=alert(1)>"
TOWNS = from_nested({"*": {"north": ["Kiel", "Lübeck"], "south": ["Ulm", "Bonn"]}})


def people(n=60, seed=0):
    rng = np.random.RandomState(seed)
    return pd.DataFrame(
        {
            "age": rng.randint(20, 70, n),
            "town": rng.choice(["Kiel", "Lübeck", "Ulm", "Bonn"], n),
            "job": rng.choice(list("abcde"), n),
            "ill": rng.choice(["flu", "cold", "none"], n),
        }
    )


HIERARCHIES = {"town": TOWNS, "job": Subsets()}


def fitted(k=4, X=None, y=None, **options):
    options = {
        "algorithm": "mondrian",
        "refine": 0,
        "hierarchies": HIERARCHIES,
        "sensitive": "ill",
        "random_state": 0,
    } | options
    return KAnonymizer(k, **options).fit(people() if X is None else X, y)


def sent_by(inspector, **message):
    """Deliver a message of the front end's, and collect what is sent back."""
    sent = []
    inspector.send = lambda content, buffers=None: sent.append(content)
    inspector._handle_custom_msg(message, [])
    return sent


def state_of(inspector):
    inspector.wait()
    state = inspector.get_state()
    return json.dumps({k: v for k, v in state.items() if k not in ("_esm", "_css")})


def details_of(inspector, number=0):
    inspector.wait()
    (answer,) = sent_by(inspector, do="inspect", release=0, number=number)
    assert answer["kind"] == "class"
    return answer["details"]
