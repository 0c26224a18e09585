"""Takes off what only a terminal needs: colours, and text that was overwritten on its line."""

from __future__ import annotations

import re

from laconic.compact.diagnostics import diagnostics
from laconic.compact.lines import Lines

_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # OSC: titles, links
    r"|[@-Z\\^_])"
)


def clean(lines: Lines, *, is_text: bool = False) -> Lines:
    """Give as many lines, each as a terminal would have left it.

    is_text: carriage returns are part of what is read, as in a diff that changes line ends.
    """
    if "\x1b" in lines.text:
        lines = Lines(_ESCAPE.sub("", lines.text).split("\n"), lines.out_count)
    if "\r" in lines.text and not is_text:
        lines = Lines(
            [_last(text) if "\r" in text else text for text in lines.texts], lines.out_count
        )
    return lines


def _last(text: str) -> str:
    """What stands on the line at the end; a diagnostic that was overwritten keeps all of it."""
    parts = [part for part in text.split("\r") if part.strip()]
    if diagnostics(parts[:-1]):
        return text
    return parts[-1] if parts else ""
