"""Answers a hook: bytes in, bytes out. After a fault the answer is the neutral one.

Once it is known that a command must not run unasked, a fault does not undo that. Nothing here uses
the environment, arguments or signals of this process, so that the server can answer as well.
"""

from __future__ import annotations

import json
from functools import partial

from laconic.agents.load import AFTER, BEFORE, load
from laconic.hooks import call_log
from laconic.hooks.call import dialect_of, find_event, parse, read
from laconic.hooks.response import Answer, Response, fitted, neutral_answer
from laconic.types import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from laconic.agents.load import Agent
    from laconic.hooks.call import HookCall
    from laconic.settings.load import Settings

MOST_BYTES = 16 << 20
_ENCODER = json.JSONEncoder(allow_nan=False)


def answer(
    agent_name: str,
    event: str,
    stdin: bytes,
    environ: Mapping[str, str],
    cwd: str,
    on_verdict: Callable[[Answer], None] = lambda _: None,
) -> Answer:
    """Answer a call of an agent's hook. Never raises.

    on_verdict: called with a fallback answer once a command must not run unasked; it is what to
    say if time runs out.
    """
    try:
        agent = load(agent_name)
    except Exception as fault:  # noqa: BLE001 - a hook must not be in the way
        nothing = Answer(fault=call_log.described(fault))
        nothing.later.append(partial(call_log.note_unknown, environ, agent_name))
        return nothing
    fallback = Fallback(neutral_answer(agent, BEFORE), on_verdict)
    try:
        given = _answer(agent, event, stdin, environ, cwd, fallback)
    except Exception as fault:  # noqa: BLE001 - as above
        given, text = fallback.answer, call_log.described(fault)
        given.fault, given.retry_cold = text, fallback.outcome is Outcome.LEFT
        note = partial(call_log.note_fault, environ, agent.name, text)
        fallback.later.append(note)
    given.later = fallback.later
    return given


class Fallback:
    """The answer in case of a fault: the neutral one, until a verdict is ask or deny."""

    __slots__ = ("_on_verdict", "answer", "later", "outcome")

    def __init__(self, neutral: Answer, on_verdict: Callable[[Answer], None]) -> None:
        self.answer, self._on_verdict, self.outcome = neutral, on_verdict, Outcome.LEFT
        self.later: list[Callable[[], object]] = []

    def keep(
        self, call: HookCall, settings: Settings, environ: Mapping[str, str], response: Response
    ) -> None:
        """Keep the strictest verdict in the agent's words, in case something fails later."""
        outcome = response.outcome
        if outcome <= self.outcome:
            return
        try:
            cannot_ask = settings.config.hooks.cannot_ask
            plain = fitted(Response(outcome, response.reason), call, cannot_ask, environ)
        except Exception:  # noqa: BLE001 - every agent can be told no
            plain = Response(Outcome.DENIED, response.reason)
        if plain:
            self.answer, self.outcome = _written(call, plain), outcome
            self._on_verdict(self.answer)


def _answer(
    agent: Agent,
    event_name: str,
    stdin: bytes,
    environ: Mapping[str, str],
    cwd: str,
    fallback: Fallback,
) -> Answer:
    data = parse(stdin) if len(stdin) <= MOST_BYTES else None
    if data is None:
        neutral = neutral_answer(agent, BEFORE)
        neutral.fault = "no JSON object on stdin, or too large a one"
        return neutral
    event = find_event(data, agent, event_name)
    neutral = neutral_answer(agent, event.kind if event else BEFORE)
    if event is None and event_name and all(known.name != event_name for known in agent.events):
        words = f"{agent.name} {event_name}"
        fallback.later.append(partial(call_log.note_unknown, environ, words))
    call = read(data, agent, event, environ, cwd)
    if call is None:
        return neutral
    fallback.answer = neutral
    response = _response(call, environ, stdin, fallback)
    return _written(call, response) if response else neutral


def _written(call: HookCall, response: Response) -> Answer:
    reply = dialect_of(call.agent).write(call, response)
    if reply.document is None:
        return Answer(b"", reply.stderr.encode("utf-8", "replace") + b"\n", reply.status)
    return Answer(_ENCODER.encode(reply.document).encode() + b"\n")


def _response(
    call: HookCall, environ: Mapping[str, str], stdin: bytes, fallback: Fallback
) -> Response:
    refusal = getattr(dialect_of(call.agent), "refusal", None)
    if refusal and not call.files and (refused := refusal()):
        return fitted(refused, call, "deny", environ)
    note = partial(call_log.note_call, environ, call.agent.name, call.event.name)
    fallback.later.append(note)
    from laconic.settings.load import read_settings  # noqa: PLC0415 - some calls end before this

    settings = read_settings(environ, call.directory)
    if call.event.kind == AFTER:
        from laconic.hooks.output import replacement  # noqa: PLC0415 - off by default

        return replacement(call, settings, environ)

    if call.files:
        from laconic.hooks.file_tools import respond_to_files  # noqa: PLC0415 - as above

        response = respond_to_files(call, settings, environ, fallback.later)
    else:
        from laconic.hooks.respond import respond  # noqa: PLC0415 - as above

        tell = partial(fallback.keep, call, settings, environ)
        response = respond(call, settings, environ, stdin, tell, fallback.later)
    return fitted(response, call, settings.config.hooks.cannot_ask, environ)
