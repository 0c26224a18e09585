"""Edits a configuration file; comments, order and blank lines stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from laconic.errors import LaconicError
from laconic.settings.layers import check_bytes, is_broken


def with_item(data: bytes, path: Path, name: str, item: object) -> bytes:
    """Return the file with an item at the end of a list (`commands.allow`), if it is not there."""
    import tomlkit  # noqa: PLC0415 - for few commands

    document = _parsed(data, path)
    table, _, key = name.partition(".")
    inner = document.setdefault(table, tomlkit.table())
    items = inner.setdefault(key, tomlkit.array())
    if item not in items.unwrap():
        items.append(item)
    return _checked(document, path)


def without_item(data: bytes, path: Path, name: str, item: object) -> bytes:
    """Return the file without an item of a list; LaconicError if it is not there."""
    document = _parsed(data, path)
    table, _, key = name.partition(".")
    items = document.get(table, {}).get(key)
    if items is None or item not in items.unwrap():
        raise LaconicError(f"there is no rule {item!r}", "laconic allow --list")
    del items[items.unwrap().index(item)]
    return _checked(document, path)


def with_value(data: bytes, path: Path, name: str, value: object) -> bytes:
    """Return the file with a value under a dotted name (`permissions.external.command`)."""
    import tomlkit  # noqa: PLC0415 - as above

    document = _parsed(data, path)
    *tables, key = name.split(".")
    place = document
    for table in tables:
        place = place.setdefault(table, tomlkit.table())
    place[key] = value
    return _checked(document, path)


def without_value(data: bytes, path: Path, name: str) -> bytes:
    """Return the file without a value, and without the tables that are empty then."""
    document = _parsed(data, path)
    *tables, key = name.split(".")
    places = [document]
    for table in tables:
        places.append(places[-1].get(table, {}))
    if key not in places[-1]:
        raise LaconicError(f"{path}: does not set {name}", "laconic config show --sources")
    del places[-1][key]
    for table, inside, around in zip(
        reversed(tables), reversed(places), reversed(places[:-1]), strict=False
    ):
        if not inside.as_string().strip():  # a comment in it stays, and so does its table
            del around[table]
    return _checked(document, path)


def _parsed(data: bytes, path: Path) -> Any:
    import tomlkit  # noqa: PLC0415 - as above

    _refuse_broken(data, path)
    return tomlkit.parse(data.decode("utf-8-sig"))


def _checked(document: Any, path: Path) -> bytes:
    import tomlkit  # noqa: PLC0415 - as above

    after = tomlkit.dumps(document).encode()
    _refuse_broken(after, path)
    return after


def _refuse_broken(data: bytes, path: Path) -> None:
    problems = check_bytes(data, str(path))[1]
    if is_broken(problems):
        raise LaconicError(f"{problems[0].line}; left as it is", "laconic config check")
