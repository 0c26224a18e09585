"""What several commands print at the same time, each line with the name of its command before it.

`concurrently` writes `[name] ` before each line, and at the end how each command exited:
https://github.com/open-cli-tools/concurrently#usage
"""

from __future__ import annotations

from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_LINE = pattern(r"\[([^\[\]]{1,40})\](?: (.*))?")
_EXIT = pattern(r"\[([^\[\]]{1,40})\] \S.* exited with code (\w+)")
_MOST = 20  # commands; times and levels of a log have the same form


class Stream:
    """The lines of one command: their indexes, and their texts without its name; how it exited."""

    __slots__ = ("indexes", "name", "status", "texts")

    def __init__(self, name: str, status: int) -> None:
        self.name, self.status = name, status
        self.indexes: list[int] = []
        self.texts: list[str] = []


def streams_of(texts: Iterable[str]) -> list[Stream]:
    """The streams of an output, in the order of their first lines; none if it is not of this form.

    Lines without a name belong to none of them.
    """
    every = list(texts)
    exits = [match for text in every if (match := _EXIT.fullmatch(text))]
    found = {match[1]: Stream(match[1], _status(match[2])) for match in exits}
    if not 1 < len(found) <= _MOST:
        return []
    for index, text in enumerate(every):
        match = _LINE.fullmatch(text)
        if match and match[1] in found:
            found[match[1]].indexes.append(index)
            found[match[1]].texts.append(match[2] or "")
    return sorted(found.values(), key=lambda stream: stream.indexes[0])


def _status(code: str) -> int:
    """The exit status; one that a signal ended has failed."""
    return int(code) if code.isdecimal() else 1
