"""Repairs laconic in an agent: what was lost or differs is written again, where it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from laconic.install import originals
from laconic.install.doctor import examine
from laconic.install.install import SCOPES, Change, Site, carry_out, path_of, plan_install
from laconic.install.installed import find_installed
from laconic.install.recipe import Recipe, Scope
from laconic.settings.load import Settings

# The checks of the doctor that an installation settles.
_OURS = frozenset(("hook", "run", "install"))


def repair(recipe: Recipe, site: Site, settings: Settings) -> list[Change]:
    """Write again what the doctor finds fault with; return what changed."""
    findings = examine(recipe, site, settings)
    if not any(each.check in _OURS and each.state in ("warn", "broken") for each in findings):
        return []
    changes = [
        change for scope in _scopes(recipe, site) for change in plan_install(recipe, scope, site)
    ]
    carry_out(changes, recipe, site)
    return changes


def is_lost(recipe: Recipe, site: Site) -> bool:
    """Tell whether laconic was installed in an agent once, and somebody took it out."""
    return any(_scopes(recipe, site))


def _scopes(recipe: Recipe, site: Site) -> Iterator[Scope]:
    """Yield the scopes that laconic is in, or was in until somebody took it out."""
    here = {each.path.resolve() for each in find_installed(recipe, site)}
    here |= {record.path for record in originals.find_all(site.state_dir, recipe.name)}
    for scope in SCOPES:
        if here & set(_paths(recipe, scope, site)):
            yield scope


def _paths(recipe: Recipe, scope: Scope, site: Site) -> Iterator[Path]:
    for file in recipe.files:
        if path := path_of(file, recipe, scope, site):
            yield path.resolve()
