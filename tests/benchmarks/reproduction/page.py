"""Writes what was found into docs/reproduction.md, experiment by experiment."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib

from reproduction.findings import (
    DIFFERS,
    EXPERIMENTS,
    PAPERS,
    REFUTED,
    REPRODUCED,
    Experiment,
    Found,
    Plot,
)

matplotlib.use("svg")
from matplotlib import pyplot as plt

DOCS = Path(__file__).parents[3] / "docs"
INTRODUCTION = """# The papers, table by table and figure by figure

What the five papers print, and what skanon makes of it: **reproduced** (printed
figures within 5 %, or the order that is claimed), **differs** (for a reason that is
given) or **refuted** (the evidence is beside it). In tables, *paper / ours*. Seconds
are those of a shared machine with two cores. Under a paper's name stands the paper's
algorithm; what skanon's own default makes of the same tables is in
[the benchmarks](benchmarks.md).

```sh
.venv/bin/python tests/benchmarks/reproduce.py
```

makes this page and its plots anew; `--paper goldberger` (`byun`, `lin`, `gionis`,
`he`) does so for one paper, `--only "Table 2"` for one part of it, and `--quick` for a
sample, which shows that it works but not the papers' figures, and writes nothing. The
benchmark `tests/benchmarks/test_reproduction.py` asserts each verdict.
"""


def write(experiment: Experiment, found: Found, seconds: float) -> None:
    """Put one experiment's section into the page, and count the verdicts anew."""
    page = DOCS / "reproduction.md"
    sections = _read(page)
    sections[_key(experiment)] = _section(experiment, found, seconds)
    for plot in found.plots:
        _draw(experiment.paper, plot)
    parts = [INTRODUCTION, _summary(sections)]
    for paper, (authors, title) in PAPERS.items():
        own = [e for e in EXPERIMENTS if e.paper == paper and _key(e) in sections]
        if own:
            parts.append(f"## {authors}: *{title}*\n")
            parts += [sections[_key(e)] for e in own]
    page.write_text("\n".join(parts))


def _key(experiment: Experiment) -> str:
    return f"{experiment.paper} {experiment.name}"


def _read(page: Path) -> dict[str, str]:
    """Split the page into its experiments' sections."""
    if not page.exists():
        return {}
    pattern = re.compile(r"<!-- (.+?): begin -->\n.*?<!-- \1: end -->\n", re.DOTALL)
    return {match[1]: match[0] for match in pattern.finditer(page.read_text())}


def _section(experiment: Experiment, found: Found, seconds: float) -> str:
    key = _key(experiment)
    lines = [
        f"<!-- {key}: begin -->",
        f"### {experiment.name}: {experiment.title}\n",
        f"{experiment.about}\n",
        *_written(
            ["the paper says", "", "here"],
            [
                [claim.says, f"**{claim.verdict}**", claim.here]
                for claim in found.claims
            ],
        ),
    ]
    for title, head, rows in found.tables:
        lines += [f"{title}\n", *_written(head, rows)]
    for plot in found.plots:
        lines.append(
            f"![{plot.y_label} by {plot.x_label}]({_file(experiment.paper, plot)})\n"
        )
    lines += [f"{note}\n" for note in found.notes]
    command = f'reproduce.py --paper {experiment.paper} --only "{experiment.name}"'
    lines.append(f"`{command}`: {seconds:,.0f} s\n<!-- {key}: end -->\n")
    return "\n".join(lines)


def _written(head: list, rows: list[list]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [*("| " + " | ".join(map(str, row)) + " |" for row in lines), ""]


def _summary(sections: dict[str, str]) -> str:
    head = ["paper", "what", REPRODUCED, DIFFERS, REFUTED, "seconds"]
    rows = []
    order = list(PAPERS)
    for experiment in sorted(EXPERIMENTS, key=lambda e: order.index(e.paper)):
        text = sections.get(_key(experiment))
        if text is None:
            continue
        counts = [text.count(f"**{w}**") for w in (REPRODUCED, DIFFERS, REFUTED)]
        seconds = re.findall(r"`: ([\d,]+) s\n", text)[-1]
        authors = PAPERS[experiment.paper][0]
        rows.append([authors, experiment.name, *counts, seconds])
    total = [sum(row[at] for row in rows) for at in (2, 3, 4)]
    rows.append(["all", "", *total, ""])
    return "\n".join(_written(head, rows))


def _file(paper: str, plot: Plot) -> str:
    return f"reproduction/{paper}_{plot.name}.svg"


def _draw(paper: str, plot: Plot) -> None:
    n = len(plot.panels)
    figure, panels = plt.subplots(
        1, n, figsize=(2.6 + 3.4 * n, 3.6), layout="constrained", squeeze=False
    )
    for panel, (title, lines) in zip(panels[0], plot.panels.items(), strict=True):
        for at, (name, values) in enumerate(lines.items()):
            panel.plot(plot.x, values, marker="osD^vPX*"[at % 8], ms=4, label=name)
        panel.set(title=title, xlabel=plot.x_label, xticks=plot.x)
        if plot.log:
            panel.set_yscale("log")
        else:
            panel.set_ylim(0, None)
        panel.grid(alpha=0.3)
    panels[0][0].set_ylabel(plot.y_label)
    names, labels = panels[0][-1].get_legend_handles_labels()
    figure.legend(names, labels, loc="outside right upper", fontsize=8)
    file = DOCS / _file(paper, plot)
    file.parent.mkdir(exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": "skanon", "svg.fonttype": "none"}):
        figure.savefig(file, metadata={"Date": None})
    plt.close(figure)
