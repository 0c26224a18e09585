"""The tests are the same on every machine, whatever is installed or configured there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import machine
import order

SHOW = """
import json, os, shutil, machine
place = machine.enclose()
print(json.dumps([str(place), place.stat().st_mode & 0o777, dict(os.environ)]))
shutil.rmtree(place)
"""


def test_no_program_is_found_that_is_not_named():
    found = {path.name for folder in os.get_exec_path() for path in Path(folder).iterdir()}
    assert "bash" in found
    assert found <= {*machine.PROGRAMS, "python", "python3"}
    assert shutil.which("git-lfs") is None


def enclosed(**variables):
    done = subprocess.run(
        [sys.executable, "-c", SHOW],
        env={**os.environ, "PYTHONPATH": str(Path(machine.__file__).parent), **variables},
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "variable",
    ["GIT_CONFIG_GLOBAL", "NPM_CONFIG_PREFIX", "BASH_ENV", "ENV", "CDPATH", "LC_ALL", "TMPDIR"],
)
def test_a_variable_of_the_machine_is_not_seen(variable, tmp_path):
    _, _, seen = enclosed(**{variable: str(tmp_path), "PIP_INDEX_URL": "kept"})
    assert variable not in seen
    assert seen["PIP_INDEX_URL"] == "kept"
    assert variable not in os.environ


def test_every_user_can_enter_the_place(tmp_path):
    place, mode, _ = enclosed(TMPDIR=str(tmp_path))
    assert tmp_path not in Path(place).parents
    assert mode == 0o755


@pytest.mark.parametrize("pattern", [*order.SLOW, *order.LONGEST])
def test_what_is_named_in_the_order_of_the_tests_is_there(pattern):
    path, _, name = pattern.partition("::")
    place = Path(machine.__file__).parent.parent / path
    function = re.search(r"test_\w+", name)
    assert place.is_dir() or (function[0] if function else "") in place.read_text()


def test_no_two_files_of_tests_share_a_name():
    """Outside of packages, Python would load the first of them in place of the second."""
    tests = Path(machine.__file__).parent
    loose = [
        path.name for path in tests.rglob("*_test.py") if not (path.parent / "__init__.py").exists()
    ]
    assert sorted(loose) == sorted(set(loose))
