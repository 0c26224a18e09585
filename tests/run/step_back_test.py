"""A filter steps back where a session asked for what it hid, and for nobody else."""

from __future__ import annotations

import os
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
    assert hidden(run("sh", path, cwd=tmp_path)) is None
    assert hidden(run("sh", path, cwd=tmp_path)), "one run is enough"
    said = laconic("stats", "recalls").stdout.decode()
    assert re.search(rf"sh in {re.escape(str(tmp_path))} was shown as it is once", said), said


def test_one_recall_changes_nothing(tmp_path):
    path = script(tmp_path)
    laconic("recall", hidden(run("sh", path, cwd=tmp_path)))
    assert hidden(run("sh", path, cwd=tmp_path))


def test_a_test_that_is_run_again_and_fails_as_before_stays_short(tmp_path):
    path = script(tmp_path, text=LINES + "echo 'test_a failed: 3 is not 4'; exit 1\n")
    texts = []
    for _ in range(3):
        done = run("sh", path, cwd=tmp_path)
        assert done.returncode == 1
        assert hidden(done)
        texts.append(NOTICE.sub(b"", done.stdout))
    assert texts[0] == texts[1] == texts[2]
    assert b"test_a failed: 3 is not 4" in texts[2]
    assert b"times" not in laconic("stats", "recalls").stdout


def test_what_one_session_asked_for_is_not_shown_to_another(tmp_path):
    path = script(tmp_path)
    one, other = (
        {**os.environ, "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": name} for name in ("a", "b")
    )
    codex = {**os.environ, "CODEX_THREAD_ID": "1"}
    ids = [hidden(run("sh", path, cwd=tmp_path, env=env)) for env in (one, other, codex)]
    for _ in range(2):
        laconic("recall", ids[0], env=one)
        laconic("recall", ids[1], env=codex)  # what another session has hidden
    assert hidden(run("sh", path, cwd=tmp_path, env=other))
    assert hidden(run("sh", path, cwd=tmp_path, env=codex))
    assert hidden(run("sh", path, cwd=tmp_path, env=one)) is None


def test_nothing_of_a_command_is_kept_but_its_program(tmp_path, state):
    path = script(tmp_path)
    run("sh", path, "--token", "AKIAIOSFODNN7EXAMPLE", cwd=tmp_path)
    assert "AKIAIOSFODNN7EXAMPLE" not in (state / "step_back.json").read_text()


def test_a_broken_memory_means_that_nothing_is_remembered(tmp_path, state):
    path = script(tmp_path)
    state.mkdir(parents=True, exist_ok=True)
    for text in ("", "[]", "{", '{"commands": 3}', '{"last": {}}'):
        (state / "step_back.json").write_text(text)
        assert hidden(run("sh", path, cwd=tmp_path))


def test_no_more_than_some_commands_are_remembered(tmp_path):
    memory = StepBack(tmp_path, ("an agent", "a session"))
    for number in range(300):
        memory.ran("/p", f"make {number}", "make", f"id{number:04}", is_whole=False)
    assert (tmp_path / "step_back.json").stat().st_size < 100_000
    memory.recalled("id0299")
    memory.recalled("id0299")
    assert memory.reason("/p", "make 299")
    assert not memory.reason("/p", "make 298")


def test_a_session_that_has_read_a_failure_reads_only_what_differs_of_the_next(tmp_path):
    one, other = (
        {**os.environ, "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": name} for name in ("a", "b")
    )
    said = "error: part %s of the plan needs a wheel that nobody has made"
    wrong = "".join(f"echo '{said % name}'\n" for name in ("one", "two", "three"))
    text = f"{LINES}{wrong}echo '3 errors in the plan'; exit 1\n"
    path = script(tmp_path, text=text)
    first, second = (run("sh", path, cwd=tmp_path, env=one).stdout for _ in range(2))
    assert b"part two of the plan" in first
    assert re.fullmatch(
        rb"3 errors in the plan\n\[as in the run before, 403/404 lines hidden.*\]\n", second
    )
    script(tmp_path, text=text.replace("3 errors", "4 errors"))
    third = run("sh", path, cwd=tmp_path, env=one).stdout
    assert third.startswith(b"4 errors in the plan\n[")
    assert len(run("sh", path, cwd=tmp_path, env=other).stdout) == len(first)
    assert len(run("sh", path, cwd=tmp_path).stdout) == len(first), "nobody knows who reads this"
