"""The commands of cases/decide with their verdicts, one line each."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from laconic.types import Verdict

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
        case = Case(Verdict[verdict.lstrip("@").upper()], command, rule)
        found.append((f"{path.stem}:{number}", case))
    return found


FILES = sorted(CASES.glob("*.cases"))
ALL = [found for path in FILES for found in read_cases(path)]
