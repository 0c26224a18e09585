"""The client where files, directories or programs are missing: the command runs all the same."""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import pty
import resource
import signal
import socket
import stat
import subprocess
import termios
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import warm_server
from clients import SCRIPT, bin_dir, both, cold, has_run, installed, needs_client, server
from laconic.hooks import call_log as seen
from laconic.record import decisions

__all__ = ["bin_dir", "cold", "server"]  # fixtures
pytestmark = needs_client


def test_no_process_can_be_started(server, bin_dir, tmp_path):
    (tmp_path / "fork.c").write_text(
        "#include <errno.h>\n#include <sys/types.h>\n"
        "pid_t no_fork(void);\npid_t no_fork(void) { errno = EAGAIN; return -1; }\n"
        '#pragma GCC diagnostic ignored "-Wimplicit-function-declaration"\n'
    )
    client = bin_dir / "laconic-alone"
    warm_server.compile_client(client, "-Dfork=no_fork", str(tmp_path / "fork.c"), "-w")
    server.client = client
    has_run(server.run("run", "sh", "-c", SCRIPT))


NO_HEIR = """
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
pid_t no_heir(void);
pid_t no_heir(void) {
    errno = EAGAIN;
    return getpid() == getpgrp() ? -1 : (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}
"""


def test_a_killed_client_leaves_no_command_where_no_process_can_be_started(server, bin_dir):
    """As after a command that has started as many as there may be."""
    (bin_dir / "no_heir.c").write_text(NO_HEIR)
    server.client = bin_dir / "laconic-alone"
    warm_server.compile_client(server.client, "-Dfork=no_heir", str(bin_dir / "no_heir.c"))
    process = server.popen("run", "sh", "-c", "sleep 300 & echo $! $$; exec sleep 300")
    spools = Path(server.environ["XDG_STATE_HOME"], "laconic/spool")
    kept = warm_server.wait_for(lambda: [p for p in spools.glob("*.out") if p.stat().st_size])[0]
    pids = kept.read_text().split()
    process.kill()
    process.wait()
    warm_server.wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))


@both
@pytest.mark.parametrize("name", ["HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"])
@pytest.mark.parametrize("value", [None, "relative", "/dev/null/x"])
def test_a_directory_that_is_missing_or_cannot_be_written(cold, name, value):
    cold.environ |= {"HOME": f"{cold.runtime}/home", "XDG_STATE_HOME": f"{cold.runtime}/state"}
    cold.environ.pop(name)
    if name == "HOME":
        cold.environ.pop("XDG_STATE_HOME")
    if value is not None:
        cold.environ[name] = value
    del cold.environ["LACONIC_NO_SERVER"]
    try:
        assert warm_server.verdict(cold.hook("rm -rf /").stdout) == "deny"
        has_run(cold.run("run", "sh", "-c", SCRIPT))
        warm_server.wait_for(cold.status)
        assert warm_server.verdict(cold.hook("rm -rf /").stdout) == "deny"
        has_run(cold.run("run", "sh", "-c", SCRIPT))
    finally:
        cold.close()


def test_a_limit_on_the_size_of_files_is_the_commands(server):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    done = server.run("run", "sh", "-c", f"seq 1000 >&2; {SCRIPT}", preexec_fn=limit)
    assert done.returncode == 7
    assert done.stderr.endswith(b"1000\nerr\n")


@both
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_disk_that_is_full(server):
    state = Path(server.environ["XDG_STATE_HOME"], "laconic")
    script = f'mount -t tmpfs -o size=64k,mode=700 none {state} && exec "$@"'
    inner = [str(server.client), "run", "sh", "-c", f"seq 100000; {SCRIPT}"]
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", *inner],
        env=server.environ, capture_output=True, timeout=warm_server.PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 7, done.stderr
    assert done.stdout.count(b"\n") == 100_001


@both
@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_streams_that_are_closed(server, closed, tmp_path):
    def close():
        for handle in closed:
            os.close(handle)

    done = server.run("run", "sh", "-c", f"echo ran > {tmp_path}/ran; exit 7", preexec_fn=close)
    assert done.returncode == 7
    assert (tmp_path / "ran").read_text() == "ran\n"
    done = server.hook(preexec_fn=close)
    assert done.returncode == 0


@both
def test_a_reader_that_goes_away_ends_the_command_as_it_would_without_us(server):
    process = server.popen("run", "sh", "-c", "while :; do echo y; sleep 0.01; done")
    assert process.stdout.readline() == b"y\n"
    process.stdout.close()
    process.stderr.close()
    assert process.wait(timeout=warm_server.PATIENCE_S) == 128 + signal.SIGPIPE


