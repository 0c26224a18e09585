"""What can go wrong in a way that a person can put right."""

from __future__ import annotations


class LaconicError(Exception):
    """One clear line, and what to type next; the program ends with exit status 1."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


class UsageError(LaconicError):
    """The command line itself is wrong; exit status 2."""


class FileError(LaconicError):
    """A file cannot be read or written."""
