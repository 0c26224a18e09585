"""What can go wrong in a way that a person can put right."""

from __future__ import annotations


class LaconicError(Exception):
    """One clear line, and what to type next; the program ends with exit status 1."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint

    @property
    def text(self) -> str:
        """What the command line prints, without characters that control the terminal."""
        lines = f"laconic: {self.message}\n" + (f"hint: {self.hint}\n" if self.hint else "")
        return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in lines)

    @property
    def lines(self) -> bytes:
        return self.text.encode("utf-8", "backslashreplace")


class UsageError(LaconicError):
    """The command line itself is wrong; exit status 2."""


class FileError(LaconicError):
    """A file cannot be read or written."""


class Problem:
    """Something in a file that is not in force as it is written.

    kind: `broken`, `untrusted` or `no effect`.
    """

    __slots__ = ("file", "hint", "kind", "message", "where")

    def __init__(self, kind: str, file: str, where: str, message: str, hint: str = "") -> None:
        self.kind, self.file, self.where = kind, file, where
        self.message, self.hint = message, hint

    @property
    def row(self) -> tuple[str, str, str, str, str]:
        return self.kind, self.file, self.where, self.message, self.hint

    @property
    def line(self) -> str:
        return ": ".join(part for part in (self.file, self.where, self.message) if part)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self.row == other.row

    def __hash__(self) -> int:
        return hash(self.row)