@pytest.fixture(params=["missing", "no program", "exits", "is killed", "no interpreter"])
def dead(request, cold, tmp_path):
    """An installation whose laconic-py is missing or dies before it has done anything."""
    client = tmp_path / "laconic"
    client.write_bytes(cold.client.read_bytes())
    client.chmod(0o755)
    cold.client = client
    program = tmp_path / "laconic-py"
    if request.param == "no interpreter":
        warm_server.write_program(tmp_path)
        (tmp_path / "laconic-interpreter").write_text("#!/no/such/python\n")
    elif request.param != "missing":
        ends = {"exits": "#!/bin/sh\nexit 3\n", "is killed": "#!/bin/sh\nkill -9 $$\n"}
        program.write_text(ends.get(request.param, "\0"))
        program.chmod(0o755)
    return cold


@both
def test_without_a_laconic_py_that_works_a_command_runs(dead):
    has_run(dead.run("run", "sh", "-c", SCRIPT))
    has_run(dead.run("run", "--filter=x", "--", "sh", "-c", SCRIPT))
    has_run(dead.run("err", "sh", "-c", SCRIPT))
    has_run(dead.run("wrap", "--", "sh", "-c", SCRIPT))
    has_run(dead.run("-c", SCRIPT))
    has_run(dead.run("-ec", f"{SCRIPT} # $0", "name"))
    has_run(dead.run("-c", "printf", "%s %s", "a b", "$c"), b"a b $c", b"", 0)
    for pipe, flags, out, err, status in (
        ("tail -1", (), b"b c\n", b"err\n", 0),
        ("tail -1", ("--pipe-stderr",), b"err\n", b"", 0),
        ("tail -1", ("--pipefail",), b"b c\n", b"err\n", 7),
        ("grep nothing", (), b"", b"err\n", 1),
    ):
        words = ("sh", "-c", 'echo out; echo "$0"; echo err >&2; exit 7', "b c")
        has_run(dead.run("run", "--baseline-pipe", pipe, *flags, *words), out, err, status)


@both
def test_a_hook_that_nobody_answers_says_so_once_and_doctor_knows(dead):
    done = dead.hook("rm -rf ~")
    assert done.returncode == 0
    assert "no command is checked" in json.loads(done.stdout)["systemMessage"]
    assert b"no command is checked" in done.stderr
    done = dead.hook("rm -rf ~")
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"no command is checked" in done.stderr
    done = dead.run("hook", "cursor", input=warm_server.hook_input())
    assert (done.returncode, done.stdout) == (0, b"")
    state = Path(dead.environ["XDG_STATE_HOME"], "laconic")
    moment, agent = seen.last_unanswered(str(state))
    assert (agent, time.time() - moment < 60) == ("claude-code", True)
    dead.run("hook", 'of"nobody', input=warm_server.hook_input())
    rows = list(decisions.read(state))
    agents = ["claude-code", "claude-code", "cursor", ""]
    assert [(row["agent"], row["verdict"]) for row in rows] == [(a, "unchecked") for a in agents]
    assert len({row["id"] for row in rows}) == 4
    assert all(abs(time.time() - decisions.moment(row)) < 60 for row in rows)
    assert stat.S_IMODE(Path(decisions.log_path(state)).stat().st_mode) == 0o600


@both
def test_without_laconic_py_a_person_is_told(dead):
    done = dead.run("gain")
    assert done.returncode != 0
    assert b"install laconic again" in done.stderr or dead.bin_dir != dead.client.parent


REPLIES = ((b"X", b"touch never\0"), (b"R", b""), (b"P", bytes(4)), (b"N", b""), (b"?", b""))


def test_a_reply_that_does_not_fit_the_question_is_not_taken(server):
    """To a hook, nobody says what to become."""
    name = server.socket.name
    for kind, rest in REPLIES:
        # In a place of its own: the one who is answered like this starts a server.
        place = warm_server.Installation(server.bin_dir, server.environ)
        path = place.runtime / "laconic" / name
        path.parent.mkdir(0o700)
        body = bytes(4) + bytes(4) + bytes(3) + b"\x01" + rest
        with socket.socket(socket.AF_UNIX) as listener, ThreadPoolExecutor(1) as pool:
            listener.bind(str(path))
            listener.listen()
            asked = pool.submit(place.hook, "rm -rf /")
            connected = listener.accept()[0]
            connected.recv(1 << 16)
            connected.sendall(b"lac1" + kind + len(body).to_bytes(4, "big") + body)
            connected.close()
            path.unlink()
            assert warm_server.verdict(asked.result().stdout) == "deny"
        place.close()


def run_with_replies(server, words, replies):
    """Run a command whose server says this to its frames, by kind, and goes away at others."""
    place = warm_server.Installation(server.bin_dir, server.environ)
    path = place.runtime / "laconic" / server.socket.name
    path.parent.mkdir(0o700)
    with socket.socket(socket.AF_UNIX) as listener, ThreadPoolExecutor(1) as pool:
        listener.bind(str(path))
        listener.listen()
        ran = pool.submit(place.run, "run", *words)
        with listener.accept()[0] as connected, connected.makefile("rwb") as stream:
            while (reply := replies.get((head := stream.read(9))[4:5])) is not None:
                stream.read(int.from_bytes(head[5:], "big"))
                stream.write(reply)
                stream.flush()
        done = ran.result()
    place.close()
    return done


