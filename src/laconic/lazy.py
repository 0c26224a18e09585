"""A regular expression that is compiled when it is first used.

A hook starts before every command and needs few of the seventy that its modules have; compiling
them all would take as long as the rest of its thinking.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import compile as pattern
    from typing import Any
else:

    class pattern:  # noqa: N801 - it is used like re.compile
        """What re.compile gives, later."""

        def __init__(self, source: str | bytes, flags: int = 0) -> None:
            self._made_from = source, flags

        def __getattr__(self, name: str) -> Any:
            compiled = re.compile(*self._made_from)
            for method in ("match", "fullmatch", "search", "sub", "split", "findall", "finditer"):
                setattr(self, method, getattr(compiled, method))
            return getattr(compiled, name)


__all__ = ("pattern",)
