"""find and xargs: what an expression matches, and what is run with it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase

from laconic.knowledge.arguments import Argument
from laconic.reading.acts import Verb
from laconic.reading.commands.xargs import MARKS
from laconic.reading.situation import ProgramCall

# What is looked at and found, at most: a hook has to answer, and more would not be kept anyway.
_MOST_LOOKED, _MOST_S = 200_000, 2.0
_MOST = 20_000
_MOST_COMMANDS, _MOST_WORDS = 1_000, 8_000  # a thousand words take 0.3 s to read
_GLOBAL = frozenset(("-L", "-H", "-P"))
# Tests that narrow what is found; one with a value takes it from the next word. A test that is not
# known here narrows nothing, so more is kept than is needed.
_VALUES = frozenset(
    "-name -iname -path -ipath -wholename -regex -iregex -type -xtype -maxdepth -mindepth -size"
    " -mtime -mmin -ctime -cmin -atime -amin -newer -user -group -uid -gid -perm -links -inum"
    " -regextype -samefile -printf -fstype -used -lname -ilname".split()
)
_FLAGS = frozenset(
    "-print -print0 -depth -d -empty -readable -writable -executable -xdev -mount -follow -prune"
    " -true -false -noleaf -ls -quit -daystart -nouser -nogroup -a -and -o -or ! -not ( ) ,".split()
)
_CHOICES = frozenset(("-o", "-or", "!", "-not", "(", ")", ",", "-prune"))
_NOT = frozenset(("!", "-not"))
_EXEC = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
_WRITES = frozenset(("-fprint", "-fprint0", "-fls", "-fprintf"))


class Search:
    """A find command: where it starts, what it may match, and what it does with that.

    splits: the names go through xargs, which takes them apart at blanks.
    """

    def __init__(self, arguments: list[Argument]) -> None:
        self.starts: list[str] = []
        self.names: list[tuple[str, bool]] = []
        self.maximum: int | None = None
        self.commands: list[list[Argument]] = []
        self.files: list[str] = []
        self.deletes = False
        self.splits = False
        self.unknown = ""
        self._read([text for argument in arguments for text in argument.texts])

    def _read(self, words: list[str]) -> None:
        todo = list(reversed(words))
        while todo and (todo[-1] in _GLOBAL or todo[-1][:1] not in "-(!,"):
            word = todo.pop()
            if word not in _GLOBAL:
                self.starts.append(word)
        is_simple = not _CHOICES.intersection(_without_exceptions(todo[::-1]))
        while todo:
            word = todo.pop()
            if is_simple and word in _NOT:  # what it leaves out may be kept, too
                del todo[-2:]
                continue
            if word == "-delete":
                self.deletes = True
            elif word in _EXEC:
                command = []
                while todo and todo[-1] not in (";", "+"):
                    command.append(Argument(todo.pop(), 0, 0))
                if todo:
                    todo.pop()
                self.commands.append(command)
            elif word in _WRITES:
                self.files += todo[-1:]
                del todo[-2 if word == "-fprintf" else -1 :]
            elif word in _VALUES:
                value = todo.pop() if todo else ""
                if word == "-printf":
                    self.unknown = word  # what it prints is not what it finds
                if word in ("-name", "-iname") and is_simple:
                    self.names.append((value, word == "-iname"))
                elif word == "-maxdepth" and value.isdigit():
                    self.maximum = int(value)
            elif word not in _FLAGS:
                self.unknown = word

    def matches(self, path_of: Callable[[str], list[str]]) -> list[str] | None:
        """Return what it may find, at most; None if that is too much to look at.

        path_of: the paths that a start means.
        """
        end = time.monotonic() + _MOST_S
        tops = (top for start in self.starts or ["."] for top in path_of(start))
        found: list[str] = []
        for looked, path in enumerate(path for top in tops for path in _walk(top, self.maximum)):
            if all(_fits(os.path.basename(path), *name) for name in self.names):
                found.append(path)
            is_late = looked % 100 == 0 and time.monotonic() > end
            if is_late or looked > _MOST_LOOKED or len(found) > _MOST:
                return None
        return found


def _without_exceptions(words: list[str]) -> Iterator[str]:
    """Leave out `-not -path x`, which takes away from what is found, and adds nothing."""
    rest = iter(words)
    for word in rest:
        if word not in _NOT:
            yield word
        elif (test := next(rest, "")) not in _VALUES:
            yield from (word, test)
        else:
            next(rest, "")


def _walk(top: str, maximum: int | None) -> Iterator[str]:
    yield top
    depth = top.rstrip("/").count("/")
    for directory, folders, files in os.walk(top):
        if maximum is not None and directory.rstrip("/").count("/") - depth >= maximum:
            folders.clear()
            continue
        for name in (*folders, *files):
            yield os.path.join(directory, name)


def _fits(name: str, wanted: str, ignore_case: bool) -> bool:
    if ignore_case:
        name, wanted = name.lower(), wanted.lower()
    return fnmatchcase(name, wanted)


def is_split(path: str) -> bool:
    """Tell whether xargs reads another name than this one: xargs(1)."""
    return any(letter.isspace() or letter in "'\"\\" for letter in path)


def command_of(program: ProgramCall) -> list[Argument]:
    """The command that xargs runs, with `{}` in place of a word of its input."""
    runs = [act.argument for act in program.acts if act.verb is Verb.COMMAND]
    if not runs or program.call is None:
        return []
    parsed = program.call.parsed
    marks = [mark.text or "" for mark in parsed.values(*MARKS)]
    is_marked = parsed.has(*MARKS)
    mark = (marks or ["{}"])[-1] if is_marked else ""
    return [
        Argument((word.text or "").replace(mark, "{}") if mark else word.text, word.start, word.end)
        for word in parsed.operands
    ]


def filled(command: list[Argument], found: list[str]) -> list[list[Argument]] | None:
    """The commands with what is found in place of `{}`, or behind the words; None if too many."""
    places = [pos for pos, word in enumerate(command) if "{}" in (word.text or "")]
    paths = [Argument(path, 0, 0) for path in found]
    if len(found) > _MOST_WORDS:
        return None
    if not places:
        return [[*command, *paths]]
    is_alike = all((word.text or "")[:1] == "-" for word in command[1:-1])
    if places == [len(command) - 1] and command[-1].text == "{}" and is_alike:
        return [[*command[:-1], *paths]] if found else []  # what each does, all do at once
    if len(found) > _MOST_COMMANDS:
        return None
    return [[_with(word, path) for word in command] for path in found]


def _with(word: Argument, path: str) -> Argument:
    return Argument((word.text or "").replace("{}", path), word.start, word.end)
