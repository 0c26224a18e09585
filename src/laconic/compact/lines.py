"""Lines of output: numbered over both streams, as text that gives the raw bytes back."""

from __future__ import annotations

from bisect import bisect_left
from functools import partial
from itertools import accumulate, count
from operator import add

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

OUT, ERR = "out", "err"


class Line:
    """One raw line without its newline; number counts from 1 over both streams."""

    __slots__ = ("number", "stream", "text")

    def __init__(self, number: int, text: str, stream: str = OUT) -> None:
        self.number, self.text, self.stream = number, text, stream

    def __repr__(self) -> str:
        return f"Line({self.number}, {self.text!r}, {self.stream!r})"


class Lines:
    """All lines of a run: those of stdout, then those of stderr where it was read apart.

    Held as columns, because an object per line would cost more than all stages together.
    """

    __slots__ = ("_starts", "out_count", "text", "texts")

    def __init__(self, texts: list[str], out_count: int | None = None) -> None:
        self.texts = texts
        self._starts: list[int] = []
        self.out_count = len(texts) if out_count is None else out_count
        self.text = "\n".join(texts)

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[Line]:
        for number, text in enumerate(self.texts, 1):
            yield Line(number, text, self.stream(number))

    def indexes_at(self, offsets: Iterable[int]) -> set[int]:
        """The indexes of the lines that have these offsets of the text."""
        if not self._starts:
            lengths = map(len, self.texts)
            # the newline in front of each line counts as its first character
            self._starts = list(map(add, accumulate(lengths, initial=-1), count()))
        found = set(map(partial(bisect_left, self._starts), offsets))
        return {pos - 1 for pos in found}

    def stream(self, number: int) -> str:
        return OUT if number <= self.out_count else ERR


def read_lines(raw: bytes, stream: str = OUT) -> Lines:
    """Split at newlines only; any bytes survive (invalid UTF-8 as surrogates)."""
    texts = raw.decode("utf-8", "surrogateescape").split("\n")
    if not texts[-1]:
        texts.pop()
    return Lines(texts, len(texts) if stream == OUT else 0)


def read_streams(out: bytes, err: bytes) -> Lines:
    """Both streams where each was spooled apart: no order between them is known."""
    first, second = read_lines(out), read_lines(err, ERR)
    return Lines(first.texts + second.texts, len(first))
