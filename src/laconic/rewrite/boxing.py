"""Where the box begins on a line: before single commands, or around the whole of it.

A command in the box can change the files of its project: it may put a link where a later command
reads or writes. So whatever runs after it, or beside it, is in the box as well, unless it opens
nothing that the box can change; and files are opened by the shell itself only before that.
"""

from __future__ import annotations

import posixpath
from functools import cache

from laconic.knowledge.traits import detailed, named
from laconic.patterns import pattern
from laconic.rewrite.doubts import BUILTINS, special_in_front
from laconic.rewrite.pipes import is_line_tool
from laconic.shell.ast import Compound, Function, Loop, Pipeline
from laconic.shell.walk import commands, redirects
from laconic.shell.words import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from laconic.shell.ast import Assignment, Command, Node, Redirect, Script, Word
    from laconic.shell.walk import Occurrence

# Parts of the shell, and a program, that open no files by their words. A `cd` is looked at apart.
_OPEN_NOTHING = frozenset(
    ": [ break continue echo exit export false local printf pwd return set shift sleep test true"
    " unset wait".split()
)
# They only read the files that they name.
_READERS = frozenset("cat head ls tail wc".split())
_SINKS = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"))
_FILES = frozenset((">", ">>", ">|", "&>", "&>>", "<>", "<", ">&", "<&"))
# The box looks at variables of these names when it is made; Surroundings has the others.
_OF_THE_BOX = pattern(r"\b(?:LACONIC|GIT)_[A-Z]")
# Options of curl without a value that concern no file, and addresses without patterns.
_CURL_PRINTS = pattern(
    r"-[sSfLkv46gi]+|--(?:silent|show-error|fail|fail-with-body|location|compressed|globoff|include"
    r"|http1\.1|http2|ipv4|ipv6|no-progress-meter)|https?://[^\s\[\]{}]+"
)
_MOST_DIRECTORIES = 8
_OWN_NAMES = frozenset(("laconic", "laconic-py"))
# They change their process or its jobs for the commands after them; the last are often functions.
_CHANGE_THE_PROCESS = frozenset(
    "exec umask ulimit fg bg disown wait nvm conda mamba activate deactivate pyenv rbenv".split()
)


class Surroundings:
    """What is known of the place.

    cwd: where the line begins. variables: names of those that tell the box what to hide.
    is_inside: whether a path is in the project. is_reached: whether a command in the box could
    change it. is_hidden: whether the box has something else there. is_absent: whether that also
    holds for a command that names the path; it is told whether the shell makes that file first.
    """

    __slots__ = ("cwd", "is_absent", "is_hidden", "is_inside", "is_reached", "variables")

    def __init__(
        self,
        cwd: str,
        variables: Iterable[str],
        is_inside: Callable[[str], bool],
        is_reached: Callable[[str], bool],
        is_hidden: Callable[[str], bool],
        is_absent: Callable[[str, bool], bool],
    ) -> None:
        self.cwd, self.variables = cwd, frozenset(variables)
        self.is_inside, self.is_reached = is_inside, is_reached
        self.is_hidden, self.is_absent = is_hidden, is_absent


def box_starts(
    script: Script, needed: Iterable[int], around: Surroundings
) -> frozenset[int] | None:
    """Return the starts of the commands to run in the box; None if they cannot be taken one by one.

    needed: offsets of what has to run there.
    """
    everything = commands(script)
    boxed = _owners(everything, needed)
    if not boxed or _names_of_the_box(script, around):
        return None
    first = min(boxed, key=lambda one: one.command.end)
    order = _Order(script, everything, first)
    later = [one for one in everything if not order.is_before(one.command)]
    boxed += [one for one in later if one not in boxed and not _opens_nothing(one, around)]
    if any(around.is_hidden(path) for path in _directories(everything, around)):
        return None
    if not all(_can_be_boxed(one, order.functions) for one in boxed):
        return None
    if not all(order.is_before(r) or _is_harmless(r, around) for r in redirects(script)):
        return None
    return frozenset(one.command.start for one in boxed)


