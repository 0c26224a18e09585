"""The library's verbs: decide, explain, rewrite, run, compact, load_settings (docs/library.md).

They read nobody's settings unless they are given some. A decision is made in this order: what
laconic knows, with the user's configuration and the rules in the agent's settings; the user's own
permission program; exceptions; `escalate_deny`. A fault anywhere asks.
"""

from __future__ import annotations

import time
from os.path import abspath

from laconic.agents.load import CLAUDE
from laconic.errors import LaconicError
from laconic.files import is_there
from laconic.patterns import problem
from laconic.permissions.read import read_permissions
from laconic.policy.from_config import build_rules, load_library
from laconic.policy.own_rules import OwnRule, words_of
from laconic.reading import decide as policy
from laconic.reading.facts import SHELLS, read_facts, scope
from laconic.settings.load import isolated_settings, process_environment, read_settings
from laconic.types import GRANTS, Decision, Effect, Outcome, Source, Verdict, strictest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from laconic.compact.result import Compaction
    from laconic.errors import Problem
    from laconic.policy.permissions import Permission
    from laconic.reading.file_tools import FileUse
    from laconic.reading.places import Facts
    from laconic.reading.situation import ProgramCall
    from laconic.rewrite.edits import Rewriting
    from laconic.settings.config import General
    from laconic.settings.load import Settings


# What the modes of agents mean. edits: the project's files may change; plan: nothing but a look is
# wanted; open: the agent neither asks nor applies rules that allow.
MODES = frozenset(("edits", "plan", "open"))


class Request:
    """A command that somebody wants to run. hook_json: what the agent sent, byte for byte.

    shells: the families of shells that may run it. mode: what the agent's mode means, see MODES.
    """

    __slots__ = ("_facts", "agent", "command", "cwd", "environ", "hook_json", "mode", "shells")

    def __init__(
        self,
        command: str,
        cwd: str,
        environ: Mapping[str, str],
        agent: str = CLAUDE,
        hook_json: bytes = b"",
        shells: frozenset[str] = SHELLS,
        mode: str = "",
        facts: Facts | None = None,
    ) -> None:
        self.command, self.cwd, self.environ = command, cwd, environ
        self.agent, self.hook_json, self.shells = agent, hook_json, shells
        self.mode, self._facts = mode, facts

    @property
    def facts(self) -> Facts:
        """The facts about its place, as they were when they were first asked for."""
        if self._facts is None:
            self._facts = read_facts(self.cwd, self.environ, self.shells)
        return self._facts

    def with_command(self, command: str) -> Request:
        """Return the same request for another command."""
        known = self.environ, self.agent, self.hook_json, self.shells, self.mode, self._facts
        return Request(command, self.cwd, *known)


# -- the verbs -------------------------------------------------------------------------------------


def decide(
    command: str,
    cwd: str | PathLike[str] = ".",
    settings: Settings | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    use_up_exceptions: bool = False,
) -> Decision:
    """May this command run in that directory, with these variables (the process's own if None)?

    Without settings nobody's rules count; with them the answer is that of `laconic check`.
    use_up_exceptions: an exception for one run is gone when it has allowed this one.
    """
    environ = process_environment() if environ is None else environ
    request = Request(command, _absolute(cwd), environ)
    settings = settings or isolated_settings(environ)
    return decide_request(request, settings, use_exceptions=use_up_exceptions)


def explain(
    command: str,
    cwd: str | PathLike[str] = ".",
    settings: Settings | None = None,
    *,
    environ: Mapping[str, str] | None = None,
) -> str:
    """Say why a command may run or not, part by part, in lines for a person."""
    from laconic.report.explain import tree  # noqa: PLC0415 - a hook explains nothing

    return "\n".join(tree(decide(command, cwd, settings, environ=environ), command))


def rewrite(command: str, settings: Settings | None = None) -> Rewriting:
    """Return the text to run instead of a command, perhaps the same, and a note per segment."""
    from laconic.rewrite.configured import rewritten  # noqa: PLC0415 - a hook brings its launcher

    return rewritten(command, settings or isolated_settings(process_environment()))


def compact(
    data: bytes, command: str = "", status: int | None = None, settings: Settings | None = None
) -> Compaction | None:
    """Return what matters of a command's output, and what is hidden; None if all of it matters.

    status: its exit status; if nobody knows it, the command counts as failed.
    """
    from laconic.run.captured import compact_captured  # noqa: PLC0415 - a hook compacts nothing

    settings = settings or isolated_settings(process_environment())
    return compact_captured(data, command, status, settings)


