"""Takes off what only a terminal needs: colours, and text that was overwritten on its line.

https://ecma-international.org/publications-and-standards/standards/ecma-48/
"""

from __future__ import annotations

from functools import partial

from laconic.compact.diagnostics import are_doubtful, find_diagnostics
from laconic.compact.kinds import Kinds
from laconic.compact.lines import Lines, split_chunk
from laconic.compact.masks import any_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.compact.masks import Mask

_LARGE = 2 << 20  # characters
_ESCAPE = pattern(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # OSC: titles, links
    r"|[()*+][0-9A-Za-z]"  # a set of characters: what ends bold text on many terminals
    r"|[@-Z\\^_])"
)
_ONE_COLOUR = r"\x1b(?:\[[0-9;]*[A-Za-z]|\(B)"
_COLOUR = pattern(_ONE_COLOUR)
_COLOURS = pattern(rf"{_ONE_COLOUR}(?:{_ONE_COLOUR})*")
_MARK = "\0"
_MOST_COLOURS = 8  # different ones, that are taken off one by one
_DENSE = 0.1  # escapes for each character, from which on that is faster


def clean(lines: Lines, *, is_text: bool = False) -> Lines:
    """Return as many lines, each as a terminal would have left it.

    is_text: carriage returns are part of what is read, as in a diff that changes line ends. Of a
    large output, escapes are taken off where a text is looked at, and once for each kind of line.
    """
    has_returns = not is_text and any("\r" in chunk for chunk in lines.chunks)
    if not has_returns and not any("\x1b" in chunk for chunk in lines.chunks):
        return lines
    shown = partial(_as_shown, kinds=Kinds()) if has_returns else _without_escapes
    if lines.size > _LARGE:
        return lines.shown_as(shown, _of_kinds if has_returns else shown)
    return Lines.of_chunks(list(map(shown, lines.chunks)), lines.out_count, lines.counts)


def _as_shown(chunk: str, kinds: Kinds) -> str:
    return _without_returns(_without_escapes(chunk), kinds)


def _of_kinds(text: str) -> str | None:
    """The same, unless it depends on the digits in what was overwritten."""
    text = _without_escapes(text)
    returned = [line for line in text.replace("\r\n", "\n").split("\n") if "\r" in line]
    is_doubtful = are_doubtful(part for line in returned for part in line.split("\r"))
    return None if is_doubtful else _without_returns(text, Kinds())


def _without_escapes(chunk: str) -> str:
    """Take off escapes: first colours, mostly all there is, which are found faster than others."""
    if "\x1b" not in chunk:
        return chunk
    if chunk.count("\x1b") > _DENSE * len(chunk):
        left = _without_few_colours(chunk)
        if left is not None:
            return left
    left = "".join(_COLOURS.split(chunk))  # faster than to replace by nothing
    return _ESCAPE.sub("", chunk) if "\x1b" in left else left


def _without_few_colours(chunk: str) -> str | None:
    """The same for many of a few different colours; None if there are other escapes."""
    if _MARK in chunk:
        return None
    left = chunk
    for _ in range(_MOST_COLOURS):
        colour = _COLOUR.search(left)
        if colour is None:
            break
        left = left.replace(colour[0], _MARK)  # without a mark, both sides could join to an escape
    return None if "\x1b" in left else left.replace(_MARK, "")


def _without_returns(chunk: str, kinds: Kinds) -> str:
    """Return what each line shows at the end; all of it where a diagnostic was overwritten."""
    if "\r" not in chunk:
        return chunk
    chunk = chunk.replace("\r\n", "\n").removesuffix("\r")
    if "\r" not in chunk:
        return chunk
    texts = split_chunk(chunk)
    parts = Lines.of_chunks([chunk.replace("\r", "\n")])
    parts.kinds = kinds
    found = find_diagnostics(parts)
    if any_of(found):
        return "\n".join(["", *_with_diagnostics(texts, found)])
    return "\n".join(["", *map(_at_end, texts)])


def _with_diagnostics(texts: list[str], found: Mask) -> Iterator[str]:
    """The same line by line; found: a byte for each part of all lines, 1 if it is a diagnostic."""
    stop = 0
    for text in texts:
        start, stop = stop, stop + text.count("\r") + 1
        is_spared = 1 in found[start : stop - 1] and _is_spared(text, found[start:stop])
        yield text if is_spared else _at_end(text)


def _is_spared(text: str, found: Mask) -> bool:
    """Tell whether one of the parts that were overwritten is a diagnostic."""
    parts = [is_one for part, is_one in zip(text.split("\r"), found, strict=True) if part.strip()]
    return 1 in parts[:-1]


def _at_end(text: str) -> str:
    """The last part that is not blank; of blank parts the first."""
    if "\r" not in text:
        return text
    end = len(text.rstrip())
    behind = text.find("\r", end)
    return text[text.rfind("\r", 0, end) + 1 : behind if behind >= 0 else None]
