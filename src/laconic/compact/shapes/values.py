"""Long values inside a line: a list is cut to its ends, a run of one character is counted."""

from __future__ import annotations

from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.rows import raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_LONG = 160  # characters of a line
_MANY, _FIRST, _LAST = 25, 1, 10  # members of a list, and those that are shown
_LIST = pattern(rf"(?:[\w.+!~*@/-]{{1,60}}, ){{{_MANY},}}[\w.+!~*@/-]{{1,60}}")
_OBJECTS = pattern(
    r"(?:[\w.+/-]{1,120}\.(?:o|obj|lo|class) ){8,}[\w.+/-]{1,120}\.(?:o|obj|lo|class)"
)
# Options of a compiler; those of the first kind are followed by a value.
_OPTIONS = pattern(
    r"(?: {1,3}-(?:(?:M[TFQJ]|o|isystem|include|x|arch|target) [^\s-]\S*|[\w+=.,/:\\\"-]+)){4,}"
    r"(?= +-c )"
)
_RUN = pattern(r"([^\s])\1{399,}")
_KEPT = 10  # characters of a run
# An object as Python writes it: `Attribute(name='owner', default=NOTHING, ...)`.
_FIELD = r"\w+=(?:[^(){}\[\],]|\([^()]{0,80}\)|\[[^\[\]]{0,80}\]|\{[^{}]{0,80}\}){0,120}"
_FIELDS = pattern(rf"(?<=\w\()((?:{_FIELD}, ){{2}})((?:{_FIELD}, ){{4,}}{_FIELD})(?=\))")
_COMPARED = pattern(
    r"(.*?\bassert (?:not )?)(.{80,}) (==|!=|<=?|>=?|(?:not )?in|is(?: not)?) (.{80,})"
)
_SIDE, _SIDE_END = 40, 20  # characters of each of two values whose difference is shown below


def values(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Shorten the long values of long lines."""
    del asked
    found = {i: _shortened(texts[i]) for i in raw_of(rows) if len(texts[i]) > _LONG}
    return [
        Shown(SHORT, found[row], (row + 1,))
        if isinstance(row, int) and row in found and len(found[row]) < len(texts[row])
        else row
        for row in rows
    ]


def brief(text: str, *, is_told: bool) -> str:
    """A message without the last fields of an object; is_told: what differs is said below it.

    Then the ends of two long values are enough, as pytest itself cuts them.
    """
    if len(text) <= _LONG:
        return text
    text = _FIELDS.sub(lambda m: f"{m[1]}[{m[2].count('=')} more]", text)
    match = _COMPARED.fullmatch(text) if is_told else None
    if match is None:
        return text
    sides = [f"{side[:_SIDE]}…{side[-_SIDE_END:]}" for side in (match[2], match[4])]
    return f"{match[1]}{sides[0]} {match[3]} {sides[1]}"


def is_shortened(text: str) -> bool:
    """Tell whether a line has a value that is shortened."""
    return len(text) > _LONG and len(_shortened(text)) < len(text)


def _shortened(text: str) -> str:
    text = _LIST.sub(lambda m: _ends(m[0].split(", ")), text)
    text = _OPTIONS.sub(lambda m: f" [{m[0].count(' -')} options]", text)
    text = _OBJECTS.sub(lambda m: f"[{len(m[0].split())} objects]", text)
    return _RUN.sub(lambda m: f"{m[0][:_KEPT]}[{len(m[0]) - _KEPT} more {m[1]}]", text)


def _ends(members: list[str]) -> str:
    more = len(members) - _FIRST - _LAST
    return ", ".join([*members[:_FIRST], f"[{more} more]", *members[-_LAST:]])
