"""Whatever goes wrong in laconic, the command's output appears and its exit status is right."""

from __future__ import annotations

import os
import random
import resource
import select
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest
from run_test import many_lines

from laconic.record.store import Store
from laconic.record.sweep import adopt
from runners import (
    LACONIC,
    RUN,
    bin_dir,
    broken,
    end,
    every_start,
    is_running,
    no_process_left,
    run,
    runner,
    runtime,
    shell,
    start,
    state,
    wait_for,
)
from warm_server import until

# Fixtures for all tests here.
__all__ = ["bin_dir", "broken", "no_process_left", "runner", "runtime", "state"]

BARE = b"".join(
    b"line %d of the output, which is long enough to be hidden\n" % i for i in range(1, 5001)
)


def user_filter(home, name, text):
    path = home / f".config/laconic/filters/{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


# -- faults in our own code ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        "from laconic.compact import generic as g; g._cut = lambda *_: 1 / 0",
        "from laconic.compact import generic as g\ndef f(*_): raise RecursionError\ng.clean = f",
        "from laconic.record import store as s; s.Store.keep = lambda *_: 1 / 0",
        "from laconic.run import result as d; d.prepare = lambda *_: 1 / 0",
    ],
)
def test_a_fault_of_ours_gives_the_raw_output(broken, code):
    gives_the_raw_output(broken, code)


@every_start
@pytest.mark.parametrize("name", ["run.plan", "run.result", "settings.load"])
def test_a_module_that_is_missing_gives_the_raw_output(broken, name):
    gives_the_raw_output(broken, f"import sys; sys.modules['laconic.{name}'] = None")


def gives_the_raw_output(broken, code):
    broken(code)
    done = run("sh", "-c", f"{' '.join(many_lines()[:2])} '{many_lines()[2]}' 5000; exit 3")
    assert done.returncode == 3
    assert done.stdout == BARE
    assert done.stderr == b""


def test_a_fault_is_written_down_for_later(broken, state):
    broken("from laconic.run import result as d; d.prepare = lambda *_: 1 / 0")
    run("echo", "secret")
    wait_for((state / "bug.md").exists)
    report = (state / "bug.md").read_text()
    assert "ZeroDivisionError" in report
    assert "secret" not in report


def test_a_fault_while_it_follows_shows_each_line_once(broken, tmp_path):
    broken("from laconic.run import follow as f; f.Generic._show_waiting = lambda *_: 1 / 0")
    letters = random.Random(1)  # lines that have nothing in common
    lines = ["".join(letters.choices("abcdefghijklmnop ", k=30)).strip() for _ in range(60)]
    text = tmp_path / "text"
    text.write_text("\n".join(lines) + "\n")
    done = shell(f"head -30 {text}; sleep 1.6; tail -30 {text}")
    assert done.stdout == text.read_bytes()


def test_a_fault_with_a_pipe_gives_what_the_pipe_makes_of_it(broken, home):
    user_filter(home, "seq", 'command = ["seq"]\nkind = "summary"\n')
    broken("from laconic.run import result as d; d.prepare = lambda *_: 1 / 0")
    done = run("seq", "9", flags=["--baseline-pipe", "tail -2"])
    assert (done.returncode, done.stdout) == (0, b"8\n9\n")


def test_a_pattern_that_runs_away_gives_the_raw_output(home):
    user_filter(home, "sh", 'command = ["sh"]\nkind = "summary"\ndrop = ["^(a+)+$"]\n')
    begin = time.monotonic()
    done = shell(f"for i in $(seq 300); do echo {'a' * 40}b; done; exit 4")
    assert (done.returncode, done.stdout) == (4, f"{'a' * 40}b\n".encode() * 300)
    assert time.monotonic() - begin < 30


