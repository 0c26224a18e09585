"""Sets of lines as bytes, one for each line: 1 if it belongs to the set, else 0.

A set of integers would need an object for each line; these are combined as large numbers.
"""

from __future__ import annotations

from itertools import compress, count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Mask = bytes
_SPARSE = 8


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


def both(one: Mask, other: Mask) -> Mask:
    return _bytes(_number(one) & _number(other), one)


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
