"""What a program is to who reads a line: a shell, a wrapper, a builtin that changes its shell.

The tables say so with the key `traits` (docs/knowledge.md). Whoever reads every command of a line
asks here, because this needs one small file of the cache, and not the tables of each program.
"""

from __future__ import annotations

from functools import cache

from laconic.knowledge import catalog
from laconic.knowledge.knowledge import plain_paths
from laconic.knowledge.options import Reading, Spec, parse_options
from laconic.settings.disk_cache import cached_on_disk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from laconic.knowledge.arguments import Argument
    from laconic.knowledge.knowledge import Library, Row

# What follows the colon of a trait, where something does.
TRAITS = {
    "shell": "the family of its language",
    "hands-on": "how many operands come before the command",
    "transparent": "the same, or the subcommand that is meant; = for assignments",
    "modifier": "",
    "enters": "",
    "fills": "the option that names the variable",
    "exports": "",
    "declares": "",
    "unsets": "",
    "calculates": "",
    "runs": "",
    "changes": "",
    "caches": "the name of its cache in a project",
    "installs-here": "options with which it installs elsewhere; environment: reading/installs.py",
}
_ASSIGNMENTS = "="
_BEFORE_NAME = "apv"  # letters of the options whose value is the name of a variable


@cache
def named(*traits: str) -> frozenset[str]:
    """The programs that have one of these traits, or the paths of subcommands: `uv run`."""
    return frozenset().union(*(detailed(trait) for trait in traits))


@cache
def detailed(trait: str) -> dict[str, str]:
    """The same for one trait, with what the tables say after the colon."""
    found: dict[str, str] = _all().get(trait, {})
    return found


@cache
def shells(*families: str) -> frozenset[str]:
    """The shells of these families; without any, all whose language the gate reads."""
    known = detailed("shell").items()
    return frozenset(name for name, family in known if not families or family in families)


def filled(words: Sequence[str | None]) -> Iterator[str]:
    """The words of a command that may name variables which a builtin gives a text from elsewhere.

    It is looked for behind `command` and `builtin`. None: a word that is not known.
    """
    behind = list(words)
    while behind and behind[0] in named("modifier"):
        behind = behind[1:]
        while behind and (behind[0] or "").startswith("-"):
            behind = behind[1:]
    option = detailed("fills").get(behind[0] or "") if behind else None
    if option is None or not any(w is None or w.startswith(option) for w in behind[1:]):
        return
    for word in filter(None, behind[1:]):
        yield word
        if word.startswith("-"):  # `read -ran`, `printf -vn`, `wait -np`
            yield from (word.partition(letter)[2] for letter in _BEFORE_NAME if letter in word)


def inner(arguments: list[Argument], trait: str, library: Library) -> list[Argument] | None:
    """The command that a wrapper with the trait runs; None if it is none, or is read in doubt.

    Its options are read by its table, so that no value of an option is taken for the command.
    """
    name = _base_name(arguments[0]) if arguments else ""
    wrappers = detailed(trait)
    second = arguments[1].text if len(arguments) > 1 and arguments[1].is_static else None
    path = next((p for p in (f"{name} {second}", name) if p in wrappers), "")
    if not path:
        return None
    match = library.find(name, arguments[1:])
    reading = Reading(Spec())
    operands: tuple[str, ...] = ()
    if match is not None and match.entry is not None and " ".join(match.path) == path:
        reading = match.entry.reading(match.everywhere)
        operands = match.entry.operands or ()
    parsed = parse_options(arguments[path.count(" ") + 1 :], reading, stop_at_operand=True)
    if parsed.problems:
        return None
    return _behind(parsed.rest, wrappers[path], operands)


def _behind(rest: list[Argument], detail: str, operands: tuple[str, ...]) -> list[Argument] | None:
    """The words from the command on."""
    if detail == _ASSIGNMENTS:
        while rest and "=" in rest[0].leading:
            rest = rest[1:]
        return rest if rest and rest[0].is_static else None
    before = operands.index("COMMAND") if "COMMAND" in operands else int(detail or 0)
    return rest[before:] or None


def _base_name(argument: Argument) -> str:
    return (argument.text or "").rsplit("/", 1)[-1] if argument.is_static else ""


# -- from the tables -------------------------------------------------------------------------------


@cache
def _all() -> dict[str, dict[str, str]]:
    """For each trait the command paths that have it; see detailed."""
    found: dict[str, dict[str, str]] = cached_on_disk("traits", catalog.stamps(), _collected)
    return found


def _collected() -> dict[str, dict[str, str]]:
    collected: dict[str, dict[str, str]] = {}
    for row in catalog.tables():
        for trait, path, detail in _of_table(row):
            collected.setdefault(trait, {})[path] = detail
    return collected


def _of_table(row: Row) -> Iterator[tuple[str, str, str]]:
    _, path, table = row
    written = table.get("traits", "")
    by_word = {"*": written} if isinstance(written, str) else written
    for words in plain_paths(path, table) if written else ():
        texts = (text for names, text in by_word.items() if words[-1] in names.split())
        for item in next(texts, by_word.get("*", "")).split():
            trait, _, detail = item.partition(":")
            if trait == "transparent" and detail.isalpha():
                yield trait, " ".join((*words, detail)), ""
            else:
                yield trait, " ".join(words), detail
