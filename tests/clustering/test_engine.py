"""What is chosen where the user leaves the choice, and tables cut into blocks."""

import math

import numpy as np
import pandas as pd
import pytest
from random_tables import KINDS, random_pair, seeded
from sklearn.base import clone

from skanon import (
    AgglomerativeAnonymizer,
    KAnonymizer,
    LDiversity,
    MondrianAnonymizer,
    SequentialAnonymizer,
)
from skanon.clustering import _effort
from skanon.clustering._effort import visits_of
from skanon.clustering._recursive_full_domain import RecursiveFullDomainAnonymizer
from skanon.datasets import load_cmc
from skanon.exceptions import AnonymizationError, DurationWarning, ParameterError
from skanon.losses import LM, PMI, ClassPenalty
from skanon.privacy import k_anonymity, l_diversity


def table(n=600, seed=0):
    rng = np.random.RandomState(seed)
    return pd.DataFrame(
        {
            "age": rng.randint(18, 90, n),
            "town": rng.choice(list("abcdefgh"), n),
            "sex": rng.choice(["f", "m"], n),
            "illness": rng.choice(["flu", "cold", "none", "gout"], n),
        }
    )


NAMES = ["age", "town", "sex"]


def fit(people, k=5, **own):
    given = {"quasi_identifiers": NAMES, "sensitive": "illness", "random_state": 0}
    return KAnonymizer(k, **given, **own).fit(people)


def test_more_effort_loses_less():
    people = table(400)
    losses = [
        fit(people, algorithm="auto", effort=effort).information_loss_
        for effort in ("fast", "default", "high")
    ]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > losses[2]
    plain = fit(people, algorithm="agglomerative", refine=0).information_loss_
    assert losses[0] < plain


def test_it_tells_what_it_chose(capsys):
    people = table()
    ranges = {"hierarchies": {"town": "subsets"}}
    fitted = fit(people, algorithm="auto", verbose=1, **ranges)
    assert isinstance(fitted.algorithm_, AgglomerativeAnonymizer)
    assert fitted.algorithm_.k == 5
    assert "refinement 1 of" in capsys.readouterr().err


def test_trees_begin_level_by_level():
    people = table()
    trees = {"hierarchies": dict.fromkeys(NAMES, "suppression")}
    fitted = fit(people, algorithm="auto", **trees)
    assert isinstance(fitted.algorithm_, RecursiveFullDomainAnonymizer)
    mi = fit(people, algorithm="auto", loss="mi", hierarchies={"town": "subsets"})
    assert isinstance(mi.algorithm_, AgglomerativeAnonymizer)


@pytest.mark.parametrize("loss", [PMI(), LM() + 0.5 * ClassPenalty()], ids=repr)
def test_losses_that_look_at_sensitive_values_begin_with_sequential_clustering(loss):
    women = load_cmc()
    given = {"loss": loss, "hierarchies": women.hierarchies, "random_state": 0}
    auto, other = (
        KAnonymizer(20, effort="fast", algorithm=algorithm, **given).fit(
            women.data, women.target
        )
        for algorithm in ("auto", "agglomerative")
    )
    assert isinstance(auto.algorithm_, SequentialAnonymizer)
    assert auto.information_loss_ < other.information_loss_


def test_the_work_depends_on_the_table_alone():
    assert visits_of(5_000, 10, 8, "default") == 51
    assert visits_of(5_000, 50, 8, "default") == 71
    assert visits_of(5_000, 10, 300, "default") == 2
    assert visits_of(500, 10, 8, "default") == 160
    assert visits_of(20, 10, 8, "default") == 160
    assert visits_of(5_000, 200, 8, "default") == 18
    assert visits_of(5_000, 1000, 8, "default") == 4
    assert visits_of(1_000_000, 10, 8, "default") == 9
    assert visits_of(50_000, 10, 8, "sweep") == 12
    assert visits_of(5_000, 10, 8, "sweep") == 24
    assert visits_of(1_000, 10, 8, "sweep") == visits_of(1_000, 10, 8, "default")
    assert visits_of(5_000, 10, 8, "fast") == 4
    assert visits_of(10_000, 10, 8, "high") == 1600
    assert visits_of(2_000, 10, 8, "high") == 12800
    assert visits_of(5_000, 10, 8, "high") == 3238


