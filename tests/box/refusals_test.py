"""After a refusal one line says what the box refused, and the way out; else nothing is said."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from box.conftest import LACONIC
from terminal import run_at_terminal


def run(place, *words, flag="--box", **options):
    """Run it as an agent does, whose pipe takes both streams."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True} | options
    command = [*LACONIC, "run", flag, *words]
    return subprocess.run(command, cwd=place, check=False, timeout=60, **options)


def notice(done):
    found = [line for line in done.stdout.splitlines() if line.startswith("[laconic: the box")]
    assert len(found) <= 1
    return found[0] if found else ""


# An address for documentation: https://www.rfc-editor.org/rfc/rfc5737
NETWORK = "import socket; socket.create_connection(('192.0.2.1', 80), 3)"


@pytest.mark.parametrize(
    "script",
    [
        NETWORK,
        NETWORK.replace("192.0.2.1", "2001:db8::1"),
        f"try:\n {NETWORK}\nexcept OSError:\n 1/0",
    ],
)
def test_the_network_is_named_where_the_kernel_counted_an_attempt(box, script):
    done = run(box.project, "python3", "-c", script)
    assert "[laconic: the box has no network; " in notice(done)
    assert "run --outside python3 -c" in notice(done)


def test_what_nobody_said_does_not_stay_for_ever(box):
    run(box.project, "true")
    left = box.directory / "refused/0123456789ab"
    left.write_text("1")
    os.utime(left, (1, 1))
    run(box.project, "true")
    assert not left.exists()


def test_nobody_is_told_of_an_attempt_that_did_no_harm(box):
    assert not notice(run(box.project, "python3", "-c", f"try: {NETWORK}\nexcept OSError: pass"))


@pytest.mark.parametrize(
    ("script", "named"),
    [
        ("echo x > /etc/laconic-probe", "does not change /etc/laconic-probe"),
        ("echo x >> .git/config", "does not change .git/config"),
        ("mv .git g", "does not change .git;"),
        ("git config a.b c 2>&1 || true", "does not change .git/config"),
        ('python3 -c \'open("/usr/x y", "w")\'', "does not change /usr/x y;"),
        ("cat ~/.ssh/id_rsa", "hides ~/.ssh/id_rsa"),
    ],
)
def test_a_path_is_named_that_the_box_alone_refused(box, home, script, named):
    (home / ".ssh").mkdir()
    (home / ".ssh/id_rsa").write_text("secret")
    if not os.access("/etc", os.W_OK) and ("/etc" in script or "/usr" in script):
        assert not notice(run(box.project, "bash", "-c", script))  # it fails outside, too
    else:
        assert named in notice(run(box.project, "bash", "-c", script))


@pytest.mark.parametrize(
    "script",
    [
        "exit 3",
        "echo 'Network is unreachable'; exit 1",
        "echo 'Read-only file system'; exit 1",
        "echo '/etc/hosts: Read-only file system'",
        "cat no-such-file",
        "ls /no/such/place",
        "chmod 0 a; cat a",
        "echo './a: Permission denied'; exit 1",
        "echo '/tmp/x: Permission denied'; exit 1",
    ],
)
def test_nothing_is_said_where_nothing_was_refused(box, script):
    assert not notice(run(box.project, "bash", "-c", script))


def test_a_server_outside_is_named_by_its_port(box):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f"echo connecting to localhost:{port}; true > /dev/tcp/127.0.0.1/{port}"
        said = notice(run(box.project, "bash", "-c", script))
    assert f"did not let it reach port {port} of this machine; to allow it: " in said
    assert f"laconic allow --port {port}]" in said
    assert not notice(run(box.project, "bash", "-c", script)), "nobody listens there now"


def test_a_server_in_the_box_that_has_ended_is_not_one_outside(box):
    script = """
import socket, time
server = socket.create_server(("127.0.0.1", 0))
name = server.getsockname()
time.sleep(1)  # now its port is open outside, too
server.close()
try:
    socket.create_connection(name)
except ConnectionRefusedError:
    print("refused")
"""
    done = run(box.project, "python3", "-c", script)
    assert "refused" in done.stdout
    assert not notice(done)


