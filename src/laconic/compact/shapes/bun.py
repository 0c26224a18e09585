"""bun's report of tests: each failure with its message, the lines that differ and own frames.

bun writes the source and the message first, and the name of the test below them.

https://bun.sh/docs/test/reporters describes the report.
"""

from __future__ import annotations

from laconic.compact.shapes.changes import telling
from laconic.compact.shapes.rows import each_in_place, made, placed, raw_of
from laconic.compact.shapes.script_frames import Stack
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.masks import Mask
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_SOURCE, _CARET = pattern(r"\s*\d+ \|(?: .*)?"), pattern(r"\s+\^+\s*")
_FAILED = pattern(r"(\(fail\) .*?)(?: \[[\d.]+m?s\])?")
_LEGEND = pattern(r"[-+] (?:Expected|Received)  [-+] \d+|\+ actual - expected.*")


def bun(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Leave out the source of each failure; if it has one own place, put that after its name."""
    lines = raw_of(rows)
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    block: list[int] = []
    for index in lines:
        text = texts[index]
        if not block and not _SOURCE.fullmatch(text):
            continue
        block.append(index)
        if match := _FAILED.fullmatch(text):
            gone.update(block)
            shown = _failure(block, match[1], texts, asked.pinned)
            instead |= each_in_place(shown)
        if match or text.startswith("(pass)"):
            block = []
    return placed(rows, instead, gone)


def _failure(block: list[int], name: str, texts: Texts, pinned: Mask) -> list[Row]:
    stack = Stack(block, texts)
    said = [i for i in block[:-1] if texts[i].strip() and i not in stack.places]
    source = {i for i in said if _SOURCE.fullmatch(texts[i]) or _CARET.fullmatch(texts[i])}
    if stack.places:  # they tell where it is
        said = [i for i in said if i not in source]
    said = [i for i in said if i not in source or pinned[i]]
    changed = telling(said, texts, 0, pinned) - {i for i in said if _LEGEND.fullmatch(texts[i])}
    signed = [i for i in said if i in changed and texts[i][:1] in ("-", "+")]
    if signed:
        said = [i for i in said if i in changed or pinned[i] or not texts[i].startswith("  ")]
        said = [i for i in said if texts[i].strip(" {}[](),") or i in changed]
    rows: list[Row] = list(said)
    where = [*stack.own] or stack.innermost
    if len(where) == 1:
        return [*rows, made(f"{name} ({stack.places[where[0]]})", [block[-1], *where])]
    return [*rows, *stack.own_rows(texts), block[-1]]
