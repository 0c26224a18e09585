"""What the values of variables and settings are to programs: commands, files, servers, code.

The tables are `data/roles/`: of environment variables, and of git's settings.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cache
from os.path import dirname

from laconic.patterns import compile_written

_DATA = f"{dirname(__file__)}/data/roles"  # noqa: PTH120 - as below


class Role:
    """One role, with the names that have it. harmless: values that do nothing of the kind."""

    def __init__(self, name: str, names: str, harmless: str | None) -> None:
        self.name, self.names = name, names.split()
        self.harmless: re.Pattern[str] | None = (
            None if harmless is None else compile_written(harmless)
        )

    def known(self, name: str) -> str:
        """The name of a variable or setting if the table has it as it is; else `other`."""
        return name if name in self.names else "other"

    def spares(self, value: str | None) -> bool:
        """Tell whether a value does nothing of the kind; None: it is not known."""
        return (
            value is not None
            and self.harmless is not None
            and (self.harmless.fullmatch(value) is not None)
        )


def role_of(table: str, name: str) -> Role | None:
    """The role of a variable (`variables`) or of a setting of git, in small letters (`git`)."""
    for role in _roles(table):
        if any(fnmatchcase(name, one) for one in role.names):
            return role
    return None


@cache
def _roles(table: str) -> tuple[Role, ...]:
    import tomllib  # noqa: PLC0415 - few lines set a variable that is not harmless

    with open(f"{_DATA}/{table}.toml", "rb") as file:  # noqa: PTH123 - pathlib is slow to load
        rows = tomllib.load(file)["role"]
    return tuple(Role(row["role"], row["names"], row.get("harmless")) for row in rows)
