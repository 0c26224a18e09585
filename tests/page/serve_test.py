"""The dashboard answers only callers on this machine that know its address."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from laconic.errors import LaconicError
from laconic.page import read
from laconic.page.serve import Dashboard
from laconic.record.runs import record_run
from records import a_run


@pytest.fixture
def state_dir(home):
    return home / ".local/state/laconic"


@contextlib.contextmanager
def serving(data, stamp):
    with Dashboard(data, stamp) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def dashboard(state_dir, home):
    environ = {"HOME": str(home)}

    def data():
        return read.read(state_dir, environ, now=time.time())

    record_run(state_dir, a_run("echo first", raw_tokens=9, shown_tokens=4))
    with serving(data, lambda: read.stamp(state_dir)) as server:
        yield server


def ask(server, request):
    """Send bytes, and return the status, the headers and the body of the answer."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as connection:
        connection.sendall(request)
        answer = b""
        while chunk := connection.recv(1 << 16):
            answer += chunk
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return int(first.split()[1]), headers, body


def get(server, path, *, host=None, method="GET", more=""):
    lines = f"Host: {host or f'127.0.0.1:{server.server_port}'}\r\n" if host != "" else ""
    return ask(server, f"{method} {path} HTTP/1.1\r\n{lines}{more}\r\n".encode())


def test_the_page_and_its_data_are_there_for_who_has_the_address(dashboard):
    status, headers, body = get(dashboard, f"/{dashboard.token}/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert b"<body data-live>" in body
    assert b"echo first" in body
    status, headers, body = get(dashboard, f"/{dashboard.token}/data")
    assert (status, headers["Content-Type"]) == (200, "application/json; charset=utf-8")
    assert json.loads(body)["runs"][0]["command"] == "echo first"


def test_every_answer_forbids_what_a_page_of_another_site_could_do_with_it(dashboard):
    for path in ("/", f"/{dashboard.token}/", f"/{dashboard.token}/data"):
        _, headers, _ = get(dashboard, path)
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert "Access-Control-Allow-Origin" not in headers
        assert "Set-Cookie" not in headers


def test_without_the_token_nothing_is_told(dashboard):
    token = dashboard.token
    wrong = ["", "x", token[:-1], token + "x", token.swapcase(), "\u00e9" * 10, "%00", f".{token}"]
    for path in [*(f"/{each}/data" for each in wrong), "/", "/data", f"/x/{token}/data", "*", "//"]:
        status, _, body = get(dashboard, path)
        assert status == 403, path
        assert b"echo first" not in body
        assert token.encode() not in body


def test_the_token_is_long_and_new_each_time(dashboard):
    with Dashboard(dict, tuple) as other:
        assert other.token != dashboard.token
        assert len(other.token) >= 43


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "evil.example:{port}", "127.0.0.1", "localhost", "127.0.0.1:1",
        "127.0.0.1.evil.example:{port}", "127.0.0.2:{port}", "0.0.0.0:{port}", "[::1]:{port}",
        "localhost.:{port}", "x@127.0.0.1:{port}",
        "127.0.0.1:{port}, evil.example", "evil.example\r\nHost: 127.0.0.1:{port}",
        "127.0.0.1:{port}\r\nHost: evil.example", "",
    ],
)  # fmt: skip
def test_another_host_is_refused_even_with_the_token(dashboard, host):
    named = host.format(port=dashboard.server_port)
    status, _, body = get(dashboard, f"/{dashboard.token}/data", host=named)
    assert status == 421
    assert b"echo first" not in body


def test_localhost_is_this_machine(dashboard):
    named = f"localhost:{dashboard.server_port}"
    assert get(dashboard, f"/{dashboard.token}/", host=named)[0] == 200


METHODS = "POST PUT DELETE HEAD OPTIONS PATCH TRACE CONNECT FROB get".split()


@pytest.mark.parametrize("method", METHODS)
def test_only_get_is_answered(dashboard, method):
    status, headers, body = get(dashboard, f"/{dashboard.token}/data", method=method)
    assert (status, headers["Allow"]) == (405, "GET")
    assert b"echo first" not in body


@pytest.mark.parametrize("name", ["x", "data/", "data?x", "../data", "..%2f", "?", "page.js"])
def test_there_is_no_other_page(dashboard, name):
    assert get(dashboard, f"/{dashboard.token}/{name}")[0] == 404


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"",
        b"GET",
        b"\xff\xfe",
        b"GET / HTTP/9.9",
        b"GET / HTTP/1.1\r\n: x",
        b"GET " + b"x" * 70_000,
    ],
)
def test_garbage_does_no_harm(dashboard, request_bytes):
    with contextlib.suppress(ConnectionError, IndexError, ValueError):
        ask(dashboard, request_bytes + b"\r\n\r\n")
    assert get(dashboard, f"/{dashboard.token}/")[0] == 200


def test_it_listens_on_loopback_alone(dashboard):
    assert dashboard.server_address[0] == "127.0.0.1"
    with socket.socket() as other, pytest.raises(OSError, match="refused"):
        other.connect(("127.0.0.2", dashboard.server_port))


def test_what_is_recorded_appears_and_what_is_known_is_not_sent_again(dashboard, state_dir):
    path = f"/{dashboard.token}/data"
    _, headers, _ = get(dashboard, path)
    known = f"If-None-Match: {headers['ETag']}\r\n"
    for _ in range(2):
        status, _, body = get(dashboard, path, more=known)
        assert (status, body) == (304, b"")
    record_run(state_dir, a_run("echo second", raw_tokens=9, shown_tokens=4))
    status, headers, body = get(dashboard, path, more=known)
    assert status == 200
    assert json.loads(body)["totals"]["runs"] == 2
    assert get(dashboard, path, more=f"If-None-Match: {headers['ETag']}\r\n")[0] == 304


def test_nothing_is_read_again_while_nothing_changes():
    calls = []
    stamps = [1]
    made = {"made": "", "note": ""}
    with serving(lambda: calls.append(1) or made, lambda: stamps[0]) as server:
        for _ in range(3):
            get(server, f"/{server.token}/data")
        assert len(calls) == 1
        stamps[0] = 2
        get(server, f"/{server.token}/data")
        assert len(calls) == 2


def test_records_that_cannot_be_read_are_an_answer_not_an_end():
    def fail():
        raise LaconicError("records.db: is damaged")

    with serving(fail, lambda: 0) as server:
        for _ in range(2):
            status, _, body = get(server, f"/{server.token}/")
            assert status == 503
            assert b"records.db: is damaged" in body


def test_the_program_prints_its_address_and_ends_with_ctrl_c(state_dir):
    record_run(state_dir, a_run("echo first", raw_tokens=9, shown_tokens=4))
    program = subprocess.Popen(
        [sys.executable, "-m", "laconic", "dashboard"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        url = program.stdout.readline().strip()
        _, _, place, token, _ = url.split("/")
        with socket.create_connection(place.split(":"), timeout=20) as connection:
            connection.sendall(f"GET /{token}/data HTTP/1.0\r\nHost: {place}\r\n\r\n".encode())
            answer = b""
            while chunk := connection.recv(1 << 16):
                answer += chunk
        assert b"echo first" in answer
        program.send_signal(signal.SIGINT)
        _, err = program.communicate(timeout=20)
        assert (program.returncode, err) == (0, "")
    finally:
        program.kill()
