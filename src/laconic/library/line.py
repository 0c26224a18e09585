"""A command line as rules see it: every program in it, also after wrappers and in nested code.

What is read here decides whether a rule is about a command, so it is read generously: an option of
a wrapper that is not known counts as a flag, and a program is found by its base name. Whether a
command is harmless is for the gate to say (laconic.policy), which reads strictly.
"""

from __future__ import annotations

from posixpath import join, normpath

from laconic.errors import LaconicError
from laconic.knowledge.arguments import Argument, Values, expand
from laconic.patterns import pattern
from laconic.shell import ParseError, parse
from laconic.shell.ast import Loop, Word
from laconic.shell.walk import commands
from laconic.shell.words import assigned, literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.shell.ast import Assignment, Command, Redirect, Script
    from laconic.shell.walk import Occurrence

MAX_DEPTH = 8
_MOST_POSSIBLE = 16
_PRINTERS = frozenset(("echo", "printf"))  # `$(echo x)` is x
_NO_VALUES = Values()
MAX_LENGTH = 256 * 1024
_NO_HOME = "/home/.nobody"

# Programs that run another one: their options that take a value (sudo(8), env(1), xargs(1), ..),
# and how many operands come before the command.
_WRAPPERS: dict[str, tuple[frozenset[str], int]] = {
    name: (frozenset(options.split()), operands)
    for name, options, operands in (
        ("sudo", "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir", 0),
        ("doas", "-u -C", 0),
        ("env", "-u -C -S --unset --chdir --split-string", 0),
        ("xargs", "-a -d -E -I -J -L -n -P -R -s --arg-file --delimiter --max-args --max-procs", 0),
        ("nice", "-n --adjustment", 0),
        ("ionice", "-c -n -p --class --classdata", 0),
        ("stdbuf", "-i -o -e --input --output --error", 0),
        ("timeout", "-s -k --signal --kill-after", 1),
        ("time", "-f -o --format --output", 0),
        ("exec", "-a", 0),
        ("chrt", "-T -P -D", 1),
        ("flock", "-w -E --timeout --conflict-exit-code", 1),
        ("chroot", "", 1),
        ("strace", "-o -e -p -s -u", 0),
        ("uv run", "--with --extra --group --python -p --project --directory --env-file", 0),
        ("direnv exec", "", 1),
        ("docker exec", "-e -u -w --env --user --workdir --env-file", 1),
        ("podman exec", "-e -u -w --env --user --workdir --env-file", 1),
        ("rtk proxy", "", 0),
        *((name, "", 0) for name in (
            "nohup", "setsid", "command", "builtin", "noglob", "nocorrect", "caffeinate", "chronic",
            "unbuffer", "busybox", "toybox", "catchsegv", "pkexec", "poetry run", "pdm run",
            "pipenv run", "hatch run", "rye run", "pixi run", "bundle exec", "mise exec",
        )),
        ("taskset", "", 1),
    )
}  # fmt: skip
_WRAPPING = frozenset(name.partition(" ")[0] for name in _WRAPPERS)
_SHELLS = frozenset("sh bash dash zsh ksh ash rbash".split())
_PYTHON = pattern(r"(?:python|pypy)[0-9.]*|py")
_ASSIGNED = pattern(r"[A-Za-z_][A-Za-z0-9_]*=")
_BETWEEN_COMMANDS = pattern(r"[\n;&|()]+")
_IFS = pattern(r"\$(?:IFS(?!\w)|\{IFS(?:[^\w}][^}]*)?\})(?:\$[0-9@*])?")  # white space
_MARKS = pattern(r"['\"\\`]|[\x00-\x1f\x7f]")
_RUNNING_PRIMARIES = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
# Options that come before a subcommand and take a value (git(1), cargo(1), npm-config(7)).
_BEFORE_SUBCOMMAND = {
    "git": frozenset("-C -c --git-dir --work-tree --namespace --config-env --attr-source".split()),
    "cargo": frozenset("--color --config -Z -C".split()),
    "npm": frozenset("--prefix -C --workspace -w --loglevel --registry --cache".split()),
}


