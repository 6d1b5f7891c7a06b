"""Files are written whole or not at all; what is read is hostile."""

import os
import time

import numpy as np
import pandas as pd
import pytest

from skanon import KAnonymizer
from skanon._files import write_whole
from skanon.exceptions import AnonymizationError, ColumnError, HierarchyError
from skanon.hierarchies import (
    Taxonomy,
    from_nested,
    read_arx,
    read_json,
    write_arx,
    write_json,
)
from skanon.metrics import information_loss
from skanon.privacy.attacks import linkage_attack

TREE = from_nested({"*": ["a", "b"]})


def writers(tmp_path):
    table = pd.DataFrame({"a": [1, 2, 3, 4]})
    report = KAnonymizer(2).fit(table).report()
    return {
        "arx.csv": lambda path: write_arx(TREE, path),
        "tree.json": lambda path: write_json(TREE, path),
        "report.html": report.save,
        "report.json": report.save,
    }


@pytest.mark.parametrize(
    "fault", [OSError(28, "No space left on device"), KeyboardInterrupt()]
)
@pytest.mark.parametrize("name", ["arx.csv", "tree.json", "report.html", "report.json"])
def test_a_full_disk_leaves_the_old_file(name, fault, tmp_path, monkeypatch):
    path = tmp_path / name
    write = writers(tmp_path)[name]
    path.write_text("old")
    path.chmod(0o640)

    def full(handle):
        raise fault

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(type(fault)) as caught:
        write(path)
    if isinstance(fault, OSError):
        assert str(path) in str(caught.value)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == [name]
    monkeypatch.undo()
    write(path)
    assert path.read_text() != "old"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_links_are_followed_and_devices_written_to(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    link.symlink_to(real)
    write_whole(link, b"new")
    assert link.is_symlink() and real.read_bytes() == b"new"
    write_whole("/dev/null", b"new")
    with pytest.raises(OSError, match="absent"):
        write_whole(tmp_path / "absent" / "x", b"")


HOSTILE = {
    "deep": b'{"type":"taxonomy","values":' + b"[" * 1000 + b"]" * 1000 + b"}",
    "deeper": b"[" * 100_000,
    "now": b'{"type":"taxonomy","values":[{"timestamp":"now"}],"levels":[["*"]]}',
    "no JSON": b"{",
    "latin": b'"\xe9"',
    "list": b"[1]",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_hostile_hierarchies_are_refused(content, tmp_path):
    path = tmp_path / "h.json"
    path.write_bytes(content)
    with pytest.raises(HierarchyError):
        read_json(path)
    with pytest.raises(AnonymizationError):
        KAnonymizer(2, hierarchies={"t": path}).fit(pd.DataFrame({"t": ["a", "b"]}))


def test_odd_paths_and_encodings(tmp_path):
    table = pd.DataFrame({"t": ["a", "b"]})
    for path in ("x\0y.csv", "x\0y.json"):
        with pytest.raises(AnonymizationError, match="is no path"):
            KAnonymizer(2, hierarchies={"t": path}).fit(table)
    path = tmp_path / "h.csv"
    for call in (
        lambda: read_arx(path, encoding="klingon"),
        lambda: write_arx(TREE, path, encoding="klingon"),
    ):
        write_arx(TREE, path)
        with pytest.raises(HierarchyError, match="'klingon' is unknown"):
            call()
    odd = Taxonomy(["\ud800", "a"], [["*", "*"]])
    for write in (write_arx, write_json):
        with pytest.raises(HierarchyError, match="cannot"):
            write(odd, path)
    assert read_arx(path) == TREE  # which is still there
    table = pd.DataFrame({"t": pd.Series(["\ud800", "a"], dtype=object)})
    with pytest.raises(ColumnError, match=r"'t' holds the text '.ud800'"):
        KAnonymizer(2).fit(table)


LONG = 30_000
LABELS = [
    "{" + " " * LONG + "}",
    " " * LONG + "-",
    "{" + " " * LONG,
    "-" + " " * LONG + "x",
    "x" + " " * LONG + "y",
    "x" + " " * LONG + "+",
    "1" + " " * LONG + "x",
    "<" + " " * LONG + "x",
    "[1," + " " * LONG + "]",
    "{" + "a " * LONG + "{}",
    "1" * LONG + "x",
    "1-" * LONG,
    '{"' + "\\" * LONG,
    '{"\\q"}',
    "[" * LONG,
    "today",
    "now",
    "< now",
    "1e400",
]
COLUMNS = {
    "text": ["a", "b"],
    "number": [1, 2],
    "span": pd.to_timedelta(["1h", "2h"]),
    "time": pd.to_datetime(["2020-01-01", "2021-01-01"]),
}


@pytest.mark.parametrize("label", LABELS, ids=lambda label: label[:5])
@pytest.mark.parametrize("kind", COLUMNS)
def test_odd_labels_are_refused_at_once(kind, label):
    table = pd.DataFrame({"a": COLUMNS[kind]})
    release = pd.DataFrame({"a": [label] * 2, "ill": "x"})
    started = time.process_time()
    with pytest.raises(ColumnError, match=r"column|fits anybody") as caught:
        _ = linkage_attack(table, release, ["a"], "ill").highest_share
    with pytest.raises(ColumnError):
        information_loss(table, release[["a"]])
    assert time.process_time() - started < 5
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("value", [np.nan, np.inf, "1e400"])
def test_no_attack_gives_what_is_no_number(value):
    table = pd.DataFrame({"a": [1, 2]})
    release = pd.DataFrame({"a": [value] * 2, "ill": "x"})
    for name in ("highest_share", "largest_gain"):
        with pytest.raises(ColumnError):
            getattr(linkage_attack(table, release, ["a"], "ill"), name)


def test_a_value_of_fifty_megabytes_is_read_or_refused_at_once(tmp_path):
    path, value = tmp_path / "big.json", "x" * 50_000_000
    path.write_text(f'{{"type": "taxonomy", "values": ["{value}"], "levels": [["*"]]}}')
    assert len(repr(read_json(path))) < 100
    with pytest.raises(HierarchyError, match="lacks 1 of the column's") as caught:
        KAnonymizer(1, hierarchies={"a": path}).fit(pd.DataFrame({"a": ["b"]}))
    assert len(str(caught.value)) < 300
    path = tmp_path / "big.csv"
    path.write_text(f"{value};*\n")
    with pytest.raises(HierarchyError, match="line 1: field larger than") as caught:
        read_arx(path)
    assert len(str(caught.value)) < 300
