"""The log of git: one line for each commit; what all have in common is said once."""

from __future__ import annotations

from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.entries import Entry
from laconic.compact.shapes.folded_names import below, joined, with_values
from laconic.compact.shapes.graph import graph
from laconic.compact.shapes.listing import by_directory
from laconic.compact.shapes.rows import made, raw_of, short
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeVar

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.graph import Graph
    from laconic.compact.shapes.rows import Texts

    _Value = TypeVar("_Value", str, tuple[str, ...])

# The formats medium, short, full and fuller: git-log(1), "PRETTY FORMATS".
_COMMIT = pattern(r"commit ([0-9a-f]{7,40})( \(.*\))?")
_AUTHOR = pattern(r"Author: +((.*?) <[^<>]*>)")
_COMMITTER = pattern(r"Commit: +(.*?) <[^<>]*>")
_MERGE = pattern(r"Merge: (.*)")
_DATE = pattern(r"(?:Author)?Date: +(.*)")
_COMMIT_DATE = pattern(r"CommitDate: (.*)")
# The formats of --date: the default and local, iso and iso-strict; any other is shown as it is.
_DEFAULT = pattern(r"(\w{3} \w{3} \d+) (\d\d:\d\d):\d\d (\d{4})(?: ([+-]\d{4}))?")
_ISO = pattern(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d):\d\d()(?: ?([+-]\d\d:?\d\d|Z))?")
_STAT = pattern(r" (\S.*?) +\| +(\d+|Bin.*?)(?: [+-]+)?")
_SUM = pattern(r" (\d+ files?) changed(?:, (\d+) insertions?\(\+\))?(?:, (\d+) deletions?\(-\))?")
# Of --name-status and --raw, and of --name-only.
_STATE = pattern(r"(?::\d{6} \d{6} [0-9a-f.]+ [0-9a-f.]+ )?([ACDMRTUX]\d*)\t(\S+(?:\t\S+)?)")
_FILE = pattern(r"()((?=.*\w)(?:[\w.@+~%#=,\[\]()$-]+/)*[\w.@+~%#=,\[\]()$-]+)")
_BETWEEN = "---"  # a message and the files, if both --stat and a patch are asked for
_HASH = 8  # digits; git takes any beginning that no other object has (gitrevisions(7))
_FEW = 10  # commits, of which a short body is shown
_MOST_BODY = ((1, 12), (3, 6), (_FEW, 3))  # lines of a body, by the number of commits
_BODIES = 3  # commits, of which the beginning of a long body is shown
_MANY_FILES = 6
_TOO_MANY_FILES, _FILES_BUDGET = 60, 1200  # files whose largest directories are counted; tokens


class _When:
    """A date; if its form is not known, all of it is the time."""

    __slots__ = ("day", "time", "year", "zone")

    def __init__(self, day: str = "", time: str = "", year: str = "", zone: str = "") -> None:
        self.day, self.time, self.year, self.zone = day, time, year, zone

    @property
    def of_day(self) -> tuple[str, ...]:
        return self.day, self.year, self.zone


def _when(text: str) -> _When:
    match = _DEFAULT.fullmatch(text) or _ISO.fullmatch(text)
    return _When(*(part or "" for part in match.groups())) if match else _When(time=text)


class _Commit:
    __slots__ = (
        "address",
        "author",
        "body",
        "files",
        "lines",
        "mark",
        "name",
        "notes",
        "refs",
        "stat",
        "subject",
        "sum",
        "when",
    )

    def __init__(self, name: str, refs: str, index: int, mark: str = "") -> None:
        self.name, self.refs, self.lines, self.mark = name, refs, [index], mark
        self.author = self.address = self.subject = ""
        self.when: _When | None = None
        self.body: list[int] = []
        self.notes: list[str] = []
        self.stat: list[tuple[str, str]] = []
        self.files: list[tuple[str, str]] = []
        self.sum = ""


