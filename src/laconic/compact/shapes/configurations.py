"""What `gradle dependencies` says: each tree once, with all configurations that have it."""

from __future__ import annotations

from laconic.compact.shapes.rows import made, placed, raw_of, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_NAME = pattern(r"(?P<name>[\w.]+)(?: - .*)?(?: \(n\))?")
_NONE = "No dependencies"
_BRANCH = pattern(r"[|+\\ ] *(?:[+\\|]?--- |[+\\|] ).*|[+\\]--- .*")


def configurations(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Name after a configuration all others that have the same dependencies, or none."""
    del asked
    lines = raw_of(rows)
    alike: dict[tuple[str, ...], list[tuple[int, list[int]]]] = {}
    for pos, index in enumerate(lines[:-1]):
        body = _body(lines, pos + 1, texts)
        if body and _NAME.fullmatch(texts[index]):
            alike.setdefault(tuple(texts[i] for i in body), []).append((index, body))
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    for tree, found in alike.items():
        names = ", ".join(_name(texts[index]) for index, _ in found)
        first, body = found[0]
        every = [i for index, below in found for i in (index, *below)]
        if tree == (_NONE,):
            gone.update(every)
            instead[first] = [made(f"{_NONE}: {names}", every)]
        elif len(found) > 1:
            gone.update(set(every) - {first, *body})
            others = ", ".join(_name(texts[index]) for index, _ in found[1:])
            instead[first] = [whole(f"{texts[first]} [the same: {others}]", [first])]
    return placed(rows, instead, gone)


def _name(text: str) -> str:
    match = _NAME.fullmatch(text)
    return match["name"] if match else text


def _body(lines: list[int], pos: int, texts: Texts) -> list[int]:
    """The line that says there are none, or those of a tree, from this position on."""
    if texts[lines[pos]] == _NONE:
        return [lines[pos]]
    end = pos
    while end < len(lines) and _BRANCH.fullmatch(texts[lines[end]]):
        end += 1
    return lines[pos:end]
