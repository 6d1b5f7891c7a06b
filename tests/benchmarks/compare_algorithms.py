"""All algorithms on three tables, loss against time: makes the comparison page.

Writes the table and the plot of ``docs/comparison.md``; needs matplotlib.
"""

from __future__ import annotations

import time
from pathlib import Path

import matplotlib

from skanon import KAnonymizer
from skanon.clustering import ALGORITHMS
from skanon.datasets import load_adult, load_cmc, make_art
from skanon.metrics import loss_lower_bound

matplotlib.use("svg")
from matplotlib import pyplot as plt
from matplotlib.ticker import LogLocator, NullLocator
from matplotlib.transforms import Bbox

DOCS = Path(__file__).parents[2] / "docs"
BEGIN, END = "<!-- figures: begin -->\n", "<!-- figures: end -->\n"
K = 10
NAMES = [name for name in ALGORITHMS if name != "optimal"]  # for tiny tables only
ADULT = (
    "age", "workclass", "education-num", "marital-status", "occupation", "race",
    "sex", "native-country",
)  # fmt: skip


def tables():
    adult, cmc, art = load_adult(), load_cmc(), make_art(5000, random_state=0)
    hierarchies = {name: adult.hierarchies[name] for name in ADULT}
    yield "Adult, 45,222 x 8", adult.data[list(ADULT)], hierarchies
    yield "CMC, 1,473 x 9", cmc.data, cmc.hierarchies
    yield "ART, 5,000 x 6", art.data, art.hierarchies


def measure(frame, hierarchies, name):
    """Fit once for the kernels, then in time."""
    anonymizer = KAnonymizer(
        K, algorithm=name, refine=0, hierarchies=hierarchies, random_state=0
    )
    anonymizer.fit(frame[:200])
    start = time.perf_counter()
    anonymizer.fit(frame)
    seconds = time.perf_counter() - start
    return anonymizer.information_loss_, seconds, anonymizer.class_sizes_


def draw(found, bounds):
    figure, panels = plt.subplots(1, len(found), figsize=(13, 5), layout="constrained")
    for panel, (title, points) in zip(panels, found.items(), strict=True):
        panel.axhline(bounds[title], color="grey", linestyle="--", linewidth=1)
        for loss, seconds, _ in points.values():
            panel.scatter(seconds, loss, s=18, color="#1f5f99")
        panel.set(title=title, xlabel="seconds", xscale="log", ylim=(0, None))
        panel.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
        panel.xaxis.set_major_formatter("{x:g}")
        panel.xaxis.set_minor_locator(NullLocator())
        panel.margins(x=0.3)
        panel.grid(alpha=0.3)
    panels[0].set_ylabel(f"LM, k = {K}")
    figure.canvas.draw()
    for panel, (title, points) in zip(panels, found.items(), strict=True):
        _name_points(panel, points, bounds[title])
    with matplotlib.rc_context({"svg.hashsalt": "skanon", "svg.fonttype": "none"}):
        figure.savefig(DOCS / "comparison.svg", metadata={"Date": None})


def _name_points(panel, points, bound):
    """Write each name beside its point, in the first place that is free."""
    low = (panel.get_xlim()[0], bound)
    taken = [_written(panel, low, (4, 7), "no release is below", "dimgrey")]
    for loss, seconds, _ in points.values():
        x, y = panel.transData.transform((seconds, loss))
        taken.append(Bbox.from_bounds(x - 4, y - 4, 8, 8))
    for name, (loss, seconds, _) in points.items():
        width = 4.6 * len(name)
        places = [(7, 0), (-width - 5, 0)]
        places += [(side, step) for step in (9, -9, 18, -18) for side in (4, -width)]
        for place in places:
            text = _written(panel, (seconds, loss), place, name, "black")
            if not any(text.overlaps(other) for other in taken):
                taken.append(text)
                break
            panel.texts[-1].remove()
        else:
            taken.append(_written(panel, (seconds, loss), places[0], name, "black"))


def _written(panel, point, offset, text, color):
    """Write a text at an offset in points, and tell what it covers."""
    note = panel.annotate(
        text, point, offset, textcoords="offset points", fontsize=7, va="center",
        color=color,
    )  # fmt: skip
    return note.get_window_extent()


def write(found, bounds):
    head = ["algorithm", *(f"{title}: LM | seconds" for title in found)]
    lines = [head, ["---"] * (1 + 2 * len(found))]
    first = next(iter(found.values()))
    for name in sorted(first, key=lambda name: first[name][0]):
        cells = [
            f"{points[name][0]:.4f} | {points[name][1]:.2f}"
            for points in found.values()
        ]
        lines.append([f"`{name}`", *cells])
    lines.append(["lower bound", *(f"{bounds[title]:.4f} | " for title in found)])
    table = "\n".join("| " + " | ".join(row) + " |" for row in lines)
    page = DOCS / "comparison.md"
    text = page.read_text()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    page.write_text(f"{before}{BEGIN}\n{table}\n\n{END}{after}")


def main():
    found, bounds = {}, {}
    for title, frame, hierarchies in tables():
        bounds[title] = loss_lower_bound(frame, k=K, hierarchies=hierarchies)
        found[title] = {}
        for name in NAMES:
            found[title][name] = measure(frame, hierarchies, name)
            loss, seconds, sizes = found[title][name]
            sizes = f"classes of {sizes.min()} to {sizes.max()}"
            print(f"{title}: {name} {loss:.4f}, {seconds:.2f} s, {sizes}", flush=True)
    write(found, bounds)
    draw(found, bounds)


if __name__ == "__main__":
    main()