class Written:
    """A text as it was written, and where. began_in: where the outermost line begins.

    Invocations refer to it, not to their line, which refers to them: only the collector of garbage
    would free such a circle.
    """

    __slots__ = ("began_in", "cwd", "home", "source")

    def __init__(self, source: bytes, cwd: str, home: str, began_in: str) -> None:
        self.source, self.cwd, self.home, self.began_in = source, cwd, home, began_in


class Invocation:
    """One program that a line would run, with its arguments.

    written: the text that it is in. program: its base name; `pip` for `python -m pip`. name: as it
    is written. start, end: its bytes in that text, from the program to its last argument;
    program_end: where its name ends. is_editable: these bytes are in the line itself, not in code
    that an argument of another program holds. variables: the names that are set for it alone.
    directories: where it may run, as far as `cd` says. reader: the words of the command that its
    output is piped into, empty for none.
    """

    __slots__ = (
        "arguments", "directories", "end", "is_editable", "name", "program", "program_end",
        "reader", "start", "variables", "written",
    )  # fmt: skip

    def __init__(self, written: Written, arguments: list[Argument], *, is_editable: bool) -> None:
        self.written, self.is_editable = written, is_editable
        self.name = arguments[0].text or ""
        self.program = self.name.rsplit("/", 1)[-1]
        self.arguments = arguments[1:]
        self.start, self.program_end = arguments[0].start, arguments[0].end
        self.end = max(a.end for a in arguments)
        self.variables: frozenset[str] = frozenset()
        self.directories: tuple[str, ...] = ()
        self.reader: tuple[str, ...] = ()

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
        valued = _BEFORE_SUBCOMMAND.get(self.program, frozenset())
        pos = 0
        while pos < len(self.arguments):
            word = self.arguments[pos].leading
            if self.program == "cargo" and word.startswith("+"):
                pos += 1  # the toolchain
            elif word.startswith("-"):
                pos += 2 if word in valued else 1
            else:
                break
        return min(pos, len(self.arguments))


