"""What a word becomes when quotes are removed and it is expanded, as far as that is known.

https://www.gnu.org/software/bash/manual/html_node/Shell-Expansions.html
"""

from __future__ import annotations

import re

from laconic.patterns import pattern
from laconic.shell.ast import (
    Array,
    Assignment,
    DoubleQuoted,
    Literal,
    Parameter,
    Part,
    Quoted,
    Substitution,
    Word,
)
from laconic.shell.braces import MAX_FIELDS, Cell, expand_braces

_PLAIN = pattern(r"[A-Za-z0-9_./:@%,+-]+")
_PLAIN_WORD = pattern(rf"{_PLAIN.pattern}[A-Za-z0-9_./:@%,+=-]*")  # in zsh, `=x` is a path
_TILDE_INSIDE = pattern(r"[A-Za-z_][A-Za-z0-9_]*\+?=(?:.*:)?~", re.DOTALL)


class Field:
    """One argument that a word becomes. glob: it names files; tilde: it begins with a home."""

    __slots__ = ("glob", "text", "tilde")

    def __init__(self, text: str, *, glob: bool = False, tilde: bool = False) -> None:
        self.text, self.glob, self.tilde = text, glob, tilde

    def __repr__(self) -> str:
        return f"Field({self.text!r}, glob={self.glob}, tilde={self.tilde})"


def text(value: str) -> str:
    """Readable text of a node's text, which holds one character per byte."""
    return value if value.isascii() else value.encode("latin-1").decode("utf-8", "surrogateescape")


def literal(word: Word | Assignment) -> str | None:
    """The one value of a word that no expansion, glob, brace or tilde can change, else None."""
    known_text = plain_text(word)
    if known_text is not None:
        return known_text
    known = fields(word)
    if known is None or len(known) != 1 or known[0].glob or known[0].tilde:
        return None
    return known[0].text


def fields(word: Word | Assignment) -> tuple[Field, ...] | None:
    """The arguments that a word becomes; None if an expansion in it decides that.

    Brace expansion is done; a word that would become very many arguments counts as unknown.
    """
    if isinstance(word, Assignment):
        value = assigned(word)
        return None if value is None else (Field(_left_side(word) + value),)
    known = plain_text(word)
    if known is not None:
        return (Field(known),)
    cells = _cells(word.parts, quoted=False)
    if cells is None or _has_tilde_inside(cells):
        return None
    if ("{", False) not in cells:
        return (_field(cells),)
    expanded = expand_braces(cells)
    if expanded is None or len(expanded) > MAX_FIELDS:
        return None
    # a word that becomes nothing at all is dropped, as `{,}` without quotes would be
    return tuple(_field(one) for one in expanded if one)


def plain_text(word: Word | Assignment) -> str | None:
    """The text of a word of one part in which nothing is active: most words are such."""
    if word.plain is False:
        word.plain = _text_of(word.parts[0]) if len(word.parts) == 1 else None
    return word.plain  # type: ignore[return-value]


def _text_of(part: Part) -> str | None:
    if isinstance(part, Literal):
        return part.value if _PLAIN.fullmatch(part.value) else None
    if isinstance(part, Quoted):
        return None if part.value is None else text(part.value)
    if isinstance(part, DoubleQuoted) and len(part.parts) == 1:
        inside = part.parts[0]
        return text(inside.value) if isinstance(inside, Literal) else None
    return None


def is_static(word: Word | Assignment) -> bool:
    """Tell whether the arguments are known without running anything or looking at any file."""
    known = fields(word)
    return known is not None and not any(field.glob or field.tilde for field in known)


def leading(word: Word | Assignment) -> str:
    """The text that the word begins with for certain, whatever follows."""
    if isinstance(word, Assignment):
        return _left_side(word)
    known = ""
    for part in word.parts:
        if isinstance(part, Literal) and _ACTIVE.search(part.value) is None:
            known += part.value
            continue
        cells = _cells((part,), quoted=False)
        if cells is None:
            if isinstance(part, DoubleQuoted):
                known += _leading_in_quotes(part)
            break
        for pos, (char, quoted) in enumerate(cells):
            is_home = char == "~" and (not known or known[-1] in "=:")
            if not quoted and (_globs(cells, pos) or char == "{" or is_home):
                return text(known)
            known += char
    return text(known)


