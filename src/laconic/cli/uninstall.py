"""laconic uninstall: take laconic out of the settings of coding agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from laconic.cli.install import read_site, say
from laconic.cli.main import complain
from laconic.errors import LaconicError
from laconic.install.install import carry_out_removal, plan_uninstall
from laconic.install.recipe import names, read_recipe

if TYPE_CHECKING:
    import argparse

    from laconic.install.install import Site
    from laconic.install.recipe import Recipe


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agents", nargs="+", metavar="AGENT", help=", ".join(names()))


def main(args: argparse.Namespace) -> int:
    site, _ = read_site()
    recipes = [read_recipe(name) for name in dict.fromkeys(args.agents)]
    failed = [recipe for recipe in recipes if not _uninstall(recipe, site)]
    return 1 if failed else 0


def _uninstall(recipe: Recipe, site: Site) -> bool:
    try:
        changes = plan_uninstall(recipe, site)
        carry_out_removal(changes, recipe, site)
    except LaconicError as error:
        complain(f"{recipe.name}: {error.message}", error.hint)
        return False
    for change in changes:
        say(recipe, change, dry_run=False)
    if not changes:
        print(f"{recipe.name}: laconic is not installed in it")
    return True
