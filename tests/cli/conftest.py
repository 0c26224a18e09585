"""The program, for the tests of its commands."""

from __future__ import annotations

import io
import sys

import pytest

from laconic.cli import main as cli


@pytest.fixture
def laconic(capsys, monkeypatch):
    """Run a command line in this process; return exit status, stdout and stderr."""

    def run(*words, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        status = cli.run(list(words))
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return run
