"""Lists of words that are knowledge: `data/words/NAME.txt`, with a list behind each `[title]`.

They are names that have one property each, and more than a page of code should hold.
"""

from __future__ import annotations

from functools import cache
from os.path import dirname

_DATA = f"{dirname(__file__)}/data/words"  # noqa: PTH120 - as below


@cache
def word_lists(name: str) -> dict[str, tuple[str, ...]]:
    """The lists of a file by their titles, each in the order in which it is written."""
    lists: dict[str, list[str]] = {}
    words: list[str] = []
    with open(f"{_DATA}/{name}.txt", encoding="utf-8") as file:  # noqa: PTH123 - pathlib is slow to load
        for line in file:
            if line.startswith("["):
                words = lists.setdefault(line.strip()[1:-1], [])
            elif not line.startswith("#"):
                words += line.split()
    return {title: tuple(words) for title, words in lists.items()}
