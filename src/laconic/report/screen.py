"""What a report is printed on: only a person's terminal has a width, and perhaps colours.

What an agent or a pipe reads is never cut or coloured, unless `--color=always` asks for colours.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import NamedTuple, TextIO

from laconic.report.text import columns
from laconic.settings.environ import agent_of, environment

WHEN = ("auto", "always", "never")
_NARROWEST, _USUAL = 40, 80
# Parameters of SGR (https://ecma-international.org/publications-and-standards/standards/ecma-48/),
# of the eight colours that every terminal has, as its user has chosen them.
_STYLES = {
    "allow": "32",
    "ask": "33",
    "deny": "31",
    "ok": "32",
    "note": "36",
    "warn": "33",
    "broken": "31",
    "disabled": "2",
    "head": "1",
    "dim": "2",
    "saved": "32",
    "lost": "31",
}
_chosen: list[str] = ["auto"]


class Screen(NamedTuple):
    """width: in columns, None where lines are as long as they are."""

    width: int | None = None
    has_color: bool = False

    def paint(self, text: str, style: str) -> str:
        """Colour a text. style: a verdict, a state of the doctor, or one of the words above."""
        code = _STYLES.get(style, "")
        return f"\x1b[{code}m{text}\x1b[0m" if self.has_color and code and text else text

    def fit(self, text: str, used: int = 0) -> str:
        """Shorten a text in the middle to what is left of a line, after so many columns."""
        return text if self.width is None else shorten(text, max(self.width - used, 1))

    def wrap(self, text: str, used: int = 0) -> list[str]:
        """Break a text between words into lines, each of them after so many columns."""
        if self.width is None:
            return [text]
        lines = [""]
        for word in text.split(" "):
            joined = f"{lines[-1]} {word}".lstrip(" ")
            if lines[-1] and columns(joined) > self.width - used:
                lines.append(word)
            else:
                lines[-1] = joined
        return lines


def choose(when: str) -> None:
    """Take the value of `--color`."""
    _chosen[0] = when


def screen(stream: TextIO | None = None, environ: Mapping[str, str] | None = None) -> Screen:
    """Return what is printed on. stream: stdout, unless another one is named."""
    target = sys.stdout if stream is None else stream
    variables = environment() if environ is None else environ
    is_terminal = is_watched(target, variables)
    has_color = _chosen[0] == "always"
    if _chosen[0] == "auto" and is_terminal:  # https://no-color.org: an empty one does not count
        has_color = not variables.get("NO_COLOR") and variables.get("TERM", "") not in {"", "dumb"}
    return Screen(_width(target, variables) if is_terminal else None, has_color)


def is_watched(stream: TextIO | None, environ: Mapping[str, str]) -> bool:
    """Tell whether a person reads a stream; an agent may give its commands a terminal, too."""
    return stream is not None and stream.isatty() and not agent_of(environ)[0]


def _width(stream: TextIO, environ: Mapping[str, str]) -> int:
    """COLUMNS counts first, as for other programs (POSIX, Base Definitions, chapter 8)."""
    wished = environ.get("COLUMNS", "")
    if wished.isdecimal() and int(wished):
        return max(int(wished), _NARROWEST)
    try:
        width = os.get_terminal_size(stream.fileno()).columns
    except OSError:
        width = 0
    return max(width or _USUAL, _NARROWEST)


def shorten(text: str, width: int) -> str:
    """Replace the middle of a text by `…` if it needs more columns than this."""
    if columns(text) <= width:
        return text
    head, tail = "", ""
    left = width - 1
    for first, last in zip(text, reversed(text), strict=True):
        if (left := left - columns(first)) < 0:
            break
        head += first
        if (left := left - columns(last)) < 0:
            break
        tail = last + tail
    return f"{head}…{tail}"
