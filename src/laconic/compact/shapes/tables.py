"""Tables without padding and borders; what most rows have in common is said once.

A table is known by the lines that are drawn around it, or by a heading whose columns hold for all
rows below it. A table of two columns with short cells is written in few lines.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from laconic.compact.shapes.rows import made, placed, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_FEWEST = 4  # rows, with the heading
_MOST = 0.6  # of the rows have what is usual
_PAIRS = 8  # rows of two columns that are written in one line
_SHORT_CELL = 40  # characters
# Unicode box drawing, and what MySQL, PostgreSQL, Markdown and many programs draw with + - = |
_BORDER = pattern(r"\s*[\u2500-\u257f][\u2500-\u257f ]*|\s*[+|](?=.*[-=])[-=+|: ]*|-+(?:\+-+)+")
_WALL = pattern(r"[\u2502\u2503\u2551\u2506\u2507\u250a\u250b|]")
_RULER = pattern(r"-{2,}(?: +-{2,})+ *|={2,}(?: +={2,})+ *")
_NAME = pattern(r"[A-Z%#][A-Z0-9%#/()_.:+-]*(?: [A-Z0-9%#/()_.:+-]+)*")
_CAPITALS = pattern(r" *[A-Z%#][A-Z0-9%#/()_+-]*(?: +[A-Z%#][A-Z0-9%#/()_+-]*){2,} *")
_COLUMN = pattern(r"\S+(?: \S+)*")
_WORD = pattern(r"\S+")
_ASIDE = 4  # columns by which wide cells push those after them aside


class _Table:
    """heading: the names of the columns, perhaps none. rows: the index of each line, its cells.

    is_drawn: there are lines around the cells. The rows of other tables stay as they are where
    all of their cells are shown: blanks between cells cost no more than two of them do.
    is_status: it shows the state of things, so rows that differ from the others come first; the
    rows of other tables, such as a database's, stay in their order.
    """

    __slots__ = ("heading", "is_drawn", "is_status", "lines", "rows")

    def __init__(
        self,
        lines: list[int],
        heading: list[str],
        rows: list[tuple[int, list[str]]],
        *,
        is_drawn: bool = False,
        is_status: bool = False,
    ) -> None:
        self.lines, self.heading, self.rows = lines, heading, rows
        self.is_drawn, self.is_status = is_drawn, is_status


def tables(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show the tables of an output; other lines stay where they are."""
    del asked
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    for part in _neighbours(rows):
        pos = 0
        while pos < len(part):
            table = (
                _drawn(part, pos, texts) or _ruled(part, pos, texts) or _headed(part, pos, texts)
            )
            if table is None:
                pos += 1
                continue
            instead[part[pos]] = _shown(table)
            gone |= set(table.lines)
            pos += len(table.lines)
    return placed(rows, instead, gone)


def may_be_row(text: str) -> bool:
    """Tell whether a line may be the heading or a row of a table: it has several columns."""
    return len(_starts(text)) > 1 or _BORDER.fullmatch(text) is not None


def _neighbours(rows: list[Row]) -> list[list[int]]:
    """The lines in runs, between which something else is shown."""
    found: list[list[int]] = [[]]
    for row in rows:
        if isinstance(row, int):
            found[-1].append(row)
        else:
            found.append([])
    return found


def _drawn(lines: list[int], start: int, texts: Texts) -> _Table | None:
    """A table with walls between its cells and at least one border."""
    if not (_BORDER.fullmatch(texts[lines[start]]) or _WALL.search(texts[lines[start]])):
        return None
    taken: list[int] = []
    found: list[tuple[int, list[str]]] = []
    headings, borders, walls = 0, 0, 0
    for index in lines[start:]:
        text = texts[index]
        if _BORDER.fullmatch(text):
            headings = headings or len(found)
            borders += 1
        else:
            cells = [cell.strip() for cell in _WALL.split(text)]
            if len(cells) < 2 or (walls and len(cells) != walls):  # noqa: PLR2004 - a wall
                break
            walls = len(cells)
            found.append((index, cells))
        taken.append(index)
    if not borders or len(found) < _FEWEST - 1 or walls < 2:  # noqa: PLR2004 - as above
        return None
    # an outer wall makes an empty cell at the edge of every row
    first = all(not cells[0] for _, cells in found)
    last = all(not cells[-1] for _, cells in found)
    found = [(i, cells[first : len(cells) - last]) for i, cells in found]
    heading = found[0][1] if headings == 1 else []
    return _Table(taken, heading, found[1:] if heading else found, is_drawn=True)


def _ruled(lines: list[int], start: int, texts: Texts) -> _Table | None:
    """A heading, a line of dashes below each of its names, and rows with cells below these."""
    if start + _FEWEST > len(lines) or not _RULER.fullmatch(texts[lines[start + 1]]):
        return None
    columns = _starts(texts[lines[start + 1]])
    heading = _cells(texts[lines[start]], columns)
    if heading is None or not all(heading):
        return None
    found = _below(lines[start + 2 :], columns, texts)
    if len(found) < _FEWEST - 2:
        return None
    return _Table(lines[start : start + 2 + len(found)], heading, found)


