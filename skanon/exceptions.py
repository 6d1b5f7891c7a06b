"""Errors and warnings: each says what is wrong, where, and what to do about it."""


def in_short(value: object) -> str:
    """Write a value for a message, in one line that is not too long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 100 else f"{text[:99]}…"


class AnonymizationError(ValueError):
    """Something about the data, the parameters or the release forbids going on.

    The base of all errors that skanon raises on purpose.
    """


class ColumnError(AnonymizationError):
    """A column, or the table as a whole, cannot be used as it is."""


class ColumnTypeError(ColumnError, TypeError):
    """A column or the table has a type that cannot be used."""


class HierarchyError(AnonymizationError):
    """A generalization hierarchy is inconsistent or does not fit its column."""


class ParameterError(AnonymizationError, TypeError):
    """A parameter has a value that it may not have."""


class InfeasibleError(AnonymizationError):
    """No release of this table can keep what was asked for."""


class ReleaseError(AnonymizationError):
    """A release does not keep its promise; it is never handed out."""


class PrivacyWarning(UserWarning):
    """What was asked for is allowed, but protects less than it may seem."""


class DurationWarning(UserWarning):
    """A fit that has begun will take minutes."""


__all__ = [
    "AnonymizationError",
    "ColumnError",
    "ColumnTypeError",
    "DurationWarning",
    "HierarchyError",
    "InfeasibleError",
    "ParameterError",
    "PrivacyWarning",
    "ReleaseError",
]
