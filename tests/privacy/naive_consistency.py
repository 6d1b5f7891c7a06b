"""The oracle: consistency by looking at each pair, matches by trying all matchings."""

from itertools import permutations

import naive_attacks
import pandas as pd
from hypothesis import strategies as st

SAYS = {"age": naive_attacks.AGES, "town": naive_attacks.PLACES}


def neighbours(originals, releases, fits):
    """List the released rows that are consistent with each original.

    Parameters
    ----------
    originals, releases : list of dict
    fits : callable of a column's name, a label and a value
    """
    return [
        {
            j
            for j, record in enumerate(releases)
            if all(fits(name, record[name], person[name]) for name in person)
        }
        for person in originals
    ]


def turned(edges):
    """List the originals that are consistent with each released row."""
    return [{i for i, row in enumerate(edges) if j in row} for j in range(len(edges))]


def matches_by_permutations(edges):
    """Try every way to give each original a record of its own."""
    found = [set() for _ in edges]
    for order in permutations(range(len(edges))):
        if all(j in row for j, row in zip(order, edges, strict=True)):
            for i, j in enumerate(order):
                found[i].add(j)
    return found


def has_perfect_matching(edges):
    """Grow a matching along augmenting paths, one original after the other."""
    owner = {}

    def place(i, seen):
        for j in edges[i] - seen:
            seen.add(j)
            if j not in owner or place(owner[j], seen):
                owner[j] = i
                return True
        return False

    return all(place(i, set()) for i in range(len(edges)))


def matches_by_removal(edges):
    """Remove the ends of each edge and see whether the rest can be matched."""
    found = []
    for i, row in enumerate(edges):
        rest = [other for at, other in enumerate(edges) if at != i]
        kept = {j for j in row if has_perfect_matching([x - {j} for x in rest])}
        found.append(kept)
    return found


@st.composite
def generalized(draw, most=7):
    """Draw a table and a generalization of each of its records.

    Few values, so that records are often equal; some labels, to be met again.
    """
    n = draw(st.integers(1, most))
    ages = draw(st.sampled_from([[20, 21, 25, 29, 33, 40, None], [21, 29, 33]]))
    towns = draw(st.sampled_from([["Kiel", "Bremen", "Ulm, Neu", None], ["Kiel"]]))
    people, release = [], []
    for _ in range(n):
        person = {
            "age": draw(st.sampled_from(ages)),
            "town": draw(st.sampled_from(towns)),
        }
        labels = {}
        for name, value in person.items():
            fitting = [x for x, says in SAYS[name].items() if says(value)]
            labels[name] = draw(st.sampled_from(fitting))
        people.append(person)
        release.append(labels)
    original = pd.DataFrame(people).astype({"age": "Int64", "town": object})
    return original, pd.DataFrame(release, dtype=object)


def edges_of(original, released):
    """The neighbours in what ``generalized`` draws."""
    return neighbours(
        original.astype(object).to_dict("records"),
        released.to_dict("records"),
        lambda name, label, value: naive_attacks.fits(label, value, SAYS[name]),
    )


def one_column(edges, values):
    """Write a graph as two tables of one column: each label is a set of values.

    Parameters
    ----------
    edges : list of sets of values, one per released row
    values : list of the originals' values
    """
    labels = ["{" + ", ".join(sorted(x)) + "}" for x in edges]
    return pd.DataFrame({"x": values}), pd.DataFrame({"x": labels})
