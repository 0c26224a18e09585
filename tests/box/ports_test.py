"""Ports: a server in the box is one of this machine, too, and a port here is reached if allowed."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from box.conftest import LACONIC

SERVER = """
import socket, sys, threading
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
server = socket.socket(family)
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind((sys.argv[1], int(sys.argv[2])))
server.listen(512)
print("ready", flush=True)
def answer(line):
    data = b""
    while piece := line.recv(65536):
        data += piece
    line.sendall(data.upper())
    line.close()
while True:
    threading.Thread(target=answer, args=(server.accept()[0],)).start()
"""


@pytest.fixture
def port():
    """A port that nobody has, below those that the kernel chooses; each worker has its own."""
    worker = int("0" + os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw"))
    for number in range(20000 + 100 * worker, 32000, 7):
        with contextlib.suppress(OSError):
            for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
                with socket.socket(family) as one:
                    one.bind((address, number))
            return number
    raise AssertionError("all ports are taken")


@pytest.fixture
def serve(box):
    """Start a server in the box; all end with the test."""
    started = []

    def start(address, port, where=None):
        words = [*LACONIC, "box", "--raw", "python3", "-c", SERVER, address, str(port)]
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            words, cwd=where or box.project, stdout=pipe, stderr=pipe, text=True
        )
        started.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def ask(address, port, data=b"abc", *, patience_s=15.0):
    """Ask a server that may have to be opened first."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            with socket.create_connection((address, port), 10) as line:
                line.sendall(data)
                line.shutdown(socket.SHUT_WR)
                found = b""
                while piece := line.recv(65536):
                    found += piece
                return found
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


@pytest.mark.parametrize("inside", ["127.0.0.1", "0.0.0.0", "::1", "::"])
def test_a_server_in_the_box_is_reached_at_the_same_port(serve, port, inside):
    serve(inside, port)
    for address in ("127.0.0.1", "::1", "localhost"):
        assert ask(address, port) == b"ABC"


def test_many_connections_at_once_and_much_data(serve, port):
    serve("127.0.0.1", port)
    ask("127.0.0.1", port)
    data = b"x" * (3 << 20)
    assert ask("127.0.0.1", port, data) == data.upper()
    with ThreadPoolExecutor(60) as many:
        found = list(many.map(lambda n: ask("127.0.0.1", port, b"n%d" % n), range(300)))
    assert found == [b"N%d" % n for n in range(300)]


def is_open(port):
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
    except ConnectionRefusedError:
        return False
    except ConnectionResetError:  # it is being closed
        return True
    return True


def is_closed_soon(port):
    deadline = time.monotonic() + 10
    while is_open(port) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not is_open(port)


def test_it_ends_with_the_server(serve, port):
    process = serve("127.0.0.1", port)
    ask("127.0.0.1", port)
    process.kill()
    assert is_closed_soon(port)


def relay_of(port):
    """Return the process that has the port outside, as `lsof -ti :PORT` finds it."""
    rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    inode = next(r[9] for r in rows if r[1].endswith(f":{port:04X}") and r[3] == "0A")
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if any(os.readlink(one) == f"socket:[{inode}]" for one in (place / "fd").iterdir()):
                return int(place.name)
    raise AssertionError("nobody has it")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_who_signals_what_has_the_port_outside_means_the_server(serve, port, number):
    process = serve("127.0.0.1", port)
    ask("127.0.0.1", port)
    os.kill(relay_of(port), number)
    assert process.wait(timeout=20) == -number
    assert is_closed_soon(port)


