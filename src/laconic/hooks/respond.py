"""Judges and rewrites the commands of a call; the response is independent of the agent's format.

Each text of the agent's becomes a Proposal, which goes through the STEPS. What will run is judged:
the text as it came, what a catalogue puts in its place, and what a rewrite rule of the user's own
makes of it. A fault in a rewrite leaves the command alone; the verdict stays.
"""

from __future__ import annotations

import contextlib
from functools import partial
from operator import attrgetter

from laconic import engine
from laconic.agents.load import BEFORE
from laconic.errors import FileError, LaconicError
from laconic.files import is_there
from laconic.hooks import call_log
from laconic.hooks.call import shells_of
from laconic.hooks.response import Response, can_replace, can_rewrite, fitted, sentence
from laconic.hooks.way_out import ALWAYS, has_several, way_out
from laconic.knowledge.catalog import library
from laconic.permissions.read import asks_nothing, let_pass, mentions, read_allowed
from laconic.policy.contained import NEVER, UNDONE
from laconic.reading.facts import NOWHERE, scope
from laconic.record.kept import is_writable
from laconic.rewrite.edits import Rewriting
from laconic.rewrite.from_config import options
from laconic.rewrite.plan import rewrite
from laconic.run.launcher import NAME, find_launcher, with_plain_name
from laconic.types import Decision, Effect, Outcome, Value, Verdict, strictest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from laconic.contain import ContainedLine
    from laconic.engine import Request
    from laconic.hooks.call import HookCall
    from laconic.permissions.sandbox import Sandbox
    from laconic.policy.permissions import Permission
    from laconic.settings.load import Settings

# What is in its sandbox has these: https://github.com/openai/codex/blob/main/codex-rs/core/src/spawn.rs
_OF_CODEX = frozenset(("CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"))
# What happens to files alone.
_TO_FILES = UNDONE | Effect.OUTSIDE_WRITE | Effect.GUARDED_WRITE
_NOT_JUDGED = Decision(Verdict.ASK, "gate/off", "the gate is off")


class Hook:
    """A call, with what answers it.

    outcome: of a decision, for this agent. launcher: what find_launcher returns. tell: called with
    every verdict before anything else is done that takes time or may fail. later: gets what can
    wait until the answer is on its way.
    """

    __slots__ = (
        "_outcome", "_sandbox", "call", "later", "launcher", "leaves_sandbox", "settings", "tell",
    )  # fmt: skip

    def __init__(
        self,
        call: HookCall,
        settings: Settings,
        launcher: tuple[str, str],
        tell: Callable[[Response], None],
        later: list[Callable[[], object]],
    ) -> None:
        self.call, self.settings, self.launcher = call, settings, launcher
        self.tell, self.later = tell, later
        has_flow = call.agent.has_flow
        self._outcome = partial(
            engine.outcome, settings=settings, mode=call.mode, has_flow=has_flow
        )
        self.leaves_sandbox = any(map(call.input.get, call.agent.sandbox.get("leaves", ())))
        self._sandbox: tuple[Sandbox | None, ...] = ()

    def outcome(self, decision: Decision) -> Outcome:
        """What comes of a decision; who wants to leave the agent's sandbox is never let go."""
        found = self._outcome(decision)
        return Outcome.LEFT if found is Outcome.ALLOWED and self.leaves_sandbox else found

    def sandbox_of(self, request: engine.Request) -> Sandbox | None:
        """The agent's own sandbox in which a command will run; None if none is known."""
        if self.leaves_sandbox or not self.call.agent.sandbox:
            return None
        if not self._sandbox:
            self._sandbox = (self._find_sandbox(request),)
        return self._sandbox[0]

    def _find_sandbox(self, request: engine.Request) -> Sandbox | None:
        agent, root = self.call.agent, scope(request.facts)
        word = agent.sandbox.get("settings", {}).get("table")
        with contextlib.suppress(FileError):  # one that cannot be read says nothing; others may
            if word and not mentions(
                word, agent.name, request.cwd, root, request.environ, request.facts.exists
            ):
                return None
        from laconic.permissions.sandbox import sandbox_of  # noqa: PLC0415 - few have one

        return sandbox_of(agent, self.call.data, request.cwd, root, request.environ)

    def is_confined(self, request: engine.Request) -> bool:
        """Tell whether there is no box where a command will run, and nothing can be kept there.

        Some agents (Gemini CLI) run as a whole in a sandbox, and this hook with them. So does one
        that Codex has started, perhaps with a state directory that may be written: what a trial
        outside has found about the box does not hold there.
        """
        if self.sandbox_of(request) is not None or not _OF_CODEX.isdisjoint(request.environ):
            return True
        return not is_writable(self.settings.directories.state_dir)

    def is_run_by_itself(self, request: engine.Request) -> bool:
        """Tell whether the agent asks nobody about what is left to it."""
        sandbox = self.sandbox_of(request)
        return self.call.mode == "open" or (sandbox is not None and sandbox.runs_by_itself)

    def runs_outside(self, request: engine.Request) -> bool:
        """Tell whether the user excludes a command from the agent's sandbox."""
        sandbox = self.sandbox_of(request)
        return sandbox is not None and sandbox.may_exclude(request.command)


