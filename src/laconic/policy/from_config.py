"""The configuration as rules, and as tables, over the built-in knowledge.

What the user's and the project's files add to the lists or remove from them counts. The built-in
lists themselves speak only of programs that the knowledge files do not know; but what the built-in
deny list names is denied where the knowledge files would ask.
"""

from __future__ import annotations

import re
from functools import lru_cache

from laconic.files import home
from laconic.knowledge import catalog
from laconic.policy.own_rules import is_rule, own_rules
from laconic.policy.rules import Rules, SubcommandGate
from laconic.reading.user_places import UserPlaces
from laconic.settings.load import defaults, files_in
from laconic.types import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from laconic.errors import Problem
    from laconic.knowledge.knowledge import Library
    from laconic.policy.own_rules import OwnRule
    from laconic.policy.permissions import Permission
    from laconic.settings.config import Config
    from laconic.settings.load import File, Settings
    from laconic.settings.managed import Managed


def load_library(settings: Settings) -> tuple[Library, tuple[Problem, ...]]:
    """Return what is known of tools here, and what is wrong with the files that say so."""
    if settings.managed and not settings.managed.user_rules:
        return catalog.library(), ()
    files, problems = files_in("rules", settings)
    if not files:
        return catalog.library(), problems
    library, faults = _library(files)
    return library, problems + faults


@lru_cache(maxsize=16)
def _library(files: tuple[File, ...]) -> tuple[Library, tuple[Problem, ...]]:
    from laconic.policy.user_tables import own_rows  # noqa: PLC0415 - few have such files

    rows, problems = own_rows(files)
    return catalog.extended(rows), problems


def build_rules(
    settings: Settings,
    library: Library,
    environ: Mapping[str, str],
    permissions: tuple[Permission | OwnRule, ...] = (),
    *,
    accepts_edits: bool = False,
) -> Rules:
    """What the user's and the project's files change, as rules over the built-in knowledge."""
    rules = _of_config(settings.config, library, settings.managed)
    gates = dict(_gates(settings.config, environ))
    if not gates and not permissions and not accepts_edits:
        return rules
    return rules.here(gates, permissions, accepts_edits=accepts_edits)


@lru_cache(maxsize=32)
def _of_config(config: Config, library: Library, managed: Managed | None) -> Rules:
    """What depends on nothing else; the same files come to the same configuration object."""
    rules = Rules(config.settings.profile, _changed_cells(config), managed)
    paths = config.paths
    never_write = (*paths.never_write, *_at_home(managed, "paths.never_write"))
    secret = (*paths.secret, *_at_home(managed, "paths.secret"))
    rules.places = UserPlaces(paths.write, never_write, secret)
    rules.hosts = frozenset(host.partition(":")[0].split(" ")[0] for host in config.box.hosts)
    known = library.knows
    lists = _Lists(config)
    unknown = {
        name: {n for n in _list(defaults(), f"commands.{name}") if not known(n)}
        for name in ("allow", "ask", "deny")
    }
    unlisted = lists.removed("commands.allow") - {*config.commands.ask, *config.commands.deny}
    rules.allow = frozenset(
        lists.added("commands.allow") | unknown["allow"].intersection(config.commands.allow)
    )
    rules.ask = frozenset(lists.added("commands.ask") | unlisted | unknown["ask"] - rules.allow)
    rules.deny = frozenset(
        lists.added("commands.deny") | unknown["deny"].intersection(config.commands.deny)
    )
    if managed:
        rules.ask |= managed.lists.get("commands.ask", frozenset())
        rules.deny |= managed.lists.get("commands.deny", frozenset())
    _add_rules(rules, config)
    rules.denied = frozenset(config.commands.deny).intersection(_list(defaults(), "commands.deny"))
    rules.undenied = frozenset(lists.removed("commands.deny"))
    _add_wrappers(rules, lists, library)
    _add_subcommands(rules, lists)
    rules.force_push = frozenset(config.git.force_push_flags)
    return rules


def _add_rules(rules: Rules, config: Config) -> None:
    """Tell entries of several words, which are rules, from names of programs."""
    rules.messages, rules.instead = config.commands.messages, config.commands.instead
    lists = {Verdict.ALLOW: rules.allow, Verdict.ASK: rules.ask, Verdict.DENY: rules.deny}
    rules.permissions = own_rules(lists, rules.messages, rules.instead, rules.managed)
    if rules.permissions:
        names = [frozenset(n for n in found if not is_rule(n)) for found in lists.values()]
        rules.allow, rules.ask, rules.deny = names


def _changed_cells(config: Config) -> dict[str, str]:
    answers: dict[str, str] = vars(config.effects)
    return {word: answer for word, answer in answers.items() if answer != "profile"}


def _at_home(managed: Managed | None, name: str) -> list[str]:
    """The patterns of a policy below the user's home as the system knows it, whatever HOME says."""
    patterns = managed.lists.get(name, ()) if managed else ()
    below = [pattern[2:] for pattern in patterns if pattern.startswith("~/")]
    directory = home({}) if below else ""
    return [f"{directory}/{rest}" for rest in below]


class _Lists:
    """What the layers over the built-in one added to and removed from its lists."""

    def __init__(self, config: Config) -> None:
        self.config = config

    def added(self, name: str) -> set[str]:
        return {*_list(self.config, name)} - {*_list(defaults(), name)}

    def removed(self, name: str) -> set[str]:
        return {*_list(defaults(), name)} - {*_list(self.config, name)}


def _list(config: Config, name: str) -> tuple[str, ...]:
    table, _, key = name.partition(".")
    names: tuple[str, ...] = getattr(getattr(config, table), key)
    return names


def _add_wrappers(rules: Rules, lists: _Lists, library: Library) -> None:
    asking = lists.added("wrappers.ask_floor")
    rules.wrappers = dict.fromkeys(lists.added("wrappers.allow_floor"), "allow")
    rules.wrappers |= dict.fromkeys(asking, "ask")
    unwrapped = lists.removed("wrappers.allow_floor") - asking
    rules.ask |= unwrapped | {name for name in asking if library.knows(name)}


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


def _gates(config: Config, environ: Mapping[str, str]) -> Iterable[tuple[str, SubcommandGate]]:
    for tool in _gated_tools(config):
        table: Any = getattr(config, tool)
        values = {
            name: () if value == "*" else (value, expand(value, environ))
            for name, value in table.config_env.items()
        }
        yield tool, SubcommandGate(table.allowed_with_config, values)


@lru_cache(maxsize=32)
def _gated_tools(config: Config) -> tuple[str, ...]:
    """The tools with subcommands that variables allow: in most configurations there is none."""
    tables: list[tuple[str, Any]] = [(tool, getattr(config, tool)) for tool, *_ in _SUBCOMMANDS]
    return tuple(tool for tool, t in tables if t.allowed_with_config and t.config_env)


_VARIABLE = r"\$(?:\{(\w+)\}|(\w+))"


def expand(value: str, environ: Mapping[str, str]) -> str:
    """Put the home in place of a leading `~`, and variables' values in place of their names."""
    if value == "~" or value.startswith("~/"):
        value = f"{home(environ)}{value[1:]}"
    return re.sub(_VARIABLE, lambda m: environ.get(m[1] or m[2], m[0]), value)
