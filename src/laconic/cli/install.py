"""laconic install: put laconic into the settings of coding agents."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from laconic.cli.choose_profile import choose_profile
from laconic.cli.main import complain
from laconic.cli.source import directory_at
from laconic.errors import LaconicError, UsageError
from laconic.install import imports, originals, other_tools
from laconic.install.install import (
    REPLACE_OUTPUT,
    Change,
    Site,
    carry_out,
    find_executable,
    is_present,
    plan_install,
    target_of,
)
from laconic.install.recipe import Scope, names, read_recipe
from laconic.policy.profiles import ALIASES, PROFILES
from laconic.reading.facts import read_facts, scope
from laconic.report.text import visible
from laconic.settings.load import process_environment, read_settings

if TYPE_CHECKING:
    import argparse

    from laconic.install.recipe import Recipe
    from laconic.settings.load import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agents", nargs="*", metavar="AGENT", help=", ".join(names()))
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--project", action="store_true", help="for this project only")
    where.add_argument("--global", dest="user", action="store_true", help="for all your projects")
    parser.add_argument("--detect", action="store_true", help="in all agents on this machine")
    parser.add_argument(
        "--import",
        dest="take_over",
        action="store_true",
        help="take over the settings of tokf, rtk, cc-toolgate and tokenjuice, and their hooks",
    )
    parser.add_argument(
        "--profile", choices=(*PROFILES, *ALIASES), help="what is allowed and what asks"
    )
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")
    parser.add_argument("--yes", action="store_true", help="answer every question with yes")


def main(args: argparse.Namespace) -> int:
    site, settings = read_site()
    recipes = [read_recipe(name) for name in dict.fromkeys(args.agents)]
    if args.detect:
        recipes += [found for found in _detect(args, site) if found not in recipes]
    elif not recipes and not args.take_over and not args.profile:
        raise UsageError("which agent?", "laconic install --detect finds those you have")
    is_done = bool(recipes) or bool(args.profile)
    if args.take_over:
        is_done = _import(args, site, settings) or is_done
    if not is_done:
        complain("nothing was installed", "laconic install claude-code")
        return 1
    choose_profile(args, settings, is_first=bool(recipes))
    changed = {recipe.name: _install(recipe, args, site) for recipe in recipes}
    if not args.dry_run:
        _say_next([recipe for recipe in recipes if changed[recipe.name] and recipe.sample])
    return 1 if None in changed.values() else 0


def _say_next(recipes: list[Recipe]) -> None:
    """Say what shows whether it works: the agents have to call laconic themselves."""
    if recipes:
        titles = " or ".join(recipe.title for recipe in recipes)
        print(f"next: run a command in {titles}, then type laconic: it says who called")


def read_site() -> tuple[Site, Settings]:
    """Read where this process runs, and the settings there."""
    environ, cwd = process_environment(), directory_at(None)
    settings = read_settings(environ, cwd)
    asked_for = {REPLACE_OUTPUT} if settings.config.hooks.replace_output else set()
    project = Path(scope(read_facts(str(cwd), environ)))
    executable = find_executable(environ, sys.argv[0])
    site = Site(environ, project, executable, settings.directories.state, frozenset(asked_for))
    return site, settings


# -- one agent -------------------------------------------------------------------------------------


def _install(recipe: Recipe, args: argparse.Namespace, site: Site) -> bool | None:
    """Install in one agent; tell whether anything changed, None after a fault.

    The others are still served then.
    """
    try:
        scope = _scope(recipe, args)
        if args.take_over:
            _switch_off(recipe, args, site)
        changes = plan_install(recipe, scope, site)
        if args.dry_run:
            show(changes)
        else:
            carry_out(changes, recipe, site)
    except LaconicError as error:
        complain(f"{recipe.name}: {error.message}", error.hint)
        return None
    for change in changes:
        say(recipe, change, dry_run=args.dry_run)
    if not changes:
        print(f"{recipe.name}: is already installed")
    elif not args.dry_run:
        _say_more(recipe, scope, site)
    return bool(changes)


def _scope(recipe: Recipe, args: argparse.Namespace) -> Scope:
    wanted: Scope | None = "project" if args.project else "user" if args.user else None
    if wanted and wanted not in recipe.scopes:
        other = "--global" if wanted == "project" else "--project"
        message = f"{recipe.title} has no such settings"
        raise LaconicError(message, f"laconic install {recipe.name} {other}")
    return wanted or recipe.scopes[0]


def _say_more(recipe: Recipe, scope: Scope, site: Site) -> None:
    if recipe.note:
        print(f"  {recipe.note}")
    if scope == "project" and recipe.sample:
        print("  it names a path of this machine: keep it out of the repository")
    for rival in other_tools.find_rivals(recipe, site):
        print(f"  {visible(str(rival.path))} calls {rival.name}, too: rewrites do not compose")


def show(changes: list[Change]) -> None:
    """Print what would change, as a diff."""
    for change in changes:
        before, after = (
            (data or b"").decode().splitlines() for data in (change.before, change.after)
        )
        names = str(change.path), str(change.path)
        for line in difflib.unified_diff(before, after, *names, lineterm=""):
            print(visible(line.expandtabs()))


def say(recipe: Recipe, change: Change, *, dry_run: bool) -> None:
    verb = f"would be {change.verb}" if dry_run else change.verb
    print(f"{recipe.name}: {visible(str(change.path))} {verb}")


# -- several ---------------------------------------------------------------------------------------


def _detect(args: argparse.Namespace, site: Site) -> list[Recipe]:
    """Find the agents on this machine, and ask whether to install in all of them."""
    recipes = [
        recipe
        for recipe in map(read_recipe, names())
        if recipe.sample and is_present(recipe, site.variables)
    ]
    if not recipes:
        raise LaconicError("no agent was found", "name one: laconic install claude-code")
    for recipe in recipes:
        print(f"found: {recipe.name} ({recipe.title})")
    if args.dry_run or confirm("install laconic in them?", args):
        return recipes
    return []


def confirm(question: str, args: argparse.Namespace) -> bool:
    """Ask a person; without a terminal the answer is no, and a hint names --yes."""
    if args.yes:
        return True
    if not (sys.stdin and sys.stdin.isatty()):
        complain(f"{question} nobody is there to ask", "answer beforehand: --yes")
        return False
    try:
        return input(f"{question} [y/N] ").strip().lower() in {"y", "yes"}
    except EOFError:
        return False


# -- other tools -----------------------------------------------------------------------------------


def _import(args: argparse.Namespace, site: Site, settings: Settings) -> bool:
    """Take over settings, the project's into the project's file; False if there are none."""
    imported = list(imports.find_imports(site.variables, site.project))
    if not imported:
        print("no settings of tokf, rtk, cc-toolgate or tokenjuice were found")
    for each in imported:
        if each.in_project:
            path = site.project / ".laconic/config.toml"
            _extend(each, path, target_of(path, "project", site), 0o644, args)
        else:
            path = settings.user_config_path
            _extend(each, path, path.resolve(), 0o600, args)
    return bool(imported)


def _extend(
    each: imports.Import, path: Path, target: Path, mode: int, args: argparse.Namespace
) -> None:
    """Extend a configuration without overriding what it already says."""
    before = originals.current(target)
    after, kept = imports.extended(before or b"", each.document, path)
    for name in each.left:
        print(f"{each.tool}: {visible(name)} has no counterpart and is left out")
    for name in kept:
        print(f"{each.tool}: {name} stays as your configuration says")
    change = Change(path, target, before, after, mode)
    if after == (before or b""):
        print(f"{each.tool}: {visible(str(each.path))} has nothing new")
        return
    show([change])
    if not args.dry_run and confirm(f"add these settings of {each.tool} to {path}?", args):
        originals.make_directories(target.parent)
        originals.write(target, before, after, change.mode)
        print(f"{each.tool}: {visible(str(path))} {change.verb}")
        if each.in_project:
            print("  it takes effect once you trust it: laconic trust")


def _switch_off(recipe: Recipe, args: argparse.Namespace, site: Site) -> None:
    """Offer to remove the hooks of other tools; laconic uninstall puts them back."""
    rivals = other_tools.find_rivals(recipe, site)
    for rival in rivals:
        if rival.is_file:
            print(
                f"{recipe.name}: {visible(str(rival.path))} is {rival.name}'s: remove it yourself"
            )
    changes = other_tools.plan_removal(recipe, site)
    if not changes:
        return
    tools = ", ".join(dict.fromkeys(rival.name for rival in rivals if not rival.is_file))
    show(changes)
    if not args.dry_run and confirm(f"switch off the hooks of {tools}?", args):
        carry_out(changes, recipe, site)
        for change in changes:
            say(recipe, change, dry_run=False)
