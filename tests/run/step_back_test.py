"""A filter steps back where what it hid was missed: after two recalls, or if run again at once."""

from __future__ import annotations

import re
import subprocess

from laconic.record.step_back import StepBack
from runners import LACONIC, bin_dir, no_process_left, run, runner, runtime, state

__all__ = ["bin_dir", "no_process_left", "runner", "runtime", "state"]  # fixtures

# Written by a file, whose content tells nothing of what comes next.
LINES = 'for n in $(seq 400); do echo "worker $n has done a part of the work and goes on"; done\n'
NOTICE = re.compile(rb"laconic recall (\w{6})\]")


def script(folder, name="work.sh", text=LINES):
    path = folder / name
    path.write_text(text)
    return str(path)


def laconic(*words, **more):
    return subprocess.run([*LACONIC, *words], capture_output=True, check=True, **more)


def hidden(result):
    """The id of what was hidden, None if all was shown."""
    found = NOTICE.search(result.stdout)
    assert found or result.stdout.count(b"\n") >= 400, result.stdout
    return found[1].decode() if found else None


def test_after_two_recalls_the_next_run_is_shown_as_it_is(tmp_path):
    path = script(tmp_path)
    raw_id = hidden(run("sh", path, cwd=tmp_path))
    laconic("recall", raw_id, "--lines", "3:5")
    laconic("recall", raw_id, "--grep", "worker 77")
    run("ls", cwd=tmp_path)  # so that it is not run again at once
    assert hidden(run("sh", path, cwd=tmp_path)) is None
    run("ls", cwd=tmp_path)
    assert hidden(run("sh", path, cwd=tmp_path)), "one run is enough"
    said = laconic("stats", "recalls").stdout.decode()
    assert re.search(rf"sh in {re.escape(str(tmp_path))} was shown as it is once", said), said


def test_one_recall_changes_nothing(tmp_path):
    path = script(tmp_path)
    laconic("recall", hidden(run("sh", path, cwd=tmp_path)))
    run("ls", cwd=tmp_path)
    assert hidden(run("sh", path, cwd=tmp_path))


def test_a_command_that_is_run_again_at_once_is_shown_as_it_is_from_then_on(tmp_path):
    path = script(tmp_path)
    assert hidden(run("sh", path, cwd=tmp_path))
    assert hidden(run("sh", path, cwd=tmp_path)) is None
    assert hidden(run("sh", path, cwd=tmp_path)) is None
    assert "times" in laconic("stats", "recalls").stdout.decode()


def test_a_command_that_prints_something_else_is_not_run_again_in_vain(tmp_path):
    path = script(tmp_path)
    assert hidden(run("sh", path, cwd=tmp_path))
    script(tmp_path, text=LINES + "echo all of it has been mended meanwhile\n")
    assert hidden(run("sh", path, cwd=tmp_path))


def test_what_ran_in_between_and_other_projects_do_not_count(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        script(tmp_path / name)
    assert hidden(run("sh", "work.sh", cwd=tmp_path / "one"))
    assert hidden(run("sh", "work.sh", cwd=tmp_path / "two"))
    run("ls", cwd=tmp_path / "one")
    assert hidden(run("sh", "work.sh", cwd=tmp_path / "one"))


def test_nothing_of_a_command_is_kept_but_its_program(tmp_path, state):
    path = script(tmp_path)
    run("sh", path, "--token", "AKIAIOSFODNN7EXAMPLE", cwd=tmp_path)
    assert "AKIAIOSFODNN7EXAMPLE" not in (state / "step_back.json").read_text()


def test_a_broken_memory_means_that_nothing_is_remembered(tmp_path, state):
    path = script(tmp_path)
    state.mkdir(parents=True, exist_ok=True)
    for text in ("", "[]", "{", '{"commands": 3, "last": {}}', '{"commands": {}}'):
        (state / "step_back.json").write_text(text)
        assert hidden(run("sh", path, cwd=tmp_path))
        run("ls", cwd=tmp_path)


def test_no_more_than_some_commands_are_remembered(tmp_path):
    memory = StepBack(tmp_path)
    for number in range(300):
        memory.ran("/p", f"make {number}", "make", f"id{number:04}", "x", "")
    assert (tmp_path / "step_back.json").stat().st_size < 100_000
    memory.recalled("id0299")
    memory.recalled("id0299")
    assert memory.reason("/p", "make 299")
    assert not memory.reason("/p", "make 298")