def owners(script: Script, offsets: Iterable[int]) -> frozenset[int]:
    """Return the starts of the innermost commands around these offsets."""
    everything = commands(script)
    groups = (_owners(everything, [offset]) for offset in offsets)
    return frozenset(one.command.start for some in groups for one in some)


def writes_by_itself(script: Script) -> bool:
    """Tell whether the shell itself opens a file to write it, before any program starts."""
    return any(
        redirect.operator not in ("<", "<&") and not _is_stream_or_sink(redirect)
        for redirect in redirects(script)
    )


def is_meant_outside(script: Script) -> bool:
    """Tell whether something on the line is to run outside: `laconic run --outside`."""
    for one in commands(script):
        words = [literal(word) for word in one.command.words]
        if words and words[0] in _OWN_NAMES and "--outside" in words:
            return True
    return False


def names_hidden(script: Script, needed: Iterable[int], around: Surroundings) -> bool:
    """Tell whether a command that has to run in the box names something that is not there."""
    words = [w for one in _owners(commands(script), needed) for w in one.command.words]
    made = {literal(r.target) for r in redirects(script) if r.operator in (">", ">>", ">|")}
    return any(around.is_absent(path, path in made) for word in words for path in _paths(word))


def _names_of_the_box(script: Script, around: Surroundings) -> bool:
    """Tell whether the line speaks of variables that could make the box another one."""
    source = script.source.decode("latin-1")
    return bool(_OF_THE_BOX.search(source)) or any(name in source for name in around.variables)


def _paths(word: Word | Assignment) -> list[str]:
    """Return the absolute paths that a word may name, also after an option's `=`."""
    text = literal(word) or ""
    return [piece for piece in (text, text.partition("=")[2]) if piece.startswith("/")]


def _owners(everything: list[Occurrence], needed: Iterable[int]) -> list[Occurrence]:
    """Return the innermost commands around these offsets; none if one of them is in no command."""
    innermost_ones: list[Occurrence] = []
    for offset in needed:
        around = [one for one in everything if one.command.start <= offset < one.command.end]
        if not around:
            return []
        innermost = max(around, key=lambda one: one.command.start)
        if innermost not in innermost_ones:
            innermost_ones.append(innermost)
    return innermost_ones


class _Order:
    """What is certain to be over when the first command in the box begins."""

    def __init__(self, script: Script, everything: list[Occurrence], first: Occurrence) -> None:
        nodes = script.nodes()
        self.functions = frozenset(node.name for node in nodes if isinstance(node, Function))
        self._first = first.command
        at_once = [
            node.start
            for node in nodes
            if _repeats_or_pipes(node) and node.start <= first.command.start < node.end
        ]
        self._begin = min(at_once, default=first.command.start)
        self._is_alone = not at_once
        names = [literal(one.command.words[0]) for one in everything if one.command.words]
        if self.functions or "trap" in names or any(map(_outlives, everything)):
            self._begin, self._is_alone = 0, False

    def is_before(self, node: Command | Redirect) -> bool:
        """Tell whether it is over: also what the first command's own words run and open."""
        if node.end <= self._begin:
            return True
        is_inside = self._first.start <= node.start and node.end <= self._first.end
        return self._is_alone and is_inside and node is not self._first


def _outlives(one: Occurrence) -> bool:
    """Tell whether nobody waits for it before the next command runs."""
    return one.context.background or one.context.substitution in ("<(", ">(")


def _repeats_or_pipes(node: Node) -> bool:
    if isinstance(node, Pipeline):
        return len(node.commands) > 1
    is_loop = isinstance(node, Compound) and node.kind in ("while", "until")
    return is_loop or isinstance(node, Loop)


def stays_inside(script: Script, around: Surroundings) -> bool:
    """Tell whether the whole line runs in the project: it goes nowhere, or there at first.

    Where a later `cd` leads, a command in the box could have put a link to another project.
    """
    programs = [one for one in commands(script) if one.command.words]
    moves = [one for one in programs if literal(one.command.words[0]) in named("enters")]
    if not moves:
        return True
    places = _directories(moves, around)
    is_first = len(moves) == 1 and not script.source[: moves[0].command.start].strip()
    return is_first and len(places) > 1 and all(map(around.is_inside, places))


