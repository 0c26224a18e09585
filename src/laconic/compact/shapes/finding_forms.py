"""Findings that a linter writes over several lines, as the table data/findings.txt says."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from laconic.compact.shapes.runners import NONE, sections, values_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from laconic.compact.shapes.rows import Texts

_BLANK = pattern(r"\s*")


class Form(NamedTuple):
    """How a linter writes findings; each pattern is that of a line.

    sign: a text in the first line. heading: what stands above several findings. begins: the first
    line of a finding. more: lines that say more of it. rest: what adds nothing. above: a line below
    which is one of the source. written: the first finding of a block in one line.

    The groups of the patterns are what they tell: path, mark (`:3:5`), line, column, level, rule
    and text.
    """

    sign: str
    begins: re.Pattern[str]
    heading: re.Pattern[str] = NONE
    more: tuple[re.Pattern[str], ...] = ()
    rest: re.Pattern[str] = NONE
    above: re.Pattern[str] = NONE
    written: str = ""


class Read:
    """A finding that was read: what its lines tell, the lines, and those that add nothing."""

    __slots__ = ("lines", "rest", "told", "written")

    def __init__(self, told: dict[str, str], index: int) -> None:
        self.told, self.lines, self.written = told, [index], ""
        self.rest: list[int] = []

    def add(self, told: dict[str, str], index: int) -> None:
        text = " ".join(filter(None, (self.told.get("text"), told.get("text"))))
        self.told |= {**told, "text": text}
        self.lines.append(index)

    def takes(self, told: dict[str, str]) -> bool:
        """Tell whether a line says more of it: it has one place, and one level if it is whole."""
        is_another = "path" in told and "path" in self.told
        return not (is_another or ("level" in told and self.is_whole))

    @property
    def is_whole(self) -> bool:
        return bool(self.told.get("path") and self.told.get("text"))

    @property
    def mark(self) -> str:
        places = [self.told.get(name) for name in ("line", "column")]
        return self.told.get("mark") or "".join(f":{place}" for place in places if place)


@cache
def _forms() -> tuple[Form, ...]:
    defaults = {"sign": "", **Form._field_defaults}
    return tuple(Form(**values_of(keys, defaults)) for keys, *_ in sections("findings").values())


def read_forms(lines: list[int], pos: int, texts: Texts) -> tuple[list[Read], int]:
    """The findings of the block that begins here, and the position after it."""
    text = texts[lines[pos]]
    for form in _forms():
        if form.sign in text and (form.heading.fullmatch(text) or form.begins.fullmatch(text)):
            found, end = _block(form, lines, pos, texts)
            if found and all(one.is_whole for one in found):
                return found, end
    return [], pos


def _block(form: Form, lines: list[int], pos: int, texts: Texts) -> tuple[list[Read], int]:
    """Read up to a line that is of another form; a block without a heading has one finding."""
    found: list[Read] = []
    heading: dict[str, str] = {}
    start, is_source = pos, False
    while pos < len(lines):
        text, index = texts[lines[pos]], lines[pos]
        if match := form.heading.fullmatch(text):
            if found:
                break
            heading = match.groupdict()
        elif match := form.begins.fullmatch(text):
            if found and not heading:
                break
            found.append(Read({**heading, **_told(match)}, index))
        elif found and (match := _more(form, text)) and found[-1].takes(_told(match)):
            found[-1].add(_told(match), index)
        elif not is_source and not any(f.fullmatch(text) for f in (form.rest, form.above, _BLANK)):
            break
        is_source = form.above.fullmatch(text) is not None
        pos += 1
    while pos > start and _BLANK.fullmatch(texts[lines[pos - 1]]):
        pos -= 1
    if found:
        found[0].written = form.written.format(**found[0].told) if found[0].is_whole else ""
        told = {i for one in found for i in one.lines}
        found[-1].rest = [i for i in lines[start:pos] if i not in told]
    return found, pos


def _more(form: Form, text: str) -> re.Match[str] | None:
    return next((match for one in form.more if (match := one.fullmatch(text))), None)


def _told(match: re.Match[str]) -> dict[str, str]:
    return {name: text for name, text in match.groupdict().items() if text}
