"""The library's verbs: a command, the settings and the place it would run in become a Decision.

In this order: what laconic knows, with the user's configuration and the rules in the agent's
settings; the user's own permission program; exceptions; `escalate_deny`. A fault anywhere asks.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Mapping
from os.path import isabs, lexists, realpath
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from laconic import exceptions
from laconic.agent_rules import CLAUDE, read_permissions
from laconic.catalog import library
from laconic.external import claude_request, consult
from laconic.policy import decide as policy
from laconic.policy.places import Facts, place
from laconic.record.decisions import append
from laconic.rulebook import build_rules
from laconic.settings import Problem, home_directory
from laconic.types import Decision, Verdict, strictest

if TYPE_CHECKING:
    from laconic.policy.permissions import Permission
    from laconic.settings import Settings

_MOST_PARENTS = 100
_NOWHERE = "/nonexistent"
_TEMPORARY = ("/tmp", "/var/tmp", "/private/tmp")  # noqa: S108 - places to know, not to use


class Request(NamedTuple):
    """A command that somebody wants to run. hook_json: what the agent sent, byte for byte."""

    command: str
    cwd: str
    environ: Mapping[str, str]
    agent: str = CLAUDE
    hook_json: bytes = b""


class Ruling(NamedTuple):
    """The decision, and what is wrong with the files that it was made from."""

    decision: Decision
    problems: tuple[Problem, ...]


def decide(request: Request, settings: Settings, *, use_exceptions: bool = True) -> Ruling:
    """May it run? An exception that counts once is used up, unless use_exceptions is off."""
    where = facts(request.cwd, request.environ)
    permissions, problems, faults = _permissions(request, settings, where)
    rules = build_rules(settings, request.environ)
    rules.permissions = permissions
    decision = policy.decide(request.command, library(), rules, where)
    if faults:
        decision = strictest((decision, *faults), 0, decision.end)
    if settings.config.permissions.engine == "external":
        decision = _with_external(decision, request, settings)
    if decision.verdict is Verdict.ASK and not decision.firm:
        decision = _with_exception(decision, request, settings, where, use=use_exceptions)
    if settings.config.settings.escalate_deny and decision.verdict is Verdict.DENY:
        decision = _changed(decision, Verdict.ASK, f"{decision.reason} (escalated from deny)")
    return Ruling(decision, problems)


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
    return append(
        settings.directories.state,
        decision,
        command=request.command,
        cwd=request.cwd,
        agent=request.agent,
        now=time.time(),
    )


# -- the place -------------------------------------------------------------------------------------


def facts(cwd: str, environ: Mapping[str, str]) -> Facts:
    here = realpath(cwd)
    home = realpath(home_directory(environ))
    found = Facts(
        cwd=here,
        home=home,
        project=_NOWHERE,
        temporary=_temporary_directories(environ, home),
        environment=environ,
        real_path=realpath,
        modules=_modules,
    )
    found.project = _project_root(found) or _NOWHERE
    return found


def _modules(directory: str) -> frozenset[str]:
    """Names that Python finds in a directory; a directory that cannot be read may hold any."""
    try:
        return frozenset(path.name.split(".", 1)[0] for path in Path(directory).iterdir())
    except OSError:
        return frozenset(sys.stdlib_module_names)


def _project_root(where: Facts) -> str:
    """Give the nearest directory upwards that has .git or .laconic, else the directory itself.

    Empty if there is none: a home, the root and what is next to it, or a place of the system's are
    no projects, lest everything in them be.
    """
    start = Path(where.cwd)
    for directory in itertools.islice((start, *start.parents), _MOST_PARENTS):
        if lexists(directory / ".git") or lexists(directory / ".laconic"):
            is_root = place(str(directory), "/", where) in ("root", "home")
            return "" if is_root else str(directory)
    is_plain = place(where.cwd, "/", where) in ("else", "temporary")
    return where.cwd if is_plain else ""


def scope(where: Facts) -> str:
    """Give the directory that exceptions are for: the project, or without one the directory."""
    return where.cwd if where.project == _NOWHERE else where.project


def _temporary_directories(environ: Mapping[str, str], home: str) -> tuple[str, ...]:
    own = environ.get("TMPDIR", "").rstrip("/")
    # One that holds the home directory would make everything in it temporary.
    if not isabs(own) or f"{home}/".startswith((f"{own}/", f"{realpath(own)}/")):
        return _TEMPORARY
    return (*_TEMPORARY, own, realpath(own))


# -- what else has a say ---------------------------------------------------------------------------


def _permissions(
    request: Request, settings: Settings, where: Facts
) -> tuple[tuple[Permission, ...], tuple[Problem, ...], tuple[Decision, ...]]:
    try:
        found = read_permissions(
            request.agent, where.cwd, scope(where), request.environ, settings.directories.state
        )
    except Exception as fault:  # noqa: BLE001 - whatever happened, the answer is ask
        return (), (), (_fault("permissions/fault", "your rules cannot be read", fault),)
    return *found, ()


def _with_external(decision: Decision, request: Request, settings: Settings) -> Decision:
    """Let the user's program decide; a denial of ours and the user's own rules stay."""
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
