"""Taxonomies of codes, whose characters are masked one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skanon._table.domain import SUPPRESSED, Domain
from skanon.exceptions import HierarchyError, in_short
from skanon.hierarchies._builders import distinct
from skanon.hierarchies._taxonomy import Taxonomy


def from_mask(
    values: Any,
    *,
    side: str = "right",
    sign: str = "*",
    levels: Sequence[int] | None = None,
    pad: str | None = None,
    pad_side: str = "left",
) -> Taxonomy:
    """Build a taxonomy of codes, such as zip codes, by masking their characters.

    Parameters
    ----------
    values : array-like of str or int, shape (n,)
        The column, or its values.
    side : {"right", "left"}, default="right"
        Where masking starts.
    sign : str, default="*"
        What stands for a masked character.
    levels : sequence of int or None, default=None
        How many characters each level masks, fewest first; None masks one more at
        each level. The level that masks everything is the root ``*`` and comes last
        by itself.
    pad : str or None, default=None
        A character that fills up shorter values in the labels, such as ``"0"`` for
        zip codes that lost their leading zeros; None makes different lengths an error.
    pad_side : {"left", "right"}, default="left"
        Where shorter values are filled up.

    Returns
    -------
    Taxonomy

    Raises
    ------
    HierarchyError
        The values are of different lengths, or are no text or integers.

    Examples
    --------
    >>> from_mask(["8001", "8032", "3011"], levels=[2, 3]).to_frame()
          0     1     2  3
    0  3011  30**  3***  *
    1  8001  80**  8***  *
    2  8032  80**  8***  *
    """
    _check_choice("side", side)
    _check_choice("pad_side", pad_side)
    _check_sign("sign", sign)
    domain = distinct(values)
    leaves = _codes(domain)
    texts = _padded([str(leaf) for leaf in leaves], pad, pad_side)
    length = len(texts[0])
    if isinstance(levels, int):
        raise HierarchyError(f"levels must be a sequence such as [1, 3], got {levels}.")
    steps = list(range(1, length)) if levels is None else list(levels)
    _check_steps(steps, length)
    table = []
    for n in steps:
        mask, kept = sign * n, length - n
        right = side == "right"
        table.append([t[:kept] + mask if right else mask + t[n:] for t in texts])
    return Taxonomy(leaves, [*table, [SUPPRESSED] * len(leaves)])


def _check_choice(what: str, side: str) -> None:
    if side not in ("left", "right"):
        raise HierarchyError(f"{what} must be 'left' or 'right', got {in_short(side)}.")


def _check_sign(what: str, sign: Any) -> None:
    if not isinstance(sign, str) or len(sign) != 1:
        raise HierarchyError(f"{what} must be one character, got {in_short(sign)}.")


def _codes(domain: Domain) -> list[Any]:
    leaves = domain.values.tolist()
    whole = domain.kind == "text" or all(isinstance(leaf, int) for leaf in leaves)
    if domain.kind == "bool" or not whole:
        raise HierarchyError(
            f"{domain.name!r} holds {domain.kind}s such as {domain.text()[0]!r}; only "
            "text and integers can be masked. Convert them to text first."
        )
    return leaves


def _padded(texts: list[str], pad: str | None, side: str) -> list[str]:
    longest = max(texts, key=len)
    short = min(texts, key=len)
    if len(short) == len(longest):
        return texts
    if pad is None:
        raise HierarchyError(
            f"the value {short!r} has {len(short)} characters, but {longest!r} has "
            f"{len(longest)}. Masked values must be equally long: correct them, or "
            "give pad='0' (or another character) to fill up the shorter ones."
        )
    _check_sign("pad", pad)
    if side == "left":
        return [text.rjust(len(longest), pad) for text in texts]
    return [text.ljust(len(longest), pad) for text in texts]


def _check_steps(steps: list[int], length: int) -> None:
    for before, n in zip([0, *steps], steps, strict=False):
        if n <= before or n >= length:
            raise HierarchyError(
                f"levels={steps} masks {n} of {length} characters after {before}. "
                f"Give growing numbers between 1 and {length - 1}; the level that "
                "masks everything comes by itself."
            )
