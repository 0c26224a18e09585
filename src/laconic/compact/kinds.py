"""The different lines of a large output, which mostly repeats a few with other numbers.

What a pattern says of a line is found once for each kind: lines that are equal when all digits are
the same digit. Splitting a text and looking its lines up takes two to three milliseconds per
megabyte, as long as one or two searches for patterns; after that a pattern costs next to nothing.
"""

from __future__ import annotations

from array import array
from operator import itemgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from laconic.compact.masks import Mask

    Search: TypeAlias = Callable[[list[bytes]], bytes]
    Numbers: TypeAlias = "bytes | array[int]"

_SHORTEST = 10  # bytes of a line on average; shorter ones are searched faster than looked up
_SAMPLE = 1024  # characters that tell whether lines are short
_PATIENCE = 2000  # new lines in excess of known ones, after which looking up is given up
_MOST = 20_000  # different lines that are remembered
_BYTE = 256
_ANY_DIGIT = bytes.maketrans(b"123456789", b"0" * 9)


class Kinds:
    """The kinds of lines of one output, numbered as they are met; texts: one of each, by number.

    All digits of these are 0. shown: returns what is shown of lines, if that is not all of them;
    None where it depends on their digits.
    """

    __slots__ = ("_answers", "_doubt", "_numbers", "_shown", "texts")

    def __init__(self, shown: Callable[[str], str | None] | None = None) -> None:
        self._shown = shown
        self.texts: list[bytes] = []
        self._numbers: dict[bytes, int] = {}
        self._doubt = 0
        self._answers: dict[object, bytearray] = {}

    def numbers(self, chunk: str) -> Numbers | None:
        """The number of the kind of each line; None where it is faster to search the lines."""
        if chunk.isspace():
            return None
        sample = chunk[:_SAMPLE]
        if self._doubt > _PATIENCE or len(sample) < _SHORTEST * sample.count("\n"):
            return None
        line = chunk[: chunk.find("\n", 1)]
        if chunk.startswith(line, len(line)) and chunk == line * chunk.count("\n"):
            numbers = self.numbers(line)
            return None if numbers is None else numbers * chunk.count("\n")
        raw = chunk.encode("utf-8", "surrogateescape").translate(_ANY_DIGIT)
        texts = raw.split(b"\n")[1:]
        try:
            return self._looked_up(texts)
        except KeyError:
            return self._looked_up(texts) if self._learn(texts) else None

    def _learn(self, texts: list[bytes]) -> bool:
        """Number the kinds that are new; False if there are too many, or nothing can be said."""
        known = self._numbers
        new = list(set(texts).difference(known))
        shown = _shown_of(new, self._shown) if self._shown else new
        self._doubt = max(0, self._doubt + 2 * len(new) - len(texts))
        if shown is None or len(known) + len(new) > _MOST:
            self._doubt = _PATIENCE + 1
            return False
        known.update(zip(new, range(len(known), len(known) + len(new)), strict=True))
        self.texts += shown
        return True

    def _looked_up(self, texts: list[bytes]) -> Numbers:
        found = _items(texts, self._numbers)
        return bytes(found) if len(self._numbers) <= _BYTE else array("H", found)

    def answers(self, search: Search, numbers: Numbers) -> Mask:
        """What the search says of each line, a byte for each.

        search: takes the texts of kinds and returns a byte for each; what it says of a line must
        depend on nothing but that line, and not on which digits it has.
        """
        known = self._answers.setdefault(search, bytearray())
        if len(known) < len(self.texts):
            known += search(self.texts[len(known) :])
        if known.count(known[0]) == len(known):
            return bytes([known[0]]) * len(numbers)
        if isinstance(numbers, bytes):
            return numbers.translate(bytes(known[:_BYTE]).ljust(_BYTE, b"\0"))
        return bytes(_items(numbers, known))


def _items(keys: Sequence[object], found: dict[bytes, int] | bytearray) -> tuple[int, ...]:
    """What is found under each key, faster than by a call for each."""
    items: tuple[int, ...] = itemgetter(keys[0], *keys)(found)  # of one key it returns no tuple
    return items[1:]


def _shown_of(texts: list[bytes], shown: Callable[[str], str | None]) -> list[bytes] | None:
    found = shown(b"\n".join([b"", *texts]).decode("utf-8", "surrogateescape"))
    return None if found is None else found.encode("utf-8", "surrogateescape").split(b"\n")[1:]
