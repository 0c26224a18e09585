"""Faults that users of other sandboxes have reported: each test names the report."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest

from box.conftest import LACONIC, Box, git

CLAUDE = "https://github.com/anthropics/claude-code/issues"
RUNTIME = "https://github.com/anthropic-experimental/sandbox-runtime/issues"
PATIENCE_S = 20


def listing(directory):
    """Everything in a project but git's own objects, with sizes."""
    found = {}
    for path in sorted(directory.rglob("*")):
        name = str(path.relative_to(directory))
        if not name.startswith(".git/objects"):
            found[name] = path.lstat().st_size
    return found


def wait_until(is_so):
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def tree(box, tmp_path):
    """A worktree whose repository is elsewhere."""
    git(box.project, "worktree", "add", "-q", str(tmp_path / "tree"))
    return Box(tmp_path / "tree")


@pytest.mark.parametrize("url", [f"{CLAUDE}/17374", f"{CLAUDE}/22320", f"{RUNTIME}/98"])
def test_commands_run_in_a_worktree_where_git_is_a_file(tree, url):
    done = tree.sh("ls -d .git && git status --porcelain")
    assert (done.returncode, done.stdout) == (0, ".git\n"), (url, done.stderr)


@pytest.mark.parametrize("url", ["https://github.com/empathic/clash/issues/254"])
def test_a_worktree_can_be_committed_to(tree, url):
    done = tree.sh("echo b > b && git add b && git commit -qm b && git log --oneline | wc -l")
    assert done.stdout == "2\n", (url, done.stderr)


@pytest.mark.parametrize("url", [f"{CLAUDE}/78818"])
def test_no_lock_is_left_where_git_keeps_its_configuration(box, tree, url):
    for one in (box, tree):
        one.sh("git status; git config a.b c; git switch -qc topic-$RANDOM; true")
    assert not list((box.project / ".git").rglob("*.lock")), url
    git(tree.project, "config", "a.b", "c")
    assert git(box.project, "config", "a.b").stdout == "c\n"


@pytest.mark.parametrize("url", [f"{CLAUDE}/80278"])
def test_git_reads_the_configuration_of_worktrees(box, tree, url):
    git(box.project, "config", "extensions.worktreeConfig", "true")
    git(tree.project, "config", "--worktree", "own.word", "w")
    git(box.project, "config", "--worktree", "own.word", "p")
    assert tree.sh("git config own.word && git status --porcelain").stdout == "w\n", url
    assert box.sh("git config own.word && git status --porcelain").stdout == "p\n", url


@pytest.mark.parametrize("url", [f"{CLAUDE}/{n}" for n in (17087, 17258, 18548, 32177, 43825)])
def test_no_empty_file_stands_for_one_that_is_not_there(box, url):
    before = listing(box.project)
    done = box.sh("ls -A; git status --porcelain; cat .bashrc; ls HEAD hooks objects refs config")
    assert done.stdout.split() == [".git", "a"], url
    assert listing(box.project) == before


@pytest.mark.parametrize("url", [f"{CLAUDE}/83497"])
def test_nothing_appears_while_a_command_runs(box, url):
    before = listing(box.project)
    process = box.start("echo ready; read x", stdin=subprocess.PIPE)
    process.stdout.readline()
    seen = [listing(box.project) for _ in range(20)]
    process.communicate("\n")
    assert [one for one in seen if one != before] == [], url


@pytest.mark.parametrize("url", [f"{RUNTIME}/139"])
@pytest.mark.parametrize("who", ["laconic", "everybody"])
def test_nothing_is_left_by_a_command_that_is_killed(box, url, who):
    before = listing(box.project)
    process = box.start("echo ready; read x", stdin=subprocess.PIPE, start_new_session=True)
    process.stdout.readline()
    if who == "laconic":
        os.kill(process.pid, signal.SIGKILL)
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=PATIENCE_S)
    wait_until(lambda: not list((box.directory / "open").iterdir()))
    assert listing(box.project) == before, url


@pytest.mark.parametrize("url", [f"{CLAUDE}/35986"])
def test_a_server_in_the_background_lives_on(box, url):
    """`&`, nohup and setsid: the command has ended, and what it started has not."""
    script = r"""
        nohup setsid python3 -m http.server 8123 --bind 127.0.0.1 > /dev/null 2>&1 & server=$!
        ask() {
            exec 3<> /dev/tcp/127.0.0.1/8123
            printf 'GET /a HTTP/1.0\r\n\r\n' >&3
            tail -n 1 <&3
        }
        (
            until [ -e go ]; do sleep 0.1; done
            until (ask) > part; do sleep 0.1; done
            mv part answer
            kill $server
        ) > /dev/null 2>&1 &
        echo up
    """
    done = box.sh(script)
    assert (done.stdout, done.returncode) == ("up\n", 0), url
    (box.project / "go").touch()
    wait_until((box.project / "answer").exists)
    assert (box.project / "answer").read_text() == "a\n"
    wait_until(lambda: not list((box.directory / "open").iterdir()))


