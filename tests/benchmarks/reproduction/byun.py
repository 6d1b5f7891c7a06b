"""Byun et al. (2007): k-member clustering."""

from __future__ import annotations

import numpy as np

from reproduction.findings import Found, Plot, Run, experiment, exponent, fitted_warm
from skanon import KMemberAnonymizer, MondrianAnonymizer
from skanon.datasets import load_adult
from skanon.losses import ByunInformationLoss, ClassPenalty
from skanon.metrics import (
    byun_information_loss,
    classification_metric,
    discernibility_metric,
    intra_cluster_distance,
)

CATEGORIES = (
    "workclass", "marital-status", "occupation", "race", "sex", "native-country",
)  # fmt: skip
PENALTIES = (0.02, 0.1, 0.5)
"""The paper does not tell its class penalty."""

ALGORITHMS = {
    "median partitioning": (MondrianAnonymizer, {"ordered": True}, 0),
    "Mondrian along trees": (MondrianAnonymizer, {}, 0),
    "k-member": (KMemberAnonymizer, {}, 0),
    **{f"k-member, penalty {w}": (KMemberAnonymizer, {}, w) for w in PENALTIES},
    "k-member, figure 5": (KMemberAnonymizer, {"furthest_from": "last"}, 0),
}


def table_of(run, n=None):
    """Age and education are numbers, the others have taxonomies."""
    adult = load_adult()
    frame = run.sample(adult.data[["age", "education-num", *CATEGORIES]])
    if n is not None:
        frame = frame.sample(n, random_state=0)
    hierarchies = {column: adult.hierarchies[column] for column in CATEGORIES}
    return frame, hierarchies, adult.target.loc[frame.index]


def fitted(name, table, k):
    """Fit with loaded kernels; return the anonymizer and the seconds."""
    frame, hierarchies, target = table
    algorithm, own, penalty = ALGORITHMS[name]
    loss = ByunInformationLoss()
    if penalty:
        loss = loss + penalty * ClassPenalty()
    made = algorithm(k, hierarchies=hierarchies, loss=loss, random_state=0, **own)
    return fitted_warm(made, frame, target)


def measured(name, table, k):
    frame, hierarchies, target = table
    anonymizer, seconds = fitted(name, table, k)
    release = anonymizer.transform(frame)
    given = {"hierarchies": hierarchies}
    return (
        byun_information_loss(frame, release, **given),
        discernibility_metric(frame, release, **given),
        classification_metric(frame, release, sensitive=target, **given),
        seconds,
        intra_cluster_distance(frame, release, **given),
        anonymizer.class_sizes_,
    )


