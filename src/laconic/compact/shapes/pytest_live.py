"""What tests log and print while pytest runs with `--log-cli-level` or `log_cli`.

https://docs.pytest.org/en/stable/how-to/logging.html#live-logs: the name of a test, rulers with the
lines of each of its phases below them, and its result, after which its teardown may log more.
"""

from __future__ import annotations

from laconic.compact.diagnostics import is_diagnostic
from laconic.compact.shapes.logs import DULL, level_of
from laconic.compact.shapes.pytest_failure import captured_rows
from laconic.compact.shapes.repeats import by_kind, values_of
from laconic.compact.shapes.rows import made, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from laconic.compact.result import Row
    from laconic.compact.shapes.rows import Texts

_RULER = pattern(r"-{3,} live log (\w+) -{3,}")
_NAME = pattern(r"\S+?\.py::(\S.*?) ?")
_RESULT = pattern(
    r"(?:(PASSED|SKIPPED|XFAIL|XPASS)|FAILED|ERROR|RERUN)(?: \(.*\))?(?: +\[ *\d+%\])?"
)
_NO_ERRORS = DULL | {"WARN", "WARNING"}
_MOST_KINDS = 30  # of messages that are not warnings


class _Test:
    """A test: the line of its name, its results, and what is between and below them."""

    __slots__ = ("has_passed", "index", "lines", "name", "results", "rulers")

    def __init__(self, index: int, name: str) -> None:
        self.index, self.name = index, name.replace("::", ".")
        self.lines: list[int] = []
        self.rulers: list[int] = []
        self.results: list[int] = []
        self.has_passed = True

    def named(self, result: int, texts: Texts) -> Row:
        """A result after the name, as it is written without a live log."""
        return whole(f"{texts[self.index].rstrip()} {texts[result]}", [self.index, result])


class Live:
    """gone: the lines of the frame around what was logged, and those that are told elsewhere.

    instead: what is shown in place of lines. of_failed: for each test whose failure is shown below,
    what it logged and printed.
    """

    def __init__(self, lines: list[int], texts: Texts, failed: Container[str]) -> None:
        self.gone: set[int] = set()
        self.instead: dict[int, list[Row]] = {}
        self.of_failed: dict[str, list[int]] = {}
        logged: list[int] = []
        for test in _tests(lines, texts):
            if not test.results:  # it did not end
                self.instead[test.index] = [test.index]
                continue
            self.gone.update((test.index, *test.rulers, *test.results))
            if not test.has_passed:
                self.gone.update(test.lines)
                self._take_failed(test, texts, is_told=test.name in failed)
                continue
            logged += [i for i in test.lines if level_of(texts[i])]
            if others := [i for i in test.results if not texts[i].startswith("PASSED")]:
                self.instead[test.index] = [test.named(others[-1], texts)]
        self._fold(logged, texts)

    def _take_failed(self, test: _Test, texts: Texts, *, is_told: bool) -> None:
        if is_told:
            self.of_failed[test.name] = test.lines
        else:
            named = test.named(test.results[-1], texts)
            self.instead[test.index] = [named, *captured_rows("live", test.lines, texts)]

    def _fold(self, logged: list[int], texts: Texts) -> None:
        """Show the first line of each kind that tests logged that passed, with their number."""
        kinds = by_kind(logged, texts)
        dull = [some for some in kinds.values() if not _is_wrong(texts[some[0]], DULL)]
        for members in kinds.values():
            if len(members) > 1 and (told := _counted(members, texts)):
                self.gone.update(members)
                self.instead[members[0]] = [told]
        if hidden := [index for members in dull[_MOST_KINDS:] for index in members]:
            self.gone.update(hidden)
            for index in hidden:
                self.instead.pop(index, None)
            said = f"[{len(hidden)} log lines of {len(dull) - _MOST_KINDS} more kinds hidden]"
            self.instead[hidden[0]] = [made(said, hidden)]


def _counted(members: list[int], texts: Texts) -> Row | None:
    """One line for all of a kind; nothing if errors have more to tell than it can say."""
    first = texts[members[0]]
    if all(texts[index] == first for index in members):
        return whole(f"{first} [x{len(members)}]", members)
    values = values_of(members, texts) if _is_wrong(first, DULL) else ""
    if values:
        return made(f"{first} [and {len(members) - 1} like it: {values}]", members)
    if _is_wrong(first, _NO_ERRORS):
        return None
    return made(f"{first} [x{len(members)} of this kind]", members)


def _is_wrong(text: str, levels: Container[str]) -> bool:
    """Tell whether a line of a log is of none of these levels, or says what is wrong."""
    level = level_of(text)
    return level not in levels or (level in DULL and is_diagnostic(text))


def is_ruler(text: str) -> bool:
    return " live log " in text and _RULER.fullmatch(text) is not None


def _tests(lines: list[int], texts: Texts) -> list[_Test]:
    found: list[_Test] = []
    for index in lines:
        text = texts[index]
        if match := _NAME.fullmatch(text):
            found.append(_Test(index, match[1]))
        elif not found or not text.strip():
            continue
        elif is_ruler(text):
            found[-1].rulers.append(index)
        elif match := _RESULT.fullmatch(text):
            found[-1].results.append(index)
            found[-1].has_passed &= match[1] is not None
        else:
            found[-1].lines.append(index)
    return [test for test in found if test.rulers]
