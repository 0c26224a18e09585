"""Attacks from a grammar: every way once, with slots filled at random, again and again."""

from __future__ import annotations

import random
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_GRAMMAR = Path(__file__).parents[1] / "cases" / "effects" / "attacks.toml"
_SLOT = re.compile(r"\{([a-z]+)\}")
_DEEPEST = 6


class Grammar(NamedTuple):
    """ways: the texts to begin with. slots: what may stand for `{name}`."""

    ways: tuple[str, ...]
    slots: dict[str, list[str]]


@cache
def grammar() -> Grammar:
    document = tomllib.loads(_GRAMMAR.read_text("utf-8"))
    return Grammar(tuple(document["ways"]), document["slots"])


def texts_to_begin_with() -> list[str]:
    """Each text of each slot that a way leads to."""
    given = grammar()
    direct = {name for way in given.ways for name in _SLOT.findall(way)}
    return [text for name in sorted(direct) for text in given.slots[name]]


def attacks(seed: int) -> Iterator[str]:
    """Attacks without end: first each text of each slot once, then mixtures."""
    source, given, first = random.Random(seed), grammar(), texts_to_begin_with()
    source.shuffle(first)
    for text in first:
        yield _filled(text, source, given, 0)
    while True:
        yield _filled(source.choice(given.ways), source, given, 0)


def _filled(text: str, source: random.Random, given: Grammar, depth: int) -> str:
    def one(found: re.Match[str]) -> str:
        choices = given.slots.get(found[1])
        if choices is None or depth > _DEEPEST:
            return found[0]
        return _filled(source.choice(choices), source, given, depth + 1)

    return _SLOT.sub(one, text)
