"""What Rust's test programs print: each failure once, and nothing about programs without tests.

https://doc.rust-lang.org/rustc/tests/index.html describes the test harness.
"""

from __future__ import annotations

from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.rows import placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_FAILED = pattern(r"(?:test )?(?P<name>\S.*) (?:\.\.\.|---) FAILED")
_HEADING = pattern(r"---- (?P<name>\S.*) stdout ----")
_PANIC = pattern(r"thread '(?P<name>[^']+)'(?: \(\d+\))? panicked at .*")
_PROGRAM = pattern(r"(?P<said> +(?:Running|Doc-tests) \S.*?)(?: \(\S*/deps/\S+\))?")
_RESULT = pattern(r"test result: .*")
_NOTHING = pattern(r"test result: ok\. 0 passed; 0 failed; 0 ignored; .*")
_RUNNING = pattern(r"running \d+ tests?")
_HINT = pattern(r"note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\.?")
_LIST = "failures:"


def libtest(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Leave out what is said again of a failure; its name stays."""
    del asked
    lines = raw_of(rows)
    if not any(_RESULT.fullmatch(texts[i]) for i in lines):
        return rows
    named = (_HEADING.fullmatch(texts[i]) or _PANIC.fullmatch(texts[i]) for i in lines)
    told = {match["name"] for match in named if match}
    gone = {i for i in lines if (m := _FAILED.fullmatch(texts[i])) and m["name"] in told}
    gone |= {i for i in lines if _HINT.fullmatch(texts[i]) or _RUNNING.fullmatch(texts[i])}
    gone |= _listed(lines, told, texts) | _headings(lines, texts)
    instead: dict[int, list[Row]] = {}
    program = -1
    for index in lines:
        text = texts[index]
        if match := _PROGRAM.fullmatch(text):
            program = index
            if match["said"] != text:
                instead[index] = [Shown(SHORT, match["said"], (index + 1,))]
        elif _NOTHING.fullmatch(text):
            gone |= {index, program} - {-1}
            instead.pop(program, None)
    return placed(rows, instead, gone)


def _listed(lines: list[int], told: set[str], texts: Texts) -> set[int]:
    """The names below `failures:` of what is told above, and that heading."""
    found: set[int] = set()
    is_list = False
    for index in lines:
        text = texts[index]
        if text == _LIST:
            is_list = True
            found.add(index)
        elif is_list and text.startswith("    ") and text.strip() in told:
            found.add(index)
        elif text.strip():
            is_list = False
    return found if told else set()


def _headings(lines: list[int], texts: Texts) -> set[int]:
    """The headings of failures whose first line names the test, too."""
    found: set[int] = set()
    heading, name = -1, ""
    for index in lines:
        text = texts[index]
        if match := _HEADING.fullmatch(text):
            heading, name = index, match["name"]
        elif text.strip():
            panic = _PANIC.fullmatch(text)
            if heading >= 0 and panic and panic["name"] == name:
                found.add(heading)
            heading = -1
    return found
