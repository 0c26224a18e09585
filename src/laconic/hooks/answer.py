"""The answer of a hook, from bytes to bytes; whatever goes wrong, it is the neutral one.

But once it is known that a command must not run unasked, a fault does not undo that. Pure of the
process around it (no environment, arguments or signals of its own), so that a server can give
answers, too.
"""

from __future__ import annotations

import json
from functools import partial

from laconic.hooks import call_log as seen
from laconic.hooks.capabilities import fitted
from laconic.hooks.load import AFTER, BEFORE, load
from laconic.hooks.read import find_event, parse, read
from laconic.hooks.values import Answer, Response
from laconic.settings.environ import state_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from laconic.hooks.load import Agent
    from laconic.hooks.values import HookCall

MOST_BYTES = 16 << 20
_ENCODER = json.JSONEncoder(allow_nan=False)


def answer(
    agent_name: str,
    event: str,
    stdin: bytes,
    environ: Mapping[str, str],
    cwd: str,
    known: Callable[[Answer], None] = lambda _: None,
) -> Answer:
    """Answer a call of an agent's hook. Never raises.

    known: is told what to say if time runs out, as soon as that is more than nothing.
    """
    try:
        agent = load(agent_name)
    except Exception as fault:  # noqa: BLE001 - a hook must not be in the way
        return Answer(fault=seen.described(fault))
    held = _Held(Answer(_neutral(agent, BEFORE)), known)
    try:
        given = _answer(agent, event, stdin, environ, cwd, held)
    except Exception as fault:  # noqa: BLE001 - as above
        given, said = held.answer, seen.described(fault)
        given.fault, given.is_lost = said, not held.verdict
        held.later.append(partial(seen.note_fault, state_directory(environ), agent.name, said))
    given.later = held.later
    return given


class _Held:
    """The answer in case of a fault: nothing, until a verdict is ask or deny."""

    __slots__ = ("_known", "answer", "later", "verdict")

    def __init__(self, neutral: Answer, known: Callable[[Answer], None]) -> None:
        self.answer, self._known, self.verdict = neutral, known, ""
        self.later: list[Callable[[], object]] = []

    def hold(self, call: HookCall, verdict: Response, fit: Callable[[Response], Response]) -> None:
        """Keep the strictest verdict, in the agent's words; a rewrite may be at fault later on."""
        said = verdict.answer
        if said not in ("ask", "deny") or self.verdict in ("deny", said):
            return
        try:
            plain = fit(Response(said, verdict.reason))
        except Exception:  # noqa: BLE001 - every agent can be told no
            plain = Response("deny", verdict.reason)
        if plain:
            self.answer, self.verdict = _written(call, plain), said
            self._known(self.answer)


def _answer(
    agent: Agent,
    event_name: str,
    stdin: bytes,
    environ: Mapping[str, str],
    cwd: str,
    held: _Held,
) -> Answer:
    data = parse(stdin) if len(stdin) <= MOST_BYTES else None
    if data is None:
        return Answer(_neutral(agent, BEFORE), fault="no JSON object on stdin, or too large a one")
    event = find_event(data, agent, event_name)
    neutral = Answer(_neutral(agent, event.kind if event else BEFORE))
    call = read(data, agent, event, environ, cwd)
    if call is None:
        return neutral
    held.answer = neutral
    response = _response(call, environ, stdin, held)
    return _written(call, response) if response else neutral


def _written(call: HookCall, response: Response) -> Answer:
    reply = call.agent.dialect.write(call, response)
    if reply.document is None:
        return Answer(b"", reply.stderr.encode("utf-8", "replace") + b"\n", reply.status)
    return Answer(_ENCODER.encode(reply.document).encode() + b"\n")


def _response(call: HookCall, environ: Mapping[str, str], stdin: bytes, held: _Held) -> Response:
    refusal = getattr(call.agent.dialect, "refusal", None)
    if refusal and (refused := refusal()):
        return fitted(refused, call, "deny", environ)
    note = partial(seen.note_call, state_directory(environ), call.agent.name, call.event.name)
    held.later.append(note)
    from laconic.settings.load import read_settings  # noqa: PLC0415 - some calls end before this

    settings = read_settings(environ, call.directory)
    if call.event.kind == AFTER:
        from laconic.hooks.output import replacement  # noqa: PLC0415 - off by default

        return replacement(call, settings, environ)
    from laconic.hooks.respond import respond  # noqa: PLC0415 - as above

    def fit(response: Response) -> Response:
        return fitted(response, call, settings.config.hooks.cannot_ask, environ)

    def hold(verdict: Response) -> None:
        held.hold(call, verdict, fit)

    response = respond(call, settings, environ, stdin, hold, held.later)
    hold(response)
    return fit(response)


def _neutral(agent: Agent, kind: str) -> bytes:
    text = agent.neutral_for(kind)
    return f"{text}\n".encode() if text else b""
