"""What prove and Test::More print: each failure once, in one line if it is short; and the totals.

https://perldoc.perl.org/prove and https://perldoc.perl.org/Test::More show the forms. What tests
print and what they say of failures comes by two streams, in any order.
"""

from __future__ import annotations

from itertools import groupby

from laconic.compact.shapes.failures import Failure, joined_values, shown
from laconic.compact.shapes.rows import made, placed, raw_of, short, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

# Test2 writes fewer blanks than Test::More: https://metacpan.org/pod/Test2::Suite
_FAILED = pattern(r"( *)# {1,3}Failed (?:\(TODO\) )?test(?: '(.*)')?((?: at \S.* line \d+\.)?)")
_AT = pattern(r" *# {1,3}at \S.* line \d+\.")
_DETAIL = pattern(r" *# {4,}\S.*")
_END = pattern(r" *# '")  # of a value that ends with a newline
# Values as Test2 and Test::Differences compare them: in a table whose other rows are equal.
_TABLE, _RULER = pattern(r" *# ([|*])(.*)[|*]"), pattern(r" *# \+[-+]+\+")
_KNOWN_COLUMNS = frozenset(("PATH", "OP", "Ln", "Elt"))  # what they have says what it is
_COMPARED = (frozenset(("GOT", "CHECK")), frozenset(("Got", "Expected")))
_TOTALS = pattern(r"(Files=\d+, Tests=\d+),.*")
_REPORT = "Test Summary Report"
_OF_REPORT = pattern(r"(\S.*?) +(\(Wstat: .*\))")
_TIME = r"(?:\[\d\d:\d\d:\d\d\] )?"
_PASSED_FILE = pattern(rf"{_TIME}\S.* \.{{2,}} (?:ok|\d+/\d+ ok)(?: +\d+ ms(?: \( .* CPU\))?)?\s*")
_BEGUN_FILE = pattern(rf"{_TIME}(\S.*?) \.{{2,}} ")
# Results of single tests, as `prove -v` shows them, and what is around them.
_PASSED = pattern(r" *ok \d+(?: - (?!.*# (?:skip|TODO)\b).*)?|ok|\s*1\.\.\d+")
_NOT_OK = pattern(r" *not ok \d+ - (.*)")
# What the report says again.
_AGAIN = pattern(
    r"Dubious, test returned \d+ .*|Failed \d+/\d+ subtests ?|-{19}|  Non-zero exit status: \d+"
    r"| *# Looks like you failed \d+ tests? of \d+\.|No subtests run |All \d+ subtests passed "
    r"|# Looks like you planned \d+ tests? but ran \d+\.|\[\d\d:\d\d:\d\d\]"
)
# Where Perl looks for modules: only what is not Perl's own may be missing there.
_SEARCHED = pattern(r"(Can't locate .*? \(@INC (?:contains|entries checked):)(.*?)(\) at \S.*)")
_OF_PERL = pattern(r" /(?:usr|etc)/[\w./-]*perl[\w./-]*")
_FEWEST = 3
_LONGEST = 120  # characters of details that are in one line


def may_begin_report(text: str) -> bool:
    forms = (_BEGUN_FILE, _PASSED_FILE, _FAILED, _PASSED, _NOT_OK, _SEARCHED, _TOTALS)
    return any(form.fullmatch(text) for form in forms)