class Line:
    """A command line: its text, and all invocations in it.

    script: None if it cannot be parsed.
    """

    def __init__(
        self, text: str, cwd: str = "/", home: str = "", depth: int = 0, began_in: str = ""
    ) -> None:
        self.text, self.home, self.depth = text, home or _NO_HOME, depth
        self.source = text.encode("utf-8", "surrogateescape")
        self.written = Written(self.source, cwd, self.home, began_in or cwd)
        self.script = _parsed(self.source)
        self._directories = [cwd]
        self._variables = {"HOME": self.home, "PWD": cwd}
        possible = _looped_over(self.script) if self.script else {}
        self._values = Values(self._variables, possible, printers=_PRINTERS)
        self.invocations = list(self._found())

    def _found(self) -> Iterator[Invocation]:
        if self.script is None:
            yield from self._found_in_pieces()
            return
        if "$IFS" in self.text or "${IFS" in self.text:
            yield from self._nested(_IFS.sub(" ", self.text))
        occurrences = commands(self.script)
        for pos, occurrence in enumerate(occurrences):
            editable = self.depth == 0 and occurrence.context.substitution != "`"
            reader = _reader(occurrences, pos)
            for invocation in self._of_command(occurrence.command, is_editable=editable):
                invocation.reader = invocation.reader or reader
                yield invocation
                if reader and reader[0] in _SHELLS and invocation.program in ("echo", "printf"):
                    yield from self._nested(" ".join(invocation.words))

    def _found_in_pieces(self) -> Iterator[Invocation]:
        """Yield the commands of a text that cannot be parsed: a shell may run some of them.

        Its words are taken as they look, so that no odd character hides a program.
        """
        for piece in _BETWEEN_COMMANDS.split(self.text):
            arguments = [self._as_it_looks(word) for word in piece.split()]
            if arguments:
                yield from self._of_arguments(arguments, is_editable=False)

    def _as_it_looks(self, word: str) -> Argument:
        text = _MARKS.sub("", word)
        for name in ("$HOME", "${HOME}"):
            text = text.replace(name, self.home)
        if text == "~" or text.startswith("~/"):
            text = self.home + text[1:]
        return Argument(text, 0, len(self.source), glob="*" in text or "?" in text)

    def _of_command(self, command: Command, *, is_editable: bool) -> Iterator[Invocation]:
        if not command.words:
            for assignment in command.assignments:
                value = self._assigned(assignment)
                if value is not None and assignment.name not in ("HOME", "PWD"):
                    self._variables[assignment.name] = value
            return
        arguments = expand(command.words, self._values)
        variables = frozenset(a.name for a in command.assignments)
        for invocation in self._of_arguments(arguments, is_editable=is_editable):
            invocation.variables |= variables
            yield invocation
            if invocation.program in _SHELLS:
                for redirect in command.redirects:
                    yield from self._nested(_fed(redirect, self.source))

    def _assigned(self, assignment: Assignment) -> str | None:
        value = assigned(assignment)
        if value is None and isinstance(assignment.value, Word):
            arguments = expand((assignment.value,), self._values)
            value = arguments[0].text if len(arguments) == 1 else None
        return value

    def _of_arguments(
        self, arguments: list[Argument], *, is_editable: bool
    ) -> Iterator[Invocation]:
        """Yield what runs: the program, and those that it runs in turn."""
        for _ in range(MAX_DEPTH):
            if arguments and arguments[0].text is None:
                for name in arguments[0].possible:
                    program = Argument(name, arguments[0].start, arguments[0].end)
                    yield from self._of_arguments([program, *arguments[1:]], is_editable=False)
            if not arguments or not arguments[0].text or arguments[0].glob:
                return
            invocation = Invocation(self.written, arguments, is_editable=is_editable)
            invocation.directories = tuple(dict.fromkeys(self._directories))
            inner = _behind_wrapper(invocation)
            if inner is None:
                break
            yield invocation
            arguments = inner
        if invocation.program in ("cd", "pushd"):
            self._enter(invocation)
        yield invocation
        module = _module(invocation)
        if module is not None:
            module.directories = invocation.directories
            yield module
        if invocation.program == "find":
            for inner in _behind_exec(invocation.arguments):
                yield from self._of_arguments(inner, is_editable=False)
        for code in _code(invocation):
            yield from self._nested(code)

    def _nested(self, code: str) -> Iterator[Invocation]:
        if self.depth < MAX_DEPTH:
            began_in = self.written.began_in
            inner = Line(code, self._directories[-1], self.home, self.depth + 1, began_in)
            yield from inner.invocations

    def _enter(self, invocation: Invocation) -> None:
        targets = [a for a in invocation.arguments if not a.leading.startswith("-")]
        if not targets:
            self._directories.append(self.home)
        elif targets[0].is_static:
            self._directories.append(normpath(join(self._directories[-1], targets[0].text or "")))


def _parsed(source: bytes) -> Script | None:
    if len(source) > MAX_LENGTH:
        raise LaconicError("the command is too long to be checked")
    try:
        return parse(source)
    except ParseError:
        return None


def _looped_over(script: Script) -> dict[str, tuple[str, ...]]:
    """The values that the variables of loops may have."""
    values: dict[str, tuple[str, ...]] = {}
    for loop in script.nodes_of(Loop):
        words = expand(loop.words or (), _NO_VALUES)
        texts = tuple(word.text for word in words if word.text is not None)
        values[loop.name] = values.get(loop.name, ()) + texts[:_MOST_POSSIBLE]
    return values