def test_a_server_that_goes_on_after_a_signal_is_still_reached(box, port):
    heed = "import signal\nsignal.signal(signal.SIGTERM, lambda *_: print('heard', flush=True))\n"
    code = f"{heed}{SERVER}"
    words = [*LACONIC, "box", "--raw", "python3", "-c", code, "127.0.0.1", str(port)]
    with subprocess.Popen(words, cwd=box.project, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            ask("127.0.0.1", port)
            os.kill(relay_of(port), signal.SIGTERM)
            assert process.stdout.readline() == "heard\n"
            assert ask("127.0.0.1", port) == b"ABC"
        finally:
            process.kill()


def test_only_the_loopback_of_this_machine_has_it(serve, port):
    serve("0.0.0.0", port)
    ask("127.0.0.1", port)
    listening = subprocess.run(
        ["cat", "/proc/net/tcp"], capture_output=True, text=True, check=True
    ).stdout
    at = [row.split()[1] for row in listening.splitlines()[1:] if row.split()[3] == "0A"]
    assert [one for one in at if one.endswith(f":{port:04X}")] == [f"0100007F:{port:04X}"]


def test_a_port_that_is_taken_is_said_and_left_to_who_has_it(serve, port):
    with socket.create_server(("127.0.0.1", port)):
        process = serve("127.0.0.1", port)
        line = process.stderr.readline()
    assert line == (
        f"[laconic: port {port} is open in the box only: {port} of this machine is taken]\n"
    )


def test_privileged_and_closed_ports_are_not_opened(box, port):
    done = box.sh("python3 -c 'import socket; socket.create_server((\"\", 81))'; sleep 1; true")
    assert "Permission denied" in done.stderr
    assert not is_open(port)


def test_a_server_of_this_machine_is_reached_if_its_port_is_allowed(box):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def answer():
            with contextlib.suppress(OSError):
                while True:
                    with server.accept()[0] as line:
                        line.sendall(b"from outside")

        threading.Thread(target=answer, daemon=True).start()
        script = (
            "import socket, sys\n"
            "for a in ('127.0.0.1', '::1'):\n"
            f" print(socket.create_connection((a, {port}), 5).recv(99))"
        )
        before = box.run("python3", "-c", script)
        assert "ConnectionRefusedError" in before.stderr
        way = f"allow --port {port}]"
        assert [one for one in before.stderr.splitlines() if one.endswith(way)]
        subprocess.run([*LACONIC, "allow", "--port", str(port)], cwd=box.project, check=True)
        done = box.run("python3", "-c", script)
    assert done.stdout == "b'from outside'\n" * 2, done.stderr
    assert "laconic" not in done.stderr
    subprocess.run([*LACONIC, "allow", "--remove", str(port)], cwd=box.project, check=True)
    assert "ConnectionRefusedError" in box.run("python3", "-c", script).stderr


def test_a_server_that_is_left_behind_stays_reachable(box, port):
    """As an agent starts one: in one call, and asks it in the next."""
    script = f"python3 -c '{SERVER}' 127.0.0.1 {port} > out.log 2>&1 & echo $! > pid"
    assert box.run("bash", "-c", script).returncode == 0
    try:
        assert ask("127.0.0.1", port) == b"ABC"
        assert ask("127.0.0.1", port, b"again") == b"AGAIN"
    finally:
        end_servers_at(port)


def test_the_next_command_of_the_project_reaches_it_and_nobody_elses_server(box, port, tmp_path):
    """A client in a box of its own; and the port is closed to it once the server has ended."""
    script = f"python3 -c '{SERVER}' 127.0.0.1 {port} > out.log 2>&1 & echo $! > pid"
    assert box.run("bash", "-c", script).returncode == 0
    ask_it = f"""
import socket
line = socket.create_connection(("localhost", {port}))
line.sendall(b"abc"); line.shutdown(socket.SHUT_WR); print(line.recv(9))
"""
    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", other], check=True)
    try:
        assert ask("127.0.0.1", port) == b"ABC"  # it is there
        wait_until(lambda: box.run("python3", "-c", ask_it).stdout == "b'ABC'\n")
        assert "ConnectionRefusedError" in box.run("python3", "-c", ask_it, cwd=other).stderr
    finally:
        end_servers_at(port)
    wait_until(lambda: is_free(port))
    with socket.create_server(("127.0.0.1", port)):
        assert "ConnectionRefusedError" in box.run("python3", "-c", ask_it).stderr


def wait_until(test, limit_s=20):
    end = time.monotonic() + limit_s
    while not test():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_free(port):
    with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
        return True
    return False


def end_servers_at(port):
    """End the servers at a port that still run in a box."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = path.read_bytes().split(b"\0")
            if str(port).encode() in words and SERVER.encode() in words:
                os.kill(int(path.parent.name), signal.SIGKILL)
