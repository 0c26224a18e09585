"""Frames of JavaScript, as node and bun print them: their places, and which are the project's own.

https://nodejs.org/api/errors.html#errorstack describes the lines of a stack.
"""

from __future__ import annotations

from laconic.compact.shapes.foreign_paths import is_foreign_path
from laconic.compact.shapes.rows import made, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from laconic.compact.result import Row
    from laconic.compact.shapes.rows import Texts

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


class Stack:
    """The frames among some lines: the place of each, by its line, and of the project's own.

    innermost: the line of the first frame whose place is known, if there is one.
    """

    __slots__ = ("innermost", "own", "places")

    def __init__(self, lines: Iterable[int], texts: Texts) -> None:
        frames = {i: place for i in lines if (place := read_place(texts[i]))}
        self.places = {i: place.text for i, place in frames.items()}
        self.own = {i: place.text for i, place in frames.items() if not place.is_foreign}
        self.innermost = [i for i, place in frames.items() if place.is_known][:1]

    def own_rows(self, texts: Texts) -> list[Row]:
        """Own frames, each once; of many in one trace those in the middle are counted."""
        own = list(self.own)
        equal: dict[str, list[int]] = {}
        for index in own:
            equal.setdefault(texts[index].strip().removesuffix(" {"), []).append(index)
        groups = list(equal.values())
        rows: list[Row] = [
            whole(f"{texts[same[0]]} [x{len(same)}]", same) if len(same) > 1 else same[0]
            for same in groups
        ]
        if len(rows) <= MOST_OWN or own[-1] - own[0] > 2 * len(own):
            return rows
        half = MOST_OWN // 2
        hidden = [index for same in groups[half:-half] for index in same]
        mark = made(f"[{len(groups) - 2 * half} own frames hidden]", hidden)
        return [*rows[:half], mark, *rows[-half:]]
