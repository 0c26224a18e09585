"""What is shown of an output and what is not: every raw line is in one of the two."""

from __future__ import annotations

from functools import cached_property
from operator import attrgetter

from laconic.compact.masks import mask_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from laconic.compact.lines import Lines, TextLines
    from laconic.compact.masks import Mask

    RowTexts: TypeAlias = "TextLines | Mapping[Row, str]"

_NOT_SHOWN = pattern(b"\0+")
RAW, SHORT, MADE, WHOLE, GAP = "raw", "short", "made", "whole", "gap"


class Shown:
    """One printed line.

    kind: a raw line (colours and overwritten text taken off), a raw line shortened, a line made of
    values captured from the output, one that has all that its raw lines say, or the mark of a gap.
    numbers: the raw lines it stands for.
    """

    __slots__ = ("kind", "numbers", "text")

    def __init__(self, kind: str, text: str, numbers: Sequence[int]) -> None:
        self.kind, self.text, self.numbers = kind, text, numbers

    def __repr__(self) -> str:
        return f"Shown({self.kind}, {self.text!r}, {self.numbers})"


# While the stages run: the index of a cleaned line, or a line in its place. A large output has no
# object for each of its lines.
Row = int | Shown


class Written(dict[Row, str]):
    """The texts of some lines by their indexes; any other row has its own."""

    __missing__ = attrgetter("text")  # faster than a method; it is called for thousands of rows


class Compacted:
    """A result: printed lines in order, and the ranges of raw lines that are not among them.

    tokens, tokens_raw: what it costs with its notice, and what the output as it is would cost.
    again, gone: what the notice says of the run before, and lines that come before it.
    """

    def __init__(
        self, name: str, lines: Lines, rows: Sequence[Row], texts: RowTexts | None = None
    ) -> None:
        """Take rows; those that are indexes are cleaned lines, by default the raw ones."""
        self.filter, self.lines, self._rows = name, lines, rows
        self._written = texts_of(rows, lines.texts if texts is None else texts)
        self.tokens = self.tokens_raw = 0
        self.again = ""
        self.gone: list[str] = []

    @cached_property
    def shown(self) -> list[Shown]:
        return [
            Shown(RAW, text, (row + 1,)) if isinstance(row, int) else row
            for row, text in zip(self._rows, self._written, strict=True)
        ]

    @cached_property
    def shortened(self) -> int:
        return len(self._short)

    @cached_property
    def hidden(self) -> int:
        return self._there.count(0)

    @cached_property
    def regrouped(self) -> int:
        """How many lines are merged into others that say all of it."""
        return len({n for row in self._made if row.kind == WHOLE for n in row.numbers})

    @cached_property
    def dropped(self) -> list[tuple[int, int]]:
        """The ranges of line numbers whose text is nowhere, not even shortened."""
        return [(gap.start() + 1, gap.end()) for gap in _NOT_SHOWN.finditer(self._there)]

    @property
    def changed_stream(self) -> str:
        """The stream of the first line that is not shown as it is."""
        changed = [row.numbers[0] for row in self.shown if row.kind != RAW]
        first = min([first for first, _ in self.dropped[:1]] + changed, default=1)
        return self.lines.stream(first)

    @cached_property
    def _there(self) -> Mask:
        return mask_of([*self._whole, *self._short], len(self.lines))

    @cached_property
    def _whole(self) -> list[int]:
        """The indexes of the lines that are shown whole."""
        found = [row for row in self._rows if isinstance(row, int)]
        return found + [n - 1 for row in self._made if row.kind == WHOLE for n in row.numbers]

    @cached_property
    def _short(self) -> list[int]:
        return [n - 1 for row in self._made if row.kind == SHORT for n in row.numbers]

    @cached_property
    def _made(self) -> list[Shown]:
        """The rows that are not a raw line as it is."""
        return [row for row in self._rows if not isinstance(row, int)]

    def text(self, stream: str | None = None) -> str:
        """The printed lines, of one stream or of both; the notice is not among them."""
        if stream is not None and 0 < self.lines.out_count < len(self.lines):
            pairs = zip(self._rows, self._written, strict=True)
            return _joined([text for row, text in pairs if self.stream(row) == stream])
        return self._text if stream in (None, self.lines.stream(1)) else ""

    @cached_property
    def _text(self) -> str:
        return _joined(self._written)

    def stream(self, row: Row) -> str:
        """The stream that a row belongs to: that of the first line it stands for."""
        return self.lines.stream(numbers_of(row)[0])


class Compaction:
    """What `laconic.compact` returns: the text to read, and what is not in it.

    hidden: the ranges of line numbers that are not shown, first and last, counted from 1. notice:
    the line that says so. filter: the id of the filter, or `generic`.
    """

    __slots__ = ("filter", "hidden", "notice", "text")

    def __init__(
        self, text: str, hidden: tuple[tuple[int, int], ...], notice: str, filter_id: str
    ) -> None:
        self.text, self.hidden, self.notice, self.filter = text, hidden, notice, filter_id

    def __repr__(self) -> str:
        return f"Compaction({self.text!r}, {self.hidden}, {self.notice!r}, {self.filter!r})"

    def __str__(self) -> str:
        return f"{self.text}{self.notice}" if self.notice else self.text.removesuffix("\n")


def shortened(row: int, text: str, short: str) -> Row:
    """The row of a line with this text in a shorter form, if it is one."""
    return Shown(SHORT, short, (row + 1,)) if len(short) < len(text) else row


def texts_at(rows: Iterable[Row], lines: Lines) -> Written:
    """The texts of all these rows: of a large output they are few, and looked up many times."""
    return Written(lines.at(sorted([row for row in rows if isinstance(row, int)])).items())


def texts_of(rows: Iterable[Row], texts: RowTexts) -> list[str]:
    if isinstance(texts, Written):
        return list(map(texts.__getitem__, rows))
    return [texts[row] if isinstance(row, int) else row.text for row in rows]


def _joined(texts: Iterable[str]) -> str:
    return "\n".join([*texts, ""])


def numbers_of(row: Row) -> Sequence[int]:
    return (row + 1,) if isinstance(row, int) else row.numbers
