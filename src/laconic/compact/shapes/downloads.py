"""The report of wget on several files: what was saved by directory with its size, and all else.

https://www.gnu.org/software/wget/manual/wget.html, "Logging and Input File Options".
"""

from __future__ import annotations

from laconic.compact.result import SHORT
from laconic.compact.shapes.entries import Entry
from laconic.compact.shapes.listing import by_directory
from laconic.compact.shapes.rows import made, placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
_START = pattern(rf"--{_TIME}--  (\S+)")
_SAVED = pattern(rf"{_TIME} \(.*\) - ['\u2018](\S+)['\u2019] saved \[(\d+)(?:/\d+)?\]")
_NOT_VERBOSE = pattern(rf"{_TIME} URL:\s?\S+ \[(\d+)(?:/\d+)?\] -> \"(\S+)\" \[\d+\]")
# What need not be said of any file, and what need not be said of one that was saved; blank lines
# are among both. All else stays.
_OF_CONNECTION = pattern(
    r"Resolving .*|Connecting to \S+ .*connected\.|Connecting to \S+\.\.\. connected\."
    r"|Reusing existing connection to \S+\.| *\d+K [ .,]*\d+% .*|"
)
_OF_SAVED = pattern(r"HTTP request sent, awaiting response\.\.\. 20\d .*|Length: .*|Saving to: .*|")
_FEWEST = 4  # files
_BUDGET = 1500  # tokens


def _is_of_saved(text: str) -> bool:
    return bool(_START.match(text) or _OF_SAVED.fullmatch(text))


def downloads(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show files that were saved in few lines; the same rows if they are not several."""
    entries: list[Entry] = []
    gone: set[int] = set()
    block: list[int] = []
    for index in raw_of(rows):
        text = texts[index]
        if match := _NOT_VERBOSE.fullmatch(text):
            entries.append(Entry(match[2], index, match[1]))
        elif match := _SAVED.fullmatch(text):
            entries.append(Entry(match[1], index, match[2]))
            first_url = block[:1] if len(entries) == 1 else []  # says from where
            gone |= {i for i in block if _is_of_saved(texts[i]) and i not in first_url}
            block = []
        elif _START.fullmatch(text):
            block = [index]
        else:
            block.append(index)
        if not asked.pinned[index] and _OF_CONNECTION.fullmatch(text):
            gone.add(index)
    if len(entries) < _FEWEST:
        return rows
    found, _ = by_directory(entries, _BUDGET, SHORT)
    first = entries[0].index
    said = f"[{len(entries)} files saved, with their sizes:]"
    shown: list[Row] = [made(said, [first]), *found]
    return placed(rows, {first: shown}, gone | {entry.index for entry in entries})
