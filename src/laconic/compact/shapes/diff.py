"""Diffs: every changed line, with one line beside what is only added or removed, by file.

Hunks with equal changes are shown once with all places. Removed lines that are added again, with
another indent or at another place of the file, are shown only there; of a long line that is changed
a little the new form is shown whole, and of the old one what differs. Beyond the budget the largest
files are counted. Carriage returns at the end of a line are part of it.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.folded_names import joined
from laconic.compact.shapes.numbered import as_one
from laconic.compact.shapes.rows import made, raw_of, text_of
from laconic.compact.tokens import estimate
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

BUDGET = 3000  # tokens
_FILE = pattern(r"diff --(?:git a/(.*) b/|(?:cc|combined) )(.*?)\r?")
_HUNK = pattern(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*?)\r?")
# Of a merge: a sign for each parent, git-diff(1), "COMBINED DIFF FORMAT".
_COMBINED = pattern(r"(@@@+)((?: -\d+(?:,\d+)?)+) \+(\d+)(?:,\d+)? @@@+ ?(.*?)\r?")
# The lines between the name of a file and its first hunk, as man 1 git-diff lists them, and those
# of a binary file. Any other line there was printed by another program.
_HEAD = pattern(
    r"(?:old mode|new mode|deleted file mode|new file mode) \d+|(?:copy|rename) (?:from|to) .*"
    r"|(?:dis)?similarity index \d+%|index [0-9a-f,]+\.\.[0-9a-f]+(?: \d+)?|(?:---|\+\+\+) .*"
    r"|Binary files .* differ|GIT binary patch|(?:literal|delta) \d+|mode [0-9,]+\.\.\d+"
)
_DULL = pattern(r"index [0-9a-f,]+\.\.[0-9a-f]+.*|--- .*|\+\+\+ .*|similarity index .*")
# Generated files: nobody reads them, unless they are asked for by name.
_LOCK = pattern(
    r"(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock"
    r"|poetry\.lock|uv\.lock|Gemfile\.lock|composer\.lock|Pipfile\.lock|go\.sum|flake\.lock)$"
)
_STARTS = ("diff --git ", "diff --cc ", "diff --combined ")
# A file without a line of git's: what `diff -u` and formatters write, perhaps with a time.
_OLD, _NEW = pattern(r"--- (\S.*?)(?:\t.*)?\r?"), pattern(r"\+\+\+ (\S.*?)(?::after)?(?:\t.*)?\r?")
_FEW = 5  # lines of such a file that are shown
_FEWEST = 3  # equal hunks, or files with the same change, of which one is shown
_PLAIN_HEADS = 4  # lines before the first hunk of a file that is neither new nor renamed
_FEWEST_AGAIN = 3  # neighbouring lines that are repeated elsewhere
_FEWEST_NUMBERED = 8  # neighbouring lines that count, as generated data does
_FEWEST_SPACED = 6  # lines, of which the new form is enough
_LONG, _COMMON = 100, 0.5  # characters of a line, and how much of it is in another one
_BESIDE, _LEAST = 20, 30  # characters around what differs, and that cutting must save
_DEFINITIONS = 1000  # tokens of what files beyond the budget begin or cease to define
# A line that begins a function, a class or a type in most languages.
_DEFINITION = pattern(
    r"[+-]\s*(?:(?:export|default|pub(?:\(\w+\))?|public|private|protected|static|async|abstract|final)"
    r"\s+)*(?:def|class|function|func|fn|interface|struct|enum|trait|module)\s+([\w.]+).*"
)
_FUNCTION = 60  # characters of what git says a hunk is in


class _Hunk:
    """Lines of a hunk; old, new: how many lines of each side are still to come.

    signs: how many characters before the text of a line say what became of it.
    """

    __slots__ = ("head", "lines", "new", "old", "signs", "start", "where")

    def __init__(self, index: int, start: str, where: str, signs: int = 1) -> None:
        self.head, self.start, self.where, self.signs = index, start, where, signs
        self.old = self.new = 0
        self.lines: list[int] = []

    def added(self, texts: Texts) -> list[int]:
        return [i for i in self.lines if "+" in texts[i][: self.signs]]

    def removed(self, texts: Texts) -> list[int]:
        return [i for i in self.lines if "-" in texts[i][: self.signs]]


class _File:
    __slots__ = ("heads", "hunks", "name")

    @property
    def is_long(self) -> bool:
        return len(self.lines) > _FEW

    @property
    def indexes(self) -> list[int]:
        return [*self.heads, *(i for hunk in self.hunks for i in (hunk.head, *hunk.lines))]

    @property
    def lines(self) -> list[int]:
        return [i for hunk in self.hunks for i in hunk.lines]

    def __init__(self, name: str, index: int) -> None:
        self.name, self.heads = name, [index]
        self.hunks: list[_Hunk] = []


def diff(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show the files of a diff; other lines stay as they are."""
    lines = raw_of(rows)
    plain = _plain(lines, texts)
    if not plain and not any(texts[i].startswith(_STARTS) for i in lines):
        return rows
    found: list[Row | _File] = []
    current: _File | None = None
    for row in rows:
        if not isinstance(row, int):
            current = None
            found.append(row)
            continue
        text = texts[row]
        if match := _FILE.fullmatch(text):
            name = match[2] if match[1] in (match[2], None) else f"{match[1]} -> {match[2]}"
            current = _File(name, row)
            found.append(current)
        elif row in plain and not (current and _is_open(current)):
            current = _File(plain[row], row)
            found.append(current)
        elif current is None or not _taken(current, row, text):
            current = None
            found.append(row)
    asked.allow(BUDGET)
    asked.settled.update(i for part in found if isinstance(part, _File) for i in part.lines)
    return _shown(found, texts, asked)


