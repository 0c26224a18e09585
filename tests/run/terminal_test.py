"""At a person's terminal a command keeps it: colours, prompts and pagers are as without us."""

from __future__ import annotations

import os
import sys

import pytest

from laconic.settings.environ import MARKS
from runners import LACONIC, RUN, bin_dir, runner, runtime
from terminal import run_at_terminal
from warm_server import PATIENCE_S

__all__ = ["bin_dir", "runner", "runtime"]  # fixtures
ROWS, COLUMNS = 33, 101
LINES = "seq -f 'worker %g has done a part of the work and goes on' 400"


@pytest.fixture(autouse=True)
def no_agent(monkeypatch):
    for name in MARKS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def at_terminal(*words, typed=(), **variables):
    """Return what is on the terminal of a command in the end, and its status."""
    status, sent = run_at_terminal(
        words, environ={**os.environ, **variables}, rows=ROWS, columns=COLUMNS, typed=typed,
        limit_s=PATIENCE_S,
    )  # fmt: skip
    return sent, status


def by_both(*words, **more):
    """What the bare command shows, and what it shows through laconic."""
    return at_terminal(*words, **more), at_terminal(*RUN, *words, **more)


def test_all_streams_are_the_terminal_with_its_size():
    code = "import os; print([os.isatty(n) for n in range(3)], os.get_terminal_size(1))"
    bare, ours = by_both(sys.executable, "-c", code)
    assert ours == bare
    assert b"[True, True, True]" in ours[0]
    assert b"columns=101, lines=33" in ours[0]


def test_colours_are_those_of_a_terminal(tmp_path):
    (tmp_path / "folder").mkdir()
    bare, ours = by_both("ls", "--color=auto", str(tmp_path))
    assert ours == bare
    assert b"\x1b[" in ours[0]


def test_a_long_output_is_shown_as_it_is():
    bare, ours = by_both("sh", "-c", LINES)
    assert ours == bare
    assert ours[0].count(b"\n") == 400


def test_a_progress_bar_moves_and_the_status_is_the_commands():
    line = "for n in 1 2 3; do printf '\\r%d of 3' $n; sleep 0.1; done; echo; exit 7"
    bare, ours = by_both("sh", "-c", line)
    assert ours == bare
    assert ours[1] == 7
    assert b"\r2 of 3" in ours[0]


def test_a_question_is_answered_also_one_that_asks_the_terminal_itself():
    line = (
        "printf 'name? '; read name; stty -echo; printf 'secret? ' > /dev/tty;"
        "read secret < /dev/tty; stty echo; echo; echo $name-$secret"
    )
    typed = [(b"name? ", b"ada\n"), (b"secret? ", b"hidden\n")]
    shown, status = at_terminal(*RUN, "sh", "-c", line, typed=typed)
    assert status == 0
    assert b"ada-hidden" in shown
    assert shown.count(b"hidden") == 1, "what is typed at a password prompt is not shown"


def test_what_needs_a_whole_screen_has_it():
    """As a pager or an editor does: raw mode, the alternate screen, single keys."""
    code = (
        "import sys, termios, tty; old = termios.tcgetattr(0); tty.setraw(0);"
        "sys.stdout.write('\\x1b[?1049hpress'); sys.stdout.flush(); key = sys.stdin.read(1);"
        "termios.tcsetattr(0, termios.TCSADRAIN, old); sys.stdout.write('\\x1b[?1049l' + repr(key))"
    )
    shown, status = at_terminal(*RUN, sys.executable, "-c", code, typed=[(b"press", b"q")])
    assert status == 0
    assert b"\x1b[?1049h" in shown
    assert b"'q'" in shown


def test_interrupting_ends_the_command_as_without_us():
    code = "import signal; signal.signal(2, signal.SIG_DFL); print('on', flush=True)"
    # one process: a shell could end before the program that it is about to start
    waits = [sys.executable, "-c", f"{code}; signal.pause()"]
    bare, ours = by_both(*waits, typed=[(b"on", b"\x03")])
    assert ours == bare
    assert ours[1] != 0


@pytest.mark.parametrize("mark", ["CLAUDECODE", "CLINE_ACTIVE", "AGENT"])
def test_what_an_agent_runs_at_a_terminal_is_compacted(mark):
    shown, status = at_terminal(*RUN, "sh", "-c", LINES, **{mark: "1"})
    assert status == 0
    assert shown.count(b"\n") < 100
    assert b"lines hidden" in shown


def test_what_is_asked_for_by_name_is_shown_so():
    shown, _ = at_terminal(*LACONIC, "summary", "sh", "-c", LINES)
    assert b"lines hidden" in shown
    shown, _ = at_terminal(*RUN, "--filter", "generic", "sh", "-c", LINES)
    assert b"lines hidden" in shown
