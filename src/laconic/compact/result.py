"""What is shown of an output and what is not: every raw line is in one of the two."""

from __future__ import annotations

from functools import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from laconic.compact.lines import Lines, TextLines

RAW, SHORT, MADE, GAP = "raw", "short", "made", "gap"


class Shown:
    """One printed line.

    kind: a raw line (colours and overwritten text taken off), a raw line shortened, a line made of
    values captured from the output, or the mark of a gap. numbers: the raw lines it stands for.
    """

    __slots__ = ("kind", "numbers", "text")

    def __init__(self, kind: str, text: str, numbers: Sequence[int]) -> None:
        self.kind, self.text, self.numbers = kind, text, numbers

    def __repr__(self) -> str:
        return f"Shown({self.kind}, {self.text!r}, {self.numbers})"


# While the stages run: the index of a cleaned line, or a line in its place. A large output has no
# object for each of its lines.
Row = int | Shown


class Compacted:
    """A result: printed lines in order, and the ranges of raw lines that are not among them.

    tokens, tokens_raw: what it costs with its notice, and what the output as it is would cost.
    """

    def __init__(
        self, name: str, lines: Lines, rows: Sequence[Row], texts: TextLines | None = None
    ) -> None:
        """Rows that are indexes stand for cleaned lines, which are the raw ones if not given."""
        self.filter, self.lines = name, lines
        self._rows, self._texts = rows, lines.texts if texts is None else texts
        self.tokens = self.tokens_raw = 0

    @cached_property
    def shown(self) -> list[Shown]:
        return [
            Shown(RAW, self._texts[row], (row + 1,)) if isinstance(row, int) else row
            for row in self._rows
        ]

    @cached_property
    def shortened(self) -> int:
        return sum(row.kind == SHORT for row in self._rows if isinstance(row, Shown))

    @cached_property
    def hidden(self) -> int:
        whole = sum(1 for row in self._rows if isinstance(row, int))
        return len(self.lines) - whole - self.shortened

    @cached_property
    def dropped(self) -> list[tuple[int, int]]:
        """The ranges of line numbers that no raw or shortened line stands for."""
        rows = (row for row in self._rows if isinstance(row, int) or row.kind == SHORT)
        seen = sorted(numbers_of(row)[0] for row in rows)
        found: list[tuple[int, int]] = []
        expected = 1
        for number in (*seen, len(self.lines) + 1):
            if number > expected:
                found.append((expected, number - 1))
            expected = number + 1
        return found

    def text(self, stream: str | None = None) -> str:
        """The printed lines, of one stream or of both; the notice is not among them."""
        rows = self._rows
        if stream is not None and 0 < self.lines.out_count < len(self.lines):
            rows = [row for row in rows if self.stream(row) == stream]
        elif stream not in (None, self.lines.stream(1)):
            rows = []
        return "".join([f"{text}\n" for text in texts_of(rows, self._texts)])

    def stream(self, row: Row) -> str:
        """The stream that a row belongs to: that of the first line it stands for."""
        return self.lines.stream(numbers_of(row)[0])


def shortened(row: int, text: str, short: str) -> Row:
    """The row of a line with this text in a shorter form, if it is one."""
    return Shown(SHORT, short, (row + 1,)) if len(short) < len(text) else row


def texts_of(rows: Sequence[Row], texts: TextLines) -> list[str]:
    return [texts[row] if isinstance(row, int) else row.text for row in rows]


def text_of(row: Row, texts: TextLines) -> str:
    return texts[row] if isinstance(row, int) else row.text


def numbers_of(row: Row) -> Sequence[int]:
    return (row + 1,) if isinstance(row, int) else row.numbers
