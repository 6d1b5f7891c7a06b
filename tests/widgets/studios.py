"""A small table, and the studio as its panel speaks to it."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
from inspected import sent_by

HOSTILE = "<img src=x onerror=alert(1)>"
LIMIT = 120  # seconds; two cores may be shared with other work


def people(n=60, seed=0):
    rng = np.random.RandomState(seed)
    return pd.DataFrame(
        {
            "name": [f"name-of-person-{i}" for i in range(n)],
            "age": rng.randint(20, 70, n),
            "town": rng.choice(["Kiel", "Bremen", HOSTILE], n),
            "land": "DE",
            "ill": rng.choice(["flu-sensitive", "cold-sensitive"], n, p=[0.75, 0.25]),
        }
    )


def tell(studio, **message):
    return sent_by(studio._panel, **message)


def shown(studio):
    state = studio._state()
    assert json.loads(json.dumps(state)) == state
    return state


def files(studio, what):
    """Download a file: its name and content."""
    sent = []
    panel = studio._panel
    panel.send = lambda content, buffers=None: sent.append((content, buffers))
    panel._handle_custom_msg({"do": "download", "what": what, "view": "v"}, [])
    ((about, buffers),) = sent
    assert about["view"] == "v" and about["kind"] == "file"
    return about["name"], buffers[0]
