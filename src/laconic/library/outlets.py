"""The effects of a decision: audit entries and reminders.

While a decision is made they are only collected, because frameworks ask more than once about one
call. They happen when the decision is acted on.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from laconic.library.audit import Audit, MemoryAudit, new_entry
from laconic.library.reminders import Reminder, ReminderQueue


@dataclass(frozen=True, slots=True)
class Audited:
    """An audit entry that is not written yet."""

    kind: str
    payload: Mapping[str, Any]


Effect = Audited | Reminder


class Outlets:
    """Where effects go: audit sinks, and a queue of reminders if anybody reads it."""

    def __init__(
        self, sinks: Iterable[Audit], reminders: ReminderQueue | None, session: str = ""
    ) -> None:
        self.sinks, self.reminders, self.session = tuple(sinks), reminders, session

    @property
    def is_quick(self) -> bool:
        """Tell whether nobody waits for a file or for a function of the user's."""
        return all(isinstance(sink, MemoryAudit) for sink in self.sinks)

    def emit(self, kind: str, payload: Mapping[str, Any]) -> None:
        entry = new_entry(kind, payload, self.session)
        for sink in self.sinks:
            try:
                if callable(sink):
                    sink(entry)
                else:
                    sink.write(entry)
            except Exception:
                logging.getLogger("laconic").exception("an audit sink has failed")

    def remind(self, reminder: Reminder) -> dict[str, Any]:
        replaced = self.reminders.inject(reminder) if self.reminders is not None else 0
        told = {
            "reminder_id": reminder.id,
            "deduped_count": replaced,
            "session_attached": self.reminders is not None,
        }
        payload = {
            "tags": list(reminder.tags),
            "body": reminder.body,
            "ttl_turns": reminder.ttl_turns,
            "dedupe_key": reminder.dedupe_key,
        }
        self.emit("tool_hooks.reminder_injected", told | payload)
        return told

    def play(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Reminder):
                self.remind(effect)
            else:
                self.emit(effect.kind, effect.payload)


class Pending(Outlets):
    """Collects effects for later."""

    def __init__(self) -> None:
        super().__init__((), None)
        self.effects: list[Effect] = []

    def emit(self, kind: str, payload: Mapping[str, Any]) -> None:
        new_entry(kind, {})  # a wrong kind is an error at once
        self.effects.append(Audited(kind, dict(payload)))

    def remind(self, reminder: Reminder) -> dict[str, Any]:
        self.effects.append(reminder)
        return {"reminder_id": reminder.id, "deduped_count": 0, "session_attached": False}


# What the functions of laconic.tool_hooks use where no gate is at work.
LOG = MemoryAudit()
_common = Outlets((LOG,), None)
_current: ContextVar[Outlets] = ContextVar("laconic_outlets", default=_common)


@contextmanager
def going_to(outlets: Outlets) -> Iterator[None]:
    """Send the effects of modes that are called in this block to an outlet."""
    token = _current.set(outlets)
    try:
        yield
    finally:
        _current.reset(token)


def emit_audit(kind: str, payload: Mapping[str, Any] | None = None) -> None:
    """Write an audit entry, from a mode of your own for example."""
    _current.get().emit(kind, payload or {})


def inject_reminder(spec: Reminder | Mapping[str, Any]) -> dict[str, Any]:
    """Queue a reminder for the model's next turn, from a mode of your own for example."""
    return _current.get().remind(Reminder.of(spec))