def test_a_pattern_that_runs_away_while_it_follows_gives_the_raw_output(home):
    user_filter(home, "sh", 'command = ["sh"]\nkind = "summary"\ndrop = ["^(a+)+$"]\n')
    done = shell(f"echo {'a' * 40}b; sleep 2; echo end; exit 4")
    assert (done.returncode, done.stdout) == (4, f"{'a' * 40}b\nend\n".encode())


def test_a_fault_while_it_waits_does_not_end_the_command(broken):
    broken("from laconic.run import runner as r; r.Runner._turn = lambda *_: 1 / 0")
    assert shell("sleep 0.3; seq 5; exit 3").returncode == 3
    assert shell("sleep 0.3; seq 5; exit 3").stdout == b"1\n2\n3\n4\n5\n"


@every_start
def test_too_many_processes_mean_the_bare_command(broken):
    broken("import os\ndef f(): raise BlockingIOError\nos.fork = f")
    done = shell("seq 5; exit 3")
    assert (done.returncode, done.stdout) == (3, b"1\n2\n3\n4\n5\n")


def test_a_broken_filter_or_configuration_does_not_stop_a_command(home):
    user_filter(home, "sh", "command = 3\n")
    (home / ".config/laconic/config.toml").write_text("][")
    done = shell("echo fine; exit 4")
    assert (done.returncode, done.stdout, done.stderr) == (4, b"fine\n", b"")


# -- the disk --------------------------------------------------------------------------------------


def test_a_state_directory_that_cannot_be_made_means_the_bare_command(state):
    state.parent.mkdir(parents=True, exist_ok=True)  # a server may have begun
    shutil.rmtree(state, ignore_errors=True)
    state.write_text("a file is in the way")
    done = run(*many_lines())
    assert (done.returncode, done.stdout, done.stderr) == (0, BARE, b"")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_with_a_read_only_state_directory_outputs_are_kept_among_temporary_files(
    state, tmp_path, monkeypatch
):
    state.mkdir(parents=True)
    state.chmod(0o500)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    done = run(*many_lines())
    assert len(done.stdout) < len(BARE) // 10
    raw_id = done.stdout.rpartition(b"recall ")[2][:6].decode()
    recalled = subprocess.run(
        [*LACONIC, "recall", raw_id, "--raw"], capture_output=True, check=True
    )
    assert recalled.stdout == BARE


@pytest.fixture
def small_disk(tmp_path, monkeypatch):
    directory = tmp_path / "disk"
    directory.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", directory],
        capture_output=True, check=False,
    )  # fmt: skip
    if mounted.returncode:
        pytest.skip("may not mount a small disk")
    monkeypatch.setenv("LACONIC_STATE_DIR", str(directory / "state"))
    yield directory
    subprocess.run(["umount", "-l", directory], check=True)


def test_a_disk_that_becomes_full_loses_nothing(small_disk):
    done = run("sh", "-c", f"{' '.join(many_lines()[:2])} '{many_lines()[2]}' 5000; exit 3")
    assert (done.returncode, done.stdout, done.stderr) == (3, BARE, b"")
    assert [p for p in (small_disk / "state/spool").iterdir() if p.stat().st_size] == []


@pytest.mark.usefixtures("small_disk")
def test_a_disk_that_becomes_full_while_lines_are_shown_loses_nothing():
    done = shell("echo early; sleep 1.6; seq 20000; echo end >&2; exit 3")
    assert done.returncode == 3
    assert done.stdout == b"early\n" + b"".join(b"%d\n" % i for i in range(1, 20001))
    assert done.stderr == b"end\n"


@pytest.mark.usefixtures("small_disk")
def test_a_full_disk_keeps_the_order_of_both_streams():
    line = "for i in $(seq 6000); do echo out $i; echo err $i >&2; done"
    done = subprocess.run(
        [*RUN, "sh", "-c", line], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True
    )
    assert done.stdout == b"".join(b"out %d\nerr %d\n" % (i, i) for i in range(1, 6001))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a disk")
