"""How long a line that is certain waits while its command runs, for commands of several seconds.

A recorded output is written line by line by a program with the name of the tool; all times are of
one clock, which the program reads after each line.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from typing import NamedTuple

import pytest

from laconic.compact.lines import read_lines
from laconic.compact.stages.clean import clean
from outputs import ROOT
from runners import RUN, bin_dir, no_process_left, runner, runtime, state
from warm_server import PATIENCE_S

__all__ = ["bin_dir", "no_process_left", "runner", "runtime", "state"]  # fixtures

SECONDS = 4.5  # that a command takes
MOST_S = 2.0  # that a line waits
PLAYER = f"""#!{sys.executable} -I
import os, sys, time
lines = open(os.environ["PLAYED"], "rb").read().splitlines(keepends=True)
seconds = float(os.environ["SECONDS"])
times = open(os.environ["TIMES"], "w")
for number, line in enumerate(lines):
    os.write(1, line)
    print(time.monotonic(), file=times, flush=True)
    time.sleep(seconds / len(lines))
sys.exit(int(os.environ["STATUS"]))
"""
RECORDED = (
    "cargo/build/color-errors", "cargo/test/passed", "docker/build/long-step", "go/test/passed",
    "npm/run/build", "pytest/passed-verbose", "terraform/plan/color", "vitest/passed",
)  # fmt: skip
NOTICE = re.compile(r"\[.*(?:hidden|shortened|regrouped|condensed)\b.*\]")
FOLDED = re.compile(r" \[and \d+ like it: [^]]*\]$")  # at the end of the first of these lines


class Played(NamedTuple):
    """What arrived, by line with the time; and when the command had written each of its lines."""

    arrived: dict[str, float]
    written: list[float]
    ended: float


def play(words, folder, raw, status=0, seconds=SECONDS):
    """Run a program by this name that prints an output line by line."""
    place = folder / str(seconds)
    place.mkdir()
    (place / words[0]).write_text(PLAYER)
    (place / words[0]).chmod(0o755)
    (place / "out").write_bytes(raw)
    environ = os.environ | {
        "PATH": f"{place}:{os.environ['PATH']}", "PLAYED": str(place / "out"),
        "TIMES": str(place / "times"), "SECONDS": str(seconds), "STATUS": str(status),
        "XDG_STATE_HOME": str(place / "state"),
    }  # fmt: skip
    return watch(words, environ, place / "times")


def watch(words, environ, times, cwd=None):
    process = subprocess.Popen(
        [*RUN, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environ, cwd=cwd
    )
    arrived = {}
    with process.stdout:
        for line in process.stdout:
            text = line.decode("utf-8", "surrogateescape").rstrip("\n")
            arrived.setdefault(text, time.monotonic())
    process.wait(timeout=PATIENCE_S)
    written = [float(text) for text in times.read_text().split()]
    return Played(arrived, written, time.monotonic())


CLOCK = f"{sys.executable} -Ic 'import time; print(time.monotonic())'"


def test_of_a_real_run_of_pytest_the_number_of_tests_appears(tmp_path):
    (tmp_path / "test_slow.py").write_text(
        "import time, pytest\n"
        "@pytest.mark.parametrize('n', range(10))\n"
        "def test_slow(n):\n"
        f"    print(time.monotonic(), file=open({str(tmp_path / 'times')!r}, 'a'))\n"
        "    time.sleep(0.45)\n"
    )
    words = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "test_slow.py"]
    played = watch(words, os.environ, tmp_path / "times", cwd=tmp_path)
    assert played.arrived["collecting ... collected 10 items"] - played.written[0] < MOST_S
    assert any(text.startswith("10 passed in ") for text in played.arrived)


def test_of_a_real_run_of_make_what_its_recipes_say_appears(tmp_path):
    steps = "".join(f"\t@cc -c -o f{n}.o f.c; sleep 0.5\n" for n in range(8))
    (tmp_path / "f.c").write_text("int f(void) { return 1; }\n")
    (tmp_path / "Makefile").write_text(f"all:\n\t@echo building\n\t@{CLOCK} >times\n{steps}")
    played = watch(["make"], os.environ, tmp_path / "times", cwd=tmp_path)
    assert played.arrived["building"] - played.written[0] < MOST_S


def test_of_a_command_that_is_not_known_the_first_lines_and_errors_appear(tmp_path):
    lines = f"echo begun; {CLOCK} >times; sleep 2; seq 300; echo error: lost; {CLOCK} >>times; "
    words = ["sh", "-c", f"{lines} sleep 2.5; echo ended"]
    played = watch(words, os.environ, tmp_path / "times", cwd=tmp_path)
    for text, written in zip(("begun", "error: lost"), played.written, strict=True):
        assert played.arrived[text] - written < MOST_S


def check_first(played, texts):
    """The first line of the command that is shown in the end did not wait for the end."""
    shown = [pos for pos, text in enumerate(texts) if text.strip() and text in played.arrived]
    first = shown[0]
    # What the command itself took longer than it should is what the machine had no time for.
    lag = max(0.0, played.written[-1] - played.written[0] - SECONDS)
    waited = played.arrived[texts[first]] - played.written[first]
    assert waited < MOST_S + lag, f"{texts[first]!r} waited for {waited:.1f} s"


@pytest.mark.parametrize("name", RECORDED)
def test_the_first_line_that_is_shown_appears_while_the_command_runs(name, tmp_path):
    path = ROOT / f"{name}.in"
    command, status = (ROOT / f"{name}.cmd").read_text().splitlines()[:2]
    words, raw, status = command.split(), path.read_bytes(), int(status.removeprefix("status "))
    slow = play(words, tmp_path, raw, status)
    check_first(slow, list(clean(read_lines(raw)).texts))
    fast = play(words, tmp_path, raw, status, seconds=0)
    missing = [text for text in fast.arrived if FOLDED.sub("", text) not in slow.arrived]
    assert all(map(NOTICE.search, missing)), missing
