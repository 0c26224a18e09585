"""laconic install: put laconic into the settings of coding agents."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import sys
from pathlib import Path

from laconic.box.trial import try_box
from laconic.cli import box_learn, install_managed
from laconic.cli.choose_profile import choose_profile
from laconic.cli.main import complain
from laconic.cli.source import directory_at
from laconic.errors import LaconicError, UsageError
from laconic.files import make_private
from laconic.install import imports, originals, other_tools
from laconic.install.doctor import is_native
from laconic.install.install import (
    ASKED_FOR,
    INTRODUCE,
    Change,
    Site,
    carry_out,
    find_executable,
    is_present,
    place_apart,
    plan_install,
    plan_place,
    target_of,
)
from laconic.install.installed import find_installed
from laconic.install.recipe import Recipe, Scope, names, read_recipe
from laconic.policy.profiles import ALIASES, PROFILES
from laconic.reading.facts import read_facts, scope
from laconic.report.screen import screen
from laconic.report.text import visible
from laconic.settings.load import Settings, process_environment, read_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agents", nargs="*", metavar="AGENT", help=", ".join(names()))
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--project", action="store_true", help="for this project only")
    where.add_argument(
        "--managed", action="store_true", help="for all users of this machine; only root can"
    )
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
    if args.managed:
        return install_managed.main(args, site, settings)
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
        try_box(site.variables)  # so that the first command is judged like the second
        if recipes and not args.project:
            box_learn.offer(is_attended=not args.yes)
        if any(changed.values()):
            _say_cost(site.executable)
        _say_next([recipe for recipe in recipes if changed[recipe.name] and recipe.sample])
    return 1 if None in changed.values() else 0


def _say_cost(executable: str) -> None:
    """Say what a package costs that was built without a C compiler; pip hides what a build says."""
    with contextlib.suppress(OSError):
        if not is_native(executable):
            no_box = ", and there is no box" if sys.platform == "linux" else ""
            said = (
                "note: laconic was built without a C compiler: before each command the agent waits"
                f" until Python has started{no_box}; where there is one: pipx reinstall laconic"
            )
            print("\n".join(screen().wrap(said)))


def _say_next(recipes: list[Recipe]) -> None:
    """Say what shows whether it works: the agents have to call laconic themselves."""
    if recipes:
        titles = recipes[0].title if len(recipes) == 1 else "one of them"
        said = f"next: let {titles} run a command, then type laconic to see that it called"
        print("\n".join(screen().wrap(said)))


def read_site() -> tuple[Site, Settings]:
    """Read where this process runs, and the settings there."""
    environ, cwd = process_environment(), directory_at(None)
    settings = read_settings(environ, cwd)
    hooks = settings.config.hooks
    asked_for = ASKED_FOR[hooks.replace_output] | (INTRODUCE if hooks.introduce else frozenset())
    project = Path(scope(read_facts(str(cwd), environ)))
    executable = find_executable(environ, sys.argv[0])
    site = Site(environ, project, executable, settings.directories.state, asked_for)
    return site, settings


# -- one agent -------------------------------------------------------------------------------------


def _install(recipe: Recipe, args: argparse.Namespace, site: Site) -> bool | None:
    """Install in one agent; tell whether anything changed, None after a fault.

    The others are still served then.
    """
    try:
        scope = _scope(recipe, args)
        if scope == "user" and (path := _managed_hook(recipe, site)):
            print(f"{recipe.name}: {path} has the hook of this machine; nothing to do")
            return False
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
    if scope == "user" and not (args.dry_run or args.yes):  # a person decides about a sandbox
        _offer_place(recipe, args, site)
    return bool(changes)


def _managed_hook(recipe: Recipe, site: Site) -> Path | None:
    """Return where root has put a hook for all users: a second one would judge all once more."""
    return next((each.path for each in find_installed(recipe, site) if each.is_managed), None)


def _offer_place(recipe: Recipe, args: argparse.Namespace, site: Site) -> None:
    """Offer to have outputs of the agent's sandbox kept where they last."""
    changes = plan_place(recipe, site)
    if not changes or not _is_attended():
        return
    show(changes)
    if confirm("let its sandbox write this directory, so that outputs last beyond /tmp?", args):
        make_private(place_apart(site))
        carry_out(changes, recipe, site)
        for change in changes:
            say(recipe, change, dry_run=False)


def _scope(recipe: Recipe, args: argparse.Namespace) -> Scope:
    wanted: Scope | None = "project" if args.project else "user" if args.user else None
    if wanted and wanted not in recipe.scopes:
        other = "--global" if wanted == "project" else "--project"
        message = f"{recipe.title} has no such settings"
        raise LaconicError(message, f"laconic install {recipe.name} {other}")
    return wanted or recipe.scopes[0]


def _say_more(recipe: Recipe, scope: Scope, site: Site) -> None:
    if recipe.note:
        print("\n".join(f"  {line}" for line in screen().wrap(recipe.note, 2)))
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
    them = recipes[0].title if len(recipes) == 1 else f"these {len(recipes)} agents"
    if not (args.dry_run or args.yes or _is_attended()):
        message = "nothing was installed: there is no terminal to ask on"
        raise LaconicError(message, "laconic install --detect --yes")
    if args.dry_run or confirm(f"install laconic in {them}?", args):
        return recipes
    return []


def _is_attended() -> bool:
    return bool(sys.stdin and sys.stdin.isatty())


def confirm(question: str, args: argparse.Namespace) -> bool:
    """Ask a person; without a terminal the answer is no, and a hint names --yes."""
    if args.yes:
        return True
    if not _is_attended():
        complain(f"{question} there is no terminal to ask on", "answer beforehand: --yes")
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
