"""Where the box begins on a line: before single commands, or around the whole of it.

A command in the box can change the files of its project: it may put a link where a later command
reads or writes. So whatever runs after it, or beside it, is in the box as well, unless it opens
nothing that the box can change; and files are opened by the shell itself only before that.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from functools import cache

from laconic.knowledge.traits import detailed, named
from laconic.patterns import pattern
from laconic.rewrite.doubts import BUILTINS, find_doubts, special_in_front
from laconic.rewrite.pipes import is_line_tool
from laconic.rewrite.segments import hides_heredoc
from laconic.shell.ast import (
    Assignment,
    Command,
    Compound,
    Coproc,
    Function,
    Loop,
    Node,
    Pipeline,
    Redirect,
    Script,
    Word,
)
from laconic.shell.walk import Occurrence, commands, redirects
from laconic.shell.words import literal

# Parts of the shell, and a program, that open no files by their words. A `cd` is looked at apart.
_OPEN_NOTHING = frozenset(
    ": [ break continue echo exit export false local printf pwd return set shift sleep test true"
    " unset wait".split()
)
# They change only what they name.
_MOVERS = frozenset("rm rmdir mkdir mv cp touch".split())
# They only read the files that they name.
_READERS = frozenset("cat head ls tail wc".split())
_SINKS = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"))
_FILES = frozenset((">", ">>", ">|", "&>", "&>>", "<>", "<", ">&", "<&"))
# The box looks at variables of these names when it is made; Surroundings has the others.
_OF_THE_BOX = pattern(r"\b(?:LACONIC|GIT)_[A-Z]")
# Options of curl that concern no file, with their values, and addresses without patterns.
_CURL_PRINTS = pattern(
    r"-[sSfLkv46giI]+|--(?:silent|show-error|fail|fail-with-body|location|compressed|globoff"
    r"|include|head|http1\.1|http2|ipv4|ipv6|no-progress-meter|retry-connrefused)"
    r"|(?:https?://)?[A-Za-z0-9][\w.-]*(?::\d+)?(?:[/?][^\s\[\]{}]*)?"
)
_LOOPBACK = pattern(r"(?:https?://)?(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/?]|$)")
_CURL_VALUES = frozenset(
    "-m --max-time --connect-timeout --retry --retry-delay --retry-max-time -w --write-out -X"
    " --request -H --header -A --user-agent -d --data --data-raw --json -o --output".split()
)
_MOST_DIRECTORIES = 8
_OWN_NAMES = frozenset(("laconic", "laconic-py"))
# They change their process or its jobs for the commands after them.
_CHANGE_THE_PROCESS = frozenset("exec umask ulimit fg bg disown wait".split())
# Often functions of the user's own shell; the last one of what the line itself sources, if it does.
_OF_THE_SHELL = frozenset("nvm conda mamba activate pyenv rbenv".split())
_DEACTIVATE = frozenset(("deactivate",))
_SOURCES = (".", "source")


class Surroundings:
    """What is known of the place.

    cwd: where the line begins. variables: names of those that tell the box what to hide.
    is_inside: whether a path is in the project. is_reached: whether a command in the box could
    change it. is_hidden: whether the box has something else there. is_absent: whether that also
    holds for a command that names the path. is_directory: whether it is there, for a `cd`.
    """

    def __init__(
        self,
        cwd: str,
        variables: Iterable[str],
        is_inside: Callable[[str], bool],
        is_reached: Callable[[str], bool],
        is_hidden: Callable[[str], bool],
        is_absent: Callable[[str], bool],
        is_directory: Callable[[str], bool] = posixpath.isdir,
    ) -> None:
        self.cwd, self.variables = cwd, frozenset(variables)
        self.is_inside, self.is_reached = is_inside, is_reached
        self.is_hidden, self.is_absent = is_hidden, is_absent
        self.is_directory = is_directory


def box_starts(
    script: Script, needed: Iterable[int], around: Surroundings
) -> frozenset[int] | None:
    """Return the starts of the commands to run in the box; None if they cannot be taken one by one.

    needed: offsets of what has to run there.
    """
    if hides_heredoc(script) or find_doubts(script).everything:  # nothing can be written on it
        return None
    everything = commands(script)
    boxed = _owners(everything, needed)
    if not boxed or _names_of_the_box(script, around):
        return None
    first = min(boxed, key=lambda one: one.command.end)
    order = _Order(script, everything, first)
    later = [one for one in everything if not order.is_before(one.command)]
    boxed += [one for one in later if one not in boxed and not _opens_nothing(one, around)]
    if goes_where_hidden(script, around):
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


def asks_own_servers(script: Script, offsets: Iterable[int]) -> bool:
    """Tell whether these commands only ask servers that the line itself may have started."""
    everything = commands(script)
    starts = owners(script, offsets)
    asking = [one.command for one in everything if one.command.start in starts]
    return any(one.context.background for one in everything) and all(map(_asks_loopback, asking))


def _asks_loopback(command: Command) -> bool:
    name, *words = (literal(word) or "" for word in command.words)
    addresses = [word for word in words if "://" in word or _LOOPBACK.match(word)]
    return name == "curl" and bool(addresses) and all(map(_LOOPBACK.match, addresses))


def names_hidden(script: Script, needed: Iterable[int], around: Surroundings) -> str:
    """Return what a command that has to run in the box names, and that is not there."""
    boxed = [one.command for one in _owners(commands(script), needed)]
    words = [word for one in boxed for word in (*one.words, *one.assignments)]
    named_ones = (path for word in words for path in _paths(word))
    return next((path for path in named_ones if around.is_absent(path)), "")


def _names_of_the_box(script: Script, around: Surroundings) -> bool:
    """Tell whether the line speaks of variables that could make the box another one."""
    source = script.source.decode("latin-1")
    return bool(_OF_THE_BOX.search(source)) or any(name in source for name in around.variables)


def _paths(word: Word | Assignment) -> list[str]:
    """Return the absolute paths that a word may name, also after an option's `=`."""
    value = word.value if isinstance(word, Assignment) else word
    text = (literal(value) if isinstance(value, Word) else None) or ""
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
        others = [one for one in everything if one.command is not first.command]
        if self.functions or "trap" in names or any(map(_outlives, others)):
            self._begin, self._is_alone = 0, False

    def is_before(self, node: Command | Redirect) -> bool:
        """Tell whether it is over: also what the first command's own words run and open."""
        if node.end <= self._begin:
            return True
        is_inside = self._first.start <= node.start and node.end <= self._first.end
        return self._is_alone and is_inside and node is not self._first


