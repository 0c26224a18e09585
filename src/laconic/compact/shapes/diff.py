"""Diffs: the hunks of each file whole, as long as they cost little.

A diff of few lines stays as it is, and so does one that marks words in place of lines. Of a larger
one the context around the changes of a hunk goes, except for the nearest lines, and what the
definition is that they are in; between changes a gap is marked. Hunks with equal changes are shown
once with all places. Removed lines that are added again, with another indent or at another place of
the file, are shown only there; of a long line that is changed a little the new form is shown whole,
and of the old one what differs. Beyond the budget the largest files are counted. Carriage returns
at the end of a line are part of it.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby, pairwise

from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.copies import Models
from laconic.compact.shapes.diff_files import File, Hunk, files_of
from laconic.compact.shapes.folded_names import joined
from laconic.compact.shapes.numbered import as_one
from laconic.compact.shapes.rows import made, short, text_of
from laconic.compact.stages.limit import gap_row
from laconic.compact.tokens import estimate
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_FEW_LINES = 40  # of a diff that stays as it is
# Tokens, up to which hunks are whole, and up to which files are shown: the latter also of what a
# failing check would change, which nobody edits by hand.
_WHOLE, BUDGET, _OF_CHECK = 450, 3000, 300
_DULL = pattern(
    r"index [0-9a-f,]+\.\.[0-9a-f]+.*|--- .*|\+\+\+ .*|similarity index .*"
    r"|(?:new|deleted) file mode 100644|(?:copy|rename) (?:from|to) .*"
)
# Generated files: nobody reads them, unless they are asked for by name.
_LOCK = pattern(
    r"(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock"
    r"|poetry\.lock|uv\.lock|Gemfile\.lock|composer\.lock|Pipfile\.lock|go\.sum|flake\.lock)$"
)
_FEWEST = 3  # equal hunks, or files with the same change, of which one is shown
_PLAIN_HEADS = 4  # lines before the first hunk of a file that is neither new nor renamed
_FEWEST_AGAIN = 3  # neighbouring lines that are repeated elsewhere
_FEWEST_NUMBERED = 8  # neighbouring lines that count, as generated data does
_FAR = 8  # lines between two changes, beyond which they are cut
_LONGEST = 2000  # characters of a line that is compared with another
_LONG, _COMMON = 100, 0.5  # characters of a line, and how much of it is in another one
_BESIDE, _LEAST = 20, 30  # characters around what differs, and that cutting must save
_DEFINITIONS = 1000  # tokens of what files beyond the budget begin or cease to define
# A line that begins a function, a class or a type in most languages.
_BEGINS = (
    r"\s*(?:(?:export|default|pub(?:\(\w+\))?|public|private|protected|static|async|abstract|final)"
    r"\s+)*(?:def|class|function|func|fn|interface|struct|enum|trait|module)\s+([\w.]+).*"
)
_DEFINITION = pattern(rf"[+-]{_BEGINS}")
# What git takes for one, and those with an indent: gitattributes(5), "custom hunk-header".
_AROUND = pattern(rf" (?:{_BEGINS}|[A-Za-z_$][^;]*[({{:][^;]*)")
_SIGNS = frozenset("+- \\")  # what begins the lines of a hunk
_FUNCTION = 60  # characters of what git says a hunk is in, and of a long line of context


def diff(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show the files of a diff; other lines stay as they are."""
    found = files_of(rows, texts, asked.printed)
    files = [part for part in found if isinstance(part, File)]
    if not files:
        return rows
    asked.allow(BUDGET)
    if sum(len(file.indexes) for file in files) < _FEW_LINES or _marks_words(files, texts):
        asked.settled.update(i for file in files for i in file.indexes)
        return rows
    asked.settled.update(i for file in files for i in file.lines)
    return _shown(found, files, texts, asked)


def _marks_words(files: list[File], texts: Texts) -> bool:
    """Tell whether there are hunks without a changed line: the changes are marked within lines."""
    hunks = (hunk for file in files for hunk in file.hunks if not hunk.is_open)
    return not all(any(hunk.is_change(texts[i]) for i in hunk.lines) for hunk in hunks)