def test_a_disk_is_not_filled_up_to_its_end(tmp_path, monkeypatch):
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=340m", "tmpfs", disk], check=True)
    monkeypatch.setenv("LACONIC_STATE_DIR", str(disk / "state"))
    try:
        line = f"head -c 200000000 /dev/zero | tr '\\0' y; df --output=avail -m {disk} >&2; exit 3"
        done = shell(line, timeout=60)
    finally:
        subprocess.run(["umount", "-l", disk], check=True)
    assert (done.returncode, len(done.stdout)) == (3, 200_000_000)
    assert int(done.stderr.split()[-1]) >= 200


def test_a_bound_on_the_size_of_files_loses_nothing():
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

    done = run(*many_lines(), preexec_fn=limit)
    assert (done.returncode, done.stdout) == (0, BARE)


def test_what_cannot_be_kept_is_shown(state):
    state.mkdir(parents=True)
    (state / "raw").write_text("a file is in the way")
    assert run(*many_lines()).stdout == BARE


# -- the database ----------------------------------------------------------------------------------


def test_a_locked_or_broken_database_does_not_delay_a_command(state):
    run("true")
    subprocess.run([*LACONIC, "history"], capture_output=True, check=True)
    found = [p for p in state.iterdir() if p.suffix in {".db", ".sqlite", ".sqlite3"}]
    assert found
    connection = sqlite3.connect(found[0])
    connection.execute("BEGIN EXCLUSIVE")
    begin = time.monotonic()
    assert run("echo", "fine").stdout == b"fine\n"
    assert time.monotonic() - begin < 5
    connection.close()
    found[0].write_bytes(b"no database" * 100)
    assert run("echo", "fine").stdout == b"fine\n"


# -- somebody is killed ----------------------------------------------------------------------------


def test_term_ends_laconic_and_the_whole_group(tmp_path):
    process = start("sh", "-c", "sleep 60 & echo $!; echo $$; touch up; wait", cwd=tmp_path)
    wait_for((tmp_path / "up").exists)
    pids = end(process).splitlines()[:2]  # a busy machine may say that something was left running
    assert process.returncode == 143
    assert all(pid.isdigit() for pid in pids)
    wait_for(lambda: not any(is_running(pid.decode()) for pid in pids))


def test_kill_leaves_no_orphan_and_loses_no_output(state, tmp_path):
    line = "sleep 60 & echo $!; echo $$; sleep 0.3; echo more; touch up; sleep 60"
    process = start("sh", "-c", line, cwd=tmp_path)
    wait_for((tmp_path / "up").exists)
    process.kill()
    process.wait()
    spooled = next((state / "spool").glob("*.both"))
    wait_for(lambda: spooled.read_bytes().endswith(b"more\n"))
    pids = spooled.read_text().split()[:2]
    wait_for(lambda: not any(is_running(pid) for pid in pids))
    command = next((state / "spool").glob("*.cmd")).read_text()
    assert command.startswith("sh -c ")
    wait_for(lambda: _has_no_lock(spooled))
    (raw_id,) = adopt(Store(state), time.time() + 100)
    assert Store(state).load(raw_id)["both"].endswith(b"more\n")


NO_HEIR = """
import os
from laconic.run import guard
own = guard._avenge
def no_room(): raise BlockingIOError
def avenge(*words):
    os.fork = no_room
    own(*words)
guard._avenge = avenge
"""


def test_kill_leaves_no_orphan_where_no_process_can_be_started(broken, tmp_path):
    """As after a command that has started as many as there may be."""
    broken(NO_HEIR)
    process = start("sh", "-c", "sleep 300 & echo $! $$ > pids; touch up; wait", cwd=tmp_path)
    wait_for((tmp_path / "up").exists)
    process.kill()
    process.wait()
    pids = (tmp_path / "pids").read_text().split()
    wait_for(lambda: not any(is_running(pid) for pid in pids))