def _outlives(one: Occurrence) -> bool:
    """Tell whether it may open files when the next command runs, because nobody waits for it."""
    name = literal(one.command.words[0]) if one.command.words else ""
    if not one.command.redirects and (name == "cd" or name in _OPEN_NOTHING):
        return False
    return one.context.background or one.context.substitution in ("<(", ">(")


def _repeats_or_pipes(node: Node) -> bool:
    if isinstance(node, Pipeline):
        return len(node.commands) > 1
    is_loop = isinstance(node, Compound) and node.kind in ("while", "until")
    return is_loop or isinstance(node, Loop)


def goes_where_hidden(script: Script, around: Surroundings) -> str:
    """Return where a `cd` of the line may lead that is a directory of the box's own, or nothing."""
    everything = commands(script)
    start = around.cwd
    if everything and _begins(everything[0], script, around):
        start = posixpath.join(start, literal(everything[0].command.words[1]) or "")
        everything = everything[1:]
    reached = _directories(everything, around, start)
    return next((posixpath.normpath(path) for path in reached if around.is_hidden(path)), "")


def _begins(first: Occurrence, script: Script, around: Surroundings) -> bool:
    """Tell whether a line begins with a `cd` that succeeds."""
    words = [literal(word) for word in first.command.words]
    target = words[1] if words[:1] == ["cd"] and len(words) == 2 else None  # noqa: PLR2004
    is_alone = first.context.stages <= 1 and not first.context.background
    is_first = not script.source[: first.command.start].strip()
    if not target or target == "-" or not (is_alone and is_first):
        return False
    return around.is_directory(posixpath.join(around.cwd, target))


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


