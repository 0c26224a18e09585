"""The user's own tables of tools, `rules/*.toml`, and the mistakes in them.

A file has the form of the built-in ones (docs/knowledge.md). One with a mistake is not in force as
a whole: a rule that is read wrongly is worse than a question.
"""

from __future__ import annotations

from itertools import islice

from laconic.errors import Problem
from laconic.knowledge import catalog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from laconic.knowledge.knowledge import Row
    from laconic.settings.load import File

    Fault = tuple[str, str, str]  # where, message, hint

_MOST_FAULTS = 5
_TEXT = (
    "about why instead options everywhere operands style code needs alone settings startup_settings"
    " subcommands"
).split()
_FLAGS = "anything late complete network".split()
_LISTS = "also yes no".split()
_TABLES = "refuse values does".split()


def own_rows(files: tuple[File, ...]) -> tuple[list[Row], tuple[Problem, ...]]:
    """Return the tables of the files that have no mistake, and the mistakes of the others."""
    rows: list[Row] = []
    problems: list[Problem] = []
    for file in files:
        document, faults = _checked(file)
        problems += faults
        rows += [(file.path, name, table) for name, table in document.items()]
    return rows, tuple(problems)


def _checked(file: File) -> tuple[dict[str, Any], list[Problem]]:
    from laconic.settings import toml  # noqa: PLC0415 - few users have such files

    try:
        document = toml.parse(file.data)
    except ValueError as error:
        return {}, [Problem("broken", file.path, "", str(error))]
    effect = document.pop("effect", "")
    faults = [("key effect", *fault) for fault in _wrong_effects(effect)]
    faults += islice(_faults(document), _MOST_FAULTS)
    if not faults:
        return catalog.with_default_effect({"effect": effect, **document}), []
    problems = [Problem("broken", file.path, *fault) for fault in faults]
    return {}, [*problems, Problem("broken", file.path, "", "it is not in force")]


def _faults(document: Mapping[str, Any]) -> Iterator[Fault]:
    for name, table in document.items():
        where = f'["{name}"]'
        if not isinstance(table, dict):
            yield where, "expected a table", f'write its path in quotes: ["{name} status"]'
            continue
        paths = [name, *(table["also"] if isinstance(table.get("also"), list) else ())]
        if not all(isinstance(p, str) and p.split() and "*" not in p.split()[0] for p in paths):
            yield where, "a path begins with the name of a program", ""
        for key, value in table.items():
            yield from (
                (f"{where}: key {key}", message, hint) for message, hint in _wrong(key, value)
            )


def _wrong(key: str, value: object) -> Iterator[tuple[str, str]]:
    from laconic.knowledge.knowledge import KEYS  # noqa: PLC0415
    from laconic.settings.schema import closest  # noqa: PLC0415 - as above

    if key not in KEYS:
        best = closest(key, KEYS)
        yield "unknown key", f"did you mean {best}?" if best else ""
    elif key == "verdict":
        yield from _wrong_verdict(value)
    elif key == "effect":
        yield from _wrong_effects(value)
    elif key in _FLAGS and not isinstance(value, bool):
        yield "expected true or false", ""
    elif key in _TEXT and not isinstance(value, str):
        yield "expected text", ""
    elif key in _LISTS and not (isinstance(value, list) and all(isinstance(i, str) for i in value)):
        yield "expected a list of text", ""
    elif key in _TABLES and not isinstance(value, dict):
        yield "expected a table of text", ""
    elif key in ("options", "everywhere", "operands", "code"):
        yield from _wrong_words(key, str(value))


def _wrong_verdict(value: object) -> Iterator[tuple[str, str]]:
    if value not in ("allow", "ask", "deny"):
        yield "expected allow, ask or deny", 'an effect says what follows: effect = "project-write"'


def _wrong_effects(value: object) -> Iterator[tuple[str, str]]:
    from laconic.settings.schema import closest  # noqa: PLC0415 - as above
    from laconic.types import EFFECTS  # noqa: PLC0415

    for word in str(value).split():
        if word not in EFFECTS:
            best = closest(word, EFFECTS)
            yield f"{word} is not an effect", f"did you mean {best}?" if best else ""


def _wrong_words(key: str, value: str) -> Iterator[tuple[str, str]]:
    from laconic.knowledge.options import Spec  # noqa: PLC0415
    from laconic.policy.commands import NAMES  # noqa: PLC0415
    from laconic.policy.table import ROLES  # noqa: PLC0415 - as above

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
