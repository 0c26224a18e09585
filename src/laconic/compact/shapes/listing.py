"""Listings of paths: a line for each directory with the names in it.

Beyond the budget the largest directories are counted, by extension and by what is below them.
"""

from __future__ import annotations

from collections import Counter

from laconic.compact.result import MADE, SHORT, WHOLE, Shown
from laconic.compact.shapes.directories import directories
from laconic.compact.shapes.entries import (
    Entry,
    counted,
    drawn,
    long_form,
    named,
    numbered,
    plain,
    sized,
    stated,
    zipped,
)
from laconic.compact.shapes.folded_names import folded, joined, with_values
from laconic.compact.shapes.rows import made, placed, raw_of, whole
from laconic.compact.tokens import estimate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.directories import Directories
    from laconic.compact.shapes.entries import Read
    from laconic.compact.shapes.rows import Texts

BUDGET = 1500  # tokens
_FEWEST, _FEWEST_LONG = 12, 8  # entries; fewer stay whole paths, or lines of the long form
_SHARE = 0.9  # of the lines that must be entries


def listing(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show a listing by directory; the same rows if the output is not a listing."""
    forms = (counted, plain, sized, stated, numbered, long_form, zipped, drawn)
    return _shown(rows, texts, asked, forms)


def names(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """The same for a command that prints nothing but names: any word is one."""
    return _shown(rows, texts, asked, (named, sized, long_form))


def _shown(
    rows: list[Row], texts: Texts, asked: Asked, forms: tuple[Callable[..., Read], ...]
) -> list[Row]:
    found = _read(rows, texts, asked, forms)
    if found is None:
        return rows
    asked.allow(BUDGET)
    return found


def _read(
    rows: list[Row], texts: Texts, asked: Asked, forms: tuple[Callable[..., Read], ...]
) -> list[Row] | None:
    """Show the lines as a listing; None if they are not one."""
    lines = raw_of(rows)
    if found := directories(rows, texts):
        short_form = named if named in forms else plain
        if asked.is_listed or found.are_paths:
            shown = _below_names(rows, texts, found, short_form, asked)
            if shown is not None:
                return shown
        if len(found.paths) > 1:
            return None  # names below several headings are not mixed
    filled = [index for index in lines if texts[index].strip()]
    for read in forms:
        if read is counted and not asked.is_listed:
            continue  # a number after a path may be anything
        entries, rest, said = read(lines, texts)
        many = len(entries) + len(rest)
        fewest = _FEWEST_LONG if read is long_form else _FEWEST
        if entries and many >= fewest and many >= _SHARE * len(filled) - 2:
            if read is stated:
                return _by_state(rows, entries)
            # of the long form, links and the size of directories are left out
            kind = SHORT if read in (long_form, zipped) else WHOLE
            unit = "hits" if read is counted else ""
            sign = "\t" if read is sized else " "
            return regrouped(rows, entries, rest, said, kind=kind, unit=unit, sign=sign)
    return None


def _by_state(rows: list[Row], entries: list[Entry]) -> list[Row]:
    """The paths of each state by directory, with the state as git writes it before them."""
    states: dict[str, list[Entry]] = {}
    for entry in entries:
        states.setdefault(entry.extra, []).append(Entry(entry.path, entry.index))
    instead: dict[int, list[Row]] = {}
    for state, members in states.items():
        found, _ = by_directory(members, BUDGET)
        for row in found:
            if not isinstance(row, int) and not row.text.startswith("["):
                row.text = f"{state}{row.text}"
        instead[members[0].index] = found
    return placed(rows, instead, {entry.index for entry in entries})


def _below_names(
    rows: list[Row],
    texts: Texts,
    found: Directories,
    short_form: Callable[..., Read],
    asked: Asked,
) -> list[Row] | None:
    """Show several directories, each with what is below its name; None if they are not that."""
    for read in (short_form, long_form):
        entries, rest, said = read(found.lines, texts)
        others = [i for i in found.lines if i not in rest and not asked.pinned[i]]
        fewest = _FEWEST_LONG if read is long_form else _FEWEST
        if len(entries) < fewest or len(entries) < len(others):
            continue
        paths = found.paths
        for entry in entries:
            path = found.path(entry.index, entry.path)
            ending = "/" if read is not long_form and f"{path}/" in paths else ""
            entry.place(f"{path}{ending}")
        kind = SHORT if read is long_form else WHOLE
        written = found.written
        return regrouped(rows, entries, rest | found.heads, said, kind=kind, heads=written)
    return None


def regrouped(
    rows: list[Row],
    entries: list[Entry],
    rest: set[int],
    said: str,
    *,
    budget: int = BUDGET,
    kind: str = WHOLE,
    unit: str = "",
    sign: str = " ",
    heads: dict[str, str] | None = None,
) -> list[Row]:
    """The rows with the entries in few lines, where the first of them was.

    rest: lines that go with them. said: what holds for all of them. unit: what the numbers beside
    the names count, if they do. sign: what stands between the size of a directory and its path.
    heads: how directories are written before the names in them.
    """
    found, is_whole = by_directory(entries, budget, kind, unit, sign)
    for row in found if heads else ():
        if not isinstance(row, int) and row.kind == kind:
            start, colon, names = row.text.partition("/: ")
            head = heads.get(f"{start}/", "") if heads and colon else ""
            row.text = f"{head} {names}" if head else row.text
    if said and is_whole:
        found.append(made(f"[{said}]", [entries[0].index]))
    first = min(entry.index for entry in entries)
    gone = {entry.index for entry in entries} | rest
    return placed(rows, {first: found}, gone)


def by_directory(
    entries: list[Entry], budget: int, kind: str = WHOLE, unit: str = "", sign: str = " "
) -> tuple[list[Row], bool]:
    """Lines for the entries, and whether no line had to be cut."""
    groups = _groups(entries)
    is_ordered = kind == SHORT  # by time or size, perhaps
    lines = {
        d: _counts(d, members) if unit else _line(d, members, sign, is_ordered=is_ordered)
        for d, members in groups.items()
    }
    for line in lines.values():
        line.kind = kind
    lines = _within(lines, groups, budget, unit)
    found: list[Row] = []
    is_whole = True
    left = budget + _OF_COUNT
    rest: list[Entry] = []
    for line, directory in {line: directory for directory, line in lines.items()}.items():
        cost = estimate(line.text) + 1
        if cost > budget:
            found += _cut(directory, groups[directory], budget)
            is_whole = False
        elif line.kind != MADE and (rest or cost > left):
            rest += groups[directory]
        else:
            found.append(line)
            left -= cost
    if rest:
        directories = {entry.directory for entry in rest}
        said = f"{len(rest)} more in {len(directories)} directories: {_kinds(rest)}"
        found.append(made(f"[{said}]", [entry.index for entry in rest]))
    return found, is_whole and not rest


def _groups(entries: list[Entry]) -> dict[str, list[Entry]]:
    """The entries by directory; a directory with entries below it belongs to its own group."""
    groups: dict[str, list[Entry]] = {}
    directories = {entry.directory for entry in entries}
    for entry in entries:
        inner = [path for path in _inside(entry) if path in directories]
        groups.setdefault(inner[0] if inner else entry.directory, []).append(entry)
    return groups


def _counts(directory: str, entries: list[Entry]) -> Shown:
    """`dir/: a.py:12 b.py:3`, as grep writes what it counts."""
    counts: dict[str, list[str]] = {}
    for entry in entries:
        counts.setdefault(entry.extra, []).append(entry.name)
    words = [f"{word}:{count}" for count, names in counts.items() for word in folded(names)]
    indexes = [entry.index for entry in entries]
    if directory == "./" or len(words) == 1:
        return whole(f"{'' if directory == './' else directory}{' '.join(words)}", indexes)
    return whole(f"{directory}: {' '.join(words)}", indexes)


def _inside(entry: Entry) -> tuple[str, ...]:
    """How the directory that an entry is may be written where others are in it."""
    if not entry.name.endswith("/") or entry.name == "./":
        return ("./",) if entry.name == "./" else ()
    path = f"{entry.directory}{entry.name}"
    return (path, entry.name) if entry.directory == "./" else (path,)


def _line(
    directory: str, entries: list[Entry], sign: str = " ", *, is_ordered: bool = False
) -> Shown:
    """`dir/: a.py b.py`; with sizes, those of one size together: `dir/: 12 a.py b.py; 8 c.py`."""
    own = [e for e in entries if directory in _inside(e)]
    inner = [entry for entry in entries if entry not in own]
    head = sign.join([*(e.extra for e in own if e.extra), directory])
    indexes = [entry.index for entry in entries]
    if any(entry.extra for entry in inner):
        pairs = [(entry.name, entry.extra) for entry in inner]
        names = with_values(pairs, is_ordered=is_ordered)
    else:
        names = joined([entry.name for entry in inner])
    if directory == "./" and not any(e.path in (".", "./") for e in entries):
        return whole(names, indexes)
    if inner and not own and names and " " not in names:
        return whole(f"{directory}{names}", indexes)
    return whole(f"{head}: {names}" if names else head, indexes)


def _within(
    lines: dict[str, Shown], groups: dict[str, list[Entry]], budget: int, unit: str
) -> dict[str, Shown]:
    """The same, with the directories counted that do not fit into the budget."""
    costs = {directory: estimate(line.text) + 1 for directory, line in lines.items()}
    total = sum(costs.values())
    tree: Counter[str] = Counter()
    for directory, cost in costs.items():
        for above in _above(directory):
            tree[above] += cost
    shown = dict(lines)
    for _ in range(_MOST_COUNTED):
        is_over = (
            total > budget and len(costs) > 1
        )  # of a single directory the first names are shown
        root = _dearest(tree, costs, total, budget) if is_over else ""
        if not root:
            break
        inside = [directory for directory in costs if directory.startswith(root)]
        line = _counted(root, [e for d in inside for e in groups[d]], unit)
        shown |= dict.fromkeys(inside, line)
        total += estimate(line.text) + 1 - tree[root]
        for directory in inside:
            cost = costs.pop(directory)
            for above in _above(directory):
                tree[above] -= cost
    return shown


def _dearest(tree: Counter[str], costs: dict[str, int], total: int, budget: int) -> str:
    """The directory to count: the smallest that is enough, else the largest; "" if all are small.

    One large directory may be counted as a whole, but not nearly all of them, if there is a choice.
    """
    large = [d for d, cost in tree.items() if cost > 2 * _OF_COUNT]
    most = _MOST_AT_ONCE * total
    parts = [d for d in large if tree[d] <= most or costs.get(d, 0) > tree[d] / 2] or large
    enough = [d for d in parts if tree[d] >= total - budget + _OF_COUNT]
    if enough:
        return min(enough, key=lambda d: (tree[d], -len(d)))
    return max(parts, key=lambda d: tree[d], default="")


_OF_COUNT = 60  # tokens of a line that counts
_MOST_COUNTED = 30  # such lines
_MOST_AT_ONCE = 0.6  # of what is shown may become one such line


def _above(directory: str) -> list[str]:
    parts = directory.rstrip("/").split("/")
    return ["/".join(parts[: n + 1]) + "/" for n in range(len(parts))]


def _cut(directory: str, entries: list[Entry], budget: int) -> list[Row]:
    """As many names of one directory as there is room for, and a line that counts the others."""
    left, count = budget - _OF_COUNT, 0
    while count < len(entries) and left > 0:
        left -= estimate(entries[count].name) + 1
        count += 1
    head = "" if directory == "./" else f"{directory}: "
    names = " ".join(entry.name for entry in entries[:count])
    shown = Shown(SHORT, f"{head}{names}", [entry.index + 1 for entry in entries[:count]])
    rest = entries[count:]
    more = made(f"[{len(rest)} more: {_kinds(rest)}]", [entry.index for entry in rest])
    return [shown, more] if rest else [shown]


def _kinds(entries: list[Entry]) -> str:
    """`12 .py, 3 others`: what the names end in."""
    names = [entry.name.partition("->")[0] for entry in entries]
    endings = Counter(f".{name.rpartition('.')[2]}" if "." in name else "others" for name in names)
    return ", ".join(f"{count} {ending}" for ending, count in endings.most_common(6))


def _counted(root: str, entries: list[Entry], unit: str) -> Shown:
    files = [entry for entry in entries if not entry.name.endswith("/")]
    below: Counter[str] = Counter()
    for entry in files:
        rest = (entry.directory + entry.name).removeprefix(root)
        if "/" in rest:
            below[rest.partition("/")[0]] += 1
    places = " ".join(f"{name} {count}" for name, count in below.most_common(40))
    hits = f", {sum(int(e.extra) for e in files)} {unit}" if unit else ""
    said = f"{len(files)} files{hits}: {_kinds(files)}"
    said += f"; by directory: {places}" if places else ""
    return made(f"{root}: [{said}]", [entry.index for entry in entries])