def _reader(found: list[Occurrence], pos: int) -> tuple[str, ...]:
    """The words of the command that this one's output is piped into; `?` if nobody knows."""
    context = found[pos].context
    if not context.feeds_pipe:
        return ()
    for later in found[pos + 1 :]:
        if later.context.stage == context.stage + 1 and later.context.stages == context.stages:
            known = expand(later.command.words, _NO_VALUES)
            return tuple(a.text or "?" for a in known) or ("?",)
    return ("?",)


def _fed(redirect: Redirect, source: bytes) -> str:
    """The text that a here-document or a here-string feeds into a program."""
    if redirect.heredoc is not None:
        body = source[redirect.heredoc.start : redirect.heredoc.end]
        return body.decode("utf-8", "surrogateescape")
    return (literal(redirect.target) or "") if redirect.operator == "<<<" else ""


def _behind_wrapper(invocation: Invocation) -> list[Argument] | None:
    """The command that a wrapper runs, None if this is not a wrapper or runs nothing."""
    program, arguments = invocation.program, invocation.arguments
    if program not in _WRAPPING:
        return None
    if program not in _WRAPPERS:
        if not arguments:
            return None
        program, arguments = f"{program} {arguments[0].text}", arguments[1:]
        if program not in _WRAPPERS:
            return None
    valued, operands = _WRAPPERS[program]
    if program == "command" and arguments and arguments[0].leading[:2] in ("-v", "-V"):
        return None  # it only says what would run
    pos = 0
    while pos < len(arguments):
        word = arguments[pos].leading
        if word == "--":
            pos += 1
            break
        if word.startswith("-") and word != "-":
            pos += 2 if word in valued else 1
        elif _ASSIGNED.match(word) and program in ("env", "sudo"):
            invocation.variables |= {word.partition("=")[0]}
            pos += 1
        else:
            break
    inner = arguments[pos + operands :]
    return inner if inner and not inner[0].leading.startswith("-") else None


def _module(invocation: Invocation) -> Invocation | None:
    """`python -m pip install`: the module as a program of its own."""
    if not _PYTHON.fullmatch(invocation.program):
        return None
    arguments = invocation.arguments
    for pos, argument in enumerate(arguments[:-1]):
        if argument.text == "-m" and arguments[pos + 1].text:
            found = Invocation(
                invocation.written, arguments[pos + 1 :], is_editable=invocation.is_editable
            )
            found.start = invocation.start
            place, slash, _ = invocation.name.rpartition("/")
            found.name = f"{place}{slash}{found.name}"  # a project's own program stays one
            return found
        if not argument.leading.startswith("-"):
            return None
    return None


def _behind_exec(arguments: list[Argument]) -> Iterator[list[Argument]]:
    """The commands that find(1) runs."""
    start = None
    for pos, argument in enumerate(arguments):
        if argument.text in _RUNNING_PRIMARIES:
            start = pos + 1
        elif start is not None and argument.text in (";", "+"):
            yield arguments[start:pos]
            start = None
    if start is not None:
        yield arguments[start:]


def _code(invocation: Invocation) -> Iterator[str]:
    """Shell code in the arguments: `bash -c`, `su -c`, `eval`, `trap`, `env -S`, `watch`."""
    program, arguments = invocation.program, invocation.arguments
    words = [a.text for a in arguments]
    if program in ("eval", "watch"):
        yield " ".join(word for word in words if word and (program == "eval" or word[0] != "-"))
    elif program == "trap" and words and words[0]:
        yield words[0]
    elif program in _SHELLS or program in ("su", "script", "flock", "runuser"):
        for pos, word in enumerate(words[:-1]):
            is_code = word == "--command" or (
                word is not None and word[:1] == "-" and word[1:2] != "-" and word.endswith("c")
            )
            following = words[pos + 1]
            if is_code and following is not None:
                yield following
    elif program == "env":
        for pos, word in enumerate(words):
            if word in ("-S", "--split-string") and pos + 1 < len(words):
                yield words[pos + 1] or ""
