"""Reads the lines of a listing: a path in each, and perhaps what is printed beside it."""

from __future__ import annotations

from collections import Counter

from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from laconic.compact.shapes.rows import Texts

    # The entries, lines that go with them, and what holds for all entries.
    Read: TypeAlias = "tuple[list[Entry], set[int], str]"

PATH = pattern(r"\.{0,2}/?(?:[\w.@+~%#=,:\[\]()$-]+/)*[\w.@+~%#=,:\[\]()$-]+/?")
_SIZED = pattern(r"(\d[\d.]*[KMGT]?)\t(\S+)")
# A state before a path: of `git diff --name-status`, and of `git status --short`.
_STATED = pattern(r"([ACDMRTUX]\d{0,3}\t|[ MADRCUT?!]{2} )(\S+)(?:(?:\t| -> )(\S+))?")
_NUMBERED = pattern(r"(\d+|-)\t(\d+|-)\t(\S+)")  # of `git diff --numstat`
_COUNTED = pattern(r"([^\s:]+):(\d+)")  # of `grep -c`
_ZIPPED = pattern(r" +(\d+) +(\d{4}-\d\d-\d\d \d\d:\d\d|[\d-]+ \d\d:\d\d) +(\S+)")
# The columns of `ls -l`, `tar tv` and `find -ls`: mode, links, owner, size, time, name.
_LONG = pattern(
    r"(?: *\d+ +\d+ )?([bcdlps-][rwxsStT-]{9}[.+@]?)\s+(?:(\d+)\s+)?(\S+(?:/\S+|\s+\S+))\s+"
    r"(\d[\d.,]*[KMGT]?)\s+"
    r"(\w{3}\s+\d+\s+[\d:]{4,5}|\d+\s+\w{3}\s+[\d:]{4,5}|\d{4}-\d\d-\d\d \d\d:\d\d(?::[\d.]+)?)"
    r"(?: [+-]\d{4})? (\S.*)"
)
_INDENT = pattern(
    r"(?:[\u2502|][\u00a0 ]{3}|[\u00a0 ]{4})*(?:[\u251c\u2514]\u2500{2}|[|`+]-{2})[\u00a0 ]"
)
_BESIDE = pattern(r"\[ *([^\[\]]+)\]  (\S+)")  # what `tree -s`, `-h`, `-p` and the like write
_STEP = 4  # columns of `tree` for each level
_OWN_AND_PARENT = (".", "..")
_SHARE_OF_TIME = 0.3  # of the entries, which need not say it


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


def named(lines: list[int], texts: Texts) -> Read:
    return [Entry(texts[i], i) for i in lines if PATH.fullmatch(texts[i])], set(), ""


def plain(lines: list[int], texts: Texts) -> Read:
    found, _, _ = named(lines, texts)
    # single words may be anything: in a listing of names most have dots in them, or slashes
    if sum("." in e.name.strip(".") or e.directory != "./" for e in found) < len(found) / 2:
        return [], set(), ""
    return found, set(), ""


def sized(lines: list[int], texts: Texts) -> Read:
    """The paths of du; one that others are below ends in a slash, as directories do here."""
    found = [(i, m) for i in lines if (m := _SIZED.fullmatch(texts[i]))]
    above = {m[2].rpartition("/")[0] for _, m in found}
    entries = []
    for index, match in found:
        ending = "/" if match[2] in above and not match[2].endswith("/") else ""
        entries.append(Entry(f"{match[2]}{ending}", index, match[1]))
    return entries, set(), ""


def counted(lines: list[int], texts: Texts) -> Read:
    """The files of a search, each with the number of its hits; those without any are counted."""
    matches = [(i, _COUNTED.fullmatch(texts[i])) for i in lines]
    found = [(i, m) for i, m in matches if m and m[2] != "0"]
    none = {i for i, m in matches if m and m[2] == "0"}
    if not found or any(m is None for i, m in matches if texts[i].strip()):
        return [], set(), ""
    return (
        [Entry(m[1], i, m[2]) for i, m in found],
        none,
        f"{len(none)} files with 0" if none else "",
    )