def _has_no_lock(path):
    import fcntl

    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_kill_of_the_group_of_laconic_leaves_no_orphan(tmp_path):
    process = start("sh", "-c", "echo $$ > pid; sleep 60", cwd=tmp_path, start_new_session=True)
    pid = wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    wait_for(lambda: not is_running(pid))


@pytest.mark.parametrize("delay_s", [0.0, 0.02, 0.04, 0.06, 0.09, 0.13, 0.2])
def test_kill_at_any_moment_leaves_no_orphan(delay_s):
    marker = f"7{os.getpid()}.{int(delay_s * 1000)}"
    process = start("sleep", marker)
    time.sleep(delay_s)
    process.kill()
    process.wait()
    wait_for(lambda: not _commands_with(marker))


def _commands_with(text):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().startswith(b"sleep\0" + text.encode()):
                found.append(path)
        except OSError:
            continue
    return found


def test_a_command_that_kills_its_whole_group_is_reported_with_all_it_wrote():
    done = shell("seq 3; kill -9 0")
    assert (done.returncode, done.stdout) == (137, b"1\n2\n3\n")


def test_a_command_that_ends_its_whole_group_politely_leaves_us_out_of_it():
    done = shell("trap 'exit 6' TERM; seq 3; kill 0; sleep 1")
    assert (done.returncode, done.stdout) == (6, b"1\n2\n3\n")


def test_a_child_in_the_background_outlives_a_guard_that_is_killed(tmp_path):
    """The group is gone with -9, but who had left it still has somebody to write to."""
    child = f"touch left; {until('go')}; echo late; echo $? > proof"
    done = shell(f"setsid sh -c '{child}' & {until('left')}; kill -9 0", cwd=tmp_path)
    assert done.returncode == 137
    (tmp_path / "go").touch()
    wait_for((tmp_path / "proof").exists)
    assert (tmp_path / "proof").read_text() == "0\n"


# -- closed streams --------------------------------------------------------------------------------


def test_a_reader_that_goes_away_is_quiet_and_ends_the_command_as_without_us():
    line = f"{' '.join(RUN)} yes | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=True, timeout=60)
    assert (done.stdout, done.stderr) == (b"y\n141\n", b"")


def test_a_reader_that_goes_away_after_the_end_does_not_change_the_status():
    line = f"{' '.join(RUN)} sh -c 'seq 100; exit 3' | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=True)
    assert done.stdout in {b"3\n", b"141\n"}
    assert done.stderr == b""


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_closed_for_the_command(closed, tmp_path):
    line = f"ls /proc/self/fd > {tmp_path}/NAME; exit 3"
    for name, front in (("ours", f"{' '.join(RUN)} "), ("bare", "")):
        script = f"{front}sh -c '{line.replace('NAME', name)}' {closed}"
        done = subprocess.run(["bash", "-c", script], capture_output=True, check=False)
        assert done.returncode == 3, done.stderr
    assert (tmp_path / "ours").read_text() == (tmp_path / "bare").read_text()


def test_a_full_stdout_is_quiet():
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*RUN, "sh", "-c", "echo x; exit 3"], stdout=full, stderr=-1, check=False
        )
    assert (done.returncode, done.stderr) == (3, b"")


def test_a_stdout_that_does_not_wait_gets_everything(tmp_path):
    read, write = os.pipe()
    os.set_blocking(write, False)
    process = subprocess.Popen([*RUN, "--raw", *many_lines()], stdout=write)
    os.close(write)
    with os.fdopen(read, "rb") as stream:
        assert len(stream.read()) > 0
    process.wait()
    data = bytes(range(256)) * 4000  # more than a pipe holds
    (tmp_path / "large").write_bytes(data)
    read, write = os.pipe()
    os.set_blocking(write, False)
    process = subprocess.Popen([*RUN, "cat", tmp_path / "large"], stdout=write)
    wait_for(lambda: not select.select([], [write], [], 0)[1])  # it is full
    os.close(write)
    with os.fdopen(read, "rb") as stream:
        assert stream.read() == data
    assert process.wait() == 0
