"""Takes off what only a terminal needs: colours, and text that was overwritten on its line."""

from __future__ import annotations

import re

from laconic.compact.diagnostics import diagnostics, find_diagnostics
from laconic.compact.lines import Lines, split_chunk
from laconic.compact.masks import any_of
from laconic.patterns import pattern

_ESCAPE = pattern(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # OSC: titles, links
    r"|[()*+][0-9A-Za-z]"  # a set of characters: what ends bold text on many terminals
    r"|[@-Z\\^_])"
)
_OVERWRITTEN = pattern(r"\n[^\n]*\r(?=[^\n\r]*[^\s])")
_BLANK_END = pattern(r"\r[^\S\n]*$", re.MULTILINE)
_ONE_COLOUR = r"\x1b(?:\[[0-9;]*[A-Za-z]|\(B)"
_COLOUR = pattern(_ONE_COLOUR)
_COLOURS = pattern(rf"{_ONE_COLOUR}(?:{_ONE_COLOUR})*")
_MARK = "\0"
_MOST_COLOURS = 8  # different ones, that are taken off one by one
_DENSE = 0.1  # escapes for each character, from which on that is faster


def clean(lines: Lines, *, is_text: bool = False) -> Lines:
    """Return as many lines, each as a terminal would have left it.

    is_text: carriage returns are part of what is read, as in a diff that changes line ends.
    """
    chunks = [_without_escapes(chunk) if "\x1b" in chunk else chunk for chunk in lines.chunks]
    if not is_text:
        chunks = [_without_returns(chunk) if "\r" in chunk else chunk for chunk in chunks]
    is_clean = all(one is other for one, other in zip(chunks, lines.chunks, strict=True))
    return lines if is_clean else Lines.of_chunks(chunks, lines.out_count)


def _without_escapes(chunk: str) -> str:
    """Take off what is mostly all: colours, which are found faster than escapes of any kind."""
    if chunk.count("\x1b") > _DENSE * len(chunk):
        left = _without_few_colours(chunk)
        if left is not None:
            return left
    left = "".join(_COLOURS.split(chunk))  # faster than to replace by nothing
    return _ESCAPE.sub("", chunk) if "\x1b" in left else left


def _without_few_colours(chunk: str) -> str | None:
    """The same for a few different ones in great number; None if there are other escapes."""
    if _MARK in chunk:
        return None
    left = chunk
    for _ in range(_MOST_COLOURS):
        colour = _COLOUR.search(left)
        if colour is None:
            break
        left = left.replace(colour[0], _MARK)  # without a mark, both sides could join to an escape
    return None if "\x1b" in left else left.replace(_MARK, "")


def _without_returns(chunk: str) -> str:
    """What each line shows at the end; where a diagnostic was overwritten, all of the line."""
    chunk = chunk.replace("\r\n", "\n").removesuffix("\r")
    if "\r" in chunk:
        parts = Lines.of_chunks([chunk.replace("\r", "\n")])
        if any_of(find_diagnostics(parts)):
            return "".join([f"\n{text}" for text in _with_diagnostics(split_chunk(chunk))])
    return _BLANK_END.sub("", _OVERWRITTEN.sub("\n", chunk))


def _with_diagnostics(texts: list[str]) -> list[str]:
    """The same line by line; the parts of all are looked at together, as there are thousands."""
    returned = [pos for pos, text in enumerate(texts) if "\r" in text]
    parts = [(pos, part) for pos in returned for part in _overwritten(texts[pos])]
    spared = {parts[n][0] for n in diagnostics(part for _, part in parts)}
    for pos in returned:
        if pos not in spared:
            texts[pos] = _BLANK_END.sub("", _OVERWRITTEN.sub("\n", f"\n{texts[pos]}"))[1:]
    return texts


def _overwritten(text: str) -> list[str]:
    return [part for part in text.split("\r") if part.strip()][:-1]
