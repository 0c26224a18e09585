"""Extracts fields from JSON, for programs that print it without being asked."""

from __future__ import annotations

from laconic.compact.result import MADE, Shown
from laconic.compact.stages.template import fill, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.compact.lines import Lines


def extract(lines: Lines, spec: Mapping[str, str]) -> list[Shown] | None:
    """One line per item, made of its fields; None where the text is not as the filter expects."""
    import json  # noqa: PLC0415 - for the few filters that need it

    try:
        items = _at(json.loads(lines.text), spec.get("items", ""))
    except (ValueError, RecursionError):
        return None
    if not isinstance(items, list):
        return None
    numbers = tuple(range(1, len(lines) + 1))
    shown = []
    for item in items:
        values = {name: _at(item, name) for name in places(spec["show"])}
        if None in values.values():
            return None
        texts = {name: _one_line(value) for name, value in values.items()}
        shown.append(Shown(MADE, fill(spec["show"], texts), numbers))
    return shown


def _at(value: object, path: str) -> object:
    for name in path.split(".") if path else ():
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _one_line(value: object) -> str:
    import json  # noqa: PLC0415 - as above

    return value if isinstance(value, str) and value.isprintable() else json.dumps(value)
