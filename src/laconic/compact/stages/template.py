"""Fills captured values into a text: `{1}`, `{name}`."""

from __future__ import annotations

from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

_PLACE = pattern(r"\{(\w+(?:\.\w+)*)\}")


def fill(template: str, values: Mapping[str, str]) -> str:
    """Put values in their places; a value is never read as a template again."""
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), template)


def places(template: str) -> list[str]:
    return _PLACE.findall(template)


class Template:
    """A text for the matches of one pattern, prepared because it is filled for many lines."""

    __slots__ = ("_groups", "_pieces")

    def __init__(self, text: str, source: re.Pattern[str]) -> None:
        *pieces, last = _PLACE.split(text)
        self._pieces = [*pieces[::2], last]
        self._groups = tuple(int(n) if n.isdecimal() else n for n in pieces[1::2])
        assert source.groups or not self._groups

    def fill(self, match: re.Match[str]) -> str:
        text = self._pieces[0]
        for group, piece in zip(self._groups, self._pieces[1:], strict=True):
            text += (match[group] or "") + piece
        return text
