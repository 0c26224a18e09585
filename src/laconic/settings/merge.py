"""Combines layers of configuration; every value remembers the layer that it comes from.

Nothing here reads a file.  In doubt the result is the stricter one: a name in two lists stays in
the stricter list, and an untrusted layer can only make laconic stricter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from laconic.settings import toml
from laconic.settings.config import EXTEND, STRICTNESS
from laconic.settings.keys import kinds, options
from laconic.settings.schema import Fault, ListOf, MapOf, closest


class Layer(NamedTuple):
    source: str
    document: Mapping[str, Any]


class Sourced(NamedTuple):
    """A value and its source: `built-in`, a file, or an environment variable."""

    value: Any
    source: str


class Items(NamedTuple):
    """A list, each of its items with its own source."""

    items: tuple[Sourced, ...]

    @property
    def value(self) -> list[Any]:
        return [item.value for item in self.items]


Values = Mapping[str, Sourced | Items]


class Edit(NamedTuple):
    """One change that a layer makes. verb: `clear`, `remove`, `add` or `set`."""

    verb: str
    name: str
    value: Any = None


def apply(values: Values, layer: Layer) -> tuple[Values, list[Fault]]:
    """Return the values with the layer on top, and the parts of the layer without effect."""
    result, edits = dict(values), list(_edits(layer.document, ""))
    faults: list[Fault] = []
    for edit in edits:
        faults += _removed_nothing(result.get(edit.name), edit)
        result[edit.name] = _edited(result.get(edit.name), edit, layer.source)
    added = {edit.name: edit.value for edit in edits if edit.verb == "add"}
    for table, lists in STRICTNESS.items():
        _keep_strictest(result, [f"{table}.{name}" for name in lists])
        _withdraw_conditions(result, table, added)
        faults += _overruled(result, [f"{table}.{name}" for name in lists], added)
    return result, faults


def to_document(values: Values) -> dict[str, Any]:
    """Convert the values to one document, without their sources."""
    document: dict[str, Any] = {}
    for name, entry in values.items():
        *tables, key = name.split(".")
        place = document
        for table in tables:
            place = place.setdefault(table, {})
        place[key] = entry.value
    return document


def names_in(document: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return what a document says, by the dotted names of its keys; without what edits lists."""
    found: dict[str, Any] = {}
    for key, value in document.items():
        if prefix + key in kinds():
            found[prefix + key] = value
        elif isinstance(value, Mapping):
            found |= names_in(value, f"{prefix}{key}.")
    return found


# -- one layer -----------------------------------------------------------------------------------


def _edits(table: Mapping[str, Any], prefix: str) -> Iterator[Edit]:
    """Yield the changes that a table makes: first removals, then additions."""
    if prefix and table.get("replace") is True:
        yield from (
            Edit("clear", name)
            for name, kind in kinds().items()
            if name.startswith(prefix) and isinstance(kind, ListOf | MapOf)
        )
    gives: list[Edit] = []
    for key, value in table.items():
        name = prefix + key
        if key == "config_env" and "config_env_var" in table:
            continue  # the alias below includes it
        if name in kinds():
            gives.append(Edit("add" if _extends(name) else "set", name, value))
        elif key == "config_env_var":
            pairs = {**table.get("config_env", {}), value: "*"}
            gives.append(Edit("set", f"{prefix}config_env", pairs))
        elif isinstance(value, Mapping):
            gives += _edits(value, f"{name}.")
        elif key != "replace":
            yield Edit("remove", prefix + key.removeprefix("remove_"), value)
    yield from gives


def _extends(name: str) -> bool:
    return isinstance(kinds()[name], ListOf) and options()[name].lists != "override"


