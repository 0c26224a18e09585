"""A filter as its file has it, with the patterns compiled when they are first used."""

from __future__ import annotations

from functools import cached_property

from laconic.compact.patterns import Pattern, Patterns
from laconic.compact.stages.template import Template

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SUMMARY, LISTING, TEXT = "summary", "listing", "text"
BUDGET = 8000  # tokens; what agents cut off by themselves begins at about 30,000 characters
WIDTH = 1000  # characters of a line


class Filter:
    """One filter file. id is its path (`cargo/test`), source the file it stands in."""

    def __init__(self, identifier: str, table: Mapping[str, Any], source: str = "built-in") -> None:
        self.id, self.table, self.source = identifier, table, source
        self.commands: tuple[str, ...] = tuple(table["command"])
        self.kind: str = table.get("kind", SUMMARY)
        self.passthrough: tuple[str, ...] = tuple(table.get("passthrough", ()))

    def __repr__(self) -> str:
        return f"Filter({self.id!r}, {self.source!r})"

    @cached_property
    def plain(self) -> Branch:
        return Branch(self.table, {})

    @cached_property
    def success(self) -> Branch:
        return Branch(self.table, self.table.get("success", {}))

    @cached_property
    def failure(self) -> Branch:
        return Branch(self.table, self.table.get("failure", {}))

    @cached_property
    def counts(self) -> tuple[tuple[str, Pattern], ...]:
        tables = self.table.get("count", ())
        return tuple((table["name"], Pattern(table["match"])) for table in tables)

    @cached_property
    def requires(self) -> tuple[Pattern, ...]:
        return tuple(map(Pattern, self.table.get("success", {}).get("requires", ())))

    def is_certain(self, text: str) -> bool:
        """Tell whether a line will be shown whatever follows, so that it may appear at once."""
        return all(
            branch.must_keep.matches(text) for branch in (self.plain, self.success, self.failure)
        )


class Branch:
    """The stages for one outcome: the keys of [success] or [failure] over those of the file."""

    def __init__(self, table: Mapping[str, Any], over: Mapping[str, Any]) -> None:
        merged = {**table, **over}
        self.drop = Patterns(merged.get("drop", ()))
        self.keep = Patterns(merged.get("keep", ()))
        self.must_keep = Patterns(merged.get("must_keep", ()))
        self.replace = tuple(_rule(*pair) for pair in merged.get("replace", ()))
        self.sections = tuple(map(Section, merged.get("section", ())))
        self.dedupe: bool = merged.get("dedupe", False)
        self.groups = tuple((Pattern(g["match"]), str(g["show"])) for g in merged.get("group", ()))
        self.trees = tuple(Pattern(tree["match"]) for tree in merged.get("tree", ()))
        self.json: Mapping[str, str] = merged.get("json", {})
        self.head: int = merged.get("head", 0)
        self.tail: int = merged.get("tail", 0)
        self.budget: int = merged.get("budget", BUDGET)
        self.width: int = merged.get("width", WIDTH)
        self.show: str = over.get("show", "")


def _rule(source: str, text: str) -> tuple[Pattern, Template]:
    pattern = Pattern(source)
    return pattern, Template(text, pattern.compiled)


class Section:
    """A block of lines: from a line that matches start up to the next that matches end."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.name: str = table.get("name", "")
        self.start, self.end = Patterns([table["start"]]), Patterns([table["end"]])
        self.lines: int | None = table.get("lines")
