"""One program with its final arguments, as the handlers of programs see it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Parsed
from laconic.reading.acts import Verb
from laconic.reading.situation import ProgramCall
from laconic.undo.reach import COPY, Reach, located

_DEVICES = ("/dev/", "/proc/", "/sys/")
_FILES = "/dev/shm/"  # noqa: S108 - files as any others, in memory
_MOST_MATCHES = 20_000


class PlacedCall:
    """A program that was read, in one of the directories that it may run in.

    words: its words, with all values that they may have; globs: those that a shell expands. parsed:
    how its table reads them. project: the tree that is kept whole if nobody knows what the program
    does. stdin: the file that it reads, if one is known.
    """

    def __init__(self, program: ProgramCall, directory: str, project: str) -> None:
        self.program, self.directory, self.project = program, directory, project
        self.name = program.name
        self.words = [text for argument in program.arguments for text in argument.texts]
        self.globs = {t for argument in program.arguments if argument.glob for t in argument.texts}
        self.environment: Mapping[str, str] = {}
        parsed = program.call.parsed if program.call is not None else None
        self.parsed = parsed or Parsed()
        given = program.situation.input_file if program.situation is not None else None
        self.stdin = os.path.join(directory, given.text) if given and given.text else ""

    def at(self, directory: str) -> PlacedCall:
        """The same call in another directory."""
        other = PlacedCall(self.program, directory, self.project)
        other.environment = self.environment
        return other

    def acted_on(self, verb: Verb) -> list[str]:
        """Return the names of what it is seen to do something to."""
        return texts([act.argument for act in self.program.acts if act.verb is verb])

    def path(self, word: str) -> str:
        return os.path.join(self.directory, word)

    def paths(self, word: str) -> list[str]:
        """Return what a word means: the path itself, and what it matches if it is a pattern."""
        path = self.path(word)
        if word not in self.globs:
            return [path]
        from glob import iglob  # noqa: PLC0415 - few words are patterns

        paths_meant = [path]
        for match in iglob(path, recursive=True):
            paths_meant.append(match)
            if len(paths_meant) > _MOST_MATCHES:
                break
        return paths_meant

    # -- what it changes

    def tree(self, reach: Reach, word: str, how: str = COPY) -> None:
        for path in self.paths(word):
            if not is_device(path):
                reach.add(path, deep=True, how=how)

    def file(self, reach: Reach, word: str, how: str = COPY) -> None:
        """Add a file that is opened for writing; through a link, another file is written."""
        for path in self.paths(word):
            if not is_device(path):
                reach.add_followed(path, how=how)

    def name_only(self, reach: Reach, word: str, how: str = COPY) -> None:
        for path in self.paths(word):
            if not is_device(path):
                reach.add(path, how=how)

    def doubt(self, reach: Reach, reason: str) -> None:
        """Say that it may change more than is known; then the project is kept whole if cheap."""
        reach.doubt(f"{self.name}: {reason}", self.project or self.directory)


def is_device(path: str) -> bool:
    path = located(path)
    return path.startswith(_DEVICES) and not path.startswith(_FILES)


def texts(arguments: Sequence[Argument]) -> list[str]:
    """Return all values that arguments may have."""
    return [text for argument in arguments for text in argument.texts]
