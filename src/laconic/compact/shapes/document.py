"""Large JSON for reading: its structure, how many items there are, and samples of them.

Only beyond the size at which agents truncate: smaller JSON, and JSON for a program, is left as is.
"""

from __future__ import annotations

from collections import Counter

from laconic.compact.result import MADE, Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from laconic.compact.lines import Lines

SMALLEST, _LARGEST = 30_000, 4_000_000  # characters
_SAMPLE = 400  # characters of an item
_BRIEF = 120  # characters of a value among others
_FIRST = 2  # items that are shown, and the last
_MOST_KEYS = 40
_FEWEST_TOLD, _MOST_VALUES = 10, 8  # items whose values are counted, and different values of a key


def document(lines: Lines) -> list[Shown] | None:
    """Return lines that describe a JSON document or a stream of objects; None if it is neither."""
    if not SMALLEST < lines.size <= _LARGEST:
        return None
    value = _read(lines)
    if value is None:
        return None
    numbers = range(1, len(lines) + 1)
    return [Shown(MADE, text, numbers) for text in _told(value, "", 2)]


def _read(lines: Lines) -> Any:
    import json  # noqa: PLC0415 - for the few outputs that need it

    try:
        return json.loads(lines.text)
    except (ValueError, RecursionError):
        pass
    try:
        return [json.loads(text) for text in lines.texts if text.strip()]
    except (ValueError, RecursionError):
        return None


def _told(value: Any, name: str, depth: int) -> list[str]:
    """A value in few lines: samples of a list, the keys of an object."""
    start = f"{name}: " if name else ""
    text = _written(value)
    if len(text) <= _BRIEF or not isinstance(value, list | dict):
        return [f"{start}{_cut(text, _SAMPLE)}"]
    if isinstance(value, list):
        return _of_list(value, name)
    if depth == 0:
        return [f"{start}[{len(value)} keys: {_listed(list(value))}]"]
    found: list[str] = [f"{start}[{len(value)} keys]"] if name else []
    for key in list(value)[:_MOST_KEYS]:
        found += _told(value[key], f"{name}.{key}" if name else key, depth - 1)
    if len(value) > _MOST_KEYS:
        found.append(f"[{len(value) - _MOST_KEYS} more keys: {_listed(list(value)[_MOST_KEYS:])}]")
    return found


def _of_list(items: list[Any], name: str) -> list[str]:
    start = f"{name}: " if name else ""
    samples = items if len(items) <= _FIRST + 1 else items[:_FIRST]
    found = [f"{start}[{len(items)} items]"]
    found += [_cut(_written(item), _SAMPLE) for item in samples]
    if len(items) > len(samples):
        found += [f"[{len(items) - _FIRST - 1} more]", _cut(_written(items[-1]), _SAMPLE)]
    if len(items) >= _FEWEST_TOLD and all(isinstance(item, dict) for item in items):
        found += _counted(items)
    return found


def _counted(items: list[dict[str, Any]]) -> list[str]:
    """The values of keys that have few, and the keys that not all items have."""
    keys = Counter(key for item in items for key in item)
    found: list[str] = []
    for key, total in list(keys.items())[:_MOST_KEYS]:
        values = [item[key] for item in items if key in item]
        if not all(isinstance(value, str | int | float | bool | None) for value in values):
            continue
        counts = Counter(map(_written, values))
        if len(counts) <= _MOST_VALUES and max(map(len, counts)) <= _BRIEF:
            said = ", ".join(f"{text} {count}" for text, count in counts.most_common())
            found.append(f"[{key}: {said}]")
        if total < len(items):
            found.append(f"[{key} in {total} of {len(items)}]")
    return found


def _listed(keys: list[str]) -> str:
    return _cut(", ".join(keys), _SAMPLE)


def _written(value: Any) -> str:
    import json  # noqa: PLC0415 - as above

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
