"""laconic run where the records cannot be written: as in a sandbox, made of namespaces alone.

tests/e2e/sandbox_test.py does the same in the agents' own sandboxes, whose filters refuse more.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from laconic.record.database import reading
from laconic.record.kept import name_of
from laconic.record.queries import history
from laconic.record.store import Store
from laconic.server.run_handler import _open_spool
from laconic.server.wire import WireError
from laconic.settings.environ import state_directory
from machine import needs
from runners import LACONIC, bin_dir, broken, no_process_left, runner, runtime

__all__ = ["bin_dir", "broken", "no_process_left", "runner", "runtime"]

# A directory that can be read only, in namespaces of our own, where we are the first process. What
# is mounted below it comes along, or nothing does:
# https://man7.org/linux/man-pages/man7/mount_namespaces.7.html
ENTER = """
for place in $1; do
    mount --rbind "$place" "$place" && mount -o remount,bind,ro "$place" || exit 99
done
shift; exec "$@"
"""
WORDS = ["unshare", "-Urmpf", "--mount-proc", "sh", "-c", ENTER, "sh"]
TOKEN = "ghp_" + "a1B2" * 9
LONG = "for n in $(seq 300); do echo line $n; done"


def can_enter():
    done = subprocess.run([*WORDS, "/proc/self", "true"], capture_output=True, check=False)
    return done.returncode in (0, 99)


pytestmark = [
    needs("unshare", "mount"),
    pytest.mark.skipif(not can_enter(), reason="there are no namespaces of users here"),
]


@pytest.fixture
def state(runner):  # noqa: ARG001 - which may give the home another name
    directory = Path(state_directory(os.environ))
    directory.mkdir(parents=True, exist_ok=True)
    return directory


@pytest.fixture
def tmp(tmp_path, monkeypatch):
    directory = tmp_path / "tmp"
    directory.mkdir()
    monkeypatch.setenv("TMPDIR", str(directory))
    return directory


@pytest.fixture
def inside(state, tmp, tmp_path, monkeypatch):  # noqa: ARG001 - that TMPDIR is set
    """Call laconic in the sandbox; read_only: what else cannot be written there."""
    (tmp_path / "project").mkdir()
    monkeypatch.setenv("GEMINI_CLI", "1")

    def call(*words, read_only=(), timeout=None):
        places = " ".join(map(str, (state, *read_only)))
        command = [*WORDS, places, *LACONIC, *words]
        return subprocess.run(
            command,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            cwd=tmp_path / "project",
            timeout=timeout,
            check=False,
        )

    yield call
    shutil.rmtree(Path("/tmp", name_of(str(state))), ignore_errors=True)  # where TMPDIR is not used


def apart(tmp):
    (path,) = tmp.iterdir()
    return path


def files(directory):
    found = (path for path in Path(directory).rglob("*") if path.is_file())
    return {str(path.relative_to(directory)) for path in found if "tally" not in path.name}


def test_an_output_is_compacted_and_kept_beside_the_records(inside, tmp, state):
    before = files(state)
    done = inside("run", "sh", "-c", LONG)
    assert (done.returncode, done.stderr) == (0, b"")
    raw_id = done.stdout.rpartition(b"recall ")[2][:6].decode()
    assert done.stdout.count(b"\n") < 100
    assert files(apart(tmp)) == {"runs.journal", f"raw/{raw_id}.err.z", f"raw/{raw_id}.out.z"}
    assert apart(tmp).stat().st_mode & 0o777 == 0o700
    assert files(state) == before
    raw = subprocess.run(["sh", "-c", LONG], capture_output=True, check=True).stdout
    assert inside("recall", raw_id, "--raw").stdout == raw
    with reading(state) as (connection, _):
        (run,) = history(connection, 9)
    assert (run["raw_id"], run["status"], run["sandboxed"]) == (raw_id, 0, 1)
    assert Store(state).load(raw_id)["out"] == raw
    assert inside("recall", raw_id, "--raw").stdout == raw


@pytest.mark.parametrize(
    ("line", "status"), [("exit 7", 7), ("echo x; exit 1", 1), ("kill -TERM $$", 143)]
)
def test_the_status_is_that_of_the_command(inside, line, status):
    assert inside("run", "sh", "-c", line).returncode == status


def test_secrets_are_masked(inside):
    done = inside("run", "echo", f"token {TOKEN}")
    assert TOKEN.encode() not in done.stdout + done.stderr
    assert b"1 secret masked" in done.stdout


def test_what_ran_there_is_listed_there(inside):
    inside("run", "sh", "-c", LONG)
    (line,) = inside("history", "--json").stdout.splitlines()
    assert json.loads(line)["sandboxed"] == 1
    assert b"total runs:     1" in inside("gain").stdout
    assert inside("recall", "last", "--raw").stdout.count(b"\n") == 300


def test_without_any_place_only_secrets_are_hidden(inside, tmp, state):
    before = files(state)
    line = f"{LONG}; echo {TOKEN} >&2; exit 3"
    done = inside("run", "sh", "-c", line, read_only=["/tmp", tmp])
    raw = subprocess.run(["sh", "-c", LONG], capture_output=True, check=True).stdout
    assert done.returncode == 3
    assert done.stdout.startswith(raw)
    assert TOKEN.encode() not in done.stdout + done.stderr
    assert (files(tmp), files(state)) == (set(), before)


def test_a_taken_off_pipe_is_honoured_without_any_place(inside, tmp):
    flags = ["--baseline-pipe", "tail -n 2"]
    done = inside("run", *flags, "sh", "-c", LONG, read_only=["/tmp", tmp])
    assert done.stdout == b"line 299\nline 300\n"


def test_an_undo_that_cannot_be_had_is_refused(inside, tmp_path):
    victim = tmp_path / "project/f"
    victim.write_text("one")
    done = inside("run", "--undo", "rm", "f")
    assert done.returncode == 125
    assert b"was not run" in done.stderr
    assert victim.read_text() == "one"
    assert inside("run", "rm", "f").returncode == 0


def test_a_box_that_cannot_be_had_is_refused(inside, tmp_path):
    (tmp_path / "project/.git").mkdir()
    done = inside("run", "--box", "touch", "x")
    assert done.returncode == 125
    assert b"sandbox" in done.stderr
    assert not (tmp_path / "project/x").exists()


@pytest.mark.parametrize("words", [["undo"], ["allow", "--for", "30m", "touch x"]])
def test_what_cannot_be_done_there_says_where_it_can(inside, words):
    done = inside(*words)
    assert done.returncode == 1
    assert b"hint: in an agent's sandbox" in done.stderr


@pytest.mark.parametrize("mode", [0o755, 0o1777])
def test_a_place_that_others_can_enter_is_not_used(inside, tmp, state, mode):
    place = tmp / name_of(str(state))
    place.mkdir()
    place.chmod(mode)
    assert inside("run", "sh", "-c", "exit 7").returncode == 7
    assert files(place) == set()


def test_a_link_in_place_of_the_directory_is_not_followed(inside, tmp, state, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp / name_of(str(state))).symlink_to(tmp_path / "elsewhere")
    inside("run", "sh", "-c", LONG)
    assert files(tmp_path / "elsewhere") == set()


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize("marks", [{"CLAUDECODE": "1"}, {}])
def test_what_the_agent_reads_is_short_also_where_proc_is_that_of_another_namespace(
    state, tmp_path, marks
):
    """As Claude Code has it: there is a namespace of processes in its sandbox's, with no /proc."""
    shell = 'exec > "$0" 2>&1; "$@"; echo "$?"'
    words = [*WORDS, str(state), "unshare", "-Urpf", "sh", "-c", shell, str(tmp_path / "out")]
    words += [*LACONIC, "run", "sh", "-c", f"{LONG}; exit 7"]
    subprocess.run(words, env=os.environ | marks, check=True)
    said = (tmp_path / "out").read_text()
    assert said.endswith("\n7\n")
    assert "laconic recall" in said
    assert said.count("\n") < 100


