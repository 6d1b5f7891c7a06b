"""Random releases, once as text and once as the oracle takes them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from random_tables import KINDS, Pair, random_pair

from skanon._release.classes import Classes


@dataclass
class Release:
    """A random table and a random release of it."""

    pair: Pair
    frame: pd.DataFrame
    sets: list  # rows of frozensets of values
    texts: list  # rows of what is read
    weights: np.ndarray
    sensitive: list

    @property
    def rows(self):
        return self.pair.table.records

    @property
    def columns(self):
        return self.pair.table.columns

    @property
    def everything(self):
        return [column.everything for column in self.columns]

    def measured(self, metric, **options):
        return metric(
            self.pair.frame,
            self.frame,
            hierarchies=self.pair.hierarchies,
            sample_weight=self.weights,
            **options,
        )


def random_release(rng, kinds, n):
    """Publish random clusters; the algorithms would never make such bad ones."""
    pair = random_pair(rng, kinds, n)
    clusters = rng.randint(-1, rng.randint(1, n + 1), size=n)
    if not rng.randint(6):
        clusters[:] = -1
    classes, labels = Classes.of_clusters(pair.schema, pair.codes, clusters)
    frame = pd.DataFrame(classes.write(pair.schema.names, "label", labels))
    whole = tuple(column.everything for column in pair.table.columns)
    sets = [
        whole if own < 0 else pair.table.closure(np.flatnonzero(clusters == own))
        for own in clusters
    ]
    readable = frame.astype(object).where(frame.notna(), None)
    texts = [tuple(row) for row in readable.to_numpy().tolist()]
    weights = rng.randint(0, 4, size=n).astype(float)
    weights[rng.randint(n)] = 2.5
    sensitive = [f"illness {at}" for at in rng.randint(3, size=n)]
    return Release(pair, frame, sets, texts, weights, sensitive)


def drawn_release(data_seed, kinds, n):
    return random_release(np.random.RandomState(data_seed), kinds, n)


ALL_KINDS = sorted(KINDS)