def test_a_socket_is_named_by_its_path(box, home):
    path = home / "agent.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        script = f"import socket; socket.socket(socket.AF_UNIX).connect('{path}')"
        words = f"cannot connect to unix://{path}"
        said = notice(
            run(box.project, "bash", "-c", f'python3 -c "{script}" || {{ echo {words}; exit 1; }}')
        )
    assert "does not reach ~/agent.sock" in said


# -- outside ---------------------------------------------------------------------------------------


def test_outside_there_is_no_box(box, tmp_path):
    done = run(box.project, "touch", str(tmp_path / "made"), flag="--outside")
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "made").exists()


def test_what_the_gate_denies_does_not_run_outside(box):
    done = run(box.project, "rm", "-rf", "/", flag="--outside")
    assert done.returncode == 125
    assert "was not run" in done.stdout


@pytest.mark.skipif(
    sys.prefix.startswith("/tmp/"),
    reason="the box has a /tmp of its own, and laconic is below /tmp",
)
def test_nothing_leads_out_of_the_box(box, tmp_path):
    inner = [*LACONIC, "run", "--outside", "touch", str(tmp_path / "made")]
    done = run(box.project, *inner)
    assert done.returncode == 125
    assert "nothing leads out of the box" in done.stdout
    assert not (tmp_path / "made").exists()


def answered(place, words, keys):
    """Run something at a terminal and answer its question; its status and what it printed."""
    typed = [(b"Run it?", keys)]
    status, data = run_at_terminal(words, cwd=place, typed=typed, limit_s=50)
    return status, data.decode()


def test_a_person_is_asked_with_the_reason(project):
    (project / "e2e.sh").write_text("echo ran\n")
    words = [*LACONIC, "run", "--outside", "bash", "e2e.sh"]
    status, said = answered(project, words, b"n\n")
    assert status == 125
    assert "without the box: bash e2e.sh" in said
    assert "ran" not in said.replace("was not run", "")
    status, said = answered(project, words, b"y\n")
    assert (status, "ran" in said) == (0, True)
    assert "Run it?" in answered(project, words, b"a\n")[1]
    status, said = answered(project, words, b"")
    assert (status, "Run it?" in said) == (0, False), "it is remembered"


def laconic(place, *words):
    return subprocess.run(
        [*LACONIC, *words], cwd=place, capture_output=True, text=True, check=False
    )


def runs_freely(place, command):
    return laconic(place, "check", command).stdout.split("  ")[0] == "allow"


def test_what_is_always_allowed_outside_is_allowed_in_this_project(project, tmp_path):
    def answer(where, command):
        return laconic(where, "check", command).stdout.partition(":")[0]

    assert answer(project, "bash e2e.sh").startswith("allow in the box")
    assert answer(project, "laconic run --outside bash e2e.sh").startswith("ask")
    done = laconic(project, "allow", "--always", "--outside", "bash e2e.sh")
    assert "always, without the box  bash e2e.sh  in " in done.stdout
    for command in ("bash e2e.sh", "laconic run --outside bash 'e2e.sh'"):
        assert answer(project, command).startswith("allow  "), command
    assert answer(project, "bash e2e.sh x").startswith("allow in the box")
    both = "laconic run --outside bash e2e.sh; bash other.sh"
    assert not answer(project, both).startswith("allow  ")
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    assert not answer(other, "bash e2e.sh").startswith("allow  ")
    listed = laconic(project, "allow", "--list").stdout
    assert listed == done.stdout
    laconic(project, "allow", "--remove", listed.split()[0])
    assert not answer(project, "bash e2e.sh").startswith("allow  ")


@pytest.mark.parametrize("words", [("--outside", "ls x"), ("--always", "--outside", "npm run *")])
def test_outside_is_for_good_and_for_one_command(project, words):
    assert laconic(project, "allow", *words).returncode == 2