def _directories(everything: list[Occurrence], around: Surroundings, start: str = "") -> list[str]:
    """Return the directories that a `cd` of the line may lead to, where that is certain."""
    reached = [start or around.cwd]
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
    if words[:2] == ["git", "fetch"]:  # as if it were typed once the others are over
        return None not in words and not one.context.background
    if name in _OWN_NAMES:
        return words[1:3] == ["run", "--box"]
    if name in _MOVERS:
        places = [word for word in words[1:] if word is None or not word.startswith("-")]
        return all(_is_out_of_reach(word, around) for word in places)
    if name in _READERS:
        files = [word for word in words[1:] if word is None or not word.startswith("-")]
        has_input = bool(files) or name != "ls"  # else they read what a redirect opens
        return has_input and all(_is_out_of_reach(word, around) for word in files)
    return False


def _only_prints(words: list[str | None]) -> bool:
    """Tell whether curl prints what it fetches, and opens no file of a project (man 1 curl)."""
    rest = iter(words)
    for word in rest:
        if word in _CURL_VALUES:
            value = next(rest, None)
            is_sink = value in _SINKS or word not in ("-o", "--output")
            if value is None or value.startswith("@") or not is_sink:
                return False
        elif word is None or not _CURL_PRINTS.fullmatch(word):
            return False
    return True


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


def changes_its_shell(script: Script, begin: int = 0, *, is_lasting: bool = True) -> bool:
    """Tell whether it may change the shell that it runs in: then that cannot be another one.

    begin: where what is meant begins. is_lasting: later lines run in the same shell. Else only the
    directory is handed on, if anything is.
    """
    if is_lasting and any(isinstance(node, Function | Coproc) for node in script.nodes()):
        return True
    everything = commands(script)
    is_sourcing = any(
        o.command.words and literal(o.command.words[0]) in _SOURCES for o in everything
    )
    own = _OF_THE_SHELL if is_sourcing else _OF_THE_SHELL | _DEACTIVATE
    return any(_stays_outside(o, own, is_lasting) for o in everything if o.command.start >= begin)


def _stays_outside(occurrence: Occurrence, own: frozenset[str], is_lasting: bool) -> bool:
    context = occurrence.context
    if context.subshell or context.substitution or context.stages > 1:
        return False
    words = occurrence.command.words
    name = literal(words[0]) if words else ""
    if not is_lasting:
        return name in named("enters") or name in own
    lasting = _CHANGE_THE_PROCESS | own
    return not words or name in lasting or name in _changing_the_shell()


def after_move(script: Script) -> int:
    """Return where the line begins if a first `cd DIRECTORY` is left out; 0 if it has none."""
    first = script.body.items[0]
    moves = [one for one in commands(script) if one.command.start == first.start]
    words = [literal(word) for one in moves for word in one.command.words]
    if words[:1] != ["cd"] or len(words) != 2 or None in words:  # noqa: PLR2004 - and where to
        return 0
    is_plain = len(first.pipelines[0].commands) == 1 and not first.pipelines[0].negations
    ends = [mark.text for mark in script.body.separators if mark is not None]
    if not is_plain or moves[0].command.redirects or moves[0].command.assignments:
        return 0
    if len(first.pipelines) == 1:
        has_more = len(script.body.items) > 1 and ends[0] in (";", "\n")
        return script.body.items[1].start if has_more else 0
    is_alone = len(script.body.items) == 1 and "&" not in ends
    are_ands = all(mark.text == "&&" for mark in first.operators)
    return first.pipelines[1].start if is_alone and are_ands else 0


@cache
def _changing_the_shell() -> frozenset[str]:
    """Builtins that change the shell that they run in; what needs an option for it is too rare."""
    traits = "enters exports unsets declares calculates runs changes fills".split()
    return named(*traits) - frozenset(n for n, option in detailed("fills").items() if option)
