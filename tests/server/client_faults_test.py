"""The client where files, directories or programs are missing: the command runs all the same."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import warm_server
from clients import SCRIPT, bin_dir, both, cold, has_run, installed, needs_client, server
from laconic.hooks import call_log as seen

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
