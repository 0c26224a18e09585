"""shellcheck's report: a line for each line of a script that has findings, a rule's text once.

Scripts with the same findings in the same lines are shown once.
"""

from __future__ import annotations

from itertools import pairwise

from laconic.compact.diagnostics import is_diagnostic
from laconic.compact.shapes.rows import made, placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_HEADER = pattern(r"In (\S.*) line (\d+):")
_CODE = pattern(r"\s*\^-*\^?-*\s*(SC\d+) \((\w+)\): (.*)")
_WORD = pattern(r"\w+")
_PROPOSAL = "Did you mean:"
_OWN = pattern(
    r"[\s^-]*|Did you mean:\s*|For more information:"
    r"|\s*https://www\.shellcheck\.net/wiki/SC\d+ -- .*"
)


class _Place:
    __slots__ = ("codes", "line", "lines", "script")

    def __init__(self, script: str, line: str, index: int) -> None:
        self.script, self.line, self.lines = script, line, [index]
        self.codes: list[tuple[str, str, str]] = []


def shellcheck(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show the findings; the same rows if there are none."""
    del asked
    lines = raw_of(rows)
    places = _read(lines, texts)
    if not places:
        return rows
    scripts: dict[str, list[_Place]] = {}
    for place in places:
        scripts.setdefault(place.script, []).append(place)
    alike: dict[tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...], list[str]] = {}
    for script, found in scripts.items():
        key = tuple((place.line, tuple(place.codes)) for place in found)
        alike.setdefault(key, []).append(script)
    instead: dict[int, list[Row]] = {}
    told: dict[str, str] = {}  # what each rule said first
    for script, *others in alike.values():
        for place in scripts[script]:
            instead[place.lines[0]] = [made(_line(place, told), place.lines)]
        if others:
            count = sum(len(place.codes) for place in scripts[script])
            said = f"[{', '.join(others)}: the same {count} findings in the same lines]"
            last = scripts[script][-1].lines[0]
            indexes = [i for other in others for place in scripts[other] for i in place.lines]
            instead[last] += [made(said, indexes)]
    gone = {index for place in places for index in place.lines}
    return placed(rows, instead, gone)


def _read(lines: list[int], texts: Texts) -> list[_Place]:
    """Read the report; a line that is not a part of it stays where it is."""
    found: list[_Place] = []
    quoted = 0  # how many lines of a script may follow
    source = ""
    for index, following in pairwise([*lines, -1]):
        text = texts[index]
        is_source = following >= 0 and bool(_CODE.fullmatch(texts[following]))
        if header := _HEADER.fullmatch(text):
            found.append(_Place(header[1], header[2], index))
            quoted = 1
        elif not found:
            continue
        elif code := _CODE.fullmatch(text):
            found[-1].codes.append((code[1], code[2], code[3]))
            found[-1].lines.append(index)
            quoted = 0
        elif _OWN.fullmatch(text):
            found[-1].lines.append(index)
            quoted = int(text.rstrip() == _PROPOSAL)
        elif quoted and (is_source or _is_like(text, source) or not is_diagnostic(text)):
            found[-1].lines.append(index)
            quoted -= 1
            source = text if is_source else source
    return found if any(place.codes for place in found) else []


def _is_like(text: str, source: str) -> bool:
    """Tell whether a line may be a proposal for another line: it has the same words."""
    return bool(source) and set(_WORD.findall(text)) == set(_WORD.findall(source))


def _line(place: _Place, told: dict[str, str]) -> str:
    """A line of a script with its findings; a rule's text is written once, then its name alone."""
    parts: dict[str, int] = {}
    for code, level, text in place.codes:
        part = code if told.get(code) == text else f"{code} ({level}): {text}"
        parts[part] = parts.get(part, 0) + 1
        told.setdefault(code, text)
    said = "; ".join(f"{part} x{n}" if n > 1 else part for part, n in parts.items())
    return f"In {place.script} line {place.line}: {said}"
