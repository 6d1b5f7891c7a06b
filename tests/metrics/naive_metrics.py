"""The oracle: the metrics as they are defined, with dicts and loops.

A table is a list of rows of plain values; a release is a list of rows of frozensets of
them (what each entry may stand for) and a list of rows of texts (what is read).
``everything`` holds each column's frozenset of all values.
"""

import itertools
import math
from collections import Counter, defaultdict


def classes_of(texts):
    """Rows of each class by what is read; the wholly suppressed rows apart."""
    classes, suppressed = defaultdict(list), []
    for i, row in enumerate(texts):
        if all(text == "*" for text in row):
            suppressed.append(i)
        else:
            classes[row].append(i)
    return list(classes.values()), suppressed


def ambiguity(sets, weights):
    total = 0.0
    for row, weight in zip(sets, weights, strict=True):
        total += weight * math.prod(len(entry) for entry in row)
    return total / sum(weights)


def discernibility(texts, weights):
    classes, suppressed = classes_of(texts)
    total = 0.0
    for rows in classes:
        for i in rows:
            total += weights[i] * sum(weights[j] for j in rows)
    for i in suppressed:
        total += weights[i] * sum(weights)
    return total


def classification(texts, sensitive, weights):
    classes, suppressed = classes_of(texts)
    penalty = sum(weights[i] for i in suppressed)
    for rows in classes:
        votes = Counter()
        for i in rows:
            votes[sensitive[i]] += weights[i]
        majority = max(votes, key=votes.get)
        penalty += sum(weights[i] for i in rows if sensitive[i] != majority)
    return penalty / sum(weights)


def class_size(texts, weights):
    classes, suppressed = classes_of(texts)
    classes = classes or [suppressed]
    return sum(weights[i] for rows in classes for i in rows) / len(classes)


def entropy_diversity(texts, sensitive, weights, average):
    classes, suppressed = classes_of(texts)
    found = []
    for rows in classes or [suppressed]:
        size = sum(weights[i] for i in rows)
        if not size:
            continue
        entropy = 0.0
        for value in {sensitive[i] for i in rows}:
            share = sum(weights[i] for i in rows if sensitive[i] == value) / size
            entropy -= share * math.log2(share) if share else 0
        found.append((entropy, size))
    if average == "class":
        return sum(entropy for entropy, _ in found) / len(found)
    return sum(h * size for h, size in found) / sum(size for _, size in found)


def marginals(rows, weights, everything, spread):
    """How likely each value of each column is, as a weight."""
    if spread == "uniform":
        return [dict.fromkeys(values, 1.0) for values in everything]
    found = [dict.fromkeys(values, 0.0) for values in everything]
    for row, weight in zip(rows, weights, strict=True):
        for column, value in zip(found, row, strict=True):
            column[value] += weight
    return found


def divergence(rows, sets, everything, weights, spread):
    """Enumerate all combinations that a published record may stand for."""
    total = sum(weights)
    likely = marginals(rows, weights, everything, spread)
    p, q = defaultdict(float), defaultdict(float)
    for row, entries, weight in zip(rows, sets, weights, strict=True):
        if not weight:
            continue
        p[row] += weight / total
        sums = [sum(m[v] for v in e) for m, e in zip(likely, entries, strict=True)]
        for combination in itertools.product(*entries):
            chances = zip(likely, combination, sums, strict=True)
            q[combination] += (
                weight / total * math.prod(m[v] / s for m, v, s in chances)
            )
    assert math.isclose(sum(q.values()), 1)
    return sum(mass * math.log2(mass / q[row]) for row, mass in p.items())


def distributions(values, entries, everything, weights, likely):
    """A column's distribution before and after, each a dict."""
    total = sum(weights)
    before, after = dict.fromkeys(everything, 0.0), dict.fromkeys(everything, 0.0)
    for value, entry, weight in zip(values, entries, weights, strict=True):
        if not weight:
            continue
        before[value] += weight / total
        for member in entry:
            after[member] += (
                weight / total * likely[member] / sum(likely[v] for v in entry)
            )
    return before, after


def total_variation(before, after):
    return sum(abs(before[value] - after[value]) for value in before) / 2


def wasserstein(before, after, places, missing):
    """Move mass along the line; the missing value lies a whole range away from it."""
    from scipy.stats import wasserstein_distance

    line = [value for value in before if value is not missing]
    shares = [sum(masses[v] for v in line) for masses in (before, after)]
    width = max(places[v] for v in line) - min(places[v] for v in line)
    moved = 0.0
    if min(shares) > 0 and width:
        at = [places[v] for v in line]
        masses = [[masses[v] for v in line] for masses in (before, after)]
        moved = wasserstein_distance(at, at, *masses) / width
    return min(shares) * moved + abs(shares[0] - shares[1])


def mean_place(entry, places, likely, missing):
    inner = [v for v in entry if v is not missing]
    total = sum(likely[v] for v in inner)
    return sum(likely[v] * places[v] for v in inner) / total


def correlation(xs, ys, weights):
    total = sum(weights)
    mean_x = sum(w * x for w, x in zip(weights, xs, strict=True)) / total
    mean_y = sum(w * y for w, y in zip(weights, ys, strict=True)) / total
    triples = list(zip(weights, xs, ys, strict=True))
    xx = sum(w * (x - mean_x) ** 2 for w, x, _ in triples)
    yy = sum(w * (y - mean_y) ** 2 for w, _, y in triples)
    xy = sum(w * (x - mean_x) * (y - mean_y) for w, x, y in triples)
    return xy / math.sqrt(xx * yy)
