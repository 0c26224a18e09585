"""Shortens lines to values captured from them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.patterns import Pattern
    from laconic.compact.stages.template import Template


def replace(text: str, rules: tuple[tuple[Pattern, Template], ...]) -> str:
    """The first rule that matches a line shortens it; one that would not leaves it as it is."""
    for pattern, template in rules:
        if match := pattern.search(text):
            return min(text, template.fill(match), key=len)
    return text
