"""What is said along the way tells nothing that the release does not."""

import logging
import os
import re
import stat
import warnings

import numpy as np
import pandas as pd
import pytest
from algorithms import ALGORITHMS
from consistent import CLASSES
from sklearn.model_selection import GridSearchCV, KFold

from skanon import KAnonymizer
from skanon._files import write_whole
from skanon.constraints import LDiversity
from skanon.hierarchies import from_parents, write_arx, write_json
from skanon.metrics import make_release_scorer

MADE = {"default": KAnonymizer, **ALGORITHMS, **CLASSES}
PRIVATE = re.compile(r"name\d+Q|ill\d+Q|memo\d+Q|zip\d+Q|\b\d{7}\b")


def people(n=12):
    """Make people, each value of whom is told from any other text."""
    at = np.arange(n)
    return pd.DataFrame(
        {
            "name": [f"name{i:03}Q" for i in at],
            "zip": [f"zip{i // 2:03}Q" for i in at],
            "income": 1_000_003 + 70_919 * at,
            "ill": [f"ill{i % 4}Q" for i in at],
            "memo": [f"memo{i:03}Q" for i in at],
        }
    )


def tree(n=12):
    leaves = {f"zip{i:03}Q": f"area{i // 3}" for i in range(n // 2)}
    return from_parents({**leaves, **dict.fromkeys(leaves.values(), "*")})


def told(text, released=()):
    """Find the private values in a text that no release tells."""
    published = {x for cell in map(str, released) for x in PRIVATE.findall(cell)}
    return set(PRIVATE.findall(text)) - published


@pytest.mark.parametrize("name", MADE)
def test_a_fit_says_nothing_private(name, capfd, caplog):
    caplog.set_level(logging.DEBUG)
    table = people()
    made = MADE[name](
        2,
        quasi_identifiers=["zip", "income"],
        identifiers=["name"],
        sensitive=["ill"],
        hierarchies={"zip": tree()},
        verbose=2,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        released = made.fit_transform(table)
        made.transform(table.iloc[::-1].reset_index(drop=True))
        made.report(table)
    published = released[["zip", "income"]].to_numpy().ravel()
    said = capfd.readouterr()
    assert said.err.strip(), "verbose says something, or this test tells nothing"
    assert any("memo" in str(x.message) for x in caught), "warnings are seen"
    for text in [said.err, said.out, caplog.text, repr(made)]:
        assert not told(text)
    for warning in caught:
        assert not told(str(warning.message))
    # a notebook shows what is published, and nothing else
    for text in [made._repr_html_(), *made._repr_mimebundle_().values()]:
        assert not told(text, published)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_search_that_fails_says_nothing_private(n_jobs, capfd):
    table = people()
    search = GridSearchCV(
        KAnonymizer(
            quasi_identifiers=["zip", "income"],
            identifiers=["name", "memo"],
            sensitive=["ill"],
            constraints=[LDiversity(2)],
        ),
        {"k": [2, 100]},
        scoring=make_release_scorer("lm"),
        cv=KFold(2),
        n_jobs=n_jobs,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(table)
    texts = [str(x.message) for x in caught]
    assert any("InfeasibleError" in x and "Choose k of at most" in x for x in texts)
    said = capfd.readouterr()
    for text in [*texts, said.err, said.out]:
        assert not told(text)


def test_hierarchies_and_what_holds_them_do_not_print_their_values():
    fitted = KAnonymizer(2, hierarchies={"zip": tree()})
    fitted.fit(people()[["zip", "income"]])
    for made in [tree(), fitted, fitted.hierarchies_, fitted.algorithm_]:
        assert not told(repr(made))


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_file_is_the_owners_alone_until_it_is_whole(tmp_path, monkeypatch, mask):
    modes = []
    fdopen = os.fdopen

    def seen(handle, how):
        modes.append(stat.S_IMODE(os.fstat(handle).st_mode))
        return fdopen(handle, how)

    monkeypatch.setattr(os, "fdopen", seen)
    before = os.umask(mask)
    try:
        write_json(tree(), tmp_path / "zip.json")
        write_arx(tree(), tmp_path / "zip.csv")
        KAnonymizer(2).fit(people()[["income"]]).report().save(tmp_path / "a.html")
    finally:
        os.umask(before)
    assert modes == [0o600] * 3
    for path in tmp_path.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    assert sorted(x.name for x in tmp_path.iterdir()) == [
        "a.html",
        "zip.csv",
        "zip.json",
    ]


def test_an_old_files_permissions_stay(tmp_path):
    path = tmp_path / "report.json"
    path.write_text("old")
    path.chmod(0o640)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
