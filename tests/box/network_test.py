"""The network of a box: what leads out, what does not, and what is said of it.

A registry stands behind a proxy of the user's: one that is on this machine could not be dialled.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time

import pytest

from box.conftest import LACONIC, change_part

ALLOWED, OTHER = "allowed.example.org", "other.example.org"


class Proxy:
    """A proxy of the user's: it answers for every host, and remembers what it was asked."""

    def __init__(self, certificate):
        self.asked: list[str] = []
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate)
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                line = self._server.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._answer, args=(line,), daemon=True).start()

    def _answer(self, line):
        with contextlib.suppress(OSError), line:
            head = b""
            while b"\r\n\r\n" not in head:
                head += line.recv(1)
            self.asked.append(head.decode())
            if head.startswith(b"CONNECT"):
                line.sendall(b"HTTP/1.1 200 ok\r\n\r\n")
                line = self._context.wrap_socket(line, server_side=True)
                line.recv(4096)
            line.sendall(b"HTTP/1.1 200 ok\r\nContent-Length: 5\r\nConnection: close\r\n\r\nfound")

    def close(self):
        self._server.close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    path = tmp_path_factory.mktemp("certificate") / "both.pem"
    words = ["-subj", "/CN=x", "-addext", f"subjectAltName=DNS:{ALLOWED},DNS:{OTHER}"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *words]
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed, and makes the certificate of a registry")
    subprocess.run([*made, "-keyout", path, "-out", path], check=True, capture_output=True)
    return path


@pytest.fixture
def way(box, certificate, monkeypatch):
    """A way out to one host, and the proxy behind which it stands."""
    proxy = Proxy(certificate)
    for name in ("https_proxy", "http_proxy"):
        monkeypatch.setenv(name, proxy.address)
    allow(box.project, "--host", ALLOWED)
    yield proxy
    proxy.close()


def allow(place, *words):
    done = laconic(place, "allow", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def laconic(place, *words):
    return subprocess.run(
        [*LACONIC, *words], cwd=place, capture_output=True, text=True, check=False
    )


def said(done):
    return [line for line in done.stderr.splitlines() if line.startswith("[laconic: ")]


GET = """
import http.client, ssl, sys
kind, _, rest = sys.argv[1].partition("://")
context = ssl._create_unverified_context()
made = http.client.HTTPSConnection(rest.rstrip("/x"), timeout=10, context=context)
if kind == "http":
    made = http.client.HTTPConnection(rest.rstrip("/x"), timeout=10)
made.request("GET", "/x")
print(made.getresponse().read().decode(), end="")
"""


def get(url):
    """A program that knows no proxy and trusts everybody: what protects is not in the box."""
    return ["python3", "-c", GET, url]


def tried(url):
    """The same in a script for a shell."""
    return f"python3 -c '{GET}' {url}"


def test_an_allowed_host_is_reached_by_its_name_and_no_variable(box, way):
    done = box.run(*get(f"https://{ALLOWED}/x"))
    assert (done.stdout, said(done)) == ("found", []), done.stderr
    assert way.asked == [f"CONNECT {ALLOWED}:443 HTTP/1.1\r\nHost: {ALLOWED}:443\r\n\r\n"]
    assert "proxy" not in box.run("env").stdout.lower()


def test_another_is_refused_at_once_and_named_once(box, way):
    started = time.monotonic()
    done = box.sh(f"for i in 1 2; do {tried(f'https://{OTHER}/')}; done; true")
    assert time.monotonic() - started < 8
    assert done.returncode == 0
    assert "ALERT_ACCESS_DENIED" in done.stderr.upper().replace(" ", "_")
    way_out = f"to allow it: {launcher(done)} allow --host {OTHER}"
    assert said(done) == [f"[laconic: the box did not let it reach {OTHER}:443; {way_out}]"]
    assert way.asked == []


def launcher(done):
    return said(done)[0].partition("to allow it: ")[2].partition(" allow ")[0]


@pytest.mark.usefixtures("way")
def test_what_is_typed_as_the_line_says_lets_it_through(box):
    line = said(box.run(*get(f"https://{OTHER}/")))[0]
    words = line.rstrip("]").partition("to allow it: ")[2].split()
    assert words[-3:] == ["allow", "--host", OTHER]
    assert OTHER in allow(box.project, *words[-2:])
    assert box.run(*get(f"https://{OTHER}/")).stdout == "found"


def test_plain_http_is_for_those_that_are_named_so(box, way):
    done = box.run(*get(f"http://{ALLOWED}/"))
    assert "the box did not let it reach" in done.stdout
    assert f"allow --host {ALLOWED}:80]" in said(done)[0]
    assert way.asked == []
    allow(box.project, "--host", f"{ALLOWED}:80")
    assert box.run(*get(f"http://{ALLOWED}/x")).stdout == "found"
    assert way.asked[0].startswith(f"GET http://{ALLOWED}/x HTTP/1.1\r\n")


CONNECTED = (
    "import socket, ssl, sys; s = socket.create_connection(('{}', {}), 5); s.settimeout(5)\n"
)
TLS = (
    "c = ssl._create_unverified_context()\n"
    "s = c.wrap_socket(s, server_hostname={!r})\n"
    "s.sendall(b'GET / HTTP/1.1\\r\\n\\r\\n'); print(s.recv(99))\n"
)
SENT = "s.sendall({} * 9); print(s.recv(99))"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (CONNECTED.format(ALLOWED, 443) + TLS.format(OTHER), f"the connection is for {OTHER}"),
        (CONNECTED.format(OTHER, 443) + TLS.format(ALLOWED), f"{OTHER}:443"),
        (CONNECTED.format(ALLOWED, 443) + TLS.format(None), "does not say for which host"),
        (CONNECTED.format(ALLOWED, 443) + SENT.format("b'GET / HTTP/1.1\\r\\n\\r\\n'"), "not TLS"),
        (CONNECTED.format(ALLOWED, 443) + SENT.format("b'\\x16\\x03\\x01\\xff\\xff'"), "not TLS"),
        (CONNECTED.format(ALLOWED, 22), f"{ALLOWED}:22"),
        (CONNECTED.format(OTHER, 8080), f"{OTHER}:8080"),
    ],
)  # fmt: skip
def test_games_with_names_and_ports_are_refused_and_said(box, way, script, why):
    done = box.run("python3", "-c", script)
    assert "found" not in done.stdout
    assert way.asked == []
    assert any(why in line for line in said(done)), done.stderr


