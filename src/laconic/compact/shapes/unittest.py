"""unittest's report, also Django's: each failure once, without rulers and signs of progress.

https://docs.python.org/3/library/unittest.html#command-line-interface
"""

from __future__ import annotations

from laconic.compact.shapes.rows import placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_RAN = pattern(r"Ran \d+ tests? in [\d.]+s")
_HEADING = pattern(r"(?:FAIL|ERROR|UNEXPECTED SUCCESS): (\S.*)")
_RESULT = pattern(r"\s*(\S.*?) \.\.\. (FAIL|ERROR|ok)")
_ANNOUNCED = pattern(r"\s*\w+ \([\w.]+\)(?: \(.*\))? \.\.\. ")
_DULL = pattern(r"[.FEsxu]+|[=-]{70}|\? +[-+^ ]+")


def unittest(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Leave out what the lines of a failure say again; the same rows if it is not such a report."""
    del asked
    lines = raw_of(rows)
    if not any(_RAN.fullmatch(texts[i]) for i in lines):
        return rows
    told = {match[1] for i in lines if (match := _HEADING.fullmatch(texts[i]))}
    gone: set[int] = set()
    for index in lines:
        text = texts[index]
        result = _RESULT.fullmatch(text)
        has_passed = result is not None and result[2] == "ok"
        is_told = result is not None and result[1] in told
        if has_passed or is_told or _DULL.fullmatch(text) or _ANNOUNCED.fullmatch(text):
            gone.add(index)
    return placed(rows, {}, gone)