class Proposal(Value):
    """What is to run in place of a text of the agent's, and what the agent is told about it.

    typed: the request as it came. request: the one that is judged; its text is another one if a
    catalogue says so. source: the same text, perhaps with our program by its path, as the agent
    wrote it. decision: on that request, and on what a rule of the user's makes of it. response:
    what follows from the decision. rewriting: what becomes of the source, None for nothing.
    contained: how a box or an undo makes it harmless.
    """

    def __init__(self, source: str, request: engine.Request) -> None:
        self.source, self.typed, self.request = source, request, request
        self.decision, self.response = _NOT_JUDGED, Response()
        self.rewriting: Rewriting | None = None
        self.contained: ContainedLine | None = None

    @property
    def text(self) -> str:
        """What would run."""
        return self.rewriting.text if self.rewriting else self.source

    def decided(self, decision: Decision, hook: Hook) -> Proposal:
        """Return the same with another decision, and tell what follows from it."""
        why = sentence(decision, self.request.command, self.request.facts.home)
        outcome = hook.outcome(decision)
        if outcome is Outcome.LEFT and hook.call.agent.passes_ours and NAME in self.typed.command:
            outcome = Outcome.ASKED  # the agent's rule for our own text would let it run
        response = Response(outcome, why, instead=decision.instead)
        hook.tell(response)
        return self.but(decision=decision, response=response)


def respond(
    call: HookCall,
    settings: Settings,
    environ: Mapping[str, str],
    hook_json: bytes,
    tell: Callable[[Response], None],
    later: list[Callable[[], object]],
) -> Response:
    """Return the strictest answer to the commands of a call, and what should run instead of them.

    tell, later: see Hook.
    """
    _finish_keeps(call, settings, environ)
    launcher = find_launcher(environ, login_shell=call.agent.login_shell)
    hook = Hook(call, settings, launcher, tell, later)
    shells = shells_of(call.agent, environ, call.input.get("shell"))
    known = call.directory, environ, call.agent.name, hook_json, shells, call.mode
    proposals = [
        Proposal(text, engine.Request(with_plain_name(text, launcher[1]), *known))
        for text in call.commands
    ]
    is_gated = settings.config.settings.gate != "off" and not settings.environment.disabled
    for step in STEPS if is_gated else (rewritten,):
        proposals = [step(proposal, hook) for proposal in proposals]
    commands = tuple([proposal.text for proposal in proposals])
    said = max(proposals, key=attrgetter("response.outcome")).response
    said.commands = commands if commands != call.commands else None
    return said


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


# -- the steps -------------------------------------------------------------------------------------


def judged(proposal: Proposal, hook: Hook) -> Proposal:
    """Judge the text as it came.

    One command may raise two events; an allowance for one run counts in the first.
    """
    is_first = hook.call.event.kind == BEFORE
    decision = engine.decide_request(proposal.request, hook.settings, use_allowances=is_first)
    engine.remember_fetched(proposal.request, decision, hook.settings)
    return proposal.decided(decision, hook)


