r"""What bash makes of the text inside `$'..'`.

https://www.gnu.org/software/bash/manual/html_node/ANSI_002dC-Quoting.html
"""

from __future__ import annotations

from laconic.patterns import pattern

_LETTERS = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v",
    "e": "\x1b", "E": "\x1b", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_OCTAL = pattern(r"[0-7]{1,3}")
_HEX = {
    "x": pattern(r"[0-9a-fA-F]{1,2}"),
    "u": pattern(r"[0-9a-fA-F]{1,4}"),
    "U": pattern(r"[0-9a-fA-F]{1,8}"),
}
_LAST_CODE_POINT = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)


def ansi_c(text: str) -> str | None:
    r"""Decode the inside of `$'..'`, one character per byte; None where it is not certain.

    Uncertain are `\c`, `\x{..}`, unknown letters, and a NUL, which would end the string.
    """
    if "\\" not in text:
        return text
    out: list[str] = []
    pos = 0
    while True:
        found = text.find("\\", pos)
        if found < 0 or found + 1 >= len(text):
            out.append(text[pos:])
            return "".join(out)
        out.append(text[pos:found])
        decoded = _escape(text, found + 1)
        if decoded is None:
            return None
        value, pos = decoded
        out.append(value)


def _escape(text: str, pos: int) -> tuple[str, int] | None:
    """The value of the escape whose letter is at pos, and where it ends."""
    letter = text[pos]
    if letter in _LETTERS:
        return _LETTERS[letter], pos + 1
    if octal := _OCTAL.match(text, pos):
        return _byte(int(octal[0], 8) & 0xFF, octal.end())
    digits = _HEX[letter].match(text, pos + 1) if letter in _HEX else None
    if digits is None:
        return None
    code = int(digits[0], 16)
    if letter == "x":
        return _byte(code, digits.end())
    if code == 0 or code > _LAST_CODE_POINT or code in _SURROGATES:
        return None
    return chr(code).encode().decode("latin-1"), digits.end()


def _byte(code: int, end: int) -> tuple[str, int] | None:
    return (chr(code), end) if code else None