@pytest.mark.parametrize("algorithm", ["auto", "mondrian", "k_member", "hilbert"])
def test_blocks_and_refinement_do_not_depend_on_threads(algorithm):
    people = table()
    own = {"algorithm": algorithm, "block_size": 100, "refine": 6}
    one, two = (fit(people, n_jobs=n_jobs, **own) for n_jobs in (1, 2))
    assert (one.labels_ == two.labels_).all()
    assert one.class_sizes_.min() >= 5
    assert k_anonymity(one.transform(people), NAMES) >= 5


def test_blocks_are_cut_and_mended_by_the_refinement(capsys):
    people = table()
    whole = fit(people, algorithm="agglomerative", refine=0).information_loss_
    own = {"algorithm": "agglomerative", "block_size": 60}
    blocks = fit(people, **own, refine=0, verbose=1)
    assert "blocks of" in capsys.readouterr().err
    refined = fit(people, **own)
    assert whole < blocks.information_loss_
    mended = blocks.information_loss_ - refined.information_loss_
    assert mended > (blocks.information_loss_ - whole) / 2


def test_refinement_comes_after_any_algorithm():
    people = table()
    plain = MondrianAnonymizer(
        5, quasi_identifiers=NAMES, sensitive="illness", random_state=0
    ).fit(people)
    same = fit(people, algorithm="mondrian", refine=0)
    assert same.information_loss_ == plain.information_loss_
    better = clone(plain).set_params(refine=8).fit(people)
    also = fit(people, algorithm=MondrianAnonymizer(), refine=8)
    assert also.information_loss_ == better.information_loss_ < plain.information_loss_
    most = fit(people, algorithm=MondrianAnonymizer())
    assert most.information_loss_ < better.information_loss_


@pytest.mark.parametrize("seed", range(4))
def test_constraints_are_kept_in_blocks(seed):
    people = table(400, seed)
    own = {"algorithm": "auto", "block_size": 50, "constraints": [LDiversity(3)]}
    release = fit(people, **own).transform(people)
    assert k_anonymity(release, NAMES) >= 5
    assert l_diversity(release, NAMES, "illness") >= 3


def test_a_block_that_could_not_keep_a_constraint_is_not_cut_off():
    people = table(200)
    old = people["age"] > people["age"].median()
    people["illness"] = np.where(old, "gout", people["illness"])
    own = {"algorithm": "auto", "block_size": 20, "constraints": [LDiversity(1.5)]}
    release = fit(people, k=3, **own).transform(people)
    assert l_diversity(release, NAMES, "illness") >= 1.5


@pytest.mark.parametrize("measure", ["lm", "entropy", "ncp", "pmi"])
def test_any_loss_and_suppression(measure):
    pair = random_pair(seeded(1, measure), list(KINDS)[:3], 120)
    people = pd.DataFrame(pair.codes, columns=list("abc"))
    fitted = KAnonymizer(
        4,
        algorithm="auto",
        effort="fast",
        loss=measure,
        block_size=40,
        max_suppression=0.05,
        random_state=0,
    ).fit(people, pair.sensitive)
    assert fitted.class_sizes_.min() >= 4
    assert fitted.suppressed_.sum() <= 6


@pytest.mark.parametrize("n", [4, 7, 8])
def test_tables_with_one_or_two_classes(n):
    fitted = fit(table(n), k=4, algorithm="auto")
    assert fitted.class_sizes_.min() >= 4


class Stop:
    """Presses Ctrl+C in the n-th round of the refinement."""

    def __init__(self, monkeypatch, at):
        from skanon.clustering import _refinement

        self.rounds, go_on = 0, _refinement._Run.round

        def round_(run, visits, left):
            self.rounds += 1
            if self.rounds == at:
                raise KeyboardInterrupt
            return go_on(run, visits, left)

        monkeypatch.setattr(_refinement._Run, "round", round_)


