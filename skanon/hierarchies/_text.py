"""How values are written in labels, intervals and sets, so that they read back."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from typing import Any


def quoted(text: str) -> str:
    """Put a value's text in quotes where it would otherwise blur what surrounds it.

    Examples
    --------
    >>> quoted("Paris"), quoted("Paris, Texas")
    ('Paris', '"Paris, Texas"')
    """
    blurs = any(sign in text for sign in ',{}[]"') or text != text.strip() or not text
    return json.dumps(text, ensure_ascii=False) if blurs else text


def leaf_texts(values: Sequence[Any]) -> list[str]:
    """Write a hierarchy's values as text; dates without their hours where all have 0.

    Examples
    --------
    >>> import pandas as pd
    >>> leaf_texts([pd.Timestamp("1899-12-31"), pd.Timestamp("2020-02-29")])
    ['1899-12-31', '2020-02-29']
    """
    texts = [str(value) for value in values]
    if all(isinstance(value, datetime.date) for value in values) and all(
        len(text) == 10 or text[10:] == " 00:00:00" for text in texts
    ):
        return [text[:10] for text in texts]
    return texts
