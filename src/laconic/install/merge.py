"""Puts laconic's hooks into JSON settings of agents and takes them out; all else stays as it is.

An event's list holds handlers, or groups that hold handlers under `hooks`. Hooks of laconic are
recognised by what they run, so older ones are renewed in place, wherever they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from laconic.install import jsonc
from laconic.install.owners import is_ours

Owner = Callable[[Mapping[str, Any]], object]
Hooks = list[tuple[tuple[str, ...], Mapping[str, Any]]]


def install(text: str, hooks: Hooks, seed: Mapping[str, Any]) -> str:
    """Return the text with these hooks, each at its list, and the keys of the seed.

    ValueError if the text is not a JSON object, or has something else where a list must be.
    """
    text = text + "{}\n" if is_blank(text) else text
    document = jsonc.load(jsonc.parse(text))
    if not isinstance(document, dict):
        raise ValueError("expected an object in braces")  # noqa: TRY004 - of the file, not of ours
    for key, value in seed.items():
        if key not in document:
            text = jsonc.add_key(text, (key,), value)
    wanted = list(hooks)
    surplus: list[jsonc.Path] = []
    for path, value in _own(text, _roots(hooks), is_ours):
        place = next((w for w in wanted if w[0] == path[:-1]), None)
        if place is None:
            surplus.append(path)
        else:
            wanted.remove(place)
            text = text if value == place[1] else jsonc.replace(text, path, place[1])
    for at, value in wanted:
        text = jsonc.append(text, at, value)
    for path in reversed(surplus):
        text = jsonc.remove(text, path)
    return text


def remove(text: str, hooks: Hooks, before: str | None, owner: Owner = is_ours) -> str:
    """Return the text without an owner's hooks and what becomes empty, unless `before` has it."""
    if is_blank(text):
        return text
    keep = [] if before is None or is_blank(before) else list(_containers(before))
    for path, _ in reversed(list(_own(text, _roots(hooks), owner))):
        text = jsonc.remove(text, path, keep)
    return text


def is_blank(text: str) -> bool:
    return not text.strip("\ufeff \t\r\n")


def owned(text: str, hooks: Hooks, owner: Owner = is_ours) -> list[Any]:
    """Return the hooks of an owner."""
    return [value for _, value in _own(text, _roots(hooks), owner)]


def handlers(text: str, hooks: Hooks) -> Iterator[Mapping[str, Any]]:
    """Return every handler there, whatever tool it belongs to."""
    for value in owned(text, hooks, lambda _: True):
        yield from value.get("hooks", [value]) if isinstance(value, dict) else ()


def _roots(hooks: Hooks) -> list[tuple[str, ...]]:
    """Return where events are: an older hook may be at another event than now."""
    return list(dict.fromkeys(at[:-1] for at, _ in hooks))


def _own(text: str, roots: list[tuple[str, ...]], owner: Owner) -> Iterator[tuple[jsonc.Path, Any]]:
    """Return the paths of an owner's groups and handlers, in the order of the text."""
    root = jsonc.parse(text)
    for where in roots:
        node = jsonc.find(root, where)
        events = jsonc.load(node) if node else None
        for event, items in events.items() if isinstance(events, dict) else ():
            for number, item in enumerate(items if isinstance(items, list) else ()):
                yield from _in_item(item, (*where, event, number), owner)


def _in_item(item: object, path: jsonc.Path, owner: Owner) -> Iterator[tuple[jsonc.Path, Any]]:
    if not isinstance(item, dict):
        return
    inner = item.get("hooks")
    if not isinstance(inner, list):
        if owner(item):
            yield path, item
        return
    mine = [number for number, h in enumerate(inner) if isinstance(h, dict) and owner(h)]
    if mine and len(mine) == len(inner):
        yield path, item
    else:
        yield from (((*path, "hooks", number), inner[number]) for number in mine)


def _containers(text: str) -> Iterator[jsonc.Path]:
    """Return the paths of objects and lists that hang on keys alone."""

    def walk(node: jsonc.Node, path: jsonc.Path) -> Iterator[jsonc.Path]:
        if node.kind != "scalar":
            yield path
        for member in node.members:
            if member.key is not None:
                yield from walk(member.node, (*path, member.key))

    return walk(jsonc.parse(text), ())
