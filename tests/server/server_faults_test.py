"""The client beside a server that dies, stops, or is not ours: the command runs all the same."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import warm_server
from clients import SCRIPT, bin_dir, both, cold, configure, has_run, needs_client, server

__all__ = ["bin_dir", "cold", "server"]  # fixtures
pytestmark = needs_client


def test_a_server_killed_while_a_command_runs(server, tmp_path):
    go = tmp_path / "go"
    process = server.popen("run", "sh", "-c", f"echo begun; {warm_server.until(go)}; {SCRIPT}")
    assert process.stdout.readline() == b"begun\n"
    for pid in [server.process, *server.workers(server.process)]:
        warm_server.kill(pid)
    go.touch()
    out, err = process.communicate(timeout=warm_server.PATIENCE_S)
    assert (out, err, process.returncode) == (b"out\n", b"err\n", 7)


@pytest.fixture
def slow(bin_dir, tmp_path):
    """Have calls with a variable SLOW wait for a file, and write down that they were asked."""
    site, asked, go = bin_dir / "sitecustomize.py", tmp_path / "asked", tmp_path / "go"
    site.write_text(
        "import os, time\n"
        "import laconic.hooks.answer as module\n"
        "def answer(*given, plain=module.answer, **more):\n"
        "    if given[3].get('SLOW'):\n"
        f"        open({str(asked)!r}, 'a').write('x')\n"
        f"        while not os.path.exists({str(go)!r}): time.sleep(0.05)\n"
        "    return plain(*given, **more)\n"
        "module.answer = answer\n"
    )
    yield asked, go
    site.unlink()


@both
def test_a_server_killed_while_it_answers_a_hook(slow, server):
    asked, go = slow
    server.environ["SLOW"] = "1"
    process = server.popen("hook", "claude-code", stdin=subprocess.PIPE)
    process.stdin.write(warm_server.hook_input("rm -rf /"))
    process.stdin.close()
    process.stdin = None
    warm_server.wait_for(asked.exists)
    for pid in [server.process, *server.workers(server.process)]:
        warm_server.kill(pid)
    go.touch()
    out, _ = process.communicate(timeout=warm_server.PATIENCE_S)
    assert (warm_server.verdict(out), process.returncode) == ("deny", 0)
    assert asked.read_text() == "xx"


def test_a_slow_answer_delays_no_other(slow, server):
    asked, go = slow
    late = server.environ | {"SLOW": "1"}
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(server.hook, env=late) for _ in range(6)]
        warm_server.wait_for(lambda: asked.exists() and asked.read_text() == "x" * 6)
        assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
        assert not any(call.done() for call in waiting)
        go.touch()
        assert {warm_server.verdict(call.result().stdout) for call in waiting} == {"allow"}


def test_a_change_of_the_configuration_counts_at_once(server):
    for answer in ("deny", "allow", "deny"):
        configure(server, f'[commands]\n{answer} = ["frobnicate"]\n')
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


@contextlib.contextmanager
def stopped(server):
    """Stop a server and its workers; the server first, which could make another one."""
    process = server.process
    warm_server.kill(process, signal.SIGSTOP)
    # On another core it may go on for a moment after the signal was sent, and fork.
    warm_server.wait_for(lambda: warm_server.state_of(process) == "T")
    workers = server.workers(process)
    for pid in workers:
        warm_server.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in (process, *workers):
            warm_server.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("first", ["hook", "run", "-c"])
def test_a_server_that_is_stopped_is_given_up_once(server, first):
    """Only the first call waits for it: the next finds no socket, or that of another server."""
    path = server.socket
    first_made = path.stat().st_mtime_ns  # the number of a file is given again
    with stopped(server):
        if first == "hook":
            assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
        else:
            words = ("-c", SCRIPT) if first == "-c" else ("run", "sh", "-c", SCRIPT)
            has_run(server.run(*words))
        assert not path.exists() or path.stat().st_mtime_ns != first_made
        assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
        has_run(server.run("run", "sh", "-c", SCRIPT))


def test_the_client_in_python_gives_up_a_stopped_server_once(server, bin_dir):
    server.client = warm_server.write_program(bin_dir, "laconic-twin", "ask_server_first")
    before = server.calls()
    assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
    assert server.calls() == before + 2
    path = server.socket
    first_made = path.stat().st_mtime_ns
    with stopped(server):
        assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
        assert not path.exists() or path.stat().st_mtime_ns != first_made
        assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"


def test_a_request_that_is_too_large_or_never_ends_is_cut_off(server):
    connections = []
    for data in (b"lac1h\x03\x20\x00\x00", b"lac1h", b"nonsense!", b""):
        connected = socket.socket(socket.AF_UNIX)
        connected.connect(str(server.socket))
        connected.sendall(data)
        connected.settimeout(warm_server.PATIENCE_S)
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
    processes = [server, *cold.workers(server)]
    for pid in processes:
        warm_server.kill(pid)
    warm_server.wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in processes))
    lock = next((cold.runtime / "laconic").glob("*.lock"))
    before = lock.stat().st_mtime_ns  # whoever starts a server writes there first
    cold.hook()
    assert lock.stat().st_mtime_ns == before
    assert not cold.status()


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_no_worker_keeps_the_memory_that_a_large_output_took(server, tmp_path):
    def resident_mb():
        pages = [0]
        for pid in server.workers(server.process):
            with contextlib.suppress(OSError):  # it has ended
                pages.append(int(Path(f"/proc/{pid}/statm").read_text().split()[1]))
        return max(pages) * os.sysconf("SC_PAGESIZE") >> 20

    before = resident_mb()
    line = "2026-11-15 10:00:00 INFO worker {0} handled request {0:x} in 12 ms\n"
    (tmp_path / "log").write_text("".join(map(line.format, range(200_000))))
    done = server.run("run", "sh", "-c", f"cat {tmp_path}/log; exit 1")
    assert b" lines hidden" in done.stdout
    warm_server.wait_for(lambda: resident_mb() < before + 13)


# -- what ran is written down, also where no server could do that ----------------------------------


def recorded(server):
    done = server.run("history", "--json", "-n", "1000", env=server.environ)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("how", ["killed", "stopped"])
def test_a_run_whose_server_dies_or_is_silent_is_recorded(server, tmp_path, how):
    go = tmp_path / "go"
    line = f"echo begun; {warm_server.until(go)}; seq 3000; exit 7"
    process = server.popen("run", "sh", "-c", line, cwd=tmp_path)
    assert process.stdout.readline() == b"begun\n"
    with contextlib.ExitStack() as stack:
        if how == "stopped":
            stack.enter_context(stopped(server))
        else:
            for pid in [server.process, *server.workers(server.process)]:
                warm_server.kill(pid)
        go.touch()
        out, _ = process.communicate(timeout=warm_server.PATIENCE_S)
        assert (out.count(b"\n"), process.returncode) == (3000, 7)
    (run,) = recorded(server)
    assert (run["status"], run["program"], run["project"]) == (7, "sh", str(tmp_path))
    assert run["command"].startswith("sh -c echo begun; ")
    assert run["raw_bytes"] == len(out) + len(b"begun\n")
    kept = server.run("recall", run["raw_id"], "--raw").stdout
    assert kept == b"begun\n" + out
    spools = Path(server.environ["XDG_STATE_HOME"], "laconic/spool")
    assert list(spools.iterdir()) == []
    assert len(recorded(server)) == 1


def test_of_many_runs_at_once_none_is_lost(server):
    count = 40
    with ThreadPoolExecutor(count) as pool:
        done = list(pool.map(lambda n: server.run("run", "sh", "-c", f"exit {n}"), range(count)))
    assert [one.returncode for one in done] == list(range(count))
    warm_server.wait_for(lambda: len(recorded(server)) == count)
    assert sorted(run["status"] for run in recorded(server)) == list(range(count))


def test_a_call_that_waits_in_vain_leaves_the_others_their_server(server):
    path = server.socket
    made = path.stat().st_mtime_ns
    workers = server.workers(server.process)
    for pid in workers:
        warm_server.kill(pid, signal.SIGSTOP)
    try:
        assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
    finally:
        for pid in workers:
            warm_server.kill(pid, signal.SIGCONT)
    assert path.stat().st_mtime_ns == made
    before = server.calls()
    assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
    assert server.calls() == before + 2
    assert int(server.status()["process"]) == server.process
    assert not Path(f"{path}.late").exists()


def test_a_command_that_removes_its_directory_is_recorded(server, tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    done = server.run("run", "sh", "-c", f"seq 3000; rmdir {place}", cwd=place)
    assert (b" lines hidden: " in done.stdout, done.returncode) == (True, 0)
    warm_server.wait_for(lambda: [run["status"] for run in recorded(server)] == [0])


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_a_directory_that_is_gone_before_the_server_hears_of_it_is_none_to_go_to(server, tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    with stopped(server):
        process = server.popen("run", "sh", "-c", f"seq 3000; rmdir {place}", cwd=place)
        warm_server.wait_for(lambda: not place.exists())
    out, _ = process.communicate(timeout=warm_server.PATIENCE_S)
    assert (b" lines hidden: " in out, process.returncode) == (True, 0)
    warm_server.wait_for(lambda: [run["status"] for run in recorded(server)] == [0])


@pytest.mark.slow
def test_more_commands_than_one_worker_attends_to(server, tmp_path):
    go, count = tmp_path / "go", 70
    line = f"echo begun; {warm_server.until(go)}; seq 3000"
    running = [server.popen("run", "sh", "-c", line) for _ in range(count)]
    for process in running:
        assert process.stdout.readline() == b"begun\n"
    assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
    go.touch()
    for process in running:
        out, _ = process.communicate(timeout=warm_server.PATIENCE_S)
        assert (b" lines hidden: " in out, process.returncode) == (True, 0)
    warm_server.wait_for(lambda: len(recorded(server)) == count)


def test_a_hook_behind_many_long_commands_waits_for_none_of_them(server, tmp_path):
    go, count = tmp_path / "go", 20
    line = f"echo begun; {warm_server.until(go)}; exit 3"
    running = [server.popen("run", "sh", "-c", line) for _ in range(count)]
    for process in running:
        assert process.stdout.readline() == b"begun\n"
    times = []
    for _ in range(5):
        started = time.monotonic()
        assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
        times.append(time.monotonic() - started)
    assert server.status()["commands"] == f"{count} running"
    assert len(server.workers(server.process)) < 6  # a command that runs needs none
    go.touch()
    for process in running:
        process.communicate(timeout=warm_server.PATIENCE_S)
        assert process.returncode == 3
    assert min(times) < 0.2
    assert max(times) < 2
    warm_server.wait_for(lambda: len(recorded(server)) == count)
