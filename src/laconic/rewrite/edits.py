"""What a rewrite makes of a command: edits by byte offsets, the text with them, and notes.

What is not edited stays as it was typed.
"""

from __future__ import annotations

from collections.abc import Iterable


class Edit:
    """An edit: at this offset, remove so many bytes and insert a text."""

    __slots__ = ("inserted", "offset", "removed")

    def __init__(self, offset: int, inserted: str, removed: int = 0) -> None:
        self.offset, self.inserted, self.removed = offset, inserted, removed

    def __repr__(self) -> str:
        return f"Edit({self.offset}, {self.inserted!r}, removed={self.removed})"


class Note:
    """What became of a segment: its span, the kind of change (or `skip`), and the reason."""

    __slots__ = ("action", "end", "reason", "start")

    def __init__(self, start: int, end: int, action: str, reason: str) -> None:
        self.start, self.end, self.action, self.reason = start, end, action, reason

    def __repr__(self) -> str:
        return f"Note({self.start}, {self.end}, {self.action!r}, {self.reason!r})"


class Rewriting:
    """The text to run in place of the command (perhaps the same), and a note per segment.

    flagged: the starts of the commands that got the flags of `Options.flags`.
    """

    __slots__ = ("edits", "flagged", "is_parsed", "notes", "text")

    def __init__(
        self, text: str, edits: tuple[Edit, ...] = (), notes: tuple[Note, ...] = ()
    ) -> None:
        self.text, self.edits, self.notes = text, edits, notes
        self.is_parsed = True
        self.flagged: frozenset[int] = frozenset()

    def __repr__(self) -> str:
        return f"Rewriting({self.text!r}, {self.edits}, {self.notes})"


def apply(source: bytes, edits: Iterable[Edit]) -> bytes:
    """Return the text with all edits applied; they must not overlap."""
    pieces: list[bytes] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: edit.offset):
        if edit.offset < done:
            raise ValueError(f"edits overlap at byte {edit.offset}")
        pieces += [source[done : edit.offset], edit.inserted.encode("utf-8", "surrogateescape")]
        done = edit.offset + edit.removed
    pieces.append(source[done:])
    return b"".join(pieces)
