"""Compare bash's truth about a text with what our parser says, and shrink a text that differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from laconic.shell import ParseError, parse

from . import facts

if TYPE_CHECKING:
    from collections.abc import Callable


class Difference(NamedTuple):
    """kind: `agree`, `refused` (bash accepts, we do not; safe), or one of the failures below.

    `accepted`: bash rejects it, we do not; `missed`: bash has facts that we do not;
    `invented`: we have facts that bash does not; `crashed`: another exception than ParseError.
    """

    kind: str
    bash: facts.Facts
    ours: facts.Facts
    message: str = ""


FAILURES = ("accepted", "missed", "invented", "crashed")


def compare(text: str, verdict: str, theirs: facts.Facts) -> Difference:
    try:
        ours = facts.from_tree(parse(text))
    except ParseError as error:
        return Difference("refused" if verdict == "accept" else "agree", [], [], error.message)
    except Exception as error:  # noqa: BLE001 - any other exception is what we look for
        return Difference("crashed", [], [], repr(error))
    if verdict != "accept":
        return Difference("accepted", [], ours, verdict)
    only_bash, only_ours = facts.missing(theirs, ours)
    kind = "missed" if only_bash else "invented" if only_ours else "agree"
    return Difference(kind, only_bash, only_ours)


def shrink(text: str, still_differs: Callable[[str], bool]) -> str:
    """A shorter text that still differs: pieces are cut out, large ones first."""
    before = ""
    while text != before:
        before = text
        size = max(len(text) // 2, 1)
        while size:
            text = _without_pieces(text, size, still_differs)
            size //= 2
    return text


def _without_pieces(text: str, size: int, still_differs: Callable[[str], bool]) -> str:
    start = 0
    while start < len(text):
        shorter = text[:start] + text[start + size :]
        if still_differs(shorter):
            text = shorter
        else:
            start += max(size // 4, 1)
    return text
