"""The oracle: k-anonymity by dictionaries of cells, slow and obvious."""

import numpy as np
import pandas as pd


def read(cell):
    if isinstance(cell, np.generic) and not isinstance(cell, np.timedelta64):
        cell = cell.item()
    if isinstance(cell, tuple):
        return "tuple", tuple(read(part) for part in cell)
    return "missing" if pd.isna(cell) else (type(cell).__name__, cell)


def rows_by_values(frame, quasi_identifiers, suppressed="*"):
    columns = [frame[name].tolist() for name in quasi_identifiers]
    classes = {}
    hidden = []
    for position in range(len(frame)):
        values = tuple(read(column[position]) for column in columns)
        if suppressed is not None and all(v == read(suppressed) for v in values):
            hidden.append(position)
        else:
            classes.setdefault(values, []).append(position)
    return classes, hidden


def equivalence_classes(frame, quasi_identifiers, suppressed="*"):
    classes, _ = rows_by_values(frame, quasi_identifiers, suppressed)
    numbers = [-1] * len(frame)
    for number, positions in enumerate(classes.values()):
        for position in positions:
            numbers[position] = number
    return numbers


def k_anonymity(frame, quasi_identifiers, suppressed="*"):
    classes, hidden = rows_by_values(frame, quasi_identifiers, suppressed)
    return min(map(len, classes.values())) if classes else len(hidden)


def violations(frame, quasi_identifiers, k, suppressed="*"):
    classes, hidden = rows_by_values(frame, quasi_identifiers, suppressed)
    if not classes:
        return {-1: hidden} if len(hidden) < k else {}
    return {
        number: positions
        for number, positions in enumerate(classes.values())
        if len(positions) < k
    }
