"""minitest's report: each failure once, by its name and places, what differs, and the totals."""

from __future__ import annotations

from laconic.compact.shapes.report import Report
from laconic.compact.shapes.rows import made
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

# As minitest-reporters lists tests: https://github.com/minitest-reporters/minitest-reporters
_IN_LIST = pattern(r"  (\S.*?) +(PASS|FAIL|ERROR|SKIP) \([\d.]+s\)")
_CLASS = pattern(r"[A-Z]\w*(?:::\S.*)?")


def minitest(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show every failure in few lines; of the tests that are listed none that is told."""
    report = Report("minitest", rows, texts, asked)
    if not report.is_one:
        return rows
    listed = {failure.lines[0]: failure for failure in report.failures}
    above, is_below_blank = -1, True
    for index in report.lines:
        text = texts[index]
        if (match := _IN_LIST.fullmatch(text)) and above >= 0:
            report.gone |= {index, above}
            name = f"{texts[above]}#{match[1]}"
            if match[2] == "SKIP":
                report.instead[index] = [made(f"SKIP {name}", [index])]
            elif failure := listed.get(index):
                failure.title, failure.name = f"{match[2]} {name}", name
        elif is_below_blank and _CLASS.fullmatch(text):
            above = index
        is_below_blank = not text.strip()
    return report.shown()
