"""Lines of output: numbered over both streams, as text that gives the raw bytes back."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from itertools import accumulate, chain, repeat
from operator import add

from laconic.compact.kinds import Kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    from laconic.compact.kinds import Numbers

    TextLines: TypeAlias = "Texts | Sequence[str]"

OUT, ERR = "out", "err"
_CHUNK = 1 << 15  # characters; between two searches a signal can end a run that takes too long
_MOST_SPLIT = 1 << 17  # lines that are at hand, of chunks that were looked at
_MOST_TEXTS = 1 << 13  # single lines that are at hand, which were looked at
_FEW = 4  # of so many lines of a chunk, at most one is wanted


class Line:
    """One raw line without its newline; number counts from 1 over both streams."""

    __slots__ = ("number", "stream", "text")

    def __init__(self, number: int, text: str, stream: str = OUT) -> None:
        self.number, self.text, self.stream = number, text, stream

    def __repr__(self) -> str:
        return f"Line({self.number}, {self.text!r}, {self.stream!r})"


class Texts:
    """The lines of chunks as a sequence; each is made when it is asked for."""

    __slots__ = ("_first", "_found", "_lines")

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._first = 0  # of the chunk that was asked for last, with its lines
        self._found: list[str] = []

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, pos: int) -> str:
        place = pos - self._first
        if not 0 <= place < len(self._found):
            place = self._turn_to(pos)
        return self._found[place]

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(map(split_chunk, self._lines.chunks))

    def _turn_to(self, pos: int) -> int:
        """Load the chunk of a line; return the place of the line in it."""
        if not 0 <= pos < len(self):
            raise IndexError(pos)
        number = self._lines.chunk_of(pos)
        self._first, self._found = self._lines.firsts[number], self._lines.split(number)
        return pos - self._first


class Chunks:
    """Chunks of lines as a sequence; what is shown of each is made when it is first asked for."""

    __slots__ = ("_made", "_shown", "raw")

    def __init__(self, raw: list[str], shown: Callable[[str], str]) -> None:
        self.raw, self._shown = raw, shown
        self._made: list[str | None] = [None] * len(raw)

    def __len__(self) -> int:
        return len(self.raw)

    def __getitem__(self, number: int) -> str:
        made = self._made[number]
        if made is None:
            made = self._made[number] = self._shown(self.raw[number])
        return made

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))

    def __reversed__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self) - 1, -1, -1))

    def some_of(self, number: int, places: list[int]) -> list[str]:
        """Some lines of a chunk, each by itself."""
        found = lines_at(self.raw[number], places)
        return split_chunk(self._shown("\n".join(["", *found])))

    def having(self, raw: list[str]) -> Chunks:
        """Others, of which the same is shown."""
        return Chunks(raw, self._shown)


class Lines:
    """All lines of a run: those of stdout, then those of stderr where it was read apart.

    Held as chunks of many lines, with a newline before each line: an object for each line
    would cost more time than all stages together, and more memory than the output itself.
    counts: the number of lines of each chunk. firsts: the index of the first line of each. size:
    the number of characters, with what is not shown of a large output. kinds: what is known of
    lines that repeat themselves.
    """

    __slots__ = (
        "_all_numbers", "_at_hand", "_numbers", "_split", "_texts", "chunks", "count", "counts",
        "firsts", "kinds", "out_count", "size",
    )  # fmt: skip
    chunks: list[str] | Chunks

    def __init__(self, texts: Iterable[str] = (), out_count: int | None = None) -> None:
        found = list(texts)
        self._take(list(_cut("\n".join(found))) if found else [], out_count)

    def _take(
        self, chunks: list[str], out_count: int | None, counts: list[int] | None = None
    ) -> None:
        self.counts = [chunk.count("\n") for chunk in chunks] if counts is None else counts
        self.chunks, self.count = chunks, sum(self.counts)
        self.firsts = list(accumulate(self.counts, initial=0))[:-1]
        self.out_count = self.count if out_count is None else out_count
        self.size = max(0, sum(map(len, chunks)) - 1)
        self._split: dict[int, list[str]] = {}
        self._at_hand = 0
        self._texts: dict[int, str] = {}
        self.kinds = Kinds()
        self._numbers: dict[int, Numbers | None] = {}
        self._all_numbers: bytes | None = None

    @classmethod
    def of_chunks(
        cls, chunks: list[str], out_count: int | None = None, counts: list[int] | None = None
    ) -> Lines:
        """Take chunks; counts: how many lines each has, where that is known."""
        lines = cls.__new__(cls)
        lines._take(chunks, out_count, counts)  # noqa: SLF001 - its own
        return lines

    def shown_as(
        self, shown: Callable[[str], str], shown_of_kinds: Callable[[str], str | None]
    ) -> Lines:
        """As many lines, of which something else is shown; for the second see Kinds."""
        lines = Lines.of_chunks(self._raw, self.out_count, self.counts)
        lines.chunks = Chunks(self._raw, shown)
        lines.kinds = Kinds(shown_of_kinds)
        return lines

    def part(self, chunks: range) -> Lines:
        """The lines of some chunks, numbered from the first of them on."""
        known = {n - chunks.start: self._numbers[n] for n in chunks if n in self._numbers}
        there = slice(chunks.start, chunks.stop)
        return self._having(self._raw[there], self.counts[there], known)

    def without(self, chunks: range) -> Lines:
        """As many lines, empty where these chunks are."""
        raw = self._raw[:]
        for number in chunks:
            raw[number] = "\n" * self.counts[number]
        known = {number: kinds for number, kinds in self._numbers.items() if number not in chunks}
        lines = self._having(raw, self.counts, known)
        lines.out_count = self.out_count
        return lines

    def _having(self, raw: list[str], counts: list[int], known: dict[int, Numbers | None]) -> Lines:
        """Lines of the same kinds; known: the kinds of some chunks."""
        lines = Lines.of_chunks(raw, counts=counts)
        if isinstance(self.chunks, Chunks):
            lines.chunks = self.chunks.having(raw)
        lines.kinds, lines._numbers = self.kinds, known  # noqa: SLF001 - its own
        return lines

    @property
    def _raw(self) -> list[str]:
        return self.chunks.raw if isinstance(self.chunks, Chunks) else self.chunks

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Line]:
        for number, text in enumerate(self.texts, 1):
            yield Line(number, text, self.stream(number))

    @property
    def texts(self) -> Texts:
        return Texts(self)

    def chunk_of(self, pos: int) -> int:
        """The number of the chunk that has a line."""
        return bisect_right(self.firsts, pos) - 1

    def split(self, number: int) -> list[str]:
        """The lines of a chunk; they stay at hand, as several stages look at the same ones."""
        if number not in self._split:
            self._at_hand += self.counts[number]
            if self._at_hand > _MOST_SPLIT:
                self._split.clear()
                self._at_hand = self.counts[number]
            self._split[number] = split_chunk(self.chunks[number])
        return self._split[number]

    def numbers(self, number: int) -> Numbers | None:
        """The kinds of the lines of a chunk; None where they hardly repeat themselves."""
        if number not in self._numbers:
            self._numbers[number] = self.kinds.numbers(self._raw[number])
        return self._numbers[number]

    @property
    def all_numbers(self) -> bytes:
        """The kinds of all lines in one piece; empty where those of a chunk are not as bytes."""
        if self._all_numbers is None:
            found = list(map(self.numbers, range(len(self.chunks))))
            are_bytes = all(isinstance(numbers, bytes) for numbers in found)
            self._all_numbers = b"".join(filter(None, found)) if are_bytes else b""
        return self._all_numbers

    @property
    def has_numbers(self) -> bool:
        """Tell whether kinds were looked up already, or are so faster than the lines are made."""
        return bool(self._numbers) or isinstance(self.chunks, Chunks)

    def at(self, wanted: Sequence[int]) -> dict[int, str]:
        """The texts of some lines by their indexes, which are in order.

        They stay at hand, as several stages look at the same ones.
        """
        known = self._texts
        found = self._found([pos for pos in wanted if pos not in known])
        if len(found) < len(wanted):
            return {pos: found[pos] if pos in found else known[pos] for pos in wanted}
        if len(known) + len(found) <= _MOST_TEXTS:
            known.update(found)
        return found

    def _found(self, wanted: Sequence[int]) -> dict[int, str]:
        """The same, a chunk at a time."""
        found: dict[int, str] = {}
        start = 0
        while start < len(wanted):
            number = self.chunk_of(wanted[start])
            first = self.firsts[number]
            end = bisect_left(wanted, first + self.counts[number], start)
            part = wanted[start:end]
            texts = self._some_of(number, [pos - first for pos in part])
            found.update(zip(part, texts, strict=True))
            start = end
        return found

    def _some_of(self, number: int, places: list[int]) -> list[str]:
        """Some lines of a chunk; for a few, it is not split, and no others are made."""
        if number not in self._split and _FEW * len(places) < self.counts[number]:
            if isinstance(self.chunks, Chunks):
                return self.chunks.some_of(number, places)
            return lines_at(self.chunks[number], places)
        texts = self.split(number)
        return [texts[place] for place in places]

    @property
    def text(self) -> str:
        """All of it in one piece, which is a copy."""
        return "".join(self.chunks)[1:]

    def stream(self, number: int) -> str:
        return OUT if number <= self.out_count else ERR


def split_chunk(chunk: str) -> list[str]:
    return chunk[1:].split("\n")


def lines_at(chunk: str, places: list[int]) -> list[str]:
    """Some lines of a chunk, in order; it is split no further than they need, from one end."""
    first, last, total = places[0], places[-1], chunk.count("\n")
    if first + last < total:
        before, texts = -1, chunk.split("\n", last + 2)
    else:
        before, texts = first - 1, chunk.rsplit("\n", total - first)
    return [texts[place - before] for place in places]


def _cut(text: str) -> Iterator[str]:
    start = 0
    while start <= len(text):
        end = text.find("\n", start + _CHUNK)
        end = len(text) if end < 0 else end
        yield f"\n{text[start:end]}"
        start = end + 1


def split_indexes(pieces: Sequence[str], starts: Iterable[int]) -> Iterator[int]:
    """The indexes of the lines at which a text was split, without a step of Python for each.

    starts: what to add to the newlines before each split.
    """
    counts = map(str.count, pieces[:-1], repeat("\n"))
    return map(add, accumulate(counts), starts)


def read_lines(raw: bytes, stream: str = OUT) -> Lines:
    """Split at newlines only; any bytes survive (invalid UTF-8 as surrogates)."""
    chunks = list(_decoded(raw))
    return Lines.of_chunks(chunks, None if stream == OUT else 0)


def decoded_lines(texts: Iterable[bytes]) -> Lines:
    """Lines of which each was encoded by itself."""
    return Lines.of_chunks([b"\n".join([b"", *texts]).decode("utf-8", "surrogateescape")])


def read_streams(out: bytes, err: bytes) -> Lines:
    """Both streams where each was spooled apart: no order between them is known."""
    first, second = list(_decoded(out)), list(_decoded(err))
    lines = Lines.of_chunks(first + second)
    lines.out_count = sum(lines.counts[: len(first)])
    return lines


def _decoded(raw: bytes) -> Iterator[str]:
    """The chunks of an output; one at a time, as one wide character makes all others as wide."""
    start, end = 0, len(raw) - raw.endswith(b"\n")
    while start <= end and raw:
        cut = raw.find(b"\n", min(start + _CHUNK, end), end)
        cut = end if cut < 0 else cut
        yield f"\n{raw[start:cut].decode('utf-8', 'surrogateescape')}"
        start = cut + 1


def width_of(raw: bytes) -> int:
    """How many bytes an output takes as text: up to four for each character, by the widest."""
    return len(raw) if raw.isascii() else sum(map(sys.getsizeof, _decoded(raw)))
