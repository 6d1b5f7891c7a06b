"""What each algorithm makes of fixed tables with fixed seeds, written down.

``python tests/golden.py`` writes ``golden.json`` anew; do so only where a change of
results is meant, and say in the commit why each line of the difference is right.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd

import skanon
from skanon import KAnonymizer
from skanon.clustering import ALGORITHMS
from skanon.constraints import LDiversity, TCloseness
from skanon.datasets import load_adult, load_cmc
from skanon.losses import LM, NCP, ClassPenalty

PATH = Path(__file__).with_suffix(".json")
LOSSES = ("lm", "tree", "byun", "ncp", "entropy", "mi", "pmi")
CONSISTENCY = {
    "k_one": skanon.KOneAnonymizer,
    "one_k": skanon.OneKAnonymizer,
    "kk": skanon.KKAnonymizer,
    "global_one_k": skanon.GlobalOneKAnonymizer,
    "non_homogeneous": skanon.NonHomogeneousAnonymizer,
}


def _adult(n):
    adult = load_adult()
    names = ["age", "workclass", "education", "marital-status", "sex", "capital-gain"]
    rows = np.random.RandomState(7).permutation(len(adult.data))[:n]
    hierarchies = {name: adult.hierarchies[name] for name in names}
    return adult.data[names].iloc[rows], hierarchies, adult.target.iloc[rows]


def _cmc(n):
    women = load_cmc()
    rows = np.random.RandomState(8).permutation(len(women.data))[:n]
    return women.data.iloc[rows], women.hierarchies, women.target.iloc[rows]


def _gaps(n):
    """Numbers, dates, sets and words, some of them missing."""
    rng = np.random.RandomState(9)
    frame = pd.DataFrame(
        {
            "number": rng.randint(40, size=n).astype(float) ** 2,
            "day": pd.Timestamp("2020-02-27")
            + pd.to_timedelta(rng.randint(90, size=n), "D"),
            "set": rng.choice(list("abcdefg"), size=n),
            "word": rng.choice(["x", "y", "z"], p=[0.6, 0.3, 0.1], size=n),
        }
    )
    frame = frame.mask(rng.uniform(size=frame.shape) < 0.05)
    return frame, {"set": "subsets"}, rng.choice(["flu", "cold", "none"], size=n)


TABLES = {"adult": _adult, "cmc": _cmc, "gaps": _gaps}


def cases():
    """Yield a name, an unfitted anonymizer, and the table's name and size."""
    mixed = 0.7 * NCP() + 0.3 * LM() + 0.5 * ClassPenalty()
    for algorithm in ALGORITHMS:
        n = 14 if algorithm == "optimal" else 240
        for table in TABLES:
            for loss in LOSSES:
                yield (
                    f"{algorithm} {table} {loss}",
                    KAnonymizer(
                        4, algorithm=algorithm, refine=0, loss=loss, random_state=0
                    ),
                    (table, n),
                )
        yield (
            f"{algorithm} adult suppression",
            KAnonymizer(
                5, algorithm=algorithm, refine=0, max_suppression=0.1, random_state=1
            ),
            ("adult", n),
        )
        for rule in (LDiversity(1.5, "entropy"), TCloseness(0.4)):
            yield (
                f"{algorithm} cmc {type(rule).__name__}",
                KAnonymizer(
                    3, algorithm=algorithm, refine=0, constraints=[rule], random_state=2
                ),
                ("cmc", n),
            )
        yield (
            f"{algorithm} cmc penalty",
            KAnonymizer(
                4,
                algorithm=algorithm,
                refine=0,
                loss=mixed,
                random_state=3,
            ),
            ("cmc", n),
        )
    for table in TABLES:
        for effort in ("fast", "default"):
            made = KAnonymizer(4, effort=effort, random_state=0)
            yield f"auto {table} {effort}", made, (table, 240)
    for name, made in CONSISTENCY.items():
        for table in TABLES:
            for loss in LOSSES:
                yield (
                    f"{name} {table} {loss}",
                    made(4, loss=loss, random_state=0),
                    (table, 150),
                )


def result(anonymizer, table):
    """Fit, and tell the loss and the labels."""
    name, n = table
    frame, hierarchies, y = TABLES[name](n)
    anonymizer.set_params(hierarchies=hierarchies)
    labels = anonymizer.fit(frame, y).labels_
    labels = np.ascontiguousarray(labels, dtype=np.int64)
    return {
        "loss": anonymizer.information_loss_,
        "labels": hashlib.sha256(labels.tobytes()).hexdigest()[:16],
        "published": len(anonymizer.generalizations_),
    }


def main():
    found = {name: result(made, table) for name, made, table in cases()}
    lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in found.items()]
    PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
