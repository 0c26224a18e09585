"""Edits of a text by byte offsets: what is not edited stays as it was typed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Edit:
    """An edit: at this offset, remove so many bytes and insert a text."""

    __slots__ = ("inserted", "offset", "removed")

    def __init__(self, offset: int, inserted: str, removed: int = 0) -> None:
        self.offset, self.inserted, self.removed = offset, inserted, removed

    def __repr__(self) -> str:
        return f"Edit({self.offset}, {self.inserted!r}, removed={self.removed})"


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


def quoted(text: str) -> str:
    """Return a text as one shell word, in single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"
