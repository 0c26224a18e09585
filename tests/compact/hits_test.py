"""A line of a search that is cut still has its hit: grep itself is asked."""

from __future__ import annotations

import random
import shutil
import subprocess

import pytest

from laconic.compact.hits import Hits, hits_of
from laconic.compact.lines import read_lines
from laconic.compact.load import load_filters
from laconic.compact.pipeline import compact
from laconic.run.shells import arguments_of
from laconic.settings.load import read_settings

SEARCHES = [
    ["grep", "-n", "needle"],
    ["grep", "needle"],
    ["grep", "-rn", "needle", "."],
    ["grep", "-in", "NEEDLE"],
    ["grep", "-nF", "a.needle(x)"],
    ["fgrep", "-n", "a.needle(x)"],
    ["grep", "-nw", "needle"],
    ["grep", "-nE", "needle|pin"],
    ["egrep", "-n", "(nee|ned)dle+"],
    ["grep", "-n", r"nee\|pin"],
    ["grep", "-n", "a.needle(x)"],
    ["grep", "-nP", r"\bneedle\b"],
    ["grep", "-n", "-e", "needle", "-e", "pin"],
    ["grep", "-n", "--regexp=needle"],
    ["grep", "-n", "nee[dt]le"],
    ["grep", "-n", ".*needle.*"],
    ["grep", "-nE", "ne{2}dle"],
    ["grep", "-n", "-A2", "needle"],
    ["grep", "-2n", "needle"],
    ["grep", "-n", r"needle(x)\.b"],
    ["grep", "-n", "^x.*needle"],
    ["grep", "-n", "-m", "3", "needle"],
    ["grep", "--color=never", "-n", "--include=*.js", "-r", "needle"],
    ["grep", "-nE", "^.+needle.+$"],
    ["grep", "-ni", "Ne[a-e]dle"],
    ["grep", "-n", "[[:alpha:]]*needle"],
    ["grep", "-nP", "(?<=a.)needle"],
    ["grep", "-nE", r"\<needle\>"],
    ["grep", "-n", r"n\(e\)\1dle"],
]
RIPGREP = [
    ["rg", "-n", "needle"],
    ["rg", "-nF", "a.needle(x)"],
    ["rg", "-ni", "NEEDLE"],
    ["rg", "-nw", "needle"],
    ["rg", "-n", "nee(d|t)le"],
    ["rg", "-n", r"\bneedle\("],
    ["rg", "-nS", "needle"],
    ["rg", "-n", "-g", "*.js", "needle"],
    ["rg", "-n", r"\p{L}eedle"],
]


UNKNOWN = {
    "[[:alpha:]]*needle", "(?<=a.)needle", r"\<needle\>", r"n\(e\)\1dle", r"\p{L}eedle",
}  # fmt: skip


def long_lines(seed):
    chance = random.Random(seed)
    for _ in range(12):
        before, behind = chance.randrange(3000), chance.randrange(3000)
        fill = "xyz = 0; " * 400
        yield f"x{fill[:before]} a.needle(x).b {fill[:behind]}"
    yield "x short needle"


@pytest.fixture
def settings(home):  # noqa: ARG001 - for a configuration of its own
    return read_settings({"HOME": "/nonexistent"})


@pytest.mark.parametrize("words", [*SEARCHES, *RIPGREP], ids=" ".join)
def test_what_is_cut_keeps_its_hit(words, tmp_path, settings):
    (tmp_path / "f.js").write_text("\n".join(long_lines(1)) + "\n")
    files = [] if words[-1] == "." else ["f.js"]
    search = (
        words if shutil.which(words[0]) else ["grep", "-n", "needle"]
    )  # ripgrep prints the same
    raw = subprocess.run([*search, *files], capture_output=True, check=True, cwd=tmp_path).stdout
    wanted = load_filters(settings, None).filters.find(arguments_of(words))
    compacted = compact(wanted, 0, read_lines(raw), hits_of(words))
    texts = [row.text for row in compacted.shown] if compacted else raw.decode().splitlines()
    lost = [text for text in texts if "characters hidden" in text and "needle" not in text]
    assert lost == []
    is_tree = any("r" in word[:3] for word in words[1:3])  # lines of one file, below its name
    if not is_tree and not UNKNOWN & {*words}:
        assert any("characters hidden" in text for text in texts)
        assert all(len(text) < 900 for text in texts)


@pytest.mark.parametrize(
    "words",
    [
        ["grep", "-f", "x"],
        ["grep", None],
        ["grep", ""],
        ["grep", "-v", "x"],
        ["rg", "-r", "y", "x"],
        ["grep", "--unknown", "x"],
        ["grep", "x*"],
        ["grep"],
        ["grep", "-e", None],
        ["grep", "a**"],
        ["grep", "[[.a.]]"],
    ],
)
def test_a_line_stays_whole_where_the_hit_is_not_known(words):
    line = "f.js:1:" + "y" * 400 + "x" + "y" * 4000
    assert hits_of(words).clip(line, 500) == line


def test_a_hit_in_the_name_of_a_file_is_not_the_one():
    line = "src/needle.js:7:" + "y" * 2000 + "needle" + "y" * 2000
    shown = hits_of(["grep", "-rn", "needle"]).clip(line, 500)
    assert shown.count("needle") == 2
    assert len(shown) < 600
    assert hits_of(["git", "status"]) is None
    assert Hits(None).clip("a" * 600, 500) == "a" * 600
