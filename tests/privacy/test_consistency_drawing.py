"""The drawing in the documentation shows the graphs that it is said to show."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import naive_consistency as naive
import pytest
from test_attacks_matchings import BROKEN, PEOPLE, SAFE

DRAWING = Path(__file__).parents[2] / "docs" / "consistency.svg"
IN_SVG = "{http://www.w3.org/2000/svg}"


def drawn(name):
    """Read which person has an edge to which record, and which of them are matches."""
    root = ElementTree.parse(DRAWING).getroot()
    (graph,) = (g for g in root.iter(f"{IN_SVG}g") if g.get("data-release") == name)
    lines = [line.attrib for line in graph.iter(f"{IN_SVG}line")]
    ends = [(int(x["data-person"]), int(x["data-record"])) for x in lines]
    matches = [x["data-match"] == "true" for x in lines]
    dashed = ["stroke-dasharray" in x for x in lines]
    assert dashed == [not is_match for is_match in matches]
    texts = [text.text for text in graph.iter(f"{IN_SVG}text")]
    kept = {end for end, is_match in zip(ends, matches, strict=True) if is_match}
    return set(ends), kept, texts


@pytest.mark.parametrize(("name", "release"), [("broken", BROKEN), ("safe", SAFE)])
def test_the_drawing(name, release):
    spans = [tuple(map(int, label[1:-1].split(","))) for label in release["age"]]
    edges = [
        {j for j, (low, high) in enumerate(spans) if low <= age <= high}
        for age in PEOPLE["age"]
    ]
    matches = naive.matches_by_removal(edges)
    everything, kept, texts = drawn(name)
    assert everything == {(i, j) for i, near in enumerate(edges) for j in near}
    assert kept == {(i, j) for i, near in enumerate(matches) for j in near}
    for text in [*map(str, PEOPLE["age"]), *release["age"]]:
        assert text in texts
