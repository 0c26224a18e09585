"""A command line as rules see it: every program that the gate's reading finds in it.

What is read here decides whether a rule is about a command, so that doubts speak for it: of a text
that cannot be parsed, or that a program hands on in a way that is not certain, the words are looked
at as they stand. Whether a command is harmless is for the gate to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from laconic.errors import LaconicError
from laconic.knowledge.arguments import Argument, evaluate
from laconic.knowledge.catalog import library
from laconic.library.handed_on import (
    is_doubtful,
    is_faulty,
    is_tail,
    outermost_start,
    unjudged,
    variables,
)
from laconic.patterns import pattern
from laconic.reading.decide import forget, read_line, read_program
from laconic.reading.places import Facts
from laconic.reading.say import Say
from laconic.reading.situation import ProgramCall, Situation
from laconic.shell import ParseError, parse
from laconic.shell.ast import Script
from laconic.shell.walk import commands

MAX_LENGTH = 256 * 1024
_NO_HOME = "/home/.nobody"
_NO_NAMES: frozenset[str] = frozenset()
_SORTED = 2  # of fewer programs the order is clear: the shell, and one that it runs
_MOST_PIECES = 200  # that are read as commands; in the rest each word may be a program
_MOST_WORDS = 256  # of a command of which only the words are known
_PYTHON = pattern(r"(?:python|pypy)[0-9.]*|py")
_BETWEEN_COMMANDS = pattern(r"[\n;&|()]+")
_IFS = pattern(r"\$(?:IFS(?!\w)|\{IFS(?:[^\w}][^}]*)?\})(?:\$[0-9@*])?")  # white space
_MARKS = pattern(r"['\"\\`]|[\x00-\x1f\x7f]")


class WrittenText:
    """A text as it was written, as a tree if it is one.

    kept: where the line begins and the user's home, by any name. is_own: it is the line itself.
    Invocations refer to it, not to their line, which refers to them: only the collector of garbage
    would free such a circle.
    """

    def __init__(self, source: bytes, kept: tuple[str, ...], script: Script | None = None) -> None:
        self.source, self.kept, self.script = source, kept, script
        self.is_own = False

    def reader(self, start: int) -> tuple[str, ...]:
        """What reads the output of the command that begins there; `?` if nobody knows."""
        found = commands(self.script) if self.script is not None else []
        here = next((one.context for one in found if one.command.start == start), None)
        if here is None or not here.feeds_pipe:
            return ()
        for later in found:
            behind = later.context.stages == here.stages and later.context.stage == here.stage + 1
            if behind and later.command.start > start:
                words = evaluate(later.command.words, {})
                return tuple(word.text or "?" for word in words) or ("?",)
        return ("?",)

    def is_plain(self, start: int) -> bool:
        """Tell whether the command that begins there is written as the shell reads it."""
        found = commands(self.script) if self.script is not None and b"`" in self.source else []
        return all(e.command.start != start or e.context.substitution != "`" for e in found)


class Invocation:
    """One program that a line would run, with its arguments.

    written: the text that it is in. program: its base name; `pip` for `python -m pip`. name: as it
    is written. start, end: its bytes in that text, from the program to its last argument;
    program_end: where its name ends. is_editable: these bytes are in the line itself, and are all
    that a shell reads of it. variables: the names that are set for it alone. directories: where it
    may run, as far as `cd` says. reader: the words of the command that its output is piped into,
    empty for none.
    """

    def __init__(
        self,
        written: WrittenText,
        arguments: list[Argument],
        directories: tuple[str, ...],
        command_start: int = -1,
        *,
        may_edit: bool = False,
    ) -> None:
        self.written, self.directories = written, directories
        self.name = arguments[0].text or ""
        self.program = self.name.rsplit("/", 1)[-1]
        self.arguments = arguments[1:]
        self.start, self.program_end = arguments[0].start, arguments[0].end
        self.end = max([a.end for a in arguments])
        self.variables: frozenset[str] = _NO_NAMES
        self._command_start, self._may_edit = command_start, may_edit
        self._subcommand: int | None = None

    @property
    def is_editable(self) -> bool:
        return self._may_edit and self.written.is_plain(self._command_start)

    @property
    def reader(self) -> tuple[str, ...]:
        return self.written.reader(self._command_start)

    @property
    def words(self) -> tuple[str, ...]:
        """The arguments, as far as they are known."""
        return tuple(a.text if a.text is not None else a.leading for a in self.arguments)

    @property
    def text(self) -> str:
        """The program with its arguments, as they are written."""
        source = self.written.source[self.start : self.end]
        return source.decode("utf-8", "surrogateescape")

    def before_end(self) -> list[Argument]:
        """The arguments before `--`, after which nothing is an option."""
        for pos, argument in enumerate(self.arguments):
            if argument.text == "--":
                return self.arguments[:pos]
        return self.arguments

    def subcommand(self) -> int:
        """The position of the subcommand among the arguments; as many as there are for none."""
        if self._subcommand is None:
            self._subcommand = _subcommand(self.program, self.arguments)
        return self._subcommand

    def module(self) -> Invocation | None:
        """`python -m pip install`: the module as a program of its own."""
        if not _PYTHON.fullmatch(self.program):
            return None
        for pos, argument in enumerate(self.arguments[:-1]):
            if argument.text == "-m" and self.arguments[pos + 1].text:
                found = Invocation(
                    self.written,
                    self.arguments[pos + 1 :],
                    self.directories,
                    self._command_start,
                    may_edit=self._may_edit,
                )
                found.start, found.variables = self.start, self.variables
                place, slash, _ = self.name.rpartition("/")
                found.name = f"{place}{slash}{found.name}"  # a project's own program stays one
                return found
            if not argument.leading.startswith("-"):
                return None
        return None


class Line:
    """A command line: its text, and all invocations in it.

    script: None if it cannot be parsed. programs: what the gate has read in it, else it is read
    here, without a look at any file.
    """

    def __init__(
        self,
        text: str,
        cwd: str = "/",
        home: str = "",
        programs: list[ProgramCall] | None = None,
        also_kept: tuple[str, ...] = (),
    ) -> None:
        self.text, self.source = text, _bytes(text)
        if len(self.source) > MAX_LENGTH:
            raise LaconicError("the command is too long to be checked")
        self._facts = Facts(cwd, home or _NO_HOME)
        self._kept = (cwd, self._facts.home, *also_kept)
        self.script = _parsed(self.source)
        if programs is None:
            programs = read_line(text, library(), Say(), self._facts)
        self._written: dict[int, WrittenText] = {}
        if len(programs) > _SORTED:
            programs.sort(key=outermost_start)
        self.invocations = _different(self._found(programs))
        forget(programs)

    def _found(self, programs: list[ProgramCall]) -> Iterator[Invocation]:
        yield from self._of_programs(programs)
        if "$IFS" in self.text or "${IFS" in self.text:
            spaced = _IFS.sub(" ", self.text)
            yield from self._elsewhere(read_line(spaced, library(), Say(), self._facts))
        if any(map(is_faulty, programs[:1])):
            yield from self._in_pieces(self.text)

    def _of_programs(self, programs: list[ProgramCall]) -> Iterator[Invocation]:
        for program in programs:
            if program.situation is not None and program.arguments:
                invocation = self._of_program(program, program.situation)
                if invocation is not None:
                    yield from _with_module(invocation)
                inner = unjudged(program)
                if inner:
                    run = ProgramCall(inner, program.span, program.situation.but(program=program))
                    yield from self._of_programs([run])
                    yield from self._elsewhere(self._read(inner))
                elif is_doubtful(program):
                    yield from self._handed_on(program, program.situation)

    def _of_program(self, program: ProgramCall, situation: Situation) -> Invocation | None:
        first = program.arguments[0]
        if not first.text or first.glob:
            return None
        arguments = [a for a in program.arguments if a.start >= first.start]  # as they are written
        written = self._text_of(situation)
        directories = program.acts[0].directories if program.acts else situation.directories
        known = tuple(dict.fromkeys(filter(None, directories))) or (self._facts.cwd,)
        may_edit = (
            written.is_own
            and not (situation.guessing or first.expanded or " " in first.text)
            and (situation.program.situation is None or is_tail(program, arguments))
        )
        made = Invocation(written, arguments, known, program.span[0], may_edit=may_edit)
        if situation.prefix_env or situation.program.acts:
            made.variables = frozenset(variables(program))
        return made

    def _text_of(self, situation: Situation) -> WrittenText:
        script = situation.script
        written = self._written.get(id(script))
        if written is None:
            source = script.source if script is not None else b""
            written = self._written[id(script)] = WrittenText(source, self._kept, script)
            written.is_own = not situation.script_depth and source == self.source
        return written

    # -- texts of which only the words are known

    def _handed_on(self, program: ProgramCall, situation: Situation) -> Iterator[Invocation]:
        """Yield whatever a program may run that hands on words which were not read for certain."""
        words = program.arguments
        texts = [situation.input_text or ""]
        if situation.script is None or any(word.expanded for word in words):
            texts.append(" ".join(word.text or word.leading for word in words[1:]))
        if situation.script is not None:
            source = situation.script.source[words[0].end : max(a.end for a in words)]
            texts.append(source.decode("utf-8", "surrogateescape"))
        for text in dict.fromkeys(filter(None, texts)):
            for piece in self._pieces(text):
                yield from self._each_word(piece)

    def _in_pieces(self, text: str) -> Iterator[Invocation]:
        """Yield the commands of a text that cannot be parsed: a shell may run some of them."""
        for count, arguments in enumerate(self._pieces(text)):
            if count < _MOST_PIECES:
                yield from self._elsewhere(self._read(arguments))
            else:
                yield from self._each_word(arguments)

    def _read(self, arguments: list[Argument]) -> list[ProgramCall]:
        return read_program(arguments, library(), Say(), self._facts)

    def _elsewhere(self, programs: list[ProgramCall]) -> Iterator[Invocation]:
        yield from self._of_programs(programs)
        forget(programs)

    def _each_word(self, words: list[Argument]) -> Iterator[Invocation]:
        """Yield each word as a program, with those behind it as arguments."""
        written = WrittenText(self.source, self._kept)
        for pos, word in enumerate(words):
            name = word.behind(word.leading.rfind("=") + 1)  # `--split-string='rm x'`
            if name.leading[:1].isalnum() or name.leading[:1] in ("/", ".", "_"):
                arguments = [name, *words[pos + 1 : pos + _MOST_WORDS]]
                yield from _with_module(Invocation(written, arguments, (self._facts.cwd,)))

    def _pieces(self, text: str) -> Iterator[list[Argument]]:
        """Yield the words between what may separate commands, so that nothing odd hides one."""
        for piece in _BETWEEN_COMMANDS.split(text):
            words = [self._as_it_looks(word) for word in piece.split()]
            if words:
                yield words

    def _as_it_looks(self, word: str) -> Argument:
        text, home = _MARKS.sub("", word), self._facts.home
        for name in ("$HOME", "${HOME}"):
            text = text.replace(name, home)
        if text == "~" or text.startswith("~/"):
            text = home + text[1:]
        return Argument(text, 0, len(self.source), glob="*" in text or "?" in text)


def _parsed(source: bytes) -> Script | None:
    try:
        return parse(source)
    except ParseError:
        return None


def _different(found: Iterable[Invocation]) -> list[Invocation]:
    """The same, each once: doubtful words may be seen where they were read, too."""
    every = list(found)
    if len(every) < _SORTED:
        return every
    different: dict[tuple[str, int, tuple[str, ...]], Invocation] = {}
    for one in every:
        different.setdefault((one.program, one.end, one.words), one)
    return list(different.values())


def _with_module(invocation: Invocation) -> Iterator[Invocation]:
    yield invocation
    module = invocation.module()
    if module is not None:
        yield module


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _subcommand(program: str, arguments: list[Argument]) -> int:
    """As the tables say; the value of an option that they do not know is not taken for one."""
    if arguments and arguments[0].leading.startswith("+"):  # the toolchain: `cargo +nightly build`
        return _subcommand(program, arguments[1:]) + 1
    plain = [pos for pos, a in enumerate(arguments) if a.leading[:1] != "-"]
    match = library().find(program, arguments)
    if match is None or not plain:
        return plain[0] if plain else len(arguments)
    if match.before:
        return arguments.index(match.before[0][1].rest[0])
    first = plain[0] if match.missing is None else arguments.index(match.missing)
    known = [pos for pos in plain if first and match.branch.child(arguments[pos].text or "")]
    return known[0] if known else first
