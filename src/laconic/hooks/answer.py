"""Answers a hook: bytes in, bytes out. After a fault the answer is the neutral one.

Once it is known that a command must not run unasked, a fault does not undo that. Nothing here uses
the environment, arguments or signals of this process, so that the server can answer as well.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from laconic.agents.load import AFTER, BEFORE, SESSION, Agent, Event, load
from laconic.files import is_there
from laconic.hooks import call_log
from laconic.hooks.call import HookCall, dialect_of, find_event, parse, read
from laconic.hooks.response import (
    Answer,
    Response,
    denial,
    fitted,
    neutral_answer,
    written,
)
from laconic.record import kept
from laconic.settings.environ import state_directory
from laconic.settings.managed import PATH
from laconic.types import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.settings.load import Settings

MOST_BYTES = 16 << 20
# What a model is told when a session begins, if `[hooks] introduce` asks for it: 55 tokens.
INTRODUCTION = (
    "laconic shortens what shell commands print. A last line such as"
    " `[412/430 lines hidden: laconic recall ID]` is its own: more is there, and"
    " `laconic recall ID --grep WORD` prints what you need of it."
)
ESCALATE_DENY = "--escalate-deny"


def read_words(words: Sequence[str]) -> tuple[str, str, bool]:
    """The agent, the event, and whether denials become questions: `AGENT [EVENT]`."""
    plain = [word for word in words if word != ESCALATE_DENY]
    agent, event, *_ = (*plain, "", "")
    return agent, event, len(plain) < len(words)


def answer(
    agent_name: str,
    event: str,
    stdin: bytes,
    environ: Mapping[str, str],
    cwd: str,
    on_verdict: Callable[[Answer], None] = lambda _: None,
    *,
    escalates: bool = False,
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
    fallback = Fallback(agent, on_verdict)
    try:
        given = _answer(agent, event, stdin, environ, cwd, fallback, escalates)
    except Exception as fault:  # noqa: BLE001 - as above
        given, text = fallback.answer, call_log.described(fault)
        given.fault, given.retry_cold = text, fallback.outcome is Outcome.LEFT
        note = partial(call_log.note_fault, environ, agent.name, text)
        fallback.later.append(note)
    given.later = fallback.later
    return given


def answer_to_failure(agent: Agent, event: Event | None = None) -> Answer:
    """Return what to say where nothing is known: nothing, or what the machine's policy wants."""
    if not is_there(PATH):
        return neutral_answer(agent, event.kind if event else BEFORE)
    from laconic.hooks import failed  # noqa: PLC0415 - few machines have a policy

    return failed.answer_to_failure(agent, event)


class Fallback:
    """The answer in case of a fault: what a failure is answered, until a verdict is ask or deny.

    event: of the agent, once it is known.
    """

    __slots__ = ("_agent", "_known", "_on_verdict", "event", "later", "outcome")

    def __init__(self, agent: Agent, on_verdict: Callable[[Answer], None]) -> None:
        self._agent, self._on_verdict, self.outcome = agent, on_verdict, Outcome.LEFT
        self.event: Event | None = None
        self._known: Answer | None = None
        self.later: list[Callable[[], object]] = []

    @property
    def answer(self) -> Answer:
        return self._known or answer_to_failure(self._agent, self.event)

    def keep(
        self, call: HookCall, settings: Settings, environ: Mapping[str, str], response: Response
    ) -> None:
        """Keep the strictest verdict in the agent's words, in case something fails later."""
        outcome = response.outcome
        if outcome <= self.outcome:
            return
        try:
            cannot_ask = settings.config.hooks.cannot_ask
            said = Response(outcome, response.reason, instead=response.instead)
            plain = fitted(said, call, cannot_ask, environ)
        except Exception:  # noqa: BLE001 - every agent can be told no
            plain = Response(Outcome.DENIED, denial(response))
        if plain:
            self._known, self.outcome = written(call, plain), outcome
            self._on_verdict(self._known)


def _answer(
    agent: Agent,
    event_name: str,
    stdin: bytes,
    environ: Mapping[str, str],
    cwd: str,
    fallback: Fallback,
    escalates: bool,
) -> Answer:
    data = parse(stdin) if len(stdin) <= MOST_BYTES else None
    if data is None:
        unread = fallback.answer
        unread.fault = "no JSON object on stdin, or too large a one"
        return unread
    event = find_event(data, agent, event_name)
    neutral = neutral_answer(agent, event.kind if event else BEFORE)
    if event is not None and event.kind == SESSION:
        return Answer(f"{INTRODUCTION}\n".encode())
    if event is None and event_name and all(known.name != event_name for known in agent.events):
        words = f"{agent.name} {event_name}"
        fallback.later.append(partial(call_log.note_unknown, environ, words))
    call = read(data, agent, event, environ, cwd)
    if call is None:
        return neutral
    fallback.event = event
    response = _response(call, environ, stdin, fallback, escalates)
    return written(call, response) if response else neutral


def _collect(environ: Mapping[str, str]) -> None:
    """Bring in what earlier commands have kept in a sandbox."""
    state_dir = state_directory(environ)
    if kept.known(environ, state_dir):
        from laconic.record.collect import collect  # noqa: PLC0415 - few run commands in one

        collect(state_dir, environ)


def _note_unchecked(call: HookCall, settings: Settings) -> None:
    """Leave a line for each command that LACONIC_DISABLED lets run, or one for another tool's."""
    from laconic.record.decisions import append_unchecked  # noqa: PLC0415 - the answer comes first

    for command in call.commands or (call.tool,):
        append_unchecked(
            settings.directories.state_dir,
            "gate/disabled",
            "LACONIC_DISABLED is set",
            agent=call.agent.name,
            now=time.time(),
            command=command,
            cwd=call.directory,
            about={**call.ids, "mode": call.agents_mode},
        )


def _response(
    call: HookCall,
    environ: Mapping[str, str],
    stdin: bytes,
    fallback: Fallback,
    escalates: bool,
) -> Response:
    refusal = getattr(dialect_of(call.agent), "refusal", None)
    if refusal and not call.files and (refused := refusal()):
        return fitted(refused, call, "deny", environ)
    if sys.platform == "win32":  # where commands are for PowerShell, or for paths of Windows
        return Response()
    note = partial(call_log.note_call, environ, call.agent.name, call.event.name)
    fallback.later += (note, partial(_collect, environ))
    from laconic.settings.load import read_settings  # noqa: PLC0415 - some calls end before this

    settings = read_settings(environ, call.directory)
    is_required = settings.managed and "settings.escalate_deny" in settings.managed.locked
    if escalates and not is_required:
        general = settings.config.settings.but(escalate_deny=True)
        settings = settings.with_config(settings.config.but(settings=general))
    if settings.environment.disabled and call.event.kind == BEFORE:
        fallback.later.append(partial(_note_unchecked, call, settings))
    if call.event.kind == AFTER:
        from laconic.hooks.output import replacement  # noqa: PLC0415 - off by default

        return replacement(call, settings, environ)

    if call.files:
        from laconic.hooks.file_calls import respond_to_files  # noqa: PLC0415 - as above

        response = respond_to_files(call, settings, environ, fallback.later)
    else:
        from laconic.hooks.respond import respond  # noqa: PLC0415 - as above

        tell = partial(fallback.keep, call, settings, environ)
        response = respond(call, settings, environ, stdin, tell, fallback.later)
    return fitted(response, call, settings.config.hooks.cannot_ask, environ)