def _directories(everything: list[Occurrence], around: Surroundings) -> list[str]:
    """Return the directories that a `cd` of the line may lead to, where that is certain."""
    reached = [around.cwd]
    for one in everything:
        words = [literal(word) for word in one.command.words]
        target = words[1] if words[:1] == ["cd"] and len(words) == 2 else None  # noqa: PLR2004
        if target and target != "-" and len(reached) < _MOST_DIRECTORIES:
            there = [posixpath.join(place, target) for place in reached]
            reached += [*there, *map(posixpath.normpath, there)]  # where `..` leads is not known
    return reached


def _opens_nothing(one: Occurrence, around: Surroundings) -> bool:
    """Tell whether it opens nothing that a command in the box could have changed."""
    command = one.command
    if not command.words:
        return True
    words = [literal(word) for word in command.words]
    name = words[0]
    if name == "cd" or name in _OPEN_NOTHING or is_line_tool(command):
        return True
    if name == "curl":
        return _only_prints(words[1:])
    if name in _OWN_NAMES:
        return words[1:3] == ["run", "--box"]
    if name in _READERS:
        files = [word for word in words[1:] if word is None or not word.startswith("-")]
        has_input = bool(files) or name != "ls"  # else they read what a redirect opens
        return has_input and all(_is_out_of_reach(word, around) for word in files)
    return False


def _only_prints(words: list[str | None]) -> bool:
    """Tell whether curl prints what it fetches, and opens no file of a project (man 1 curl)."""
    return all(word is not None and _CURL_PRINTS.fullmatch(word) for word in words)


def _is_out_of_reach(path: str | None, around: Surroundings) -> bool:
    return path is not None and path.startswith("/") and not around.is_reached(path)


def _can_be_boxed(one: Occurrence, functions: frozenset[str]) -> bool:
    command, context = one.command, one.context
    if context.substitution or context.function or not command.words:
        return False
    name = literal(command.words[0])
    if name == "command" and len(command.words) > 1:
        name = literal(command.words[1])
    if not name or name in BUILTINS or name in functions or name in _OWN_NAMES:
        return False
    return not special_in_front(command)


def _is_harmless(redirect: Redirect, around: Surroundings) -> bool:
    """Tell whether it opens nothing that a command in the box could have changed."""
    if _is_stream_or_sink(redirect):
        return True
    return redirect.operator != ">&" and _is_out_of_reach(literal(redirect.target), around)


def _is_stream_or_sink(redirect: Redirect) -> bool:
    """Tell whether it opens no file: here-documents, other descriptors, /dev/null."""
    if redirect.heredoc is not None or redirect.operator not in _FILES:
        return True
    target = literal(redirect.target)
    if target is None:
        return False
    is_stream = target == "-" or target.rstrip("-").isdigit()
    return target in _SINKS or (is_stream and redirect.operator in (">&", "<&"))


def changes_its_shell(script: Script) -> bool:
    """Tell whether it may change the shell that it runs in: then that cannot be another one."""
    has_function = any(isinstance(node, Function) for node in script.nodes())
    return has_function or any(_stays_outside(occurrence) for occurrence in commands(script))


def _stays_outside(occurrence: Occurrence) -> bool:
    context = occurrence.context
    if context.subshell or context.substitution or context.stages > 1:
        return False
    words = occurrence.command.words
    name = literal(words[0]) if words else ""
    return not words or name in _CHANGE_THE_PROCESS or name in _changing_the_shell()


@cache
def _changing_the_shell() -> frozenset[str]:
    """Builtins that change the shell that they run in; what needs an option for it is too rare."""
    traits = "enters exports unsets declares calculates runs changes fills".split()
    return named(*traits) - frozenset(n for n, option in detailed("fills").items() if option)
