"""A marked block in a text file that is otherwise the user's: put in, renewed, and taken out."""

from __future__ import annotations

import re
from typing import NamedTuple

from laconic.patterns import pattern


class Marks(NamedTuple):
    begin: str
    end: str


MARKDOWN = Marks(
    "<!-- laconic: begin (laconic uninstall removes this block) -->", "<!-- laconic: end -->"
)
TOML = Marks("# laconic: begin (laconic uninstall removes this block)", "# laconic: end")


def put(text: str, body: str, marks: Marks) -> str:
    """Return the text with the block: in the place of an older one, else at the end.

    Exactly one line end is put before a new block, so that removing both restores the old text.
    """
    line_end = "\r\n" if "\r\n" in text else "\n"
    block = line_end.join((marks.begin, *body.strip("\n").split("\n"), marks.end)) + line_end
    if match := _pattern(marks).search(text):
        return text[: match.start("block")] + block + text[match.end() :]
    return text + (line_end if text else "") + block


def remove(text: str, marks: Marks) -> str:
    """Return the text without the block and the line end before it."""
    match = _pattern(marks).search(text)
    return text[: match.start()] + text[match.end() :] if match else text


def find(text: str, marks: Marks) -> str:
    """Return the block, or nothing."""
    match = _pattern(marks).search(text)
    return match.group("block") if match else ""


def _pattern(marks: Marks) -> re.Pattern[str]:
    # What the first mark says in brackets is for people, and older versions may have said less.
    begin, end = re.escape(marks.begin.partition(" (")[0]), re.escape(marks.end)
    block = rf"(?P<block>^{begin}[^\n]*\n.*?^{end}[ \t]*(?:\r?\n|\Z))"
    return pattern(rf"(?:\r?\n)?{block}", re.DOTALL | re.MULTILINE)
