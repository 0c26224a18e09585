"""The library's verbs: decide, explain, rewrite, run, compact, load_settings (docs/library.md).

They read nobody's settings unless they are given some. A decision is made in this order: what
laconic knows, with the user's configuration and the rules in the agent's settings; the user's own
permission program; what the policy of the machine requires; allowances; `escalate_deny`. A fault
anywhere asks.
"""

from __future__ import annotations

import time
from functools import partial
from os.path import abspath

from laconic.agents.load import CLAUDE
from laconic.errors import LaconicError
from laconic.files import is_there
from laconic.patterns import problem
from laconic.permissions.read import read_permissions
from laconic.policy.from_config import build_rules, load_library
from laconic.policy.own_rules import OwnRule, words_of
from laconic.policy.profiles import ALIASES
from laconic.policy.required import with_required
from laconic.reading import decide as policy
from laconic.reading.facts import SHELLS, read_facts, scope
from laconic.settings.load import Settings, isolated_settings, process_environment, read_settings
from laconic.types import GRANTS, Decision, Effect, Outcome, Source, Verdict, strictest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from laconic.compact.result import Compaction
    from laconic.errors import Problem
    from laconic.permissions.allowances import Allowance
    from laconic.policy.permissions import Permission
    from laconic.reading.file_tools import FileUse
    from laconic.reading.places import Facts
    from laconic.reading.situation import ProgramCall
    from laconic.rewrite.edits import Rewriting
    from laconic.settings.config import General
    from laconic.settings.managed import Managed


# What a policy has to say of a program that decides, so that it is not the user's.
_OF_PROGRAM = frozenset((
    "permissions.engine", "permissions.external.command", "permissions.external.args",
    "permissions.external.on_error",
))  # fmt: skip
_MOST_MS = 2000  # for a program of a user's on a machine with a policy


