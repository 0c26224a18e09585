"""What laconic says to a call, as much of it as the agent can be told, and the answer as bytes.

An ask that an agent cannot put becomes a deny, never a silent allow.
"""

from __future__ import annotations

import contextlib

from laconic.agents.load import BEFORE
from laconic.hooks.can_ask import is_unattended
from laconic.types import Outcome, assert_never

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from laconic.agents.load import Agent, Event
    from laconic.hooks.call import HookCall


class Response:
    """What laconic says to a call, independent of any agent's format.

    commands: what should run instead, or None. output: what the agent should read in place of the
    output, by stream. way_out: what a person types to let a command pass that is asked about.
    """

    __slots__ = ("commands", "outcome", "output", "reason", "way_out")

    def __init__(
        self,
        outcome: Outcome = Outcome.LEFT,
        reason: str = "",
        commands: tuple[str, ...] | None = None,
        output: Mapping[str, str] | None = None,
        way_out: str = "",
    ) -> None:
        self.outcome, self.reason, self.way_out = outcome, reason, way_out
        self.commands, self.output = commands, output

    def __bool__(self) -> bool:
        return bool(self.outcome is not Outcome.LEFT or self.commands or self.output)

    @property
    def text(self) -> str:
        """The output, with both streams joined."""
        return "".join((self.output or {}).values())


class Output:
    """What a command wrote. status: 0 if the agent says so, else None."""

    __slots__ = ("err", "out", "status")

    def __init__(self, out: str, err: str = "", status: int | None = None) -> None:
        self.out, self.err, self.status = out, err, status


class Reply:
    """An answer in an agent's words: a JSON document or none, and for some an exit status."""

    __slots__ = ("document", "status", "stderr")

    def __init__(
        self, document: Mapping[str, Any] | None = None, stderr: str = "", status: int = 0
    ) -> None:
        self.document, self.stderr, self.status = document, stderr, status


class Answer:
    """What a hook prints and its exit status.

    fault: what went wrong, for debugging. retry_cold: that was before there was a verdict, and
    another process may succeed. later: what can wait until the answer is on its way.
    """

    __slots__ = ("fault", "later", "retry_cold", "status", "stderr", "stdout")

    def __init__(
        self, stdout: bytes = b"", stderr: bytes = b"", status: int = 0, fault: str = ""
    ) -> None:
        self.stdout, self.stderr, self.status, self.fault = stdout, stderr, status, fault
        self.retry_cold = False
        self.later: list[Callable[[], object]] = []

    def finish(self) -> None:
        """Do what could wait. A fault in it does not matter: the answer has been given."""
        for job in self.later:
            with contextlib.suppress(Exception):
                job()


def neutral_answer(agent: Agent, kind: str) -> Answer:
    """Return the answer to an event of this kind when there is nothing to say.

    For some agents that must be JSON.
    """
    text = agent.neutral if kind == BEFORE or not agent.neutral else "{}"
    return Answer(f"{text}\n".encode() if text else b"")


# -- what an agent can be told ---------------------------------------------------------------------


def fitted(
    response: Response, call: HookCall, cannot_ask: str, environ: Mapping[str, str]
) -> Response:
    """Return what the agent can be told. cannot_ask: `deny`, or `defer` to say nothing."""
    outcome, reason = _told(response, call, cannot_ask, environ)
    commands = response.commands if can_rewrite(outcome, call.agent, call.event) else None
    output = response.output if "replace" in call.event.can else None
    return Response(outcome, reason, commands, output)


def can_replace(agent: Agent, event: Event) -> bool:
    """Tell whether the agent runs another command than it sent, when that is allowed."""
    return can_rewrite(Outcome.ALLOWED, agent, event) and Outcome.ALLOWED.word in event.can


def can_rewrite(outcome: Outcome, agent: Agent, event: Event) -> bool:
    """Tell whether the agent takes another command together with this outcome."""
    if "rewrite" not in event.can:
        return False
    # A request for permission must be answered with a decision, or not at all.
    has_words = outcome is not Outcome.LEFT or event.kind == BEFORE
    return has_words and (outcome.word or "none") in agent.rewrite_with


def _told(
    response: Response, call: HookCall, cannot_ask: str, environ: Mapping[str, str]
) -> tuple[Outcome, str]:
    match response.outcome:
        case Outcome.ASKED:
            return _asked(response, call, cannot_ask, environ)
        case Outcome.DENIED:
            return Outcome.DENIED, response.reason
        case Outcome.ALLOWED if Outcome.ALLOWED.word in call.event.can:
            return Outcome.ALLOWED, response.reason
        case Outcome.ALLOWED | Outcome.LEFT:
            return Outcome.LEFT, ""
        case other:
            return assert_never(other)


def _asked(
    response: Response, call: HookCall, cannot_ask: str, environ: Mapping[str, str]
) -> tuple[Outcome, str]:
    """Ask, or deny with a reason that says who can allow the command, and how."""
    reason, way_out = response.reason, response.way_out
    can_ask = Outcome.ASKED.word in call.event.can
    if can_ask and not is_unattended(call.agent, environ, call.agents_mode):
        return Outcome.ASKED, f"{reason}; to allow it: {way_out}" if way_out else reason
    # If the agent prompts anyway, no answer means that it asks.
    if call.event.kind != BEFORE or cannot_ask != "deny":
        return Outcome.LEFT, ""
    why = "nobody is there to ask" if can_ask else f"{call.agent.title} cannot ask"
    how = f"; a person can allow it: {way_out}" if way_out else ""
    return Outcome.DENIED, f"{reason} ({why}{how})"
