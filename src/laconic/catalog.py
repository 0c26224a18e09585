"""Loads the built-in knowledge of tools from its files."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

from laconic.tools.knowledge import Library

DATA = Path(__file__).parent / "policy" / "data"


@lru_cache(maxsize=1)
def library() -> Library:
    loaded = Library()
    for path in sorted(DATA.glob("*.toml")):
        loaded.add(tomllib.loads(path.read_text("utf-8")), path.stem)
    return loaded
