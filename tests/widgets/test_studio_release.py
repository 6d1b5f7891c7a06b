"""The studio's releases: made in the background, downloaded, nothing sensitive kept."""

from __future__ import annotations

import io
import json
import time

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("anywidget")

from studios import HOSTILE, LIMIT, files, people, shown, tell

from skanon import KAnonymizer
from skanon.constraints import LDiversity
from skanon.exceptions import ColumnError, HierarchyError, ParameterError
from skanon.privacy import k_anonymity, l_diversity
from skanon_widgets import AnonymizationStudio, MetricInspector
from skanon_widgets._studio.words import ROLE_WORDS


@pytest.fixture
def studio():
    studio = AnonymizationStudio(people())
    studio.set_role("ill", "sensitive")
    yield studio
    studio.close()


@pytest.fixture(scope="module")
def made():
    """Give a studio with a release."""
    studio = AnonymizationStudio(people())
    studio.set_role("ill", "sensitive")
    studio.set(k=3, constraints=[LDiversity(1.25)], algorithm="mondrian")
    studio.run()
    assert studio.wait(LIMIT)
    yield studio
    studio.close()


# ---------------------------------------------------------------------- the release


def test_the_release_is_the_one_that_the_anonymizer_makes(made):
    table = people()
    release = made.release
    quasi = ["age", "town", "land"]
    assert k_anonymity(release, quasi) >= 3
    assert l_diversity(release, quasi, "ill") >= 1.25
    again = KAnonymizer(
        3,
        algorithm="mondrian",
        quasi_identifiers=quasi,
        sensitive="ill",
        identifiers="name",
        constraints=[LDiversity(1.25)],
        random_state=0,
    ).fit_transform(table)
    pd.testing.assert_frame_equal(release, again)
    pd.testing.assert_frame_equal(made.anonymizer.transform(table), again)
    assert made.anonymizer.verbose == made.anonymizer.algorithm_.verbose == 0


def test_the_code_and_the_policy_make_it_again(made):
    names = {"table": people()}
    exec(made.to_code(), names)
    pd.testing.assert_frame_equal(names["release"], made.release)
    other = AnonymizationStudio.from_policy(people(), json.dumps(made.policy))
    assert other.policy == made.policy
    assert other._settings == made._settings and other.roles == made.roles
    other.run()
    assert other.wait(LIMIT)
    pd.testing.assert_frame_equal(other.release, made.release)
    other.close()


def test_a_policy_of_another_table_is_refused(made):
    with pytest.raises(ColumnError, match="lacks 'age'"):
        AnonymizationStudio.from_policy(people().drop(columns="age"), made.policy)


def test_the_inspector_of_the_release_is_shown(made):
    made.step = 3
    panel, inspector = made.children
    assert isinstance(inspector, MetricInspector)
    assert inspector.figures["asked_k"] == 3
    made.step = 1
    assert made.children == (panel, made.hierarchies)
    made.step = 0
    assert made.children == (panel,)


def test_a_release_of_earlier_settings_is_told_as_such(made):
    assert not shown(made)["release"]["stale"]
    before = made._settings
    made.set(k=4)
    state = shown(made)
    assert state["release"]["stale"]
    assert state["steps"][3]["told"] == "of earlier settings"
    assert made.anonymizer.k == 3 and made.policy["parameters"]["k"] == 4
    (answer,) = tell(made, do="code", view="x")
    assert "k=3," in answer["code"]  # what made the release that is shown
    made.set(k=before.k)
    assert not shown(made)["release"]["stale"]


def test_releases_are_told_apart_by_their_numbers(studio):
    """Their figures may be the same, while the code that is shown is another."""
    studio.set(k=3, algorithm="mondrian")
    told = []
    for encode in ("label", "bounds"):
        studio.set(encode=encode)
        studio.run()
        assert studio.wait(LIMIT)
        (answer,) = tell(studio, do="code", view="x")
        told.append(shown(studio)["release"])
        assert answer["number"] == told[-1]["number"]
        assert ("bounds" in answer["code"]) == (encode == "bounds")
    assert told[0]["figures"] == told[1]["figures"]
    assert told[0]["number"] != told[1]["number"]
    assert shown(studio)["release"]["number"] == told[1]["number"]


