"""The client, with a server and without: the command runs, and its output and code arrive.

It is compiled with the sanitizers, so that a fault in it is a failure here, and as it is installed.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import warm_server
from laconic.hooks import call_log as seen

pytestmark = [
    pytest.mark.skipif(warm_server.COMPILER is None, reason="there is no C compiler"),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]


SANITIZED, INSTALLED = "sanitized", "installed"
# For what depends on how the client starts and on what it is linked with.
both = pytest.mark.parametrize("bin_dir", [SANITIZED, INSTALLED], indirect=True, scope="module")


@pytest.fixture(scope="module")
def bin_dir(request):
    with tempfile.TemporaryDirectory(prefix="lac") as directory:
        client = Path(directory, "laconic")
        if getattr(request, "param", SANITIZED) == SANITIZED:
            warm_server.compile_client(client, *warm_server.SANITIZED)
        else:
            warm_server.build_client(client)
        warm_server.write_program(Path(directory))
        yield Path(directory)


@pytest.fixture
def cold(bin_dir):
    """An installation that starts no server unless a test takes this variable away."""
    made = warm_server.Installation(bin_dir, dict(os.environ) | {"LACONIC_NO_SERVER": "1"})
    yield made
    made.close()


@pytest.fixture
def server(cold):
    del cold.environ["LACONIC_NO_SERVER"]
    cold.process = cold.warm_up()
    return cold


installed = pytest.mark.parametrize("bin_dir", [INSTALLED], indirect=True, scope="module")
SCRIPT = "echo out; echo err >&2; exit 7"


def has_run(done, out=b"out\n", err=b"err\n", status=7):
    assert (done.stdout, done.stderr, done.returncode) == (out, err, status)


# -- without a fault -------------------------------------------------------------------------------


@both
def test_the_first_call_is_answered_and_starts_a_server(cold):
    del cold.environ["LACONIC_NO_SERVER"]
    assert warm_server.verdict(cold.hook("git status").stdout) == "allow"
    warm_server.wait_for(cold.status)
    before = cold.calls()
    assert warm_server.verdict(cold.hook("rm -rf /").stdout) == "deny"
    assert cold.calls() == before + 2  # the hook, and the question for this number


@both
def test_a_server_and_the_long_way_give_the_same_answers(server):
    for words in (
        ("check", "git status"),
        ("check", "--json", "rm -rf /"),
        ("check", "a", "b"),
        ("rewrite", "git status | head -3"),
        ("-c", "echo $0 $1; exit 4", "zero", "one"),
        ("-ec", "false; echo no"),
        ("run", "--nosuch", "x"),
        ("run", "sh", "-c", SCRIPT),
        ("wrap", "--", "bash", "-c", SCRIPT),
        ("run", "--baseline-pipe", "tail -1", "git", "log", "-2", "--oneline"),
        ("run", "nosuchcommand"),
        ("--version",),
        ("hook", "--help"),
    ):
        given = server.run(*words)
        slow = server.run(*words, env=server.environ | {"LACONIC_NO_SERVER": "1"})
        assert (given.stdout, given.stderr, given.returncode) == (
            slow.stdout, slow.stderr, slow.returncode,
        ), words  # fmt: skip


@both
def test_the_output_of_a_command_is_compacted_and_kept(server):
    script = "for i in $(seq 3000); do echo line $i of many; done; echo error: it broke; exit 1"
    before = server.calls()
    done = server.run("run", "sh", "-c", script)
    assert server.calls() == before + 2
    assert done.returncode == 1
    assert b"error: it broke" in done.stdout
    assert len(done.stdout) < 20_000
    recall = done.stdout.rsplit(b"laconic recall ", 1)[1].split(b"]")[0].decode()
    whole = server.run("recall", recall).stdout
    assert whole.count(b"\n") == 3001
    assert not list(Path(server.environ["XDG_STATE_HOME"], "laconic/spool").iterdir())


@pytest.mark.parametrize(
    "script",
    [
        "cat {}",
        "sh -c 'cat {} >&2'",
        "sh -c 'for i in $(seq 900); do echo a line of many words; done; cat {}'",
        "sh -c 'cat {}; sleep 2; cat {}'",
        "tail -n 5 -s 0.1 --pid=$$ -f {}",
    ],
)
def test_secrets_are_masked_in_what_the_server_sends(server, tmp_path, script):
    token = "ghp_" + "aB3dE6gH9" * 4
    (tmp_path / "secrets").write_text(f"a {token}\nb s3cr3t-value\n")
    line = f"sleep 2.5 & {server.client} run " + script.replace("$$", "$!").format(
        *[tmp_path / "secrets"] * 2
    )
    environ = server.environ | {"MY_SECRET": "s3cr3t-value"}
    before = server.calls()
    done = subprocess.run(
        ["sh", "-c", line], env=environ, capture_output=True, stdin=subprocess.DEVNULL,
        check=True, timeout=30,
    )  # fmt: skip
    assert server.calls() == before + 2
    shown = (done.stdout + done.stderr).decode()
    assert token not in shown
    assert "s3cr3t-value" not in shown
    assert "[hidden: GitHub token]" in shown
    assert re.search(r"\d secrets masked, (?:shown at a terminal by|see them): ", shown)


def test_what_is_certain_is_shown_while_a_command_runs(server):
    process = server.popen("run", "sh", "-c", "echo first; sleep 3; echo last")
    started = time.monotonic()
    assert process.stdout.readline() == b"first\n"
    assert time.monotonic() - started < 2.5
    assert process.communicate(timeout=10) == (b"last\n", b"")


def test_a_question_without_a_newline_is_shown_before_its_answer(server):
    process = server.popen("run", "sh", "-c", "printf 'name? '; sleep 4; echo nobody")
    started = time.monotonic()
    assert process.stdout.read(6) == b"name? "
    assert time.monotonic() - started < 3
    assert process.communicate(timeout=10) == (b"nobody\n", b"")


@both
def test_order_and_bytes_of_both_streams_are_kept(server):
    script = "printf 'a\\n'; printf 'b\\377\\000\\n' >&2; printf 'c'; exit 3"
    done = server.run("run", "sh", "-c", script, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert (done.stdout, done.returncode) == (b"a\nb\xff\0\nc", 3)


@both
def test_a_command_has_the_callers_stdin_and_limits(server):
    done = server.run("run", "sh", "-c", "cat; ulimit -n", input=b"given", preexec_fn=_fewer_files)
    assert done.stdout == b"given99\n"


def _fewer_files():
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (99, 99))


def test_who_writes_on_in_the_background_holds_nobody(server):
    started = time.monotonic()
    done = server.run("run", "sh", "-c", "(sleep 2; echo late; echo late > $0) & echo now",
                      str(server.runtime / "late"))  # fmt: skip
    assert time.monotonic() - started < 1.9
    assert done.stdout.startswith(b"now\n[laconic: something was left running")
    has_run(done, done.stdout, b"", 0)
    warm_server.wait_for((server.runtime / "late").exists)  # and was not ended by a broken pipe


@both
def test_200_calls_at_once_are_all_answered_right(server):
    commands = ["git status", "rm -rf /"] * 100
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda command: server.hook(command).stdout, commands))
    assert [warm_server.verdict(answer) for answer in answers] == ["allow", "deny"] * 100


# -- signals ---------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_command_and_prints_what_there_is(server, number):
    process = server.popen("run", "sh", "-c", "echo begun; exec sleep 30", preexec_fn=_take_signals)
    assert process.stdout.readline() == b"begun\n"
    process.send_signal(number)
    out, _ = process.communicate(timeout=10)
    assert out == b""
    # Ctrl-C ends the client itself as well, so that a loop of a shell ends.
    assert process.returncode == (-number if number == signal.SIGINT else 128 + number)


def _take_signals():
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def test_a_signal_that_a_command_handles_is_the_commands(server):
    script = "trap 'echo got it; exit 5' USR1; echo ready; while :; do sleep 0.05; done"
    process = server.popen("run", "sh", "-c", script)
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGUSR1)
    assert process.communicate(timeout=10)[0] == b"got it\n"
    assert process.returncode == 5


@both
def test_a_killed_client_leaves_no_command_and_loses_no_output(server):
    process = server.popen("run", "sh", "-c", "sleep 60 & echo $! $$; exec sleep 30")
    spools = Path(server.environ["XDG_STATE_HOME"], "laconic/spool")
    kept = Path(
        warm_server.wait_for(lambda: [p for p in spools.glob("*.out") if p.stat().st_size])[0]
    )
    pids = kept.read_text().split()
    process.kill()
    process.wait()
    warm_server.wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))
    assert kept.read_text().split() == pids


def test_death_by_a_signal_is_128_and_its_number(server):
    has_run(server.run("run", "sh", "-c", "kill -9 $$"), b"", b"", 137)


# -- faults of the server --------------------------------------------------------------------------


def test_a_server_killed_while_a_command_runs(server):
    process = server.popen("run", "sh", "-c", f"echo begun; sleep 4; {SCRIPT}")
    assert process.stdout.readline() == b"begun\n"
    for pid in [server.process, *server.workers(server.process)]:
        warm_server.kill(pid)
    out, err = process.communicate(timeout=10)
    assert (out, err, process.returncode) == (b"out\n", b"err\n", 7)


@both
def test_a_server_killed_while_it_answers_a_hook(server, tmp_path):
    """The user's own program makes the answer slow, and writes down that it was asked."""
    program = tmp_path / "slow"
    program.write_text(
        f"#!/bin/sh\ncat > /dev/null\necho asked >> {tmp_path}/asked\nsleep 1\n"
        'echo \'{"hookSpecificOutput": {"permissionDecision": "deny"}}\'\n'
    )
    program.chmod(0o755)
    _configure(server, f'[permissions]\nengine = "external"\n[permissions.external]\n'
                       f'command = "{program}"\ntimeout_ms = 5000\n')  # fmt: skip
    process = server.popen("hook", "claude-code", stdin=subprocess.PIPE)
    process.stdin.write(warm_server.hook_input())
    process.stdin.close()
    process.stdin = None
    warm_server.wait_for((tmp_path / "asked").exists)
    for pid in [server.process, *server.workers(server.process)]:
        warm_server.kill(pid)
    out, _ = process.communicate(timeout=20)
    assert (warm_server.verdict(out), process.returncode) == ("deny", 0)
    assert (tmp_path / "asked").read_text() == "asked\nasked\n"


