"""vitest's report: each failure once, with only the lines that differ.

https://vitest.dev/guide/reporters describes its reporters.
"""

from __future__ import annotations

from laconic.compact.shapes.changes import telling
from laconic.compact.shapes.rows import placed, raw_of, short
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.masks import Mask
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_FAILED = pattern(r" FAIL  \S+(?: \[.*?\])? > (.*)")
_SUITE = pattern(r"( FAIL  (\S+)) \[ \2 \]")
_RULED = pattern(r"\u23af+ (Failed (?:Suites|Tests) \d+) \u23af+")
# In the overview: a test that failed, and below it the beginning of its message.
_OVERVIEW = pattern(r"\s+[x\u00d7] (.*?)(?: \d+m?s)?")
_MESSAGE = pattern(r"\s+→ (.*)")
_OF_OVERVIEW = pattern(
    r"\s+[x\u00d7✓] .*| [\u276f✓] .*|\u23af.*|std(?:out|err) \| .*|\s+[\u2193\u21ba] .*"
)
_ADVICE = pattern(r"If this is a long-running test, pass a timeout value as the last argument .*")
_EXCERPT, _CARET = pattern(r"\s+\d+\|(?: .*)?"), pattern(r"\s+\|\s+\^+\s*")
_EXPECTED = pattern(r"- Expected(?:  - \d+)?")
_RECEIVED = pattern(r"\+ Received(?:  \+ \d+)?")
_PLACE = pattern(r" \u276f .*")
_BOTH = pattern(
    r"\w*Error: expected (?P<received>\S+) to (?:be|equal|deeply equal|strictly equal)"
    r" (?P<expected>\S+)(?: // .*)?"
)
_NAMED = pattern(r" FAIL  (\S+)")
_FILE = pattern(r" \u276f (\S+) \(\d+ tests?(?: \| \d+ \w+)*\)(?: \d+m?s)?")


def vitest(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Leave out what a failure says twice, the source around its place and what does not differ."""
    lines = raw_of(rows)
    failed = {match[1] for i in lines if (match := _FAILED.fullmatch(texts[i]))}
    suites = {i: match[1] for i in lines if (match := _SUITE.fullmatch(texts[i]))}
    if not failed and not suites:
        return rows
    gone = {i for i in lines if _ADVICE.fullmatch(texts[i])} | _source(lines, texts)
    gone |= _overview(lines, texts, failed) if failed else set()
    gone |= _unchanged(lines, texts, asked.pinned) | _files(lines, texts)
    instead: dict[int, list[Row]] = {i: [short(text, i, texts)] for i, text in suites.items()}
    for index in lines:
        if ruled := _RULED.fullmatch(texts[index]):
            instead[index] = [short(ruled[1], index, texts)]
    return placed(rows, instead, gone)


def _source(lines: list[int], texts: Texts) -> set[int]:
    """The source below a place; numbers may be before other lines, too."""
    found: set[int] = set()
    is_below = False
    for index in lines:
        is_source = is_below and _EXCERPT.fullmatch(texts[index]) is not None
        is_source = is_source or _CARET.fullmatch(texts[index]) is not None
        is_below = is_source or _PLACE.fullmatch(texts[index]) is not None
        if is_source:
            found.add(index)
    return found


def _overview(lines: list[int], texts: Texts, failed: set[str]) -> set[int]:
    """Find what the overview says of tests whose failures follow, word for word."""
    first = next(pos for pos, i in enumerate(lines) if _FAILED.fullmatch(texts[i]))
    below = {texts[i].strip() for i in lines[first:]}
    said = [*below, *(text.partition(": ")[2] for text in below)]
    told = set(said)
    gone: set[int] = set()
    pos = 0
    while pos < first:
        match = _OVERVIEW.fullmatch(texts[lines[pos]])
        pos += 1
        if match is None or match[1] not in failed:
            continue
        end = pos
        while end < first and not _OF_OVERVIEW.fullmatch(texts[lines[end]]):
            end += 1
        block = [lines[at] for at in range(pos, end)]
        messages = (_MESSAGE.fullmatch(texts[i]) for i in block)
        words = [
            match[1] if match else texts[i].strip()
            for i, match in zip(block, messages, strict=True)
        ]
        if all(word in told for word in words if word):
            gone |= {lines[pos - 1], *block}
        pos = end
    return gone


def _unchanged(lines: list[int], texts: Texts, pinned: Mask) -> set[int]:
    """Find the lines of a difference that are the same on both sides, and its legend."""
    gone: set[int] = set()
    pos = 0
    while pos + 1 < len(lines):
        is_legend = _EXPECTED.fullmatch(texts[lines[pos]])
        if not (is_legend and _RECEIVED.fullmatch(texts[lines[pos + 1]])):
            pos += 1
            continue
        legend = lines[pos : pos + 2]
        start = pos = pos + 2
        while pos < len(lines) and not _PLACE.fullmatch(texts[lines[pos]]):
            pos += 1
        block = [i for i in lines[start:pos] if texts[i].strip()]
        changed = telling(block, texts, 0, pinned)
        if _is_told(texts[_above(lines, start - 2, texts)], [texts[i] for i in block]):
            gone |= {*legend, *block}
        elif changed:
            gone |= {*legend, *block} - changed
    return gone


def _above(lines: list[int], pos: int, texts: Texts) -> int:
    """The last line above a difference that is not blank."""
    return next((i for i in reversed(lines[:pos]) if texts[i].strip()), lines[0])


def _is_told(message: str, block: list[str]) -> bool:
    """Tell whether a message has both of the values that differ: `expected 4 to be 5`."""
    match = _BOTH.fullmatch(message)
    return match is not None and block == [f"- {match['expected']}", f"+ {match['received']}"]


def _files(lines: list[int], texts: Texts) -> set[int]:
    """Files of the overview whose failures follow, each with its name."""
    named = {match[1] for i in lines if (match := _NAMED.match(texts[i]))}
    heads = ((i, _FILE.fullmatch(texts[i])) for i in lines)
    return {i for i, match in heads if match and match[1] in named}