def answer(kind, numbers, rest):
    body = b"".join(number.to_bytes(4, "big") for number in numbers) + rest
    return b"lac1" + kind + len(body).to_bytes(4, "big") + body


AGREED = answer(b"A", (0, 0, 0), b"")
FALSE = b"\0\0\0\6false\n"


@pytest.mark.parametrize(
    "reply",
    [answer(b"A", (0, 6, 99), b"false\n"), answer(b"J", (0, 0, 0), FALSE * 3)],
    ids=["lengths that do not fit", "what only a process outside of a sandbox says"],
)
def test_nothing_of_an_answer_that_is_none_is_printed(server, reply):
    has_run(run_with_replies(server, ["sh", "-c", SCRIPT], {b"r": b"", b"d": reply}))


def test_who_writes_on_in_the_background_lives_though_a_server_dies(server, tmp_path):
    go, late = tmp_path / "go", tmp_path / "late"
    line = f"({warm_server.until(go)}; echo late; echo late > {late}) & echo now"
    words = ["--baseline-pipe", "tail -n 1", "sh", "-c", line]
    has_run(run_with_replies(server, words, {b"r": AGREED}), b"now\n", b"", 0)
    go.touch()
    warm_server.wait_for(late.exists)


def start_as(number):
    """Start a process with this number, as the kernel would one day: man 2 clone3, set_tid."""
    wanted = ctypes.c_int(number)
    facts = (0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, ctypes.addressof(wanted), 1)
    told = (ctypes.c_uint64 * len(facts))(*facts)
    pid = ctypes.CDLL(None, use_errno=True).syscall(435, told, ctypes.sizeof(told))
    if pid == 0:
        os.execvp("sleep", ["sleep", "60"])
    assert pid == number, os.strerror(ctypes.get_errno())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can choose the number of a process")
def test_who_gets_the_number_of_a_command_that_has_ended_is_not_killed_in_its_place(server):
    place = warm_server.Installation(server.bin_dir, server.environ)
    path = place.runtime / "laconic" / server.socket.name
    path.parent.mkdir(0o700)
    leader, follower = pty.openpty()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        client = place.popen(
            "run", "sh", "-c", "echo $$", stdin=follower, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        with listener.accept()[0] as connected, connected.makefile("rb") as stream:
            while (head := stream.read(9))[4:5] != b"d":  # then the command has ended
                stream.read(int.from_bytes(head[5:], "big"))
            spools = Path(server.environ["XDG_STATE_HOME"], "laconic/spool")
            number = int(next(spools.glob("*.out")).read_text())
            start_as(number)
            (guard,) = warm_server.children_of(client.pid)
            client.kill()
            client.wait()
            warm_server.wait_for(lambda: not Path(f"/proc/{guard}").exists())
    assert os.waitpid(number, os.WNOHANG) == (0, 0)
    os.kill(number, signal.SIGKILL)
    os.waitpid(number, 0)
    os.close(leader), os.close(follower)
    place.close()


@installed  # the sanitizers open files
@pytest.mark.parametrize("count", [4, 5, 6, 8, 12])
@pytest.mark.parametrize("is_warm", [False, True])
def test_few_open_files_are_enough(cold, count, is_warm):
    if is_warm:
        del cold.environ["LACONIC_NO_SERVER"]
        cold.warm_up()

    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))

    has_run(cold.run("run", "printf", "out\\n", preexec_fn=limit), b"out\n", b"", 0)
    has_run(cold.run("run", "ls", "/nosuch", preexec_fn=limit), b"", NOT_THERE, 2)
    done = cold.hook("rm -rf /", preexec_fn=limit)
    assert done.returncode == 0
    if count == 4:  # Python itself does not start, and nobody can be looked at
        assert b"no command is checked" in done.stdout
    else:
        assert (warm_server.verdict(done.stdout), done.stderr) == ("deny", b"")


NOT_THERE = b"ls: cannot access '/nosuch': No such file or directory\n"
ISOLATED = 'mount -t tmpfs none {} && exec "$@"'


@installed  # as above
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can hide a directory")
@pytest.mark.parametrize("place", ["/proc", "/dev"])
def test_without_proc_or_dev_a_hook_is_answered_and_a_command_runs(cold, place):
    def without(*words, **more):
        script = ISOLATED.format(place)
        return subprocess.run(
            ["unshare", "-m", "sh", "-c", script, "sh", cold.client, *words],
            env=cold.environ, capture_output=True, check=False, timeout=warm_server.PATIENCE_S,
            **more,
        )  # fmt: skip

    done = without("hook", "claude-code", input=warm_server.hook_input("rm -rf ~"))
    assert (done.returncode, done.stderr) == (0, b"")
    assert warm_server.verdict(done.stdout) == "deny"
    has_run(without("run", "sh", "-c", SCRIPT, stdin=subprocess.DEVNULL))
    has_run(without("-c", SCRIPT, stdin=subprocess.DEVNULL))
