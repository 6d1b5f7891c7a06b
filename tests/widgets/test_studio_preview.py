"""Rows of the table and of its release, side by side."""

from __future__ import annotations

import json

import pandas as pd
import pytest

pytest.importorskip("anywidget")

from studios import LIMIT, people, shown, tell

from skanon.constraints import LDiversity
from skanon_widgets import AnonymizationStudio


def made(frame=None, **parameters):
    studio = AnonymizationStudio(people() if frame is None else frame)
    studio.set_role("ill", "sensitive")
    given = {"k": 3, "algorithm": "mondrian", "constraints": [LDiversity(1.1)]}
    studio.set(**given | parameters)
    studio.run()
    assert studio.wait(LIMIT)
    studio._inspector.wait()
    return studio


def rows_of(studio, order="table", start=0):
    (answer,) = tell(studio, do="preview", view="v", order=order, start=start)
    assert json.loads(json.dumps(answer)) == answer
    return answer


def test_what_is_shown_is_what_is_published():
    studio = made()
    found = rows_of(studio)
    assert found["columns"] == list(people()) and found["total"] == 60
    release, table = studio.release, people()
    for at, row in enumerate(found["rows"]):
        assert row["row"] == at and not row["suppressed"]
        for name, (before, after, changed) in zip(table, row["cells"], strict=True):
            assert before == str(table[name][at])
            if name == "name":
                assert after is None and changed
                continue
            assert after == str(release[name][at])
            assert changed == (before != after)
    later = rows_of(studio, start=56)
    assert [x["row"] for x in later["rows"]] == [56, 57, 58, 59]
    studio.close()


def test_rows_are_sorted_by_what_they_lose():
    studio = made()
    losses = [
        x["loss"] for at in range(0, 60, 8) for x in rows_of(studio, start=at)["rows"]
    ]
    most = [
        x["loss"] for at in range(0, 60, 8) for x in rows_of(studio, "most", at)["rows"]
    ]
    assert most == sorted(losses, reverse=True) and most[0] > most[-1]
    least = rows_of(studio, "least")["rows"]
    assert [x["loss"] for x in least] == sorted(losses)[:8]
    mean = sum(losses) / 60
    assert mean == pytest.approx(studio.anonymizer.information_loss_)
    studio.close()


@pytest.mark.parametrize("suppressed", ["blank", "drop"])
def test_suppressed_rows(suppressed):
    frame = people()[["name", "town", "ill"]]
    frame["town"] = ["Kiel"] * 59 + ["Ulm"]  # who is like nobody else
    given = {"max_suppression": 0.2, "suppressed": suppressed, "algorithm": "auto"}
    studio = made(frame, k=5, constraints=[], **given)
    hidden = studio.anonymizer.suppressed_
    assert hidden.any()
    found = [x for at in range(0, 60, 8) for x in rows_of(studio, start=at)["rows"]]
    assert [x["suppressed"] for x in found] == hidden.tolist()
    published = iter(studio.release["town"].astype(str).tolist())
    for row in found:
        before, after, _ = row["cells"][1]
        if row["suppressed"] and suppressed == "drop":
            assert after is None and row["loss"] is None
        else:
            assert after == next(published).replace("nan", "")
        assert before == str(frame["town"][row["row"]])
    assert rows_of(studio, "most")["rows"][0]["suppressed"]
    studio.close()


@pytest.mark.parametrize("encode", ["representative", "bounds", "distribution"])
def test_columns_that_become_several(encode):
    studio = made(encode=encode)
    row = rows_of(studio)["rows"][0]
    at = list(people()).index("age")
    after = row["cells"][at][1]
    assert len(after.split(" | ")) == {"representative": 1}.get(encode, 2)
    if encode == "bounds":
        low, high = studio.release[["age_low", "age_high"]].iloc[0]
        assert after == f"{low:g} | {high:g}"
    studio.close()


def test_no_row_is_in_the_state():
    studio = made()
    rows_of(studio)
    studio.step = 3
    parts = [studio, *studio.children]
    saved = json.dumps([x.get_state() for x in parts], default=str)
    assert "of-person" not in saved + json.dumps(shown(studio)) + studio._summary()
    (answer,) = tell(studio, do="preview", view="v", order="odd", start=0)
    assert "error" in answer
    assert isinstance(studio.release, pd.DataFrame)
    studio.close()
