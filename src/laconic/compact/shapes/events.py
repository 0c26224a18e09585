"""The way to a mistake, as gcc -fanalyzer draws it: each event with its line, without the source.

https://gcc.gnu.org/onlinedocs/gcc/Static-Analyzer-Options.html
"""

from __future__ import annotations

from laconic.compact.shapes.rows import made, placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_HEADING = pattern(r"[\s|]+(?:\+--> )?[\u2018']\S+[\u2019']: events? \d+(?:-\d+)?")
_DRAWN = pattern(r"\s+(?:\||<-+\+).*")
_SOURCE = pattern(r"[\s|]*\|\s+(?P<line>\d+) \| .*")
_EVENT = pattern(r"[|\s]{2}\((?P<number>\d+)\) (?P<said>.*?)(?=\s{2,}\(\d+\) |\s*$)")
# What follows from the other events.
_DULL = pattern(r"\.\.\.to here|entry to .*|calling .* from .*|returning to .* from .*")


def may_belong(text: str) -> bool:
    return bool(_HEADING.fullmatch(text) or _DRAWN.fullmatch(text))


def events(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Write all events of a finding in one line; those that only lead to others go."""
    del asked
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    block: list[int] = []
    for index in [*raw_of(rows), -1]:
        text = texts[index] if index >= 0 else ""
        if _HEADING.fullmatch(text) or (block and may_belong(text)):
            block.append(index)
            continue
        if told := _told(block, texts):
            gone.update(block)
            instead[block[0]] = [made(f"  events: {'; '.join(told)}", block)]
        block = []
    return placed(rows, instead, gone)


def _told(block: list[int], texts: Texts) -> list[str]:
    """Each event with the line where it happens, in the order of their numbers."""
    found: dict[int, str] = {}
    line = ""
    for index in block:
        text = texts[index]
        if source := _SOURCE.fullmatch(text):
            line = source["line"]
            continue
        for event in _EVENT.finditer(text):
            if not _DULL.fullmatch(event["said"]):
                found[int(event["number"])] = f"{line} ({event['number']}) {event['said']}"
    return [found[number] for number in sorted(found)]
