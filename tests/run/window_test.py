"""Of an output that is too large for memory, all counts are true, whatever its lines are."""

from __future__ import annotations

import os
import re

import pytest

from laconic.run.spool import OUT, new_id, open_spool
from laconic.run.window import look_through


@pytest.fixture
def window(tmp_path):
    """Look through a text."""

    def look(text: bytes):
        spool = open_spool(str(tmp_path), new_id(), [OUT], "x", {})
        os.write(spool.handles[OUT], text)
        return look_through(spool, OUT)

    return look


@pytest.mark.parametrize("ending", ["", "\n"])
@pytest.mark.parametrize("letter", ["x", "ä"])
def test_a_very_long_line_is_one_line_and_all_that_is_missing_of_it_is_counted(
    window, letter, ending
):
    count = 3_000_000
    found = window((letter * count + ending).encode())
    assert (found.total, found.hidden) == (1, 0)
    shown, missing = re.fullmatch(
        r"(\w+) \[\.\.\. (\d+) characters hidden\]\n", found.text
    ).groups()
    assert len(shown) + int(missing) == count


def test_lines_around_very_long_ones_keep_their_numbers(window):
    long = "y" * 2_500_000
    lines = [f"line {n}" for n in range(200)]
    text = "\n".join([*lines, long, "error: it broke", *lines, long, "the end", ""])
    found = window(text.encode())
    assert found.total == 404
    shown = [line for line in found.text.splitlines() if not line.startswith("[... ")]
    marks = re.findall(r"(?m)^\[\.\.\. (\d+) lines hidden", found.text)
    assert found.hidden == sum(map(int, marks)) == 404 - len(shown)
    assert "error: it broke" in shown
    assert shown[-1] == "the end"
    assert f"{'y' * 500} [... 2499500 characters hidden]" in shown
