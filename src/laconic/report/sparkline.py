"""Draws a row of numbers as a line of small bars."""

from __future__ import annotations

from collections.abc import Sequence

_BARS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[int]) -> str:
    """Draw values to scale, a little never as nothing; `-` is a loss, a dot nothing at all."""
    most = max(values, default=0)
    return "".join(_bar(value, most) for value in values)


def _bar(value: int, most: int) -> str:
    if value <= 0:
        return "-" if value else "·"
    return _BARS[-(-value * len(_BARS) // most) - 1]
