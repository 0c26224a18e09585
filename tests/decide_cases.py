"""Reads case files of commands, one line each: those of cases/decide, and files with headers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from laconic.types import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = Path(__file__).parent / "cases" / "decide"


class Case(NamedTuple):
    verdict: Verdict
    command: str
    rule: str


def read_cases(path: Path) -> list[tuple[str, Case]]:
    """`verdict  command    # rule: id` a line; `@verdict` for a command with \\n in it."""
    found = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        verdict, _, rest = line.partition(" ")
        command, _, rule = rest.strip().partition("    # rule: ")
        if verdict.startswith("@"):
            command = command.replace("\\n", "\n")
        case = Case(Verdict(verdict.lstrip("@")), command, rule)
        found.append((f"{path.stem}:{number}", case))
    return found


def under_headers(directory: Path) -> Iterator[tuple[str, str, str]]:
    """Yield each line of the files in a directory: its id, the `== ` line above it, its text."""
    for path in sorted(directory.glob("*.cases")):
        header = ""
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.startswith("== "):
                header = line[3:]
            elif line and not line.startswith("#"):
                yield f"{path.stem}:{number}", header, line


FILES = sorted(CASES.glob("*.cases"))
ALL = [found for path in FILES for found in read_cases(path)]