def _edited(entry: Sourced | Items | None, edit: Edit, source: str) -> Sourced | Items:
    items = entry.items if isinstance(entry, Items) else ()
    match edit.verb:
        case "clear":
            return Items(()) if isinstance(kinds()[edit.name], ListOf) else Sourced({}, source)
        case "remove":
            return Items(tuple(item for item in items if item.value not in edit.value))
        case "add":
            return Items(items + _new_items(items, edit.value, source))
        case _:
            flags = options()[edit.name].flags
            value = flags[edit.value] if flags and isinstance(edit.value, bool) else edit.value
            return Sourced(value, source)


def _new_items(items: tuple[Sourced, ...], values: list[Any], source: str) -> tuple[Sourced, ...]:
    known = {toml.inline(item.value) for item in items}
    found: list[Sourced] = []
    for value in values:
        if (text := toml.inline(value)) not in known:
            known.add(text)
            found.append(Sourced(value, source))
    return tuple(found)


# -- the stricter list wins ----------------------------------------------------------------------


def _keep_strictest(values: dict[str, Sourced | Items], lists: list[str]) -> None:
    taken: set[str] = set()
    for name in reversed(lists):
        entry = values[name]
        assert isinstance(entry, Items)
        values[name] = Items(tuple(item for item in entry.items if item.value not in taken))
        taken.update(entry.value)


def _withdraw_conditions(
    values: dict[str, Sourced | Items], table: str, added: Mapping[str, list[str]]
) -> None:
    """End earlier conditional permissions of subcommands that a layer lists as mutating."""
    conditional = f"{table}.allowed_with_config"
    entry = values.get(conditional)
    if isinstance(entry, Items):
        mutating = set(added.get(f"{table}.mutating", ())) - set(added.get(conditional, ()))
        values[conditional] = Items(tuple(i for i in entry.items if i.value not in mutating))


# -- what has no effect --------------------------------------------------------------------------


def _overruled(values: Values, lists: list[str], added: Mapping[str, list[str]]) -> Iterator[Fault]:
    homes = {value: name for name in lists for value in values[name].value}
    for name in lists:
        for value in added.get(name, ()):
            if homes[value] != name:
                key = homes[value].rpartition(".")[2]
                message = f"{toml.quote(value)} has no effect: it is in {key}, which is stricter"
                yield Fault(where(name), message, f"add remove_{key} = [{toml.quote(value)}]")


def _removed_nothing(entry: Sourced | Items | None, edit: Edit) -> Iterator[Fault]:
    if edit.verb != "remove" or not isinstance(entry, Items):
        return
    table, _, key = edit.name.rpartition(".")
    for value in edit.value:
        if value not in entry.value:
            known = [item for item in entry.value if isinstance(item, str)]
            best = closest(value, known) if isinstance(value, str) else ""
            hint = f"did you mean {toml.quote(best)}?" if best else ""
            message = f"{toml.brief(value)} has no effect: it is not in {key}"
            yield Fault(where(f"{table}.remove_{key}"), message, hint)


def where(name: str) -> str:
    """Turn a dotted name into the place that messages name."""
    table, _, key = name.rpartition(".")
    return f"[{table}]: key {toml.brief(key)}" if table else f"key {toml.brief(key)}"


# -- what a layer may change before it is trusted ------------------------------------------------


def split_by_trust(document: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the part of a document that only makes laconic stricter, and the names of the rest.

    The document may be unchecked: checking parts that are not in force, such as regular
    expressions, would let a hostile file cost us seconds.
    """
    return _split(document, "")


def _split(table: Mapping[str, Any], prefix: str) -> tuple[dict[str, Any], list[str]]:
    strict: dict[str, Any] = {}
    others: list[str] = []
    for key, value in table.items():
        name = prefix + key
        if name in options():
            if _only_stricter(name, value):
                strict[key] = value
            else:
                others.append(name)
        elif isinstance(value, Mapping) and any(o.startswith(f"{name}.") for o in options()):
            strict[key], inner = _split(value, f"{name}.")
            others += inner
        else:
            others.append(name)
    return strict, others


def _only_stricter(name: str, value: object) -> bool:
    allowed = options()[name].strict
    return allowed == EXTEND or (allowed is not None and value == allowed)