def test_downloads_are_sent_as_binary_on_request(made):
    name, content = files(made, "csv")
    assert name == "release.csv"
    found = pd.read_csv(io.BytesIO(content), dtype=str)
    pd.testing.assert_frame_equal(found, made.release.astype("str"), check_dtype=False)
    pytest.importorskip("pyarrow")
    name, content = files(made, "parquet")
    assert name == "release.parquet"
    found = pd.read_parquet(io.BytesIO(content))
    pd.testing.assert_frame_equal(found, made.release.reset_index(drop=True))
    name, content = files(made, "policy")
    assert name == "policy.json" and json.loads(content) == made.policy
    name, content = files(made, "code")
    assert name == "release.py" and content.decode() == made.to_code()
    (answer,) = tell(made, do="download", what="pdf", view="v")
    assert "no file of the kind 'pdf'" in answer["error"]


def test_nothing_but_aggregates_is_in_traits_and_summary(made):
    made.step = 3
    made.wait()
    made.children[1].wait()
    parts = [made, *made.children, made.hierarchies, *made.hierarchies.children]
    saved = json.dumps([x.get_state() for x in parts], default=str)
    html = made._repr_mimebundle_()["text/html"]
    for text in (saved, html, repr(made)):
        assert "of-person" not in text
    assert "ill" in html and "quasi-identifier" in html and "of at least" in html
    assert "secret" not in html.replace("flu-secret", "VALUE")
    assert "VALUE" not in html.replace("flu-secret", "VALUE")
    panel = json.dumps(made._panel.get_state(), default=str)
    assert "flu-secret" not in panel and "Kiel" not in panel
    made.step = 0


def test_names_of_columns_are_escaped():
    studio = AnonymizationStudio(people().rename(columns={"town": HOSTILE}))
    assert HOSTILE not in studio._summary() and "&lt;img" in studio._summary()
    studio.close()


def test_there_is_no_release_before_the_first_run(studio):
    with pytest.raises(ParameterError, match="no release yet"):
        _ = studio.release
    (answer,) = tell(studio, do="download", what="csv", view="v")
    assert "no release yet" in answer["error"]
    assert shown(studio)["release"] is None and studio.wait(0)


def test_an_invalid_hierarchy_forbids_the_run(studio):
    studio.hierarchies.editor("town").edit("move", names=["Kiel"], parent=1)
    with pytest.raises(HierarchyError, match="'town'"):
        studio.run()
    state = shown(studio)
    assert state["steps"][1]["told"] == "to be mended" and "town" in state["faults"][0]
    with pytest.raises(HierarchyError, match="'town'"):
        _ = studio.policy
    answers = tell(studio, do="run")
    assert "'town'" in answers[-1]["error"]


def test_an_impossible_wish_forbids_the_run(studio):
    studio.set(k=61)
    with pytest.raises(ParameterError, match="n_samples=60"):
        studio.run()
    assert shown(studio)["steps"][2]["told"] == "to be mended"


def test_steps(studio):
    tell(studio, do="step", to=2)
    assert studio.step == 2
    with pytest.raises(ParameterError, match="no step 4"):
        studio.step = 4
    assert studio.step == 2


# --------------------------------------------------------------- in the background


def slow():
    """A table that takes long: the fit must not be over before it is looked at."""
    rng = np.random.RandomState(0)
    return pd.DataFrame({f"x{i}": rng.rand(6000) for i in range(6)})


@pytest.fixture
def busy():
    """A new one for each test: what one of them leaves running fails no other."""
    studio = AnonymizationStudio(slow())
    for name in studio.roles:
        studio.set_role(name, "quasi-identifier")
    studio.set(k=5, algorithm="agglomerative")
    yield studio
    studio.close()


