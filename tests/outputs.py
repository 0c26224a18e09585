"""Recorded outputs: tests/cases/compact/<tool>/<command>/<name>.in, .cmd and .out.

What must be kept of an output is in <name>.keep, one text per line. A third line of <name>.cmd
says why the output is not a recording.
"""

from __future__ import annotations

from functools import cache, wraps
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pytest

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
        return _filter_for(self.command)


def arguments(command: str):
    found = next(iter(commands(parse(command.encode()))))
    return evaluate(found.command.words, {})


@cache
def _filter_for(command: str):
    return FOUND.filters.find(arguments(command))


@cache
def cases() -> list[Case]:
    found = []
    for path in sorted(ROOT.rglob("*.cmd")):
        command, status, *_ = path.read_text().splitlines()
        raw = path.with_suffix(".in").read_bytes()
        found.append(Case(path, command, int(status.removeprefix("status ")), raw))
    return found


def for_each(found: list[Case]):
    """Make one test of all cases of a command: there are a thousand, and each takes little."""
    groups = groupby(found, lambda case: str(case.path.parent.relative_to(ROOT)))
    together = [pytest.param(list(group), id=name) for name, group in groups]

    def decorate(test):
        @wraps(test)
        def test_all(case, **fixtures):
            for one in case:
                try:
                    test(case=one, **fixtures)
                except BaseException as error:
                    error.add_note(f"in {one.id}")
                    raise

        return pytest.mark.parametrize("case", together)(test_all)

    return decorate


FOUND = load_filters(None, library())
