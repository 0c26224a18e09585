"""A signal that can be caught reaches the command, which has its own way to end."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from runners import PYTHON, RUN, bin_dir, no_process_left, runner, runtime, state

__all__ = ["bin_dir", "no_process_left", "runner", "runtime", "state"]  # fixtures

NAMES = """ABRT ALRM VTALRM PROF XCPU XFSZ PIPE IO PWR URG STKFLT TRAP SYS SEGV USR1 USR2 WINCH TERM
HUP INT QUIT""".split()
# What the runner in Python cannot tell from what is its own elsewhere.
OF_THREADS = {getattr(signal, f"SIG{name}") for name in "PIPE TRAP SYS SEGV XFSZ".split()}
NUMBERS = [getattr(signal, f"SIG{name}") for name in NAMES if hasattr(signal, f"SIG{name}")]
if sys.platform == "linux":
    NUMBERS += [signal.SIGRTMIN, signal.SIGRTMIN + 5, signal.SIGRTMAX]
SCRIPT = "trap 'echo caught; exit 5' {}; echo ready; while :; do sleep 0.05; done"


def begin(*flags, line, **more):
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    words = [*RUN, *flags, "--", "bash", "-c", line]
    process = subprocess.Popen(words, start_new_session=True, **given, **more)
    first = process.stdout.readline()
    assert first == b"ready\n", process.communicate()
    return process


def is_caught(number, *flags):
    with begin(*flags, line=SCRIPT.format(int(number))) as process:
        process.send_signal(number)
        try:
            out, _ = process.communicate(timeout=30)
        finally:
            process.kill()
        assert (out, process.returncode) == (b"caught\n", 5)


@pytest.mark.parametrize("number", NUMBERS)
def test_the_handler_of_the_command_is_called_and_what_it_prints_is_shown(runner, number):
    if runner.name == PYTHON and number in OF_THREADS and sys.platform != "linux":
        pytest.skip("only Linux says which thread a signal is for")
    is_caught(number)


@pytest.mark.parametrize("number", [signal.SIGALRM, signal.SIGABRT])
def test_so_it_is_for_a_command_that_has_our_own_streams(number):
    is_caught(number, "--raw", "--undo")


def test_an_alarm_that_was_set_before_we_were_started():
    """`perl -e 'alarm 1; exec @ARGV' COMMAND`: the alarm goes on over the exec."""
    line = SCRIPT.format("ALRM")
    program = "import os, signal, sys; signal.alarm(2); os.execvp(sys.argv[1], sys.argv[1:])"
    words = [sys.executable, "-c", program, *RUN, "--", "bash", "-c", line]
    done = subprocess.run(words, capture_output=True, timeout=60, check=False)
    assert (done.stdout, done.returncode) == (b"ready\ncaught\n", 5)


@pytest.mark.parametrize("number", [signal.SIGALRM, signal.SIGABRT, signal.SIGXCPU])
def test_a_command_that_dies_of_it_has_its_output_shown(number):
    with begin(line="echo ready; exec sleep 60") as process:
        process.send_signal(number)
        _, _ = process.communicate(timeout=60)
        assert process.returncode == 128 + number
