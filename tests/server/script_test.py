"""The client where there is no C compiler: a script for the shell, which changes no variable."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import warm_server
from laconic.settings.environ import restore_environment

CALLS = ("laconic-twin", "ask_server_first"), ("laconic-py", "main")


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc")
@pytest.mark.parametrize(("name", "function"), CALLS)
def test_the_command_has_the_environment_of_the_caller(tmp_path, name, function):
    program = warm_server.write_program(tmp_path, name, function)
    given = {
        b"PATH": os.environb[b"PATH"],
        b"HOME": os.fsencode(tmp_path),
        b"LACONIC_NO_SERVER": b"1",
        b"LC_ALL": b"C.UTF-8",  # or the Python that prints it would set one
        b"BASH_FUNC_f%%": b"() { echo hi\n}",
        b"IFS": b"x",
        b"PWD": b"/nowhere",
        b"not-a-name": b"1",
        b"bytes": b"\xff\n=",
        b"empty": b"",
    }
    line = "import os, sys; sys.stdout.buffer.write(repr(sorted(os.environb.items())).encode())"
    words = [program, "run", "--raw", sys.executable, "-I", "-c", line]
    done = subprocess.run(words, env=given, capture_output=True, check=True, cwd="/")
    assert done.stdout.decode() == repr(sorted(given.items()))


@pytest.mark.parametrize("saved", ["", "?", "QT0x", "UEFUSD0vZWxzZXdoZXJlAA=="])
def test_what_was_saved_of_another_process_is_not_taken(monkeypatch, saved):
    monkeypatch.setenv("laconic_environ", saved)
    before = {name: value for name, value in os.environ.items() if name != "laconic_environ"}
    restore_environment()
    assert dict(os.environ) == before