class Request:
    """A command that somebody wants to run. hook_json: what the agent sent, byte for byte.

    shells: the families of shells that may run it. mode: what the agent's mode means. edits: the
    project's files may change; plan: nothing but a look is wanted; open: the agent neither asks nor
    applies rules that allow.
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
    use_up_allowances: bool = False,
) -> Decision:
    """May this command run in that directory, with these variables (the process's own if None)?

    Without settings nobody's rules count; with them the answer is that of `laconic check`, except
    that nothing is allowed for running in the box or with an undo: the caller runs what was typed.
    use_up_allowances: an allowance for one run is gone when it has allowed this one.
    """
    _check("command", command, str)
    environ = process_environment() if environ is None else environ
    request = Request(command, _absolute(cwd), environ)
    settings = _given(settings) or isolated_settings(environ)
    return decide_request(request, settings, use_allowances=use_up_allowances)


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
    from laconic.rewrite.from_config import rewritten  # noqa: PLC0415 - a hook brings its launcher

    _check("command", command, str)
    return rewritten(command, _given(settings) or isolated_settings(process_environment()))


def compact(
    data: bytes, command: str = "", status: int | None = None, settings: Settings | None = None
) -> Compaction | None:
    """Return what matters of a command's output, and what is hidden; None if all of it matters.

    status: its exit status; if nobody knows it, the command counts as failed.
    """
    from laconic.run.captured import compact_captured  # noqa: PLC0415 - a hook compacts nothing

    _check("data", data, bytes)
    _check("command", command, str)
    settings = _given(settings) or isolated_settings(process_environment())
    return compact_captured(data, command, status, settings)


def run(argv: Sequence[str], settings: Settings | None = None) -> int:
    """Run a command as `laconic run` does, in a process of its own; return its exit status."""
    from laconic.run.child import run_in_child  # noqa: PLC0415 - a hook runs nothing

    if isinstance(argv, str | bytes):
        raise LaconicError("`argv` must be a list of words, not one text")
    return run_in_child(argv, _given(settings) or isolated_settings(process_environment()))


def load_settings(
    cwd: str | PathLike[str] | None = None, environ: Mapping[str, str] | None = None
) -> Settings:
    """Read the user's and the project's settings, as the command line does in that directory."""
    return read_settings(environ, None if cwd is None else _absolute(cwd))


def _check(name: str, value: object, kind: type) -> None:
    if not isinstance(value, kind):
        wanted = "text" if kind is str else "bytes"
        raise LaconicError(f"`{name}` must be {wanted}, not {type(value).__name__}")


def _given(settings: Settings | None) -> Settings | None:
    if settings is None or isinstance(settings, Settings):
        return settings
    raise LaconicError("`settings` must be what laconic.load_settings() returns")


def _absolute(path: str | PathLike[str]) -> str:
    if not isinstance(path, str) and not hasattr(path, "__fspath__"):
        raise LaconicError(f"`cwd` must be a path, not {type(path).__name__}")
    try:
        return abspath(path)  # noqa: PTH100 - a link stays one, and pathlib is slow to load
    except OSError as error:
        raise LaconicError("the current directory is gone", "name another one by cwd") from error


# -- a decision ------------------------------------------------------------------------------------


def decide_request(
    request: Request,
    settings: Settings,
    *,
    use_allowances: bool = True,
    programs: list[ProgramCall] | None = None,
    also: Sequence[OwnRule] = (),
) -> Decision:
    """May it run? An allowance that counts once is used up, unless use_allowances is off.

    programs: gets what the line runs, as in `reading.decide`. also: rules that count as the user's.
    """
    if problem():
        return _distrusted(request, settings, programs)
    return _decide(request, settings, use_allowances=use_allowances, also=also, programs=programs)


def decide_files(request: Request, uses: Sequence[FileUse], settings: Settings) -> Decision:
    """May a tool of the agent do that to files? The request's command is a text for a person.

    Rules and programs of the user's are about commands, so that only allowances count here.
    """
    if problem():
        return Decision(Verdict.ASK, "interpreter/fault", problem(), firm=True)
    where = request.facts
    library, _ = load_library(settings)
    rules = build_rules(settings, library, request.environ, ())
    is_open = request.mode == "open" or rules.answers.profile == "guard"
    decision = policy.decide_files(uses, library, rules, where, is_open=is_open)
    if settings.managed:
        decision = with_required(decision, settings.managed)
    if decision.verdict is Verdict.ASK and not decision.firm:
        decision = _with_allowance(decision, request, settings, where, use=True)
    return escalated(decision, settings)


def decide_with_rule(request: Request, settings: Settings, rule: str) -> Decision | None:
    """Decide as if the user had allowed this rule, too; None if it is no rule that counts."""
    also = allowing(rule)
    if not also or (settings.managed and not settings.managed.user_rules):
        return None
    return _decide(request, settings, use_allowances=False, also=also)


def allowing(rule: str) -> tuple[OwnRule, ...]:
    """A rule that allows what begins with these words; none if they are not plain words."""
    words = words_of(rule)
    return (OwnRule(Verdict.ALLOW, rule, words),) if words else ()


def _distrusted(
    request: Request, settings: Settings, programs: list[ProgramCall] | None
) -> Decision:
    """Allow nothing on an interpreter that reads patterns wrongly; what it denies stays denied."""
    wrong = Decision(Verdict.ASK, "interpreter/fault", problem(), firm=True)
    try:
        decision = _decide(request, settings, use_allowances=False, programs=programs)
    except Exception:  # noqa: BLE001 - whatever happened, the answer is ask
        return wrong
    return strictest((wrong, decision), 0, decision.end).with_problems(decision.problems)


def _decide(
    request: Request,
    settings: Settings,
    *,
    use_allowances: bool,
    also: Sequence[OwnRule] = (),
    programs: list[ProgramCall] | None = None,
) -> Decision:
    where = request.facts
    permissions, problems, faults = _permissions(request, settings, where)
    library, broken = load_library(settings)
    edits = request.mode == "edits"
    rules = build_rules(
        settings, library, request.environ, (*permissions, *also), accepts_edits=edits
    )
    if not settings.is_isolated:
        where.fetched = partial(_fetched, settings.directories.state_dir)
    decision = policy.decide(request.command, library, rules, where, programs)
    if faults:
        decision = strictest((decision, *faults), 0, decision.end)
    is_settled = settings.managed is not None and decision.verdict is Verdict.DENY
    if settings.config.permissions.engine == "external" and not is_settled:
        decision = _with_external(decision, request, settings)
    if settings.managed:
        decision = with_required(decision, settings.managed)
    if decision.verdict is Verdict.ASK and not decision.firm:
        decision = _with_allowance(decision, request, settings, where, use=use_allowances)
    decision = escalated(decision, settings)
    problems += broken
    return decision.with_problems(problems) if problems else decision


def escalated(decision: Decision, settings: Settings) -> Decision:
    """The decision, which asks each time about what it denied if the user wants that."""
    if settings.config.settings.escalate_deny and decision.verdict is Verdict.DENY:
        if settings.managed and _is_denied_by_policy(decision):
            return decision
        reason = f"{decision.reason} (escalated from deny)"
        return decision.but(verdict=Verdict.ASK, reason=reason, risk=True, firm=True)
    return decision


def _is_denied_by_policy(decision: Decision) -> bool:
    return any(
        leaf.source is Source.POLICY and leaf.verdict is Verdict.DENY for leaf in decision.leaves()
    )


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
    if decision.source is Source.ALLOWANCE:
        return True
    leaves = list(decision.leaves())
    granted = [leaf for leaf in leaves if leaf.source in GRANTS]
    return bool(granted) and all(leaf in granted or not leaf.effects for leaf in leaves)


def _fetched(state_dir: str) -> Mapping[str, str]:
    if not is_there(f"{state_dir}/fetched.jsonl"):
        return {}
    from laconic.record.fetched import known  # noqa: PLC0415 - most sessions fetch nothing

    return known(state_dir)


def remember_fetched(request: Request, decision: Decision, settings: Settings) -> None:
    """Write down what the command would fetch, for those that come after it."""
    if request.facts.fetching and decision.verdict is not Verdict.DENY:
        from laconic.record.fetched import remember  # noqa: PLC0415 - as above

        remember(settings.directories.state_dir, request.facts.fetching)


def record(
    request: Request,
    decision: Decision,
    settings: Settings,
    about: Mapping[str, str] | None = None,
) -> bool:
    """Write the decision to the log, secrets left out; False if that was not possible.

    about: what else is known of the call, as `decisions.append` takes it.
    """
    from laconic.record.decisions import append  # noqa: PLC0415 - the answer comes first

    profile = settings.config.settings.profile
    return append(
        settings.directories.state_dir,
        decision,
        command=request.command,
        cwd=request.cwd,
        agent=request.agent,
        now=time.time(),
        about={
            "profile": ALIASES.get(profile, profile),
            "policy": settings.managed.logged if settings.managed else "",
            **(about or {}),
        },
    )


# -- what else has a say ---------------------------------------------------------------------------


def _permissions(
    request: Request, settings: Settings, where: Facts
) -> tuple[tuple[Permission, ...], tuple[Problem, ...], tuple[Decision, ...]]:
    if settings.is_isolated:
        return (), (), ()
    try:
        permissions, problems = read_permissions(
            request.agent,
            where.cwd,
            scope(where),
            request.environ,
            settings.directories.state_dir,
            where.exists,
        )
    except Exception as fault:  # noqa: BLE001 - whatever happened, the answer is ask
        return (), (), (_fault("permissions/fault", "your rules cannot be read", fault),)
    return counted(permissions, settings.managed), problems, ()


def counted(permissions: tuple[Permission, ...], managed: Managed | None) -> tuple[Permission, ...]:
    """Return the rules of an agent that count: the policy may not let any allow something."""
    if managed is None or managed.agent_rules:
        return permissions
    return tuple(one for one in permissions if one.verdict is not Verdict.ALLOW)


def _with_external(decision: Decision, request: Request, settings: Settings) -> Decision:
    """Let the user's program decide; a denial of ours and the user's own rules stay.

    Where a policy requires something and names no program, a user's can only be stricter.
    """
    from laconic.permissions.program import claude_request, consult  # noqa: PLC0415 - few have one

    config, managed = settings.config.permissions.external, settings.managed
    is_policys = managed is None or not managed.requires or managed.locked >= _OF_PROGRAM
    if not is_policys:  # it must not use up the time of the hook
        config = config.but(timeout_ms=min(config.timeout_ms, _MOST_MS))
    try:
        data = request.hook_json or claude_request(request.command, request.cwd)
        verdict, reason = consult(config, request.agent, data, request.cwd, request.environ)
    except Exception as fault:  # noqa: BLE001 - whatever happened, the answer is ask
        verdict, reason = None, f"{config.command} failed ({type(fault).__name__}: {fault})"
    rule = "external"
    if verdict is None:
        if config.on_error == "builtin":
            return decision
        verdict, rule = Verdict(config.on_error), "external/failed"
    said = Decision(verdict, rule, reason, 0, decision.end)
    ours = [leaf for leaf in decision.leaves() if leaf.source is Source.RULE]
    kept = ours if is_policys and decision.verdict is not Verdict.DENY else [decision]
    return strictest((said, *kept), 0, decision.end)


def _with_allowance(
    decision: Decision, request: Request, settings: Settings, where: Facts, *, use: bool
) -> Decision:
    if settings.is_isolated or not is_there(f"{settings.directories.state_dir}/allowances.jsonl"):
        return decision
    from laconic.permissions import allowances  # noqa: PLC0415 - few have any

    state_dir, now, managed = settings.directories.state, time.time(), settings.managed
    if managed and not _may_be_excepted(decision, managed):
        return decision
    try:
        allowance = allowances.find(state_dir, request.command, scope(where), now)
        if allowance and managed and not allowances.counts(allowance, managed, now):
            return decision
        if allowance is None or (use and not allowances.use(state_dir, allowance)):
            return decision
    except Exception as fault:  # noqa: BLE001 - whatever happened, the answer is ask
        failed = _fault("allowance/fault", "your allowances cannot be read", fault)
        return strictest((decision, failed), 0, decision.end)
    reason = f"you allowed it {_how_long(allowance)}; otherwise laconic asks: {decision.reason}"
    rule = f"allowance/{allowance.id}"
    return decision.but(
        verdict=Verdict.ALLOW, rule=rule, reason=reason, risk=True, source=Source.ALLOWANCE
    )


def _how_long(allowance: Allowance) -> str:
    if allowance.once:
        return "once"
    from laconic.permissions.allowances import FOREVER  # noqa: PLC0415 - few have any

    until = time.localtime(allowance.until)
    return (
        "for good" if allowance.until >= FOREVER else time.strftime("until %Y-%m-%d %H:%M", until)
    )


def _may_be_excepted(decision: Decision, managed: Managed) -> bool:
    """Tell whether an allowance counts: the files that the policy names as secret have none."""
    is_named = bool(managed.lists.get("paths.secret")) and decision.effects & Effect.SECRETS
    return bool(managed.allowances) and not is_named


def _fault(rule: str, what: str, fault: Exception) -> Decision:
    reason = f"{what} ({type(fault).__name__}: {fault})"
    return Decision(Verdict.ASK, rule, reason, firm=True)
