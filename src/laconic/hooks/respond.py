"""Judges and rewrites the commands of a call; the response is independent of the agent's format.

The gate judges what will run: the command as it came, and also the text that a rewrite of the
user's own makes of it. A fault in the rewrite leaves the command alone; the verdict stays.
"""

from __future__ import annotations

from functools import partial

from laconic import engine
from laconic.agents.load import BEFORE
from laconic.files import is_there
from laconic.hooks import call_log
from laconic.hooks.call import shells_of
from laconic.hooks.response import Response, can_replace, can_rewrite
from laconic.hooks.way_out import way_out
from laconic.knowledge.catalog import library
from laconic.permissions.read import asks_nothing, let_pass, read_allowed
from laconic.policy.contained import NEVER, UNDONE
from laconic.policy.facts import NOWHERE, scope
from laconic.rewrite.configured import options
from laconic.rewrite.plan import rewrite
from laconic.run.launcher import find_launcher, with_plain_name
from laconic.types import Decision, Verdict, strictest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from laconic.hooks.call import HookCall
    from laconic.hooks.contain import Contained
    from laconic.policy.permissions import Permission
    from laconic.rewrite.edits import Rewriting
    from laconic.settings.load import Settings

_LONGEST = 2000
_RANK = ("allow", None, "ask", "deny")


def respond(
    call: HookCall,
    settings: Settings,
    environ: Mapping[str, str],
    hook_json: bytes,
    on_verdict: Callable[[Response], None],
    later: list[Callable[[], object]],
) -> Response:
    """Return the strictest answer to the commands of a call, and what should run instead of them.

    on_verdict: called with every verdict before anything else is done that takes time or may fail.
    later: gets what can wait until the answer is on its way.
    """
    _finish_keeps(call, settings, environ)
    launcher = find_launcher(environ, login_shell=call.agent.login_shell)
    requests = [
        engine.Request(
            with_plain_name(text, launcher[1]),
            call.directory,
            environ,
            call.agent.name,
            hook_json,
            shells_of(call.agent, environ, call.input.get("shell")),
            call.mode,
        )
        for text in call.commands
    ]
    is_gated = settings.config.settings.gate != "off" and not settings.environment.disabled
    decisions: list[Decision | None] = [None for _ in requests]
    if is_gated:
        decisions = [_decide(request, call, settings, on_verdict) for request in requests]
    one_by_one = [
        _respond(text, request, decision, call, settings, launcher, later)
        for text, request, decision in zip(call.commands, requests, decisions, strict=True)
    ]
    strictest_one = max(one_by_one, key=lambda response: _RANK.index(response.answer))
    commands = tuple(
        response.commands[0] if response.commands else text
        for response, text in zip(one_by_one, call.commands, strict=True)
    )
    changed = commands if commands != call.commands else None
    response = Response(strictest_one.answer, strictest_one.reason, changed)
    response.way_out = strictest_one.way_out
    return response


def _finish_keeps(call: HookCall, settings: Settings, environ: Mapping[str, str]) -> None:
    """Look what the last line has changed, if a hook has kept files for it."""
    state_dir = settings.directories.state_dir
    if not is_there(f"{state_dir}/undo/of-hooks"):
        return
    from laconic.hooks.shell_writes import finish_keeps  # noqa: PLC0415 - after few lines

    try:
        finish_keeps(state_dir, call.directory)
    except Exception as fault:  # noqa: BLE001 - only an undo is the poorer for it
        call_log.note_fault(environ, call.agent.name, call_log.described(fault))


def _respond(
    command: str,
    request: engine.Request,
    decision: Decision | None,
    call: HookCall,
    settings: Settings,
    launcher: tuple[str, str],
    later: list[Callable[[], object]],
) -> Response:
    typed, typed_request = command, request
    if decision and settings.config.rules.stacks:
        request, decision = _by_catalogues(request, decision, call, settings)
        command = command if request is typed_request else request.command
    contained = None
    if decision and command == request.command and can_replace(call):
        contained = _contained(request, decision, call, settings)
    rewriting: Rewriting | None
    if contained:
        decision, rewriting = contained.decision, contained.rewriting
    else:
        rewriting = _rewriting(command, request, call, settings, launcher)
    response = Response()
    if decision:
        if rewriting and _has_users_rule(rewriting):
            made = request.with_command(with_plain_name(rewriting.text, launcher[1]))
            also = engine.decide_request(made, settings, use_exceptions=False)
            decision = strictest((decision, also), 0, decision.end)
        later.append(partial(record, typed_request, decision, settings))
        response = _response_for(decision, call, settings)
        if response.answer == "ask":
            response.way_out = way_out(decision, request, settings)
        if not contained and can_rewrite(response.answer, call):
            rewriting = _kept_first(request, decision, response, call, settings) or rewriting
        if rewriting and _is_left(decision, response, settings):
            rewriting = _without_claim(rewriting, request, call, settings)
    if contained and response.answer == "allow":
        contained.keep(request, settings)
    text = rewriting.text if rewriting else command
    if rewriting and response.answer == "allow" and call.agent.wraps and not contained:
        text = _wrapped(rewriting, call, settings, request, launcher)
    response.commands = (text,) if text != typed else None
    return response


