"""What the shapes are made of: rows over the lines of an output, and how they are looked at."""

from __future__ import annotations

from laconic.compact.result import MADE, SHORT, WHOLE, Row, Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    Texts: TypeAlias = "Mapping[Row, str] | Sequence[str]"


def made(text: str, indexes: Iterable[int]) -> Shown:
    """A line made of values of others, which are hidden."""
    return Shown(MADE, text, [index + 1 for index in indexes])


def whole(text: str, indexes: Iterable[int]) -> Shown:
    """A line that has all that others say, which are therefore not hidden."""
    return Shown(WHOLE, text, [index + 1 for index in indexes])


def short(text: str, index: int, texts: Texts) -> Row:
    """A line without a part of it, or the line itself if nothing is missing."""
    return index if text == texts[index] else Shown(SHORT, text, (index + 1,))


def raw_of(rows: list[Row]) -> list[int]:
    """The lines that no pass has touched yet."""
    return [row for row in rows if isinstance(row, int)]


def text_of(row: Row, texts: Texts) -> str:
    return texts[row] if isinstance(row, int) else row.text


def indent_of(text: str) -> int:
    return len(text) - len(text.lstrip())


def find_form(form: re.Pattern[str], lines: Sequence[int], texts: Texts) -> int:
    """The position of the first line of this form, or the number of lines if there is none."""
    found = (pos for pos, index in enumerate(lines) if form.fullmatch(texts[index]))
    return next(found, len(lines))


def placed(rows: list[Row], instead: dict[int, list[Row]], gone: set[int]) -> list[Row]:
    """The rows, with others in place of some lines, and without those that are gone."""
    found: list[Row] = []
    for row in rows:
        if isinstance(row, int) and row in instead:
            found += instead[row]
        elif not isinstance(row, int) or row not in gone:
            found.append(row)
    return found
