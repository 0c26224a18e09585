"""sqlfluff's report: each violation in one line, with the other places where it is found."""

from __future__ import annotations

from laconic.compact.shapes.rows import made, placed, raw_of, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_FILE = pattern(r"== \[(.*)\] [A-Z]+")
_VIOLATION = pattern(r"(L: +(\d+) \| P: +(\d+) \| +(\w+) \|) (\S.*)")
_CONTINUED = pattern(r" {10,}\| (\S.*)")
_RULE = pattern(r" \[\w+\.\w+\]$")


class _Violation:
    """start: all that is before its text."""

    __slots__ = ("code", "file", "lines", "place", "start", "text")

    def __init__(self, file: str, match: re.Match[str], index: int) -> None:
        self.file, self.start, self.place = file, match[1], f"{match[2]}:{match[3]}"
        self.code, self.text, self.lines = match[4], match[5], [index]


def sqlfluff(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show the violations of each file; the same rows if there are none."""
    del asked
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    told: set[str] = set()
    for group in _groups(raw_of(rows), texts):
        first, *others = group
        members = [index for violation in group for index in violation.lines]
        line = f"{first.file}:{first.place.split(':')[0]}"
        start = f"{first.place} {first.code}" if line in told else first.start
        rule = _RULE.search(first.text)
        # the name of a rule is told once, so that a line without it does not say all
        text = first.text[: rule.start()] if rule and rule[0] in told else first.text
        said = f"{start} {text}"
        if others:
            said += f" +{len(others)}: {' '.join(violation.place for violation in others)}"
        instead[members[0]] = [(whole if text == first.text else made)(said, members)]
        gone |= set(members)
        told |= {line, rule[0] if rule else ""}
    return placed(rows, instead, gone)


def _groups(lines: list[int], texts: Texts) -> list[list[_Violation]]:
    """The violations of one file with the same code and text, in the order of the first."""
    found: list[_Violation] = []
    file, is_open = "", False
    for index in lines:
        text = texts[index]
        if match := _FILE.fullmatch(text):
            file, is_open = match[1], False
        elif match := _VIOLATION.fullmatch(text):
            found.append(_Violation(file, match, index))
            is_open = True
        elif is_open and (match := _CONTINUED.fullmatch(text)):
            found[-1].text += f" {match[1]}"
            found[-1].lines.append(index)
        else:
            is_open = False
    groups: dict[tuple[str, str, str], list[_Violation]] = {}
    for violation in found:
        groups.setdefault((violation.file, violation.code, violation.text), []).append(violation)
    return list(groups.values())
