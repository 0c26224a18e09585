"""Reads simple regular expressions in agents' rules as patterns in which `*` stands for anything.

A rule's expression would be run on hostile text, in our time, and may come from a repository. So
it is never run: what is more than words, choices and gaps is not read, and that is said.
"""

from __future__ import annotations

_MOST = 64
_LONGEST = 500
_ESCAPED_LETTERS = {"s": " ", "b": ""}
_SPECIAL = frozenset("[]{}+?*)")
_PUNCTUATION = frozenset("\\.+?()[]{}|/-_@:=~,;!#%&'\"<> ")


class _TooMuchError(Exception):
    """It says more than a pattern can."""


def globs_of(expression: str) -> list[str] | None:
    """Return patterns that fit all that an expression fits, perhaps more; None if that is too much.

    `^git (push|pull)\\b` becomes `git push*` and `git pull*`.
    """
    if len(expression) > _LONGEST:
        return None
    try:
        globs = list(dict.fromkeys(_closed(text) for text in _choices(expression)))
    except _TooMuchError:
        return None
    return None if "*" in globs else globs


def _closed(text: str) -> str:
    """An expression fits anywhere in a text unless it is tied to its beginning or end."""
    start = "" if text.startswith("^") else "*"
    end = "" if text.endswith("$") else "*"
    body = f"{start}{text.removeprefix('^').removesuffix('$')}{end}"
    if "^" in body or "$" in body:
        raise _TooMuchError
    while "**" in body:
        body = body.replace("**", "*")
    return body


def _choices(expression: str) -> list[str]:
    """Return the texts of an expression, one for each way through its groups."""
    texts, branches = [""], list[str]()
    pos = 0
    while pos < len(expression):
        if expression[pos] == "|":
            branches += texts
            texts, pos = [""], pos + 1
            continue
        pieces, pos = _piece(expression, pos)
        texts = [text + piece for text in texts for piece in pieces]
        if len(texts) + len(branches) > _MOST:
            raise _TooMuchError
    return branches + texts


def _piece(expression: str, pos: int) -> tuple[list[str], int]:
    """Return the piece at a position, and where the next one begins."""
    character = expression[pos]
    if character == "(":
        end = _closing(expression, pos)
        inner = expression[pos + 1 : end].removeprefix("?:")
        if inner.startswith("?"):
            raise _TooMuchError  # it looks ahead or behind
        pieces, after = _choices(inner), end + 1
    elif character == "\\":
        pieces, after = [_escaped(expression[pos + 1 : pos + 2])], pos + 2
    elif character == ".":
        pieces, after = ["*"], pos + 1
    elif character in _SPECIAL:
        raise _TooMuchError
    else:
        pieces, after = [character], pos + 1
    return _repeated(pieces, expression, after)


def _repeated(pieces: list[str], expression: str, pos: int) -> tuple[list[str], int]:
    mark = expression[pos : pos + 1]
    if not mark or mark not in "*+?":
        return pieces, pos
    after = pos + 2 if expression[pos + 1 : pos + 2] == "?" else pos + 1  # as few as it can
    if mark == "?":
        return ["", *pieces], after
    if pieces == ["*"] or (pieces == [" "] and mark == "+"):  # blanks count as one
        return pieces, after
    if pieces == [" "]:
        return ["", " "], after
    raise _TooMuchError


def _escaped(character: str) -> str:
    if character in _ESCAPED_LETTERS:
        return _ESCAPED_LETTERS[character]
    if character not in _PUNCTUATION:
        raise _TooMuchError
    return character


def _closing(expression: str, start: int) -> int:
    depth, pos = 0, start
    while pos < len(expression):
        if expression[pos] == "\\":
            pos += 1
        elif expression[pos] == "[":
            raise _TooMuchError
        elif expression[pos] == "(":
            depth += 1
        elif expression[pos] == ")":
            depth -= 1
            if not depth:
                return pos
        pos += 1
    raise _TooMuchError