def by_catalogues(proposal: Proposal, hook: Hook) -> Proposal:
    """Let the catalogues speak that the user has named; the text that they want is judged, too.

    A text is replaced only where the agent can be told so in the answer.
    """
    if not hook.settings.config.rules.stacks:
        return proposal
    from laconic.hooks.catalogues import apply_catalogues, with_advice  # noqa: PLC0415 - few have any

    decision = proposal.decision
    try:
        said = apply_catalogues(proposal.request, hook.settings)
        if said is None:
            return proposal
        if not said.changed or said.outcome is Outcome.DENIED:
            return proposal.decided(with_advice(decision, said), hook)
        made, also = _judge_also(said.command, proposal, hook)
        strict = strictest((decision, also), 0, decision.end)
        outcome = hook.outcome(strict)
        can_tell = can_rewrite(outcome, hook.call.agent, hook.call.event)
        if outcome is Outcome.LEFT or not can_tell:
            return proposal
        replaced = proposal.but(request=made, source=made.command)
        return replaced.decided(with_advice(strict, said), hook)
    except Exception as fault:  # noqa: BLE001 - whatever happened, the answer is ask
        _note(fault, proposal.request)
        reason = f"your catalogues cannot be applied ({type(fault).__name__}: {fault})"
        asks = Decision(Verdict.ASK, call_log.OF_CATALOGUES, reason, firm=True)
        return proposal.decided(strictest((decision, asks), 0, decision.end), hook)


def contained(proposal: Proposal, hook: Hook) -> Proposal:
    """Have a box or an undo make harmless what was judged, so that it need not be asked about.

    In the agent's own sandbox there is no box, and only the hook can keep what an undo needs.
    """
    call, request = hook.call, proposal.request
    is_enforced = hook.settings.config.settings.gate == "enforce"
    is_replaced = proposal.source == request.command and can_replace(call.agent, call.event)
    if not (is_enforced and is_replaced and _is_containable(proposal.decision, request)):
        return proposal
    from laconic import contain  # noqa: PLC0415 - most commands only read

    shell, login_shell = call.input.get("shell"), call.agent.login_shell
    in_sandbox = hook.is_confined(request)
    try:
        made = contain.contained(
            request,
            proposal.decision,
            hook.settings,
            shell=shell,
            login_shell=login_shell,
            in_sandbox=in_sandbox,
        )
    except Exception as fault:  # noqa: BLE001 - the decision stays as it is
        _note(fault, request)
        return proposal
    if made is None:
        return proposal
    if made.decision.verdict is Verdict.ASK:
        return proposal.decided(made.decision, hook)
    if _breaks_agent_rule(made.rewriting, request, hook):
        return proposal
    if made.must_be_kept and not _kept(made, request, hook.settings):
        return proposal
    rewriting = None if hook.runs_outside(request) else made.rewriting
    return proposal.but(contained=made, rewriting=rewriting).decided(made.decision, hook)


def rewritten(proposal: Proposal, hook: Hook) -> Proposal:
    """Have the output compacted, and apply the user's own rewrite rules."""
    settings = hook.settings
    is_off = settings.environment.disabled or not settings.config.compact.enabled
    if proposal.contained or is_off or not hook.launcher[0] or "rewrite" not in hook.call.event.can:
        return proposal
    try:
        made = options(settings)
        made.launcher, made.full_path = hook.launcher
        made.directory = proposal.request.cwd
        rewriting = rewrite(proposal.source, made, library())
        # While it plans, Claude Code has a rewritten command checked, whatever a hook says of it.
        is_planned = hook.call.mode == "plan" and not _has_users_rule(rewriting)
        if (
            is_planned
            or _breaks_agent_rule(rewriting, proposal.request, hook)
            or (rewriting.text != proposal.source and hook.runs_outside(proposal.request))
        ):
            return proposal
        return proposal.but(rewriting=rewriting)
    except Exception as fault:  # noqa: BLE001 - the command runs as typed, whatever happened
        _note(fault, proposal.request)
        return proposal


