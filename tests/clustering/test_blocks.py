"""Cutting a table into blocks."""

import numpy as np
import pandas as pd
import pytest
from random_tables import KINDS, random_pair, seeded

from skanon._table.schema import Schema
from skanon.clustering._blocks import blocks_of, learn_cuts
from skanon.hierarchies import from_nested
from skanon.losses import LM


def cuts_of(pair, n_blocks, seed=0):
    return learn_cuts(
        pair.schema.columns,
        pair.codes,
        pair.sensitive,
        n_blocks,
        np.random.RandomState(seed),
    )


@pytest.mark.parametrize("seed", range(6))
def test_blocks_are_large_enough_and_hold_each_record_once(seed):
    rng = seeded(seed, "lm")
    kinds = list(rng.permutation(list(KINDS))[:3])
    pair = random_pair(rng, kinds, 400)
    for n_blocks, least in [(1, 1), (4, 30), (10, 15), (10, 60)]:
        block = blocks_of(cuts_of(pair, n_blocks), pair.codes, least)
        sizes = np.bincount(block)
        assert len(block) == sizes.sum() == 400
        assert sizes.min() >= least
        if n_blocks == 1:
            assert len(sizes) == 1


def test_as_many_blocks_as_wanted_where_values_allow_it():
    pair = random_pair(seeded(1, "lm"), ["interval"], 20)
    ages = pd.DataFrame({"age": np.random.RandomState(0).permutation(4096)})
    schema, codes = Schema.learn(ages, {}, LM())
    nobody = np.zeros(len(codes), dtype=np.int32)
    cut = learn_cuts(schema.columns, codes, nobody, 8, np.random.RandomState(0))
    sizes = np.bincount(blocks_of(cut, codes, 100))
    assert sizes.tolist() == [512] * 8
    low = [codes[blocks_of(cut, codes, 100) == h, 0].min() for h in range(8)]
    assert low == list(range(0, 4096, 512))  # and they are intervals
    same = np.zeros_like(pair.codes[:20])
    assert blocks_of(None, same, 5).tolist() == [0] * 20


def test_a_sample_cuts_the_whole_table():
    rng = np.random.RandomState(0)
    ages = pd.DataFrame({"age": rng.permutation(4000), "zip": rng.permutation(4000)})
    schema, codes = Schema.learn(ages, {}, LM())
    nobody = np.zeros(len(codes), dtype=np.int32)
    some = rng.permutation(4000)[:400]
    cut = learn_cuts(schema.columns, codes[some], nobody[some], 8, rng)
    sizes = np.bincount(blocks_of(cut, codes, 50))
    assert len(sizes) == 8
    assert sizes.max() < 3 * sizes.min()


def test_cuts_go_between_the_nodes_of_a_tree():
    """Towns of four countries: two blocks are two countries each."""
    towns = {f"c{c}": [f"t{c}{t}" for t in range(8)] for c in range(4)}
    names = [town for country in towns.values() for town in country]
    frame = pd.DataFrame({"town": np.random.RandomState(0).choice(names, 2000)})
    tree = from_nested({"*": towns})
    schema, codes = Schema.learn(frame, {"town": tree}, LM())
    nobody = np.zeros(len(codes), dtype=np.int32)
    for seed in range(5):
        random_state = np.random.RandomState(seed)
        cut = learn_cuts(schema.columns, codes, nobody, 2, random_state)
        block = blocks_of(cut, codes, 100)
        torn = pd.crosstab(frame["town"].str[:2], block)
        assert (torn.gt(0).sum(axis=1) > 1).sum() <= 1


def test_equal_records_are_not_cut():
    frame = pd.DataFrame({"age": [30] * 100, "town": ["Bern"] * 100})
    schema, codes = Schema.learn(frame, {}, LM())
    nobody = np.zeros(100, dtype=np.int32)
    cut = learn_cuts(schema.columns, codes, nobody, 4, np.random.RandomState(0))
    assert cut is None
