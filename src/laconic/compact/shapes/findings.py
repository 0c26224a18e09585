"""Findings of compilers, linters and type checkers: place, rule and message of each, in one line.

What is found in many places is shown once with all of them.
"""

from __future__ import annotations

from laconic.compact.shapes.finding import read_findings
from laconic.compact.shapes.rows import placed, raw_of, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.finding import Finding
    from laconic.compact.shapes.rows import Texts

_VARIED = pattern(
    r"`[^`]*`|'[^']*'|\"[^\"]*\"|\u2018[^\u2019]*\u2019|\(\d+ > \d+\)|\(\d+/\d+\)|\b\d+\b"
)
_MANY = 2


def findings(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show findings in one line each, those of one rule together."""
    lines = raw_of(rows)
    all_findings = list(read_findings(lines, texts, asked))
    if not all_findings:
        return rows
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    for finding in all_findings:
        gone |= {*finding.lines, *finding.hidden}
        gone |= {row for row in finding.below if isinstance(row, int)}
    for group in _groups(all_findings, texts):
        first = min(group[0].lines)
        instead[first] = _rows(group, texts)
    return placed(rows, instead, gone)


def _groups(all_findings: list[Finding], texts: Texts) -> list[list[Finding]]:
    """Findings that say the same, in the order of the first of each."""
    groups: dict[tuple[str, ...], list[Finding]] = {}
    key: tuple[str, ...]
    told: dict[tuple[str, str, str], set[str]] = {}  # what is below each
    for finding in all_findings:
        whole_text = (finding.place, finding.rule, finding.text)
        below = {texts[row] for row in finding.below if isinstance(row, int)}
        if whole_text in told:  # once is enough, unless more is below it the second time
            if not below <= told[whole_text]:
                told[whole_text] |= below
                groups[*whole_text, str(len(groups))] = [finding]
            continue
        told[whole_text] = below
        key = (finding.level, finding.rule, _VARIED.sub("…", finding.text))
        if not finding.rule:
            key = (finding.level, finding.text)
        if finding.below or finding.level == "note":
            key = (*key, finding.place)
        groups.setdefault(key, []).append(finding)
    return list(groups.values())


def _rows(group: list[Finding], texts: Texts) -> list[Row]:
    first = group[0]
    indexes = [index for finding in group for index in finding.lines]
    if len(group) < _MANY:
        is_line = len(first.lines) == 1 and first.path in texts[first.lines[0]]
        line: Row = first.lines[0] if is_line else whole(f"{first.place} {first.said}", indexes)
        return [line, *first.below]
    same = {finding.text for finding in group}
    if len(same) == 1:
        places = _places(group)
        return [whole(f"{first.said} x{len(group)}: {places}", indexes)]
    start = _VARIED.sub("…", first.text)
    told = ", ".join(f"{f.place} {_difference(f.text)}" for f in group)
    level = f"{first.level}:" if first.level else ""
    said = " ".join(filter(None, (level, first.rule, start)))
    return [whole(f"{said} x{len(group)}: {told}", indexes)]


def _places(group: list[Finding]) -> str:
    """`a.py:1:8 :1:12, b.py:3:29`."""
    files: dict[str, list[str]] = {}
    for finding in group:
        files.setdefault(finding.path, []).append(finding.short_place)
    parts = [f"{path}:{' :'.join(dict.fromkeys(places))}" for path, places in files.items()]
    return ", ".join(parts)


def _difference(text: str) -> str:
    return " ".join(_VARIED.findall(text))
