"""A table with all kinds of columns, and what anonymizes it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from skanon import KAnonymizer

ILLS = ["flu-of-person", "cold-of-person", "none-of-person"]
TOWNS = {"*": {"north": ["Kiel", "Bremen"], "south": ["Ulm", "Bern"]}}


def people(n=40, seed=0):
    rng = np.random.RandomState(seed)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.randint(0, 99, n), "D")
    return pd.DataFrame(
        {
            "name": [f"name-of-person-{i}" for i in range(n)],
            "age": rng.randint(20, 70, n),
            "town": rng.choice(["Kiel", "Bremen", "Ulm", "Bern"], n),
            "job": rng.choice(["cook", "nurse", "smith"], n),
            "visit": days,
            "ill": rng.choice(ILLS, n, p=[0.5, 0.3, 0.2]),
            "note": [f"note-of-person-{i % 7}" for i in range(n)],
        }
    )


def anonymizer(k=3, **more):
    given = {
        "quasi_identifiers": ["age", "town", "job", "visit"],
        "sensitive": "ill",
        "identifiers": "name",
        "hierarchies": {"town": TOWNS, "job": "subsets"},
        "random_state": 7,
    }
    return KAnonymizer(k, **(given | more))
