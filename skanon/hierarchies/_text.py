"""How values are written inside intervals and sets, so that they read back."""

from __future__ import annotations

import json


def quoted(text: str) -> str:
    """Put a value's text in quotes where it would otherwise blur what surrounds it.

    Examples
    --------
    >>> quoted("Paris"), quoted("Paris, Texas")
    ('Paris', '"Paris, Texas"')
    """
    blurs = any(sign in text for sign in ',{}[]"') or text != text.strip() or not text
    return json.dumps(text, ensure_ascii=False) if blurs else text
