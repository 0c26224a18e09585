"""What tests of commands share: the command line, run in this process."""

from __future__ import annotations

import io
import sys

import pytest

from laconic.cli import main as cli


@pytest.fixture
def laconic(capsys, monkeypatch):
    """Return a function that runs a command line: exit status, stdout and stderr."""

    def run(*words, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        status = cli.run(list(words))
        return status, *capsys.readouterr()

    return run
