"""The knowledge of tools that is tried: what laconic has, or that with a hole planted in it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from laconic.knowledge.catalog import extended, library, tables

if TYPE_CHECKING:
    from laconic.knowledge.knowledge import Library


class Knowledge(NamedTuple):
    """What decides, and the tables that it was made of, by path."""

    library: Library
    written: dict[str, dict[str, Any]]


@cache
def built_in() -> Knowledge:
    return Knowledge(library(), {name: table for _, name, table in tables()})


def with_hole(path: str, **keys: Any) -> Knowledge:
    """The table of a path with other keys; None leaves a key out, `options` adds to those there."""
    table = built_in().written[path]
    options = {"options": f"{table['options']} {keys['options']}"} if "options" in keys else {}
    changed = {key: value for key, value in (table | keys | options).items() if value is not None}
    refused = table.get("refuse", {}).items()
    changed["refuse"] = {key: why for key, why in refused if key not in keys.get("options", "")}
    return Knowledge(extended([("hole", path, changed)]), built_in().written | {path: changed})
