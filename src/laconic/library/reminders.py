"""Reminders: short texts that the model is to read with its next turn, and then no more."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

_MOST_KEPT = 100
_ids = count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """A text for the model. ttl_turns: for how many turns; None: until it is replaced.

    dedupe_key: a later reminder with the same key replaces this one.
    """

    body: str
    tags: tuple[str, ...] = ()
    ttl_turns: int | None = 1
    dedupe_key: str | None = None
    id: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.body, str) or not self.body.strip():
            raise ValueError("tool_hooks_inject_reminder: `body` must be a non-empty string")
        ttl = self.ttl_turns
        if ttl is not None and (isinstance(ttl, bool) or not isinstance(ttl, int) or ttl < 1):
            raise ValueError("tool_hooks_inject_reminder: `ttl_turns` must be above 0 or None")
        object.__setattr__(self, "tags", tuple(self.tags))
        if not self.id:
            object.__setattr__(self, "id", f"reminder-{next(_ids)}")

    @classmethod
    def of(cls, spec: Reminder | Mapping[str, Any]) -> Reminder:
        """Make a reminder of a mapping; keys that only Harn knows are ignored."""
        if isinstance(spec, Reminder):
            return spec
        if not isinstance(spec, Mapping):
            raise TypeError("tool_hooks_inject_reminder: a dict is needed")
        known = ("body", "tags", "ttl_turns", "dedupe_key", "id")
        given = {name: spec[name] for name in known if name in spec}
        return cls(**{"body": "", "ttl_turns": None, **given})


class ReminderQueue:
    """The reminders of one conversation, in order."""

    def __init__(self) -> None:
        self._waiting: list[Reminder] = []
        self._lock = threading.Lock()

    def inject(self, reminder: Reminder | Mapping[str, Any]) -> int:
        """Add one; return how many others it replaced."""
        new = Reminder.of(reminder)
        with self._lock:
            kept = [old for old in self._waiting if not _is_same(old, new)]
            replaced = len(self._waiting) - len(kept)
            self._waiting = [*kept, new][-_MOST_KEPT:]
        return replaced

    def take(self) -> list[Reminder]:
        """Return what the model is to read in this turn, which counts as one turn of each."""
        with self._lock:
            taken = self._waiting
            self._waiting = [_aged(r) for r in taken if r.ttl_turns is None or r.ttl_turns > 1]
        return taken

    def take_text(self) -> str:
        """The same as one text, empty if there is nothing to say."""
        return "\n".join(reminder.body for reminder in self.take())

    def __len__(self) -> int:
        return len(self._waiting)


def _is_same(old: Reminder, new: Reminder) -> bool:
    if old.dedupe_key is not None and old.dedupe_key == new.dedupe_key:
        return True
    return " ".join(old.body.split()) == " ".join(new.body.split())


def _aged(reminder: Reminder) -> Reminder:
    ttl = reminder.ttl_turns
    return reminder if ttl is None else replace(reminder, ttl_turns=ttl - 1)