def _plain(lines: list[int], texts: Texts) -> dict[int, str]:
    """The names of files that no line of git names, by the first line of each."""
    found: dict[int, str] = {}
    for pos, old in enumerate(lines[:-2]):
        if not texts[old].startswith("--- ") or not _OLD.fullmatch(texts[old]):
            continue
        before = texts[lines[pos - 1]].removesuffix("\r") if pos else ""
        if before.startswith(_STARTS) or _HEAD.fullmatch(before):
            continue
        new, hunk = texts[lines[pos + 1]], texts[lines[pos + 2]]
        if (match := _NEW.fullmatch(new)) and _HUNK.fullmatch(hunk):
            found[old] = match[1]
    return found


def _is_open(file: _File) -> bool:
    """Tell whether lines of the last hunk are still to come."""
    return bool(file.hunks) and (file.hunks[-1].old > 0 or file.hunks[-1].new > 0)


def _taken(file: _File, index: int, text: str) -> bool:
    """Take a line that belongs to the file; False if the diff is over."""
    hunk = file.hunks[-1] if file.hunks else None
    if hunk and hunk.signs > 1 and _COMBINED.fullmatch(text) is None:
        if text[: hunk.signs].strip(" +-") and not text.startswith("\\"):
            return False
        hunk.lines.append(index)
        return True
    if hunk and (hunk.old > 0 or hunk.new > 0 or text.startswith("\\")):
        sign = text[:1]
        if sign not in ("+", "-", " ", "\\", "", "\r"):
            return False
        hunk.lines.append(index)
        hunk.old -= sign in ("-", " ", "", "\r")
        hunk.new -= sign in ("+", " ", "", "\r")
        return True
    if match := _HUNK.fullmatch(text):
        hunk = _Hunk(index, match[3], match[5])
        hunk.old, hunk.new = int(match[2] or 1), int(match[4] or 1)
        file.hunks.append(hunk)
        return True
    if match := _COMBINED.fullmatch(text):
        file.hunks.append(_Hunk(index, match[3], match[4], len(match[1]) - 1))
        return True
    if hunk is None and _HEAD.fullmatch(text.removesuffix("\r")):
        file.heads.append(index)
        return True
    return False