@pytest.fixture
def place(tmp, state):
    """The place where a sandbox keeps outputs, before anything is kept there."""
    path = tmp / name_of(str(state))
    path.mkdir(mode=0o700)
    return path


@pytest.mark.parametrize("name", ["raw", "spool"])
def test_nothing_is_removed_by_a_link_that_another_sandbox_has_put_there(
    inside, place, tmp_path, name
):
    """It may lead to what only this one may write."""
    victim = tmp_path / "project/victim"
    victim.mkdir(mode=0o700)
    old = time.time() - 99 * 86400
    names = ["notes.txt", "server.py", ".hidden", ".tally-me", "buffer.out"]
    for name_of_file in names + [f"{first}akers.py" for first in "abcdefghjkmnopqrstuvwxyz23"]:
        (victim / name_of_file).write_text("x")
        os.utime(victim / name_of_file, (old, old))
    before = files(victim)
    (place / name).symlink_to(victim)
    done = inside("run", "sh", "-c", f"{LONG}; exit 7")
    assert done.returncode == 7
    assert files(victim) == before


def full(path):
    """Make a pipe that takes nothing more, and that somebody has open."""
    os.mkfifo(path, 0o600)
    pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while os.write(pipe, b"x" * 4096):
            pass
    return pipe


def test_a_pipe_in_place_of_the_journal_is_not_waited_for(inside, place):
    pipe = full(place / "runs.journal")
    try:
        assert inside("run", "sh", "-c", f"{LONG}; exit 7", timeout=60).returncode == 7
    finally:
        os.close(pipe)


