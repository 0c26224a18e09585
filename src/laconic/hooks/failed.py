"""What a hook says when laconic fails, where the policy of the machine wants a question then.

Without such a policy it says nothing, and the command runs. `make docs` writes the forms of the
answers into client/failed.h, for the client that cannot start any Python.
"""

from __future__ import annotations

from collections.abc import Iterator

from laconic.agents.load import ALIASES, BEFORE, Agent, Event, hooked, load
from laconic.hooks.call import HookCall, dialect_of
from laconic.hooks.response import (
    Answer,
    Response,
    denial,
    fitted,
    neutral_answer,
    question,
    written,
)
from laconic.settings.managed import asks_on_failure, read_policy
from laconic.types import Outcome

REASON = "it could not be checked, and the policy of this machine wants a question then"
HERE = "\N{FULL BLOCK}"  # where the reason goes in the form of an answer


def answer_to_failure(agent: Agent, event: Event | None = None) -> Answer:
    """Return what to say to an event of an agent: by default, to one before a command."""
    kind = event.kind if event else BEFORE
    if kind == BEFORE and asks_on_failure(read_policy()):
        return _asked(agent, event or _first(agent))
    return neutral_answer(agent, kind)


def _asked(agent: Agent, event: Event) -> Answer:
    call = _call(agent, event)
    return written(call, fitted(Response(Outcome.ASKED, REASON), call, "deny", {}))


def _first(agent: Agent) -> Event:
    return next(event for event in agent.events if event.kind == BEFORE)


def _call(agent: Agent, event: Event) -> HookCall:
    """A call of which nothing is known."""
    return HookCall(agent, event, {}, {agent.fields["command"]: ""}, "/")


# -- for the client --------------------------------------------------------------------------------


def texts() -> tuple[str, str]:
    """What stands in an answer that asks, and in one that denies for want of a way to ask."""
    said = Response(Outcome.ASKED, REASON)
    return question(said, is_command=True), denial(said)


def forms() -> Iterator[tuple[str, str, bool, Answer]]:
    """Yield an agent's name, an event, whether that can ask, and the form of the answer."""
    names = sorted({*hooked(), *ALIASES})
    for name, agent in ((name, load(name)) for name in names):
        for event in (event for event in agent.events if event.kind == BEFORE):
            call = _call(agent, event)
            told = fitted(Response(Outcome.ASKED, REASON), call, "deny", {})
            form = dialect_of(agent).write(call, Response(told.outcome, HERE, told.commands))
            yield name, event.name, told.outcome is Outcome.ASKED, Answer.of(form)
