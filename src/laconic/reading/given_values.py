"""Values of variables and settings that are commands, files, servers, or make programs load code.

Each has its role in `knowledge/roles`; what stands in plain words is judged as if a program did it.
"""

from __future__ import annotations

import re

from laconic.knowledge.arguments import Argument
from laconic.knowledge.knowledge import Branch, Entry, Match
from laconic.knowledge.roles import Role, role_of
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.environment import is_known_server
from laconic.reading.indexes import is_known_index
from laconic.reading.judge import Judge
from laconic.reading.situation import Situation
from laconic.types import Decision, Effect

_ENTRY = Entry("environment", {}, "")
_NO_MATCH = Match("environment", Branch(), [])
# Keys of git whose middle part names the server that is spoken for: `url.X.insteadOf=Y`.
_NAMED_BY_KEY = pattern(r"url\.(.*)\.(?:push)?insteadof", re.IGNORECASE | re.DOTALL)


def value_findings(
    role: Role,
    name: str,
    value: str | None,
    span: tuple[int, int],
    judge: Judge,
    situation: Situation,
) -> list[Decision]:
    """What a variable of the environment does by its value; None: it is not known."""
    call = Call(_NO_MATCH, _ENTRY, judge, situation, span)
    follow_value(call, role, name, Argument(value, *span))
    return call.findings


def follow_value(call: Call, role: Role, name: str, value: Argument) -> None:
    """Judge a value by its role, as something that a call is told."""
    if role.spares(value.text):
        return
    if role.name == "SHELL":
        if value.text is not None:
            code = value.text.lstrip("|-!")  # LESSOPEN begins so, and aliases of git
            call.shell(Argument(code, value.start, value.end))
    elif role.name == "WRITE":
        call.writes(value)
    elif role.name == "READ":
        call.reads(value)
    elif role.name == "LOADS":
        why = f"{name} makes programs load or run other code"
        call.does(Effect.SYSTEM, role.known(name), why, value)
    elif role.name == "SERVER" and (value.text is None or not is_known_server(value.text)):
        why = f"{name} names another server for the credentials that are there"
        call.does(Effect.SENDS, role.known(name), why, value)
    elif role.name == "INDEX" and not is_known_index(value.text or "://", call.judge.say.hosts):
        why = f"{name} says that packages come from elsewhere"
        call.does(Effect.RUNS_FETCHED, role.known(name), why, value)
    elif role.name == "CONFIG" and not _is_the_users(call, value.text):
        why = f"{name} may name another server for the credentials that are there"
        call.does(Effect.SENDS, role.known(name), why, value)


def _is_the_users(call: Call, paths: str | None) -> bool:
    """Tell whether these are files of the user, where no agent puts any."""
    return paths is not None and all(map(call.is_outside, paths.split(":")))


def follow_settings(call: Call, settings: list[Argument]) -> None:
    """What `git -c KEY=VALUE` does by its values."""
    for setting in settings:
        key, equals, _ = setting.leading.partition("=")
        role = role_of("git", key.lower())
        if role is None:
            continue
        value = setting.behind(len(key) + 1) if equals else Argument("true", *call.span)
        if named := _NAMED_BY_KEY.fullmatch(key):
            value = Argument(named[1], setting.start, setting.end)
        elif key.lower().startswith("alias.") and not value.leading.startswith("!"):
            value = Argument(f"git {value.text}", setting.start, setting.end)
        follow_value(call, role, key, value)
