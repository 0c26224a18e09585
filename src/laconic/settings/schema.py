"""Checks TOML documents against typed tables, and describes each mistake in one line.

A table is a class: the annotation of an attribute says which values it takes, and an attribute with
a default may be missing.  These annotations are understood: `str`, `bool`, `int`, `Literal[..]`,
`tuple[X, ...]` (a list), `Mapping[str, X]`, classes (tables), `Name`, and `Annotated[X, test]`,
where `test(value)` returns a complaint or nothing. A module need not import these names to use them
in annotations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from laconic.patterns import compile_written, pattern
from laconic.settings import toml


class Fault(NamedTuple):
    """One mistake in a document, and what was probably meant."""

    where: str
    message: str
    hint: str = ""


class Text(NamedTuple):
    tests: tuple[Callable[[str], str], ...] = ()


class Flag(NamedTuple):
    pass


class Number(NamedTuple):
    pass


class Choice(NamedTuple):
    """One of these words; takes_flags: `true` and `false` stand for two of them."""

    options: tuple[str, ...]
    takes_flags: bool = False


class ListOf(NamedTuple):
    kind: Kind


class MapOf(NamedTuple):
    kind: Kind


class Table(NamedTuple):
    keys: Mapping[str, Kind]
    required: frozenset[str] = frozenset()


_LONGEST_NAME = 80
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_SPAN = pattern(r"([0-9]{1,6})([smhdw])")

Kind = Text | Flag | Number | Choice | ListOf | MapOf | Table


# -- from annotations to kinds and values --------------------------------------------------------


def kind_of(annotation: Any) -> Kind:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        tests = tuple(test for test in arguments[1:] if callable(test))
        return Text(tests) if arguments[0] is str else kind_of(arguments[0])
    if origin is Literal:
        return Choice(arguments)
    if origin is tuple:
        return ListOf(kind_of(arguments[0]))
    if origin is Mapping:
        return MapOf(kind_of(arguments[1]))
    plain: dict[Any, Kind] = {str: Text(), bool: Flag(), int: Number()}
    return plain[annotation] if annotation in plain else table_of(annotation)


def table_of(cls: type) -> Table:
    keys = {name: kind_of(annotation) for name, annotation in hints(cls).items()}
    return Table(keys, frozenset(keys) - frozenset(getattr(cls, "_field_defaults", vars(cls))))


def hints(cls: type) -> dict[str, Any]:
    words = {"Annotated": Annotated, "Literal": Literal, "Mapping": Mapping, "Name": Name}
    return get_type_hints(cls, localns=words, include_extras=True)


def notes(annotation: Any) -> tuple[Any, ...]:
    """Return the metadata of an annotation, besides the type."""
    return get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()


def build(value: Any, annotation: Any) -> Any:
    """Turn a checked document into the immutable value that the annotation describes."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return build(value, arguments[0])
    if origin is tuple:
        return tuple(build(item, arguments[0]) for item in value)
    if origin is Mapping:
        return MappingProxyType(dict(value))
    if isinstance(annotation, type) and annotation not in (str, bool, int):
        fields = hints(annotation)
        return annotation(**{name: build(item, fields[name]) for name, item in value.items()})
    return value


# -- checking ------------------------------------------------------------------------------------


def check(document: Mapping[str, Any], table: Table) -> Iterator[Fault]:
    return _check_table(document, table, "", "")


def _check_table(
    document: Mapping[str, Any], table: Table, name: str, label: str
) -> Iterator[Fault]:
    for key, value in document.items():
        own = toml.key(key) if len(key) <= _LONGEST_NAME else toml.brief(key)
        path = f"{name}.{own}" if name else own
        match table.keys.get(key), value:
            case None, _:
                yield _unknown(key, path, label, table, is_table=isinstance(value, dict))
            case Table() as inner, dict():
                yield from _check_table(value, inner, path, f"[{path}]")
            case ListOf(Table() as inner), [*items] if all(isinstance(i, dict) for i in items):
                for number, item in enumerate(items, 1):
                    yield from _check_table(item, inner, path, f"[[{path}]] number {number}")
            case Table() | ListOf() | MapOf() | Text() | Flag() | Number() | Choice() as kind, _:
                yield from _check_value(value, kind, _join(label, f"key {toml.brief(key)}"))
    for key in sorted(table.required - frozenset(document)):
        yield Fault(label, f"key {toml.quote(key)} is missing")


