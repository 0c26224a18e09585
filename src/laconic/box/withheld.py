"""Names the variables that a box withholds when a command failed because it has not got them."""

from __future__ import annotations

from laconic.box.plan import Plan
from laconic.patterns import pattern

_MOST_LINES, _MOST_NAMED = 400, 3
_WORD = pattern(r"[A-Za-z_][A-Za-z0-9_]*")
# What programs say of a variable that they have not got.
_LACKING = pattern(
    r"(?i)not set|unset|undefined|not defined|missing|required|KeyError|not found|must be set"
    r"|must set|is empty|no value|please (?:set|provide|export)|unbound|None\b|null\b"
)


def notice(plan: Plan, status: int, out: str, err: str) -> str:
    """Return the line about variables that a failed command asked for; empty if it did not."""
    if not status or not plan.dropped:
        return ""
    dropped = set(plan.dropped)
    named: list[str] = []
    for line in (*err.split("\n")[-_MOST_LINES:], *out.split("\n")[-_MOST_LINES:]):
        words = dropped.intersection(_WORD.findall(line))
        if words and _LACKING.search(line):
            named += sorted(words.difference(named))
    if not named:
        return ""
    what, names = ", ".join(named[:_MOST_NAMED]), ", ".join(f'"{one}"' for one in named)
    way = f"to have it there, the user adds keep_env = [{names}] to [box] of the configuration"
    return f"[laconic: the box withholds {what}, which looks like a secret; {way}]\n"
