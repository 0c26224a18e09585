"""PHPUnit's report: each failure once, by its name and places; of values what differs."""

from __future__ import annotations

from laconic.compact.shapes.report import Report
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.failures import Said
    from laconic.compact.shapes.rows import Texts

_CLASS = pattern(r"(\d+\) )((?:\w+\\)+)(\w+)::")
# Which tests met what is wrong, of deprecations, notices and warnings.
_TRIGGERED = "Triggered by:"


def phpunit(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show every failure in few lines, and the totals; the namespace of each class once."""
    report = Report("phpunit", rows, texts, asked, _triggered)
    told: dict[str, str] = {}
    for failure in report.failures:
        match = _CLASS.match(failure.title)
        if match and told.get(match[3]) == match[2]:
            failure.title = match[1] + failure.title[match.start(3) :]
        elif match:
            told.setdefault(match[3], match[2])
    return report.shown() if report.is_one else rows


def _triggered(lines: list[int], said: Texts) -> tuple[list[int], list[Said]]:
    """The tests that met what is wrong, in one line; each namespace and directory once."""
    at = next((pos for pos, i in enumerate(lines) if said[i] == _TRIGGERED), len(lines))
    told: set[str] = set()
    parts: list[str] = []
    triggered = [i for i in lines[at:] if said[i].strip()]
    for index in triggered:
        text = said[index].strip().removeprefix("* ")
        start, sign, name = text.rpartition("/" if text.startswith("/") else "\\")
        parts.append(name if start in told else text)
        told |= {start} if sign else set()
    return lines[:at], [(" ".join(parts), triggered)] if parts else []
