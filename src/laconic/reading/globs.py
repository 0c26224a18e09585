"""Patterns for names of files, and which names they may match."""

from __future__ import annotations

import re
from collections.abc import Iterable

from laconic.files import folded
from laconic.patterns import pattern

WILD = pattern(r"[*?[]")
# A set ends at a slash, whose `[` is then an ordinary character:
# https://pubs.opengroup.org/onlinepubs/9699919799/utilities/V3_chap02.html#tag_18_13_03
_SET = pattern(r"\[[!^]?\]?[^]/]*\]")
_SOME_LETTERS = pattern(r"[a-z_]{3,}")
_ANY, _SEVERAL = "?", "*"
_TOKENS = pattern(r"\\.|\[\^?\]?[^]]*\]|\{[\d,]*\}|.", re.DOTALL)
_MOST_NAMES = 64
_SIGN = "\0"
_REPEATED = f"{_SIGN}*"
# Directories that hold all kinds of things, and a name that is a pattern itself.
_COMMON = (".config", ".local", ".*")


def parts_of(path: str) -> list[str]:
    """The names in a path, folded; a set of characters stands for any."""
    return _SET.sub(_ANY, folded(path)).split("/")


def names_meant(expression: str) -> list[str]:
    """The patterns for names that say the same as a regular expression: `\\.(env|pem)$` is two.

    A part that may be repeated or left out stands for any text.
    """
    tokens = [_token(found) for found in _TOKENS.finditer(expression)]
    return _alternatives(tokens, [0])


def _token(found: re.Match[str]) -> str:
    """A character, `?` for one that is not known, or one of `(`, `)`, `|` and `*` behind a NUL."""
    text = found[0]
    if text.lstrip("\\") in ("(", ")", "|"):
        return _SIGN + text[-1]
    if text[0] in "*+{" or text in ("?", "\\?", "\\+", "\\{"):
        return _REPEATED
    if text in ("^", "$"):
        return ""
    if text[0] == "\\":
        return _ANY if text[-1].isalnum() else text[-1]
    return _ANY if text[0] == "[" or text == "." else text


def _alternatives(tokens: list[str], at: list[int]) -> list[str]:
    """Up to the end of a group; at: the place where it begins, which moves."""
    done: list[str] = []
    current = [""]
    while at[0] < len(tokens):
        said = tokens[at[0]]
        at[0] += 1
        if said == f"{_SIGN})":
            break
        if said == f"{_SIGN}|":
            done, current = [*done, *current], [""]
            continue
        atoms = _alternatives(tokens, at) if said == f"{_SIGN}(" else [said.lstrip(_SIGN)]
        if tokens[at[0] : at[0] + 1] == [_REPEATED]:
            at[0] += 1
            atoms = [_SEVERAL]
        current = [front + atom for front in current for atom in atoms][:_MOST_NAMES]
    return [*done, *current][:_MOST_NAMES]


def is_chosen(name: str, included: Iterable[str], excluded: Iterable[str]) -> bool:
    """Tell whether a file may be one of those that patterns choose; all are, without patterns."""
    name, wanted = name.lower(), list(included)
    if any(fits(glob.lower(), name) for glob in excluded):
        return False
    # here a pattern may also match a name that begins with a dot
    return not wanted or any(overlaps(f".{parts_of(g)[-1]}", f".{name}") for g in wanted)


def is_left_out(name: str, patterns: Iterable[str]) -> bool:
    """Tell whether one of these patterns is about all files of that name."""
    from fnmatch import fnmatchcase  # noqa: PLC0415 - seldom

    return any(fnmatchcase(name, glob.rpartition("/")[2]) for glob in patterns)


def fits(wanted: str, name: str) -> bool:
    """Tell whether a name is the wanted one, which may have one `*` in it."""
    front, star, end = wanted.partition(_SEVERAL)
    if not star:
        return wanted == name
    return len(name) >= len(front + end) and name.startswith(front) and name.endswith(end)


def overlaps(glob: str, name: str) -> bool:
    """Tell whether one text fits both; a pattern needs a dot of its own for a hidden file."""
    if name[:1] == "." and glob[:1] != ".":
        return False
    wild = WILD.search(glob)
    if wild is None:
        return fits(name, glob)
    front, star, end = name.partition(_SEVERAL)
    known = glob[: wild.start()]
    size = min(len(known), len(front))
    if known[:size] != front[:size]:
        return False
    last = glob[-1:]
    if (end if star else front)[-1:] not in (last, "") and last not in (_ANY, _SEVERAL):
        return False
    rows = {(0, 0)}
    seen: set[tuple[int, int]] = set()
    while rows:
        at, there = place = rows.pop()
        if place in seen:
            continue
        seen.add(place)
        mine, other = glob[at : at + 1], name[there : there + 1]
        if not mine and not other:
            return True
        if mine == _SEVERAL:
            rows.add((at + 1, there))
        if other == _SEVERAL:
            rows.add((at, there + 1))
        if mine and other and (mine in (_ANY, _SEVERAL, other) or other == _SEVERAL):
            rows.add(
                (at if mine == _SEVERAL else at + 1, there if other == _SEVERAL else there + 1)
            )
    return False


def is_meant(glob: str, name: str) -> bool:
    """Tell a pattern that is close to the name from one that fits almost any name.

    `*`, `src*` and `*.json` may match `server.key` or `secrets.json` where there is such a file, as
    they may match any other; `.e*`, `id_*`, `*.pe?` and `*cred*` are about such names.
    """
    if WILD.search(glob) is None:
        return name[:1] == "." and name not in _COMMON
    if name[:1] == ".":
        return glob[:1] == "."
    if glob.strip("*") == "":
        return False
    stem, dot, ending = glob.rpartition(".")
    if name[:1] == _SEVERAL:
        wanted = name.rpartition(".")[2].strip(_SEVERAL)
        if dot and ending != _SEVERAL:
            return overlaps(ending, wanted)
        return any(wanted in part for part in _SOME_LETTERS.findall(glob))
    literal = stem if dot and not WILD.search(ending) else glob
    if glob[:1] not in (_ANY, _SEVERAL):
        return True
    return any(part in name for part in _SOME_LETTERS.findall(literal))
