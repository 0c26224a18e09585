"""What a bundler has written: the largest files, the pages and the entries; others are counted."""

from __future__ import annotations

from itertools import groupby

from laconic.compact.shapes.rows import made, placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

# `dist/a-1x2.js   0.06 kB │ gzip: 0.08 kB`, `  dist/a.js  1.2mb`, `asset a.js 5 KiB [emitted]`
_PRODUCT = pattern(
    r"\s*(?:asset )?(?P<name>[^\s\u2502|:]+\.(?P<ending>\w+))\s+(?P<size>\d[\d,]*(?:\.\d+)?)\s?"
    r"(?P<unit>[kKMG]?i?[bB]|bytes)\b(?P<rest>.*)"
)
_ENTRY = pattern(r"(?:.*/)?(?:index|main|app|entry|vendor|bundle)\b[^/]*")
_UNITS = {"b": 0, "bytes": 0, "k": 1, "m": 2, "g": 3}
_MOST, _LARGEST = 8, 3  # lines that are shown anyway, and of many for each ending


def products(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Count the small ones of many files that were built, by their endings."""
    lines = raw_of(rows)
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    for is_product, group in groupby(lines, lambda i: _PRODUCT.fullmatch(texts[i]) is not None):
        run = list(group)
        if not is_product or len(run) <= _MOST or asked.status:
            continue
        matches = {i: m for i in run if (m := _PRODUCT.fullmatch(texts[i]))}
        small = _small(matches)
        for ending in dict.fromkeys(matches[i]["ending"] for i in small):
            of_ending = [i for i in small if matches[i]["ending"] == ending]
            by_size = sorted((_bytes(matches[i]), i) for i in of_ending)
            low, high = (_said(matches[i]) for _, i in (by_size[0], by_size[-1]))
            sizes = low if low == high else f"{low} to {high}"
            mark = made(f"[{len(of_ending)} more .{ending}: {sizes}]", of_ending)
            instead[of_ending[-1]] = [mark]
        gone.update(small)
    return placed(rows, instead, gone)


def _small(matches: dict[int, re.Match[str]]) -> list[int]:
    """The files that are neither pages, nor entries, nor among the largest of their ending."""
    largest: set[int] = set()
    for ending in {match["ending"] for match in matches.values()}:
        sizes = {i: _bytes(match) for i, match in matches.items() if match["ending"] == ending}
        by_size = sorted(sizes, key=lambda i: -sizes[i])
        others = [sizes[i] for i in by_size[_LARGEST:]]
        largest.update(i for i in by_size[:_LARGEST] if sizes[i] > max(others, default=-1))
    return [
        i
        for i, match in matches.items()
        if i not in largest and match["ending"] != "html" and not _ENTRY.fullmatch(match["name"])
    ]


def _bytes(match: re.Match[str]) -> float:
    unit = match["unit"].lower()
    power = _UNITS.get(unit, _UNITS.get(unit[0], 0))
    return float(match["size"].replace(",", "")) * float(1024**power)


def _said(match: re.Match[str]) -> str:
    return f"{match['size']} {match['unit']}"
