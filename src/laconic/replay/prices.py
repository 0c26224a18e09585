"""What tokens cost: the list prices of models, by the date in their file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from laconic.sessions.values import Usage
from laconic.settings import toml

_MILLION = 1_000_000


class Price(NamedTuple):
    """Dollars per million tokens."""

    input: float
    cache_write: float
    cache_read: float
    output: float

    def of(self, usage: Usage) -> float:
        return sum(a * b for a, b in zip(usage, self, strict=True)) / _MILLION

    def of_held(self, tokens: int, held: int, usage: Usage) -> float:
        """Return the cost of tokens that so many requests of a session held, the first as new.

        The others paid the average of what the session sent, part of which came from the cache.
        """
        if not held:
            return 0.0
        cached = usage.cache_read / usage.sent if usage.sent else 0.0
        again = cached * self.cache_read + (1 - cached) * self.input
        return tokens * (self.cache_write + (held - 1) * again) / _MILLION


@cache
def _document() -> dict[str, object]:
    return toml.parse((Path(__file__).parent / "data/prices.toml").read_bytes())


def date() -> str:
    return str(_document()["date"])


@cache
def find(model: str) -> Price | None:
    """Return the price of a model; None if it is not in the list."""
    name = model.lower().rpartition("/")[2]
    name = "".join(c if c.isalnum() else "-" for c in name)
    models = _document()["models"]
    assert isinstance(models, dict)
    fitting = [key for key in models if name == key or name.startswith(f"{key}-")]
    if not fitting:
        return None
    row = models[max(fitting, key=len)]
    written = row.get("cache_write", row["input"])
    return Price(*map(float, (row["input"], written, row["cache_read"], row["output"])))