def _contained(
    request: engine.Request,
    decision: Decision,
    call: HookCall,
    settings: Settings,
) -> Contained | None:
    """Contain what the command does; None if that is not needed, or not possible."""
    if settings.config.settings.gate != "enforce" or not _is_containable(decision, request):
        return None
    from laconic.hooks.contain import contained  # noqa: PLC0415 - most commands only read

    shell, login_shell = call.input.get("shell"), call.agent.login_shell
    try:
        made = contained(request, decision, settings, shell=shell, login_shell=login_shell)
    except Exception as fault:  # noqa: BLE001 - the decision stays as it is
        _note(fault, request)
        return None
    if made and _is_unwelcome(made.rewriting, request, call, settings):
        return None
    return made


def _is_containable(decision: Decision, request: engine.Request) -> bool:
    """Tell whether there may be something for the box or an undo; only a project has a box."""
    if not decision.effects or decision.effects & NEVER:
        return False
    return bool(decision.effects & UNDONE) or request.facts.project != NOWHERE


def _kept_first(
    request: engine.Request,
    decision: Decision,
    response: Response,
    call: HookCall,
    settings: Settings,
) -> Rewriting | None:
    """Have a line that is not allowed keep what it destroys right before it runs."""
    is_asked = response.answer == "ask" or (response.answer is None and call.mode == "open")
    is_off = settings.config.settings.gate != "enforce" or settings.is_isolated
    if not is_asked or is_off or not decision.effects & UNDONE:
        return None
    from laconic.hooks.asked import with_keep  # noqa: PLC0415 - most lines destroy nothing

    try:
        found = with_keep(request, decision, settings, login_shell=call.agent.login_shell)
    except Exception as fault:  # noqa: BLE001 - only an undo is the poorer for it
        _note(fault, request)
        return None
    return None if found and _is_unwelcome(found, request, call, settings) else found


def _by_catalogues(
    request: engine.Request, decision: Decision, call: HookCall, settings: Settings
) -> tuple[engine.Request, Decision]:
    """Let the catalogues speak that the user has named: the request, perhaps for another text.

    A text is replaced only where the agent can be told so in the answer.
    """
    from laconic.hooks.catalogues import apply_catalogues, with_advice  # noqa: PLC0415 - few have any

    try:
        said = apply_catalogues(request, settings)
        if said is None or not said.changed or said.verdict == "deny":
            return request, with_advice(decision, said) if said else decision
        made = request.with_command(said.command)
        also = engine.decide_request(made, settings, use_exceptions=False)
        strict = strictest((decision, also), 0, decision.end)
        answer = engine.answer(strict, settings)
        can_tell = "rewrite" in call.event.can and answer in call.agent.rewrite_with
        return (made, with_advice(strict, said)) if can_tell and answer else (request, decision)
    except Exception as fault:  # noqa: BLE001 - whatever happened, the answer is ask
        _note(fault, request)
        reason = f"your catalogues cannot be applied ({type(fault).__name__}: {fault})"
        asks = Decision(Verdict.ASK, "catalogues/fault", reason, firm=True)
        return request, strictest((decision, asks), 0, decision.end)


def _decide(
    request: engine.Request,
    call: HookCall,
    settings: Settings,
    on_verdict: Callable[[Response], None],
) -> Decision:
    # One command may raise two events; an exception for one run counts in the first.
    is_first = call.event.kind == BEFORE
    decision = engine.decide_request(request, settings, use_exceptions=is_first)
    on_verdict(_response_for(decision, call, settings))
    return decision


