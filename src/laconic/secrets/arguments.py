"""The arguments of programs that are secrets: option values, operands, standard input.

They have the role SECRET in the tables of knowledge/data, and in those of data/secrets, of programs
and options that the gate does not know (docs/knowledge.md). In doubt a value is hidden: words count
wherever they stand, because wrappers may come before a program.
"""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH118, PTH120, PTH123
from __future__ import annotations

from functools import lru_cache
from os.path import dirname, join

from laconic.knowledge import catalog
from laconic.knowledge.knowledge import plain_paths
from laconic.knowledge.options import ATTACHED, Spec
from laconic.settings.disk_cache import cached_on_disk, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    # the other words of the path, options whose value is the next word, beginnings of a value
    Options = tuple[list[str], list[str], list[str]]
    # all words of the path, how many operands come before the first secret one
    Operands = tuple[list[str], int]

_FILE = join(dirname(catalog.__file__), "data", "secrets", "programs.toml")
_ANY = "*"
_ROLE = "SECRET"


# -- what is asked of a command, by its words ------------------------------------------------------


def options_of(words: frozenset[str]) -> Iterator[Options]:
    """The options whose values are secrets, of the programs and subcommands among these words."""
    table = _tables()["options"]
    for program in (_ANY, *words):
        for found in table.get(program, ()):
            if words.issuperset(found[0]):
                yield found


def operands_of(words: Iterable[str]) -> Iterator[Operands]:
    """The commands whose operands are secrets, of the programs among these words."""
    table = _tables()["operands"]
    for program in words:
        yield from table.get(program, ())


def read_secrets(words: frozenset[str]) -> bool:
    """Tell whether a command with these words reads a secret from its standard input."""
    return not words.isdisjoint(_tables()["input"])


# -- from the tables -------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    found: dict[str, Any] = cached_on_disk("secrets", [*catalog.stamps(), stamp(_FILE)], _collected)
    return found


def _collected() -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - with a cache nobody needs it

    with open(_FILE, "rb") as file:
        own = tomllib.load(file)
    words = own.pop("input").split()
    options: dict[str, list[Options]] = {}
    operands: dict[str, list[Operands]] = {}
    for path, table in (*((row[1], row[2]) for row in catalog.tables()), *own.items()):
        roles = [role.removesuffix("...") for role in table.get("operands", "").split()]
        following, attached = _written(table)
        for first, *rest in plain_paths(path, table):
            others = [word for word in rest if "*" not in word]
            if following or attached:
                options.setdefault(first, []).append((others, following, attached))
            if _ROLE in roles:
                operands.setdefault(first, []).append(([first, *others], roles.index(_ROLE)))
    return {"options": options, "operands": operands, "input": words}


def _written(table: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The options whose value is the next word, and the beginnings of words that hold a value."""
    spec = Spec(f"{table.get('options', '')} {table.get('everywhere', '')}")
    known = [(name, arity) for name, (arity, role) in spec.known.items() if role == _ROLE]
    following = [name for name, arity in known if arity != ATTACHED]
    attached = []
    for name, arity in known:
        if name.startswith("--"):
            attached.append(f"{name}=")
        elif arity == ATTACHED or (_has_one_letter(name) and table.get("style") != "single"):
            attached.append(name)
    return following, attached


def _has_one_letter(name: str) -> bool:
    return name.startswith("-") and len(name) == len("-p")