@experiment(
    "byun",
    "Figures 6 to 9",
    "Total-IL, DM, CM and time by k",
    "rep rep dif rep rep rep ref rep rep",
)
def figures_6_to_9(run: Run) -> Found:
    """Adult, 45,222 records; age and education as numbers, six categories with the
    taxonomies of ``load_adult``; income is the class. The figures print no numbers, and
    the paper does not tell its class penalty. *Median partitioning* cuts in two in the
    order of the values, as the paper describes its rival; *figure 5* takes the listing
    word for word, the others the text of section 3.3.
    """
    found, table = Found(), table_of(run)
    ks = run.ks([5, 10, 25, 50, 75, 100])
    both = {name: [measured(name, table, k) for k in ks] for name in ALGORITHMS}
    columns = ["Total-IL", "DM", "CM", "seconds", "size times diameter"]
    shown = {
        what: {name: [one[at] for one in each] for name, each in both.items()}
        for at, what in enumerate(columns)
    }
    forms = ("{:,.0f}", "{:,.0f}", "{:.4f}", "{:.1f}", "{:,.0f}")
    for what, form in zip(columns, forms, strict=True):
        rows = [
            [k, *(form.format(shown[what][name][at]) for name in ALGORITHMS)]
            for at, k in enumerate(ks)
        ]
        found.table(f"{what}:", ["k", *ALGORITHMS], rows)
    for figure, what in ((6, "Total-IL"), (7, "DM"), (8, "CM"), (9, "seconds")):
        found.plots.append(Plot(f"figure_{figure}", "k", what, ks, {"": shown[what]}))
    il, dm, cm, seconds, width = (
        {name: np.array(each) for name, each in shown[what].items()} for what in columns
    )
    member, median = "k-member", "median partitioning"
    less = 1 - il[member] / il[median]
    found.order(
        "figure 6: k-member has the least Total-IL for all k",
        bool((less > 0).all()),
        f"{less.min():.0%} to {less.max():.0%} below median partitioning",
    )
    word = 1 - il["k-member, figure 5"] / il[median]
    found.order(
        "the same by the listing, word for word",
        bool((word > 0).all()),
        f"{word.min():.0%} to {word.max():.0%}",
    )
    rises = {w: il[f"k-member, penalty {w}"] / il[member] - 1 for w in PENALTIES}
    found.differs(
        "figure 6: with the class penalty it is very close to that",
        bool((max(rises.values(), key=np.max) <= 0.05).all()),
        "it depends on the penalty: "
        + ", ".join(f"{w}: {r.min():+.1%} to {r.max():+.1%}" for w, r in rises.items()),
    )
    least = 1 - dm[member] / dm[median]
    found.order(
        "figure 7: the k-member algorithms have less DM",
        bool((least > 0).all()),
        f"{least.min():.0%} to {least.max():.0%} less",
    )
    sizes = np.array([both[member][at][5].mean() / k for at, k in enumerate(ks)])
    found.order(
        "figure 7: its classes have sizes very close to k",
        bool((sizes < 1.15).all()),
        f"on average {sizes.min():.3f} k to {sizes.max():.3f} k, where clusters that "
        "come out alike are one class",
    )
    best = np.min([cm[n] for n in cm if "penalty" not in n], axis=0)
    heavy = {w: cm[f"k-member, penalty {w}"] / best for w in PENALTIES}
    found.order(
        "figure 8: with the class penalty it outperforms all others",
        bool((heavy[0.1] < 1).all()),
        "CM by the best without it: "
        + ", ".join(f"{w}: {r.min():.2f} to {r.max():.2f}" for w, r in heavy.items()),
    )
    plain = cm[member] / cm[median] - 1
    found.order(
        "figure 8: also without it CM is below median partitioning for every k",
        bool((plain < 0).all()),
        f"{plain.min():+.1%} to {plain.max():+.1%}",
    )
    slower = seconds[member] / seconds[median]
    found.order(
        "figure 9: it takes longer than partitioning",
        bool((slower > 1).all()) or run.quick,
        f"{slower.min():.0f} to {slower.max():.0f} times",
    )
    near = 1 - width[member] / width[median]
    found.order(
        "section 3.2: less Total-IL means less of definition 1, size times diameter",
        bool((near > 0).all()),
        f"{near.min():.0%} to {near.max():.0%} less than median partitioning",
    )
    return found


@experiment(
    "byun",
    "Figures 10 and 11",
    "Total-IL and time by the number of records, k = 5",
    "dif rep rep rep",
)
def figures_10_and_11(run: Run) -> Found:
    """Subsets of Adult, drawn at random. The figures print no numbers."""
    found = Found()
    sizes = [500, 2000] if run.quick else [5000, 10000, 20000, 30000, 45222]
    names = ["median partitioning", "k-member", "k-member, penalty 0.1"]
    il, seconds = ({name: [] for name in names} for _ in range(2))
    for n in sizes:
        table = table_of(run, n)
        for name in names:
            total, _, _, took, *_ = measured(name, table, 5)
            il[name].append(total)
            seconds[name].append(took)
    found.table(
        "Total-IL, and seconds:",
        ["records", *names],
        [
            [n, *(f"{il[name][at]:,.0f} ({seconds[name][at]:.2f} s)" for name in names)]
            for at, n in enumerate(sizes)
        ],
    )
    found.plots += [
        Plot("figure_10", "records", "Total-IL", sizes, {"": il}),
        Plot("figure_11", "records", "seconds", sizes, {"": seconds}),
    ]
    grows = {name: exponent(sizes, il[name]) for name in names[:2]}
    found.differs(
        "figure 10: Total-IL grows almost linearly with the number of records",
        all(0.85 <= a <= 1.15 for a in grows.values()),
        "; ".join(f"{name} as n to the {a:.2f}" for name, a in grows.items())
        + ". More records lie nearer to each other: it grows more slowly",
    )
    less = 1 - np.array(il["k-member"]) / np.array(il["median partitioning"])
    found.order(
        "figure 10: k-member has the least for any number",
        bool((less > 0).all()),
        f"{less.min():.0%} to {less.max():.0%} less",
    )
    slower = np.array(seconds["k-member"]) / np.array(seconds["median partitioning"])
    found.order(
        "figure 11: it takes longer than partitioning",
        bool((slower > 1).all()) or run.quick,
        f"{slower.min():.1f} to {slower.max():.1f} times",
    )
    time = exponent(sizes, seconds["k-member"])
    found.order(
        "theorem 3: its time is in O(n²)",
        time < 2.1 or run.quick,
        f"it grows as n to the {time:.2f}",
    )
    return found
