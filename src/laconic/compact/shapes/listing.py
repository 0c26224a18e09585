"""Listings of paths: a line for each directory with the names in it.

Beyond the budget the largest directories are counted, by extension and by what is below them.
"""

from __future__ import annotations

from collections import Counter

from laconic.compact.result import SHORT, WHOLE, Shown
from laconic.compact.shapes.directories import directories
from laconic.compact.shapes.names import folded, joined
from laconic.compact.shapes.rows import made, raw_of, whole
from laconic.compact.tokens import estimate
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.directories import Directories
    from laconic.compact.shapes.rows import Texts

BUDGET = 2000  # tokens
_FEWEST = 20  # entries; fewer stay whole paths
_FEWEST_IN_BLOCK = 12  # among other lines, where all of them must have a directory
_SHARE = 0.9  # of the lines that must be entries
_PATH = pattern(r"\.{0,2}/?(?:[\w.@+~%#=,:\[\]()$-]+/)*[\w.@+~%#=,:\[\]()$-]+/?")
_SIZED = pattern(r"(\d[\d.]*[KMGT]?)\t(\S+)")
# The columns of `ls -l` and `tar tv`: mode, links, owner, size, time, name.
_LONG = pattern(
    r"([bcdlps-][rwxsStT-]{9}[.+@]?)\s+(?:(\d+)\s+)?(\S+(?:/\S+|\s+\S+))\s+(\d[\d.,]*[KMGT]?)\s+"
    r"(\w{3}\s+\d+\s+[\d:]{4,5}|\d+\s+\w{3}\s+[\d:]{4,5}|\d{4}-\d\d-\d\d \d\d:\d\d(?::[\d.]+)?)"
    r"(?: [+-]\d{4})? (\S.*)"
)
_INDENT = pattern(
    r"(?:[\u2502|][\u00a0 ]{3}|[\u00a0 ]{4})*(?:[\u251c\u2514]\u2500{2}|[|`+]-{2})[\u00a0 ]"
)
_STEP = 4  # columns of `tree` for each level
_OWN_AND_PARENT = (".", "..")


class Entry:
    """A path of a listing. extra: what is printed beside it, such as the size."""

    __slots__ = ("directory", "extra", "index", "name")

    def __init__(self, path: str, index: int, extra: str = "") -> None:
        self.place(path)
        self.index, self.extra = index, extra

    def place(self, path: str) -> None:
        start = path.rstrip("/").rfind("/") + 1
        self.directory, self.name = path[:start] or "./", path[start:]

    @property
    def path(self) -> str:
        return self.name if self.directory == "./" else f"{self.directory}{self.name}"


