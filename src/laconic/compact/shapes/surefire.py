"""Maven's tests: lines about classes that passed go, and after a success what tests print.

https://maven.apache.org/surefire/maven-surefire-plugin/
"""

from __future__ import annotations

from laconic.compact.shapes.rows import made, placed, raw_of
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
# A failure above its message, and how the list at the end names it: with its line, and the message.
_FAILURE = pattern(
    r"\[ERROR\] (?P<package>(?:\w+\.)*)(?P<test>[\w$]+\.[\w$]+)(?P<case>.*?)"
    r" -- Time elapsed: .* <<< (?:FAILURE|ERROR)!"
)
_LIST = pattern(r"\[ERROR\] (?:Failures|Errors): ?")
_ENTRY = pattern(
    r"\[ERROR\]\s{2,}(?P<at>(?P<test>(?P<of>[\w$]+)(?:>[\w$]+)?\.(?P<name>[\w$]+)):\d+\S*"
    r"(?: \u00bb [\w.$]+)?):? ?(?P<said>.*)"
)
_ASSERTION = pattern(r"(?:org\.opentest4j\.AssertionFailedError|java\.lang\.AssertionError): (.*)")
_LONG = 120  # characters of a message that is not told twice


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
    instead, told = _named(lines, texts)
    return placed(rows, instead, (gone - {running}) | told)


def _named(lines: list[int], texts: Texts) -> tuple[dict[int, list[Row]], set[int]]:
    """Put the entries of the lists at the end in the place of the headings of the failures."""
    lists = _lists(lines, texts)
    todo: dict[str, list[int]] = {}
    for index in (index for entries in lists.values() for index in entries):
        if match := _ENTRY.fullmatch(texts[index]):
            todo.setdefault(f"{match['of']}.{match['name']}", []).append(index)
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    for pos, index in enumerate(lines if todo else ()):
        failure = _FAILURE.fullmatch(texts[index])
        entries = todo.get(failure["test"]) if failure else None
        if failure is None or not entries:
            continue
        entry = entries.pop(0)
        match = _ENTRY.fullmatch(texts[entry])
        assert match
        below = lines[pos + 1] if pos + 1 < len(lines) else index
        assertion = _ASSERTION.fullmatch(texts[below])
        is_all = assertion is not None and assertion[1] == match["said"]
        text = f"[ERROR] {match['at']}"
        if match["said"] and (is_all or len(match["said"]) <= _LONG):
            text += f" {match['said']}"
        if failure["case"]:
            text += f" [{failure['package']}{failure['test']}{failure['case']}]"
        instead[index] = [made(text, [index, entry])]
        gone |= {entry, below} if is_all else {entry}
    return instead, gone | {
        head for head, found in lists.items() if found and gone.issuperset(found)
    }


def _lists(lines: list[int], texts: Texts) -> dict[int, list[int]]:
    """The headings of the lists of failures, and the lines below each, which may be several."""
    found: dict[int, list[int]] = {}
    below: list[int] | None = None
    for index in lines:
        text = texts[index]
        if _LIST.fullmatch(text):
            below = found[index] = []
        elif below is not None and text.strip() and (_ENTRY.fullmatch(text) or text[0] != "["):
            below.append(index)
        elif below or text.strip():
            below = None
    return found