def test_a_pipe_in_place_of_a_spool_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "abcdef.out", 0o600)
    with pytest.raises(WireError):
        _open_spool([f"{tmp_path}/abcdef.out"], str(tmp_path), ())


def test_a_pipe_in_place_of_an_output_is_not_waited_for(inside, place):
    (place / "raw").mkdir(mode=0o700)
    os.mkfifo(place / "raw/abcdef.out", 0o600)
    assert inside("recall", "abcdef", timeout=60).stdout == b""


@pytest.mark.usefixtures("inside")
def test_what_the_user_gives_to_sandboxes_is_preferred(tmp, state, tmp_path):
    given, real = state / "sandboxed", tmp_path / "given"
    given.mkdir(mode=0o700)
    real.mkdir(mode=0o700)
    enter = ENTER.replace("shift;", f'mount --bind "{real}" "{given}"; shift;')
    words = [*WORDS[:-2], enter, "sh", str(state), *LACONIC, "run", "sh", "-c", LONG]
    subprocess.run(words, capture_output=True, check=True)
    assert "runs.journal" in files(real)
    assert files(tmp) == set()


@pytest.mark.parametrize("is_shut", [False, True])
def test_the_doctor_says_where_it_is(inside, tmp, is_shut):
    inside("run", "true")
    places = ["/tmp", tmp] if is_shut else []
    done = inside("doctor", "--json", read_only=places)
    assert done.stdout, (done.returncode, done.stderr)
    found = {one["check"]: one for one in json.loads(done.stdout)["findings"]}
    assert found["sandbox"]["message"].startswith("this is a sandbox: ")
    assert ("nothing is kept" in found["sandbox"]["message"]) == is_shut
    assert (str(tmp) in found["sandbox"]["message"]) != is_shut
    assert found.keys().isdisjoint(("box", "records"))


def test_what_is_kept_there_can_be_removed_outside(inside, tmp, state):
    inside("run", "sh", "-c", LONG)
    subprocess.run([*LACONIC, "purge"], capture_output=True, check=True)
    assert files(apart(tmp)) | files(state / "raw") == set()
    inside("run", "sh", "-c", LONG)
    words = [*LACONIC, "uninstall", "--all", "--purge", "--yes"]
    subprocess.run(words, capture_output=True, check=True)
    assert list(tmp.iterdir()) == []
