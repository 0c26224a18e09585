"""The keys of a configuration by their dotted names: option, kind of value, schema of a file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from laconic.settings import schema
from laconic.settings.config import Config, Option, Section
from laconic.settings.schema import Kind, Table


@cache
def options() -> Mapping[str, Option]:
    """Return every key by its dotted name (`permissions.external.command`), in order."""
    return dict(_walk(Config, ""))


def _walk(cls: type[Section], prefix: str) -> list[tuple[str, Option]]:
    options_below: list[tuple[str, Option]] = []
    for name, annotation in schema.hints(cls).items():
        option = next((item for item in schema.notes(annotation) if isinstance(item, Option)), None)
        options_below += (
            [(prefix + name, option)] if option else _walk(annotation, f"{prefix}{name}.")
        )
    return options_below


@cache
def kinds() -> Mapping[str, Kind]:
    """Return the kind of value that each key takes, by its dotted name."""
    whole = schema.table_of(Config)

    def kind_at(name: str) -> Kind:
        kind: Kind = whole
        for part in name.split("."):
            assert isinstance(kind, schema.Table)
            kind = kind.keys[part]
        return kind

    return {name: kind_at(name) for name in options()}


@cache
def file_schema() -> Table:
    """Return the schema of a file: all keys, none required, and the keys that edit lists."""
    return _file_table(Config, "")


def _file_table(cls: type[Section], prefix: str) -> Table:
    keys: dict[str, Kind] = {}
    for name, annotation in schema.hints(cls).items():
        if not schema.notes(annotation):
            keys[name] = _file_table(annotation, f"{prefix}{name}.")
            continue
        kind = schema.kind_of(annotation)
        if isinstance(kind, schema.Choice) and options()[prefix + name].flags:
            kind = kind._replace(takes_flags=True)
        keys[name] = kind
        is_list = isinstance(kind, schema.ListOf)
        if prefix and is_list and options()[prefix + name].lists == "extend":
            keys[f"remove_{name}"] = kind
            keys["replace"] = schema.Flag()
        if name == "config_env" and isinstance(kind, schema.MapOf):
            keys["config_env_var"] = schema.Text((schema.is_name,))
    return schema.Table(keys)
