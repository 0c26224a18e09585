"""The tool calls that a Gate was asked about, by their ids: each is judged and recorded once."""

from __future__ import annotations

import threading
from collections import OrderedDict

from laconic.library.envelope import Envelope
from laconic.library.tool_call import ToolCall

_MOST_CALLS = 4096


class KnownCall:
    """One tool call.

    envelope: the decision; call: what a framework's hook was given; runs: whether it was let run,
    once that was recorded (`lock` is held meanwhile), and `started` when.
    """

    def __init__(self) -> None:
        self.envelope: Envelope | None = None
        self.call: ToolCall | None = None
        self.runs: bool | None = None
        self.started: float | None = None
        self.lock = threading.RLock()


class Calls:
    """Tool calls by id and command. The oldest are forgotten first, but for those that run."""

    def __init__(self) -> None:
        self._calls: OrderedDict[tuple[str, str], KnownCall] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, call_id: str, command: str) -> KnownCall | None:
        """Return what is known of a tool call; None for one without an id."""
        if not call_id:
            return None
        with self._lock:
            known = self._calls.get((call_id, command))
            if known is None:
                known = self._calls[call_id, command] = KnownCall()
            while len(self._calls) > _MOST_CALLS:
                del self._calls[self._least_needed((call_id, command))]
        return known

    def _least_needed(self, newest: tuple[str, str]) -> tuple[str, str]:
        """Return the oldest call that does not run; when one that runs ends, it is needed again."""
        idle = next(key for key, known in self._calls.items() if not known.runs or key == newest)
        return next(iter(self._calls)) if idle == newest else idle

    def last(self, call_id: str) -> ToolCall | None:
        """Return the call of this id that a hook was last asked about."""
        with self._lock:
            same_id = [known for (name, _), known in self._calls.items() if name == call_id]
        return same_id[-1].call if same_id else None

    def forget(self, call_id: str, command: str) -> KnownCall | None:
        """Another call may have this id from now on."""
        with self._lock:
            return self._calls.pop((call_id, command), None)
