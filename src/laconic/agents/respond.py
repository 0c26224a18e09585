"""Gate and rewrite for a call of a hook: what laconic says to it, in no agent's words.

The gate judges what will run: the command as it came, and also the text that a rewrite of the
user's own makes of it. A fault in the rewrite leaves the command alone; the verdict stays.
"""

from __future__ import annotations

from laconic import engine
from laconic.agents import seen
from laconic.agents.launcher import find_launcher, with_plain_name
from laconic.agents.load import BEFORE
from laconic.agents.values import Response
from laconic.agents.wrap import wrapped
from laconic.catalog import library
from laconic.rewrite.plan import rewrite
from laconic.rewriting import options
from laconic.surroundings import state_directory
from laconic.types import strictest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.agents.values import HookCall
    from laconic.rewrite.plan import Rewriting
    from laconic.settings import Settings
    from laconic.types import Decision

_LONGEST = 2000
_RANK = ("allow", None, "ask", "deny")


def respond(
    call: HookCall, settings: Settings, environ: Mapping[str, str], hook_json: bytes
) -> Response:
    """Give the strictest answer to the commands of a call, and what should run instead of them."""
    one_by_one = [_respond(text, call, settings, environ, hook_json) for text in call.commands]
    strictest_one = max(one_by_one, key=lambda response: _RANK.index(response.answer))
    commands = tuple(
        response.commands[0] if response.commands else text
        for response, text in zip(one_by_one, call.commands, strict=True)
    )
    changed = commands if commands != call.commands else None
    return Response(strictest_one.answer, strictest_one.reason, changed)


def _respond(
    command: str,
    call: HookCall,
    settings: Settings,
    environ: Mapping[str, str],
    hook_json: bytes,
) -> Response:
    launcher = find_launcher(environ, login_shell=call.agent.login_shell)
    rewriting = _rewriting(command, call, settings, environ, launcher)
    request = engine.Request(
        with_plain_name(command, launcher), call.directory, environ, call.agent.name, hook_json
    )
    answer, reason = None, ""
    if settings.config.settings.gate != "off" and not settings.environment.disabled:
        decision = _decide(request, rewriting, settings, launcher, call.event.kind)
        answer, reason = engine.answer(decision, settings), told(decision)
        engine.record(request, decision, settings)
    text = rewriting.text if rewriting else command
    if rewriting and answer == "allow" and call.agent.wraps and not _has_users_rule(rewriting):
        text = _wrapped(rewriting, call, settings, request, launcher)
    return Response(answer, reason, (text,) if text != command else None)


def _decide(
    request: engine.Request,
    rewriting: Rewriting | None,
    settings: Settings,
    launcher: str,
    kind: str,
) -> Decision:
    # One command may raise two events; an exception for one run counts in the first.
    decision = engine.decide(request, settings, use_exceptions=kind == BEFORE).decision
    if rewriting and _has_users_rule(rewriting):
        made = request._replace(command=with_plain_name(rewriting.text, launcher))
        also = engine.decide(made, settings, use_exceptions=False).decision
        decision = strictest((decision, also), 0, decision.end)
    return decision


def _has_users_rule(rewriting: Rewriting) -> bool:
    return any(note.action == "rule" for note in rewriting.notes)


def _rewriting(
    command: str,
    call: HookCall,
    settings: Settings,
    environ: Mapping[str, str],
    launcher: str,
) -> Rewriting | None:
    is_off = settings.environment.disabled or not settings.config.compact.enabled
    if is_off or not launcher or "rewrite" not in call.event.can:
        return None
    try:
        made = options(settings, call.directory)
        made.launcher = launcher
        return rewrite(command, made, library())
    except Exception as fault:  # noqa: BLE001 - the command runs as typed, whatever happened
        seen.note_fault(state_directory(environ), call.agent.name, seen.described(fault))
        return None


def _wrapped(
    rewriting: Rewriting, call: HookCall, settings: Settings, request: engine.Request, launcher: str
) -> str:
    """Wrap the whole command in the host's shell, if it means the same there and is allowed."""
    text = wrapped(request.command, rewriting.notes, call, request.environ, launcher)
    if text is None:
        return rewriting.text
    made = request._replace(command=with_plain_name(text, launcher))
    decision = engine.decide(made, settings, use_exceptions=False).decision
    return text if engine.answer(decision, settings) == "allow" else rewriting.text


def told(decision: Decision) -> str:
    """The reason for people and models: one line, with the rule's id and the way out."""
    reason = f"laconic: {decision.reason} ({decision.rule})"
    if decision.instead:
        reason = f"{reason}; instead: {decision.instead}"
    return "".join(c if c.isprintable() else " " for c in reason)[:_LONGEST]
