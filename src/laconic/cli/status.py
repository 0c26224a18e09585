"""laconic status, and laconic alone: what laconic does here, what it saved, what it asked."""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from laconic import __version__
from laconic.cli.config import all_problems
from laconic.cli.gain import last_days
from laconic.cli.install import read_site
from laconic.errors import LaconicError
from laconic.hooks import call_log
from laconic.install.install import is_present
from laconic.install.installed import find_installed
from laconic.install.recipe import names, read_recipe
from laconic.policy.profiles import ALIASES
from laconic.record import decisions, queries
from laconic.record.database import reading
from laconic.record.queries import Gain
from laconic.replay.questions import Endings, questions
from laconic.report import status as report
from laconic.report.screen import screen
from laconic.report.status import AgentState, Status
from laconic.report.text import counted
from laconic.settings.config import Export
from laconic.settings.load import Settings, current_directory, process_environment, read_settings
from laconic.settings.managed import Managed
from laconic.types import Verdict

_DAY_S = 86400
_DAYS = 14
_LAST = 3
_MANY = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--line", action="store_true", help="print one line")


def main(args: argparse.Namespace) -> int:
    found = _status(time.time())
    if args.json:
        print(json.dumps(report.to_json(found), indent=1))
    elif args.line:
        print(report.line(found))
    else:
        print("\n".join(report.lines(found, screen())))
    return 0


def _status(now: float) -> Status:
    environ = process_environment()
    settings = read_settings(environ)
    state_dir = settings.directories.state
    midnight = _midnight(now)
    agents, fault = _agents()
    rows = decisions.of_agents(decisions.read(state_dir, midnight - 6 * _DAY_S))
    today = Counter(decisions.outcome(row) for row in rows if decisions.moment(row) >= midnight)
    endings = Endings(environ, str(current_directory() or ""))
    asked = [endings.ended(question) for question in questions(rows)[:_LAST]]
    saved, days, note = _saved(state_dir, midnight)
    profile = settings.config.settings.profile
    return Status(
        __version__,
        ALIASES.get(profile, profile),
        tuple(_switched_off(settings)),
        agents,
        saved,
        days,
        {word: today.get(word, 0) for word in report.ANSWERS},
        tuple(asked),
        tuple(_next(agents, settings, today, [fault, note])),
        now,
        sends=_sends(read_settings(environ, "/").config.export),  # a project has no say in this
        policy=_policy(settings.managed),
    )


def _policy(managed: Managed | None) -> str:
    """Say which policy this machine has."""
    if managed is None:
        return ""
    if managed.is_broken:
        return "broken: the profile strict is in force, see laconic doctor"
    verb = "expired" if managed.is_expired else "expires"
    until = f", {verb} {managed.expires}" if managed.expires else ""
    return f"{managed.name} {managed.serial}{until}"


def _midnight(now: float) -> float:
    at = time.localtime(now)
    return time.mktime((at.tm_year, at.tm_mon, at.tm_mday, 0, 0, 0, 0, 0, -1))


def _switched_off(settings: Settings) -> Iterator[str]:
    """Name what laconic does not do here."""
    if settings.environment.disabled:
        yield "everything: LACONIC_DISABLED is set"
    elif settings.environment.no_filter:
        yield "shorter output: LACONIC_NO_FILTER is set"
    if settings.config.settings.gate == "off":
        yield 'decisions: [settings] gate = "off"'


def _sends(export: Export) -> str:
    """Say what leaves the machine, if anything does."""
    if not export.endpoint:
        return ""
    command = " and its command" if export.commands else ""
    what = f"sums and each decision{command}" if export.decisions else "sums"
    return f"{what} to {export.endpoint}"


def _agents() -> tuple[tuple[AgentState, ...], str]:
    """Return the agents on this machine, those with laconic first; and any error."""
    try:
        site, _ = read_site()
    except LaconicError as error:
        return (), error.message
    states = []
    for recipe in map(read_recipe, names()):
        installed = list(find_installed(recipe, site))
        is_installed = bool(installed)
        if not is_installed and not (recipe.sample and is_present(recipe, site.variables)):
            continue
        call = call_log.last_seen(str(site.state_dir), recipe.name)
        is_hook = bool(recipe.sample)
        called = call[0] if call else None
        is_current = all(each.is_current for each in installed)
        known = recipe.name, recipe.title, is_installed, is_hook, called, is_current
        states.append(AgentState(*known))
    return tuple(sorted(states, key=lambda agent: (not agent.is_installed, agent.name))), ""


def _saved(state_dir: Path, midnight: float) -> tuple[dict[str, Gain], tuple[int, ...], str]:
    """Return the sums of today, a week and all; what each of the last days saved; any problem."""
    try:
        with reading(state_dir) as (connection, note):
            saved = {
                "today": queries.total(queries.gain(connection, midnight)),
                "7 days": queries.total(queries.gain(connection, midnight - 6 * _DAY_S)),
                "all": queries.total(queries.gain(connection)),
            }
            by_day = {row.keys[0]: row.saved_tokens for row in queries.gain(connection, 0, "daily")}
    except LaconicError as error:
        return {}, (), error.message
    return saved, tuple(last_days(by_day.get, midnight, _DAYS)), note


def _next(
    agents: tuple[AgentState, ...], settings: Settings, today: Counter[str], faults: list[str]
) -> Iterator[tuple[str, str]]:
    """Return what to type, and why, the most urgent first."""
    for fault in filter(None, faults):
        yield "laconic doctor", fault
    if settings.environment.disabled:
        yield "unset LACONIC_DISABLED", "every command is left alone"
    if problems := all_problems(settings):
        yield "laconic config check", f"{counted(len(problems), 'mistake')} in the configuration"
    if not any(agent.is_installed for agent in agents):
        detected = "install --detect" if agents else "help install"
        yield f"laconic {detected}", "laconic is not in any agent yet"
        return
    for agent in agents:
        if not agent.is_installed:
            yield f"laconic install {agent.name}", f"{agent.title} is on this machine"
        elif not agent.is_current:
            yield f"laconic install {agent.name}", f"{agent.title} has the hook of another version"
        elif agent.is_hook and agent.called is None:
            why = f"if {agent.title} has run a command already"
            yield f"laconic doctor {agent.name}", why
    if today[Verdict.ASK] >= _MANY:
        yield "laconic log --top", "what was asked most, and the line that would end it"
