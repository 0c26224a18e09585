"""Keeps and undoes on small projects: interrupted, at the same time, without room, in conflict."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from laconic.undo import store as store_module
from laconic.undo.analysis import reach_of, reach_of_line
from laconic.undo.hold import hold_line, measured
from laconic.undo.keep import About
from laconic.undo.restore import BlockedError, ConflictError, undo
from laconic.undo.store import MissingError, Store
from laconic.undo.survey import TooMuchError, survey
from undo import kills
from undo.kills import DESTRUCTIVE, kept, picture, run

_STARTING = ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.exec", "os.system")


def test_everything_comes_back_and_goes_again(store, project):
    before = picture(project)
    keep = run(store, DESTRUCTIVE, project)
    left = picture(project)
    assert left != before
    again = undo(store, keep)
    assert picture(project) == before
    undo(store, store.find(again))
    assert picture(project) == left


def test_last_is_the_newest_command_that_was_not_undone(store, project):
    first = run(store, "rm a", project)
    second = run(store, "rm b", project)
    assert store.find("last").id == second.id
    undo(store, second)
    assert store.find("last").id == first.id
    undo(store, first)
    with pytest.raises(MissingError):
        store.find("last")


def test_what_the_command_did_not_touch_is_left_alone(store, project):
    keep = run(store, "rm -r sub", project)
    (project / "a").write_text("mine\n")
    (project / "later").write_text("mine\n")
    undo(store, keep)
    assert (project / "a").read_text() == (project / "later").read_text() == "mine\n"
    assert (project / "sub/c").read_text() == "three\n"


def test_a_file_that_changed_since_stops_the_undo(store, project):
    keep = run(store, "echo x > a; rm b", project)
    (project / "a").write_text("mine\n")
    left = picture(project)
    with pytest.raises(ConflictError) as caught:
        undo(store, keep)
    assert caught.value.plan.conflicts == [str(project / "a")]
    assert picture(project) == left
    again = undo(store, keep, force=True)
    assert (project / "a").read_text() == "one\n"
    undo(store, store.find(again))
    assert (project / "a").read_text() == "mine\n"


def test_what_a_command_makes_is_not_read_to_the_end_where_it_is_large(store, project):
    before = picture(project)
    keep = run(store, "rm a; echo new > b; truncate -s 65M c", project)
    digests = {Path(path).name: one and one.digest for path, one in keep.changed.items()}
    assert (bool(digests["b"]), digests["c"]) == (True, "")
    (project / "c").touch()
    with pytest.raises(ConflictError):  # that nobody has written to it is not known
        undo(store, keep)
    undo(store, keep, force=True)
    assert picture(project) == before


def test_git_status_after_the_command_is_no_conflict(store, project):
    """It writes the times of files into the index anew, and nothing else."""
    setup = "git init -q; git add -A; git -c user.name=a -c user.email=a@b commit -qm x; echo 2 > a"
    subprocess.run(["bash", "-c", setup], cwd=project, check=True)
    keep = run(store, "git checkout -- a", project)
    index = (project / ".git/index").read_bytes()
    subprocess.run(
        ["bash", "-c", "touch -d 2020-01-01 b; git update-index --refresh"], cwd=project, check=True
    )
    assert (project / ".git/index").read_bytes() != index
    undo(store, keep)
    assert (project / "a").read_text() == "2\n"


def test_a_file_that_was_staged_since_is_a_conflict(store, project):
    setup = "git init -q; git add -A; git -c user.name=a -c user.email=a@b commit -qm x; echo 2 > a"
    subprocess.run(["bash", "-c", setup], cwd=project, check=True)
    keep = run(store, "git checkout -- a", project)
    subprocess.run(["bash", "-c", "echo 3 > b; git add b"], cwd=project, check=True)
    with pytest.raises(ConflictError, match="index"):
        undo(store, keep)


def test_a_part_can_be_taken_back(store, project):
    keep = run(store, "rm a b", project)
    (project / "b").write_text("mine\n")
    undo(store, keep, [str(project / "a")])
    assert (project / "a").exists()
    assert (project / "b").read_text() == "mine\n"


def test_a_directory_that_is_a_link_now_stops_the_undo(store, project, tmp_path):
    keep = run(store, "rm sub/c", project)
    (project / "sub").rename(tmp_path / "elsewhere")
    (project / "sub").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BlockedError, match="symbolic link"):
        undo(store, keep)
    assert not (tmp_path / "elsewhere/c").exists()


def test_a_directory_with_other_things_in_it_stays(store, project):
    keep = run(store, "mkdir fresh; echo x > fresh/made", project)
    (project / "fresh/mine").write_text("mine\n")
    undo(store, keep)
    assert sorted(p.name for p in (project / "fresh").iterdir()) == ["mine"]


def test_nothing_is_kept_of_a_command_that_changed_nothing(store, project):
    held = kept(store, "rm a", project)
    assert held.finish() is None
    assert store.paths() == []


def test_a_killed_run_can_still_be_undone(store, project):
    before = picture(project)
    held = kept(store, DESTRUCTIVE, project)
    subprocess.run(["bash", "-c", DESTRUCTIVE], cwd=project, check=False)
    held.close()  # nobody has written down what changed
    undo(store, store.find("last"))
    assert picture(project) == before


def test_a_running_command_is_not_undone(store, project):
    held = kept(store, "rm a", project)
    (project / "a").unlink()
    with pytest.raises(BlockedError, match="still running"):
        undo(store, store.find(held.keep_id))


# -- killed: a few steps of each kind here, all of them in `make undo` -----------------------------


def test_a_keep_that_is_killed_never_happened(tmp_path):
    assert kills.keep_is_killed(tmp_path, every=5) > 1


def test_an_undo_that_is_killed_is_finished_or_has_not_begun(tmp_path):
    assert kills.undo_is_killed(tmp_path, every=9) > 3


def test_a_recovery_that_is_killed_is_finished_by_the_next(tmp_path):
    assert kills.recovery_is_killed(tmp_path, every=11) > 1


def test_an_undo_on_another_disk_that_is_killed_leaves_nothing_behind(small_disk, tmp_path):
    assert kills.undo_on_another_disk_is_killed(small_disk, tmp_path, every=15) > 1


# -- at the same time ------------------------------------------------------------------------------


def test_agents_at_the_same_time_undo_their_own(store, project):
    for number in range(6):
        (project / f"mine{number}").write_text(f"{number}\n")
    before = picture(project)
    pids = []
    for number in range(6):
        pid = os.fork()
        if pid == 0:
            failed = 1
            try:
                for _ in range(5):
                    keep = run(store, f"echo x > mine{number}; echo y > new{number}", project)
                    time.sleep(0.01)
                    undo(store, keep)
                failed = 0
            finally:
                os._exit(failed)
        pids.append(pid)
    assert [os.waitpid(pid, 0)[1] for pid in pids] == [0] * 6
    assert picture(project) == before


def test_of_two_commands_on_one_file_the_older_undo_stops(store, project):
    older = run(store, "echo x > a", project)
    run(store, "echo y > a", project)
    with pytest.raises(ConflictError):
        undo(store, older)


# -- bounds ----------------------------------------------------------------------------------------


def test_too_much_is_refused_before_the_first_byte(store, project):
    (project / "big").write_bytes(b"x" * 5000)
    with pytest.raises(TooMuchError, match="MB"):
        survey(reach_of(["truncate", "-s0", "big"], str(project), {}), limit_bytes=4000)
    assert store.paths() == []


def test_old_keeps_make_room_and_leave_in_time(tmp_path, project, monkeypatch):
    monkeypatch.setattr(store_module, "KEPT_WHATEVER_AGE", 0)
    store = Store(tmp_path / "state", limit_bytes=3000, days=14)
    ids = []
    for number in range(5):
        (project / "a").write_bytes(bytes([number]) * 1000)
        ids.append(run(store, "echo x > a", project).id)
    assert [keep.id for keep in store.keeps()] == ids[:1:-1]
    later = time.time() + 15 * 86400
    held = store.keep(*surveyed("rm b", project), now=later)
    assert [path.rpartition("-")[2] for path in store.paths()] == [held.keep_id]


def test_a_clock_that_runs_ahead_removes_nothing_that_is_new(tmp_path, project):
    store = Store(tmp_path / "state", days=14)
    ids = [run(store, f"echo {number} > a", project).id for number in range(3)]
    held = store.keep(*surveyed("rm b", project), now=time.time() + 400 * 86400)
    held.close()
    assert {keep.id for keep in store.keeps()} == {*ids, held.keep_id}
    # When it is right again, what is of the future is not taken for the newest.
    assert store.find("last").id == ids[-1]
    newer = run(store, "echo 4 > a", project).id
    assert store.find("last").id == newer


def surveyed(line: str, project: Path):
    holding = hold_line(line, str(project), {})
    return holding.reach, holding.survey, About(line, str(project))


def test_the_store_is_for_the_owner_alone(store, project):
    keep = run(store, "rm a b", project)
    for directory, _, files in os.walk(store.directory):
        assert Path(directory).stat().st_mode & 0o077 == 0
        for name in files:
            assert Path(directory, name).stat().st_mode & 0o077 == 0 or "data" in directory
    assert keep.size > 0


@pytest.fixture
def small_disk(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted: {mounted.stderr.decode()}")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_without_room_the_command_runs_and_says_that_there_is_no_undo(small_disk, project):
    from laconic.undo.around import begin

    (project / "a").write_bytes(os.urandom(1 << 20))
    reach = reach_of_line("echo x > a", str(project), {})
    around = begin(reach, About("echo x > a", str(project)), Store(small_disk))
    assert around.held is None
    assert "no undo for this: no space left" in around.warning
    assert Store(small_disk).paths() == []


def test_an_undo_without_room_changes_nothing(small_disk, store):
    project = small_disk / "project"
    project.mkdir()
    (project / "a").write_bytes(os.urandom(100 << 10))
    (project / "b").write_text("two\n")
    keep = run(store, "rm a; echo x > b", project)
    (project / "ballast").write_bytes(os.urandom(200 << 10))
    left = picture(project)
    with pytest.raises(BlockedError, match="no space left"):
        undo(store, keep)
    assert picture(project) == left
    (project / "ballast").unlink()
    undo(store, keep)
    assert (project / "b").read_text() == "two\n"


# -- what the gate asks ----------------------------------------------------------------------------


def test_the_gate_learns_what_would_be_held(project):
    found = hold_line("rm a && sed -i s/x/y/ b", str(project), {})
    assert found.is_complete
    assert found.is_exact
    assert {str(project / "a"), str(project / "b")} <= set(found.paths)
    assert picture(project)  # nothing was written


@pytest.mark.parametrize(
    ("before", "is_known"),
    [
        ("git stash list", True), ("git worktree list", True), ("git branch", True),
        ("git remote -v", True), ("git tag -l", True), ("git reflog show", True),
        ("git stash", False), ("git branch new", False), ("git tag new", False),
        ("git config alias.x y", False), ("git fetch", False), ("git frobnicate", False),
        ("git branch $x", False),
    ],
)  # fmt: skip
def test_what_only_looks_at_a_repository_leaves_names_in_it_as_they_are(before, is_known, project):
    subprocess.run(["git", "init", "-q", project], check=True)
    assert hold_line(f"{before}; git stash drop", str(project), {}).is_exact is is_known


@pytest.mark.parametrize(
    ("line", "is_held"),
    [
        ("rm a && ./x.sh", True),
        ("./x.sh; rm a", True),
        ("timeout 9 ./x.sh; rm a", True),
        ("rm $(cat list) && ./x.sh", False),
        ("ln -s b c && ./x.sh; rm a", False),
        ("bash -c './x.sh; rm a'", False),
    ],
)
def test_the_gate_learns_what_would_be_held_of_a_part_alone(line, is_held, project):
    assert not hold_line(line, str(project), {}).is_exact
    found = hold_line(line, str(project), {}, [line.index("rm")])
    assert (found.is_complete and found.is_exact) is is_held
    assert not is_held or found.paths == [str(project / "a")]


@pytest.mark.parametrize(
    "line",
    [
        "git push",
        "frobnicate a",
        "rm $(frobnicate)",
        "make",
        "rsync -a . host:x",
        "echo x | tee /dev/sda",
        "rm $x",
        "git fetch && git merge origin/main",
        "git -c alias.x=y x",
        "bash script.sh",
        "eval rm a",
        "find . -exec ./x {} +",
        "sed -i 's/a/b/w c' a",
        "perl -e 'unlink a'",
        "source ./x",
    ],
)
def test_the_gate_learns_what_is_not_known(line, project):
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    found = hold_line(line, str(project), {})
    assert not (found.is_complete and found.is_exact)


def test_where_its_surroundings_are_too_much_an_unknown_command_is_not_held(project):
    for number in range(4_001):
        (project / f"file{number}").touch()
    found = measured(reach_of(["frobnicate", "a"], str(project), {}))
    assert not found.is_complete
    assert "is not a command that laconic knows" in found.reason


def test_to_look_starts_no_program(project):
    setup = (
        "git init -q; git add -A; git -c user.name=a -c user.email=a@b commit -qm x;"
        " rm a; echo 2 > b"
    )
    subprocess.run(["bash", "-c", setup], cwd=project, check=True)
    program = f"""
