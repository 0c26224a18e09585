"""Recorded outputs: tests/cases/compact/<tool>/<command>/<name>.in, .cmd and .out.

What must be kept of an output stands in <name>.keep, one text per line. A third line of <name>.cmd
says why the output is not a recording.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from laconic.compact.load import load_filters
from laconic.knowledge.arguments import evaluate
from laconic.knowledge.catalog import library
from laconic.shell import parse
from laconic.shell.walk import commands

ROOT = Path(__file__).parent / "cases/compact"
RAW = "[raw]\n"


class Case(NamedTuple):
    path: Path
    command: str
    status: int
    raw: bytes

    @property
    def id(self) -> str:
        return str(self.path.relative_to(ROOT).with_suffix(""))

    @property
    def keep(self) -> list[str]:
        """What must be shown of it, by hand from the output."""
        path = self.path.with_suffix(".keep")
        return path.read_text().splitlines() if path.exists() else []

    @property
    def filter(self):
        return FOUND.filters.find(arguments(self.command))


def arguments(command: str):
    found = next(iter(commands(parse(command.encode()))))
    return evaluate(found.command.words, {})


def cases() -> list[Case]:
    found = []
    for path in sorted(ROOT.rglob("*.cmd")):
        command, status, *_ = path.read_text().splitlines()
        raw = path.with_suffix(".in").read_bytes()
        found.append(Case(path, command, int(status.removeprefix("status ")), raw))
    return found


FOUND = load_filters(None, library())
