"""The client in C runs a command in the box, started without Python, or does not run it at all."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from clients import bin_dir, cold, needs_client, server
from warm_server import children_of, wait_for

__all__ = ["bin_dir", "cold", "server"]  # fixtures
pytestmark = [*needs_client, pytest.mark.usefixtures("can_box")]


def run(client, place, *words, **options):
    return client.run("run", "--box", *words, cwd=place, **options)


def test_the_server_opens_the_box_and_the_client_runs_the_command(server, project, tmp_path):
    calls = server.calls()
    (tmp_path / ".git").mkdir()  # nothing is copied out into another project
    script = f"echo out; echo err >&2; touch made; touch {tmp_path}/not; exit 7"
    done = run(server, project, "sh", "-c", script)
    assert (done.stdout, done.returncode) == (b"out\n", 7)
    assert done.stderr.startswith(b"err\n")
    assert (project / "made").exists()
    assert not (tmp_path / "not").exists()
    assert server.calls() > calls + 1, "the server was asked"


@pytest.mark.parametrize("flags", [[], ["--raw"]])
def test_no_python_is_started(server, project, flags):
    run(server, project, "true")  # the first box of a machine finds out what the kernel can do
    process = server.popen("run", "--box", *flags, "sh", "-c", "echo; exec sleep 60", cwd=project)
    names = wait_for(lambda: found if "sleep" in (found := below(process.pid)) else None)
    assert not [name for name in names if "python" in name]
    assert "laconic-box" in names
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    # nothing of ours waits for a command that has the caller's own streams
    assert process.returncode == (-signal.SIGTERM if flags else 128 + signal.SIGTERM)


def below(pid):
    """The names of a process and of all below it."""
    names, todo = [], [pid]
    while todo:
        one = todo.pop()
        try:
            names.append(Path(f"/proc/{one}/comm").read_text().strip())
        except OSError:
            continue
        todo += children_of(one)
    return names


def test_the_notice_of_a_refusal_follows(server, project):
    script = "import socket; socket.create_connection(('192.0.2.1', 80), 3)"
    done = run(server, project, "python3", "-c", script)
    assert b"[laconic: the box has no network; " in done.stderr


def test_what_is_guarded_goes_to_quarantine(server, project):
    done = run(server, project, "sh", "-c", "mkdir deep; echo x > deep/.envrc; mkdir .vscode")
    assert b"the box moved .vscode away" in done.stderr
    assert not (project / ".vscode").exists()
    assert not (project / "deep/.envrc").exists()


def test_a_pipe_that_was_taken_off(server, project):
    done = run(server, project, "--baseline-pipe", "tail -n 1", "seq", "9")
    assert done.stdout == b"9\n"


@pytest.mark.parametrize("flags", [[], ["--raw"]])
def test_where_there_is_no_box_nothing_runs(server, tmp_path, flags):
    place = tmp_path / "home"
    place.mkdir()
    done = run(server, place, *flags, "touch", "made", env={**server.environ, "HOME": str(place)})
    assert done.returncode == 125
    assert b"was not run" in done.stderr
    assert not (place / "made").exists()


@pytest.mark.parametrize("how", ["no server", "raw", "file", "closed"])
def test_however_it_is_called_it_runs_in_the_box(server, project, tmp_path, how):
    (tmp_path / ".git").mkdir()  # nothing is copied out into another project
    words = ["touch", f"{tmp_path}/not", "made"]
    options = {"cwd": project, "env": dict(server.environ)}
    if how == "no server":
        options["env"]["LACONIC_NO_SERVER"] = "1"
    if how == "raw":
        words.insert(0, "--raw")
    with open(tmp_path / "output", "wb") as file:
        if how == "file":
            options |= {"stdout": file, "stderr": subprocess.STDOUT}
        if how == "closed":
            done = subprocess.run(
                ["sh", "-c", '"$@" <&-', "sh", server.client, "run", "--box", *words],
                check=False, **options,
            )  # fmt: skip
        else:
            done = server.run("run", "--box", *words, **options)
    assert done.returncode in (0, 1), "where pytest works in /tmp, the box has one of its own"
    assert (project / "made").exists()
    assert not (tmp_path / "not").exists()


def test_a_server_that_dies_costs_the_view_and_not_the_box(server, project, tmp_path):
    (tmp_path / ".git").mkdir()  # nothing is copied out into another project
    script = f"echo ready > ready; sleep 1; touch {tmp_path}/not; echo out"
    process = server.popen("run", "--box", "sh", "-c", script, cwd=project)
    wait_for((project / "ready").exists)
    for pid in [server.process, *server.workers(server.process)]:
        os.kill(pid, signal.SIGKILL)
    out, _ = process.communicate(timeout=60)
    assert out.endswith(b"out\n")
    assert not (tmp_path / "not").exists()