def splits(word: Word | Assignment) -> bool:
    """Tell whether an expansion in the word may make several arguments of it, or none."""
    if isinstance(word, Assignment):
        return False
    return any(part_splits(part, quoted=quoted) for part, quoted in flat(word.parts))


def part_splits(part: Part, *, quoted: bool) -> bool:
    """The same for one part. `"$@"` and `"${a[@]}"` split in quotes; `$#` and `$?` never do."""
    if isinstance(part, Parameter):
        is_list = part.name == "@" or part.index == "@"
        is_number = part.name in "#?$!" and not part.operator
        return is_list or not (quoted or is_number)
    return isinstance(part, Substitution) and not quoted


def flat(parts: tuple[Part, ...], *, quoted: bool = False) -> list[tuple[Part, bool]]:
    """The parts without double quotes around them, each with a flag for "quoted"."""
    flattened: list[tuple[Part, bool]] = []
    for part in parts:
        if isinstance(part, DoubleQuoted):
            flattened += flat(part.parts, quoted=True)
        else:
            flattened.append((part, quoted or isinstance(part, Quoted)))
    return flattened


def assigned(assignment: Assignment) -> str | None:
    """The value that an assignment gives, if it is one text and known; tildes are not known."""
    value = assignment.value
    if value is None:
        return ""
    if isinstance(value, Array):
        return None
    cells = _cells(value.parts, quoted=False)
    if cells is None or ("~", False) in cells:
        return None
    return text("".join(char for char, _ in cells))


def _left_side(assignment: Assignment) -> str:
    index = "" if assignment.index is None else f"[{text(assignment.index.text)}]"
    return f"{assignment.name}{index}{'+=' if assignment.append else '='}"


def _leading_in_quotes(quotes: DoubleQuoted) -> str:
    known = ""
    for part in quotes.parts:
        if not isinstance(part, Literal):
            break
        known += part.value
    return known


def _cells(parts: tuple[Part, ...], *, quoted: bool) -> list[Cell] | None:
    """Characters with a flag for "quoted"; None if a part is not known."""
    cells: list[Cell] = []
    for part in parts:
        if isinstance(part, Literal):
            cells += [(char, quoted) for char in part.value]
        elif isinstance(part, Quoted) and part.value is not None:
            # the empty cell keeps an empty quoted argument alive
            cells += [(char, True) for char in part.value] or [("", True)]
        elif isinstance(part, DoubleQuoted):
            inside = _cells(part.parts, quoted=True)
            if inside is None:
                return None
            cells += inside or [("", True)]
        else:
            return None
    return cells


_GLOB_MARKS: tuple[Cell, ...] = (("*", False), ("?", False), ("[", False))
_ACTIVE = pattern(r"[*?\[{~]")


def _globs(cells: list[Cell], pos: int) -> bool:
    """Tell whether the character there makes a pattern; a lone `[` does not."""
    char, quoted = cells[pos]
    if quoted or not char:
        return False
    return char in "*?" or (char == "[" and any(later == "]" for later, _ in cells[pos + 1 :]))


def _has_tilde_inside(cells: list[Cell]) -> bool:
    """`a=~/x` and `a=b:~/x` as arguments: bash puts a home there."""
    if ("~", False) not in cells or cells[0] == ("~", False):
        return False
    return (
        _TILDE_INSIDE.match("".join("\0" if quoted else char for char, quoted in cells)) is not None
    )


def _field(cells: list[Cell]) -> Field:
    return Field(
        text("".join(char for char, _ in cells)),
        glob=any(mark in cells for mark in _GLOB_MARKS)
        and any(_globs(cells, pos) for pos in range(len(cells))),
        tilde=bool(cells) and cells[0] == ("~", False),
    )


def quoted(value: str) -> str:
    """Return a text as one shell word, in single quotes."""
    return "'" + value.replace("'", "'\\''") + "'"


def as_typed(value: str) -> str:
    """Return a text as one shell word, in quotes only where some shell needs them."""
    return value if _PLAIN_WORD.fullmatch(value) else quoted(value)