def _configure(installation, text):
    path = Path(installation.environ["XDG_CONFIG_HOME"], "laconic/config.toml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_slow_answer_delays_no_other(server, tmp_path):
    program = tmp_path / "slow"
    program.write_text("#!/bin/sh\ncat > /dev/null\nsleep 3\necho '{}'\n")
    program.chmod(0o755)
    slow = dict(server.environ) | {"LACONIC_CONFIG_DIR": str(tmp_path / "slow-config")}
    (tmp_path / "slow-config").mkdir()
    (tmp_path / "slow-config/config.toml").write_text(
        f'[permissions]\nengine = "external"\n[permissions.external]\ncommand = "{program}"\n'
        "timeout_ms = 4000\n"
    )
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(server.hook, env=slow) for _ in range(6)]
        time.sleep(0.5)
        started = time.monotonic()
        assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
        assert time.monotonic() - started < 1.5
        assert not any(call.done() for call in waiting)
        assert {warm_server.verdict(call.result().stdout) for call in waiting} == {"ask"}


def test_a_change_of_the_configuration_counts_at_once(server):
    for answer in ("deny", "allow", "deny"):
        _configure(server, f'[commands]\n{answer} = ["frobnicate"]\n')
        before = server.calls()
        assert warm_server.verdict(server.hook("frobnicate x").stdout) == answer
        assert server.calls() == before + 2