def run(argv: Sequence[str], settings: Settings | None = None) -> int:
    """Run a command as `laconic run` does, in a process of its own; return its exit status."""
    from laconic.run.child import run_in_child  # noqa: PLC0415 - a hook runs nothing

    return run_in_child(argv, settings or isolated_settings(process_environment()))


def load_settings(
    cwd: str | PathLike[str] | None = None, environ: Mapping[str, str] | None = None
) -> Settings:
    """Read the user's and the project's settings, as the command line does in that directory."""
    return read_settings(environ, None if cwd is None else _absolute(cwd))


def _absolute(path: str | PathLike[str]) -> str:
    try:
        return abspath(path)  # noqa: PTH100 - a link stays one, and pathlib is slow to load
    except OSError as error:
        raise LaconicError("the current directory is gone", "name another one by cwd") from error


# -- a decision ------------------------------------------------------------------------------------


def decide_request(
    request: Request,
    settings: Settings,
    *,
    use_exceptions: bool = True,
    programs: list[ProgramCall] | None = None,
) -> Decision:
    """May it run? An exception that counts once is used up, unless use_exceptions is off.

    programs: gets what the line runs, as in `reading.decide`.
    """
    if problem():
        return _distrusted(request, settings, programs)
    return _decide(request, settings, use_exceptions=use_exceptions, programs=programs)


def decide_files(request: Request, uses: Sequence[FileUse], settings: Settings) -> Decision:
    """May a tool of the agent do that to files? The request's command is a text for a person.

    Rules and programs of the user's are about commands, so that only exceptions count here.
    """
    if problem():
        return Decision(Verdict.ASK, "interpreter/fault", problem(), firm=True)
    where = request.facts
    library, _ = load_library(settings)
    rules = build_rules(settings, library, request.environ, ())
    is_open = request.mode == "open" or rules.cells.profile == "guard"
    decision = policy.decide_files(uses, library, rules, where, is_open=is_open)
    if decision.verdict is Verdict.ASK and not decision.firm:
        decision = _with_exception(decision, request, settings, where, use=True)
    return escalated(decision, settings)


def decide_with_rule(request: Request, settings: Settings, rule: str) -> Decision | None:
    """Decide as if the user had allowed this rule, too; None if it is not a rule."""
    words = words_of(rule)
    if not words:
        return None
    also = (OwnRule(Verdict.ALLOW, rule, words),)
    return _decide(request, settings, use_exceptions=False, also=also)


def _distrusted(
    request: Request, settings: Settings, programs: list[ProgramCall] | None
) -> Decision:
    """Allow nothing on an interpreter that reads patterns wrongly; what it denies stays denied."""
    wrong = Decision(Verdict.ASK, "interpreter/fault", problem(), firm=True)
    try:
        decision = _decide(request, settings, use_exceptions=False, programs=programs)
    except Exception:  # noqa: BLE001 - whatever happened, the answer is ask
        return wrong
    return strictest((wrong, decision), 0, decision.end).with_problems(decision.problems)


def _decide(
    request: Request,
    settings: Settings,
    *,
    use_exceptions: bool,
    also: tuple[OwnRule, ...] = (),
    programs: list[ProgramCall] | None = None,
) -> Decision:
    where = request.facts
    permissions, problems, faults = _permissions(request, settings, where)
    library, broken = load_library(settings)
    edits = request.mode == "edits"
    rules = build_rules(
        settings, library, request.environ, (*permissions, *also), accepts_edits=edits
    )
    decision = policy.decide(request.command, library, rules, where, programs)
    if faults:
        decision = strictest((decision, *faults), 0, decision.end)
    if settings.config.permissions.engine == "external":
        decision = _with_external(decision, request, settings)
    if decision.verdict is Verdict.ASK and not decision.firm:
        decision = _with_exception(decision, request, settings, where, use=use_exceptions)
    decision = escalated(decision, settings)
    problems += broken
    return decision.with_problems(problems) if problems else decision


def escalated(decision: Decision, settings: Settings) -> Decision:
    """The decision, which asks about what it denied if the user wants that."""
    if settings.config.settings.escalate_deny and decision.verdict is Verdict.DENY:
        reason = f"{decision.reason} (escalated from deny)"
        return decision.but(verdict=Verdict.ASK, reason=reason, risk=True, firm=False)
    return decision