def test_cancelling_stops_at_once_and_another_run_follows(busy):
    told = []
    busy._panel.send = lambda content, buffers=None: told.append(content)
    busy.run()
    with pytest.raises(ParameterError, match="being made"):
        busy.run()
    end = time.monotonic() + LIMIT
    while not any(x.get("run", {}).get("said") for x in told):
        assert time.monotonic() < end, "no progress was told"
        time.sleep(0.05)
    assert not busy.wait(0) and busy._background.state == "running"
    process = busy._background._worker._process
    busy.cancel()
    assert busy.wait(0) and busy._background.state == "cancelled"
    assert process.poll() is not None
    assert told[-1]["run"]["state"] == "cancelled"
    with pytest.raises(ParameterError, match="no release yet"):
        _ = busy.anonymizer
    busy.set(algorithm="mondrian")
    busy.run()
    assert busy.wait(LIMIT) and busy.anonymizer.n_classes_ > 1
    busy.set(algorithm="agglomerative")
    busy.run()
    busy.cancel()
    assert busy.anonymizer.algorithm == "mondrian"  # the last release stays


def test_a_process_that_dies_is_told(busy):
    busy.set(algorithm="agglomerative")
    busy.run()
    busy._background._worker._process.kill()
    assert busy.wait(LIMIT)
    assert busy._background.state == "failed"
    assert "ended before it was done" in busy._background.said
    busy.set(algorithm="mondrian", k=7)
    busy.run()
    assert busy.wait(LIMIT) and busy.anonymizer.k == 7


def test_a_process_is_ready_when_the_studio_is_shown_and_ends_with_it():
    studio = AnonymizationStudio(people())
    assert studio._background._worker is None
    offered, state = tell(studio, do="open")
    assert offered["kind"] == "offers" and set(offered["roles"]) == set(ROLE_WORDS)
    assert state == {"kind": "state", **shown(studio)}
    process = studio._background._worker._process
    assert process.poll() is None
    studio.close()
    assert process.poll() is not None


def test_at_most_one_idle_process_is_there(studio):
    studio.prepare()
    first = studio._background._worker._process
    other = AnonymizationStudio(people())
    other.prepare()
    assert first.poll() is not None
    studio.set(k=3, algorithm="mondrian")
    studio.run()  # it begins another one
    assert studio.wait(LIMIT) and studio.anonymizer.k == 3
    other.close()


def test_a_forgotten_studio_ends_its_process():
    from skanon_widgets._studio.background import Background

    background = Background(people(), lambda: None)
    background.prepare()
    process = background._worker._process
    del background
    assert process.wait(timeout=30) is not None


def test_a_failure_of_the_fit_is_told_in_words(studio, monkeypatch):
    # what `find` cannot foresee: the worker refuses what it is given
    monkeypatch.setattr("skanon_widgets._studio.widget.find", lambda *_: [])
    studio.set(k=61, algorithm="mondrian")
    studio.run()
    assert studio.wait(LIMIT)
    state = shown(studio)["run"]
    assert state["state"] == "failed" and "n_samples=60" in state["said"]
    with pytest.raises(ParameterError, match="n_samples=60"):
        _ = studio.release


def test_warnings_of_the_fit_are_shown():
    studio = AnonymizationStudio(people())
    studio.set(k=1, algorithm="mondrian")
    studio.run()
    assert studio.wait(LIMIT)
    (worst, *_) = shown(studio)["release"]["findings"]
    assert worst["level"] == "danger" and "k=1 hides nobody" in worst["text"]
    studio.close()


def test_polars_tables():
    polars = pytest.importorskip("polars")
    studio = AnonymizationStudio(polars.from_pandas(people()))
    studio.set(k=3, algorithm="mondrian")
    studio.run()
    assert studio.wait(LIMIT)
    assert isinstance(studio.release, polars.DataFrame)
    assert files(studio, "csv")[1].count(b"\n") == 61
    studio.close()
