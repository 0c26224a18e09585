"""A command behaves in the box as it does outside, except for what it must not reach."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from box.conftest import LACONIC, Box, change_part, git
from box.installation import fit_directory
from laconic.box.launch import open_box
from laconic.settings.load import read_settings
from terminal import run_at_terminal


def wait_until(test, limit_s=20):
    end = time.monotonic() + limit_s
    while not test():
        assert time.monotonic() < end
        time.sleep(0.02)


def opened(project):
    """Open a box; the words that start a command in it."""
    environ = dict(os.environ)
    settings = read_settings(environ, project)
    return open_box(str(project), str(project), settings, environ).words


# -- status, signals and streams -------------------------------------------------------------------


@pytest.mark.parametrize("status", [0, 1, 7, 125, 126, 127, 255])
def test_the_exit_status_is_the_command_s(box, status):
    assert box.sh(f"exit {status}").returncode == status


@pytest.mark.parametrize("name", ["TERM", "SEGV", "KILL", "ABRT", "PIPE", "USR1"])
def test_who_waits_sees_the_signal_that_the_command_died_of(box, name):
    done = box.run("sh", "-c", f"kill -{name} $$")
    assert done.returncode == -getattr(signal, f"SIG{name}")


def test_a_program_that_is_not_there_and_one_that_cannot_run(box):
    assert box.run("no-such-program").returncode == 127
    assert box.run("./a").returncode == 126
    assert "laconic: no-such-program: command not found" in box.run("no-such-program").stderr


def test_streams_are_the_caller_s(box):
    done = box.sh("cat; echo err >&2", input="in\n")
    assert (done.stdout, done.stderr) == ("in\n", "err\n")


def test_a_stream_that_is_closed_stays_closed(box):
    done = subprocess.run(
        ["bash", "-c", 'exec "$@" <&-', "x", *box.words("bash", "-c", "read x; echo $?")],
        cwd=box.project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == "1\n"


def test_a_directory_as_a_stream_is_refused(box, tmp_path):
    handle = os.open(tmp_path, os.O_RDONLY)
    words = [*opened(box.project), "true"]  # Python does not even start with such a stream
    done = subprocess.run(
        words, cwd=box.project, stdin=handle, capture_output=True, text=True, check=False
    )
    assert done.returncode == 125
    assert "was not run" in done.stderr


def test_no_other_descriptor_reaches_the_command(box, tmp_path):
    handle = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(handle, True)
    done = box.sh("ls /proc/self/fd | wc -l", close_fds=False)
    os.close(handle)
    assert done.stdout.strip() == "4"  # with that of ls itself


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1])
def test_signals_reach_the_command(box, number):
    name = number.name.removeprefix("SIG")
    script = f"trap 'echo got; exit 9' {name}; echo ready; while :; do sleep 0.05; done"
    process = box.start(script, start_new_session=True)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    assert process.communicate(timeout=20)[0] == "got\n"
    assert process.returncode == 9


def test_a_signal_arrives_once(box):
    script = "trap 'echo got' TERM; echo ready; for i in 1 2 3 4 5 6; do sleep 0.1; done; exit 3"
    process = box.start(script, start_new_session=True)
    assert process.stdout.readline() == "ready\n"
    os.killpg(process.pid, signal.SIGTERM)
    assert process.communicate(timeout=20)[0] == "got\n"
    assert process.returncode == 3


def test_a_signal_that_the_caller_ignores_is_ignored(box):
    words = [
        "sh",
        "-c",
        'trap "" HUP; exec "$@"',
        "x",
        *box.words("sh", "-c", "kill -HUP $$; echo on"),
    ]
    done = subprocess.run(words, cwd=box.project, capture_output=True, text=True, check=False)
    assert done.stdout == "on\n"


def test_ctrl_c_at_a_terminal_reaches_the_command_once(box):
    script = "trap 'echo got; exit 5' INT; echo ready; while :; do sleep 0.05; done"
    words = box.words("bash", "-c", script)
    status, data = run_at_terminal(words, cwd=box.project, typed=[(b"ready", b"\x03")])
    assert data.count(b"got") == 1
    assert status == 5


def test_a_command_at_a_terminal_can_read_from_it(box):
    words = box.words("bash", "-c", "echo ready; read line; echo you said $line; test -t 0")
    status, data = run_at_terminal(words, cwd=box.project, typed=[(b"ready", b"hello\n")])
    assert b"you said hello" in data
    assert status == 0


def test_output_is_compacted_and_can_be_recalled(box):
    words = [*LACONIC, "run", "--box", "bash", "-c", "seq 100000; exit 3"]
    done = subprocess.run(words, cwd=box.project, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert len(done.stdout) < 100_000
    assert "laconic recall" in done.stdout


def test_run_with_a_pipe_taken_off(box):
    words = [*LACONIC, "run", "--box", "--baseline-pipe", "tail -n 1", "bash", "-c", "seq 9; id -u"]
    done = subprocess.run(words, cwd=box.project, capture_output=True, text=True, check=False)
    assert done.stdout.endswith(f"{os.getuid()}\n")


# -- background processes --------------------------------------------------------------------------


@pytest.mark.parametrize("way", [["box", "--raw"], ["run", "--box"]])
def test_what_runs_on_in_the_background_is_not_waited_for_and_stays(box, way):
    wait = "while [ ! -e go ]; do sleep 0.1; done"
    script = f"({wait}; echo late > late) > /dev/null 2>&1 & echo now"
    done = subprocess.run(
        [*LACONIC, *way, "bash", "-c", script],
        cwd=box.project, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout == "now\n"
    (box.project / "go").touch()
    wait_until((box.project / "late").exists)


def test_numbers_of_processes_differ_between_boxes(box):
    """Boxes of a project share /tmp, where many programs name files by them."""
    numbers = {box.sh("echo $$").stdout for _ in range(4)}
    assert len(numbers) > 1


def test_a_box_ends_with_its_last_process(box):
    box.sh("(sleep 0.5) > /dev/null 2>&1 &")
    wait_until(lambda: not list((box.directory / "open").iterdir()))


def test_killing_laconic_kills_the_command(box):
    process = box.start("echo ready; sleep 0.7; echo x > late; sleep 60", start_new_session=True)
    process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=20)
    wait_until(lambda: not list((box.directory / "open").iterdir()))
    assert not (box.project / "late").exists()


# -- what is guarded -------------------------------------------------------------------------------


def test_a_guarded_name_that_appears_goes_to_quarantine_with_a_notice(box):
    done = box.sh("mkdir .vscode; echo x > .vscode/tasks.json")
    assert done.returncode == 0
    assert "laconic: the box moved .vscode away" in done.stderr
    assert not (box.project / ".vscode").exists()
    back = done.stderr.strip().rpartition("if you want it: ")[2]
    subprocess.run(["bash", "-c", back], check=True)
    assert (box.project / ".vscode/tasks.json").read_text() == "x\n"


def test_a_guarded_file_that_is_replaced_outside_stays_guarded(box):
    """git and editors put a new file in its place, and the kernel takes the mount off the old."""
    script = """