def users_text_judged(proposal: Proposal, hook: Hook) -> Proposal:
    """Judge also what a rewrite rule of the user's own has made."""
    if not (proposal.rewriting and _has_users_rule(proposal.rewriting)):
        return proposal
    decision = proposal.decision
    _, also = _judge_also(proposal.text, proposal, hook)
    return proposal.decided(strictest((decision, also), 0, decision.end), hook)


def answered(proposal: Proposal, hook: Hook) -> Proposal:
    """Take the decision as final: write it down, and find out how a person allows the command."""
    decision, response, settings = proposal.decision, proposal.response, hook.settings
    hook.later.append(partial(record, hook.call, proposal.typed, decision, settings, response))
    if response.outcome is not Outcome.ASKED:
        return proposal
    try:
        response.way_out = way_out(decision, proposal.request, settings)
        is_rule = response.way_out.startswith(ALWAYS)
        response.is_seldom = not is_rule and has_several(proposal.request.command)
    except Exception as fault:  # noqa: BLE001 - the question stays without it
        _note(fault, proposal.request)
    return proposal


def kept_first(proposal: Proposal, hook: Hook) -> Proposal:
    """Have kept what is destroyed: now if it is allowed, else by the line right before it runs."""
    outcome, decision = proposal.response.outcome, proposal.decision
    request, settings = proposal.request, hook.settings
    if proposal.contained:
        if outcome is Outcome.ALLOWED:
            _kept(proposal.contained, request, settings)
        return proposal
    call, is_on = hook.call, settings.config.settings.gate == "enforce" and not settings.is_isolated
    if not (is_on and decision.effects & UNDONE):
        return proposal
    if outcome not in (Outcome.ASKED, Outcome.LEFT) or call.event.kind != BEFORE:
        return proposal
    from laconic.hooks.keep_first import keep_now, with_keep  # noqa: PLC0415 - most destroy nothing

    is_carried = outcome is Outcome.ASKED or hook.is_run_by_itself(request)
    is_carried = is_carried and can_rewrite(outcome, call.agent, call.event)
    try:
        if hook.is_confined(request) or not is_carried:
            if keep_now(request, decision, settings):
                proposal.response.undoing = _undoing(decision)
            return proposal
        made = with_keep(request, decision, settings, login_shell=call.agent.login_shell)
    except Exception as fault:  # noqa: BLE001 - only an undo is the poorer for it
        _note(fault, request)
        return proposal
    if made is None or _breaks_agent_rule(made, request, hook):
        return proposal
    proposal.response.undoing = _undoing(decision)
    return proposal.but(rewriting=made)


def _undoing(decision: Decision) -> str:
    """Say what an undo can do: it does not bring back what has left the machine."""
    return "take back what it does to files" if decision.effects & ~_TO_FILES else "take it back"


def unclaimed(proposal: Proposal, hook: Hook) -> Proposal:
    """Drop the rewrite of a command that is left to the agent, if that asks or matches rules.

    It would look for its rules in the new text, and offer to remember that. Whoever is asked reads
    the command as it was typed, unless it carries what an undo needs.
    """
    rewriting, request, agent = proposal.rewriting, proposal.request, hook.call.agent
    if rewriting is not None and proposal.response.outcome is Outcome.ASKED:
        is_needed = proposal.response.undoing or agent.shows_typed or _has_users_rule(rewriting)
        return proposal if is_needed else proposal.but(rewriting=None)
    is_advice = (
        hook.settings.config.settings.gate == "advise"
        and proposal.decision.verdict is Verdict.ALLOW
    )
    if rewriting is None or proposal.response.outcome is not Outcome.LEFT or is_advice:
        return proposal
    if _has_users_rule(rewriting) or hook.is_run_by_itself(request):
        return proposal
    rules = _agents_rules(request, hook.settings)
    if rules:
        passes = let_pass(rewriting.text, rules)
    else:
        root = scope(request.facts)
        passes = asks_nothing(hook.call.agent, request.cwd, root, request.environ)
    return proposal if passes else proposal.but(rewriting=None)


