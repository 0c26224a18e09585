"""laconic run while the command runs: what appears when, signals, children in the background."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from laconic.record.store import Store
from records import rows
from runners import (
    LACONIC,
    RUN,
    bin_dir,
    end,
    no_process_left,
    read_until,
    run,
    runner,
    runtime,
    shell,
    start,
    state,
    wait_for,
)
from terminal import run_at_terminal
from warm_server import PATIENCE_S, until

__all__ = ["bin_dir", "no_process_left", "runner", "runtime", "state"]  # fixtures


def test_lines_appear_while_a_command_runs():
    process = start("sh", "-c", "echo early; sleep 30")
    assert read_until(process, b"early\n") == b"early\n"
    assert end(process) == b""
    assert process.returncode == 143


def test_a_question_without_a_newline_appears():
    process = start("sh", "-c", "printf 'name? '; sleep 30")
    assert read_until(process, b"name? ") == b"name? "
    end(process)


def test_after_a_pause_what_waits_appears_shortened():
    line = "seq -f 'line %g' 500; echo 'error: broken'; sleep 0.2; seq -f 'more %g' 500; sleep 30"
    process = start("sh", "-c", line)
    shown = read_until(process, b"error: broken\nmore 1 [and 499 like it: {2..500}]\n")
    assert shown.decode().startswith("line 1\nline 2 [and 498 like it: {3..500}]\nerror: broken\n")
    assert end(process).startswith(b"[997/1001 lines hidden: ")


def test_what_appeared_while_it_ran_does_not_appear_again():
    line = "seq -f 'line %g' 30; sleep 1.7; echo plain; echo error: x; sleep 1; echo done"
    shown = shell(line).stdout.decode().splitlines()
    assert shown == [*(f"line {n}" for n in range(1, 31)), "plain", "error: x", "done"]


def test_a_command_that_is_at_work_says_its_last_line():
    line = "for n in $(seq 400); do echo at work on part $n of 400 of the whole; sleep 0.02; done"
    process = start("sh", "-c", line)
    shown = read_until(process, b" of the whole]\n").decode().splitlines()
    said = r"at work on part \d+ of 400 of the whole"
    assert re.fullmatch(rf"\[\.\.\. still running, the last line so far: {said}\]", shown[-1])
    process.terminate()
    process.communicate(timeout=PATIENCE_S)


def test_with_a_filter_what_its_patterns_decide_appears(home):
    folder = home / ".config/laconic/filters"
    folder.mkdir(parents=True)
    (folder / "sh.toml").write_text(
        'command = ["sh"]\nkind = "summary"\ndrop = ["^noise"]\nmust_keep = ["^sure"]\n'
    )
    noise = "seq -f 'noise number %g that nobody reads' 50"
    line = f"{noise}; echo sure; echo maybe; echo sure 2; sleep 30"
    process = start("sh", "-c", line)
    assert read_until(process, b"sure 2\n") == b"sure\nmaybe\nsure 2\n"
    rest = end(process).decode().splitlines()
    assert rest[0].startswith("[50/53 lines hidden: ")


def test_what_was_shown_while_a_command_ran_is_not_shown_again(home):
    folder = home / ".config/laconic/filters"
    folder.mkdir(parents=True)
    (folder / "sh.toml").write_text(
        'command = ["sh"]\nkind = "summary"\ndrop = ["^noise"]\nmust_keep = ["^sure"]\n'
    )
    line = "seq -f 'noise %g' 30; echo sure; sleep 2; seq 3"
    shown = run("sh", "-c", line).stdout.decode().splitlines()
    assert shown[:4] == ["sure", "1", "2", "3"]
    assert shown[4].startswith("[30/34 lines hidden: ")


def test_a_little_that_a_filter_would_hide_is_shown_where_the_rest_is_shown_as_it_is(home):
    folder = home / ".config/laconic/filters"
    folder.mkdir(parents=True)
    (folder / "sh.toml").write_text(
        'command = ["sh"]\nkind = "summary"\ndrop = ["^noise"]\nmust_keep = ["^sure"]\n'
    )
    assert (
        run("sh", "-c", "echo noise; echo sure; sleep 2; seq 3").stdout == b"noise\nsure\n1\n2\n3\n"
    )


def test_a_run_of_pytest_says_early_how_many_tests_there_are(tmp_path):
    go = tmp_path / "go"
    (tmp_path / "test_slow.py").write_text(
        "import os, time, pytest\n"
        "@pytest.mark.parametrize('n', range(200))\ndef test_fast(n): pass\n"
        f"def test_slow():\n    while not os.path.exists({str(go)!r}): time.sleep(0.05)\n"
    )
    line = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", str(tmp_path)]
    process = start(*line)
    assert read_until(process, b"items\n") == b"collecting ... collected 201 items\n"
    assert process.poll() is None
    go.touch()
    rest, _ = process.communicate(timeout=PATIENCE_S)
    *_, names, passed, notice = rest.decode().splitlines()
    assert names.endswith("test_slow.py: test_fast [x200] test_slow")
    assert passed.startswith("201 passed in ")
    assert re.match(r"\[\d+/\d+ lines hidden, 1 shortened: ", notice)


SLOW_TESTS = "import time, unittest\nclass T(unittest.TestCase):\n" + "".join(
    f"    def test_{n}(self): time.sleep(0.5)\n" for n in range(8)
)


@pytest.mark.parametrize("tool", ["pytest -q -p no:cacheprovider", "unittest"])
def test_the_dots_of_a_test_run_appear_while_it_runs(tmp_path, tool):
    (tmp_path / "test_slow.py").write_text(SLOW_TESTS)
    process = start(sys.executable, "-m", *tool.split(), cwd=tmp_path)
    assert read_until(process, b".").startswith(b".")
    assert process.poll() is None
    rest = process.communicate(timeout=PATIENCE_S)[0].decode().splitlines()
    assert re.fullmatch(r"\.*( +\[100%\])?", rest[0])
    assert sum("." * 3 in line for line in rest[1:]) == 0  # they are not told again
    assert any(re.search("8 passed|Ran 8 tests", line) for line in rest)


def test_what_follows_a_line_that_never_ended_begins_on_its_own(home):
    folder = home / ".config/laconic/filters"
    folder.mkdir(parents=True)
    (folder / "sh.toml").write_text(
        'command = ["sh"]\nkind = "summary"\nearly = ["^[.]+$"]\ndrop = ["^noise"]\n'
    )
    noise = "seq -f 'noise number %g that nobody reads' 50"
    shown, notice = run("sh", "-c", f"{noise}; printf ..; sleep 2; printf .").stdout.splitlines()
    assert shown == b"..."
    assert notice.startswith(b"[50/51 lines hidden: ")


def test_a_line_without_end_is_not_said_to_be_whole():
    done = run(sys.executable, "-c", "print('z' * 100_000)")
    assert b"\n[1 shortened: " in done.stdout


def test_with_a_filter_what_none_of_its_patterns_speaks_of_appears(tmp_path):
    (tmp_path / "Makefile").write_text("all:\n\t@echo serving; sleep 30\n")
    process = start("make", cwd=tmp_path)
    assert read_until(process, b"serving\n") == b"serving\n"
    rest = end(process)
    assert b"serving" not in rest
    assert b"make: *** " in rest


def test_what_a_filter_may_yet_change_waits_for_the_end(tmp_path):
    compiled = "".join(f"\t@echo cc -c -O2 -o f{i}.o f{i}.c\n" for i in range(30))
    wait = f"\t@echo later; {until('go')}\n"
    (tmp_path / "Makefile").write_text(f"all:\n\t@echo first\n{compiled}{wait}")
    process = start("make", cwd=tmp_path)
    assert read_until(process, b"first\n") == b"first\n"
    (tmp_path / "go").touch()
    rest = process.communicate(timeout=PATIENCE_S)[0].decode().splitlines()
    assert rest[:2] == ["30 x cc -c in all", "later"]
    assert rest[2].startswith("[30/32 lines hidden: ")


def test_a_finding_waits_for_those_that_are_like_it(tmp_path):
    finding = "\t@echo \"a.c:{0}:1: warning: unused variable 'y' [-Wunused-variable]\"\n"
    findings = "".join(finding.format(n) for n in range(1, 9))
    wait = f"\t@touch up; {until('go')}\n"
    (tmp_path / "Makefile").write_text(f"all:\n\t@echo first\n{findings}{wait}")
    process = start("make", cwd=tmp_path)
    wait_for((tmp_path / "up").exists)
    assert read_until(process, b"first\n") == b"first\n"
    (tmp_path / "go").touch()
    rest = process.communicate(timeout=PATIENCE_S)[0].decode()
    assert rest.count("unused variable") == 1
    assert "first" not in rest


def test_a_command_that_is_told_to_end_may_say_goodbye():
    process = start("sh", "-c", "trap 'echo bye; exit 9' TERM; echo ready; sleep 30 & wait")
    read_until(process, b"ready\n")
    assert end(process) == b"bye\n"
    assert process.returncode == 9


def test_a_command_has_as_long_as_it_takes_to_clean_up():
    """laconic never sends KILL by itself, however often the command is told to end."""
    processes = {}
    for name in ("TERM", "HUP", "INT"):  # at the same time: each takes its seconds
        line = f"trap 'echo cleaning; sleep 2.5; echo cleaned; exit 5' {name}"
        line = f"trap '' TERM HUP INT; {line}; echo up; sleep 30 >&- 2>&- & wait"
        processes[signal.Signals[f"SIG{name}"]] = start("bash", "-c", line)
    for awaited in (b"up\n", b"cleaning\n"):
        for number, process in processes.items():
            read_until(process, awaited)
            process.send_signal(number)
    for number, process in processes.items():
        out, _ = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, out.splitlines()[-1]) == (5, b"cleaned"), number


def test_a_command_that_is_deaf_goes_on_and_what_it_wrote_is_shown():
    line = "trap 'echo deaf' TERM; echo up; while [ ! -e go ]; do sleep 0.05; done"
    with tempfile.TemporaryDirectory() as folder:
        process = start("sh", "-c", f"{line}; echo went on; exit 4", cwd=folder)
        read_until(process, b"up\n")
        for _ in range(3):
            process.terminate()
            read_until(process, b"deaf\n")
        Path(folder, "go").touch()
        assert process.communicate(timeout=PATIENCE_S)[0] == b"went on\n"
    assert process.returncode == 4


def test_signals_are_passed_on():
    processes = {}
    for name in ("INT", "HUP", "QUIT", "USR1", "USR2", "WINCH"):  # at the same time, as above
        line = f"trap 'echo got {name}; exit 3' {name}; echo ready; sleep 60 >&- 2>&- & wait"
        processes[name] = start("sh", "-c", line)
    for name, process in processes.items():
        read_until(process, b"ready\n")
        process.send_signal(signal.Signals[f"SIG{name}"])
    for name, process in processes.items():
        out, _ = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, out) == (3, f"got {name}\n".encode())


def test_a_stopped_laconic_stops_its_command_and_both_go_on():
    process = start("sh", "-c", "echo $$; while :; do sleep 0.05; done")
    pid = int(read_until(process, b"\n"))

    def states():
        return [Path(f"/proc/{p}/stat").read_text().split()[2] for p in (process.pid, pid)]

    process.send_signal(signal.SIGTSTP)
    # D: the shell waits for a child of its own that was stopped before it could become `sleep`.
    wait_for(lambda: states() in (["T", "T"], ["T", "D"]))
    process.send_signal(signal.SIGCONT)
    wait_for(lambda: "T" not in states())
    end(process)


def test_ctrl_c_on_a_terminal_ends_both_and_the_shell_sees_it(monkeypatch):
    monkeypatch.setenv("CLAUDECODE", "1")  # a person's terminal is left to the command
    words = [*RUN, "sh", "-c", "trap 'echo caught; exit 5' INT; echo up; sleep 60 & wait"]
    status, shown = run_at_terminal(words, typed=[(b"up", b"\x03")])
    assert status == 5
    assert b"caught" in shown


def test_a_command_on_a_terminal_can_read_from_it(monkeypatch):
    monkeypatch.setenv("CLAUDECODE", "1")  # a person's terminal is left to the command
    words = [*RUN, "sh", "-c", "read x </dev/tty; echo got $x"]
    status, shown = run_at_terminal(words, typed=[(b"", b"word\n")])
    assert (status, shown.count(b"got word")) == (0, 1)


# -- children in the background --------------------------------------------------------------------


def recalled(raw_id):
    return subprocess.run([*LACONIC, "recall", raw_id], capture_output=True, check=True).stdout


def test_a_background_child_neither_blocks_nor_dies(state, tmp_path):
    go, proof = tmp_path / "go", tmp_path / "proof"
    done = shell(f"({until(go)}; echo late; echo alive > {proof}) & echo started")
    first, notice = done.stdout.decode().splitlines()
    assert (done.returncode, first, done.stderr) == (0, "started", b"")
    assert "something was left running and may still write" in notice
    raw_id = re.search(r"recall (\w{6})\]", notice)[1]
    assert recalled(raw_id) == b"started\n"
    go.touch()
    wait_for(proof.exists)
    wait_for(lambda: recalled(raw_id) == b"started\nlate\n")
    for path in (state / "spool").iterdir():
        os.utime(path, (time.time() - 60, time.time() - 60))  # nobody writes to it any more
    wait_for(lambda: recalled(raw_id) and not list((state / "spool").iterdir()))
    assert recalled(raw_id) == b"started\nlate\n"
    assert rows(state, "SELECT raw_id FROM runs") == [raw_id]


def test_who_writes_a_moment_later_is_still_shown():
    """A moment is a tenth of a second, which a busy machine may need for anything."""
    line = "(sleep 0.03; echo late) & echo started"
    assert any(shell(line).stdout == b"started\nlate\n" for _ in range(10))


def test_more_than_can_be_held_is_shown_by_its_ends_and_diagnostics(state):
    line = "seq -f 'step %.0f is done and all is well' 300000; echo 'error: in the middle';" * 2
    done = shell(f"{line} echo the end; exit 2", timeout=PATIENCE_S)
    assert done.returncode == 2
    lines = done.stdout.decode().splitlines()
    assert lines[:2] == ["step 1 is done and all is well", "step 2 is done and all is well"]
    assert lines.count("error: in the middle") == 2
    assert lines[-2] == "the end"
    assert "/600003 lines hidden (20 MB: only the ends and diagnostics are shown)" in lines[-1]
    hidden = sum(int(line.split()[1]) for line in lines if line.startswith("[... "))
    assert hidden + sum(not line.startswith("[") for line in lines) == 600003
    raw_id = lines[-1].split()[-1].rstrip("]")
    assert Store(state).load(raw_id)["out"].count(b"\n") == 600003
