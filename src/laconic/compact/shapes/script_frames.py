"""Frames of JavaScript, as node and bun print them: their places, and which are the project's own.

https://nodejs.org/api/errors.html#errorstack describes the lines of a stack.
"""

from __future__ import annotations

from laconic.compact.shapes.foreign_paths import is_foreign_path
from laconic.patterns import pattern

_FRAME = pattern(
    r"(?:\s+at:? (?:async )?(?:.*\()?| {4,}(?:async )?[\w.<>$ ]+ \((?=file:|node:|/)| \u276f (?:\S+ )?)(?P<path>(?:file://|node:|/|\.|[A-Za-z]:|[\w@-]+/|\w)[^()\s]*?)"
    r":\d+(?::\d+)?\)?(?:, <anonymous>:\d+:\d+\))?,?(?: \{)?"
)
_WITHOUT_PLACE = pattern(
    r"\s+at (?:(?:new )?(?:[\w.<>$ ]+ )?\((?:<anonymous>|native)\)"
    r"|async Promise\.\w+ \(index \d+\))(?: \{)?"
)
_ANONYMOUS = "<anonymous>"
MOST_OWN = 12  # own frames of a trace that are shown


class Place:
    """Where a frame is, as it is written, and whether the code there is not the project's."""

    __slots__ = ("is_foreign", "text")

    def __init__(self, text: str, *, is_foreign: bool) -> None:
        self.text, self.is_foreign = text, is_foreign

    @property
    def is_known(self) -> bool:
        return self.text != _ANONYMOUS


def read_place(text: str) -> Place | None:
    """Read the place of a frame; None if the line is not a frame."""
    if _WITHOUT_PLACE.fullmatch(text):
        return Place(_ANONYMOUS, is_foreign=True)
    match = _FRAME.fullmatch(text)
    if match is None:
        return None
    written = text[match.start("path") :].rstrip(" {,").rstrip(")")
    return Place(written, is_foreign=is_foreign_path(match["path"].removeprefix("file://")))