def test_a_server_of_another_version_is_not_believed(server, bin_dir):
    other = bin_dir / "laconic-other"
    warm_server.compile_client(other, version="0.0.0-other")
    server.client = other
    assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
    has_run(server.run("run", "sh", "-c", SCRIPT))


def test_an_installation_that_was_replaced_gets_another_server(server):
    program = server.bin_dir / "laconic-py"
    os.utime(program, (time.time() + 5, time.time() + 5))
    assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
    new = int(warm_server.wait_for(lambda: server.status().get("process")))
    assert new != server.process
    warm_server.wait_for(lambda: not Path(f"/proc/{server.process}").exists())


@both
@pytest.mark.parametrize("kind", ["file", "directory", "full directory", "dead socket", "link"])
def test_something_else_in_the_place_of_the_socket(server, kind):
    path = server.socket
    path.unlink()
    if kind == "file":
        path.write_text("nothing")
    elif kind == "dead socket":
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(path))
    elif kind == "link":
        path.symlink_to("/dev/null")
    else:
        path.mkdir()
        if kind == "full directory":
            (path / "file").touch()
    assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
    has_run(server.run("run", "sh", "-c", SCRIPT))
    warm_server.wait_for(lambda: not Path(f"/proc/{server.process}").exists())
    if kind != "full directory":
        assert warm_server.wait_for(lambda: server.hook() and server.status())


