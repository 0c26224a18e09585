"""Whether a line ran that somebody was asked about: its places are looked at before and after.

A command that changes or removes something cannot leave all times of change as they were, because
no program can set them: https://man7.org/linux/man-pages/man7/inode.7.html (ctime).
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.undo.reach import Reach

_MOST = 10_000


def as_they_are(reach: Reach) -> dict[str, int | None] | None:
    """Return the times of all that a line may change; None if that is not known, or too much."""
    if reach.doubts or reach.beyond or not reach.places:
        return None
    found: dict[str, int | None] = {}
    for place in reach.places.values():
        if place.prefix:
            return None
        found[place.path] = _changed_ns(place.path)
        if place.deep and os.path.isdir(place.path) and not os.path.islink(place.path):
            for directory, folders, files in os.walk(place.path):
                for name in (*folders, *files):
                    path = os.path.join(directory, name)
                    found[path] = _changed_ns(path)
                if len(found) > _MOST:
                    return None
        if len(found) > _MOST:
            return None
    return found


def are_as_they_were(times: object) -> bool:
    """Tell whether nothing of this has changed; False if it is not known."""
    if not isinstance(times, dict) or not times:
        return False
    return all(_changed_ns(path) == changed for path, changed in times.items())


def _changed_ns(path: str) -> int | None:
    try:
        return os.lstat(path).st_ctime_ns
    except OSError:
        return None
