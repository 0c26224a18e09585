"""Maven's tests: lines about classes that passed go, and after a success what tests print.

https://maven.apache.org/surefire/maven-surefire-plugin/
"""

from __future__ import annotations

from laconic.compact.shapes.rows import placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_RUNNING = pattern(r"\[INFO\] Running \S+")
_OF_CLASS = pattern(
    r"\[(?:INFO|WARNING)\] Tests run: \d+, Failures: 0, Errors: 0, Skipped: \d+, Time elapsed: .*"
)
_RESULT = pattern(r"\[\w+\] Tests run: \d+, .*Time elapsed: .*")
_SUM = pattern(
    r"\[(?:INFO|WARNING|ERROR)\] Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+"
)
_TOLD = pattern(r"(?i).*\b(?:warn(?:ing)?|error|fail(?:ed|ure)?|exception|deprecated)\b.*")


def surefire(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Leave out classes that passed, if there is a sum, and after a success what tests print."""
    lines = raw_of(rows)
    if not any(_SUM.fullmatch(texts[i]) for i in lines):
        return rows
    gone = {i for i in lines if _OF_CLASS.fullmatch(texts[i])}
    is_running = False
    running = -1  # the class whose result has not come yet
    for index in lines:
        text = texts[index]
        if _RUNNING.fullmatch(text):
            is_running = True
            gone.add(index)
            running = index
        elif _RESULT.fullmatch(text):
            running = -1
        elif text.startswith("["):
            is_running = False
        elif is_running and not asked.status and not _TOLD.fullmatch(text):
            gone.add(index)
    return placed(rows, {}, gone - {running})
