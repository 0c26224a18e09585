"""One program with its final arguments, as the handlers of programs see it."""

from __future__ import annotations

import os

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Parsed, Reading, Spec, parse_options
from laconic.undo.reach import COPIED, Reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_DEVICES = ("/dev/", "/proc/", "/sys/")
_FILES = "/dev/shm/"  # noqa: S108 - files as any others, in memory
_MOST_MATCHES = 20_000
_WILD = frozenset("*?[")


class Call:
    """A program, its words, and where it runs.

    patterns: words with `*`, `?` or `[` may be patterns that a shell expands. project: the tree
    that is kept whole if nobody knows what the program does. stdin: the file that it reads, if one
    is known. named: paths that arrive on its standard input, one per item, None if not known.
    """

    __slots__ = (
        "directory", "environment", "is_final", "name", "named", "patterns", "project", "stdin",
        "words",
    )  # fmt: skip

    def __init__(self, words: Sequence[str], directory: str, project: str) -> None:
        self.name = words[0].rsplit("/", 1)[-1]
        self.words, self.directory, self.project = list(words), directory, project
        self.environment: Mapping[str, str] = {}
        self.stdin = ""
        self.patterns = False
        self.named: list[str] | None = None

    def like(self, words: Sequence[str]) -> Call:
        """Make a call of another program at the same place."""
        other = Call(words, self.directory, self.project)
        other.environment, other.stdin = self.environment, self.stdin
        other.patterns, other.named = self.patterns, self.named
        return other

    def path(self, word: str) -> str:
        return os.path.join(self.directory, word)

    def paths(self, word: str) -> list[str]:
        """Return what a word means: the path itself, and what it matches if it is a pattern."""
        path = self.path(word)
        if not self.patterns or not _WILD.intersection(word):
            return [path]
        from glob import iglob  # noqa: PLC0415 - few words are patterns

        paths_meant = [path]
        for match in iglob(path, recursive=True):
            paths_meant.append(match)
            if len(paths_meant) > _MOST_MATCHES:
                break
        return paths_meant

    def read(self, options: str, *, single: bool = False, late: bool = True) -> Parsed:
        """Read the words after the name by an accept-list of options."""
        reading = Reading(Spec(options), single=single, late=late, complete=True)
        return parse_options([Argument(word, 0, 0) for word in self.words[1:]], reading)

    # -- what it changes

    def tree(self, reach: Reach, word: str, how: str = COPIED) -> None:
        for path in self.paths(word):
            if not is_device(path):
                reach.add(path, deep=True, how=how)

    def file(self, reach: Reach, word: str, how: str = COPIED) -> None:
        """Add a file that is opened for writing; through a link, another file is written."""
        for path in self.paths(word):
            if not is_device(path):
                reach.add_followed(path, how=how)

    def name_only(self, reach: Reach, word: str, how: str = COPIED) -> None:
        for path in self.paths(word):
            if not is_device(path):
                reach.add(path, how=how)

    def doubt(self, reach: Reach, reason: str) -> None:
        """Say that it may change more than is known; then the project is kept whole if cheap."""
        reach.doubt(f"{self.name}: {reason}", self.project or self.directory)


def is_device(path: str) -> bool:
    return path.startswith(_DEVICES) and not path.startswith(_FILES)


def texts(arguments: Sequence[Argument]) -> list[str]:
    return [argument.text or "" for argument in arguments]
