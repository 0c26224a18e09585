"""Maven's tests: lines about classes that passed go, with what they print; failures once."""

from __future__ import annotations

from laconic.compact.shapes.report import Report
from laconic.compact.shapes.rows import made
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

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
    """Leave out classes that passed, with what they print, and name each failure once."""
    report = Report("surefire", rows, texts, asked)
    if not report.is_one:
        return rows
    instead, told = _named(report.lines, texts)
    report.instead |= instead
    report.gone |= told
    return report.shown()


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
