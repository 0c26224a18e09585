"""A change of the configuration that would save prompts, with what speaks for and against it."""

from __future__ import annotations

from typing import NamedTuple


class Proposal(NamedTuple):
    """One cell, rule or path. table, key: where it goes; a list gets the value as an item.

    saved: prompts that the ones before it leave and this one does not. examples: commands it would
    have allowed, with how often. meaning: what it opens, in words. others: other uses of the
    same programs, known to laconic, that it would allow as well. replayed: commands that it was
    tried against because they go around rules or must not run unseen; none of them has a hard
    effect and is allowed by it.
    """

    table: str
    key: str
    value: str
    saved: int
    examples: tuple[tuple[str, int], ...]
    meaning: str
    others: tuple[str, ...]
    other_count: int
    replayed: int

    @property
    def is_list(self) -> bool:
        return self.table in ("commands", "paths")

    @property
    def line(self) -> str:
        """What a person types to have it; its value has no quotes in it."""
        match self.table:
            case "commands":
                return f"laconic allow --always '{self.value}'"
            case "paths":
                return "laconic tune --apply"  # to set a list would take its other items away
            case _:
                return f"laconic config set {self.table}.{self.key} {self.value}"

    @property
    def document(self) -> dict[str, dict[str, object]]:
        """As a part of a configuration."""
        return {self.table: {self.key: [self.value] if self.is_list else self.value}}
