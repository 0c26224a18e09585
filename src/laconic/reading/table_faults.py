"""Finds the mistakes in tables of tools, the built-in ones and the user's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from laconic.knowledge.knowledge import KEYS
from laconic.knowledge.options import Spec
from laconic.knowledge.traits import TRAITS
from laconic.reading.commands import NAMES
from laconic.reading.table import ROLES
from laconic.settings.schema import closest
from laconic.types import EFFECTS

Fault = tuple[str, str, str]  # where, message, hint

_TEXT = (
    "about why instead options everywhere operands style code groups needs alone settings"
    " startup_settings subcommands"
).split()
_FLAGS = "anything formats late complete".split()
_LISTS = "also yes no".split()
_TABLES = "refuse values does".split()


def faults_of(document: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield what is wrong with the tables of a file, by their paths."""
    for name, table in document.items():
        where = f'["{name}"]'
        if not isinstance(table, dict):
            yield where, "expected a table", f'write its path in quotes: ["{name} status"]'
            continue
        paths = [name, *(table["also"] if isinstance(table.get("also"), list) else ())]
        if not all(isinstance(p, str) and p.split() and "*" not in p.split()[0] for p in paths):
            yield where, "a path begins with the name of a program", ""
        wrong = [(key, fault) for key, value in table.items() for fault in _wrong(key, value)]
        yield from ((f"{where}: key {key}", *fault) for key, fault in wrong)
        if not wrong:
            yield from ((where, *fault) for fault in _contradictions(table))


def missing_example(table: Mapping[str, Any]) -> str:
    """Return the key of the example that a built-in table lacks; empty if it has one."""
    key = "yes" if table.get("verdict", "allow") == "allow" else "no"
    return "" if table.get(key) else key


def _wrong(key: str, value: object) -> Iterator[tuple[str, str]]:
    if key not in KEYS:
        best = closest(key, KEYS)
        yield "unknown key", f"did you mean {best}?" if best else ""
    elif key == "verdict":
        yield from _wrong_verdict(value)
    elif key == "effect":
        yield from wrong_effects(value)
    elif key == "traits":
        yield from _wrong_traits(value)
    elif key == "network" and not isinstance(value, bool | str):
        yield "expected true, or options and words that make it so", ""
    elif key in _FLAGS and not isinstance(value, bool):
        yield "expected true or false", ""
    elif key in _TEXT and not isinstance(value, str):
        yield "expected text", ""
    elif key in _LISTS and not (isinstance(value, list) and all(isinstance(i, str) for i in value)):
        yield "expected a list of text", ""
    elif key in _TABLES and not (
        isinstance(value, dict) and all(isinstance(i, str) for i in value.values())
    ):
        yield "expected a table of text", ""
    elif key == "does" and isinstance(value, dict):
        yield from _wrong_deeds(value)
    elif key in ("options", "everywhere", "operands", "code"):
        yield from _wrong_words(key, str(value))


def _wrong_verdict(value: object) -> Iterator[tuple[str, str]]:
    if value not in ("allow", "ask", "deny"):
        yield "expected allow, ask or deny", 'an effect says what follows: effect = "project-write"'


def wrong_effects(value: object) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with an `effect`: words, or words by the last word of a path."""
    named = value.values() if isinstance(value, dict) else [value]
    for word in " ".join(map(str, named)).split():
        if word not in EFFECTS:
            best = closest(word, EFFECTS)
            hint = f"did you mean {best}?" if best else f"known: {', '.join(EFFECTS)}"
            yield f"{word} is not an effect", hint


def _wrong_traits(value: object) -> Iterator[tuple[str, str]]:
    named = value.values() if isinstance(value, dict) else [value]
    for word in " ".join(map(str, named)).split():
        trait, colon, _ = word.partition(":")
        if trait not in TRAITS:
            yield f"{trait} is not a trait", f"known: {', '.join(TRAITS)}"
        elif colon and not TRAITS[trait]:
            yield f"{trait} says nothing more", f"write {trait}"


def _wrong_deeds(value: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, text in value.items():
        words, _, why = text.partition(": ")
        yield from wrong_effects(words)
        if not why:
            yield f"{name} does not say what it does", 'for example "project-write: rewrites files"'


def _wrong_words(key: str, value: str) -> Iterator[tuple[str, str]]:
    if key == "code":
        if value not in NAMES:
            yield f"there is no code {value!r}", f"known: {', '.join(sorted(NAMES))}"
        return
    if key == "operands":
        roles = {word.removesuffix("...").removesuffix("?") for word in value.split()}
    else:
        spec = Spec(value)
        roles = {role for _, role in spec.known.values() if role}
        for option in spec.known:
            if not option.startswith("-"):
                yield f"{option} is not an option", "operands have a key of their own"
    for role in sorted(roles - ROLES):
        yield f"{role} is not known", f"known: {', '.join(sorted(ROLES))}"


def _contradictions(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    spec = Spec(f"{table.get('options', '')} {table.get('everywhere', '')}")
    for option in table.get("does", {}):
        if option.startswith("-") and option not in spec.known:
            yield f"`does` names {option}", "list it in `options` as well"
    if "COMMAND" in table.get("operands", "") and table.get("late") is not False:
        yield "the options of the inner command are its own", "add late = false"