import sys
def hook(event, arguments):
    assert event not in {_STARTING!r}, event
sys.addaudithook(hook)
from laconic.undo.hold import hold_line
for line in ("git checkout -- .", "git reset --hard HEAD", "git stash -u", "git clean -fdx"):
    assert hold_line(line, {str(project)!r}, {{}}).is_complete, line
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_large_trees_that_come_back_from_a_lock_file_are_not_kept(project):
    (project / "package-lock.json").write_text("{}")
    (project / "node_modules").mkdir()
    for number in range(1100):
        (project / f"node_modules/{number}").touch()
    found = hold_line("rm -rf node_modules b", str(project), {})
    assert "node_modules is not kept" in found.reason
    assert str(project / "b") in found.paths


# -- the command line ------------------------------------------------------------------------------


def laconic(project: Path, tmp_path: Path, *words: str):
    environ = {**os.environ, "LACONIC_STATE_DIR": str(tmp_path / "state"), "LACONIC_NO_SERVER": "1"}
    return subprocess.run(
        [sys.executable, "-m", "laconic", *words],
        cwd=project,
        env=environ,
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )


def test_run_and_undo_on_the_command_line(project, tmp_path):
    before = picture(project)
    done = laconic(project, tmp_path, "run", "--undo", "bash", "-c", DESTRUCTIVE)
    assert done.returncode == 0
    assert "undo" in done.stderr
    assert "brings them back" in done.stderr
    listed = laconic(project, tmp_path, "undo", "--list", "--json")
    row = json.loads(listed.stdout)
    assert row["state"] == "can be undone"
    shown = laconic(project, tmp_path, "undo", row["id"], "--diff")
    assert "+one" in shown.stdout
    undone = laconic(project, tmp_path, "undo")
    assert undone.returncode == 0, undone.stderr
    assert picture(project) == before
    assert "nothing to undo" in laconic(project, tmp_path, "undo").stderr


