"""Findings whose source is drawn in a frame, as biome and oxlint print them.

https://biomejs.dev/reference/reporters/, https://oxc.rs/docs/guide/usage/linter/output-formats
"""

from __future__ import annotations

from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from laconic.compact.shapes.rows import Texts

# `src/a.ts:4:1 lint/style/useConst  FIXABLE  ━━━━`, `src/a.js format ━━━━`
_RULED = pattern(
    r"(?P<path>\S*[\w)\]]\.\w+)(?P<mark>(?::(?P<line>\d+):\d+)?) "
    r"(?P<rule>[a-zA-Z]\w*(?:/[\w-]+)*)(?P<fix>  ?FIXABLE ?)? +\u2501{5,}"
)
_MESSAGE = pattern(r"  (?P<level>[\u00d7✖!⚠xi\u2139]) (?P<text>\S.*)")
# `  ! eslint(no-eval): eval can be harmful.`, and below it `   ,-[src/a.js:3:60]`
_NAMED = pattern(r"  (?P<level>[\u00d7✖!⚠x]) (?:(?P<rule>[\w@/-]+\([\w@/-]+\)): )?(?P<text>\S.*)")
_PLACE = pattern(r" +(?:,-|\u256d\u2500)\[(?P<path>\S+?)(?P<mark>:(?P<line>\d+):\d+)\]")
# `ERROR in /app/a.ts`, `./a.ts 3:45-50`, `[tsl] ERROR in /app/a.ts(3,46)`, `      TS1: text`
_TSL = pattern(r"\[tsl\] (?P<kind>ERROR|WARNING) in (?P<path>\S+)(?P<mark>\((?P<line>\d+),\d+\))")
_OF_TSL = pattern(r"(?:ERROR|WARNING) in \S+|(?:\.{1,2}/\S+ )?\d+:\d+(?:-\d+(?::\d+)?)?")
_BELOW_TS = pattern(r" {2,}(?!TS\d)\S.*")
_TS = pattern(r" +(?P<rule>TS\d+): (?P<text>\S.*)")
_CONTINUED = pattern(r" {4}[^\s\d>\u2502][^\u2502]*")
_OF_RULED = pattern(r"\s*|[ >0-9]*\u2502.*|  [i\u2139] .*")
_LABEL = pattern(r"\s+[:\u00b7]\s+[`\u2570][-\u2500]+ (\S.*)")
_OF_NAMED = pattern(r"\s*\d+ [|\u2502] ?.*|\s+[:`\u00b7\u2570\u2502].*|  help: .*|\s*")


class Framed:
    """What is read of a finding. lines: those that it is shown for; hidden: those below them."""

    __slots__ = ("end", "hidden", "level", "lines", "place", "rule", "text")

    def __init__(self, place: re.Match[str], said: re.Match[str], rule: str) -> None:
        self.place, self.rule = place, rule
        self.level: str = said.groupdict().get("level") or ""
        self.text: str = said["text"]
        self.lines: list[int] = []
        self.hidden: list[int] = []
        self.end = 0


def read_framed(lines: list[int], pos: int, texts: Texts) -> Framed | None:
    """Read the finding that begins here; None if there is none."""
    text = texts[lines[pos]]
    if "\u2501\u2501" in text and (head := _RULED.fullmatch(text)):
        return _of_ruled(head, lines, pos, texts)
    if _OF_TSL.fullmatch(text) or text.startswith("[tsl] "):
        return _of_tsl(lines, pos, texts)
    if text.startswith("  ") and (said := _NAMED.fullmatch(text)):
        return _of_named(said, lines, pos, texts)
    return None


def _of_ruled(head: re.Match[str], lines: list[int], pos: int, texts: Texts) -> Framed | None:
    """Read a finding of biome: below its head is the message, perhaps over several lines."""
    at = _filled(lines, pos + 1, texts)
    said = _MESSAGE.fullmatch(texts[lines[at]]) if at < len(lines) else None
    if said is None:
        return None
    found = Framed(head, said, f"{head['rule']} FIXABLE" if head["fix"] else head["rule"])
    last = at + 1
    while last < len(lines) and _CONTINUED.fullmatch(texts[lines[last]]):
        found.text += f" {texts[lines[last]].strip()}"
        last += 1
    found.lines = [lines[pos], *lines[at:last]]
    found.hidden = lines[pos + 1 : at]
    return _ended(found, lines, last, texts, _OF_RULED)


def _of_named(said: re.Match[str], lines: list[int], pos: int, texts: Texts) -> Framed | None:
    """Read a finding of oxlint: below its message is the place."""
    place = _PLACE.fullmatch(texts[lines[pos + 1]]) if pos + 1 < len(lines) else None
    if place is None:
        return None
    found = Framed(place, said, said["rule"] or "")
    found.lines = lines[pos : pos + 2]
    _ended(found, lines, pos + 2, texts, _OF_NAMED)
    if not found.rule:  # the message of a rule says all
        labels = (_LABEL.fullmatch(texts[i]) for i in found.hidden)
        found.text = "; ".join([found.text, *(label[1] for label in labels if label)])
    return found


def _of_tsl(lines: list[int], pos: int, texts: Texts) -> Framed | None:
    """Read an error of ts-loader, which webpack prints below two lines of its own."""
    at = pos
    while at < len(lines) and at < pos + 2 and _OF_TSL.fullmatch(texts[lines[at]]):
        at += 1
    place = _TSL.fullmatch(texts[lines[at]]) if at + 1 < len(lines) else None
    said = _TS.fullmatch(texts[lines[at + 1]]) if place else None
    if place is None or said is None:
        return None
    found = Framed(place, said, said["rule"])
    found.level = f"[tsl] {place['kind']}"
    found.lines, found.hidden = lines[at : at + 2], lines[pos:at]
    found.end = at + 2
    while found.end < len(lines) and _BELOW_TS.fullmatch(texts[lines[found.end]]):
        found.text += f" {texts[lines[found.end]].strip()}"
        found.lines.append(lines[found.end])
        found.end += 1
    return found


def _ended(
    found: Framed, lines: list[int], pos: int, texts: Texts, below: re.Pattern[str]
) -> Framed:
    """Add the lines from here on, up to one of another form."""
    while pos < len(lines) and below.fullmatch(texts[lines[pos]]):
        found.hidden.append(lines[pos])
        pos += 1
    found.end = pos
    return found


def _filled(lines: list[int], pos: int, texts: Texts) -> int:
    while pos < len(lines) and not texts[lines[pos]].strip():
        pos += 1
    return pos
