"""Asks whether a command may run: whatever is not a plain yes is a no."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from laconic.library.conditions import RuleError
from laconic.library.envelope import Envelope
from laconic.library.run_in_thread import in_own_thread
from laconic.types import Outcome

Ask = Callable[[Envelope], Any]


def answer(ask: Ask | None, envelope: Envelope) -> bool:
    """Ask, if there is anybody and a reason to."""
    if ask is None or envelope.outcome is not Outcome.ASKED:
        return False
    try:
        said = ask(envelope)
    except Exception:  # noqa: BLE001 - nobody has said yes
        return False
    if hasattr(said, "__await__"):
        said.close()
        raise RuleError("`ask` is async: use arun, or an async tool")
    return said is True


async def async_answer(ask: Ask | None, envelope: Envelope) -> bool:
    """The same in an event loop; a function that is not async is called in a thread."""
    if ask is None or envelope.outcome is not Outcome.ASKED:
        return False
    try:
        said = await in_own_thread(ask, envelope)
        if hasattr(said, "__await__"):
            said = await said
    except Exception:  # noqa: BLE001 - nobody has said yes
        return False
    return said is True
