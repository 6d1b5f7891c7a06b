"""What the studio warns of: unchanged columns, unprotected ones, indexes of names."""

from __future__ import annotations

import io

import pandas as pd
import pytest

pytest.importorskip("anywidget")

from studios import LIMIT, files, people, shown

from skanon.constraints import LDiversity
from skanon_widgets import AnonymizationStudio, MetricInspector


def released(frame, roles, *, keep_index=False, **parameters):
    studio = AnonymizationStudio(frame, keep_index=keep_index)
    for name, role in roles.items():
        studio.set_role(name, role)
    studio.set(k=3, algorithm="mondrian", **parameters)
    studio.run()
    assert studio.wait(LIMIT)
    return studio


def found(studio, about):
    return [x for x in shown(studio)["release"]["findings"] if x["about"] == about]


def test_what_is_published_unchanged_is_counted_before_the_download():
    roles = {"name": "other", "town": "other", "land": "other", "ill": "sensitive"}
    studio = released(people(), roles, constraints=[LDiversity(1.1)])
    release = studio.release
    together = (
        release.groupby(["age", "name", "town", "land"])["ill"].size() == 1
    ).sum()
    (finding,) = found(studio, "unchanged")
    assert finding["level"] == "danger" and together == 60
    assert (
        "'name' (60 of 60 records are alone with their value), 'town', 'land'"
        in (finding["text"])
    )
    assert "alone, with the generalized columns 60." in finding["text"]
    assert shown(studio)["release"]["findings"][0] == finding  # nothing stands above it
    assert not [x for x in found(studio, "fit") if "as it is" in x["text"]]  # said once
    assert shown(studio)["steps"][3] == {
        "label": "Release",
        "told": "made",
        "level": "danger",
    }
    assert "<b>Danger:</b> Published as it is" in studio._summary()
    studio.close()


def test_what_tells_nobody_apart_is_named_all_the_same():
    studio = released(people(), {"land": "other"})
    (finding,) = found(studio, "unchanged")
    assert finding["level"] == "look" and "'land'" in finding["text"]
    studio.close()


def test_nothing_unchanged_nothing_said():
    studio = released(people(), {"ill": "sensitive"}, constraints=[LDiversity(1.1)])
    assert not found(studio, "unchanged")
    assert {x["level"] for x in shown(studio)["release"]["findings"]} == {"good"}
    assert shown(studio)["steps"][3]["level"] == "good"
    studio.close()


def test_a_sensitive_column_without_a_constraint_is_a_danger():
    frame = people().sort_values("age", ignore_index=True)
    frame["ill"] = ["flu"] * 12 + ["cold", "flu"] * 24
    roles = {"ill": "sensitive", "name": "identifier", "town": "identifier"}
    studio = released(frame, roles)
    (finding,) = [x for x in shown(studio)["findings"] if x["about"] == "constraints"]
    assert (
        finding["level"] == "danger" and "no constraint protects it" in finding["text"]
    )
    assert shown(studio)["steps"][2]["level"] == "danger"
    release = studio.release
    alike = release.groupby(["age", "land"])["ill"].transform("nunique") == 1
    (finding,) = found(studio, "sensitive")
    assert finding["level"] == "danger" and 12 <= alike.sum() < 60
    assert finding["text"].startswith(f"“ill” of {alike.sum()} of 60 people is given")
    studio.set(constraints=[LDiversity(1.1)])
    assert not [x for x in shown(studio)["findings"] if x["level"] == "danger"]
    studio.run()
    assert studio.wait(LIMIT)
    (finding,) = found(studio, "sensitive")
    assert finding["level"] == "good" and "at least two values" in finding["text"]
    studio.close()


def test_a_constraint_on_one_column_leaves_the_other_unprotected():
    frame = people().assign(pay=["high", "low"] * 30)
    studio = AnonymizationStudio(frame)
    studio.set_role("ill", "sensitive")
    studio.set_role("pay", "sensitive")
    studio.set(constraints=[LDiversity(1.1, column="pay")])
    told = [x["text"] for x in shown(studio)["findings"] if x["level"] == "danger"]
    assert len(told) == 1 and told[0].startswith("“ill” is sensitive")
    studio.close()


@pytest.mark.parametrize("keep_index", [False, True])
def test_an_index_is_left_out_unless_somebody_says_so(keep_index):
    frame = people().set_index("name")
    studio = released(frame, {}, keep_index=keep_index)
    parquet = pd.read_parquet(io.BytesIO(files(studio, "parquet")[1]))
    csv = files(studio, "csv")[1].decode()
    written = [studio.release.to_csv(), csv, parquet.to_csv()]
    assert ["name-of-person-3" in text for text in written] == [keep_index] * 3
    assert (
        any("index is left out" in x["text"] for x in shown(studio)["notes"])
        != keep_index
    )
    space = {"table": frame}
    exec(studio.to_code(), space)
    pd.testing.assert_frame_equal(space["release"], studio.release)
    dangers = [x["text"] for x in found(studio, "unchanged")]
    assert bool(dangers) == keep_index
    if keep_index:
        assert "the index, whose texts are all different" in dangers[0]
    studio.close()


def test_the_inspector_warns_of_unchanged_columns_above_its_tiles():
    studio = released(people(), {"name": "other", "ill": "sensitive"})
    inspector = MetricInspector(studio.anonymizer)
    (told,) = inspector.releases
    assert {told["levels"][x] for x in ("unchanged", "k", "risk")} == {"danger"}
    assert "do not hold for these records" in told["words"]["unchanged"]
    assert "Danger: Published as it is" in inspector._summary()
    studio.close()


def test_the_inspector_of_tables_reads_the_released_columns():
    frame = pd.DataFrame(
        {"age": [1, 1, 2, 2], "note": list("aabc"), "ill": list("xyxy")}
    )
    given = {"quasi_identifiers": ["age"], "sensitive": "ill"}
    (told,) = MetricInspector(original=frame, released=frame, **given).releases
    assert "'note' (2 of 4 records" in told["unchanged"]["told"]
    assert told["levels"]["unchanged"] == "danger"
    few = frame[["age", "ill"]]
    (told,) = MetricInspector(original=few, released=few, **given).releases
    assert told["unchanged"] == {"told": "", "singles_out": False}
    assert "unchanged" not in told["levels"]


@pytest.mark.parametrize(
    ("ages", "k", "ill", "levels"),
    [
        ([1] * 6 + [2] * 6, 5, list("xy") * 6, {"k": "good", "l": "good", "t": "good"}),
        ([1] * 3 + [2] * 3, 3, list("xxyxxy"), {"k": "look", "l": "look", "t": "good"}),
        (
            [1] * 3 + [2] * 3,
            4,
            list("xxyxyy"),
            {"k": "danger", "l": "look", "t": "good"},
        ),
        ([1] * 6 + [2] * 6, 5, list("xxxxxxyyyyyy"), {"l": "danger", "t": "look"}),
        ([1, 2, 2, 2, 2, 2], None, list("xyxyxy"), {"k": "danger", "risk": "danger"}),
    ],
)
def test_figures_are_judged(ages, k, ill, levels):
    frame = pd.DataFrame({"age": ages, "ill": ill})
    given = {"quasi_identifiers": ["age"], "sensitive": "ill", "k": k}
    (told,) = MetricInspector(original=frame, released=frame, **given).releases
    assert {x: told["levels"][x] for x in levels} == levels
    assert told["levels"]["risk"] == told["levels"]["k"]