def commits(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show a log; what follows a commit and is neither its message nor its files stays."""
    del asked
    drawn = graph(rows, texts)
    plain: Texts = drawn.texts if drawn else texts
    if not any(_COMMIT.fullmatch(plain[i]) for i in raw_of(rows)):
        return _one_line_each(rows, texts, drawn) if drawn else rows
    found: list[Row | _Commit] = []
    current: _Commit | None = None
    for row in rows:
        text = plain[row] if isinstance(row, int) else ""
        if isinstance(row, int) and (match := _COMMIT.fullmatch(text)):
            mark = drawn.marks.get(row, "") if drawn and not drawn.is_line else ""
            current = _Commit(match[1], match[2] or "", row, mark)
            found.append(current)
        elif not isinstance(row, int) or current is None or not _taken(current, row, text):
            current = None  # a patch follows
            if not (drawn and row in drawn.empty):
                found.append(row)
    return _shown(found, drawn)


def _one_line_each(rows: list[Row], texts: Texts, drawn: Graph) -> list[Row]:
    """A graph with one line for each commit, without what is drawn to the right of it."""
    found: list[Row] = []
    for row in rows:
        if isinstance(row, int) and row in drawn.marks:
            found.append(short(f"{drawn.marks[row]} {drawn.texts[row]}", row, texts))
        elif row not in drawn.empty:
            found.append(row)
    return found


def _taken(commit: _Commit, index: int, text: str) -> bool:
    """Take a line of a commit, and tell whether it is one: its head, its message or its files."""
    is_taken = _of_head(commit, text) or _of_message(commit, index, text) or _of_files(commit, text)
    if not is_taken and text.strip() and text != _BETWEEN:
        return False
    commit.lines.append(index)
    return True


def _of_head(commit: _Commit, text: str) -> bool:
    if match := _AUTHOR.fullmatch(text):
        commit.author, commit.address = match[2], match[1]
    elif match := _DATE.fullmatch(text):
        commit.when = _when(match[1].strip())
    elif match := _COMMITTER.fullmatch(text):
        commit.notes += [f"[committed by {match[1]}]"] if match[1] != commit.author else []
    elif match := _COMMIT_DATE.fullmatch(text):
        commit.notes += _committed(match[1].strip(), commit.when or _When())
    elif match := _MERGE.fullmatch(text):
        commit.notes.append(f"[merge of {match[1]}]")
    return match is not None


def _committed(date: str, written: _When) -> list[str]:
    """A note on when a commit was made, if that is not when it was written."""
    when = _when(date)
    if when.of_day != written.of_day:
        return [f"[committed {date}]"]
    return [f"[committed {when.time}]"] if when.time != written.time else []


def _of_message(commit: _Commit, index: int, text: str) -> bool:
    if not text.startswith("    "):
        return False
    if not commit.subject:
        commit.subject = text[4:]
    elif text.strip():
        commit.body.append(index)
    return True


def _of_files(commit: _Commit, text: str) -> bool:
    if match := _STAT.fullmatch(text):
        commit.stat.append((match[1], match[2]))
    elif match := _SUM.fullmatch(text):
        commit.sum = text.strip()
    elif commit.subject and (match := _STATE.fullmatch(text) or _FILE.fullmatch(text)):
        commit.files.append((match[1], match[2].replace("\t", " -> ")))
    return match is not None


def _shown(found: list[Row | _Commit], drawn: Graph | None) -> list[Row]:
    known = [part for part in found if isinstance(part, _Commit)]
    common = _Common(known)
    rows: list[Row] = []
    if said := common.said():
        rows.append(made(f"[{said}]", known[0].lines[:1]))
    for part in found:
        rows += common.rows(part, drawn) if isinstance(part, _Commit) else [part]
    return rows


class _Common:
    """What all commits have in common, and how many there are: it decides what each one shows."""

    __slots__ = ("author", "day", "many", "told", "year", "zone")

    def __init__(self, commits: list[_Commit]) -> None:
        self.many = len(commits)
        self.author = _only([commit.address for commit in commits], "")
        self.told: set[str] = set()  # authors whose address was shown
        whens = [commit.when or _When() for commit in commits]
        self.day = _only([when.of_day for when in whens], ())
        if not any(self.day[:1]):
            self.day = ()
        self.year = _only([when.year for when in whens], "")
        self.zone = _only([when.zone for when in whens], "")

    def said(self) -> str:
        parts = [f"Author: {self.author}"] if self.author else []
        if self.day:
            parts.append(f"date: {_joined(self.day)}")
        elif self.year or self.zone:
            parts.append(f"{'year' if self.year else 'zone'}: {_joined((self.year, self.zone))}")
        return "; ".join(parts)

    def rows(self, commit: _Commit, drawn: Graph | None) -> list[Row]:
        body = self._body(commit)
        left = len(commit.body) - len(body)
        rest = f"[+{left} line{'s' if left > 1 else ''}]" if left else ""
        when = commit.when or _When()
        words = [commit.mark, f"{commit.name[:_HASH]}{commit.refs}", "" if self.day else when.day]
        is_told = bool(self.day)
        words += [when.time, "" if is_told or self.year else when.year]
        words.append("" if is_told or self.zone else when.zone)
        author = commit.author if commit.address in self.told else commit.address
        self.told.add(commit.address)
        words += ["" if self.author else author, *commit.notes, commit.subject]
        rows: list[Row] = [made(_joined([*words, "" if body else rest]), commit.lines)]
        rows += [Shown(SHORT, drawn.texts[i], (i + 1,)) for i in body] if drawn else body
        rows += [made(f"    {rest}", commit.body[-left:])] if body and left else []
        if self.many > 1:
            commit.sum = _brief(commit.sum)
        files = (*_stat_texts(commit), *_file_texts(commit))
        return rows + [made(f"  {text}", commit.lines) for text in files]

    def _body(self, commit: _Commit) -> list[int]:
        """The lines of a message that are shown: of many commits none, of a few the short ones."""
        most = next((lines for many, lines in _MOST_BODY if self.many <= many), 0)
        is_shown = len(commit.body) <= most or self.many <= _BODIES
        return commit.body[:most] if is_shown else []


def _only(values: list[_Value], none: _Value) -> _Value:
    """The value that all of several have."""
    return values[0] if len(values) > 1 and len(set(values)) == 1 else none


def _joined(parts: Iterable[str | None]) -> str:
    return " ".join(filter(None, parts))


def _brief(text: str) -> str:
    """`2 files +1 -6`, of what git says of a commit."""
    if (match := _SUM.fullmatch(f" {text}")) is None:
        return text
    many, added, removed = match.groups()
    return _joined((many, added and f"+{added}", removed and f"-{removed}"))


def _file_texts(commit: _Commit) -> list[str]:
    """The files of a commit by state; several of one directory in a line."""
    states: dict[str, dict[str, list[str]]] = {}
    for state, path in commit.files:
        directory = path[: path.rfind("/") + 1] if " -> " not in path else ""
        states.setdefault(state, {}).setdefault(directory, []).append(path)
    texts: list[str] = []
    for state, directories in states.items():
        sign = f"{state}\t" if state else ""  # as git writes it
        alone = [paths[0] for paths in directories.values() if len(paths) == 1]
        texts += [f"{sign}{path}" for path in alone] if sign else [_joined(alone)] if alone else []
        for directory, paths in directories.items():
            if len(paths) > 1:
                names = [path.removeprefix(directory) for path in paths]
                texts.append(f"{sign}{below(directory, names) if directory else joined(names)}")
    return texts


def _directory(paths: list[str]) -> str:
    """The directory of several files, if it is that of all of them."""
    found = {"" if "{" in path else path[: path.rfind("/") + 1] for path in paths}
    return found.pop() if len(found) == 1 and len(paths) > 1 else ""


def _stat_texts(commit: _Commit) -> list[str]:
    """The changed files of a commit: in one line if they are few, else by directory."""
    if len(commit.stat) == 1 and commit.sum:
        return [f"{commit.sum}: {commit.stat[0][0]}"]  # the sum is that of the file
    if len(commit.stat) < _MANY_FILES:
        shared = _directory([path for path, _ in commit.stat])
        files = with_values([(p.removeprefix(shared), number) for p, number in commit.stat])
        files = f"{shared}: {files}" if shared else files
        text = ": ".join(filter(None, (commit.sum, files)))
        return [text] if text else []
    if len(commit.stat) > _TOO_MANY_FILES:
        entries = [Entry(path, commit.lines[0], number) for path, number in commit.stat]
        rows, _ = by_directory(entries, _FILES_BUDGET)
        files_of = [row.text for row in rows if not isinstance(row, int)]
        return [commit.sum, *files_of] if commit.sum else files_of
    directories: dict[str, list[tuple[str, str]]] = {}
    for path, number in commit.stat:
        start = 0 if "{" in path else path.rfind("/") + 1
        directories.setdefault(path[:start], []).append((path[start:], number))
    texts = [
        f"{directory}: {with_values(files)}" if directory else with_values(files)
        for directory, files in directories.items()
    ]
    return [commit.sum, *texts] if commit.sum else texts