def listing(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show a listing by directory; the same rows if it is none."""
    lines = raw_of(rows)
    if found := directories(rows, texts):
        return _below_names(rows, texts, found, asked)
    for read in (_plain, _sized, _long, _drawn):
        entries, rest, said = read(lines, texts)
        named = [index for index in lines if texts[index].strip()]
        if len(entries) >= _FEWEST and len(entries) >= _SHARE * len(named) - 2:
            # of the long form, links and the size of directories are left out
            return regrouped(rows, entries, rest, said, kind=SHORT if read is _long else WHOLE)
    return _by_block(rows, texts)


def _below_names(rows: list[Row], texts: Texts, found: Directories, asked: Asked) -> list[Row]:
    """Show several directories, each with what is below its name."""
    for read in (_named, _long):
        if read is _named and not asked.is_listed and not _plain(found.lines, texts)[0]:
            continue
        entries, rest, said = read(found.lines, texts)
        others = [i for i in found.lines if i not in rest and not asked.pinned[i]]
        if len(entries) < _FEWEST or len(entries) < len(others):
            continue
        paths = found.paths
        for entry in entries:
            path = found.path(entry.index, entry.path)
            ending = "/" if read is _named and f"{path}/" in paths else ""
            entry.place(f"{path}{ending}")
        kind = SHORT if read is _long else WHOLE
        return regrouped(rows, entries, rest | found.heads, said, kind=kind)
    return rows


def _by_block(rows: list[Row], texts: Texts) -> list[Row]:
    """Show neighbouring paths among lines of other kinds, each block at its place."""
    block: list[int] = []
    result = rows
    for row in [*rows, -1]:
        if isinstance(row, int) and row >= 0 and _PATH.fullmatch(texts[row]):
            block.append(row)
            continue
        entries, rest, said = _plain(block, texts)
        if len(entries) >= _FEWEST_IN_BLOCK and all("/" in texts[index] for index in block):
            result = regrouped(result, entries, rest, said)
        block = []
    return result


def _named(lines: list[int], texts: Texts) -> tuple[list[Entry], set[int], str]:
    return [Entry(texts[i], i) for i in lines if _PATH.fullmatch(texts[i])], set(), ""


def _plain(lines: list[int], texts: Texts) -> tuple[list[Entry], set[int], str]:
    found, _, _ = _named(lines, texts)
    # single words may be anything: in a listing of names most have dots or slashes
    if sum("." in e.name or e.directory != "./" for e in found) < len(found) / 2:
        return [], set(), ""
    return found, set(), ""


def _sized(lines: list[int], texts: Texts) -> tuple[list[Entry], set[int], str]:
    matches = [(i, _SIZED.fullmatch(texts[i])) for i in lines]
    return [Entry(m[2], i, m[1]) for i, m in matches if m], set(), ""


def _long(lines: list[int], texts: Texts) -> tuple[list[Entry], set[int], str]:
    matches = [(i, m) for i in lines if (m := _LONG.fullmatch(texts[i]))]
    known = [(i, m) for i, m in matches if m[6].rstrip("/") not in _OWN_AND_PARENT]
    if not known or any(" " in m[6] and " -> " not in m[6] for _, m in known):
        return [], set(), ""
    common, shown = _times([m[5] for _, m in known])
    modes = Counter(m[1] for _, m in known)
    owner = Counter(" ".join(m[3].split()) for _, m in known).most_common(1)[0][0]
    entries = []
    usual = {mode[0]: mode for mode, _ in reversed(modes.most_common())}
    for index, match in known:
        is_directory = match[1][0] == "d"
        path, is_link, target = match[6].partition(" -> ")
        path += "/" if is_directory and not path.endswith("/") else ""
        extras = [] if is_directory else [match[4]]
        extras += [match[1]] if match[1] != usual[match[1][0]] else []
        own = " ".join(match[3].split())
        extras += [own] if own != owner else []
        extras += [shown[match[5]]] if shown[match[5]] else []
        entry = Entry(path, index, " ".join(extras))
        entry.name += f"->{target}" if is_link else ""
        entries.append(entry)
    said = ", ".join([owner, *([common] if common else []), " and ".join(usual.values())])
    dots = {i for i, m in matches if m[6].rstrip("/") in _OWN_AND_PARENT}
    return entries, dots, f"all {said} unless said"


def _times(times: list[str]) -> tuple[str, dict[str, str]]:
    """What most times have in common, or all of their days; and what is left to say of each."""
    plain = {time: " ".join(time.split()) for time in times}
    time, count = Counter(times).most_common(1)[0]
    if 2 * count > len(times):
        return plain[time], {**plain, time: ""}
    days = {text.rpartition(" ")[0] for text in plain.values()}
    if len(days) == 1 and (day := days.pop()):
        return day, {time: text.rpartition(" ")[2] for time, text in plain.items()}
    return "", plain


def _drawn(lines: list[int], texts: Texts) -> tuple[list[Entry], set[int], str]:
    """The paths of `tree`: each name is below the one with a smaller indent."""
    found: list[tuple[int, int, str]] = []
    parents: dict[int, str] = {}
    root = next((texts[i] for i in lines if texts[i].strip()), "")
    inner: set[str] = set()
    for index in lines:
        indent = _INDENT.match(texts[index])
        if indent is None:
            continue
        depth = indent.end() // _STEP
        name = texts[index][indent.end() :]
        if " " in name:
            return [], set(), ""
        parents = {level: path for level, path in parents.items() if level < depth}
        above = parents.get(depth - 1, root)
        path = f"{above.rstrip('/')}/{name}"
        inner.add(above)
        parents[depth] = path
        found.append((index, depth, path))
    heads = {index for index in lines if texts[index] == root}
    directories = {index for index, _, path in found if path in inner}
    entries = [Entry(path, index) for index, _, path in found]
    for entry in entries:
        if entry.index in directories:
            entry.name = f"{entry.name}/"
    return entries, heads if found else set(), ""


def regrouped(
    rows: list[Row],
    entries: list[Entry],
    rest: set[int],
    said: str,
    *,
    budget: int = BUDGET,
    kind: str = WHOLE,
) -> list[Row]:
    """The rows with the entries in few lines, where the first of them was.

    rest: lines that go with them. said: what holds for all of them.
    """
    groups: dict[str, list[Entry]] = {}
    below = {entry.directory for entry in entries}
    for entry in entries:
        is_heading = entry.name.endswith("/") and f"{_inside(entry)}" in below
        groups.setdefault(_inside(entry) if is_heading else entry.directory, []).append(entry)
    lines = {directory: _line(directory, members) for directory, members in groups.items()}
    for line in lines.values():
        line.kind = kind
    lines = _within(lines, groups, budget)
    found: list[Row] = []
    for line, directory in {line: directory for directory, line in lines.items()}.items():
        if estimate(line.text) <= budget:
            found.append(line)
        else:
            found += _cut(directory, groups[directory], budget)
            said = ""  # it would not hold for all of them
    if said:
        found.append(made(f"[{said}]", [entries[0].index]))
    first = min(entry.index for entry in entries)
    gone = {entry.index for entry in entries} | rest
    result: list[Row] = []
    for row in rows:
        if row == first:
            result += found
        elif not isinstance(row, int) or row not in gone:
            result.append(row)
    return result


def _inside(entry: Entry) -> str:
    start = "" if entry.directory == "./" and not entry.name.startswith(".") else entry.directory
    return f"{start}{entry.name.rstrip('/')}/"


def _line(directory: str, entries: list[Entry]) -> Shown:
    """`dir/: a.py b.py`; with sizes, those of one size together: `dir/: 12 a.py b.py; 8 c.py`."""
    own = [e for e in entries if _inside(e) == directory and e.name.endswith("/")]
    inner = [entry for entry in entries if entry not in own]
    head = " ".join([*(e.extra for e in own if e.extra), directory])
    indexes = [entry.index for entry in entries]
    if not any(entry.extra for entry in inner):
        names = joined([entry.name for entry in inner])
    else:
        by_extra: dict[str, list[str]] = {}
        for entry in inner:
            by_extra.setdefault(entry.extra, []).append(entry.name)
        if len(by_extra) < len(inner) / 2:
            parts = [f"{extra} {joined(names)}".strip() for extra, names in by_extra.items()]
            names = "; ".join(parts)
        else:
            names = ", ".join(f"{entry.name} {entry.extra}".strip() for entry in inner)
    if directory == "./" and not any(e.directory == "./" and e.name == "." for e in entries):
        return whole(names, indexes)
    if len(entries) == 1 and inner and not inner[0].extra:
        return whole(f"{directory}{names}", indexes)
    return whole(f"{head}: {names}" if names else head, indexes)


def _within(
    lines: dict[str, Shown], groups: dict[str, list[Entry]], budget: int
) -> dict[str, Shown]:
    """The same, with the directories counted that do not fit into the budget."""
    costs = {directory: estimate(line.text) + 1 for directory, line in lines.items()}
    shown = dict(lines)
    while sum(costs.values()) > budget and len(costs) > 1:
        tree: Counter[str] = Counter()
        for directory, cost in costs.items():
            for above in _above(directory):
                tree[above] += cost
        excess = sum(costs.values()) - budget
        enough = [d for d, cost in tree.items() if cost >= excess + _OF_COUNT]
        root = (
            min(enough, key=lambda d: (tree[d], -len(d))) if enough else tree.most_common(1)[0][0]
        )
        inside = [directory for directory in costs if directory.startswith(root)]
        if not inside:
            break
        line = _counted(root, [e for d in inside for e in groups[d]])
        shown |= dict.fromkeys(inside, line)
        costs = {d: cost for d, cost in costs.items() if d not in inside}
    return shown


_OF_COUNT = 60  # tokens of a line that counts


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


def _counted(root: str, entries: list[Entry]) -> Shown:
    files = [entry for entry in entries if not entry.name.endswith("/")]
    below: Counter[str] = Counter()
    for entry in files:
        rest = (entry.directory + entry.name).removeprefix(root)
        if "/" in rest:
            below[rest.partition("/")[0]] += 1
    places = " ".join(f"{name} {count}" for name, count in below.most_common(40))
    said = f"{len(files)} files: {_kinds(files)}" + (f"; by directory: {places}" if places else "")
    return made(f"{root}: [{said}]", [entry.index for entry in entries])


__all__ = ("folded", "listing")