def _shown(found: list[Row | File], files: list[File], texts: Texts, asked: Asked) -> list[Row]:
    odd = _odd(found, texts, asked)
    notes: dict[int, list[Row]] = {}
    gone: set[int] = set()
    for first, *others in _alike(files, texts, odd):
        names = joined([file.name for file in others])
        indexes = [i for file in others for i in file.indexes]
        said = f"[the same change in {len(others)} more files: {names}]"
        notes[id(first)] = [made(said, indexes)]
        gone |= {id(file) for file in others}
    models = Models(texts)
    copies: dict[int, list[Row]] = {}
    for file in files:
        rows = [] if id(file) in gone else _rows(file, texts, odd, is_whole=True)
        if rows and (told := models.told(rows)) is not rows:
            copies[id(file)] = told
    gone |= copies.keys()
    left = [file for file in files if id(file) not in gone]
    is_check = asked.status != 0 and not asked.is_answer
    written = _written(left, texts, odd, _OF_CHECK if is_check else BUDGET) | copies
    result: list[Row] = []
    for part in found:
        if isinstance(part, File):
            result += [*written.get(id(part), ()), *notes.get(id(part), ())]
        else:
            result.append(part)
    return result


def _written(files: list[File], texts: Texts, odd: set[int], budget: int) -> dict[int, list[Row]]:
    """The rows of each file: whole, without far context, or counted, the largest first.

    Of a file that is deleted its lines are worth least.
    """
    shown = [file for file in files if not (_LOCK.search(file.name) and file.is_long)]
    rows = {id(file): _rows(file, texts, odd, is_whole=True) for file in shown}
    costs = {id(file): _cost(rows[id(file)], texts) for file in shown}
    counted = [file for file in files if file not in shown]

    def count(file: File) -> None:
        counted.append(file)
        costs[id(file)] = _cost([_counted(file, texts)], texts)

    for file in sorted(shown, key=lambda f: -costs[id(f)]):
        if sum(costs.values()) <= _WHOLE:
            break
        if file.is_long and file.state(texts) == "deleted":
            count(file)
        else:
            rows[id(file)] = _rows(file, texts, odd, is_whole=False)
            costs[id(file)] = _cost(rows[id(file)], texts)
    for file in sorted(shown, key=lambda f: -costs[id(f)]):
        if sum(costs.values()) <= budget:
            break
        count(file)
    left = _DEFINITIONS
    for file in counted:
        defined = _definitions(file, texts)
        cost = _cost(defined, texts)
        defined, left = (defined, left - cost) if cost <= left else ([], left)
        rows[id(file)] = [_counted(file, texts), *defined, *(i for i in file.lines if i in odd)]
    return rows


def _definitions(file: File, texts: Texts) -> list[Row]:
    """The lines by which a file begins or ceases to define something, if it is there before."""
    if file.state(texts) == "deleted":
        return []
    found = [(i, m[1]) for i in file.lines if (m := _DEFINITION.fullmatch(texts[i]))]
    signs: dict[str, set[str]] = {}
    for index, name in found:
        signs.setdefault(name, set()).add(texts[index][0])
    return [i for i, name in found if len(signs[name]) == 1]


def _alike(files: list[File], texts: Texts, odd: set[int]) -> list[list[File]]:
    """Files in which the same lines change, if they are several."""
    groups: dict[tuple[tuple[str, ...], ...], list[File]] = {}
    for file in files:
        keys = tuple(_key(hunk, texts, odd) for hunk in file.hunks)
        if keys and len(file.heads) <= _PLAIN_HEADS:
            groups.setdefault(keys, []).append(file)
    return [some for some in groups.values() if len(some) >= _FEWEST]


def _cost(rows: list[Row], texts: Texts) -> int:
    return estimate("\n".join(text_of(row, texts) for row in rows))


def _odd(found: list[Row | File], texts: Texts, asked: Asked) -> set[int]:
    """Lines that are not changed and say what is wrong, after a failure.

    Another program may have printed them: what it indents looks like a line of the file, but then
    the hunk has a line more than its head says.
    """
    if not asked.status:
        return set()
    complete = _are_complete(found, texts)
    files = (part for part in found if isinstance(part, File) and id(part) not in complete)
    lines = (i for file in files for i in file.lines)
    return {i for i in lines if asked.pinned[i] and texts[i][:1] == " "}


