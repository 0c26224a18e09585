"""The report of node's test runner for people: each failure once, in the list at the end.

https://nodejs.org/api/test.html#test-reporters: the tests come first, then the failed ones again.
"""

from __future__ import annotations

from laconic.compact.shapes.changes import NODE_LEGEND
from laconic.compact.shapes.report import Report
from laconic.compact.shapes.rows import text_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.failures import Failure
    from laconic.compact.shapes.rows import Texts

_DULL = pattern(r" +(?:generatedMessage: \w+|diff: '(?:simple|full)'),?| *\}")
_CODE = pattern(r" +code: '(ERR_\w+)',?")
_OPERATOR = pattern(r" +operator: '(\w+)',?")
_OF_EQUALITY = frozenset(("equal", "deepEqual", "strictEqual", "deepStrictEqual"))
_GENERATED = pattern(r" +generatedMessage: true,?")
_VALUE = pattern(r" +(?:actual|expected): .*")


def spec(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show the list of failed tests, and of the overview only what that list does not have."""
    report = Report("spec", rows, texts, asked)
    if not report.failures:
        return rows
    for failure in report.failures:
        failure.rows = _said(failure, texts)
    return report.shown()


def _said(failure: Failure, texts: Texts) -> list[Row]:
    """The message, and the properties of the error that it does not have."""
    said = [text_of(row, texts) for row in failure.rows]
    is_told = any(_GENERATED.fullmatch(text) for text in said)
    is_told = is_told or any(NODE_LEGEND.fullmatch(text) for text in said)
    pairs = zip(failure.rows, said, strict=True)
    message = "\n".join(said)
    return [row for row, text in pairs if not _is_dull(text, message, is_told=is_told)]


def _is_dull(text: str, message: str, *, is_told: bool) -> bool:
    """Tell whether a property adds nothing; is_told: node made the message of the values."""
    if code := _CODE.fullmatch(text):
        return f"[{code[1]}]" in message
    if operator := _OPERATOR.fullmatch(text):
        return is_told or operator[1] in _OF_EQUALITY
    is_value = is_told and _VALUE.fullmatch(text) is not None
    return is_value or _DULL.fullmatch(text) is not None
