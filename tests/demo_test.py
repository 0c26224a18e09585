"""The demonstration can be read from its first line to its last, wherever it is printed to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parent.parent / "demo/demo.sh"


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """Return what it prints into a pipe, as an agent would read it; its server is its own."""
    directory = tmp_path_factory.mktemp("demo")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", DEMO],
        env={**os.environ, "PATH": path, "TMPDIR": str(directory)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=True,
    )
    return done.stdout.decode()


def test_it_begins_with_the_first_question_and_ends_with_the_library(printed):
    assert printed.startswith("May it run?\n")
    assert "settings.json would be created\n" in printed
    assert "rule_id='universal.git_push_force_main'" in printed.splitlines()[-1]


def test_what_the_box_is_shown_with_reads_no_key(printed):
    assert "laconic box ./frob" in printed
    assert "secret\n" not in printed


def test_what_is_hidden_is_said(printed):
    assert "[157/163 lines hidden: laconic recall " in printed


def test_what_is_trusted_has_an_effect(printed):
    assert "now in force" in printed
    assert "no effect" not in printed
