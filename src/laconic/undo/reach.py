"""What a command may change, as the places to look at before and after it runs."""

from __future__ import annotations

import os

from laconic.files import real_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

# How a place is changed, which decides how it is kept: by a copy, by a hard link because the
# command only unlinks or renames, or without its content because that stays as it is.
COPY, HARD_LINK, METADATA = "copy", "link", "dress"


class Place:
    """A path that may change: with all that is below it, or alone.

    prefix: every name in the same directory that begins so counts, too. skipped: paths below it
    that are left out.
    """

    def __init__(
        self,
        path: str,
        *,
        deep: bool = False,
        how: str = COPY,
        prefix: bool = False,
        skipped: frozenset[str] = frozenset(),
    ) -> None:
        self.path, self.deep, self.how, self.prefix = path, deep, how, prefix
        self.skipped = skipped

    def __repr__(self) -> str:
        flags = "".join(f", {n}" for n in ("deep", "prefix") if getattr(self, n))
        return f"Place({self.path!r}, {self.how}{flags})"

    def row(self) -> list[Any]:
        return [self.path, self.deep, self.how, self.prefix, sorted(self.skipped)]

    @classmethod
    def from_row(cls, row: list[Any]) -> Place:
        skipped = frozenset(row[4])
        return cls(row[0], deep=row[1], how=row[2], prefix=row[3], skipped=skipped)


class Reach:
    """All places that a command may change.

    stores: object stores of git, whose files are put back but never removed. doubts: why there may
    be more than these places; then `around` are the trees that are kept whole if that is cheap.
    beyond: what no undo can hold. spelled: the name that a file comes back by, where others lead to
    it as well.
    """

    def __init__(self, spelled: Callable[[str], str] = str) -> None:
        self.places: dict[tuple[str, bool], Place] = {}
        self.stores: set[str] = set()
        self.doubts: list[str] = []
        self.around: set[str] = set()
        self.beyond: list[str] = []
        self._spelled = spelled

    def add(self, path: str, *, deep: bool = False, how: str = COPY, prefix: bool = False) -> None:
        """Add a path as it was typed, made absolute: what it means is found out here."""
        self.put(Place(located(path), deep=deep, how=how, prefix=prefix))

    def add_followed(self, path: str, *, how: str = COPY) -> None:
        """Add what a program writes that opens the path: the file behind links, and the link."""
        self.add(path, how=how)
        if os.path.islink(path):
            self.put(Place(os.path.realpath(path), how=how))

    def put(self, place: Place) -> None:
        """Add a place whose parents are real; of two ways to keep it the safer one holds."""
        place.path = self._spelled(place.path)
        known = self.places.get((place.path, place.prefix))
        if known is None:
            self.places[place.path, place.prefix] = place
            return
        if known.deep and place.deep:
            known.skipped &= place.skipped
        elif place.deep:
            known.skipped = place.skipped
        known.deep = known.deep or place.deep
        if known.how != place.how:
            known.how = COPY

    def doubt(self, reason: str, around: str = "") -> None:
        if reason not in self.doubts:
            self.doubts.append(reason)
        if around:
            self.around.add(around)

    def join(self, other: Reach) -> None:
        for place in other.places.values():
            self.put(place)
        self.stores |= other.stores
        self.around |= other.around
        self.beyond += [reason for reason in other.beyond if reason not in self.beyond]
        self.doubts += [doubt for doubt in other.doubts if doubt not in self.doubts]

    def __bool__(self) -> bool:
        return bool(self.places or self.around)


def located(path: str) -> str:
    """Return an absolute path whose parents are real; the last name may still be a link.

    A path that ends in a slash or a dot means the directory behind a link.
    """
    name = os.path.basename(path)
    if name in ("", ".", ".."):
        trimmed = path.rstrip("/") or "/"
        if os.path.basename(trimmed) in ("", ".", ".."):
            return real_path(trimmed)
        return located(trimmed) if not os.path.islink(trimmed) else os.path.realpath(trimmed)
    parent = real_path(os.path.dirname(path))
    return os.path.join(parent, name)


def is_below(path: str, directories: Iterable[str]) -> bool:
    """Tell whether a path is one of these directories or below one."""
    return any(path == one or path.startswith(one.rstrip("/") + "/") for one in directories)
