"""Writes many names in few words: `{a,b}.{in,out}`, `log{1..15}.txt`, one line for a directory."""

from __future__ import annotations

from collections import Counter
from itertools import groupby, pairwise

from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NUMBERED = pattern(r"(.*?)(0|[1-9][0-9]*)(\D*)")
_FEWEST_IN_RANGE = 3
_FEWEST_ALIKE = 2
_ODD = pattern(r"[\s{},]")


def joined(names: Sequence[str]) -> str:
    """All names, each whole or as a member of a group that gives it back."""
    return " ".join(folded(names))


def below(directory: str, names: Sequence[str]) -> str:
    """The names in a directory: `dir/log{1..15}.txt` for one word, `dir/: a b` for several."""
    words = folded(names)
    return f"{directory}{words[0]}" if len(words) == 1 else f"{directory}: {' '.join(words)}"


def with_values(pairs: Sequence[tuple[str, str]], *, is_ordered: bool = False) -> str:
    """Names with what is beside them: `a.py=12 c.py=8`, or `12 a.py b.py; 8 c.py` if many share it.

    is_ordered: the order of the pairs means something, such as the time, and is kept.
    """
    groups: list[tuple[str, list[str]]] = []
    if is_ordered:
        groups = [(value, [n for n, _ in some]) for value, some in groupby(pairs, lambda p: p[1])]
    else:
        by_value: dict[str, list[str]] = {}
        for name, value in pairs:
            by_value.setdefault(value, []).append(name)
        groups = list(by_value.items())
    if len(groups) < len(pairs) / 2:
        written = " ".join if is_ordered and not _is_sorted(pairs) else joined
        return "; ".join(f"{value} {written(names)}".strip() for value, names in groups)
    if any(" " in text or "=" in text for pair in pairs for text in pair):
        return ", ".join(f"{name} {value}".strip() for name, value in pairs)
    return " ".join(f"{name}={value}" if value else name for name, value in pairs)


def _is_sorted(pairs: Sequence[tuple[str, str]]) -> bool:
    return all(one[0] <= other[0] for one, other in pairwise(pairs))


def folded(names: Sequence[str]) -> list[str]:
    """The names, those with the same beginning and ending as one; `a.py [x3]` if it is there often.

    How often something was found may be what was asked.
    """
    counts = Counter(names)
    once = [name for name, count in counts.items() if count == 1]
    often = [f"{name} [x{count}]" for name, count in counts.items() if count > 1]
    return [*_ranges(_by_ending(once)), *often]


def _by_ending(names: list[str]) -> list[str]:
    """`{a,b}.{cmd,in}` for stems that have the same extensions."""
    endings: dict[str, list[str]] = {}
    for name in names:
        stem, dot, ending = name.rpartition(".")
        if dot and stem and not ending.isdigit() and not _ODD.search(name):
            endings.setdefault(stem, []).append(ending)
    groups: dict[tuple[str, ...], list[str]] = {}
    for stem, found in endings.items():
        if len(found) >= _FEWEST_ALIKE:
            groups.setdefault(tuple(sorted(found)), []).append(stem)
    written = {
        stem: f"{_choice(stems)}.{_choice(found)}"
        for found, stems in groups.items()
        for stem in stems
    }
    shown: dict[str, None] = {}
    for name in names:
        stem, _, ending = name.rpartition(".")
        is_folded = stem in written and ending in endings[stem]
        shown[written[stem] if is_folded else name] = None
    return list(shown)


def _choice(texts: Iterable[str]) -> str:
    found = list(texts)
    return found[0] if len(found) == 1 else f"{{{','.join(found)}}}"


def _ranges(names: list[str]) -> list[str]:
    """`log{1..15}.txt` for numbers without gaps."""
    numbers: dict[tuple[str, str], set[int]] = {}
    for name in names:
        match = _NUMBERED.fullmatch(name)
        if match and not _ODD.search(name):
            numbers.setdefault((match[1], match[3]), set()).add(int(match[2]))
    written: dict[str, str] = {}
    for (start, end), found in numbers.items():
        for low, high in _runs(sorted(found)):
            if high - low + 1 >= _FEWEST_IN_RANGE:
                text = f"{start}{{{low}..{high}}}{end}"
                written |= {f"{start}{n}{end}": text for n in range(low, high + 1)}
    return list(dict.fromkeys(written.get(name, name) for name in names))


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