@pytest.mark.parametrize("url", [f"{CLAUDE}/36529"])
def test_devices_can_be_used(box, url):
    script = (
        "git --version > /dev/null && echo x > /dev/null && cat /dev/null && "
        "head -c 4 /dev/zero | wc -c && head -c 4 /dev/urandom | wc -c && "
        "exec 3<> /dev/null && test -w /dev/full"
    )
    done = box.sh(script)
    assert (done.stdout.split(), done.returncode) == (["4", "4"], 0), (url, done.stderr)


@pytest.mark.parametrize("url", [f"{CLAUDE}/93144"])
def test_a_secret_in_a_closed_directory_is_not_in_the_way(box, home, url):
    closed = home / ".config"
    (closed / "gh").mkdir(parents=True)
    (closed / "gh/hosts.yml").write_text("secret\n")
    closed.chmod(0o000)
    try:
        assert box.sh("echo fine").stdout == "fine\n", url
    finally:
        closed.chmod(0o700)


@pytest.mark.parametrize("url", [f"{CLAUDE}/17727"])
def test_places_of_the_settings_may_be_directories_files_or_missing(box, home, tmp_path, url):
    (tmp_path / "cache").mkdir()
    (tmp_path / "directory").mkdir()
    (tmp_path / "directory/f").write_text("secret\n")
    (tmp_path / "file").write_text("secret\n")
    (home / ".config/laconic").mkdir(parents=True)
    hidden = ", ".join(f'"{tmp_path}/{name}"' for name in ("directory", "file", "missing-one"))
    (home / ".config/laconic/config.toml").write_text(
        f'[box]\nwrite = ["{tmp_path}/cache", "{tmp_path}/not-there"]\nhide = [{hidden}]\n'
        f'read = ["{tmp_path}"]\n'
    )
    before = sorted(os.listdir(tmp_path))
    done = box.sh(f"cat {tmp_path}/file; ls {tmp_path}/directory; echo x > {tmp_path}/cache/x")
    assert (done.returncode, done.stdout) == (0, ""), (url, done.stderr)
    assert (tmp_path / "cache/x").read_text() == "x\n"
    assert sorted(os.listdir(tmp_path)) == before


NESTED = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc"]


@pytest.mark.parametrize("url", [f"{CLAUDE}/89478", f"{CLAUDE}/48304"])
def test_a_box_in_a_user_namespace_of_somebody_else(box, url):
    """As in a container without privileges."""
    done = subprocess.run(
        [*NESTED, *box.words("sh", "-c", "touch made; touch /etc/made; cat /proc/1/comm")],
        cwd=box.project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == "laconic-box\n", (url, done.stderr)
    assert (box.project / "made").exists()


@pytest.mark.parametrize("url", [f"{CLAUDE}/73786"])
def test_where_processes_cannot_be_separated_nothing_is_run(box, url):
    """Containers cover parts of /proc; the kernel then gives no other one to users."""
    covered = 'mount -t tmpfs none /proc/sys && exec unshare --user --map-root-user "$@"'
    done = subprocess.run(
        [*NESTED, "sh", "-c", covered, "sh", *box.words("touch", "made")],
        cwd=box.project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 125, url
    assert "there is no box" in done.stderr
    assert not (box.project / "made").exists()


@pytest.mark.parametrize("url", [f"{CLAUDE}/89514"])
def test_many_boxes_at_once_do_not_disturb_each_other(box, url):
    before = listing(box.project)
    script = "git status --porcelain && touch .git/hooks/x 2> /dev/null; echo $?"
    started = [box.start(script) for _ in range(12)]
    results = {process.communicate(timeout=120) for process in started}
    assert results == {("1\n", "")}, url
    assert listing(box.project) == before


def test_a_bare_repository_can_be_worked_in(tmp_path, can_box, home):  # noqa: ARG001
    """Whoever looks for `.git` does not find one there."""
    git(tmp_path, "init", "-q", "--bare", "b.git")
    script = "git log --all; git config x.y z; git tag t HEAD; ls"
    done = subprocess.run(
        [*LACONIC, "box", "--raw", "sh", "-c", script],
        cwd=tmp_path / "b.git", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "HEAD" in done.stdout.split()
    assert "x.y" not in (tmp_path / "b.git/config").read_text()
