"""A position in the text and the smallest steps: blanks, comments, newlines, here-documents.

https://www.gnu.org/software/bash/manual/html_node/Shell-Operation.html
"""

from __future__ import annotations

import abc

from laconic.patterns import pattern
from laconic.shell.ast import Literal, Mark, Substitution, nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.shell.ast import Heredoc, Part, Sequence

META = frozenset(" \t\n|&;()<>")
MAX_DEPTH = 80  # ten Python frames a level stay below the interpreter's limit of 1000

_BLANKS = pattern(r"(?:[ \t]+|\\\n)+")
_CONTINUATIONS = pattern(r"(?:\\\n)+")
_LEADING_TABS = pattern(r"(?m)^\t+")


class ParseError(Exception):
    """The text is not valid bash, or not certain enough to be read; offset says where."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(f"{message} (at byte {offset})")
        self.message, self.offset = message, offset


class Scanner(abc.ABC):
    """A position in the text; `end` bounds what may be read, `begin` is where this text began."""

    def __init__(self, text: str) -> None:
        self.text, self.pos, self.begin, self.end = text, 0, 0, len(text)
        self.depth = 0
        self.substitutions = 0  # how many of `$(`, `<(`, `>(` are open
        self.opening = -1  # where the innermost of them began its first command
        self.backtracks = 0
        self.extglob = False
        self.is_open_ended = False  # a here-document without its last line goes on to the end
        self.ran_on = -1  # where the body of the first such began
        self.awaited: list[Heredoc] = []  # here-documents whose bodies begin at the next newline
        self.marks: list[Mark] = []

    @abc.abstractmethod
    def sequence(self, stop: frozenset[str], *, may_be_empty: bool = False) -> Sequence:
        """Read commands up to (not including) a token of stop, or the end if stop is empty."""

    @abc.abstractmethod
    def quoted_parts(self, close: str) -> tuple[Part, ...]:
        """Read the inside of double quotes (close is `"`) or a here-document's body (empty)."""

    # -- small steps

    def fail(self, message: str, offset: int | None = None) -> ParseError:
        return ParseError(message, min(self.pos if offset is None else offset, self.end))

    def peek(self) -> str:
        return self.text[self.pos] if self.pos < self.end else ""

    def looking_at(self, text: str) -> bool:
        return self.text.startswith(text, self.pos, self.end)

    def take(self, length: int) -> Mark:
        """Step over an operator or reserved word and remember it."""
        start, self.pos = self.pos, self.pos + length
        mark = Mark(start, self.pos, self.text[start : self.pos])
        self.marks.append(mark)
        return mark

    def close(self, start: int, opening: str, closing: str) -> None:
        if self.peek() != closing:
            raise self.fail(f"{opening} without its {closing}", start)
        self.take(1)

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.fail("nesting is too deep")

    def refuse_split(self, following: str) -> None:
        """Refuse an operator that a line continuation might glue to the next character."""
        gap = _CONTINUATIONS.match(self.text, self.pos, self.end)
        if gap and gap.end() < self.end and self.text[gap.end()] in following:
            raise self.fail("operator split by a line continuation")

    # -- blanks, comments, newlines

    def blanks(self) -> None:
        """Skip blanks and line continuations, and a comment that begins here."""
        text, start = self.text, self.pos
        if start >= self.end or text[start] not in " \t\\#":
            return
        if text[start] == " " and start + 1 < self.end and text[start + 1] not in " \t\\#":
            self.pos = start + 1  # one blank, as nearly everywhere
            return
        gap = _BLANKS.match(text, start, self.end)
        pos = gap.end() if gap else start
        self.pos = pos
        if pos == self.end or text[pos] != "#":
            return
        if pos > start or pos == self.begin or text[pos - 1] in META:
            newline = text.find("\n", pos, self.end)
            self.take((self.end if newline < 0 else newline) - pos)

    def newline(self) -> None:
        self.pos += 1
        if self.awaited:
            self._heredoc_bodies()

    def newlines(self) -> None:
        self.blanks()
        while self.pos < self.end and self.text[self.pos] == "\n":
            self.newline()
            self.blanks()

    # -- here-documents

    def _heredoc_bodies(self) -> None:
        awaited, self.awaited = self.awaited, []
        for heredoc in awaited:
            heredoc.start = self.pos
            line = self._heredoc_close(heredoc)
            heredoc.end = line.start
            heredoc.close = line
            if not heredoc.quoted:
                end, self.end = self.end, line.start
                heredoc.parts = self.quoted_parts("")
                self.end = end
                self._refuse_continued_body(heredoc)
            elif heredoc.end > heredoc.start:
                body = self.text[heredoc.start : heredoc.end]
                if heredoc.strip_tabs:
                    body = _LEADING_TABS.sub("", body)
                heredoc.parts = (Literal(heredoc.start, heredoc.end, body),)
            self.pos = min(line.end + 1, self.end)

    def _refuse_continued_body(self, heredoc: Heredoc) -> None:
        """bash joins continued lines of the body before it reads the substitutions in it."""
        is_continued = "\\\n" in self.text[heredoc.start : heredoc.end]
        if is_continued and any(isinstance(node, Substitution) for node in nodes(heredoc)):
            raise self.fail("line continuation and substitution in a here-document", heredoc.start)

    def _heredoc_close(self, heredoc: Heredoc) -> Mark:
        """Find the line that ends it; unless the delimiter is quoted, lines may be continued."""
        text, pos = self.text, self.pos
        while pos < self.end:
            start, line = pos, ""
            while True:
                newline = text.find("\n", pos, self.end)
                stop = self.end if newline < 0 else newline
                piece, pos = text[pos:stop], stop + 1
                if newline < 0 or heredoc.quoted or not _ends_in_backslash(piece):
                    break
                line += piece[:-1]
            line += piece
            if heredoc.strip_tabs:
                line = line.lstrip("\t")
            if line == heredoc.delimiter:
                return Mark(start, stop, text[start:stop])
            if self.substitutions and line.startswith(heredoc.delimiter) and ")" in line:
                # bash ends the body here, too, and runs the rest of the line
                # https://www.gnu.org/software/bash/manual/html_node/Redirections.html#Here-Documents
                raise self.fail("a line that may end the here-document in a substitution", start)
        if not self.is_open_ended:
            raise self.fail("here-document without its closing line")
        if self.ran_on < 0:
            self.ran_on = heredoc.start
        return Mark(self.end, self.end, "")


def _ends_in_backslash(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1