def _shown(found: list[Row | _File], texts: Texts, asked: Asked) -> list[Row]:
    files = [part for part in found if isinstance(part, _File)]
    odd = _odd(files, texts, asked)
    written = {id(file): _rows(file, texts, odd) for file in files}
    for first, *others in _alike(files, texts, odd):
        names = joined([file.name for file in others])
        indexes = [i for file in others for i in file.indexes]
        said = f"[the same change in {len(others)} more files: {names}]"
        written[id(first)].append(made(said, indexes))
        written |= {id(file): [] for file in others}
    costs = {id(file): _cost(written[id(file)], texts) for file in files}
    left = _DEFINITIONS
    for file in sorted(files, key=lambda f: (not _LOCK.search(f.name), -costs[id(f)])):
        if sum(costs.values()) <= BUDGET and not (_LOCK.search(file.name) and file.is_long):
            break
        defined = _definitions(file, texts)
        cost = _cost(defined, texts)
        defined, left = (defined, left - cost) if cost <= left else ([], left)
        rows = [_counted(file, texts), *defined, *(i for i in file.lines if i in odd)]
        written[id(file)], costs[id(file)] = rows, _cost(rows[:1], texts)
    result: list[Row] = []
    for part in found:
        result += written[id(part)] if isinstance(part, _File) else [part]
    return result


def _definitions(file: _File, texts: Texts) -> list[Row]:
    """The lines by which a file begins or ceases to define something."""
    found = [(i, m[1]) for i in file.lines if (m := _DEFINITION.fullmatch(texts[i]))]
    signs: dict[str, set[str]] = {}
    for index, name in found:
        signs.setdefault(name, set()).add(texts[index][0])
    return [i for i, name in found if len(signs[name]) == 1]


def _alike(files: list[_File], texts: Texts, odd: set[int]) -> list[list[_File]]:
    """Files in which the same lines change, if they are several."""
    groups: dict[tuple[tuple[str, ...], ...], list[_File]] = {}
    for file in files:
        keys = tuple(_key(hunk, texts, odd) for hunk in file.hunks)
        if keys and len(file.heads) <= _PLAIN_HEADS:
            groups.setdefault(keys, []).append(file)
    return [some for some in groups.values() if len(some) >= _FEWEST]


def _cost(rows: list[Row], texts: Texts) -> int:
    return estimate("\n".join(text_of(row, texts) for row in rows))


def _odd(files: list[_File], texts: Texts, asked: Asked) -> set[int]:
    """Lines that are not changed and say what is wrong, after a failure.

    Another program may have printed them: nothing tells what it indents from the lines of a file.
    """
    if not asked.status:
        return set()
    lines = (i for file in files for i in file.lines)
    return {i for i in lines if asked.pinned[i] and texts[i][:1] == " "}


def _rows(file: _File, texts: Texts, odd: set[int]) -> list[Row]:
    spaced = {i for hunk in file.hunks for i in _spaced(hunk, texts)}
    spaced = spaced if len(spaced) >= _FEWEST_SPACED else set()
    note = (
        f" [{len(spaced)} removed lines that their hunk adds again are not shown]" if spaced else ""
    )
    rows: list[Row] = [made(f"{_title(file, texts)}{note}", [file.heads[0], *sorted(spaced)])]
    rows += [i for i in file.heads[1:] if not _DULL.fullmatch(texts[i])]
    alike: dict[tuple[str, ...], list[_Hunk]] = {}
    keys = {id(hunk): _key(hunk, texts, odd) for hunk in file.hunks}
    for hunk in file.hunks:
        alike.setdefault(keys[id(hunk)], []).append(hunk)
    told: set[int] = set()
    for key, hunks in alike.items():
        if len(hunks) >= _FEWEST and key:
            told |= {id(hunk) for hunk in hunks[1:]}
    again = _again(file, texts)
    for hunk in file.hunks:
        if id(hunk) in told:
            continue
        rows += _of_hunk(hunk, texts, spaced, again, odd)
        others = [other for other in alike[keys[id(hunk)]] if id(other) in told]
        if others:
            places = " ".join(f"+{other.start}" for other in others)
            indexes = [i for other in others for i in (other.head, *other.lines)]
            rows.append(made(f"[{len(others)} more hunks with the same change: {places}]", indexes))
    return rows


