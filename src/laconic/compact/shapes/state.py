"""Paths with what git status or a formatter says of them: many of one state by directory.

git-status(1), "OUTPUT".
"""

from __future__ import annotations

from laconic.compact.shapes.entries import Entry
from laconic.compact.shapes.folded_names import below, joined
from laconic.compact.shapes.rows import placed, raw_of, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_PATH = pattern(r"(\t(?:(?:new file|modified|deleted|typechange|copied|added):\s+)?)([^\s:]+)")
# A file that is moved to another directory and keeps its name.
_MOVED = pattern(r"\trenamed:\s+((?:\S+/)?)([^\s/]+) -> ((?:\S+/)?)\2")
# What merge, rebase, cherry-pick, revert, pull and stash pop say of each file in conflict, and
# black, ruff and isort of one that is not formatted.
_SAID = pattern(
    r"(CONFLICT \([\w/]+\): Merge conflict in |(?:would reformat|reformatted|Fixing) "
    r"|Would reformat: )(\S+)"
)
# Paths of one state, that stay as they are; of files that git does not know, fewer.
_MANY = {"\t": 4}
_FEWEST = 6


def state(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show neighbouring paths of one state by directory; other names and conflicts stay whole."""
    del asked
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    run: list[tuple[str, Entry]] = []
    for index in [*raw_of(rows), -1]:
        text = texts[index] if index >= 0 else ""
        if match := _PATH.fullmatch(text) or _SAID.fullmatch(text):
            run.append((match[1], Entry(match[2], index)))
            continue
        if match := _MOVED.fullmatch(text):
            entry = Entry(match[2], index)
            entry.directory = f"{match[1] or './'} -> {match[3] or './'}"
            run.append(("\trenamed: ", entry))
            continue
        for first, made_rows, members in _grouped(run):
            instead[first] = made_rows
            gone |= members
        run = []
    return placed(rows, instead, gone)


def _grouped(run: list[tuple[str, Entry]]) -> list[tuple[int, list[Row], set[int]]]:
    states: dict[str, list[Entry]] = {}
    for name, entry in run:
        states.setdefault(name, []).append(entry)
    found: list[tuple[int, list[Row], set[int]]] = []
    for name, entries in states.items():
        if len(entries) < _MANY.get(name, _FEWEST):
            continue
        directories: dict[str, list[Entry]] = {}
        for entry in entries:
            directories.setdefault(entry.directory, []).append(entry)
        rows: list[Row] = []
        for directory, members in directories.items():
            names = [member.name for member in members]
            text = joined(names) if directory == "./" else below(directory, names)
            rows.append(whole(f"{name}{text}", [member.index for member in members]))
        indexes = {entry.index for entry in entries}
        found.append((min(indexes), rows, indexes))
    return found
