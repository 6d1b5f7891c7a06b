"""Lin & Wei (2008): the one-pass k-means algorithm."""

from __future__ import annotations

import numpy as np

from reproduction.byun import table_of
from reproduction.findings import Found, Plot, Run, experiment, exponent, fitted_warm
from skanon import KMemberAnonymizer, OnePassKMeansAnonymizer
from skanon.metrics import byun_information_loss

ALGORITHMS = {
    "k-member": (KMemberAnonymizer, {}),
    "OKA": (OnePassKMeansAnonymizer, {}),
    "OKA, 5 passes": (OnePassKMeansAnonymizer, {"n_passes": 5}),
    "OKA, suppressing": (
        OnePassKMeansAnonymizer,
        {"suppress_small": True, "max_suppression": 0.1},
    ),
}


def measured(name, table, k):
    frame, hierarchies, _ = table
    algorithm, own = ALGORITHMS[name]
    made = algorithm(k, hierarchies=hierarchies, loss="byun", random_state=0, **own)
    anonymizer, seconds = fitted_warm(made, frame)
    release = anonymizer.transform(frame)
    return byun_information_loss(frame, release, hierarchies=hierarchies), seconds


@experiment(
    "lin", "Figures 3 and 4", "information loss and time by k", "ref rep rep rep rep"
)
def figures_3_and_4(run: Run) -> Found:
    """Adult, 45,222 records, the eight attributes and the loss of Byun et al. The
    figures print no numbers. The last two columns are what section 5 proposes: more
    passes, and to suppress small clusters (up to a tenth of the records here).
    """
    found, table = Found(), table_of(run)
    ks = run.ks([10, 25, 50, 75, 100])
    both = {name: [measured(name, table, k) for k in ks] for name in ALGORITHMS}
    il, seconds = (
        {name: [one[at] for one in each] for name, each in both.items()}
        for at in (0, 1)
    )
    found.table(
        "Total-IL, and seconds:",
        ["k", *ALGORITHMS],
        [
            [k, *(f"{il[n][at]:,.0f} ({seconds[n][at]:.1f} s)" for n in ALGORITHMS)]
            for at, k in enumerate(ks)
        ],
    )
    found.plots += [
        Plot("figure_3", "k", "Total-IL", ks, {"": il}),
        Plot("figure_4", "k", "seconds", ks, {"": seconds}),
    ]
    member, oka = np.array(il["k-member"]), np.array(il["OKA"])
    found.order(
        "figure 3: OKA causes less information loss than k-member",
        bool((oka < member).all()),
        f"{(oka / member).min():.1f} to {(oka / member).max():.1f} times as much. Its "
        "centroids of categories are lowest common ancestors, soon the root, so that a "
        "record is equally far from most clusters; and with n / k clusters one pass "
        "can't repair where its random seeds were",
    )
    fast = np.array(seconds["OKA"]) / np.array(seconds["k-member"])
    found.order(
        "figure 4: it takes much less time",
        bool((fast < 0.5).all()) or run.quick,
        f"{fast.min():.0%} to {fast.max():.0%} of k-member's",
    )
    falls = exponent(ks, seconds["OKA"])
    found.order(
        "section 3: O(n² / k)",
        falls < -0.5 or run.quick,
        f"falls as k to the {falls:.2f}",
    )
    more = np.array(il["OKA, 5 passes"]) / oka - 1
    found.order(
        "section 5: more passes might reduce the loss",
        bool((more < 0).all()),
        f"{more.min():+.1%} to {more.max():+.1%} with five",
    )
    gone = np.array(il["OKA, suppressing"]) / oka - 1
    found.order(
        "section 5: to suppress some small clusters may be better",
        bool((gone < 0).all()),
        f"{gone.min():+.1%} to {gone.max():+.1%}",
    )
    return found
