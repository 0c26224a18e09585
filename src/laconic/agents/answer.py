"""The answer of a hook, from bytes to bytes; whatever goes wrong, it is the neutral one.

Pure of the process around it (no environment, arguments or signals of its own), so that a server
can give answers, too.
"""

from __future__ import annotations

import contextlib
import json

from laconic.agents import seen
from laconic.agents.fit import fitted
from laconic.agents.load import AFTER, BEFORE, load
from laconic.agents.read import find_event, parse, read
from laconic.agents.values import Answer, Response
from laconic.surroundings import state_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.agents.load import Agent
    from laconic.agents.values import HookCall

MOST_BYTES = 16 << 20


def answer(
    agent_name: str, event: str, stdin: bytes, environ: Mapping[str, str], cwd: str
) -> Answer:
    """Answer a call of an agent's hook. Never raises."""
    try:
        agent = load(agent_name)
    except Exception as fault:  # noqa: BLE001 - a hook must not be in the way
        return Answer(fault=seen.described(fault))
    try:
        return _answer(agent, event, stdin, environ, cwd)
    except Exception as fault:  # noqa: BLE001 - as above
        with contextlib.suppress(Exception):
            seen.note_fault(state_directory(environ), agent.name, seen.described(fault))
        return Answer(_neutral(agent, BEFORE), fault=seen.described(fault))


def _answer(
    agent: Agent, event_name: str, stdin: bytes, environ: Mapping[str, str], cwd: str
) -> Answer:
    data = parse(stdin) if len(stdin) <= MOST_BYTES else None
    if data is None:
        return Answer(_neutral(agent, BEFORE), fault="no JSON object on stdin, or too large a one")
    event = find_event(data, agent, event_name)
    neutral = Answer(_neutral(agent, event.kind if event else BEFORE))
    call = read(data, agent, event_name, environ, cwd)
    if call is None:
        return neutral
    response = _response(call, environ, stdin)
    if not response:
        return neutral
    reply = agent.dialect.write(call, response)
    if reply.document is None:
        return Answer(b"", reply.stderr.encode("utf-8", "replace") + b"\n", reply.status)
    return Answer(json.dumps(reply.document, allow_nan=False).encode() + b"\n")


def _response(call: HookCall, environ: Mapping[str, str], stdin: bytes) -> Response:
    refusal = getattr(call.agent.dialect, "refusal", None)
    if refusal and (refused := refusal()):
        return fitted(refused, call, "deny", environ)
    seen.note_call(state_directory(environ), call.agent.name, call.event.name)
    from pathlib import Path  # noqa: PLC0415 - most calls end before this

    from laconic.settings import read_settings  # noqa: PLC0415 - as above

    settings = read_settings(environ, Path(call.directory))
    if call.event.kind == AFTER:
        from laconic.agents.output import replacement  # noqa: PLC0415 - off by default

        return replacement(call, settings)
    from laconic.agents.respond import respond  # noqa: PLC0415 - as above

    response = respond(call, settings, environ, stdin)
    return fitted(response, call, settings.config.hooks.cannot_ask, environ)


def _neutral(agent: Agent, kind: str) -> bytes:
    text = agent.neutral_for(kind)
    return f"{text}\n".encode() if text else b""
