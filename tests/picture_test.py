"""The picture in the README shows what is printed, and all of it can be read."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs/images/terminal.svg"
CARETS = re.compile(r"\s*[~^]+")  # later Pythons mark the expression in a traceback


def texts(path):
    """Return the lines of the picture, without what changes between runs and Pythons."""
    found = ["".join(text.itertext()) for text in ET.parse(path).iter() if "text" in text.tag]
    same = [re.sub(r"recall \w+", "recall", re.sub(r"[\d.,]+", "0", line)) for line in found]
    return list(dict.fromkeys(line for line in same if not CARETS.fullmatch(line)))


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    path = tmp_path_factory.mktemp("picture") / "terminal.svg"
    subprocess.run([sys.executable, ROOT / "scripts/picture.py", path], check=True)
    return path


def test_the_picture_shows_what_is_printed_today(drawn):
    """Draw it again with `make picture` when this fails, and look at it."""
    assert texts(PICTURE) == texts(drawn)


def test_nothing_is_cut_at_the_edge(drawn):
    assert not [line for line in texts(drawn) if line.endswith("…")]


def test_the_picture_has_all_three_answers_and_the_way_to_what_is_hidden():
    shown = texts(PICTURE)
    ends = {line.split("  ")[-1].strip() for line in shown}
    assert ends >= {"runs", "asks", "denied", "runs; laconic undo brings it back"}
    assert "[0/0 lines hidden: laconic recall]" in shown


def test_the_readme_shows_it():
    assert "](docs/images/terminal.svg)" in (ROOT / "README.md").read_text()
