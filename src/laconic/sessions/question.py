"""A question that a command led to, as the log tells it, and what would end it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Ending(NamedTuple):
    """What ends a question. lines: commands to type; why: the reason if there are none.

    place: the directory to type them in, empty where it does not matter.
    """

    lines: tuple[str, ...]
    why: str = ""
    place: str = ""


class Question(NamedTuple):
    """A command that asked. row: the newest line of the log about it. times: how often it did."""

    row: Mapping[str, Any]
    times: int
    ending: Ending | None = None

    def to_json(self) -> dict[str, Any]:
        ending = self.ending or Ending(())
        return {**self.row, "times": self.times, "ends_by": list(ending.lines), "why": ending.why}
