"""What prove and Test::More print: each failure once, the totals, what files say of themselves."""

from __future__ import annotations

from laconic.compact.shapes.report import Report
from laconic.compact.shapes.rows import short, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.failures import Said
    from laconic.compact.shapes.rows import Texts

# Values as Test2 and Test::Differences compare them: in a table whose other rows are equal.
_TABLE, _RULER = pattern(r"([|*])(.*)[|*]"), pattern(r"\+[-+]+\+")
_KNOWN_COLUMNS = frozenset(("PATH", "OP", "Ln", "Elt"))  # what they have says what it is
_COMPARED = (frozenset(("GOT", "CHECK")), frozenset(("Got", "Expected")))
_REPORT = "Test Summary Report"
_OF_REPORT = pattern(r"(\S.*?) +(\(Wstat: .*\))")
_TIME = r"(?:\[\d\d:\d\d:\d\d\] )?"
_BEGUN_FILE = pattern(rf"{_TIME}(\S.*?) \.{{2,}} ")
# Results of single tests, as `prove -v` shows them, and what is around them.
_PASSED = pattern(r" *ok \d+(?: - (?!.*# (?:skip|TODO)\b).*)?|ok|\s*1\.\.\d+")
# What the report says again.
_AGAIN = pattern(
    r"Dubious, test returned \d+ .*|Failed \d+/\d+ subtests ?|-{19}|  Non-zero exit status: \d+"
    r"| *# Looks like you failed \d+ tests? of \d+\.|No subtests run |All \d+ subtests passed "
    r"|# Looks like you planned \d+ tests? but ran \d+\.|\[\d\d:\d\d:\d\d\]"
)
# Where Perl looks for modules: only what is not Perl's own may be missing there.
_SEARCHED = pattern(r"(Can't locate .*? \(@INC (?:contains|entries checked):)(.*?)(\) at \S.*)")
_OF_PERL = pattern(r" /(?:usr|etc)/[\w./-]*perl[\w./-]*")


def prove(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show every failure in few lines; tests and files that passed are counted by the totals."""
    read = Report("prove", rows, texts, asked, _compared)
    if not read.is_one:
        return rows
    lines, instead, gone = read.lines, read.instead, read.gone
    if instead:  # the totals
        gone |= {i for i in lines if _PASSED.fullmatch(texts[i])}
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
        places = [place for failure in read.failures for place in failure.places]
        named = {name for name in files if any(p.startswith(f"at {name} line ") for p in places)}
        begun = ((i, _BEGUN_FILE.fullmatch(texts[i])) for i in lines[:report])
        gone |= {i for i, match in begun if match and match[1] in named}
        gone |= {i for row in below.values() for shown_row in row for i in _others(shown_row)}
    return read.shown()


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


def _compared(lines: list[int], texts: Texts) -> tuple[list[int], list[Said]]:
    """The rows of a table in which values differ, without its frame; nothing of another table."""
    matches = [(i, match) for i in lines if (match := _TABLE.fullmatch(texts[i]))]
    rows = [(i, m[1] == "*", [cell.strip() for cell in m[2].split("|")]) for i, m in matches]
    labels = rows[0][2] if rows else []
    is_even = all(len(cells) == len(labels) for _, _, cells in rows)
    if not is_even or not any(names <= set(labels) for names in _COMPARED):
        return lines, []
    has_signs = any(is_marked for _, is_marked, _ in rows)
    found: list[tuple[str, list[int]]] = []
    for index, is_marked, cells in rows[1:]:
        if is_marked or not has_signs:
            pairs = zip(labels, cells, strict=True)
            told = (c if name in _KNOWN_COLUMNS else f"{name} {c}" for name, c in pairs if c)
            found.append((" ".join(told), [index]))
    rulers = {i for i in lines if _RULER.fullmatch(texts[i])}
    return [i for i in lines if i not in rulers | {i for i, _, _ in rows}], found