def wrapped(proposal: Proposal, hook: Hook) -> Proposal:
    """Wrap the whole command in the host's shell, if it means the same there and is allowed."""
    call, rewriting, request = hook.call, proposal.rewriting, proposal.request
    is_allowed = proposal.response.outcome is Outcome.ALLOWED
    if not (call.agent.wraps and rewriting and is_allowed) or proposal.contained:
        return proposal
    if _has_users_rule(rewriting):
        return proposal
    from laconic.hooks import wrap  # noqa: PLC0415 - for one agent

    notes, launcher = rewriting.notes, hook.launcher[0]
    text = wrap.wrapped(request.command, notes, call, request.environ, launcher)
    if text is None:
        return proposal
    _, decision = _judge_also(text, proposal, hook)
    said = engine.outcome(decision, hook.settings, mode=call.mode)
    if said is not Outcome.ALLOWED:
        return proposal
    return proposal.but(rewriting=Rewriting(text, (), notes))


STEPS = (
    judged, by_catalogues, contained, rewritten, users_text_judged, answered, kept_first, unclaimed,
    wrapped,
)  # fmt: skip


# -- what they need --------------------------------------------------------------------------------


def _judge_also(text: str, proposal: Proposal, hook: Hook) -> tuple[engine.Request, Decision]:
    """Judge another text, which nobody has typed: no allowance is used up for it."""
    made = proposal.request.with_command(with_plain_name(text, hook.launcher[1]))
    return made, engine.decide_request(made, hook.settings, use_allowances=False)


def _is_containable(decision: Decision, request: engine.Request) -> bool:
    """Tell whether there may be something for the box or an undo; only a project has a box."""
    if not decision.effects or decision.effects & NEVER:
        return False
    return bool(decision.effects & UNDONE) or request.facts.project != NOWHERE


def _breaks_agent_rule(rewriting: Rewriting, request: engine.Request, hook: Hook) -> bool:
    """Tell whether the agent's own rules allow the command but would not allow the new text.

    Some agents apply the user's rules to what a hook makes of a command, and a hook's allow does
    not outweigh them: `git log*` is allowed there, `laconic run git log` is not.
    """
    if not hook.call.agent.rules_see_rewrites:
        return False
    if rewriting.text == request.command or _has_users_rule(rewriting):
        return False
    rules = _agents_rules(request, hook.settings)
    return bool(rules) and let_pass(request.command, rules) and not let_pass(rewriting.text, rules)


def _agents_rules(request: engine.Request, settings: Settings) -> tuple[Permission, ...]:
    """Return the rules by which the agent itself lets commands pass."""
    root, state_dir = scope(request.facts), settings.directories.state_dir
    return read_allowed(request.agent, request.cwd, root, request.environ, state_dir)


def _has_users_rule(rewriting: Rewriting) -> bool:
    return any(note.action == "rule" for note in rewriting.notes)


def record(
    call: HookCall,
    request: engine.Request,
    decision: Decision,
    settings: Settings,
    response: Response,
) -> None:
    """Write down the decision, and what the agent was told of it."""
    from laconic.record.decisions import LEFT  # noqa: PLC0415 - the answer comes first

    try:
        told = fitted(response, call, settings.config.hooks.cannot_ask, request.environ)
        about = {
            "outcome": told.outcome.word or LEFT,
            "mode": call.agents_mode,
            **call.ids,
            "event": "" if call.event.kind == BEFORE else call.event.kind,
        }
        engine.record(request, decision, settings, about)
        call_log.note_faults(request.environ, request.agent, decision)
    except Exception as fault:  # noqa: BLE001 - what is not written down still holds
        _note(fault, request)


def _note(fault: Exception, request: engine.Request) -> None:
    call_log.note_fault(request.environ, request.agent, call_log.described(fault))


def _kept(made: ContainedLine, request: Request, settings: Settings) -> bool:
    """Keep once what no command of a line keeps; False if there is no undo because of it."""
    kept, made.kept = made.kept, None
    if kept is None:
        return True
    from laconic.hooks.shell_writes import keep_now  # noqa: PLC0415 - few lines write so
    from laconic.undo.around import about_run  # noqa: PLC0415

    with contextlib.suppress(OSError, LaconicError):
        about = about_run(request.command, request.cwd, request.environ)
        about.agent = about.agent or request.agent
        keep_now(kept, about, settings)
        return True
    return False