@both
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_the_socket_of_somebody_else_is_not_used(server):
    path = server.socket
    path.unlink()
    program = (
        "import os, socket, sys\n"
        "foreign = socket.socket(socket.AF_UNIX)\n"
        "foreign.bind(sys.argv[1])\n"
        "os.setuid(65534)\n"
        "foreign.listen()\n"
        "while True:\n"
        "    foreign.accept()[0].sendall(b'lac1A' + bytes([0, 0, 0, 12]) + bytes(12))\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, path]) as foreign:
        try:
            warm_server.wait_for(path.exists)
            assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
            has_run(server.run("run", "sh", "-c", SCRIPT))
        finally:
            foreign.kill()


@both
@pytest.mark.parametrize("mode", [0o755, 0o777])
def test_a_directory_that_others_can_enter_is_not_used(cold, mode):
    del cold.environ["LACONIC_NO_SERVER"]
    (cold.runtime / "laconic").mkdir()
    (cold.runtime / "laconic").chmod(mode)
    assert warm_server.verdict(cold.hook("rm -rf /").stdout) == "deny"
    assert not list((cold.runtime / "laconic").iterdir())


@both
@pytest.mark.parametrize("first", ["hook", "run", "-c"])
def test_a_server_that_is_stopped_is_given_up_once(server, first):
    """Only the first call waits for it."""
    for pid in [server.process, *server.workers(server.process)]:
        warm_server.kill(pid, signal.SIGSTOP)
    try:
        if first == "hook":
            assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
        else:
            words = ("-c", SCRIPT) if first == "-c" else ("run", "sh", "-c", SCRIPT)
            has_run(server.run(*words))
        started = time.monotonic()
        assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
        has_run(server.run("run", "sh", "-c", SCRIPT))
        assert time.monotonic() - started < 3
    finally:
        for pid in [server.process, *server.workers(server.process)]:
            warm_server.kill(pid, signal.SIGCONT)


def test_the_client_in_python_gives_up_a_stopped_server_once(server, bin_dir):
    server.client = warm_server.write_program(bin_dir, "laconic-twin", "ask_server_first")
    before = server.calls()
    assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
    assert server.calls() == before + 2
    stopped = [server.process, *server.workers(server.process)]
    for pid in stopped:
        warm_server.kill(pid, signal.SIGSTOP)
    try:
        assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
        started = time.monotonic()
        assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
        assert time.monotonic() - started < 3
    finally:
        for pid in stopped:
            warm_server.kill(pid, signal.SIGCONT)


def test_a_request_that_is_too_large_or_never_ends_is_cut_off(server):
    connections = []
    for data in (b"lac1h\x03\x20\x00\x00", b"lac1h", b"nonsense!", b""):
        connected = socket.socket(socket.AF_UNIX)
        connected.connect(str(server.socket))
        connected.sendall(data)
        connected.settimeout(10)
        connections.append(connected)
    assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
    for connected in connections:
        with connected:
            assert connected.recv(100) == b""
    assert server.status()


@both
def test_a_hook_with_50_megabytes_says_nothing_and_ends_well(server):
    done = server.run("hook", "claude-code", input=b" " * (50 << 20))
    assert (done.stdout, done.stderr, done.returncode) == (b"", b"", 0)


def test_the_clock_set_back_keeps_no_server_from_starting(cold):
    del cold.environ["LACONIC_NO_SERVER"]
    cold.hook()
    server = int(warm_server.wait_for(lambda: cold.status().get("process")))
    for pid in [server, *cold.workers(server)]:
        warm_server.kill(pid)
    lock = next((cold.runtime / "laconic").glob("*.lock"))
    os.utime(lock, (time.time() + 3600, time.time() + 3600))
    cold.hook()
    warm_server.wait_for(cold.status)


def test_a_server_that_dies_at_once_is_not_started_by_every_call(cold):
    del cold.environ["LACONIC_NO_SERVER"]
    cold.hook()
    server = int(warm_server.wait_for(lambda: cold.status().get("process")))
    for pid in [server, *cold.workers(server)]:
        warm_server.kill(pid)
    cold.hook()
    time.sleep(1)
    assert not cold.status()


# -- faults of the surroundings --------------------------------------------------------------------


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
    cold.environ.pop(name)
    if name == "HOME":
        cold.environ.pop("XDG_STATE_HOME")
    if value is not None:
        cold.environ[name] = value
    del cold.environ["LACONIC_NO_SERVER"]
    cold.environ["TMPDIR"] = str(cold.runtime)
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
        import resource

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
        env=server.environ, capture_output=True, timeout=30, check=False,
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
    assert process.wait(timeout=10) == 128 + signal.SIGPIPE


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


def test_a_reply_that_does_not_fit_the_question_is_not_taken(server):
    """To a hook, nobody says what to become."""
    path = server.socket
    path.unlink()
    line = b"touch never\0"
    for kind, rest in ((b"X", line), (b"R", b""), (b"P", bytes(4)), (b"N", b""), (b"?", b"")):
        body = bytes(4) + bytes(4) + bytes(3) + b"\x01" + rest
        with socket.socket(socket.AF_UNIX) as listener, ThreadPoolExecutor(1) as pool:
            listener.bind(str(path))
            listener.listen()
            asked = pool.submit(server.hook, "rm -rf /")
            connected = listener.accept()[0]
            connected.recv(1 << 16)
            connected.sendall(b"lac1" + kind + len(body).to_bytes(4, "big") + body)
            connected.close()
            path.unlink()
            assert warm_server.verdict(asked.result().stdout) == "deny"


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
    if count == 4 and not is_warm:  # Python itself does not start
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
            env=cold.environ, capture_output=True, timeout=30, check=False, **more,
        )  # fmt: skip

    done = without("hook", "claude-code", input=warm_server.hook_input("rm -rf ~"))
    assert (done.returncode, done.stderr) == (0, b"")
    assert warm_server.verdict(done.stdout) == "deny"
    has_run(without("run", "sh", "-c", SCRIPT, stdin=subprocess.DEVNULL))
    has_run(without("-c", SCRIPT, stdin=subprocess.DEVNULL))
