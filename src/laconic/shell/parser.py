"""Reads pipelines and lists of commands; `parse` is the only way in.

https://www.gnu.org/software/bash/manual/html_node/Shell-Commands.html
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from laconic.patterns import pattern
from laconic.shell.ast import (
    AndOr,
    Command,
    Coproc,
    Function,
    Mark,
    Pipeline,
    Script,
    Sequence,
    Word,
)
from laconic.shell.compound import FUNCTION, CompoundReader
from laconic.shell.scanner import ParseError
from laconic.shell.simple import ASSIGNING, ASSIGNMENT, DELIMITED, plain

_INTERNAL = pattern(rb"[\0\x01\x7f]")
_TIME_OPTION = pattern(r"(?:-p|--)" + DELIMITED)
_ASSIGNING_NAME = pattern(f"(?:{'|'.join(sorted(ASSIGNING))})" + DELIMITED)
_KEPT_BYTES = 4096
# Of a text that cannot be parsed: how many pieces of it, and how often its length, are tried.
_MOST_PIECES = 40
_MOST_READ = 3


def parse(source: bytes | str) -> Script:
    """Parse a command line or script, or raise ParseError. The only way in.

    The trees of the last few short texts are kept: gate, rewrite and log ask for the same text.
    """
    return _parsed(source) if len(source) <= _KEPT_BYTES else _parse(source)


def _parse(source: bytes | str) -> Script:
    try:
        raw = source if isinstance(source, bytes) else source.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise ParseError("not valid Unicode", error.start) from None
    if odd := _INTERNAL.search(raw):
        name = "NUL byte" if odd[0] == b"\0" else "control character that bash uses internally"
        raise ParseError(name, odd.start())
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ParseError("not valid UTF-8", error.start) from None
    parser = Parser(raw.decode("latin-1"))
    try:
        body = parser.program()
    except RecursionError:
        raise ParseError("nesting is too deep", parser.pos) from None
    return Script(raw, body, tuple(parser.marks))


def parse_pieces(source: bytes) -> Iterator[Script]:
    """Yield what a shell may run of a text that `parse` refuses; each piece keeps its place in it.

    bash reads and runs a text line by line, or as many lines as a list of commands takes, and so
    has run all that comes before an error; a here-document may end with the text. What follows a
    line that cannot be read counts as well, because another shell may read that line. Characters
    that cannot be read are left out. The work is bounded, whatever the text.
    https://www.gnu.org/software/bash/manual/html_node/Shell-Operation.html
    """
    known = _INTERNAL.sub(b"", source.decode("utf-8", "replace").encode())
    text = known.decode("latin-1") + "\n"
    start, left, extglob, backtracks = 0, _MOST_READ * len(text), False, 0
    for _ in range(_MOST_PIECES):
        parser = Parser(text)
        parser.pos = parser.begin = start
        parser.is_open_ended, parser.extglob, parser.backtracks = True, extglob, backtracks
        parser.newlines()
        start = parser.pos
        try:
            parser.program()
            failed_at = len(text)
        except (ParseError, RecursionError) as error:
            failed_at = error.offset if isinstance(error, ParseError) else parser.pos
        read_to, count, marks = parser.complete
        if count:
            items, separators = tuple(parser.items[:count]), tuple(parser.separators[:count])
            body = Sequence(items[0].start, items[-1].end, items, separators)
            yield Script(known, body, tuple(parser.marks[:marks]))
        left -= failed_at - start
        if 0 <= parser.ran_on < read_to:
            start = parser.ran_on
        else:
            start = text.find("\n", max(read_to, start)) + 1
        extglob, backtracks = parser.extglob, parser.backtracks
        if not 0 < start < len(text) or left < 0:
            return


_parsed = lru_cache(maxsize=16)(_parse)


def forget() -> None:
    """Forget the kept trees, to measure what parsing costs."""
    _parsed.cache_clear()


class Parser(CompoundReader):
    """The grammar, by recursive descent; each method leaves `pos` after what it read.

    complete: how far the lines of the text itself are read that no later one can change, and how
    many of its items, separators and marks they have.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.complete = 0, 0, 0
        self.items: list[AndOr] = []
        self.separators: list[Mark | None] = []

    def pipeline(self) -> Pipeline:
        self.blanks()
        start, negations, timed = self.pos, 0, False
        while (word := self.reserved()) in ("!", "time"):
            if self.looking_at("!("):
                raise self.fail("!( may be a pattern or a negated subshell")
            is_first = self.pos == self.opening
            self.take(len(word))
            self.blanks()
            if word == "!":
                negations += 1
            else:
                timed = True
                if is_first:
                    self._refuse_odd_time()
                for option in ("-p", "--"):
                    if _TIME_OPTION.match(self.text, self.pos, self.end) and self.looking_at(
                        option
                    ):
                        self.take(len(option))
                        self.blanks()
                if self.peek() == "-":
                    raise self.fail("time: one option more than bash takes")
            if self.pos >= self.end or self.text[self.pos] in ";&\n)":
                raise self.fail("empty pipeline")
        commands, operators = [self.command(word)], []
        while True:
            behind, marks = self.pos, len(self.marks)
            self.blanks()
            if self.peek() != "|" or self.looking_at("||"):
                self.pos = behind
                del self.marks[marks:]
                break
            operators.append(self._pipe())
            word = self.reserved()
            if word == "!":
                raise self.fail("! inside a pipeline")
            # `time` after a pipe is the program, not the reserved word
            is_program = word == "time"
            commands.append(
                self.simple(reserved_is_plain=True) if is_program else self.command(word)
            )
        return Pipeline(start, self.pos, negations, timed, tuple(commands), tuple(operators))

    def _refuse_odd_time(self) -> None:
        """Refuse `$(time ..` where it matters that older versions take `time` for the program."""
        if (
            self.peek() in ("(", "-")
            or self.reserved()
            or ASSIGNMENT.match(self.text, self.pos, self.end)
            or FUNCTION.match(self.text, self.pos, self.end)
            or _ASSIGNING_NAME.match(self.text, self.pos, self.end)
        ):
            raise self.fail("time at the start of a substitution")

    def _pipe(self) -> Mark:
        if self.looking_at("|&>"):
            raise self.fail("unexpected |&>")
        mark = self.take(2 if self.looking_at("|&") else 1)
        self.refuse_split("|&")
        self.newlines()
        return mark

    def and_or(self) -> AndOr:
        pipelines, operators = [self.pipeline()], []
        while True:
            behind, marks = self.pos, len(self.marks)
            self.blanks()
            if not (self.looking_at("&&") or self.looking_at("||")):
                self.pos = behind
                del self.marks[marks:]
                break
            operators.append(self.take(2))
            self.newlines()
            pipelines.append(self.pipeline())
        return AndOr(pipelines[0].start, self.pos, tuple(pipelines), tuple(operators))

    def sequence(self, stop: frozenset[str], *, may_be_empty: bool = False) -> Sequence:
        self.newlines()
        start = self.pos
        items: list[AndOr] = []
        separators: list[Mark | None] = []
        while not self._at_stop(stop):
            if self.pos >= self.end:
                if stop:
                    raise self.fail("unexpected end, missing " + " or ".join(sorted(stop)))
                break
            items.append(self.and_or())
            separator = self._list_separator(stop, items[-1])
            separators.append(separator)
            if separator is None:
                break
            if not stop and self.depth == 0:
                if separator.text == "\n" and _turns_extglob_on(items[-1]):
                    self.extglob = True
                if self.text.find("\n", separator.start, self.pos) >= 0:
                    self.complete = self.pos, len(items), len(self.marks)
                    self.items, self.separators = items, separators
        if not items and not may_be_empty:
            raise self.fail("a command is expected")
        if items:
            return Sequence(items[0].start, items[-1].end, tuple(items), tuple(separators))
        return Sequence(start, start, (), ())

    def _list_separator(self, stop: frozenset[str], item: AndOr) -> Mark | None:
        """Read the separator after a list and the newlines after it; None where the list ends."""
        self.blanks()
        char = self.peek()
        if char == "\n":
            mark = Mark(self.pos, self.pos + 1, "\n")
            self.newlines()
            return mark
        if char == ";" and ";;" in stop and (self.looking_at(";;") or self.looking_at(";&")):
            return None
        if char == ";":
            mark = self.separator()
            self.newlines()
            return mark
        if char == "&":
            mark = self.take(1)
            self.refuse_split("&>")
            self.newlines()
            return mark
        if char and not self._at_stop(stop):
            raise self.fail(f"unexpected {char!r}")
        if char and char != ")" and _ends_in_redirect(item):
            raise self.fail("a reserved word right after a redirect is an ordinary word")
        return None

    def _at_stop(self, stop: frozenset[str]) -> bool:
        char = self.peek()
        if char == ")":
            if ")" not in stop:
                raise self.fail("unexpected )")
            return True
        if char == ";":
            return ";;" in stop and (self.looking_at(";;") or self.looking_at(";&"))
        return bool(stop) and self.reserved() in stop


def _ends_in_redirect(item: AndOr) -> bool:
    command = item.pipelines[-1].commands[-1]
    while isinstance(command, Function | Coproc):
        command = command.body
    return bool(command.redirects)


def _turns_extglob_on(item: AndOr) -> bool:
    """`shopt -s extglob` on a line of its own: from the next line on bash reads extended globs."""
    pipeline = item.pipelines[0]
    command = pipeline.commands[0]
    if len(item.pipelines) > 1 or len(pipeline.commands) > 1 or not isinstance(command, Command):
        return False
    words = [plain(word) if isinstance(word, Word) else None for word in command.words]
    return words == ["shopt", "-s", "extglob"] and not command.assignments
