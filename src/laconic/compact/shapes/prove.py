"""What prove and Test::More print: each failure once, in one line if it is short; and the totals.

https://perldoc.perl.org/prove and https://perldoc.perl.org/Test::More show the forms. What tests
print and what they say of failures comes by two streams, in any order.
"""

from __future__ import annotations

from itertools import groupby

from laconic.compact.shapes.failures import Failure, joined_values, shown
from laconic.compact.shapes.rows import made, placed, raw_of, short
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_FAILED = pattern(r"( *)#   Failed (?:\(TODO\) )?test(?: '(.*)')?((?: at \S.* line \d+\.)?)")
_AT = pattern(r" *#   at \S.* line \d+\.")
_DETAIL = pattern(r" *# {4,}\S.*")
_TOTALS = pattern(r"(Files=\d+, Tests=\d+),.*")
_REPORT = "Test Summary Report"
_PASSED_FILE = pattern(r"\S.* \.{2,} (?:ok|\d+/\d+ ok)(?: +\d+ ms)?\s*")
_BEGUN_FILE = pattern(r"\S.* \.{2,} ")
# Results of single tests, as `prove -v` shows them, and what is around them.
_PASSED = pattern(r" *ok \d+(?: - (?!.*# (?:skip|TODO)\b).*)?|ok|\s*1\.\.\d+")
_NOT_OK = pattern(r" *not ok \d+ - (.*)")
# What the report says again.
_AGAIN = pattern(
    r"Dubious, test returned \d+ .*|Failed \d+/\d+ subtests ?|-{19}|  Non-zero exit status: \d+"
    r"| *# Looks like you failed \d+ tests? of \d+\."
    r"|# Looks like you planned \d+ tests? but ran \d+\."
)
_FEWEST = 3
_LONGEST = 120  # characters of details that are in one line


def prove(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show every failure in few lines; tests and files that passed are counted by the totals."""
    del asked
    lines = raw_of(rows)
    failures = [_read(block, texts) for block in _blocks(lines, texts)]
    totals = {i: match for i in lines if (match := _TOTALS.fullmatch(texts[i]))}
    if not failures and not totals:
        return rows
    instead = shown(failures, " ")
    gone = {i for failure in failures for i in failure.lines}
    gone |= {i for i in lines if not texts[i].strip()}
    names = {match[2] for f in failures if (match := _FAILED.fullmatch(texts[f.lines[0]]))}
    if totals:
        instead |= {i: [short(match[1], i, texts)] for i, match in totals.items()}
        gone |= {i for i in lines if _PASSED.fullmatch(texts[i])}
        instead |= _passed_files(lines, texts)
    gone |= {i for i in lines if (m := _NOT_OK.fullmatch(texts[i])) and m[1] in names}
    if any(texts[i] == _REPORT for i in lines):
        gone |= {i for i in lines if _AGAIN.fullmatch(texts[i])}
    return placed(rows, instead, gone)


def _blocks(lines: list[int], texts: Texts) -> list[list[int]]:
    """The lines of each failure: what is behind the mark of a comment is indented more."""
    found: list[list[int]] = []
    is_inside = False
    for index in lines:
        text = texts[index]
        if _FAILED.fullmatch(text):
            found.append([])
            is_inside = True
        elif not (_AT.fullmatch(text) or _DETAIL.fullmatch(text)):
            is_inside = False
        if is_inside:
            found[-1].append(index)
    return found


def _read(block: list[int], texts: Texts) -> Failure:
    match = _FAILED.fullmatch(texts[block[0]])
    assert match is not None
    title = texts[block[0]].removesuffix(match[3]).rstrip()
    failure = Failure(block, title, f"{match[1]}#     ")
    failure.name = f"'{match[2]}'" if match[2] else match[3].strip()
    at = [i for i in block[1:] if _AT.fullmatch(texts[i])][:1]
    failure.places = [(texts[at[0]] if at else match[3]).strip("# .")]
    said = [i for i in block[1:] if i not in at]
    parts = [(text.strip("# "), found) for text, found in joined_values(said, texts)]
    joined = " ".join(text for text, _ in parts)
    failure.said = [(joined, said)] if said and len(joined) <= _LONGEST else parts
    return failure


def _passed_files(lines: list[int], texts: Texts) -> dict[int, list[Row]]:
    """Neighbouring files of which all tests passed, as a number."""
    found: dict[int, list[Row]] = {}
    passed = {i for i in lines if _PASSED_FILE.fullmatch(texts[i])} | _with_tests(lines, texts)
    others = [i for i in lines if i in passed or not _PASSED.fullmatch(texts[i])]
    for is_passed, group in groupby(others, passed.__contains__):
        run = list(group)
        if is_passed and len(run) >= _FEWEST:
            found |= {i: [] for i in run}
            found[run[0]] = [made(f"[{len(run)} files ok]", run)]
    return found


def _with_tests(lines: list[int], texts: Texts) -> set[int]:
    """The names of files below which are single tests, and at last that all of them passed."""
    found: set[int] = set()
    name = -1
    for index in lines:
        text = texts[index]
        if text == "ok" and name >= 0:
            found.add(name)
        if not _PASSED.fullmatch(text):
            name = index if _BEGUN_FILE.fullmatch(text) else -1
    return found