def outcome(
    decision: Decision, settings: Settings, *, mode: str = "", has_flow: bool = True
) -> Outcome:
    """What an agent is answered, with these settings.

    mode: what the agent's mode means. has_flow: it has rules and questions of its own.
    """
    general = settings.config.settings
    if general.gate == "off" or settings.environment.disabled:
        return Outcome.LEFT
    if decision.verdict is Verdict.ALLOW:
        is_unasked = general.profile == "guard" or (
            mode == "plan" and bool(decision.effects & ~Effect.DOWNLOADS)
        )
        is_silent = general.gate == "advise" or (is_unasked and not _is_granted(decision))
        return Outcome.LEFT if is_silent else Outcome.ALLOWED
    if decision.is_soft and has_flow and not _is_asked(decision, general):
        return Outcome.LEFT
    return Outcome.of(decision.verdict)


def _is_asked(decision: Decision, general: General) -> bool:
    """Tell whether the user wants laconic to ask about soft effects."""
    if general.soft == "ask" or general.profile == "strict":
        return True
    is_unknown = any(leaf.verdict is Verdict.ASK and not leaf.risk for leaf in decision.leaves())
    return general.unknown == "ask" and is_unknown


def _is_granted(decision: Decision) -> bool:
    """Tell whether the user's own rules allow all that it does."""
    if decision.source is Source.EXCEPTION:
        return True
    leaves = list(decision.leaves())
    granted = [leaf for leaf in leaves if leaf.source in GRANTS]
    return bool(granted) and all(leaf in granted or not leaf.effects for leaf in leaves)


def record(request: Request, decision: Decision, settings: Settings) -> bool:
    """Write the decision to the log, secrets left out; False if that was not possible."""
    from laconic.record.decisions import append  # noqa: PLC0415 - the answer comes first

    return append(
        settings.directories.state_dir,
        decision,
        command=request.command,
        cwd=request.cwd,
        agent=request.agent,
        now=time.time(),
    )


# -- what else has a say ---------------------------------------------------------------------------


def _permissions(
    request: Request, settings: Settings, where: Facts
) -> tuple[tuple[Permission, ...], tuple[Problem, ...], tuple[Decision, ...]]:
    if settings.is_isolated:
        return (), (), ()
    try:
        permissions, problems = read_permissions(
            request.agent, where.cwd, scope(where), request.environ, settings.directories.state_dir
        )
    except Exception as fault:  # noqa: BLE001 - whatever happened, the answer is ask
        return (), (), (_fault("permissions/fault", "your rules cannot be read", fault),)
    return permissions, problems, ()


def _with_external(decision: Decision, request: Request, settings: Settings) -> Decision:
    """Let the user's program decide; a denial of ours and the user's own rules stay."""
    from laconic.permissions.program import claude_request, consult  # noqa: PLC0415 - few have one

    config = settings.config.permissions.external
    try:
        data = request.hook_json or claude_request(request.command, request.cwd)
        verdict, reason = consult(config, request.agent, data, request.cwd, request.environ)
    except Exception as fault:  # noqa: BLE001 - whatever happened, the answer is ask
        verdict, reason = None, f"{config.command} failed ({type(fault).__name__}: {fault})"
    rule = "external"
    if verdict is None:
        if config.on_error == "builtin":
            return decision
        verdict, rule = Verdict[config.on_error.upper()], "external/failed"
    said = Decision(verdict, rule, reason, 0, decision.end)
    ours = [leaf for leaf in decision.leaves() if leaf.source is Source.RULE]
    kept = [decision] if decision.verdict is Verdict.DENY else ours
    return strictest((said, *kept), 0, decision.end)


def _with_exception(
    decision: Decision, request: Request, settings: Settings, where: Facts, *, use: bool
) -> Decision:
    if settings.is_isolated or not is_there(f"{settings.directories.state_dir}/exceptions.jsonl"):
        return decision
    from laconic.permissions import allowances  # noqa: PLC0415 - few have any

    state_dir = settings.directories.state
    try:
        allowance = allowances.find(state_dir, request.command, scope(where), time.time())
        if allowance is None or (use and not allowances.use(state_dir, allowance)):
            return decision
    except Exception as fault:  # noqa: BLE001 - whatever happened, the answer is ask
        failed = _fault("exception/fault", "your exceptions cannot be read", fault)
        return strictest((decision, failed), 0, decision.end)
    how = "once" if allowance.once else "for a while"
    reason = f"you let it run {how} (laconic allow); else: {decision.reason}"
    rule = f"exception/{allowance.id}"
    return decision.but(
        verdict=Verdict.ALLOW, rule=rule, reason=reason, risk=True, source=Source.EXCEPTION
    )


def _fault(rule: str, what: str, fault: Exception) -> Decision:
    reason = f"{what} ({type(fault).__name__}: {fault})"
    return Decision(Verdict.ASK, rule, reason, firm=True)