def _are_complete(found: list[Row | File], texts: Texts) -> set[int]:
    """The files whose hunks have the lines that their heads count, and none is left behind them."""
    complete = set()
    for part, after in zip(found, [*found[1:], None], strict=True):
        is_more = isinstance(after, (int, Shown)) and text_of(after, texts)[:1] in _SIGNS
        if isinstance(part, File) and not is_more:
            hunks = part.hunks
            complete |= {id(part)} if all(h.signs == 1 and not h.is_open for h in hunks) else set()
    return complete


def _rows(file: File, texts: Texts, odd: set[int], *, is_whole: bool) -> list[Row]:
    rows: list[Row] = [made(_title(file, texts), [file.heads[0]])]
    rows += [i for i in file.heads[1:] if not _DULL.fullmatch(texts[i])]
    alike: dict[tuple[str, ...], list[Hunk]] = {}
    keys = {id(hunk): _key(hunk, texts, odd) for hunk in file.hunks}
    for hunk in file.hunks:
        alike.setdefault(keys[id(hunk)], []).append(hunk)
    told = {id(h) for some in alike.values() if len(some) >= _FEWEST for h in some[1:]}
    again = _again(file, texts)
    for hunk in file.hunks:
        if id(hunk) in told:
            continue
        rows += _whole(hunk, texts) if is_whole else _near(hunk, texts, again, odd)
        others = [other for other in alike[keys[id(hunk)]] if id(other) in told]
        if others:
            places = " ".join(f"+{other.start}" for other in others)
            indexes = [i for other in others for i in (other.head, *other.lines)]
            rows.append(made(f"[{len(others)} more hunks with the same change: {places}]", indexes))
    return rows


def _key(hunk: Hunk, texts: Texts, odd: set[int]) -> tuple[str, ...]:
    """What is shown of a hunk."""
    changed = {*hunk.added(texts), *hunk.removed(texts)}
    return tuple(texts[i] for i in hunk.lines if i in changed or i in odd)


def _again(file: File, texts: Texts) -> set[int]:
    """Removed lines that are added again with another indent or at another place of the file."""
    added = Counter(
        texts[i][1:].strip() for hunk in file.hunks for i in hunk.lines if texts[i][:1] == "+"
    )
    found: set[int] = set()
    for hunk in file.hunks:
        for i in hunk.lines:
            text = texts[i][1:].strip()
            if texts[i][:1] == "-" and added[text] > 0:
                added[text] -= 1
                found.add(i)
    return found


def _head(hunk: Hunk, start: str, where: str, *indexes: int) -> Row:
    head = f"@@ +{start} {where[:_FUNCTION]}".rstrip()
    return Shown(SHORT, head, [hunk.head + 1, *(index + 1 for index in indexes)])


def _whole(hunk: Hunk, texts: Texts) -> list[Row]:
    cut = _cut(hunk, texts)
    lines = (cut.get(index, index) for index in hunk.lines)
    return [_head(hunk, hunk.start, hunk.where), *lines]


def _near(hunk: Hunk, texts: Texts, again: set[int], odd: set[int]) -> list[Row]:
    """The changes of a hunk with the lines next to them and between them."""
    lines = hunk.lines
    wanted = [pos for pos, i in enumerate(lines) if i in odd or hunk.is_change(texts[i])]
    if not wanted:
        return _whole(hunk, texts)
    first, last = _edges(hunk, wanted, texts)
    shown: list[Row] = []
    for before, pos in pairwise([first - 1, *wanted, last + 1]):
        shown += _between(lines[before + 1 : pos], texts)
        shown += lines[pos : min(pos, last) + 1]
    context = {i for i in lines if i not in odd and not hunk.is_change(texts[i])}
    cut = _cut(hunk, texts) | {i: _beginning(i, texts) for i in context}
    rows = [cut.get(row, row) if isinstance(row, int) else row for row in _moved(shown, again)]
    around = _definition_in(lines[:first], texts)
    where = texts[around[0]].strip() if around else hunk.where
    head = _head(hunk, f"{int(hunk.start) + first}", where, *around)
    return as_one([head, *rows], texts, _FEWEST_NUMBERED)


