"""Places that the user's configuration speaks of: `[paths] write`, `never_write` and `secret`.

A pattern counts from the project, from the home with `~/`, or from the root with `/`. `*` stands
for any part of one name, `**` for any number of directories. A pattern without a slash fits a name
anywhere in the project.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from laconic.files import folded
from laconic.patterns import compile_written
from laconic.reading.places import Facts


class UserPlaces:
    """The patterns of the configuration; nothing in them until somebody writes one."""

    __slots__ = ("never_write", "secret", "write")

    def __init__(
        self,
        write: tuple[str, ...] = (),
        never_write: tuple[str, ...] = (),
        secret: tuple[str, ...] = (),
    ) -> None:
        self.write, self.never_write, self.secret = write, never_write, secret


def fits(patterns: tuple[str, ...], paths: Iterable[str], facts: Facts, *, every: bool) -> bool:
    """Tell whether one of the paths fits a pattern, or with every, all of them do.

    A pattern that asks also fits other letters by which the file may be found.
    """
    if not patterns:
        return False
    spelled = str if every else folded
    compiled = [
        _compiled(*map(spelled, (pattern, facts.project, facts.home))) for pattern in patterns
    ]
    fitting = [any(one.fullmatch(spelled(path)) for one in compiled) for path in paths]
    return bool(fitting) and (all(fitting) if every else any(fitting))


@lru_cache(maxsize=256)
def _compiled(pattern: str, project: str, home: str) -> re.Pattern[str]:
    if pattern.startswith("~/"):
        pattern = f"{home}/{pattern[2:]}"
    elif not pattern.startswith("/"):
        pattern = f"{project}/{pattern}" if "/" in pattern else f"{project}/**/{pattern}"
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    regex = "".join(_MEANS.get(part, re.escape(part)) for part in parts)
    return compile_written(f"{regex}(?:/.*)?")


_MEANS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
