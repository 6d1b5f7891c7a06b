"""Each verdict of docs/reproduction.md, which reproduce.py makes."""

import re
from pathlib import Path

import pytest
from reproduction import byun, gionis, goldberger, he, lin, page
from reproduction.findings import DIFFERS, EXPERIMENTS, REFUTED, REPRODUCED, Run

PAGE = Path(__file__).parents[2] / "docs" / "reproduction.md"
PAPERS = (goldberger, byun, lin, gionis, he)  # which register their experiments
NAMED = [pytest.param(e, id=f"{e.paper} {e.name}") for e in EXPERIMENTS]


@pytest.mark.benchmark
@pytest.mark.parametrize("experiment", NAMED)
def test_verdicts_are_those_of_the_page(experiment):
    found = experiment.run(Run(quick=False))
    verdicts = tuple(claim.verdict for claim in found.claims)
    assert verdicts == experiment.expected, found.claims


@pytest.mark.parametrize("experiment", NAMED)
def test_the_page_says_what_is_asserted(experiment):
    key = f"{experiment.paper} {experiment.name}"
    sections = page._read(PAGE)
    assert len(sections) == len(EXPERIMENTS)
    written = re.findall(
        rf"\| \*\*({REPRODUCED}|{DIFFERS}|{REFUTED})\*\* \|", sections[key]
    )
    assert tuple(written) == experiment.expected
    for plot in re.findall(r"\]\((reproduction/.+?\.svg)\)", sections[key]):
        assert (PAGE.parent / plot).exists()


@pytest.mark.parametrize("name", ["Section 5.1", "Table 1"])
def test_a_short_part_is_reproduced(name, monkeypatch, tmp_path):
    monkeypatch.setattr(page, "DOCS", tmp_path)
    (part,) = (e for e in EXPERIMENTS if (e.paper, e.name) == ("goldberger", name))
    found = part.run(Run(quick=False))
    assert tuple(claim.verdict for claim in found.claims) == part.expected
    for seconds in (1, 2):  # written anew, it replaces what was there
        page.write(part, found, seconds)
        text = (tmp_path / "reproduction.md").read_text()
        assert text.count(f"### {name}") == 1
        counts = [part.expected.count(word) for word in (REPRODUCED, DIFFERS, REFUTED)]
        assert f"| {name} | {' | '.join(map(str, counts))} | {seconds} |" in text
