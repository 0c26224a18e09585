"""Keeps what follows from the content of files, so that a worker computes it once.

Files are read anew for every call, and a change is seen at once: what is kept is the result of
functions that depend on nothing but their arguments. Bytes are compared as bytes; a document that
came out of here is known again by its identity.
"""

from __future__ import annotations

from functools import lru_cache

from laconic import engine, filters, judge, overlay, rewriting, settings
from laconic.agents import seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from laconic.filters import FilterSet
    from laconic.settings import Settings
    from laconic.tools.knowledge import Library

_MOST = 32


def install() -> None:
    """Have the functions that take long remember their results, in this process."""
    for module, name, change in (
        (settings, "built_in", lru_cache(maxsize=1)),
        (settings, "check_bytes", lru_cache(maxsize=_MOST)),
        (overlay, "apply", lambda apply: remembering(apply, lambda v, layer: (v, layer.document))),
        (overlay, "to_config", lambda to_config: remembering(to_config, lambda values: (values,))),
        (rewriting, "load_filters", lambda _: _load_filters),
        (judge, "load_filters", lambda _: _load_filters),
        (engine, "append", waiting),
        (seen, "note_call", waiting),
    ):
        setattr(module, name, change(getattr(module, name)))


_filter_sets: dict[tuple[Any, ...], FilterSet] = {}


def _load_filters(found: Settings | None, library: Library | None = None) -> FilterSet:
    """filters.load_filters for files that are the same, byte for byte, as they were before."""
    files = tuple(filters._files(found, [])) if found else ()  # noqa: SLF001 - what it reads itself
    trusted = bool(found and found.project and found.project.trusted)
    key = (files, trusted, id(library))
    if key not in _filter_sets:
        if len(_filter_sets) >= _MOST:
            _filter_sets.clear()
        _filter_sets[key] = filters.load_filters(found, library)
    return _filter_sets[key]


# -- what can wait until after the answer ----------------------------------------------------------

_waiting: list[Callable[[], object]] = []


def waiting(function: Callable[..., object]) -> Callable[..., bool]:
    """Give the function put off until the answer is on its way."""

    def put_off(*arguments: object, **named: object) -> bool:
        _waiting.append(lambda: function(*arguments, **named))
        return True

    return put_off


def catch_up() -> None:
    """Do what was put off."""
    while _waiting:
        _waiting.pop(0)()


def remembering(
    function: Callable[..., Any], values_of: Callable[..., tuple[Any, ...]]
) -> Callable[..., Any]:
    """Give the function with a memory for arguments that are the same objects as before.

    They are kept with the result, so that no other object can have their identity. An empty one
    equals every other empty one.
    """
    known: dict[tuple[int, ...], tuple[Any, Any]] = {}

    def call(*arguments: Any) -> Any:
        key = tuple(id(value) if value else 0 for value in values_of(*arguments))
        if key not in known:
            if len(known) >= _MOST:
                known.clear()
            known[key] = arguments, function(*arguments)
        return known[key][1]

    return call
