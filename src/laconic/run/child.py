"""Runs a command for a Python program: in a process of its own, which may exec and take signals.

`laconic run` sets signal handlers and may become the command; the program that uses the library
must notice neither.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from os import fdopen
from pathlib import Path
from typing import NoReturn

from laconic.errors import LaconicError
from laconic.record.bug_report import write_report
from laconic.run.execute import execute
from laconic.run.task import Task
from laconic.settings.load import Settings

# Started isolated, the child finds neither PYTHONPATH nor files of the current directory.
_PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from laconic.run.child import main; main()"
_ROOT = str(Path(__file__).parents[2])


def run_in_child(argv: Sequence[str], settings: Settings) -> int:
    """Run a command on the streams of this process; return its status, 128 + N for a signal."""
    if not argv:
        raise LaconicError("run needs a command")
    with tempfile.TemporaryFile() as file:
        pickle.dump(settings, file)
        file.seek(0)
        words = [sys.executable, "-I", "-c", _PROGRAM, _ROOT, str(file.fileno()), *argv]
        status = subprocess.run(words, pass_fds=(file.fileno(),), check=False).returncode  # noqa: S603
    return 128 - status if status < 0 else status


def main() -> NoReturn:
    """Be the child: its words are the path of the package, a descriptor, and the command."""
    _, _, number, *argv = sys.argv
    with fdopen(int(number), "rb") as file:
        settings: Settings = pickle.load(file)  # noqa: S301 - the parent wrote it
    task = Task(argv)
    task.settings = settings
    sys.exit(execute(task, write_report))