def test_ctrl_c_undoes_the_fit(monkeypatch):
    Stop(monkeypatch, 2)
    anonymizer = KAnonymizer(5, algorithm="auto", random_state=0)
    with pytest.raises(KeyboardInterrupt):
        anonymizer.fit(table())
    assert not hasattr(anonymizer, "labels_")


@pytest.mark.parametrize("at", [1, 3])
def test_ctrl_c_releases_the_best_so_far_if_asked(monkeypatch, capsys, at):
    people = table()
    plain = fit(people, algorithm="agglomerative", refine=0).information_loss_
    Stop(monkeypatch, at)
    own = {"algorithm": "auto", "on_interrupt": "release", "verbose": 1}
    fitted = fit(people, **own)
    assert "interrupted: the best so far is taken" in capsys.readouterr().err
    assert k_anonymity(fitted.transform(people), NAMES) >= 5
    assert fitted.information_loss_ <= plain
    assert (fitted.information_loss_ < plain) == (at > 1)


@pytest.mark.parametrize(
    "own",
    [
        {"effort": "most"},
        {"effort": None},
        {"refine": -1},
        {"refine": 0.5},
        {"refine": True},
        {"block_size": 0},
        {"block_size": 2.5},
        {"block_size": "none"},
        {"on_interrupt": "ignore"},
    ],
)
def test_bad_settings_are_named(own):
    with pytest.raises(AnonymizationError, match=next(iter(own))):
        fit(table(), algorithm="auto", **own)


def test_blocks_smaller_than_two_classes():
    with pytest.raises(ParameterError, match=r"block_size is 9, but .* 2k = 10"):
        fit(table(), block_size=9)


# --------------------------------------------------------------- how long it takes


def test_a_long_fit_is_announced_before_it_begins(monkeypatch):
    people = table(200)
    monkeypatch.setattr(SequentialAnonymizer, "seconds", 1e6)
    slow = SequentialAnonymizer(5, quasi_identifiers=NAMES, random_state=0)
    said = (
        r"will take some \d+ seconds: 200 records, 3 quasi-identifiers, k=5\. "
        r"KAnonymizer\(effort='default'\) takes a second or two; "
        r"KAnonymizer\(effort='fast'\) takes a second or two\."
    )
    monkeypatch.setattr(_effort, "LONG", 10)
    with pytest.warns(DurationWarning, match=said):
        slow.fit(people)
    with pytest.warns(DurationWarning, match=said):
        fit(people, algorithm="sequential")
    fit(people)  # no warning


def test_a_loss_that_takes_long_is_announced_and_a_quicker_one_is_named(monkeypatch):
    people = table(200)
    illness = [f"ill{i % 3}" for i in range(200)]
    monkeypatch.setattr(_effort, "LONG", 0.1)
    own = {"quasi_identifiers": NAMES, "random_state": 0, "effort": "fast"}
    with pytest.warns(DurationWarning, match=r"loss='lm' takes a second or two\."):
        KAnonymizer(5, loss="pmi", **own).fit(people, illness)
    KAnonymizer(5, loss="lm", **own).fit(people)  # no warning


def test_the_time_of_what_nobody_measured_is_not_told():
    class Own(MondrianAnonymizer):
        seconds = math.nan

    assert math.isnan(Own(5)._expected_seconds(10**9, 8))
    Own(5, quasi_identifiers=NAMES).fit(table(100))


def test_the_expected_time_grows_with_the_work():
    def told(n, r=8, **own):
        return KAnonymizer(10, **own)._expected_seconds(n, r)

    assert told(10_000) < told(100_000) < told(1_000_000) < 12 * told(100_000)
    assert told(10_000) < told(10_000, r=16)
    assert told(10_000, effort="fast") < told(10_000) < told(10_000, effort="high")
    assert told(10_000, refine=0) < told(10_000)
    penalized = LM() + 0.5 * ClassPenalty()
    assert told(10_000) < told(10_000, loss=penalized) < told(10_000, loss="pmi")
    assert told(10_000, loss=LM() + 0 * PMI()) == told(10_000)
    whole = told(1_000_000, algorithm="agglomerative", refine=0)
    assert told(1_000_000, block_size=10_000, refine=0) < whole / 10
