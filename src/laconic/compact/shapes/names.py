"""Writes many names in few words: `{a,b}.{in,out}`, `log{1..15}.txt`, one line for a directory."""

from __future__ import annotations

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


def folded(names: Sequence[str]) -> list[str]:
    """The names, those with the same beginning and ending as one."""
    by_ending = _by_ending(list(dict.fromkeys(names)))
    return _ranges(by_ending)


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
        stem: (stems[0], f"{_choice(stems)}.{_choice(found)}")
        for found, stems in groups.items()
        for stem in stems
    }
    shown: list[str] = []
    for name in names:
        first, text = written.get(name.rpartition(".")[0], ("", name))
        if not first:
            shown.append(name)
        elif text not in shown:
            shown.append(text)
    return shown


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


def as_ranges(numbers: Iterable[int]) -> str:
    """`3 5 7..9`."""
    pairs = _runs(sorted(set(numbers)))
    return " ".join(f"{low}" if low == high else f"{low}..{high}" for low, high in pairs)
