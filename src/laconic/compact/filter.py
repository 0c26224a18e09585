"""A filter as its file has it.

What its stages need is loaded with the first of them: a hook only asks which filter there is.
"""

from __future__ import annotations

from functools import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from laconic.compact.branch import Branch
    from laconic.compact.patterns import Pattern, Patterns

SUMMARY, LISTING, TEXT, LOG = "summary", "listing", "text", "log"
LOGS = "logs"  # the row for programs that print files, where these are logs
BUDGET = 8000  # tokens; agents themselves truncate at about 30,000 characters
# Tokens of an output that has a shape, beside what the shape itself may cost.
SUCCESS_BUDGET, ANSWER_BUDGET, FAILURE_BUDGET = 500, 800, 4000
WIDTH = 1000  # characters of a line
# The part of the budget that goes to the beginning: a list is read from there, while the result of
# a test run or a build is at the end.
HEAD_SHARE = {LISTING: 0.9, SUMMARY: 0.3, TEXT: 0.5, LOG: 0.3}
_OF_ROW = {"command", "kind", "passthrough"}


class Filter:
    """One filter file. id is its path (`cargo/test`), source the file that has it."""

    def __init__(self, identifier: str, table: Mapping[str, Any], source: str = "built-in") -> None:
        self.id, self.table, self.source = identifier, table, source
        self.commands: tuple[str, ...] = tuple(table["command"])
        self.kind: str = table.get("kind", SUMMARY)
        self.passthrough: tuple[str, ...] = tuple(table.get("passthrough", ()))

    @property
    def is_row(self) -> bool:
        """Tell whether it says nothing but which command it is for: the engine does the rest."""
        return self.table.keys() <= _OF_ROW

    @property
    def shapes(self) -> set[str]:
        """The names of all its shapes, whatever the outcome is."""
        parts = (self.table, self.table.get("success", {}), self.table.get("failure", {}))
        return {name for part in parts for name in part.get("shape", ())}

    def __repr__(self) -> str:
        return f"Filter({self.id!r}, {self.source!r})"

    @cached_property
    def plain(self) -> Branch:
        return self._branch("")

    @cached_property
    def success(self) -> Branch:
        return self._branch("success")

    @cached_property
    def failure(self) -> Branch:
        return self._branch("failure")

    def _branch(self, name: str) -> Branch:
        from laconic.compact.branch import Branch  # noqa: PLC0415 - see above

        return Branch(self.table, name)

    @cached_property
    def counts(self) -> tuple[tuple[str, Pattern], ...]:
        from laconic.compact.branch import counts_of  # noqa: PLC0415 - see above

        return counts_of(self.table)

    @cached_property
    def requires(self) -> tuple[Pattern, ...]:
        from laconic.compact.branch import requires_of  # noqa: PLC0415 - see above

        return requires_of(self.table)

    @cached_property
    def early(self) -> Patterns:
        """Lines of which the first may appear while the command runs; it is shown then."""
        from laconic.compact.patterns import Patterns  # noqa: PLC0415 - see above

        return Patterns(self.table.get("early", ()))

    def is_certain(self, text: str) -> bool:
        """Tell whether a line will be shown whatever follows, so that it may appear at once."""
        return all(
            branch.must_keep.matches(text) for branch in (self.plain, self.success, self.failure)
        )
