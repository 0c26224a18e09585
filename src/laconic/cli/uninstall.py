"""laconic uninstall: take laconic out of the settings of coding agents."""

from __future__ import annotations

import argparse
import os
import shutil
from pathlib import Path

from laconic.cli import install_managed
from laconic.cli.install import confirm, read_site, say
from laconic.cli.main import complain
from laconic.errors import LaconicError, UsageError
from laconic.install.install import Site, carry_out_removal, plan_uninstall
from laconic.install.recipe import Recipe, names, read_recipe
from laconic.record.kept import is_apart, known
from laconic.report.text import visible
from laconic.server import control
from laconic.settings.environ import Directories
from laconic.settings.load import process_environment
from laconic.shell.words import quoted

_OURS = "laconic"  # how the directories are called, unless a variable names another one


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agents", nargs="*", metavar="AGENT", help=", ".join(names()))
    parser.add_argument("--all", action="store_true", help="out of all agents")
    parser.add_argument(
        "--managed", action="store_true", help="out of the settings of all users; only root can"
    )
    parser.add_argument(
        "--purge", action="store_true", help="also remove the configuration, records and caches"
    )
    parser.add_argument("--yes", action="store_true", help="answer every question with yes")


def main(args: argparse.Namespace) -> int:
    if bool(args.agents) == args.all:
        raise UsageError("which agents?", "name them, or all: laconic uninstall --all")
    if args.purge and not args.all:
        raise UsageError("--purge goes with --all", "laconic uninstall --all --purge")
    site, settings = read_site()
    if args.managed:
        if args.purge:
            raise UsageError("--purge is about one user", "leave out --managed")
        return install_managed.remove(args.agents or names(), site, is_quiet=args.all)
    recipes = [read_recipe(name) for name in dict.fromkeys(args.agents or names())]
    failed = [recipe for recipe in recipes if not _uninstall(recipe, site, quiet=args.all)]
    if failed:
        return 1
    if args.all:
        print("laconic is not in any agent now")
    return _purge(args, settings.directories) if args.purge else 0


def _purge(args: argparse.Namespace, directories: Directories) -> int:
    """Remove the directories of laconic, unless one of them may be something else as well."""
    kept = map(Path, known(process_environment(), str(directories.state)))
    apart = [place for place in kept if not place.is_relative_to(directories.state)]
    places = dict.fromkeys((directories.config, directories.state, directories.cache, *apart))
    existing = [place for place in places if place.exists()]
    if not existing:
        print("there is nothing to remove")
        return 0
    for place in existing:
        print(f"  {visible(str(place))}")
    if not confirm("remove all that is in them?", args):
        return 1
    control.stop(process_environment())
    left = [
        place
        for place in existing
        if place.is_symlink() or (place.name != _OURS and not is_apart(place))
    ]
    for place in existing:
        if place not in left:
            _open_all(place)
            shutil.rmtree(place)
            print(f"removed: {visible(str(place))}")
    for place in left:
        complain(f"{place}: was left, as its name is not {_OURS}", f"rm -r {quoted(str(place))}")
    return 1 if left else 0


def _uninstall(recipe: Recipe, site: Site, *, quiet: bool) -> bool:
    """Take laconic out of an agent; quiet: say nothing about one that it is not in."""
    try:
        changes = plan_uninstall(recipe, site)
        carry_out_removal(changes, recipe, site)
    except LaconicError as error:
        complain(f"{recipe.name}: {error.message}", error.hint)
        return False
    for change in changes:
        say(recipe, change, dry_run=False)
    if not changes and not quiet:
        print(f"{recipe.name}: laconic is not installed in it")
    return True


def _open_all(place: Path) -> None:
    """Let directories be removed that the kernel has closed: those of the box's overlays."""
    for above, below, _ in os.walk(place):
        for path in (Path(above, name) for name in below):
            if not path.is_symlink() and not os.access(path, os.R_OK | os.W_OK | os.X_OK):
                path.chmod(0o700)