def test_what_destroys_is_kept_without_being_asked(project, tmp_path):
    laconic(project, tmp_path, "run", "--undo", "rm", "a", "b")
    assert laconic(project, tmp_path, "undo").returncode == 0
    assert (project / "a").read_text() == "one\n"


def test_the_status_of_the_command_stays(project, tmp_path):
    done = laconic(project, tmp_path, "run", "--undo", "bash", "-c", "rm a; exit 7")
    assert done.returncode == 7


def test_a_conflict_shows_the_difference_and_changes_nothing(project, tmp_path):
    laconic(project, tmp_path, "run", "--undo", "rm", "a")
    (project / "a").write_text("mine\n")
    done = laconic(project, tmp_path, "undo")
    assert done.returncode == 1
    assert "-mine" in done.stdout
    assert "changed after the command" in done.stderr
    assert (project / "a").read_text() == "mine\n"


def test_the_difference_of_a_conflict_is_short_and_shows_no_secret(project, tmp_path):
    laconic(project, tmp_path, "run", "--undo", "rm", "a")
    (project / "a").write_text("API_TOKEN=kR7xq2LmZp9T\n" + "mine\n" * 300)
    done = laconic(project, tmp_path, "undo")
    assert len(done.stdout.splitlines()) < 40
    keep_id = done.stdout.split()[1].rstrip(":")
    assert f"more lines: laconic undo {keep_id} --diff]" in done.stdout
    assert "kR7xq2LmZp9T" not in done.stdout
    shown = laconic(project, tmp_path, "undo", keep_id, "--diff").stdout
    assert shown.count("-mine") == 300
    assert "kR7xq2LmZp9T" not in shown


