"""Sphinx's progress, wherever it is: warnings, errors and the end of the build stay.

https://www.sphinx-doc.org/en/master/man/sphinx-build.html
"""

from __future__ import annotations

from laconic.compact.shapes.rows import placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_START = pattern(r"Running Sphinx v\S+")
_STEP = pattern(
    r"Running Sphinx v\S+|done|Writing evaluated template result to \S+"
    r"|(?:loading|making|building|writing|updating|reading|looking|pickling|checking|preparing"
    r"|copying|generating|dumping|highlighting) (?!.*(?:WARNING|ERROR|CRITICAL): )"
    r"[\w\[\]() :.-]*?(?:\.\.\.|: ).*"
)


def sphinx(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Leave out the steps of a build; the same rows if there is none."""
    del asked
    lines = raw_of(rows)
    if not any(_START.fullmatch(texts[i]) for i in lines):
        return rows
    return placed(rows, {}, {i for i in lines if _STEP.fullmatch(texts[i])})
