"""The configuration as rules over the built-in knowledge.

What the user's and the project's files add to the lists or remove from them counts. The built-in
lists themselves speak only of programs that the knowledge files do not know.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from laconic.catalog import library
from laconic.policy.rules import Gate, Rules
from laconic.settings import built_in, home_directory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from laconic.settings import Settings


@cache
def _defaults() -> dict[str, Any]:
    return built_in()


def build_rules(settings: Settings, environ: Mapping[str, str]) -> Rules:
    """What the user's and the project's files change, as rules over the built-in knowledge."""
    rules = Rules(settings.config.settings.profile)
    known = library().knows
    lists = _Lists(settings)
    unknown = {
        name: {n for n in _defaults()["commands"][name] if not known(n)}
        for name in ("allow", "ask", "deny")
    }
    commands = settings.config.commands
    unlisted = lists.removed("commands.allow") - {*commands.ask, *commands.deny}
    rules.allow = frozenset(
        lists.added("commands.allow") | unknown["allow"].intersection(commands.allow)
    )
    rules.ask = frozenset(lists.added("commands.ask") | unlisted | unknown["ask"] - rules.allow)
    rules.deny = frozenset(
        lists.added("commands.deny") | unknown["deny"].intersection(commands.deny)
    )
    rules.undenied = frozenset(lists.removed("commands.deny"))
    _add_wrappers(rules, lists)
    _add_subcommands(rules, lists)
    rules.gates = dict(_gates(settings, environ))
    rules.force_push = frozenset(settings.config.git.force_push_flags)
    return rules


class _Lists:
    """What the layers over the built-in one added to and removed from its lists."""

    def __init__(self, settings: Settings) -> None:
        self.values = settings.values

    def added(self, name: str) -> set[str]:
        return {*self.values[name].value} - self._default(name)

    def removed(self, name: str) -> set[str]:
        return self._default(name) - {*self.values[name].value}

    def _default(self, name: str) -> set[str]:
        table, _, key = name.partition(".")
        return {*_defaults()[table][key]}


def _add_wrappers(rules: Rules, lists: _Lists) -> None:
    asking = lists.added("wrappers.ask_floor")
    rules.wrappers = dict.fromkeys(lists.added("wrappers.allow_floor"), "allow")
    rules.wrappers |= dict.fromkeys(asking, "ask")
    unwrapped = lists.removed("wrappers.allow_floor") - asking
    rules.ask |= unwrapped | {name for name in asking if library().knows(name)}


_SUBCOMMANDS = (
    ("git", "read_only", ""),
    ("cargo", "safe_subcommands", ""),
    ("kubectl", "read_only", "mutating"),
    ("gh", "read_only", "mutating"),
)


def _add_subcommands(rules: Rules, lists: _Lists) -> None:
    for tool, harmless, mutating in _SUBCOMMANDS:
        asking = lists.removed(f"{tool}.{harmless}")
        asking |= lists.added(f"{tool}.{mutating}") if mutating else set()
        allowed = lists.added(f"{tool}.{harmless}")
        rules.subcommands |= {f"{tool} {name}": "allow" for name in allowed}
        rules.subcommands |= {f"{tool} {name}": "ask" for name in asking}


def _gates(settings: Settings, environ: Mapping[str, str]) -> Iterable[tuple[str, Gate]]:
    for tool, *_ in _SUBCOMMANDS:
        table: Any = getattr(settings.config, tool)
        if table.allowed_with_config and table.config_env:
            values = {
                name: () if value == "*" else (value, expand(value, environ))
                for name, value in table.config_env.items()
            }
            yield tool, Gate(table.allowed_with_config, values)


_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


def expand(value: str, environ: Mapping[str, str]) -> str:
    """Put the home in place of a leading `~`, and variables' values in place of their names."""
    if value == "~" or value.startswith("~/"):
        value = f"{home_directory(environ)}{value[1:]}"
    return _VARIABLE.sub(lambda found: environ.get(found[1] or found[2], found[0]), value)