def _response_for(decision: Decision, call: HookCall, settings: Settings) -> Response:
    has_flow = call.agent.has_flow
    said = engine.answer(decision, settings, mode=call.mode, has_flow=has_flow)
    return Response(said, reason_line(decision))


def _is_left(decision: Decision, response: Response, settings: Settings) -> bool:
    """Tell whether the agent itself is to say if the command may run."""
    general = settings.config.settings
    is_advice = general.gate == "advise" and decision.verdict is Verdict.ALLOW
    return response.answer is None and not is_advice


def _without_claim(
    rewriting: Rewriting, request: engine.Request, call: HookCall, settings: Settings
) -> Rewriting | None:
    """The rewrite of a command that is left to the agent: none, if that asks or matches rules.

    It would look for its rules in the new text, and offer to remember that.
    """
    if call.mode == "open" or _has_users_rule(rewriting):
        return rewriting
    rules = _agents_rules(request, settings)
    root = scope(request.facts)
    if rules:
        passes = let_pass(rewriting.text, rules)
    else:
        passes = asks_nothing(call.agent, request.cwd, root, request.environ)
    return rewriting if passes else None


def record(request: engine.Request, decision: Decision, settings: Settings) -> None:
    try:
        engine.record(request, decision, settings)
    except Exception as fault:  # noqa: BLE001 - what is not written down still holds
        _note(fault, request)


def _note(fault: Exception, request: engine.Request) -> None:
    call_log.note_fault(request.environ, request.agent, call_log.described(fault))


def _has_users_rule(rewriting: Rewriting) -> bool:
    return any(note.action == "rule" for note in rewriting.notes)


def _rewriting(
    command: str,
    request: engine.Request,
    call: HookCall,
    settings: Settings,
    launcher: tuple[str, str],
) -> Rewriting | None:
    is_off = settings.environment.disabled or not settings.config.compact.enabled
    if is_off or not launcher[0] or "rewrite" not in call.event.can:
        return None
    try:
        made = options(settings)
        made.launcher, made.full_path = launcher
        made.directory = request.cwd
        rewriting = rewrite(command, made, library())
        return None if _is_unwelcome(rewriting, request, call, settings) else rewriting
    except Exception as fault:  # noqa: BLE001 - the command runs as typed, whatever happened
        _note(fault, request)
        return None


def _is_unwelcome(
    rewriting: Rewriting, request: engine.Request, call: HookCall, settings: Settings
) -> bool:
    """Tell whether the agent's own rules allow the command but would not allow the new text.

    Some agents apply the user's rules to what a hook makes of a command, and a hook's allow does
    not outweigh them: `git log*` is allowed there, `laconic run git log` is not.
    """
    is_own = rewriting.text == request.command or _has_users_rule(rewriting)
    if is_own or not call.agent.rules_see_rewrites:
        return False
    rules = _agents_rules(request, settings)
    return bool(rules) and let_pass(request.command, rules) and not let_pass(rewriting.text, rules)


def _agents_rules(request: engine.Request, settings: Settings) -> tuple[Permission, ...]:
    """Return the rules by which the agent itself lets commands pass."""
    root, state_dir = scope(request.facts), settings.directories.state_dir
    return read_allowed(request.agent, request.cwd, root, request.environ, state_dir)


def _wrapped(
    rewriting: Rewriting,
    call: HookCall,
    settings: Settings,
    request: engine.Request,
    launcher: tuple[str, str],
) -> str:
    """Wrap the whole command in the host's shell, if it means the same there and is allowed."""
    if _has_users_rule(rewriting):
        return rewriting.text
    from laconic.hooks.wrap import wrapped  # noqa: PLC0415 - for one agent

    text = wrapped(request.command, rewriting.notes, call, request.environ, launcher[0])
    if text is None:
        return rewriting.text
    made = request.with_command(with_plain_name(text, launcher[1]))
    decision = engine.decide_request(made, settings, use_exceptions=False)
    said = engine.answer(decision, settings, mode=call.mode)
    return text if said == "allow" else rewriting.text


def reason_line(decision: Decision) -> str:
    """Return the reason in one line, with the rule's id and what to do instead."""
    reason = f"laconic: {decision.reason} ({decision.rule})"
    if decision.instead:
        reason = f"{reason}; instead: {decision.instead}"
    if not reason.isprintable():
        reason = "".join(c if c.isprintable() else " " for c in reason)
    return reason[:_LONGEST]