def _beginning(index: int, texts: Texts) -> Row:
    """A line of context, of which the beginning says where a change is if it is long."""
    text = texts[index]
    return short(f"{text[:_FUNCTION]}…" if len(text) > _LONG else text, index, texts)


def _between(lines: list[int], texts: Texts) -> list[Row]:
    """The lines between two changes; of many the first, the last, and where the next change is."""
    if len(lines) <= _FAR:
        return list(lines)
    kept = sorted({lines[0], *_definition_in(lines, texts), lines[-1]})
    found: list[Row] = []
    for is_kept, group in groupby(lines, kept.__contains__):
        some = list(group)
        found += some if is_kept else [gap_row([index + 1 for index in some])]
    return found


def _definition_in(lines: list[int], texts: Texts) -> list[int]:
    """The last line that begins a definition, if there is one."""
    return [index for index in lines if _AROUND.fullmatch(texts[index])][-1:]


def _edges(hunk: Hunk, wanted: list[int], texts: Texts) -> tuple[int, int]:
    """The first and the last position that is shown: with the lines beside, but for blank ones."""
    first, last = wanted[0], wanted[-1]
    before, behind = hunk.lines[max(0, first - 1)], hunk.lines[last + 1 : last + 2]
    is_behind = any(texts[index].strip() for index in behind)
    return first - (first > 0 and bool(texts[before].strip())), last + is_behind


def _moved(rows: list[Row], again: set[int]) -> list[Row]:
    """The rows, with a count in place of several removed lines that are added again."""
    found: list[Row] = []
    for is_again, group in groupby(rows, lambda row: isinstance(row, int) and row in again):
        some = list(group)
        if is_again and len(some) >= _FEWEST_AGAIN:
            indexes = [row for row in some if isinstance(row, int)]
            found.append(made(f"[-{len(some)} lines that are added again in this file]", indexes))
        else:
            found += some
    return found


def _cut(hunk: Hunk, texts: Texts) -> dict[int, Row]:
    """Long removed lines, cut to what differs from the line that is added in their place."""
    found: dict[int, Row] = {}
    removed: list[int] = []
    added: list[int] = []
    for index in [*hunk.lines, -1] if hunk.signs == 1 else []:
        sign = texts[index][:1] if index >= 0 else ""
        if sign == "+" and removed:
            added.append(index)
            continue
        if added or sign != "-":
            pairs = zip(removed, added, strict=False) if len(removed) == len(added) else ()
            found |= {r: row for r, a in pairs if (row := _without_common(r, a, texts))}
            removed, added = [], []
        if sign == "-":
            removed.append(index)
    return found


def _without_common(removed: int, added: int, texts: Texts) -> Row | None:
    """A removed line cut to what differs from the added one, and a little around it."""
    old, new = texts[removed][1:], texts[added][1:]
    if not _LONG <= len(old) <= _LONGEST:
        return None
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    if start + end < _COMMON * len(old):
        return None
    first = old.rfind(" ", 0, max(0, start - _BESIDE)) + 1
    last = old.find(" ", min(len(old), len(old) - end + _BESIDE))
    middle = old[first:] if last < 0 else f"{old[first:last]}…"
    text = f"-…{middle}" if first else f"-{middle}"
    return Shown(SHORT, text, (removed + 1,)) if len(text) <= len(old) - _LEAST else None


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _title(file: File, texts: Texts) -> str:
    added = sum(len(hunk.added(texts)) for hunk in file.hunks)
    removed = sum(len(hunk.removed(texts)) for hunk in file.hunks)
    state = file.state(texts)
    return f"{file.name} {state + ' ' if state else ''}+{added} -{removed}"


def _counted(file: File, texts: Texts) -> Row:
    many = f"{len(file.hunks)} hunk{'s' if len(file.hunks) != 1 else ''}"
    return made(f"{_title(file, texts)} [{many} hidden]", file.indexes)