def _check_value(value: object, kind: Kind, where: str) -> Iterator[Fault]:
    match kind, value:
        case ListOf(inner), list():
            for number, item in enumerate(value, 1):
                yield from _check_value(item, inner, f"{where}: item {number}")
        case MapOf(inner), dict():
            for key, item in value.items():
                yield from _check_value(item, inner, f"{where}: key {toml.brief(key)}")
        case Text(tests), str():
            for complaint in filter(None, (test(value) for test in tests)):
                yield Fault(where, complaint)
        case Flag(), bool():
            pass
        case Number(), int() if not isinstance(value, bool) and value >= 0:
            pass
        case Choice(options), str() if value in options:
            pass
        case Choice(takes_flags=True), bool():
            pass
        case _:
            found = f"expected {describe(kind)}, found {toml.brief(value)}"
            yield Fault(where, found, _repair(value, kind))


def describe(kind: Kind) -> str:
    match kind:
        case Choice(options):
            return " or ".join(toml.quote(option) for option in options)
        case ListOf(Table()):
            return "a list of tables"
        case ListOf(inner):
            return f"a list of {describe(inner)}"
        case MapOf(inner):
            return f"a table of {describe(inner)}"
        case Table():
            return "a table"
        case Text():
            return "text"
        case Flag():
            return "true or false"
        case Number():
            return "a whole number, 0 or more"


def _repair(value: object, kind: Kind) -> str:
    match kind, value:
        case Text(), bool() | int() | float():
            return f"did you mean {toml.quote(toml.inline(value))}?"
        case Flag(), "true" | "false":
            return f"did you mean {value}?"
        case Number(), str() if value.isascii() and value.isdigit():
            return f"did you mean {value}?"
        case ListOf(Table()), dict():
            return "write its name between [[ and ]]"
        case ListOf(Text()), str():
            return f"did you mean [{toml.brief(value)}]?"
        case Choice(options), str():
            return _did_you_mean(value, options)
    return ""


def _unknown(key: str, path: str, label: str, table: Table, *, is_table: bool) -> Fault:
    if is_table:
        tables = [name for name, kind in table.keys.items() if isinstance(kind, Table | MapOf)]
        return Fault(f"[{path}]", "unknown table", _did_you_mean(key, tables or table.keys))
    where = _join(label, f"key {toml.brief(key)}")
    return Fault(where, "unknown key", _did_you_mean(key, table.keys))


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    best = closest(name, known)
    return f"did you mean {toml.quote(best)}?" if best else f"known here: {', '.join(known)}"


def closest(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """Return the known name that is most similar to `name`, or "" if none is similar."""
    from difflib import get_close_matches  # noqa: PLC0415 - only people who mistyped pay for it

    similar = get_close_matches(name[:_LONGEST_NAME].lower(), list(known), n=1, cutoff=likeness)
    return next(iter(similar), "")


def _join(label: str, rest: str) -> str:
    return f"{label}: {rest}" if label else rest


# -- tests for text ------------------------------------------------------------------------------


def is_name(text: str) -> str:
    """Return a complaint if the text cannot name a command, an option or a subcommand."""
    if text and text == text.strip() and text.isprintable():
        return ""
    return f"expected a name, found {toml.brief(text)}"


Name = Annotated[str, is_name]


def span_s(text: str) -> int | None:
    """Return the seconds of a time span as people type it, `30m`; None if it is none."""
    match = _SPAN.fullmatch(text.strip())
    return int(match[1]) * _UNITS[match[2]] if match else None


def is_regex(text: str) -> str:
    try:
        compile_written(text)
    except (re.error, RecursionError, OverflowError) as error:
        return f"is not a valid regular expression: {error}"
    return ""