def _key(hunk: _Hunk, texts: Texts, odd: set[int]) -> tuple[str, ...]:
    """What is shown of a hunk."""
    changed = {*hunk.added(texts), *hunk.removed(texts)}
    return tuple(texts[i] for i in hunk.lines if i in changed or i in odd)


def _spaced(hunk: _Hunk, texts: Texts) -> list[int]:
    """Removed lines that the same hunk adds again, perhaps with other white space."""
    if hunk.signs > 1:
        return []
    added = Counter("".join(texts[i][1:].split()) for i in hunk.added(texts))
    found: list[int] = []
    for i in hunk.removed(texts):
        text = "".join(texts[i][1:].split())
        if text and added[text] > 0:
            added[text] -= 1
            found.append(i)
    return found


def _again(file: _File, texts: Texts) -> set[int]:
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


def _of_hunk(
    hunk: _Hunk, texts: Texts, spaced: set[int], again: set[int], odd: set[int]
) -> list[Row]:
    head = f"@@ +{hunk.start} {hunk.where[:_FUNCTION]}".rstrip()
    signs = [(pos, texts[i][: hunk.signs]) for pos, i in enumerate(hunk.lines)]
    changed = [pos for pos, sign in signs if sign.strip(" \r")]
    near = {*changed, *_beside(hunk, changed, texts)}
    kept = [
        i
        for pos, i in enumerate(hunk.lines)
        if i in odd or (pos in near and i not in spaced and (texts[i].strip() or pos in changed))
    ]
    rows: list[Row] = [Shown(SHORT, head, (hunk.head + 1,))]
    for is_again, group in groupby(kept, again.__contains__):
        some = list(group)
        if is_again and len(some) >= _FEWEST_AGAIN:
            rows.append(made(f"[-{len(some)} lines that are added again in this file]", some))
        else:
            rows += some
    cut = _cut(hunk, texts)
    rows = [cut.get(row, row) if isinstance(row, int) else row for row in rows]
    return as_one(rows, texts, _FEWEST_NUMBERED)


def _beside(hunk: _Hunk, changed: list[int], texts: Texts) -> list[int]:
    """The lines before changes that do not say by themselves where they are, or those after them.

    Where lines are replaced, the old ones say it.
    """
    found: list[int] = []
    for _, group in groupby(enumerate(changed), lambda item: item[1] - item[0]):
        run = [pos for _, pos in group]
        if not {"+", "-"} <= set("".join(texts[hunk.lines[pos]][: hunk.signs] for pos in run)):
            before = run[0] - 1
            is_filled = before >= 0 and texts[hunk.lines[before]].strip()
            found.append(before if is_filled else run[-1] + 1)
    return found


def _cut(hunk: _Hunk, texts: Texts) -> dict[int, Row]:
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
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    if len(old) < _LONG or start + end < _COMMON * len(old):
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


def _title(file: _File, texts: Texts) -> str:
    added = sum(len(hunk.added(texts)) for hunk in file.hunks)
    removed = sum(len(hunk.removed(texts)) for hunk in file.hunks)
    return f"{file.name} +{added} -{removed}"


def _counted(file: _File, texts: Texts) -> Row:
    many = f"{len(file.hunks)} hunk{'s' if len(file.hunks) != 1 else ''}"
    return made(f"{_title(file, texts)} [{many} hidden]", file.indexes)