def prove(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show every failure in few lines; tests and files that passed are counted by the totals."""
    del asked
    lines = raw_of(rows)
    failures = [_read(block, texts) for block in _blocks(lines, texts)]
    totals = {i: match for i in lines if (match := _TOTALS.fullmatch(texts[i]))}
    if not failures and not totals:
        return rows
    places = [failure.places[0] for failure in failures]
    instead = shown(failures, " ")
    gone = {i for failure in failures for i in failure.lines}
    gone |= {i for i in lines if not texts[i].strip()}
    names = {match[2] for f in failures if (match := _FAILED.fullmatch(texts[f.lines[0]]))}
    if totals:
        instead |= {i: [short(match[1], i, texts)] for i, match in totals.items()}
        gone |= {i for i in lines if _PASSED.fullmatch(texts[i])}
        instead |= _passed_files(lines, texts)
    gone |= {i for i in lines if (m := _NOT_OK.fullmatch(texts[i])) and m[1] in names}
    for index in lines:
        if match := _SEARCHED.fullmatch(texts[index]):
            own = _OF_PERL.sub("", match[2])
            instead[index] = [short(f"{match[1]}{own} \u2026{match[3]}", index, texts)]
    report = next((pos for pos, i in enumerate(lines) if texts[i] == _REPORT), len(lines))
    if report < len(lines):
        gone |= {i for i in lines if _AGAIN.fullmatch(texts[i])}
        below, files = _reported(lines[report + 1 :], texts)
        instead |= below
        # what has no place of its own is known by the name of the file beside it
        named = {
            name for name in files if any(place.startswith(f"at {name} line ") for place in places)
        }
        begun = ((i, _BEGUN_FILE.fullmatch(texts[i])) for i in lines[:report])
        gone |= {i for i, match in begun if match and match[1] in named}
        gone |= {i for row in below.values() for shown_row in row for i in _others(shown_row)}
    return placed(rows, instead, gone)


def _reported(lines: list[int], texts: Texts) -> tuple[dict[int, list[Row]], set[str]]:
    """What the report says of each file in one line, and the files."""
    found: dict[int, list[Row]] = {}
    files: set[str] = set()
    told: list[tuple[str, list[int]]] = []
    for index in lines:
        text = texts[index]
        if match := _OF_REPORT.fullmatch(text):
            files.add(match[1])
            told.append((f"{match[1]} {match[2]}", [index]))
        elif told and text.startswith("  ") and not _AGAIN.fullmatch(text):
            told[-1] = (f"{told[-1][0]} {text.strip()}", [*told[-1][1], index])
        elif text.strip() and not _AGAIN.fullmatch(text):
            break
    for said, some in told:
        found[some[0]] = [whole(said, some)]
    return found, files


def _others(row: Row) -> list[int]:
    """The lines of a row but the first, in whose place it stands."""
    return [] if isinstance(row, int) else [number - 1 for number in row.numbers[1:]]


def _blocks(lines: list[int], texts: Texts) -> list[list[int]]:
    """The lines of each failure: what is behind the mark of a comment is indented more."""
    found: list[list[int]] = []
    is_inside = False
    for index in lines:
        text = texts[index]
        if _FAILED.fullmatch(text):
            found.append([])
            is_inside = True
        elif not any(form.fullmatch(text) for form in (_AT, _DETAIL, _END, _TABLE, _RULER)):
            is_inside = False
        if is_inside:
            found[-1].append(index)
    return found


def _read(block: list[int], texts: Texts) -> Failure:
    match = _FAILED.fullmatch(texts[block[0]])
    assert match is not None
    title = texts[block[0]].removesuffix(match[3]).strip(" #")
    failure = Failure(block, match[1] + title, f"{match[1]}  ")
    failure.name = f"'{match[2]}'" if match[2] else match[3].strip()
    at = [i for i in block[1:] if _AT.fullmatch(texts[i])][:1]
    failure.places = [(texts[at[0]] if at else match[3]).strip("# .")]
    said = [i for i in block[1:] if i not in at]
    table = [i for i in said if _TABLE.fullmatch(texts[i]) or _RULER.fullmatch(texts[i])]
    compared = _compared(table, texts)
    plain = [i for i in said if not compared or i not in table]
    parts = [(text.strip("# "), found) for text, found in joined_values(plain, texts)]
    parts += compared
    joined = " ".join(text for text, _ in parts)
    failure.said = [(joined, said)] if said and len(joined) <= _LONGEST else parts
    return failure


def _compared(table: list[int], texts: Texts) -> list[tuple[str, list[int]]]:
    """The rows of a table in which values differ, without its frame; nothing of another table."""
    matches = [(i, match) for i in table if (match := _TABLE.fullmatch(texts[i]))]
    rows = [(i, m[1] == "*", [cell.strip() for cell in m[2].split("|")]) for i, m in matches]
    if not rows or any(len(cells) != len(rows[0][2]) for _, _, cells in rows):
        return []
    labels = rows[0][2]
    if not any(names <= set(labels) for names in _COMPARED):
        return []
    has_signs = any(is_marked for _, is_marked, _ in rows)
    found: list[tuple[str, list[int]]] = []
    for index, is_marked, cells in rows[1:]:
        if is_marked or not has_signs:
            pairs = zip(labels, cells, strict=True)
            told = (c if name in _KNOWN_COLUMNS else f"{name} {c}" for name, c in pairs if c)
            found.append((" ".join(told), [index]))
    return found


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
