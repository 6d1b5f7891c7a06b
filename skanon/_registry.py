"""Classes by the words that users type, those that users define themselves included."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


class Registry(Mapping[str, type[T]]):
    """All classes below one that have a word of their own, by their word.

    A class is listed from the moment that it is defined. Of several with the same word
    the last one holds, as when a notebook's cell is run again.

    Parameters
    ----------
    base : type
    word : callable
        Gives a class's word, or None for a class that is not to be listed.
    """

    def __init__(
        self,
        base: Any,
        word: Callable[[type], str | None] = lambda kind: vars(kind).get("word"),
    ) -> None:
        self._base = base
        self._word = word

    def _found(self) -> dict[str, type[T]]:
        found, waiting = {}, [self._base]
        while waiting:
            kind = waiting.pop(0)
            waiting += kind.__subclasses__()
            if (word := self._word(kind)) is not None:
                found[word] = kind
        return dict(sorted(found.items()))

    def __getitem__(self, word: str) -> type[T]:
        return self._found()[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found())

    def __len__(self) -> int:
        return len(self._found())

    def offered(self) -> list[type[T]]:
        """List the classes in the order in which they are offered to people."""
        kinds = self._found().values()
        return sorted(kinds, key=lambda kind: getattr(kind, "position", 1000))

    def __repr__(self) -> str:
        return f"Registry({self._found()!r})"
