"""The format of filter files: every key, and one line for each mistake in a file."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from laconic.compact.shapes.passes import NAMES
from laconic.compact.stages.template import places
from laconic.patterns import compile_written
from laconic.settings import toml
from laconic.settings.schema import Fault, ListOf, Table, check, is_regex, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LONGEST = 2000


def is_pattern(text: str) -> str:
    """Complain about an invalid pattern, or one whose meaning changes when joined with others."""
    if len(text) > _LONGEST:
        return f"is longer than {_LONGEST} characters"
    if re.search(r"(?<!\\)(?:\\\\)*\\[1-9]|\(\?P=", text):
        return "refers back to a group, which patterns of filters cannot"
    if re.match(r"\(\?(?!i\))[aiLmsux]+\)", text):
        return "may begin with no other flag than (?i)"
    return is_regex(text)


Regex = Annotated[str, is_pattern]


def is_shape(text: str) -> str:
    """Complain about a name that no pass has."""
    return "" if text in NAMES else f"is not a shape; there are: {', '.join(NAMES)}"


Shape = Annotated[str, is_shape]


class Section(NamedTuple):
    start: Regex
    end: Regex
    name: str = ""
    lines: int = 0


class Group(NamedTuple):
    match: Regex
    show: str


class Count(NamedTuple):
    name: str
    match: Regex


class Example(NamedTuple):
    command: str
    status: int
    input: str
    output: str


class Stages(NamedTuple):
    """The keys that [success] and [failure] may replace."""

    drop: tuple[Regex, ...] = ()
    keep: tuple[Regex, ...] = ()
    replace: tuple[tuple[str, ...], ...] = ()
    must_keep: tuple[Regex, ...] = ()
    shape: tuple[Shape, ...] = ()
    head: int = 0
    tail: int = 0
    budget: int = 0
    width: int = 0
    section: tuple[Section, ...] = ()
    group: tuple[Group, ...] = ()


class Success(NamedTuple):
    requires: tuple[Regex, ...] = ()
    show: str = ""


class FilterFile(NamedTuple):
    """Without `count`, which is the name of a method here."""

    command: tuple[str, ...]
    kind: Literal["summary", "listing", "text"]
    passthrough: tuple[str, ...] = ()
    early: tuple[Regex, ...] = ()
    example: tuple[Example, ...] = ()


@cache
def file_table() -> Table:
    stages = table_of(Stages).keys
    own = table_of(FilterFile)
    success = Table({**table_of(Success).keys, **stages})
    keys = {**own.keys, "count": ListOf(table_of(Count)), **stages}
    keys |= {"success": success, "failure": Table(stages)}
    return Table(keys, own.required)


def check_filter(document: Mapping[str, Any]) -> Iterator[Fault]:
    """Everything that is wrong with a filter file."""
    faults = list(check(document, file_table()))
    yield from faults
    if not faults:
        yield from _check_commands(document)
        yield from _check_passthrough(document)
        yield from _check_templates(document)
        yield from _check_success(document)


def _check_commands(document: Mapping[str, Any]) -> Iterator[Fault]:
    if not document["command"]:
        yield Fault('key "command"', "is empty", 'write the command: command = ["cargo test"]')
    for number, command in enumerate(document["command"], 1):
        words = command.split()
        if not words or words[0].startswith("-") or "/" in words[0]:
            where = f'key "command": item {number}'
            yield Fault(where, f"expected a program's name first, found {toml.brief(command)}")


def _check_passthrough(document: Mapping[str, Any]) -> Iterator[Fault]:
    for number, entry in enumerate(document.get("passthrough", ()), 1):
        complaint = "" if entry.startswith("-") else is_pattern(entry)
        if complaint:
            yield Fault(f'key "passthrough": item {number}', complaint)


def _check_templates(document: Mapping[str, Any]) -> Iterator[Fault]:
    for name, table in _branches(document):
        for number, pair in enumerate(table.get("replace", ()), 1):
            where = f'{name}key "replace": item {number}'
            if len(pair) != 2:  # noqa: PLR2004 - a pair
                yield Fault(where, 'expected ["pattern", "text"]')
            elif complaint := is_pattern(pair[0]):
                yield Fault(where, complaint)
            else:
                yield from _unknown_places(where, pair[1], _groups(pair[0]))
        for number, group in enumerate(table.get("group", ()), 1):
            known = [*_groups(group["match"]), "count", "line", "last"]
            where = f'{name}[[group]] number {number}: key "show"'
            yield from _unknown_places(where, group["show"], known)


def _check_success(document: Mapping[str, Any]) -> Iterator[Fault]:
    success = document.get("success", {})
    if not success.get("show"):
        return
    where = '[success]: key "show"'
    if not success.get("requires"):
        message = "needs requires: a line that only a success prints"
        yield Fault(where, message, 'add requires = ["^test result: ok"]')
    known = [count["name"] for count in document.get("count", ())]
    known += [name for source in success.get("requires", ()) for name in _groups(source)]
    yield from _unknown_places(where, success["show"], known)


def _branches(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "", document
    yield from ((f"[{n}]: ", document[n]) for n in ("success", "failure") if n in document)


def _groups(source: str) -> list[str]:
    compiled = compile_written(source)
    return [*map(str, range(1, compiled.groups + 1)), *compiled.groupindex]


def _unknown_places(where: str, template: str, known: list[str]) -> Iterator[Fault]:
    for name in places(template):
        if name not in known:
            given = f"known here: {', '.join(dict.fromkeys(known))}" if known else ""
            yield Fault(where, f"{{{name}}} stands for nothing", given or "capture it with ( )")
