"""Checks this machine's policy and lays it around the other layers: below them, and above.

What it requires is added last, so that nothing takes it away again; of values with an order the
stricter one stays. A policy that is not good counts as the strictest profile with the last good
one, never as none.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from laconic.errors import Problem
from laconic.settings import merge, schema, toml
from laconic.settings.config import ORDERS, PROFILE_ORDER
from laconic.settings.keys import file_schema, kinds
from laconic.settings.managed import Managed, Read, asks_on_failure
from laconic.settings.merge import Items
from laconic.types import MEANINGS

DEFAULT, REQUIRE = "default", "require"
NONE, ONCE = "none", "once"
_STRICTEST = "strict"
_MOST_FAULTS = 20
# What lets commands run: `user_rules = false` keeps of these tables what is stricter.
_CONSENTS = ("cargo", "commands", "effects", "gh", "git", "kubectl", "paths", "wrappers")
_STRICT_ANSWERS = ("ask", "deny")


class Policy(NamedTuple):
    """A policy as it counts today. source: its path; default, require: documents of that form."""

    source: str
    managed: Managed
    default: Mapping[str, Any]
    require: Mapping[str, Any]
    problems: tuple[Problem, ...] = ()


# -- reading and checking --------------------------------------------------------------------------


def policy_of(found: Read) -> Policy:
    """Return what counts of what was read; never raises."""
    path, data, fault, copy, today = found
    if data is None:
        document: dict[str, Any] = {}
        problems = [Problem("broken", "", "", *fault)]
    else:
        document, problems = check_policy(data, path)
    is_broken = bool(problems)
    if is_broken:
        document, faults = check_policy(copy, path) if copy is not None else ({}, problems)
        has_copy = copy is not None and not faults
        kept = "the profile strict is in force" + (", with the last good one" if has_copy else "")
        problems.append(Problem("broken", path, "", f"this machine's policy is broken: {kept}"))
        document = document if has_copy else _NOTHING_GOOD
    is_expired = document.get("expires", today) < today
    is_strict = is_broken or (is_expired and document.get("on_expired") == _STRICTEST)
    require = _as_strict(document.get(REQUIRE, {})) if is_strict else document.get(REQUIRE, {})
    if is_expired:
        message = f"the policy expired on {document['expires']}, and stays in force"
        problems.append(Problem("expired", path, "", message, "laconic policy pull"))
    on_failure = "ask" if is_broken else document.get("on_failure", "allow")
    managed = _managed(document, require, on_failure, is_broken, is_expired)
    return Policy(path, managed, document.get(DEFAULT, {}), require, tuple(problems))


# Nobody knows what the policy said: what it may have switched off is off.
_NOTHING_GOOD: dict[str, Any] = {
    "user_rules": False,
    "agent_rules": False,
    "allowances": NONE,
    "trust": False,
}


def _as_strict(require: Mapping[str, Any]) -> dict[str, Any]:
    return {**require, "settings": {**require.get("settings", {}), "profile": _STRICTEST}}


def _managed(
    document: Mapping[str, Any],
    require: Mapping[str, Any],
    on_failure: str,
    is_broken: bool,
    is_expired: bool,
) -> Managed:
    allowances = document.get("allowances", "")
    given = merge.names_in(require)
    effects = require.get("effects", {})
    return Managed(
        name=document.get("name", "this machine"),
        serial=document.get("serial", 0),
        expires=document.get("expires", ""),
        is_broken=is_broken,
        is_expired=is_expired,
        user_rules=document.get("user_rules", True),
        agent_rules=document.get("agent_rules", True),
        trust=document.get("trust", True),
        only_once=allowances == ONCE,
        allowances=_longest(allowances),
        on_failure=on_failure,
        profile=require.get("settings", {}).get("profile", ""),
        lists={
            name: frozenset(value for value in values if isinstance(value, str))
            for name, values in given.items()
            if isinstance(kinds()[name], schema.ListOf)
        },
        asks=tuple(word for word, answer in effects.items() if answer == "ask"),
        denies=tuple(word for word, answer in effects.items() if answer == "deny"),
        locked=frozenset(given),
    )


def _longest(allowances: str) -> float:
    if allowances in ("", ONCE):
        return float("inf")
    return 0.0 if allowances == NONE else float(schema.span_s(allowances) or 0)


def check_policy(data: bytes, path: str) -> tuple[dict[str, Any], list[Problem]]:
    """Return the document, or what is wrong with it: then nothing of it counts."""
    try:
        document = toml.parse(data)
    except ValueError as error:
        return {}, [Problem("broken", path, "", str(error))]
    faults = list(islice(schema.check(document, policy_schema()), _MOST_FAULTS))
    faults = faults or list(_bad_patterns(document))
    if not faults and (document.get("on_failure") == "ask") != asks_on_failure(
        (path, data, ("", ""), None, "")
    ):
        message = "is read without a parser where nothing else works"
        faults = [
            schema.Fault('key "on_failure"', message, 'a line of its own: on_failure = "ask"')
        ]
    problems = [Problem("broken", path, *fault) for fault in faults]
    return ({}, problems) if problems else (document, [])


def _bad_patterns(document: Mapping[str, Any]) -> list[schema.Fault]:
    """Name patterns that do not compile; in a user's file such a rule is only left out."""
    faults = []
    for layer in (DEFAULT, REQUIRE):
        skip = document.get(layer, {}).get("skip", {})
        rules = document.get(layer, {}).get("rewrite", [])
        patterns: list[str] = [*skip.get("patterns", [])]
        patterns += [rule["match"] for rule in rules if "match" in rule]
        patterns += [entry for entry in skip.get("exclude", []) if entry.startswith("^")]
        faults += [
            schema.Fault(f"[{layer}]: {toml.brief(one)}", complaint)
            for one in patterns
            if (complaint := schema.is_regex(one))
        ]
    return faults


