"""One tool call in the hands of an adapter."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, overload

from laconic.library.arguments import Step, with_command
from laconic.library.ask_user import answer, async_answer
from laconic.library.output import ShownOutput

if TYPE_CHECKING:
    from laconic.library.envelope import Envelope
    from laconic.library.gate import Gate
    from laconic.types import Verdict

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One tool call in the hands of an adapter: look at verdict, then start, then finish.

    place: the way to the command in the arguments.
    """

    gate: Gate
    arguments: object
    envelope: Envelope
    place: tuple[Step, ...] = ()
    call_id: str = ""

    @property
    def verdict(self) -> Verdict:
        return self.envelope.verdict

    @property
    def command(self) -> str:
        return self.envelope.command

    @property
    def message(self) -> str:
        """Why it does not run, for the model; or why consent is needed, for a person."""
        return self.envelope.message

    @property
    def rewritten(self) -> Any:
        """The arguments to call the tool with, in the shape in which they came."""
        if not self.envelope.changed:
            return self.arguments
        return with_command(self.arguments, self.place, self.command)

    def refusal(self, approved: bool | None = None, said: str = "") -> str:
        """What the model reads of a call that does not run; said: why a person has said no."""
        is_no = approved is False or (approved is None and self.gate.ask is not None)
        return self.envelope.refusal(said if is_no else None)

    def start(self, approved: bool | None = None) -> bool:
        """Record the call, once for each call id; tell whether the tool may run now."""
        return self.gate.record(self.envelope, call_id=self.call_id, approved=approved)

    async def astart(self, approved: bool | None = None) -> bool:
        return await self.gate.arecord(self.envelope, call_id=self.call_id, approved=approved)

    def ask_and_start(self, approved: bool = False) -> bool:
        """Do the same after asking the gate's `ask`, unless a person has said yes already."""
        return self.start(approved or answer(self.gate.ask, self.envelope))

    async def aask_and_start(self) -> bool:
        return await self.astart(await async_answer(self.gate.ask, self.envelope))

    @overload
    def finish(
        self, output: str | bytes, status: int | None = None, *, remind: bool = False
    ) -> str: ...
    @overload
    def finish(self, output: T, status: int | None = None, *, remind: bool = False) -> T: ...
    def finish(self, output: Any, status: int | None = None, *, remind: bool = False) -> Any:
        """Return the output as the model is to read it; what is not text stays as it is.

        remind: append the reminders, where the framework has no better place for them.
        """
        shown = ShownOutput(text="")
        if isinstance(output, str | bytes):
            shown = self.gate.show(self.command, output, status)
            output = shown.text
        self.gate.finished(self.envelope, call_id=self.call_id, status=status, shown=shown)
        note = self.gate.take_reminders() if remind else ""
        return f"{output}\n{note}" if note and isinstance(output, str) else output

    @overload
    async def afinish(
        self, output: str | bytes, status: int | None = None, *, remind: bool = False
    ) -> str: ...
    @overload
    async def afinish(self, output: T, status: int | None = None, *, remind: bool = False) -> T: ...
    async def afinish(self, output: Any, status: int | None = None, *, remind: bool = False) -> Any:
        """Do the same in a thread: a long output must not keep an event loop waiting."""
        return await asyncio.to_thread(self.finish, output, status, remind=remind)


class Consents:
    """What a person is asked before the tool is called: each is for one command in one place."""

    def __init__(self) -> None:
        self._given: list[tuple[str, str, str]] = []

    def add(self, call: ToolCall, run: str = "") -> None:
        """Note it, for this run of an agent only if it has a name."""
        self._given.append(_key(call, run))

    def take(self, call: ToolCall, run: str = "") -> bool:
        """Tell whether it is there, and forget it: the next call needs its own."""
        try:
            self._given.remove(_key(call, run))
        except ValueError:
            return False
        return True


def _key(call: ToolCall, run: str) -> tuple[str, str, str]:
    return run, call.envelope.original_command, call.envelope.cwd
