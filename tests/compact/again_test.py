"""A command that fails again, for who has read the run before: tests/cases/again.

A case has two outputs of one command, of which the second is shown: `name.cmd`, `name.before`,
`name.now` and what is shown, `name.out`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from laconic.compact.again import without_known
from laconic.compact.generic import compact_generic
from laconic.compact.lines import read_lines
from laconic.compact.notice import notice
from laconic.compact.pipeline import compact
from outputs import _filter_for

ADDRESS = re.compile(r"\d{9,}")
CASES = sorted((Path(__file__).parent.parent / "cases/again").glob("*.cmd"))


def shown_of(command: str, raw: bytes):
    wanted = _filter_for(command)
    lines = read_lines(raw)
    return compact(wanted, 1, lines) if wanted else compact_generic(lines, 1)


def again(path: Path) -> str:
    command = path.read_text().strip()
    before = shown_of(command, path.with_suffix(".before").read_bytes())
    now = shown_of(command, path.with_suffix(".now").read_bytes())
    texts = [row.text for row in before.shown]
    found = without_known(now, texts, lambda _row: False)
    return f"{found.text()}{notice(found, 'ID')}\n"


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_what_is_as_before_is_not_shown_again(path, request):
    shown, out = again(path), path.with_suffix(".out")
    if request.config.getoption("--update-cases"):
        out.write_text(shown)
    assert shown == out.read_text()


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_every_line_that_differs_is_shown_and_every_one_that_is_gone_is_named(path):
    """Each line that was not shown before is shown now; the first of a block that is gone, too."""
    command = path.read_text().strip()
    before, now = (
        ADDRESS.sub("0", shown_of(command, path.with_suffix(end).read_bytes()).text()).splitlines()
        for end in (".before", ".now")
    )
    shown = again(path)
    assert [line for line in now if line not in before and line not in shown] == []
    named = [line for line in before if line.startswith(("FAILED ", "error: part"))]
    lost = [line for line in named if line not in now]
    assert [line for line in lost if line not in shown] == []
