"""Sets of lines as bytes, one for each line: 1 if it belongs to the set, else 0.

A set of integers would need an object for each line; these are combined as large numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress, count, islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Mask = bytes
_SPARSE = 8
_ALL_BITS = bytes.maketrans(b"\1", b"\xff")


class Members(Sequence[int]):
    """The numbers of the lines of one class, counted from 1, without an object for each.

    classes: a byte for each line, which says the class that it belongs to.
    """

    __slots__ = ("_classes", "_own")

    def __init__(self, classes: bytes, own: int) -> None:
        self._classes, self._own = classes, own

    def __len__(self) -> int:
        return self._classes.count(self._own)

    def __iter__(self) -> Iterator[int]:
        return compress(count(1), self._classes.translate(only(self._own)))

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and self._classes[number - 1] == self._own

    def __getitem__(self, place: int) -> int:  # type: ignore[override]
        if place == -1:
            return self._classes.rindex(self._own) + 1
        return self._classes.index(self._own) + 1 if place == 0 else self._at(place)

    def _at(self, place: int) -> int:
        for number in islice(self, range(len(self))[place], None):
            return number
        raise IndexError(place)


def only(number: int) -> bytes:
    """A table that makes 1 of this number and 0 of all others."""
    return bytes(number) + b"\1" + bytes(255 - number)


def mask_of(indexes: Iterable[int], size: int) -> Mask:
    found = bytearray(size)
    for index in indexes:
        found[index] = 1
    return bytes(found)


def indexes(mask: Mask) -> list[int]:
    is_sparse = mask.count(1) < len(mask) // _SPARSE
    return list(positions(mask, 0, len(mask)) if is_sparse else compress(count(), mask))


def positions(mask: Mask, start: int, stop: int) -> Iterator[int]:
    """The indexes in a part; fast where there are few."""
    pos = mask.find(1, start, stop)
    while pos >= 0:
        yield pos
        pos = mask.find(1, pos + 1, stop)


def backwards(mask: Mask) -> Iterator[int]:
    """The indexes from the last to the first."""
    return compress(range(len(mask) - 1, -1, -1), reversed(mask))


def union(one: Mask, other: Mask) -> Mask:
    if not any_of(other):
        return one
    if not any_of(one):
        return other
    return _bytes(_number(one) | _number(other), one)


def added(one: Mask, other: Mask) -> bytes:
    """In how many of both each line is."""
    return _bytes(_number(one) + _number(other), one)


def both(one: Mask, other: Mask) -> Mask:
    return _bytes(_number(one) & _number(other), one)


def classes_of(classes: bytes, mask: Mask) -> bytes:
    """The classes of the lines of a mask, 0 for all others."""
    return both(classes, mask.translate(_ALL_BITS)) if 0 in mask else classes


def without(one: Mask, other: Mask) -> Mask:
    if not any_of(other):
        return one
    number = _number(one)
    return _bytes(number ^ (number & _number(other)), one)


def widened(mask: Mask, context: int) -> Mask:
    """Return the lines, and so many before and after each."""
    number, found = _number(mask), 0
    for bits in range(0, 8 * context + 1, 8):
        found |= number >> bits | number << bits
    return _bytes(found & (1 << 8 * len(mask)) - 1, mask)


def any_of(mask: Mask) -> bool:
    return 1 in mask


def _number(mask: Mask) -> int:
    return int.from_bytes(mask, "little")


def _bytes(number: int, like: Mask) -> Mask:
    return number.to_bytes(len(like), "little")