@pytest.mark.parametrize(
    ("command", "later", "reason"),
    [
        ("rm a", "mkdir a; echo x > a/inner", "a is a directory now that has something in it"),
        ("rm sub/c", "rm -r sub; echo x > sub", "sub is not a directory now"),
        ("rm sub/deep/*", "rm -r sub; echo x > sub", "sub is not a directory now"),
    ],
)
def test_what_is_in_the_way_stops_an_undo_before_it_begins(store, project, command, later, reason):
    keep = run(store, command, project)
    subprocess.run(["bash", "-c", later], cwd=project, check=True)
    left = picture(project)
    with pytest.raises(BlockedError, match=reason):
        undo(store, keep, force=True)
    assert picture(project) == left
    assert store.find("last").id == keep.id
    subprocess.run(["rm", "-rf", "a", "sub"], cwd=project, check=True)
    undo(store, keep, force=True)
    assert not any(Path(path, "journal").exists() for path in store.paths())


def test_an_empty_directory_in_the_way_goes_and_comes_again(store, project):
    keep = run(store, "rm a", project)
    (project / "a").mkdir()
    again = undo(store, keep, force=True)
    assert (project / "a").read_text() == "one\n"
    undo(store, store.find(again))
    assert (project / "a").is_dir()


def test_a_path_as_an_id_is_explained(project, tmp_path):
    laconic(project, tmp_path, "run", "--undo", "rm", "b")
    done = laconic(project, tmp_path, "undo", "a")
    assert "laconic undo last a takes back only that" in done.stderr


