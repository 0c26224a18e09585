"""bandit's report: an issue once with all its places; the counts of a level in one line.

https://bandit.readthedocs.io/en/latest/formatters/text.html describes the format.
"""

from __future__ import annotations

from laconic.compact.shapes.rows import placed, raw_of, text_of, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_ISSUE = pattern(r">> Issue: \[[A-Z]\d+:\w+\] .*")
_SEVERITY = pattern(r"\s+Severity: \w+\s+Confidence: \w+")
_LOCATION = pattern(r"\s+Location: (\S.*?)(:\d+(?::\d+)?)")
_ADVICE = pattern(r"\s+(?:More Info|CWE): \S.*|-{20,}")
_SOURCE = pattern(r"(\d+)\t.*")
_HEADING, _COUNT = pattern(r"\t(?:Total issues .*):"), pattern(r"\t\t(\w+: \d+)")


class _Issue:
    """head, level, place: its lines. source: lines that are shown if no other issue is like it."""

    __slots__ = ("head", "level", "mark", "path", "place", "source")

    def __init__(self, head: int) -> None:
        self.head, self.level, self.place = head, -1, -1
        self.path = self.mark = ""
        self.source: list[int] = []


def bandit(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show the issues, those with the same text together; the same rows if there are none."""
    del asked
    lines = raw_of(rows)
    groups: dict[tuple[str, str], list[_Issue]] = {}
    for issue in _read(lines, texts):
        groups.setdefault((texts[issue.head], texts[issue.level]), []).append(issue)
    instead, gone = _counts(lines, texts)
    for (head, level), group in groups.items():
        for issue in group:
            gone |= {issue.head, issue.level, issue.place, *issue.source}
        instead[group[0].head] = [
            whole(head, [issue.head for issue in group]),
            whole(level, [issue.level for issue in group]),
            whole(f"   Location: {_places(group)}", [issue.place for issue in group]),
            *_own_source(group, texts),
        ]
    return placed(rows, instead, gone)


def _own_source(group: list[_Issue], texts: Texts) -> list[Row]:
    """The line that an issue is about, if no other is like it."""
    if len(group) > 1:
        return []
    line = group[0].mark.split(":")[1]
    return [i for i in group[0].source if texts[i].startswith(f"{line}\t")]


def _read(lines: list[int], texts: Texts) -> list[_Issue]:
    found: list[_Issue] = []
    is_open = False
    for index in lines:
        text = texts[index]
        if _ISSUE.fullmatch(text):
            found.append(_Issue(index))
            is_open = True
        elif not is_open:
            continue
        elif _SEVERITY.fullmatch(text):
            found[-1].level = index
        elif match := _LOCATION.fullmatch(text):
            found[-1].path, found[-1].mark, found[-1].place = match[1], match[2], index
        elif _SOURCE.fullmatch(text) or _ADVICE.fullmatch(text):
            found[-1].source.append(index)
        elif text.strip():
            is_open = False
    return [issue for issue in found if issue.path and issue.level >= 0]


def _places(group: list[_Issue]) -> str:
    files: dict[str, list[str]] = {}
    for issue in group:
        files.setdefault(issue.path, []).append(issue.mark)
    return ", ".join(f"{path}{' '.join(marks)}" for path, marks in files.items())


def _counts(lines: list[int], texts: Texts) -> tuple[dict[int, list[Row]], set[int]]:
    """The sums by level, each kind in one line."""
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    heading = -1
    for index in lines:
        count = _COUNT.fullmatch(texts[index])
        if _HEADING.fullmatch(texts[index]):
            heading = index
            instead[index] = [index]
        elif heading >= 0 and count:
            row = instead[heading][0]
            before = text_of(row, texts)
            members = [heading] if isinstance(row, int) else [n - 1 for n in row.numbers]
            instead[heading] = [whole(f"{before} {count[1]}", [*members, index])]
            gone.add(index)
        else:
            heading = -1
    return instead, gone