@pytest.mark.parametrize(
    "script",
    [
        "import socket; socket.create_connection(('192.0.2.1', 443), 3)",
        "import socket; socket.create_connection(('198.18.77.7', 443), 3).recv(9) or 1/0",
        "import socket; socket.create_connection(('127.0.0.1', 443), 3).recv(9) or 1/0",
        "import socket; socket.create_connection(('127.0.0.1', 53), 3)",
        "import socket; socket.getaddrinfo('db', 1)",
        "import socket; socket.getaddrinfo('x.invalid', 1)",
        "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
        "import socket; s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
        "import socket; socket.create_server(('0.0.0.0', 443), reuse_port=True)",
        "import os; [os.readlink(f'/proc/1/fd/{n}') for n in range(20)]",
        "import os; os.open('/proc/1/ns/net', 0)",
    ],
)
def test_nothing_else_leads_anywhere(box, way, script):
    done = box.run("python3", "-c", script)
    assert done.returncode != 0, done.stdout
    assert way.asked == []


@pytest.mark.usefixtures("way")
def test_names_and_datagrams_carry_nothing_out(box, monkeypatch):
    monkeypatch.delenv("https_proxy")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as heard:
        heard.bind(("127.0.0.1", 0))
        heard.setblocking(False)
        port = heard.getsockname()[1]
        script = (
            "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
            f"for a in ('127.0.0.1', '198.18.0.2', '198.18.0.1'): s.sendto(b'x', (a, {port}))\n"
            f"socket.getaddrinfo('secret.{ALLOWED}', 443)"
        )
        assert box.run("python3", "-c", script).returncode == 0
        with pytest.raises(BlockingIOError):
            heard.recv(9)


def test_no_file_of_the_project_opens_a_way(box, way):
    place = box.project / ".laconic"
    place.mkdir()
    (place / "config.toml").write_text(f'[box]\nhosts = ["{OTHER}"]\nports = [1]\n')
    assert laconic(box.project, "trust").returncode == 0
    assert box.run(*get(f"https://{OTHER}/")).returncode != 0
    assert box.run(*get(f"https://{ALLOWED}/")).stdout == "found"
    assert way.asked[0].startswith(f"CONNECT {ALLOWED}")


def test_strict_has_no_network_and_says_so(box, way, monkeypatch):
    monkeypatch.setenv("LACONIC_PROFILE", "strict")
    done = box.run(*get(f"https://{ALLOWED}/"))
    assert f"did not let it reach {ALLOWED}:443; without the box, " in said(done)[0]
    assert way.asked == []


@pytest.mark.usefixtures("way")
def test_the_line_comes_at_once_and_not_with_the_rest_of_the_output(box):
    """Retries take a minute, and who waits for the end would not see it before."""
    script = tried(f"https://{OTHER}/") + "; sleep 30"
    pipe = subprocess.PIPE
    words = [*LACONIC, "run", "--box", "bash", "-c", script]
    with subprocess.Popen(words, cwd=box.project, stdout=pipe, stderr=pipe, text=True) as process:
        started = time.monotonic()
        line = process.stderr.readline()
        process.terminate()
    assert f"did not let it reach {OTHER}:443" in line
    assert time.monotonic() - started < 15


@pytest.mark.parametrize("script", ["true", "exit 3", "echo > /dev/tcp/127.0.0.1/9; true"])
def test_nothing_is_said_where_nothing_was_refused(box, script):
    assert said(box.sh(script)) == []


def test_a_door_that_fails_leads_nowhere(box, way):
    """Where what stands outside cannot be started, connections end, and nobody waits for ever."""
    from laconic.box.launch import open_box, project_of
    from laconic.settings.load import read_settings

    environ = dict(os.environ)
    opened = open_box(
        project_of(str(box.project), environ), str(box.project),
        read_settings(environ, box.project), environ,
    )  # fmt: skip
    change_part(opened.place, "door", lambda _: b"/bin/false\0x\0")
    done = subprocess.run(
        [*opened.words, *get(f"https://{ALLOWED}/")],
        cwd=box.project, capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    assert done.returncode != 0
    assert way.asked == []