def test_what_is_listed_and_shown_is_for_people(project, tmp_path):
    setup = "git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm x"
    subprocess.run(["bash", "-c", setup], cwd=project, check=True)
    (project / "a").write_text("work\n")
    laconic(project, tmp_path, "run", "--undo", "git", "checkout", "--", ".")
    laconic(project, tmp_path, "run", "--undo", "rm", "-r", "sub/deep")
    lines = laconic(project, tmp_path, "undo", "--list").stdout.splitlines()
    assert "1 file  " in lines[0]
    assert "1 file, git" in lines[1]
    done = laconic(project, tmp_path, "undo")
    assert "  create   sub/deep/\n" in done.stdout
    done = laconic(project, tmp_path, "undo")
    assert "  restore  a\n" in done.stdout
    assert "  restore  git's index\n" in done.stdout


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["chmod", "640", "a"], "mode 0640 -> 0600"),
        (["touch", "-d", "2001-01-01", "a"], "time"),
    ],
)
def test_what_comes_back_beside_the_content_is_said_in_words(project, tmp_path, command, said):
    (project / "a").chmod(0o600)
    laconic(project, tmp_path, "run", "--undo", *command)
    assert laconic(project, tmp_path, "undo", "--diff").stdout == f"a: {said}\n"
    assert f"  restore  {said} of a\n" in laconic(project, tmp_path, "undo").stdout


