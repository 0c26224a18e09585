"""laconic install --managed, uninstall --managed: the hooks of a whole machine, by root."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from laconic.cli.main import complain
from laconic.errors import LaconicError, UsageError
from laconic.install.doctor import answers
from laconic.install.install import (
    Change,
    Site,
    carry_out,
    carry_out_removal,
    hook_command,
    is_present,
    plan_install,
    plan_uninstall,
)
from laconic.install.managed import has_managed, managed_site
from laconic.install.recipe import Recipe, names, read_recipe
from laconic.report.text import visible
from laconic.settings.load import Settings


def main(args: argparse.Namespace, site: Site, settings: Settings) -> int:
    if args.take_over or args.profile:
        hint = "laconic install --managed claude-code; the profile stands in the policy"
        raise UsageError("--managed goes with agents alone", hint)
    recipes = [read_recipe(name) for name in dict.fromkeys(args.agents)]
    if args.detect:
        here = (one for one in map(read_recipe, names()) if is_present(one, site.variables))
        recipes += [one for one in here if has_managed(one) and one not in recipes]
    if not recipes:
        known = ", ".join(name for name in names() if has_managed(read_recipe(name)))
        raise UsageError("which agent?", f"laconic install --managed AGENT, of: {known}")
    site = managed_site(site)
    done = [_install(recipe, site, settings, dry_run=args.dry_run) for recipe in recipes]
    return 0 if all(done) else 1


def _install(recipe: Recipe, site: Site, settings: Settings, *, dry_run: bool) -> bool:
    if not has_managed(recipe):
        complain(f"{recipe.name}: it has no settings for all users", "laconic help install")
        return False
    try:
        changes = plan_install(recipe, "managed", site)
        if not dry_run:
            carry_out(changes, recipe, site)
    except LaconicError as error:
        complain(f"{recipe.name}: {error.message}", error.hint)
        return False
    for change in changes:
        _say(recipe, change, dry_run=dry_run)
    if not changes:
        print(f"{recipe.name}: is already installed")
    return dry_run or _works(recipe, site, settings)


def _works(recipe: Recipe, site: Site, settings: Settings) -> bool:
    """Call the hook, which also computes what no user may write for all others."""
    found = answers(hook_command(recipe, site), recipe, site, settings)
    if found.state != "ok":
        complain(f"{recipe.name}: {found.message}", "laconic doctor")
    return found.state == "ok"


def remove(agents: Iterable[str], site: Site, *, is_quiet: bool) -> int:
    """Take the hooks out again. is_quiet: say nothing of agents that have none."""
    site = managed_site(site)
    failed = False
    for recipe in (read_recipe(name) for name in dict.fromkeys(agents)):
        try:
            changes = plan_uninstall(recipe, site, ("managed",))
            carry_out_removal(changes, recipe, site)
        except LaconicError as error:
            complain(f"{recipe.name}: {error.message}", error.hint)
            failed = True
            continue
        for change in changes:
            _say(recipe, change, dry_run=False)
        if not changes and not is_quiet:
            print(f"{recipe.name}: laconic is not installed in it for all users")
    return 1 if failed else 0


def _say(recipe: Recipe, change: Change, *, dry_run: bool) -> None:
    verb = f"would be {change.verb}" if dry_run else change.verb
    print(f"{recipe.name}: {visible(str(change.path))} {verb}")
