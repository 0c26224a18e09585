"""What laconic says to a call, as much of it as the agent can be told, in words and as bytes.

An ask that an agent cannot put becomes a deny, never a silent allow. The ids of rules are for the
log and for `laconic explain`; here it says who asks, about what, and what can be done.
"""

from __future__ import annotations

import contextlib
import json

from laconic.agents.load import BEFORE
from laconic.hooks.call import dialect_of
from laconic.hooks.can_ask import is_unattended
from laconic.patterns import pattern
from laconic.types import Outcome, Verdict, assert_never

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from laconic.agents.load import Agent, Event
    from laconic.hooks.call import HookCall
    from laconic.types import Decision

_ENCODER = json.JSONEncoder(allow_nan=False)
_LONGEST = 2000
_LONGEST_PART = 60
# A verb; `ls is not known` and `actions that are not known` begin with nouns.
_DOES = pattern(r"(?!its\b)(?:[a-z]+s|may|can|cannot)\b(?!:)(?! (?:is|are|may|that|without)\b)")
_ASK_USER = "If it is needed, ask the user to do it"


class Response:
    """What laconic says to a call, independent of any agent's format.

    reason: why, as a sentence; instead: what does the same safely. commands: what should run
    instead, or None. output: what the agent should read in place of the output, by stream. way_out:
    what a person types to let a command pass that is asked about; is_seldom: it is for a line that
    nobody types twice. undoing: what an undo can do afterwards, in words.
    """

    __slots__ = (
        "commands", "instead", "is_seldom", "outcome", "output", "reason", "undoing", "way_out",
    )  # fmt: skip

    def __init__(
        self,
        outcome: Outcome = Outcome.LEFT,
        reason: str = "",
        commands: tuple[str, ...] | None = None,
        output: Mapping[str, str] | None = None,
        way_out: str = "",
        instead: str = "",
        undoing: str = "",
    ) -> None:
        self.outcome, self.reason, self.way_out = outcome, reason, way_out
        self.instead, self.undoing, self.is_seldom = instead, undoing, False
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

    @classmethod
    def of(cls, reply: Reply) -> Answer:
        """The bytes of an answer in an agent's words."""
        if reply.document is None:
            return cls(b"", reply.stderr.encode("utf-8", "replace") + b"\n", reply.status)
        return cls(_ENCODER.encode(reply.document).encode() + b"\n")

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


def written(call: HookCall, response: Response) -> Answer:
    """Return a response in the words of the agent that called."""
    return Answer.of(dialect_of(call.agent).write(call, response))


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
            return Outcome.DENIED, denial(response)
        case Outcome.ALLOWED if Outcome.ALLOWED.word in call.event.can:
            return Outcome.ALLOWED, f"laconic: {response.reason}"
        case Outcome.ALLOWED | Outcome.LEFT:
            return Outcome.LEFT, ""
        case other:
            return assert_never(other)


def _asked(
    response: Response, call: HookCall, cannot_ask: str, environ: Mapping[str, str]
) -> tuple[Outcome, str]:
    """Ask, or deny with a reason that says who can allow the command, and how."""
    can_ask = Outcome.ASKED.word in call.event.can
    if can_ask and not is_unattended(call.agent, environ, call.agents_mode):
        return Outcome.ASKED, question(response, is_command=not call.files)
    # If the agent prompts anyway, no answer means that it asks.
    if call.event.kind != BEFORE or cannot_ask != "deny":
        return Outcome.LEFT, ""
    title, mode = call.agent.title, call.agents_mode
    if not can_ask:
        why = f"{title} gives a hook no way to ask"
    elif mode in call.agent.unattended.get("modes", ()):
        why = f"{title} does not ask in its mode {mode}"
    else:
        why = "Nobody is there to ask"
    return Outcome.DENIED, denial(response, why)


# -- in words --------------------------------------------------------------------------------------


def sentence(decision: Decision, command: str, home: str) -> str:
    """Return why, with the part of the line that it is about; without a full stop.

    A reason says what a command does (`publishes commits`), or is a sentence of its own (`frob is
    not a command that laconic knows`).
    """
    part = _part(decision, command)
    reason = decision.reason
    if len(home) > 1:
        reason = reason.replace(f"{home}/", "~/").replace(f"{home},", "~,")
    if _DOES.match(reason):
        return f"{part or 'this'} {reason}"
    return f"in {part}, {reason}" if part else reason


def _part(decision: Decision, command: str) -> str:
    """Return the command of the line that decides, in quotes; nothing if there is no other."""
    leaves = [leaf for leaf in decision.leaves() if leaf.verdict is decision.verdict]
    deciding = [leaf for leaf in leaves if leaf.rule == decision.rule]
    if decision.verdict is Verdict.ALLOW or not deciding:
        return ""
    from laconic.shell import ParseError, parse  # noqa: PLC0415 - only for what is not allowed
    from laconic.shell.walk import command_at  # noqa: PLC0415

    try:
        found = command_at(parse(command), *deciding[0].span)
    except ParseError:
        return ""
    source = command.encode("utf-8", "surrogatepass")
    if found is None:
        return ""
    text = source[found.start : found.end].decode("utf-8", "replace")
    is_short = len(text) <= _LONGEST_PART and text.isprintable() and "`" not in text
    return f"`{text}`" if is_short and text != command.strip() else ""


def question(response: Response, *, is_command: bool) -> str:
    """Return what a person reads above a button: what Yes does, and how to stop being asked."""
    does = "runs it once" if is_command else "allows it once"
    then = f", and laconic undo can {response.undoing}" if response.undoing else ""
    said = [f"laconic asks: {response.reason}", f"Yes {does}{then}"]
    if response.instead:
        said.append(f"Instead: {response.instead}")
    if response.way_out and not response.is_seldom:
        said.append(f"To stop being asked, type in a terminal: {response.way_out}")
    return _joined(said)


def denial(response: Response, why: str = "") -> str:
    """Return what an agent reads that was refused. why: what keeps laconic from asking."""
    said = [f"laconic blocked this; nothing ran: {response.reason}"]
    if why:
        said.append(why)
    if response.instead:
        said.append(f"Instead: {response.instead}")
    if response.way_out:
        said.append(f"The user can allow it by typing in a terminal: {response.way_out}")
    elif not response.instead:
        said.append(_ASK_USER)
    return _joined(said)


def _joined(sentences: list[str]) -> str:
    """Join sentences to one line; a full stop behind what can be typed would be typed, too."""
    text = ". ".join(one.rstrip(". ") for one in sentences)
    return "".join(c if c.isprintable() else " " for c in text)[:_LONGEST]
