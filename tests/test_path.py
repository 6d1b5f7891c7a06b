"""Releases of one table for many k."""

import numpy as np
import pandas as pd
import pytest

from skanon import KAnonymizer, anonymization_path
from skanon.constraints import LDiversity
from skanon.exceptions import InfeasibleError, ParameterError
from skanon.privacy import k_anonymity, l_diversity


def people(n=400, seed=0):
    rng = np.random.RandomState(seed)
    return pd.DataFrame(
        {
            "age": rng.randint(20, 70, n),
            "town": rng.choice(list("abcdef"), n),
            "ill": rng.choice(["flu", "cold", "none"], n),
        }
    )


GIVEN = KAnonymizer(sensitive="ill", hierarchies={"town": "subsets"}, random_state=0)


def test_each_k_is_kept_and_costs_hardly_more_than_by_itself():
    table = people()
    path = anonymization_path(table, ks=[2, 5, 10, 40], anonymizer=GIVEN)
    assert list(path) == [2, 5, 10, 40]
    losses = [fitted.information_loss_ for fitted in path.values()]
    assert losses == sorted(losses)
    ratios = []
    for k, fitted in path.items():
        assert type(fitted) is KAnonymizer and fitted.k == k
        assert k_anonymity(fitted.transform(table), ["age", "town"]) >= k
        alone = KAnonymizer(**{**GIVEN.get_params(deep=False), "k": k}).fit(table)
        assert (fitted.effort, alone.effort) == ("sweep", "default")
        ratios.append(fitted.information_loss_ / alone.information_loss_)
    assert max(ratios) < 1.05 and np.mean(ratios) < 1.02


def test_it_does_not_depend_on_threads():
    table = people(150)
    for n_jobs in (1, 2):
        given = KAnonymizer(
            sensitive="ill",
            constraints=[LDiversity(1.5)],
            random_state=0,
            n_jobs=n_jobs,
        )
        path = anonymization_path(table, ks=[3, 6], anonymizer=given)
        labels = [fitted.labels_.tolist() for fitted in path.values()]
        if n_jobs == 1:
            before = labels
    assert labels == before
    release = path[6].transform(table)
    assert l_diversity(release, ["age", "town"], "ill") >= 1.5


def test_what_is_given_is_taken_over_and_not_changed():
    table = people(60).drop(columns="ill")
    given = KAnonymizer(algorithm="mondrian", effort="fast", refine=0, loss="ncp")
    before = given.get_params()
    path = anonymization_path(table.to_numpy(), ks=[4], anonymizer=given)
    assert given.get_params() == before
    assert not hasattr(given, "labels_")
    assert (path[4].refine, path[4].loss, path[4].effort) == (0, "ncp", "fast")
    y = pd.Series(["a", "b"] * 30)
    of_y = anonymization_path(
        table, y, ks=[4], anonymizer=KAnonymizer(constraints=[LDiversity(2)])
    )
    assert l_diversity(of_y[4].transform(table), ["age", "town"], y) == 2


def test_ks_are_sorted_and_that_is_said():
    with pytest.warns(UserWarning, match=r"each is taken once: \[2, 3, 9\]"):
        path = anonymization_path(people(40), ks=[9, 2, 3, 2], anonymizer=GIVEN)
    assert list(path) == [2, 3, 9]


@pytest.mark.parametrize("ks", [[], [0], [2, 2.5], [True], ["5"], [-1, 3]])
def test_unfit_ks(ks):
    with pytest.raises(ParameterError, match="ks "):
        anonymization_path(people(40), ks=ks)


def test_a_k_that_cannot_be_is_told():
    with pytest.raises(InfeasibleError, match="k=50"):
        anonymization_path(people(40), ks=[2, 50], anonymizer=GIVEN)