def _headed(lines: list[int], start: int, texts: Texts) -> _Table | None:
    """A heading of names in capitals, and rows with cells below these."""
    text = texts[lines[start]]
    if start + _FEWEST > len(lines) or "  " not in text or not text.lstrip()[:1].isupper():
        return None
    names = list(_COLUMN.finditer(text))
    if len(names) > 1 and text[0] != " " and all(_NAME.fullmatch(match[0]) for match in names):
        found = _below(lines[start + 1 :], [match.start() for match in names], texts)
        if len(found) >= _FEWEST - 1:
            heading = [match[0] for match in names]
            return _Table(lines[start : start + 1 + len(found)], heading, found, is_status=True)
    if _CAPITALS.fullmatch(text):
        return _split(lines, start, texts)
    return None


def _split(lines: list[int], start: int, texts: Texts) -> _Table | None:
    """A heading of single words, and rows with as many: only the last cell may have blanks."""
    names = list(_WORD.finditer(texts[lines[start]]))
    heading = [name[0] for name in names]
    found: list[tuple[int, list[str]]] = []
    for index in lines[start + 1 :]:
        cells = texts[index].split(None, len(heading) - 1)
        if len(cells) != len(heading) or not _are_below(texts[index], names):
            break
        last = texts[index][names[-1].start() :]
        cells[-1] = last if last.strip() == cells[-1] else cells[-1]  # a tree is indented
        found.append((index, cells))
    if len(found) < _FEWEST - 1:
        return None
    return _Table(lines[start : start + 1 + len(found)], heading, found, is_status=True)


def _are_below(text: str, names: list[Match[str]]) -> bool:
    """Tell whether each word is near the name of its column: a row may have empty cells."""
    words = zip(names[:-1], _WORD.finditer(text), strict=False)
    return all(
        word.start() <= name.end() + _ASIDE and word.end() >= name.start() - _ASIDE
        for name, word in words
    )


def _below(lines: list[int], columns: list[int], texts: Texts) -> list[tuple[int, list[str]]]:
    found: list[tuple[int, list[str]]] = []
    for index in lines:
        cells = _cells(texts[index], columns)
        if cells is None or not cells[0]:
            break
        found.append((index, cells))
    return found


def _starts(text: str) -> list[int]:
    return [
        pos for pos in range(len(text)) if text[pos] != " " and text[pos - 1 : pos] in ("", " ")
    ]


def _cells(text: str, columns: list[int]) -> list[str] | None:
    """The cells of a row; None if one of them reaches beyond its column."""
    if "\t" in text or not text.strip():
        return None
    if any(text[start - 1 : start].strip() for start in columns if start):
        return None
    return [text[start:end].strip() for start, end in pairwise([*columns, len(text) + 1])]


def _shown(table: _Table) -> list[Row]:
    """Rows that differ from the others first and whole, then the others without what is usual."""
    width = len(table.rows[0][1])
    usual = _usual(table, width)
    odd = [row for row in table.rows if any(row[1][c] != cell for c, cell in usual.items())]
    rest = [row for row in table.rows if row not in odd]
    kept = [column for column in range(width) if column not in usual]
    sign = "  " if all(all(cells) for _, cells in table.rows) else " | "  # an empty cell is seen
    first = table.lines[:1]
    rows: list[Row] = []
    if table.heading and (odd or not usual):
        names = made(sign.join(table.heading), first)
        rows.append(names if table.is_drawn else table.lines[0])
    rows += [whole(_line(c, sign), [i]) if table.is_drawn else i for i, c in odd]
    if not usual and not table.is_drawn:
        return rows + [index for index, _ in rest]
    if usual:
        said = ", ".join(f"{table.heading[c]} {cell}" for c, cell in usual.items())
        many = f"the other {len(rest)}" if odd else f"all {len(rest)}"
        heading = sign.join(table.heading[column] for column in kept)
        rows += [made(f"[{many} rows: {said}]", first), made(heading, first)]
    texts = [(index, [cells[column] for column in kept]) for index, cells in rest]
    if len(kept) == 2 and all(len(c) <= _SHORT_CELL for _, cells in texts for c in cells):  # noqa: PLR2004 - pairs
        return rows + _pairs(texts)
    return rows + [whole(_line(cells, sign), [index]) for index, cells in texts]


def _line(cells: list[str], sign: str) -> str:
    """A row; empty cells at its end are not written."""
    last = max((pos for pos, cell in enumerate(cells) if cell), default=0)
    return sign.join(cells[: last + 1])


def _usual(table: _Table, width: int) -> dict[int, str]:
    """What most rows have in some columns, all at once; the first column tells rows apart."""
    if not table.heading or len(table.rows) < _FEWEST:
        return {}
    cells = [row for _, row in table.rows]
    common = {c: Counter(row[c] for row in cells).most_common(1)[0] for c in range(1, width)}
    usual: dict[int, str] = {}
    for column, (cell, _) in sorted(common.items(), key=lambda item: -item[1][1]):
        tried = {**usual, column: cell}
        having = sum(all(row[c] == text for c, text in tried.items()) for row in cells)
        if cell and having >= (_MOST if table.is_status else 1) * len(cells):
            usual = tried
    return dict(sorted(usual.items()))


def _pairs(texts: list[tuple[int, list[str]]]) -> list[Row]:
    rows: list[Row] = []
    for start in range(0, len(texts), _PAIRS):
        some = texts[start : start + _PAIRS]
        line = ", ".join(" ".join(filter(None, cells)) for _, cells in some)
        rows.append(whole(line, [index for index, _ in some]))
    return rows
