"""laconic run --undo, by the runner in Python and by the one in C, cold and warm."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest

from laconic.undo.restore import undo
from laconic.undo.store import Store
from runners import LACONIC, RUN, bin_dir, broken, no_process_left, run, runner, runtime, state
from undo.kills import DESTRUCTIVE, picture

__all__ = ["bin_dir", "broken", "no_process_left", "runner", "runtime", "state"]


@pytest.fixture
def store(state):
    return Store(state)


def run_kept(project, *words, **more):
    return run("--", *words, flags=["--undo"], cwd=project, **more)


def test_what_a_command_destroys_comes_back(project, store):
    before = picture(project)
    done = run_kept(project, "bash", "-c", DESTRUCTIVE)
    keep = store.find("last")
    assert done.stderr.decode().splitlines()[-1].endswith(f"undo {keep.id} brings them back]")
    assert not keep.is_running
    assert keep.changed is not None
    undo(store, keep)
    assert picture(project) == before


def test_output_and_status_are_those_of_the_command(project):
    done = run_kept(project, "sh", "-c", "echo out; echo err >&2; rm a; exit 3")
    assert (done.stdout, done.returncode) == (b"out\n", 3)
    assert done.stderr.startswith(b"err\n[laconic: kept 1 file before this ran; ")
    assert done.stderr.count(b"\n") == 2


def test_nothing_is_said_or_left_where_nothing_was_destroyed(project, store):
    for words in (["rm", "-f", "missing"], ["touch", "new"], ["true"], ["false"]):
        assert run_kept(project, *words).stderr == b""
    assert [keep.about.command for keep in store.keeps()] == ["touch new"]


def test_a_refusal_is_said_and_the_command_runs(project, home):
    (home / ".config/laconic").mkdir(parents=True)
    (home / ".config/laconic/config.toml").write_text("[undo]\nstore_mb = 1\n")
    (project / "large").write_bytes(bytes(3 << 20))
    done = run_kept(project, "truncate", "-s", "0", "large")
    assert done.stderr == b"[laconic: no undo for this: more than 1 MB would have to be kept]\n"
    assert (project / "large").stat().st_size == 0


def test_the_directory_and_the_environment_are_the_callers(project, store):
    environ = {**os.environ, "WANTED": "sub"}
    run_kept(project, "sh", "-c", 'rm -r "$WANTED"', env=environ)
    keep = store.find("last")
    assert keep.about.directory == str(project)
    undo(store, keep)
    assert (project / "sub/c").read_text() == "three\n"


def test_a_file_as_stdout_gets_every_byte(project, store, tmp_path):
    target = tmp_path / "target"
    with target.open("wb") as out:
        subprocess.run(
            [*RUN, "--undo", "sh", "-c", "echo x; rm a"], stdout=out, cwd=project, check=True
        )
    assert target.read_bytes() == b"x\n"
    undo(store, store.find("last"))
    assert (project / "a").read_text() == "one\n"


def test_a_raw_command_has_our_own_streams(project, store):
    line = "read line; echo out $line; echo err >&2; rm a; exit 3"
    given = {"input": b"in\n", "stdin": None}
    done = run("sh", "-c", line, flags=["--raw", "--undo"], cwd=project, **given)
    assert (done.stdout, done.returncode) == (b"out in\n", 3)
    assert done.stderr.startswith(b"err\n[laconic: kept 1 file before this ran; ")
    undo(store, store.find("last"))
    assert (project / "a").read_text() == "one\n"
    done = run("sh", "-c", "rm b; kill -TERM $$", flags=["--raw", "--undo"], cwd=project)
    assert done.returncode == 128 + signal.SIGTERM
    assert run("frobnicate", flags=["--raw", "--undo"], cwd=project).returncode == 127


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_reaches_a_raw_command(project, store, number):
    line = "trap 'echo caught; exit 7' TERM INT; rm a; echo ready; while :; do sleep 0.1; done"
    words = [*RUN, "--raw", "--undo", "sh", "-c", line]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=project) as process:
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert process.stdout.readline() == b"caught\n"
        assert process.wait() == 7
    undo(store, store.find("last"))
    assert (project / "a").read_text() == "one\n"


def test_a_pipe_that_was_taken_off(project, store):
    flags = ["--undo", "--baseline-pipe", "head -n 1"]
    done = run("sh", "-c", "rm a; seq 3", flags=flags, cwd=project)
    assert done.stdout == b"1\n"
    undo(store, store.find("last"))
    assert (project / "a").read_text() == "one\n"


def test_nobody_reads_the_output(project, store):
    words = [*RUN, "--undo", "sh", "-c", "rm a; while sleep 0.05; do echo x; done"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=project) as process:
        process.stdout.read(1)
        process.stdout.close()
        process.wait()
    undo(store, store.find("last"))
    assert (project / "a").read_text() == "one\n"


def test_what_was_kept_outlives_a_runner_that_is_killed(project, store):
    before = picture(project)
    words = [*RUN, "--undo", "sh", "-c", "rm -r a b sub; sleep 60"]
    with subprocess.Popen(words, cwd=project, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 20
        while (project / "b").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 20
    while next(store.keeps()).is_running and time.monotonic() < deadline:
        time.sleep(0.01)
    undo(store, store.find("last"))
    assert picture(project) == before


@pytest.mark.parametrize("flags", [["--undo"], ["--undo", "--raw"]])
def test_a_warm_client_starts_no_python(project, store, broken, runner, tmp_path, flags):
    marker = tmp_path / "started"
    broken(f"open({str(marker)!r}, 'w')")
    marker.unlink(missing_ok=True)  # the server has started
    done = run("rm", "a", flags=flags, cwd=project)
    assert b"kept 1 file before this ran" in done.stderr
    undo(store, store.find("last"))
    assert marker.exists() == (runner.name != "c and server")


# -- what is not certain is said before ------------------------------------------------------------

DOUBT = b"[laconic: it is not certain what this changes ("
ORDER = "import os, sys; os.write(2, b'it runs\\n'); os.unlink('a')"
LARGE = 4_100  # more files than are kept around a command that nobody knows


@pytest.fixture
def order(project):
    """A command that removes a file, of which nobody can say that it does."""
    (project / "order.py").write_text(ORDER)
    return ["python3", "order.py"]


@pytest.fixture
def large(project):
    for number in range(LARGE):
        (project / f"large{number}").touch()
    return project


@pytest.mark.parametrize("flags", [["--undo"], ["--undo", "--raw"]])
def test_a_doubt_is_said_before_the_command_runs_and_what_is_kept(project, order, flags):
    done = run(*order, flags=flags, cwd=project)
    before, runs, after = done.stderr.splitlines()
    assert before.startswith(DOUBT)
    assert before.endswith(f"); all of {project} is kept]".encode())
    assert runs == b"it runs"
    assert after.startswith(b"[laconic: kept 1 file before this ran; ")
    said = laconic_undo(project)
    assert f"not kept: what it may have changed outside of {project}" in said.stdout
    assert (project / "a").read_text() == "one\n"


def laconic_undo(project, *words):
    return subprocess.run(
        [*LACONIC, "undo", "--yes", *words],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_doubt_whose_surroundings_are_too_much_has_no_undo_and_that_is_said_once(large, order):
    done = run_kept(large, *order)
    before, runs = done.stderr.splitlines()
    assert before.startswith(b"[laconic: no undo for this: python3: ")
    assert runs == b"it runs"
    said = laconic_undo(large)
    assert said.returncode == 1
    assert "cannot be undone: python3: " in said.stderr
    assert "nothing to undo" not in said.stderr


def test_what_ran_last_and_was_not_kept_is_not_mistaken_for_what_ran_before(large, store, order):
    run_kept(large, "rm", "b")
    keep = store.find("last")
    run_kept(large, *order)
    said = laconic_undo(large)
    assert "cannot be undone: python3: " in said.stderr
    assert f"hint: laconic undo {keep.id} takes back what ran before it: rm b" in said.stderr
    assert not (large / "b").exists()
    assert laconic_undo(large, keep.id).returncode == 0
    assert (large / "b").exists()


def test_a_part_is_known_and_the_rest_is_said_not_to_be_kept(large, order):
    done = run_kept(large, "sh", "-c", f"rm b; {' '.join(order)}")
    assert done.stderr.splitlines()[0].startswith(DOUBT)
    assert done.stderr.splitlines()[0].endswith(b"; only what it is known to change is kept]")
    said = laconic_undo(large)
    assert "not kept: whatever else it has changed (python3: " in said.stdout
    assert (large / "b").exists()
    assert not (large / "a").exists()


def test_a_doubt_that_changed_nothing_here_is_still_told(project):
    (project / "order.py").write_text("")
    run_kept(project, "python3", "order.py")
    said = laconic_undo(project)
    assert said.returncode == 1
    assert f"not kept: what it may have changed outside of {project}" in said.stderr


def test_a_command_runs_also_where_nobody_reads_what_is_said_before(project, order):
    reads, writes = os.pipe()
    os.close(reads)
    (project / "order.py").write_text("import os; os.unlink('a')")
    words = [*RUN, "--undo", *order]
    subprocess.run(words, stdout=subprocess.PIPE, stderr=writes, cwd=project, check=False)
    os.close(writes)
    assert not (project / "a").exists()


def test_without_an_id_only_what_ran_in_this_project_is_taken_back(project, store, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    run_kept(project, "rm", "a")
    done = subprocess.run(
        [*LACONIC, "undo", "--yes"], cwd=other, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"the last command ran in {project}" in done.stderr
    assert f"laconic undo {store.find('last').id}" in done.stderr
    assert not (project / "a").exists()
    subprocess.run([*LACONIC, "undo", "--yes"], cwd=project, capture_output=True, check=True)
    assert (project / "a").exists()
