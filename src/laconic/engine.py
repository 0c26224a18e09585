"""The library's verbs: a command, the settings and the place it would run in become a Decision.

In this order: what laconic knows, with the user's configuration and the rules in the agent's
settings; the user's own permission program; exceptions; `escalate_deny`. A fault anywhere asks.
"""

from __future__ import annotations

import time

from laconic.files import is_there
from laconic.patterns import problem
from laconic.permissions.read import CLAUDE, read_permissions
from laconic.policy import decide as policy
from laconic.policy.facts import SHELLS, read_facts, scope
from laconic.policy.from_config import build_rules
from laconic.policy.user_tables import load_library
from laconic.types import Decision, Verdict, strictest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.errors import Problem
    from laconic.policy.permissions import Permission
    from laconic.policy.places import Facts
    from laconic.settings.load import Settings


class Request:
    """A command that somebody wants to run. hook_json: what the agent sent, byte for byte.

    shells: the families of shells that may run it.
    """

    __slots__ = ("agent", "command", "cwd", "environ", "hook_json", "shells")

    def __init__(
        self,
        command: str,
        cwd: str,
        environ: Mapping[str, str],
        agent: str = CLAUDE,
        hook_json: bytes = b"",
        shells: frozenset[str] = SHELLS,
    ) -> None:
        self.command, self.cwd, self.environ = command, cwd, environ
        self.agent, self.hook_json, self.shells = agent, hook_json, shells

    def with_command(self, command: str) -> Request:
        """Give the same request for another command."""
        return Request(command, self.cwd, self.environ, self.agent, self.hook_json, self.shells)


class Ruling:
    """The decision, and what is wrong with the files that it was made from."""

    __slots__ = ("decision", "problems")

    def __init__(self, decision: Decision, problems: tuple[Problem, ...]) -> None:
        self.decision, self.problems = decision, problems


def decide(request: Request, settings: Settings, *, use_exceptions: bool = True) -> Ruling:
    """May it run? An exception that counts once is used up, unless use_exceptions is off."""
    if problem():
        return _distrusted(request, settings)
    return _decide(request, settings, use_exceptions=use_exceptions)


def _distrusted(request: Request, settings: Settings) -> Ruling:
    """Allow nothing on an interpreter that reads patterns wrongly; what it denies stays denied."""
    wrong = Decision(Verdict.ASK, "interpreter/fault", problem(), firm=True)
    try:
        ruling = _decide(request, settings, use_exceptions=False)
    except Exception:  # noqa: BLE001 - whatever happened, the answer is ask
        return Ruling(wrong, ())
    decision = strictest((wrong, ruling.decision), 0, ruling.decision.end)
    return Ruling(decision, ruling.problems)


def _decide(request: Request, settings: Settings, *, use_exceptions: bool) -> Ruling:
    where = read_facts(request.cwd, request.environ, request.shells)
    permissions, problems, faults = _permissions(request, settings, where)
    library, broken = load_library(settings)
    rules = build_rules(settings, library, request.environ, permissions)
    decision = policy.decide(request.command, library, rules, where)
    if faults:
        decision = strictest((decision, *faults), 0, decision.end)
    if settings.config.permissions.engine == "external":
        decision = _with_external(decision, request, settings)
    if decision.verdict is Verdict.ASK and not decision.firm:
        decision = _with_exception(decision, request, settings, where, use=use_exceptions)
    if settings.config.settings.escalate_deny and decision.verdict is Verdict.DENY:
        decision = _changed(decision, Verdict.ASK, f"{decision.reason} (escalated from deny)")
    return Ruling(decision, problems + broken)


def answer(decision: Decision, settings: Settings) -> str | None:
    """What to tell an agent: `allow`, `ask`, `deny`, or None to leave it to the agent."""
    general = settings.config.settings
    if general.gate == "off" or settings.environment.disabled:
        return None
    if decision.verdict is Verdict.ALLOW and general.gate == "advise":
        return None
    is_opinion = decision.risk or decision.verdict is not Verdict.ASK
    return decision.verdict.word if is_opinion or general.unknown == "ask" else None


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
    try:
        found = read_permissions(
            request.agent, where.cwd, scope(where), request.environ, settings.directories.state_dir
        )
    except Exception as fault:  # noqa: BLE001 - whatever happened, the answer is ask
        return (), (), (_fault("permissions/fault", "your rules cannot be read", fault),)
    return *found, ()


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
    ours = [leaf for leaf in decision.leaves() if leaf.rule.startswith("permissions/")]
    kept = [decision] if decision.verdict is Verdict.DENY else ours
    return strictest((said, *kept), 0, decision.end)


def _with_exception(
    decision: Decision, request: Request, settings: Settings, where: Facts, *, use: bool
) -> Decision:
    if not is_there(f"{settings.directories.state_dir}/exceptions.jsonl"):
        return decision
    from laconic.permissions import allowances as exceptions  # noqa: PLC0415 - few have any

    state_dir = settings.directories.state
    try:
        found = exceptions.find(state_dir, request.command, scope(where), time.time())
        if found is None or (use and not exceptions.use(state_dir, found)):
            return decision
    except Exception as fault:  # noqa: BLE001 - whatever happened, the answer is ask
        failed = _fault("exception/fault", "your exceptions cannot be read", fault)
        return strictest((decision, failed), 0, decision.end)
    how = "once" if found.once else "for a while"
    reason = f"you let it run {how} (laconic allow); else: {decision.reason}"
    return _changed(decision, Verdict.ALLOW, reason, rule=f"exception/{found.id}")


def _fault(rule: str, what: str, fault: Exception) -> Decision:
    reason = f"{what} ({type(fault).__name__}: {fault})"
    return Decision(Verdict.ASK, rule, reason, firm=True)


def _changed(decision: Decision, verdict: Verdict, reason: str, *, rule: str = "") -> Decision:
    return Decision(
        verdict,
        rule or decision.rule,
        reason,
        decision.start,
        decision.end,
        parts=decision.parts,
        instead=decision.instead,
    )
