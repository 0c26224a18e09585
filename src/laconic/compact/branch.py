"""The stages that a filter's file asks for, with the patterns compiled when they are first used."""

from __future__ import annotations

from laconic.compact.filter import (
    ANSWER_BUDGET,
    BUDGET,
    FAILURE_BUDGET,
    SUCCESS_BUDGET,
    SUMMARY,
    WIDTH,
)
from laconic.compact.patterns import Pattern, Patterns
from laconic.compact.stages.template import Template

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def counts_of(table: Mapping[str, Any]) -> tuple[tuple[str, Pattern], ...]:
    return tuple((count["name"], Pattern(count["match"])) for count in table.get("count", ()))


def requires_of(table: Mapping[str, Any]) -> tuple[Pattern, ...]:
    return tuple(map(Pattern, table.get("success", {}).get("requires", ())))


class Branch:
    """The stages for one outcome: the keys of [success] or [failure] over those of the file."""

    def __init__(self, table: Mapping[str, Any], name: str = "") -> None:
        over = table.get(name, {})
        merged = {**table, **over}
        self.drop = Patterns(merged.get("drop", ()))
        self.keep = Patterns(merged.get("keep", ()))
        self.must_keep = Patterns(merged.get("must_keep", ()))
        self.replace = tuple(_rule(*pair) for pair in merged.get("replace", ()))
        self.sections = tuple(map(Section, merged.get("section", ())))
        self.groups = tuple((Pattern(g["match"]), str(g["show"])) for g in merged.get("group", ()))
        self.shapes: tuple[str, ...] = tuple(merged.get("shape", ()))
        self.head: int = merged.get("head", 0)
        self.tail: int = merged.get("tail", 0)
        is_summary = merged.get("kind", SUMMARY) == SUMMARY
        of_success = SUCCESS_BUDGET if is_summary else ANSWER_BUDGET
        usual = FAILURE_BUDGET if name == "failure" else of_success
        self.budget: int = merged.get("budget", usual if self.shapes else BUDGET)
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
