"""Selects lines of a kept output by number and pattern, without holding all of it in memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from laconic.errors import UsageError
from laconic.patterns import compile_written


class KeptLine(NamedTuple):
    """A line with its newline if it has one; the numbers continue from stdout to stderr."""

    number: int
    stream: str
    data: bytes


def lines(chunks: Iterable[tuple[str, bytes]]) -> Iterator[KeptLine]:
    """Join the pieces of streams into lines; a stream's last line may have no newline."""
    number, current = 0, ""
    begun: list[bytes] = []  # a list, because a line may span many pieces
    for stream, chunk in chunks:
        if stream != current and begun:
            number += 1
            yield KeptLine(number, current, b"".join(begun))
            begun = []
        current = stream
        first, *rest = chunk.split(b"\n")
        begun += [first] if first else []
        for text in rest:
            number += 1
            yield KeptLine(number, stream, b"".join(begun) + b"\n")
            begun = [text] if text else []
    if begun:
        yield KeptLine(number + 1, current, b"".join(begun))


class Wanted(NamedTuple):
    """The lines from first to last (0: to the end) that match the pattern."""

    first: int
    last: int
    pattern: re.Pattern[bytes] | None

    def pick(self, found: Iterable[KeptLine]) -> Iterator[KeptLine]:
        for line in found:
            if self.last and line.number > self.last:
                return
            if line.number >= self.first and self._has_pattern(line.data):
                yield line

    def _has_pattern(self, data: bytes) -> bool:
        return self.pattern is None or self.pattern.search(data.removesuffix(b"\n")) is not None


def wanted(line_range: str | None, pattern: str | None) -> Wanted:
    """Parse `A:B`, `A:`, `:B` or `A`, and a regular expression."""
    first, last = _range(line_range) if line_range is not None else (1, 0)
    try:
        encoded = pattern.encode("utf-8", "surrogateescape") if pattern else b""
        compiled = compile_written(encoded) if encoded else None
    except re.error as error:
        raise UsageError(
            f"--grep {pattern!r}: {error}", "put \\ before a character that is meant literally: \\("
        ) from error
    return Wanted(first, last, compiled)


def _range(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{0,12})(:?)([0-9]{0,12})", text, re.ASCII)
    if not match or not (match[1] or match[3]):
        raise UsageError(
            f"--lines {text!r}: is not a range of lines", "laconic recall ID --lines 10:20"
        )
    first = int(match[1] or 1)
    last = int(match[3] or 0) if match[2] else first
    if first < 1 or (match[3] and last < first):
        raise UsageError(
            f"--lines {text!r}: lines count from 1 upwards", "laconic recall ID --lines 10:20"
        )
    return first, last