def test_a_call_that_destroys_nothing_keeps_nothing(project):
    assert not reach_of(["cat", "a"], str(project), {})
    assert not measured(reach_of(["ls"], str(project), {})).paths


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_a_directory_that_a_command_closes_is_opened_again(store, project):
    folder = project / "folder"
    folder.mkdir()
    (folder / "file").write_text("x")
    keep = run(store, "chmod 000 folder", project)
    undo(store, keep)
    assert (folder / "file").read_text() == "x"


CLOSED = (
    "echo x > folder/file; chmod 000 folder",
    "chmod 000 folder/inner folder",
    "chmod u+w shut; echo x > shut/file; rm shut/other; chmod u-w shut",
    "chmod -R u+w shut; rm -r shut",
    "chmod 500 folder; mkdir new; chmod 000 new",
)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
@pytest.mark.parametrize("command", CLOSED)
def test_directories_that_are_closed_are_ours_all_the_same(store, project, command):
    for name in ("folder/inner", "shut"):
        (project / name).mkdir(parents=True)
    for name in ("folder/file", "folder/inner/file", "shut/file", "shut/other"):
        (project / name).write_text(f"{name}\n")
    (project / "shut").chmod(0o555)
    before = picture(project)
    keep = run(store, command, project)
    modes = {path: path.stat().st_mode for path in project.iterdir() if not path.is_symlink()}
    again = undo(store, keep)
    assert picture(project) == before
    undo(store, store.find(again))
    for path, mode in modes.items():
        assert path.stat().st_mode == mode
    undo(store, keep)
    assert picture(project) == before
    (project / "shut").chmod(0o755)


def test_history_and_log_name_what_can_be_undone(project, tmp_path):
    decided = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": str(project)}
    decided["tool_input"] = {"command": "ls; rm a b"}
    environ = {**os.environ, "LACONIC_STATE_DIR": str(tmp_path / "state"), "LACONIC_NO_SERVER": "1"}
    hook = [sys.executable, "-m", "laconic", "hook", "claude-code"]
    subprocess.run(
        hook, input=json.dumps(decided), env=environ, cwd=project, text=True, capture_output=True,
        check=True,
    )  # fmt: skip
    laconic(project, tmp_path, "run", "--undo", "rm", "a", "b")
    listed = laconic(project, tmp_path, "undo", "--list", "--json").stdout.splitlines()
    (name,) = (row["id"] for row in map(json.loads, listed) if row["command"] == "rm a b")
    log = laconic(project, tmp_path, "log").stdout
    assert f"(laconic undo {name})" in log
    assert f"(laconic undo {name})" in laconic(project, tmp_path, "history").stdout
    laconic(project, tmp_path, "undo")
    assert "(laconic undo" not in laconic(project, tmp_path, "log").stdout


def test_the_bounds_are_those_of_the_settings(project, tmp_path, home):
    (home / ".config/laconic").mkdir(parents=True)
    config = home / ".config/laconic/config.toml"
    (project / "large").write_bytes(bytes(3 << 20))
    config.write_text("[undo]\nstore_mb = 2\n")
    done = laconic(project, tmp_path, "run", "--undo", "truncate", "-s", "1", "large")
    assert "no undo for this: more than 2 MB" in done.stderr
    (project / "large").write_bytes(bytes(3 << 20))
    config.write_text("[undo]\nstore_mb = 4\nstore_days = 0\n")
    done = laconic(project, tmp_path, "run", "--undo", "truncate", "-s", "1", "large")
    assert "brings it back" in done.stderr
    laconic(project, tmp_path, "run", "--undo", "rm", "a")
    listed = laconic(project, tmp_path, "undo", "--list", "--json").stdout
    assert len(listed.splitlines()) == 1, "the first is older than no day at all"