@cache
def policy_schema() -> schema.Table:
    answers = schema.Table({word: schema.Choice(_STRICT_ANSWERS) for word in MEANINGS})
    required = schema.Table({**file_schema().keys, "effects": answers})
    return schema.Table(
        {
            "name": schema.Text((schema.is_name,)),
            "serial": schema.Number(),
            "expires": schema.Text((_is_day,)),
            "on_expired": schema.Choice(("keep", _STRICTEST)),
            "on_failure": schema.Choice(("allow", "ask")),
            "user_rules": schema.Flag(),
            "agent_rules": schema.Flag(),
            "allowances": schema.Text((_is_span,)),
            "trust": schema.Flag(),
            DEFAULT: file_schema(),
            REQUIRE: required,
        }
    )


def _is_day(text: str) -> str:
    try:
        is_day = date.fromisoformat(text).isoformat() == text
    except ValueError:
        is_day = False
    return "" if is_day else f"expected a day as in 2027-01-31, found {toml.brief(text)}"


def _is_span(text: str) -> str:
    if text in (NONE, ONCE) or schema.span_s(text):
        return ""
    return f'expected "none", "once" or a time as in "8h", found {toml.brief(text)}'


# -- around the other layers -----------------------------------------------------------------------


def narrowed(document: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return a user's document without what lets commands run, and the names of what is gone."""
    consents = {table: document[table] for table in _CONSENTS if table in document}
    strict, ignored = merge.split_by_trust(consents)
    answers = consents.get("effects", {})
    kept = {word: answer for word, answer in answers.items() if answer in _STRICT_ANSWERS}
    strict |= {"effects": kept} if kept else {}
    gone = [name for name in ignored if name not in {f"effects.{word}" for word in kept}]
    return {**{k: v for k, v in document.items() if k not in consents}, **strict}, gone


def tightened(values: merge.Values, require: Mapping[str, Any]) -> dict[str, Any]:
    """Return what to lay over these values: no value that is looser, and tables of texts joined.

    Whoever requires anything wants answers: without a word about it, the gate is not off, and what
    an agent cannot ask about is denied.
    """
    made = _tightened(values, require, "")
    if require:
        if "gate" not in require.get("settings", {}) and values["settings.gate"].value == "off":
            made["settings"] = {**made.get("settings", {}), "gate": "enforce"}
        if "cannot_ask" not in require.get("hooks", {}):
            made["hooks"] = {**made.get("hooks", {}), "cannot_ask": "deny"}
    return made


def _tightened(values: merge.Values, table: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in table.items():
        name = prefix + key
        if name not in kinds():
            is_table = isinstance(value, dict)
            made[key] = _tightened(values, value, f"{name}.") if is_table else value
        elif isinstance(kinds()[name], schema.MapOf):
            known: Mapping[str, Any] = dict(values[name].value)
            made[key] = {**known, **value}
        elif isinstance(values[name], Items) or stricter(name, values[name].value, value):
            made[key] = value
    return made


def stricter(name: str, now: object, wanted: object) -> bool:
    """Tell whether a value is to replace the one that is there."""
    order = _order(name)
    if order is None or now not in order or wanted not in order:
        return True
    return order.index(wanted) > order.index(now)


def _order(name: str) -> tuple[object, ...] | None:
    if name.startswith("effects."):
        return "allow", "box", "profile", "ask", "deny"
    return PROFILE_ORDER if name == "settings.profile" else ORDERS.get(name)