touch ready; while [ ! -e go ]; do sleep 0.05; done
for pos in $(seq 100); do grep -q '/[.]git/config ' /proc/self/mountinfo && break; sleep 0.05; done
cat .git/config; echo '#evil' >> .git/config
"""
    process = box.start(script)
    wait_until((box.project / "ready").exists)
    git(box.project, "config", "remote.origin.url", "elsewhere")
    (box.project / "go").touch()
    out, _ = process.communicate(timeout=60)
    assert "url = elsewhere" in out
    assert "evil" not in (box.project / ".git/config").read_text()


def test_it_is_moved_while_the_command_still_runs(box):
    process = box.start("mkdir .vscode; echo ready; read x", stdin=subprocess.PIPE)
    process.stdout.readline()
    wait_until(lambda: not (box.project / ".vscode").exists())
    process.communicate("\n")


def test_what_was_left_by_a_box_that_was_killed_is_moved_before_the_next_starts(box):
    process = box.start("sleep 0.01; echo ready; read x; mkdir .vscode", stdin=subprocess.PIPE)
    process.stdout.readline()
    keeper = next(
        int(pid) for pid in os.listdir("/proc")
        if pid.isdigit() and is_keeper(pid, process.pid)
    )  # fmt: skip
    os.kill(keeper, signal.SIGKILL)
    process.communicate(timeout=20)
    assert process.returncode == -signal.SIGKILL
    (box.project / ".vscode").mkdir(exist_ok=True)  # as the command might have, at the last moment
    left = next((box.directory / "open").iterdir())
    os.utime(left, (1, 1))
    done = box.run("true")
    assert "laconic: the box moved .vscode away" in done.stderr
    assert not left.exists()
    assert not (box.project / ".vscode").exists()


def is_keeper(pid, parent):
    """Tell whether a process is the child of laconic-box that keeps a box."""
    try:
        name = Path(f"/proc/{pid}/comm").read_text().strip()
        above = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
    except OSError:
        return False
    return name == "laconic-box" and int(above) == parent


def test_nothing_is_left_in_the_project(box):
    before = sorted(os.listdir(box.project))
    box.sh("git status; git config x.y z; git remote add o x; true")
    assert sorted(os.listdir(box.project)) == before
    assert not (box.project / ".git/config.lock").exists()
    assert git(box.project, "status", "--porcelain").stdout == ""


def test_a_link_that_is_guarded_is_put_back(box):
    (box.project / "conf").mkdir()
    (box.project / ".zed").symlink_to("conf")
    done = box.sh("rm .zed; mkdir .zed; echo evil > .zed/settings.json")
    assert "the box moved .zed away" in done.stderr
    assert os.readlink(box.project / ".zed") == "conf"


def test_what_the_settings_never_write_does_not_come_into_being(box, home):
    (home / ".config/laconic").mkdir(parents=True)
    (home / ".config/laconic/config.toml").write_text('[paths]\nnever_write = ["**/*.lock"]\n')
    (box.project / "a.lock").write_text("x")
    box.sh("echo y > a.lock; mkdir d; echo y > d/b.lock; echo z > d/c")
    assert (box.project / "a.lock").read_text() == "x"
    assert [path.name for path in (box.project / "d").iterdir()] == ["c"]


def test_git_works(box):
    script = (
        "echo b > b && git add b && git commit -qm b && git checkout -qb other && git log --oneline"
    )
    done = box.sh(script)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2
    assert git(box.project, "branch", "--show-current").stdout == "other\n"


def test_git_works_in_a_worktree_whose_repository_is_elsewhere(box, tmp_path):
    git(box.project, "worktree", "add", "-q", str(tmp_path / "tree"))
    tree = Box(tmp_path / "tree")
    assert tree.sh("echo b > b && git add b && git commit -qm b").returncode == 0
    assert tree.sh("echo x >> $(git rev-parse --git-common-dir)/config").returncode != 0
    assert tree.sh("echo x > $(git rev-parse --git-common-dir)/hooks/pre-push").returncode != 0
    tree.sh(f"echo x > {box.project}/a; echo x > {box.project}/.git/../b")
    assert (box.project / "a").read_text() == "a\n"
    assert not (box.project / "b").exists()


def test_a_git_file_that_names_another_project_opens_nothing(box, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / ".git").write_text(f"gitdir: {box.project}/.git\n")
    done = Box(other).sh(f"echo x > {box.project}/.git/x")
    assert done.returncode != 0
    assert not (box.project / ".git/x").exists()


@pytest.mark.usefixtures("can_box")
def test_a_bare_repository(tmp_path):
    place = tmp_path / "bare"
    place.mkdir()
    git(place, "init", "-q", "--bare", ".")
    (place / ".laconic").mkdir()
    bare = Box(place)
    assert (
        bare.sh("git log --all; git update-ref -d refs/heads/x; echo x > objects/x").returncode == 0
    )
    assert bare.sh("echo x >> config").returncode != 0
    assert bare.sh("echo x > hooks/post-receive").returncode != 0


@pytest.mark.usefixtures("can_box")
def test_a_project_outside_of_git(tmp_path):
    place = tmp_path / "plain"
    place.mkdir()
    plain = Box(place)
    assert plain.sh("echo x > y").returncode == 0
    plain.sh("git init -q .; git config core.fsmonitor evil")
    assert not (place / ".git").exists()


def test_hooks_that_the_configuration_names_are_guarded(box):
    git(box.project, "config", "core.hooksPath", "tools/hooks")
    (box.project / "tools/hooks").mkdir(parents=True)
    assert box.sh("echo evil > tools/hooks/pre-commit").returncode != 0
    assert box.sh("mv tools t").returncode != 0


def test_hooks_that_the_configuration_names_by_a_link_are_guarded(box):
    (box.project / "sub/deep").mkdir(parents=True)
    (box.project / "sub/hooks").mkdir()
    (box.project / "inner").symlink_to("sub/deep")
    git(box.project, "config", "core.hooksPath", "inner/../hooks")
    assert box.sh("echo evil > sub/hooks/pre-commit").returncode != 0


@pytest.mark.usefixtures("can_box")
def test_laconic_itself_is_guarded_where_it_lies_in_the_project():
    root = Path(__file__).parents[2]
    if not Path(sys.prefix).is_relative_to(root):
        pytest.skip("the environment of the tests is not in the project")
    checkout = Box(root)
    assert checkout.sh(f"echo evil >> {sys.prefix}/bin/laconic").returncode != 0
    assert checkout.sh(f"touch {sys.prefix}/lib/evil.pth").returncode != 0


# -- the rest of the machine -----------------------------------------------------------------------


def test_devices_that_programs_need_are_there(box):
    script = (
        "echo x > /dev/null && head -c 4 /dev/urandom | wc -c && ls /dev/fd /dev/stdin /dev/ptmx"
    )
    done = box.sh(script)
    assert done.returncode == 0, done.stderr


def test_servers_on_the_box_s_own_loopback_can_be_reached_in_it(box):
    script = """
