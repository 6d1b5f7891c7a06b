"""The oracle: k-Anonymization Revisited, algorithms 3, 4 and 5, record by record."""

import math

from naive import TOLERANCE


def paid(table, i, generalized):
    """What record i pays when it is published so."""
    return math.fsum(table.costs(generalized, i, searched=True))


def covers(generalized, record):
    """Definition 3.3."""
    return all(
        value in subset for subset, value in zip(generalized, record, strict=True)
    )


def united(table, generalized, record):
    """R_i + R_j: the minimal record that generalizes both."""
    return tuple(
        column.closure(subset | {value})
        for column, subset, value in zip(
            table.columns, generalized, record, strict=True
        )
    )


def first_ones(table):
    """For each record, the first one that equals it."""
    return [table.records.index(record) for record in table.records]


def nearest_first(distances, places, wanted):
    """Choose some of the least distances; of equal ones those of the first places."""
    reach = sorted(distances.values())[wanted - 1]
    nearer = [j for j, d in distances.items() if d < reach - TOLERANCE]
    at = [j for j, d in distances.items() if abs(d - reach) <= TOLERANCE]
    at.sort(key=lambda j: (places[j], j))
    return nearer + at[: wanted - len(nearer)]


def by_neighbours(table, k):
    """Algorithm 3; equal records follow each other."""
    places, release = first_ones(table), []
    everybody = range(len(table.records))
    for i in everybody:
        distances = {j: paid(table, i, table.closure([i, j])) for j in everybody}
        del distances[i]
        chosen = nearest_first(distances, places, k - 1) if k > 1 else []
        release.append(table.closure([i, *chosen]))
    return release


def by_expansion(table, k):
    """Algorithm 4; of those that raise it equally, what is covered comes first."""
    release = []
    for i in range(len(table.records)):
        members = [i]
        while len(members) < k:
            closure = table.closure(members)
            now = paid(table, i, closure)
            least, found, covered = math.inf, None, None
            for j, record in enumerate(table.records):
                if j in members:
                    continue
                if covers(closure, record):
                    covered = j if covered is None else covered
                    continue
                rises = paid(table, i, united(table, closure, record)) - now
                if rises < least - TOLERANCE:
                    least, found = rises, j
            if covered is not None and least >= -TOLERANCE:
                found = covered
            members.append(found)
        release.append(table.closure(members))
    return release


def upgraded(table, release, k):
    """Algorithm 5: each original is consistent with k records; and how many rose."""
    release, n_widened = list(release), 0
    for record in table.records:
        lacking = k - sum(covers(generalized, record) for generalized in release)
        if lacking <= 0:
            continue
        distances = {
            j: paid(table, j, united(table, generalized, record))
            - paid(table, j, generalized)
            for j, generalized in enumerate(release)
            if not covers(generalized, record)
        }
        for j in nearest_first(distances, range(len(release)), lacking):
            release[j] = united(table, release[j], record)
            n_widened += 1
    return release, n_widened


def consistent_counts(table, release):
    """The degrees of the graph of section IV: of originals, of released records."""
    fits = [[covers(x, record) for x in release] for record in table.records]
    return list(map(sum, fits)), list(map(sum, zip(*fits, strict=True)))
