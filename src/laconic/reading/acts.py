"""What a program does to what its arguments name, before anybody judges it."""

from __future__ import annotations

import posixpath
from enum import Enum

from laconic.knowledge.arguments import Argument


class Verb(Enum):
    """What is done to an argument."""

    READ = "reads"
    WRITE = "writes"
    MAKE = "makes"
    DELETE = "deletes"
    RUN = "runs"
    SHELL = "runs shell code"
    COMMAND = "runs a command"
    ENTER = "works in"
    CONNECT = "connects to"
    SET = "sets"


class How(Enum):
    """How a file changes, which an undo needs to know.

    REPLACED: another file takes its name. METADATA: its mode, owner or times, not its content.
    TREE: with all that is below it.
    """

    IN_PLACE = "in place"
    REPLACED = "replaced"
    METADATA = "metadata"
    TREE = "tree"


class Act:
    """Something that a program does to what an argument names.

    directories: those that the program may run in; an empty one is not known.
    """

    __slots__ = ("argument", "directories", "how", "verb")

    def __init__(
        self, verb: Verb, argument: Argument, directories: tuple[str, ...], how: How = How.IN_PLACE
    ) -> None:
        self.verb, self.argument, self.directories, self.how = verb, argument, directories, how

    def __repr__(self) -> str:
        return f"Act({self.verb.value} {' or '.join(self.argument.texts) or 'something unknown'})"

    @property
    def paths(self) -> list[str]:
        """The paths that it may be about, one for each directory; `..` is still in them."""
        return [
            posixpath.join(directory, text)
            for directory in self.directories
            for text in self.argument.texts
            if directory or text.startswith("/")
        ]

    @property
    def is_certain(self) -> bool:
        """Tell whether `paths` are all that it may be about."""
        argument = self.argument
        return argument.text is not None and (all(self.directories) or argument.text[:1] == "/")
