"""Lines of output: numbered over both streams, as text that gives the raw bytes back."""

from __future__ import annotations

from itertools import accumulate, repeat
from operator import add

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

OUT, ERR = "out", "err"
_CHUNK = 1 << 14  # characters; between two searches a signal can end a run that takes too long


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

    __slots__ = ("_chunks", "out_count", "text", "texts")

    def __init__(self, texts: list[str], out_count: int | None = None) -> None:
        self.texts = texts
        self._chunks: list[tuple[int, str]] | None = None
        self.out_count = len(texts) if out_count is None else out_count
        self.text = "\n".join(texts)

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[Line]:
        for number, text in enumerate(self.texts, 1):
            yield Line(number, text, self.stream(number))

    def chunks(self) -> list[tuple[int, str]]:
        """Pieces of the text, a newline in front of each line, with the index of their first."""
        if self._chunks is None:
            self._chunks = list(self._cut()) if self.texts else []
        return self._chunks

    def _cut(self) -> Iterator[tuple[int, str]]:
        text, start, first = self.text, 0, 0
        while start <= len(text):
            end = text.find("\n", start + _CHUNK)
            end = len(text) if end < 0 else end
            chunk = f"\n{text[start:end]}"
            yield first, chunk
            first += chunk.count("\n")
            start = end + 1

    def stream(self, number: int) -> str:
        return OUT if number <= self.out_count else ERR


def split_indexes(pieces: Sequence[str], starts: Iterable[int]) -> Iterator[int]:
    """The indexes of the lines at which a text was split, without a step of Python for each.

    starts: what to add to the newlines in front of each split.
    """
    counts = map(str.count, pieces[:-1], repeat("\n"))
    return map(add, accumulate(counts), starts)


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
