"""laconic doctor: check whether laconic works, and say how to fix what does not."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence

from laconic.box.trial import try_box
from laconic.cli.config import all_problems, files_read
from laconic.cli.install import read_site, say
from laconic.cli.main import complain
from laconic.errors import LaconicError
from laconic.install import sandboxes
from laconic.install.doctor import Finding, State, client, examine, misnamed, unanswered, unchecked
from laconic.install.install import Site, is_present
from laconic.install.installed import find_installed
from laconic.install.recipe import Recipe, names, read_recipe
from laconic.install.repair import is_lost, repair
from laconic.record import health
from laconic.record.database import DATABASE
from laconic.report.screen import screen
from laconic.report.text import visible
from laconic.settings.environ import has_two_files
from laconic.settings.load import Settings
from laconic.settings.managed import PATH
from laconic.shell.words import quoted

_INDENT = 10
_TWO_FILES = (
    "stdout and stderr of this shell are two files: what commands print there stays as it is, and"
    " is not recorded"
)
_ONE_FILE = "if an agent reads them, have both go to one file, or to pipes"
_OUTSIDE = "type laconic doctor outside of it, where the hooks run"
# From the best state to the worst. A note is about an agent that has not called yet.
_IN_SHORT = {
    "ok": "works",
    "note": "not called yet",
    "disabled": "off",
    "warn": "look at",
    "broken": "does not work",
}
_STATES = tuple(_IN_SHORT)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", nargs="?", metavar="AGENT", help="check this agent only")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--fix", action="store_true", help="repair hooks that were lost or differ, then check"
    )


def main(args: argparse.Namespace) -> int:
    site, settings = read_site()
    if args.fix:
        _fix([args.agent] if args.agent else names(), site, settings, is_quiet=args.json)
    if args.agent:
        findings = examine(read_recipe(args.agent), site, settings)
    else:
        findings = [*_ourselves(site, settings), *_agents(site, settings)]
    worst = max((finding.state for finding in findings), key=_STATES.index)
    if args.json:
        _print_json(findings, worst)
    else:
        _print(findings)
    return 1 if worst == "broken" else 0


def _fix(agents: Sequence[str], site: Site, settings: Settings, *, is_quiet: bool) -> None:
    """Install again where laconic was installed and does not work as it should."""
    for recipe in map(read_recipe, agents):
        if not _is_here(recipe, site) and not is_lost(recipe, site):
            continue
        try:
            changes = repair(recipe, site, settings)
        except LaconicError as error:
            complain(f"{recipe.name}: {error.message}", error.hint)
            continue
        for change in () if is_quiet else changes:
            say(recipe, change, dry_run=False)


def _ourselves(site: Site, settings: Settings) -> Iterator[Finding]:
    yield client(site.executable)
    yield from unanswered(site.state_dir)
    yield from unchecked(site.state_dir)
    yield from misnamed(site.state_dir)
    yield from _policy(settings)
    problems = [problem for problem in all_problems(settings) if problem.kind != "expired"]
    for problem in problems:
        yield Finding("", "configuration", "warn", problem.line, problem.hint)
    if not problems:
        files = ", ".join(files_read(settings))
        message = f"{files}: no mistakes" if files else "no files, the built-in configuration"
        yield Finding("", "configuration", "ok", message)
    if settings.environment.disabled:
        message = "LACONIC_DISABLED is set: every command is left alone"
        yield Finding("", "configuration", "disabled", message, "unset LACONIC_DISABLED")
    name, follows = sandboxes.here(site.variables, str(site.state_dir))
    if name:
        yield Finding("", "sandbox", "warn", f"this is {name}: {follows}", _OUTSIDE)
    else:
        trial = try_box(site.variables)
        state: State = "ok" if trial.is_good else "disabled"
        yield Finding("", "box", state, trial.message, trial.hint)
    if has_two_files(site.variables):
        yield Finding("", "output", "warn", _TWO_FILES, _ONE_FILE)
    is_recorded = not name and (site.state_dir / DATABASE).exists()
    for found in health.findings(site.state_dir) if is_recorded else ():
        yield Finding("", "records", found.state, found.message, found.hint)


def _policy(settings: Settings) -> Iterator[Finding]:
    """Say whether the policy of this machine is in force as root wrote it."""
    managed = settings.managed
    if managed is None:
        return
    if managed.is_broken:
        message = f"{PATH}: is broken: the profile strict is in force"
        yield Finding("", "policy", "broken", message, f"laconic config check {quoted(PATH)}")
    elif managed.is_expired:
        message = f"{managed.said} expired on {managed.expires}, and stays in force"
        yield Finding("", "policy", "warn", message, "laconic policy pull, as root")
    else:
        until = f", until {managed.expires}" if managed.expires else ""
        message = f"{PATH}: {managed.said} is in force{until}; only root can write it"
        yield Finding("", "policy", "ok", message)


def _agents(site: Site, settings: Settings) -> Iterator[Finding]:
    """Check the agents on this machine, and those that laconic is installed in."""
    here = [recipe for recipe in map(read_recipe, names()) if _is_here(recipe, site)]
    for recipe in here:
        yield from examine(recipe, site, settings)
    if not here:
        fix = "laconic install AGENT; laconic install --help has the names"
        yield Finding("", "install", "disabled", "no agent was found on this machine", fix)


def _is_here(recipe: Recipe, site: Site) -> bool:
    is_hooked = bool(recipe.sample) and is_present(recipe, site.variables)
    return is_hooked or any(find_installed(recipe, site))


def _print(findings: list[Finding]) -> None:
    here = screen()
    for finding in findings:
        who = finding.agent or "laconic"
        first, *more = here.wrap(visible(f"{who}: {finding.message}"), _INDENT)
        print(f"{here.paint(f'{finding.state:8}', finding.state)}  {first}")
        if finding.fix and finding.state != "ok":
            what = "next" if finding.state == "note" else "fix"
            more += here.wrap(visible(f"{what}: {finding.fix}"), _INDENT)
        for line in more:
            print(f"{'':{_INDENT}}{line}")
    print()
    print("\n".join(here.wrap(_in_short(findings), 0)))


def _in_short(findings: list[Finding]) -> str:
    """Sum up in one sentence who works and who does not."""
    worst: dict[str, Finding] = {}
    for finding in findings:
        name = finding.agent or ("the box" if finding.check == "box" else "laconic")
        known = worst.setdefault(name, finding)
        if _STATES.index(finding.state) > _STATES.index(known.state):
            worst[name] = finding
    groups: dict[str, list[str]] = {}
    for name, finding in worst.items():
        groups.setdefault(_IN_SHORT[finding.state], []).append(name)
    return "; ".join(f"{words}: {', '.join(names)}" for words, names in groups.items())


def _print_json(findings: list[Finding], worst: str) -> None:
    document = {"version": 1, "state": worst, "findings": [f._asdict() for f in findings]}
    print(json.dumps(document, indent=1, ensure_ascii=False))
