"""What two policies come to on the same sessions: sums that a report prints."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from laconic.types import Outcome


class Change(NamedTuple):
    """A command that another policy answers otherwise. reason: why, as the new one says it."""

    command: str
    before: Outcome
    after: Outcome
    reason: str


class Comparison:
    """The sums of both. prompts: how often a person is interrupted, before and after."""

    def __init__(self) -> None:
        self.sessions = self.commands = 0
        self.prompts = [0, 0]
        self.changes: Counter[Change] = Counter()

    @property
    def changed(self) -> int:
        return self.changes.total()

    def per_hundred(self, which: int) -> float:
        return 100 * self.prompts[which] / self.commands if self.commands else 0.0

    @property
    def rise(self) -> float:
        return self.per_hundred(1) - self.per_hundred(0)
