"""The log of git: one line for each commit; what all have in common is said once."""

from __future__ import annotations

from laconic.compact.shapes.rows import made, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_COMMIT = pattern(r"commit ([0-9a-f]{40})( \(.*\))?")
_AUTHOR = pattern(r"Author: (.*?) <[^<>]*>")
_MERGE = pattern(r"Merge: (.*)")
_DATE = pattern(r"Date:   (\w{3} \w{3} \d+) (\d\d:\d\d):\d\d (\d{4}) ([+-]\d{4})")
_STAT = pattern(r" (\S.*?) +\| +(\d+|Bin.*?)(?: [+-]+)?")
_SUM = pattern(r" (\d+) files? changed(?:, (\d+) insertions?\(\+\))?(?:, (\d+) deletions?\(-\))?")
_HASH = 8  # digits; git takes any beginning that no other object has (gitrevisions(7))
_FEW, _MOST_BODY = 10, 3
_MANY_FILES = 6


class _Commit:
    __slots__ = (
        "author",
        "body",
        "date",
        "lines",
        "name",
        "notes",
        "refs",
        "stat",
        "subject",
        "sum",
    )

    def __init__(self, name: str, refs: str, index: int) -> None:
        self.name, self.refs, self.lines = name, refs, [index]
        self.author = self.subject = ""
        self.date: tuple[str, ...] = ()
        self.body: list[int] = []
        self.notes: list[str] = []
        self.stat: list[str] = []
        self.sum = ""


def commits(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show a log; what follows a commit and is neither its message nor its files stays."""
    del asked
    lines = raw_of(rows)
    if not any(_COMMIT.fullmatch(texts[i]) for i in lines):
        return rows
    found: list[Row | _Commit] = []
    current: _Commit | None = None
    for row in rows:
        text = texts[row] if isinstance(row, int) else ""
        if isinstance(row, int) and (match := _COMMIT.fullmatch(text)):
            current = _Commit(match[1], match[2] or "", row)
            found.append(current)
        elif not isinstance(row, int) or current is None or not _taken(current, row, text):
            current = None  # a patch follows
            found.append(row)
    return _shown(found)


def _taken(commit: _Commit, index: int, text: str) -> bool:
    if match := _AUTHOR.fullmatch(text):
        commit.author = match[1]
    elif match := _DATE.fullmatch(text):
        commit.date = match.groups()
    elif match := _MERGE.fullmatch(text):
        commit.notes.append(f"[merge of {match[1]}]")
    elif text.startswith("    "):
        if not commit.subject:
            commit.subject = text[4:]
        elif text.strip():
            commit.body.append(index)
    elif match := _STAT.fullmatch(text):
        commit.stat.append(f"{match[1]} {match[2]}")
    elif match := _SUM.fullmatch(text):
        plus, minus = (f"+{match[2]}" if match[2] else ""), (f"-{match[3]}" if match[3] else "")
        commit.sum = " ".join(
            filter(None, (f"{match[1]} file{'s' if match[1] != '1' else ''}", plus, minus))
        )
    elif text.strip():
        return False
    commit.lines.append(index)
    return True


def _shown(found: list[Row | _Commit]) -> list[Row]:
    known = [part for part in found if isinstance(part, _Commit)]
    authors = {commit.author for commit in known}
    days = {(*commit.date[:1], *commit.date[2:]) for commit in known}
    years = {commit.date[2:] for commit in known}
    is_few = len(known) <= _FEW
    rows: list[Row] = []
    same = []
    if len(known) > 1 and len(authors) == 1:
        same.append(f"author of all: {known[0].author}")
    if len(known) > 1 and len(days) == 1 and known[0].date:
        same.append(f"date: {' '.join(next(iter(days)))}")
    elif len(known) > 1 and len(years) == 1 and known[0].date:
        same.append(f"year: {' '.join(next(iter(years)))}")
    if same:
        rows.append(made(f"[{'; '.join(same)}]", known[0].lines[:1]))
    for part in found:
        if not isinstance(part, _Commit):
            rows.append(part)
            continue
        when = part.date[1:2] if len(days) == 1 and len(known) > 1 else part.date[:2]
        if len(years) > 1 or len(known) == 1:
            when = (*when, *part.date[2:])
        who = [part.author] if len(authors) > 1 or len(known) == 1 else []
        shows_body = is_few and len(part.body) <= _MOST_BODY
        more = [f"[+{len(part.body)} lines]"] if part.body and not shows_body else []
        head = f"{part.name[:_HASH]}{part.refs}"
        rows.append(
            made(" ".join([head, *when, *who, *part.notes, part.subject, *more]), part.lines)
        )
        if shows_body:
            rows += part.body
        rows += [made(f"  {text}", part.lines) for text in _stat_texts(part)]
    return rows


def _stat_texts(commit: _Commit) -> list[str]:
    """The changed files of a commit: in one line if they are few, else by directory."""
    if len(commit.stat) < _MANY_FILES:
        text = ": ".join(filter(None, (commit.sum, ", ".join(commit.stat))))
        return [text] if text else []
    directories: dict[str, list[str]] = {}
    for file in commit.stat:
        directory, slash, name = file.rpartition("/")
        is_plain = slash and not any(sign in file for sign in "{}")
        directories.setdefault(directory + slash if is_plain else "", []).append(
            name if is_plain else file
        )
    texts = [
        f"{directory}: {', '.join(names)}" if directory else ", ".join(names)
        for directory, names in directories.items()
    ]
    return [commit.sum, *texts] if commit.sum else texts
