"""Reads a configuration file of git's as git itself does (its config.c), and never asks git."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache

from laconic.errors import FileError
from laconic.files import is_there, read_file

_MOST_BYTES = 1 << 20
_BLANK = frozenset(" \t\n\r")
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", "\\": "\\", '"': '"'}
NOT_UNDERSTOOD = "?"


class _Malformed(Exception):  # noqa: N818 - it never leaves this module
    pass


def configuration(path: str) -> Iterator[tuple[str, str]]:
    """Yield the keys of a file, section and name in lower case, and their values.

    The key `?` stands for all that cannot be understood, and for a file that cannot be read.
    """
    if not is_there(path):
        return
    try:
        text = os.fsdecode(read_file(path, _MOST_BYTES))
    except FileError:
        yield NOT_UNDERSTOOD, ""
        return
    yield from parsed(text)


@lru_cache(maxsize=64)
def parsed(text: str) -> tuple[tuple[str, str], ...]:
    """Return the same of a text."""
    values = []
    try:
        for entry in _Reader(text.removeprefix("\ufeff").replace("\r\n", "\n")).entries():
            values.append(entry)  # noqa: PERF402 - what came before a fault counts
    except _Malformed:
        values.append((NOT_UNDERSTOOD, ""))
    return tuple(values)


class _Reader:
    """The text, read one character after the other; its end counts as the end of a line."""

    def __init__(self, text: str) -> None:
        self._text, self._pos = f"{text}\n", 0

    def _next(self) -> str:
        if self._pos == len(self._text):
            raise _Malformed
        self._pos += 1
        return self._text[self._pos - 1]

    def entries(self) -> Iterator[tuple[str, str]]:
        section = ""
        while self._pos < len(self._text):
            char = self._next()
            if char in _BLANK:
                continue
            if char in "#;":
                while self._next() != "\n":
                    pass
            elif char == "[":
                section = self._section()
            elif char.isascii() and char.isalpha() and section:
                name, value = self._entry(char)
                yield f"{section}.{name}", value
            else:
                raise _Malformed

    def _section(self) -> str:
        name = ""
        while (char := self._next()) != "]":
            if char in _BLANK:
                return f"{name}.{self._subsection(char)}"
            if not (_is_of_key(char) or char == "."):
                raise _Malformed
            name += char.lower()
        return name

    def _subsection(self, char: str) -> str:
        while char in _BLANK:
            if char == "\n":
                raise _Malformed
            char = self._next()
        if char != '"':
            raise _Malformed
        name = ""
        while (char := self._next()) != '"':
            name += self._next() if char == "\\" else char
        if "\n" in name or self._next() != "]":
            raise _Malformed
        return name

    def _entry(self, first: str) -> tuple[str, str]:
        name = first.lower()
        while _is_of_key(char := self._next()):
            name += char.lower()
        while char in " \t":
            char = self._next()
        if char == "\n":
            return name, "true"
        if char != "=":
            raise _Malformed
        return name, self._value()

    def _value(self) -> str:
        value, is_quoted, is_comment = "", False, False
        while True:
            char = self._next()
            if char == "\n":
                if is_quoted:
                    raise _Malformed
                return value.strip(" \t\r")
            if is_comment:
                continue
            if char in "#;" and not is_quoted:
                is_comment = True
            elif char == "\\":
                escaped = self._next()
                if escaped != "\n":
                    if escaped not in _ESCAPES:
                        raise _Malformed
                    value += _ESCAPES[escaped]
            elif char == '"':
                is_quoted = not is_quoted
            else:
                value += char


def _is_of_key(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "-")
