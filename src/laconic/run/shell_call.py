"""Tells `laconic -c 'line'`, where make or just takes us for a shell, from our own options."""

from __future__ import annotations

from collections.abc import Sequence


def is_shell_call(argv: Sequence[str]) -> bool:
    """Tell `-c`, `-cu`, `-ec`, `-e -c` from our own options; client/laconic.c does the same."""
    return end_of_options(argv) is not None


def end_of_options(argv: Sequence[str]) -> int | None:
    """Return the position after the options of a shell, one of which is -c; None without it.

    An option that ends in `o` takes the next word:
    https://pubs.opengroup.org/onlinepubs/9799919799/utilities/sh.html
    """
    pos = 0
    has_c = False
    while pos < len(argv) and _is_option(argv[pos]):
        has_c = has_c or "c" in argv[pos]
        pos += 2 if argv[pos].endswith("o") else 1
    return pos if has_c else None


def _is_option(word: str) -> bool:
    return word[:1] == "-" and word[1:].isascii() and word[1:].isalpha()