def stated(lines: list[int], texts: Texts) -> Read:
    """Paths with the state that stands before them; a file that has two paths stays as it is."""
    matches = [(i, m) for i in lines if (m := _STATED.fullmatch(texts[i]))]
    return [Entry(m[2], i, m[1]) for i, m in matches if not m[3]], set(), ""


def numbered(lines: list[int], texts: Texts) -> Read:
    matches = [(i, _NUMBERED.fullmatch(texts[i])) for i in lines]
    return [Entry(m[3], i, f"+{m[1]} -{m[2]}") for i, m in matches if m], set(), ""


def zipped(lines: list[int], texts: Texts) -> Read:
    """The list of an archive that `unzip -l` prints: size, time and name."""
    found = [(i, m) for i in lines if (m := _ZIPPED.fullmatch(texts[i]))]
    if not found:
        return [], set(), ""
    common, shown = _times([m[2] for _, m in found])
    extras = {i: " ".join(filter(None, (m[1], shown[m[2]]))) for i, m in found}
    entries = [Entry(m[3], i, "" if m[3].endswith("/") else extras[i]) for i, m in found]
    return entries, set(), f"all {common} unless said" if common else ""


def long_form(lines: list[int], texts: Texts) -> Read:
    matches = [(i, m) for i in lines if (m := _LONG.fullmatch(texts[i]))]
    known = [(i, m) for i, m in matches if m[6].rstrip("/") not in _OWN_AND_PARENT]
    if not known or any(" " in m[6] and " -> " not in m[6] for _, m in known):
        return [], set(), ""
    common, shown = _times([m[5] for _, m in known])
    if all("/" in m[3] for _, m in known):  # of an archive, whose files are as old as its project
        shown = dict.fromkeys(shown, "")
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
    """The time that many have, or the day of all; and what is left to say of each."""
    plain = {time: " ".join(time.split()) for time in times}
    time, count = Counter(times).most_common(1)[0]
    days = {text.rpartition(" ")[0] for text in plain.values()}
    if 2 * count <= len(times) and len(days) == 1 and (day := days.pop()):
        return day, {time: text.rpartition(" ")[2] for time, text in plain.items()}
    if count >= _SHARE_OF_TIME * len(times):
        return plain[time], {**plain, time: ""}
    return "", plain


def drawn(lines: list[int], texts: Texts) -> Read:
    """The paths of `tree`: each name is below the one with a smaller indent."""
    found: list[tuple[int, int, str]] = []
    parents: dict[int, str] = {}
    head = -1
    root, heads = "", set[int]()
    inner: set[str] = set()
    extras: dict[int, str] = {}
    for index in lines:
        indent = _INDENT.match(texts[index])
        if indent is None:
            # one of several directories, or the sum
            beside = _BESIDE.fullmatch(texts[index])
            root, head, parents = beside[2] if beside else texts[index], index, {}
            continue
        heads.add(head)
        depth = indent.end() // _STEP
        name = texts[index][indent.end() :]
        if match := _BESIDE.fullmatch(name):
            extras[index], name = match[1], match[2]
        if " " in name:
            return [], set(), ""
        parents = {level: path for level, path in parents.items() if level < depth}
        above = parents.get(depth - 1, root)
        start = f"{above.rstrip('/')}/"
        path = name if name.startswith(start) else f"{start}{name}"  # `tree -f` writes whole paths
        inner.add(above)
        parents[depth] = path
        found.append((index, depth, path))
    directories = {index for index, _, path in found if path in inner}
    entries = [Entry(path, index, extras.get(index, "")) for index, _, path in found]
    for entry in entries:
        if entry.index in directories:
            entry.name = f"{entry.name}/"
    return entries, heads, ""