import socket, threading
server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=server.accept, daemon=True).start()
socket.create_connection(server.getsockname(), 5)
print("reached")
"""
    assert box.run("python3", "-c", script).stdout == "reached\n"


def test_with_the_network_of_the_host_abstract_sockets_stay_out_of_reach(box, home):
    (home / ".config/laconic").mkdir(parents=True)
    (home / ".config/laconic/config.toml").write_text('[box]\nnetwork = "host"\n')
    tcp = socket.create_server(("127.0.0.1", 0))
    abstract = socket.socket(socket.AF_UNIX)
    abstract.bind(f"\0laconic-box-{os.getpid()}")
    abstract.listen()
    script = f"""
import socket
socket.create_connection({tcp.getsockname()!r}, 5)
print("reached")
socket.socket(socket.AF_UNIX).connect({abstract.getsockname()!r})
print("too much")
"""
    done = box.run("python3", "-c", script)
    if landlock_version() < 6:
        pytest.skip("this kernel cannot keep abstract sockets apart")
    assert done.stdout == "reached\n", done.stderr


def landlock_version():
    import ctypes

    return ctypes.CDLL(None, use_errno=True).syscall(444, None, 0, 1)


def test_the_home_can_be_read_and_new_files_do_not_land_in_it(box, home):
    (home / "note").write_text("mine\n")
    done = box.sh("cat ~/note; echo x > ~/new; mkdir -p ~/.cache/tool && echo y > ~/.cache/tool/z")
    assert (done.stdout, done.returncode) == ("mine\n", 0)
    assert not (home / "new").exists()
    assert box.sh("cat ~/new ~/.cache/tool/z").stdout == "x\ny\n"  # it lasts


@pytest.mark.usefixtures("can_box")
def test_temporary_files_are_the_box_s_own_and_last():
    above = fit_directory()  # where nothing that the box has to show is below /tmp
    if str(above).startswith("/tmp/") or sys.prefix.startswith("/tmp/"):
        pytest.skip("the box shows what it needs below /tmp, where this runs")
    name = f"/tmp/laconic-box-test-{os.getpid()}"
    environ = {"HOME": f"{above}/home", "PATH": "/usr/bin:/bin"}
    kept = Box(above / "project")
    try:
        kept.project.mkdir()
        git(kept.project, "init", "-q")
        # Under a name of the line it would come out: temporary_test.py.
        there = f"cd /t''mp; name={Path(name).name}"
        assert kept.sh(f"{there}; echo x > $name", env=environ).returncode == 0
        assert not Path(name).exists()
        assert kept.sh(f"{there}; cat $name", env=environ).stdout == "x\n"
    finally:
        shutil.rmtree(above)


@pytest.mark.skipif(
    sys.prefix.startswith("/tmp/"),
    reason="the box has a /tmp of its own, and laconic is below /tmp",
)
def test_a_box_in_a_box_is_the_same_box(box):
    words = " ".join(LACONIC)
    done = box.sh(f"{words} box --raw sh -c 'echo inner; exit 4'")
    assert (done.stdout, done.returncode) == ("inner\n", 4), done.stderr


def unnamed(path):
    """A path in words that do not name it, so that what is made there is not copied out."""
    return str(path).replace("/", "''/")


def test_a_variable_does_not_make_a_box(box, tmp_path):
    done = box.sh(
        f"mkdir -p {unnamed(tmp_path)}; echo x > {unnamed(tmp_path)}/out",
        env=dict(os.environ) | {"LACONIC_BOX": "1"},
    )
    assert done.returncode == 0  # it has a directory /tmp of its own
    assert not (tmp_path / "out").exists()


def test_a_symbolic_link_to_the_project_leads_to_the_same_box(box, tmp_path):
    (tmp_path / "link").symlink_to(box.project)
    assert box.sh("echo x > y", cwd=tmp_path / "link").returncode == 0
    assert (box.project / "y").exists()


def test_a_directory_below_the_project_is_where_the_command_starts(box):
    (box.project / "below").mkdir()
    assert box.sh("pwd", cwd=box.project / "below").stdout == f"{box.project}/below\n"


def test_two_boxes_of_one_project_at_once(box):
    first = box.start(
        "echo ready; read x; echo x >> .git/config; mkdir .vscode", stdin=subprocess.PIPE
    )
    first.stdout.readline()
    assert box.sh("echo one > one").returncode == 0
    first.communicate("\n")
    assert not (box.project / ".vscode").exists()
    assert "x\n" not in (box.project / ".git/config").read_text()


def test_a_mount_that_is_not_as_planned_ends_the_box(box):
    """Another box might put a link in place of a directory before it is looked at."""
    words = opened(box.project)
    for more, said in (
        (b"p/dev/null", "was exchanged"),
        (b"w/nowhere", "not where it was planned"),
    ):
        change_part(words[1], "mounts", lambda part, more=more: part + more + b"\0")
        done = subprocess.run(
            [*words, "touch", "ran"], cwd=box.project, capture_output=True, text=True, check=False
        )
        assert done.returncode == 125
        assert said in done.stderr
        assert not (box.project / "ran").exists()
        words = opened(box.project)
    change_part(words[1], "mounts", lambda _: b"t/dev\0t/proc\0")
    done = subprocess.run(
        [*words, "touch", "ran"], cwd=box.project, capture_output=True, text=True, check=False
    )
    assert done.returncode == 125
    assert "can be written, and should not" in done.stderr


# -- no box ----------------------------------------------------------------------------------------


def test_without_an_engine_nothing_runs(project, tmp_path):
    """The interpreter is a link elsewhere, so laconic-box is not beside it."""
    other = tmp_path / "elsewhere/bin"
    other.mkdir(parents=True)
    (other / "python").symlink_to(Path(sys.executable).resolve())
    program = f"import sys; sys.path[:0] = {sys.path!r}; "
    program += "from laconic.__main__ import main; sys.exit(main())"
    for words in (
        ["box", "touch", "ran"],
        ["run", "--box", "touch", "ran"],
        ["run", "--raw", "--box", "touch", "ran"],
    ):
        done = subprocess.run(
            [other / "python", "-S", "-c", program, *words],
            cwd=project,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 125, done.stderr
        assert "the command was not run" in done.stderr
        assert not (project / "ran").exists()


@pytest.mark.parametrize("where", ["home", "/", "/etc"])
@pytest.mark.usefixtures("can_box")
def test_there_is_no_box_for_a_home_or_the_system(home, where):
    place = home if where == "home" else where
    done = subprocess.run(
        [*LACONIC, "box", "true"], cwd=place, capture_output=True, text=True, check=False
    )
    assert done.returncode == 125
    assert "was not run" in done.stderr


def test_a_program_of_the_project_is_not_the_engine(box):
    (box.project / "bwrap").write_text("#!/bin/sh\necho fake\n")
    (box.project / "bwrap").chmod(0o755)
    environ = dict(os.environ) | {"PATH": f"{box.project}:{os.environ['PATH']}"}
    assert "fake" not in box.run("true", env=environ).stdout


def test_the_native_client_runs_it_in_the_box_as_well(box, tmp_path):
    client = Path(sys.executable).with_name("laconic")
    place = unnamed(tmp_path)
    done = subprocess.run(
        [client, "run", "--box", "sh", "-c", f"mkdir -p {place}; touch {place}/out made"],
        cwd=box.project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert (box.project / "made").exists()
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("box")
def test_doctor_tries_a_box():
    done = subprocess.run([*LACONIC, "doctor"], capture_output=True, text=True, check=False)
    assert "makes boxes: tried for real" in done.stdout
