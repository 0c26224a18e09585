"""What a Mac does otherwise, with the client compiled as for it and a laconic-py that pretends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import warm_server
from clients import AS_ON_MACOS, bin_dir, cold, needs_client, server
from machine import needs

__all__ = ["bin_dir", "cold", "server"]  # fixtures
pytestmark = [
    *needs_client,
    pytest.mark.parametrize("bin_dir", [AS_ON_MACOS], indirect=True, scope="module"),
]
MANY = "for i in $(seq 3000); do echo line $i of many; done"


def test_a_hook_is_answered_by_the_server_alone(server, bin_dir):
    """By a peer of the same user, whom getpeereid() names."""
    interpreter, program = bin_dir / "laconic-interpreter", bin_dir / "laconic-py"
    kept = interpreter.read_text()
    interpreter.write_text("#!/nonexistent\n")
    program.chmod(0o644)
    try:
        assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
    finally:
        program.chmod(0o755)
        interpreter.write_text(kept)


@needs("setpriv")
def test_who_is_in_a_sandbox_and_who_is_not_do_not_believe_each_other(server):
    before = server.calls()
    asked = ["setpriv", "--no-new-privs", server.client, "hook", "claude-code"]
    done = subprocess.run(
        asked, env=server.environ | {"LACONIC_NO_SERVER": "1"},
        input=warm_server.hook_input("rm -rf /"), capture_output=True, check=True,
    )  # fmt: skip
    assert warm_server.verdict(done.stdout) == "deny"
    assert server.calls() == before + 1  # this question


@pytest.mark.parametrize(
    ("line", "is_compacted"),
    [('"$0" run sh -c "$1"', True), ('"$0" run sh -c "$1" > x; cat x', False)],
)
def test_a_file_that_an_agent_gives_its_shell_is_read_by_the_agent(
    cold, tmp_path, line, is_compacted
):
    with (tmp_path / "agents").open("wb") as file:
        environ, words = cold.environ | {"CLAUDECODE": "1"}, [cold.client, MANY]
        subprocess.run(
            ["bash", "-c", f"{line}; :", *words],
            cwd=tmp_path, env=environ, stdout=file, stderr=file, check=True,
        )  # fmt: skip
    assert ((tmp_path / "agents").read_bytes().count(b"\n") < 1000) == is_compacted


@needs("make")
def test_make_reads_itself_all_of_what_is_shortened_to_a_person(cold, tmp_path):
    filters = Path(cold.environ["XDG_CONFIG_HOME"], "laconic/filters")
    filters.mkdir(parents=True)
    (filters / "seq.toml").write_text('command = ["seq"]\nkind = "summary"\nkeep = ["^299"]\n')
    (tmp_path / "Makefile").write_text(
        f"SHELL := {cold.client}\nREAD := $(shell seq 3000)\n"
        "all:\n\t@echo $(words $(READ)) words\n\t@seq 3000\n"
    )
    done = subprocess.run(
        ["make", "-s"], cwd=tmp_path, env=cold.environ, capture_output=True, text=True, check=True
    )
    first, *more = done.stdout.splitlines()
    assert first == "3000 words"
    assert 0 < len(more) < 1000


def test_what_a_command_removed_comes_back(cold, tmp_path):
    """Copied by reading and writing: sendfile() is for sockets, and there are no attributes."""
    (tmp_path / ".git").mkdir()
    kept = {"small": b"kept\n", "large": os.urandom(3 << 20)}
    for name, data in kept.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "sparse").write_bytes(b"")
    os.truncate(tmp_path / "sparse", 1 << 20)
    words = ["run", "--undo", "sh", "-c", "rm small sparse; : > large"]
    assert cold.run(*words, cwd=tmp_path).returncode == 0
    assert not (tmp_path / "small").exists()
    undone = cold.run("undo", cwd=tmp_path)
    assert undone.returncode == 0, undone
    assert {name: (tmp_path / name).read_bytes() for name in kept} == kept
    assert (tmp_path / "sparse").stat().st_size == 1 << 20


def test_every_module_can_be_loaded(bin_dir):
    """None takes for granted, when it is loaded, what only Linux has."""
    code = (
        f"import sys; sys.path.insert(0, {str(bin_dir / 'lib')!r})\n"
        + Path(bin_dir, "sitecustomize.py").read_text()
        + "import importlib, pkgutil, laconic\n"
        "skipped = ('laconic.adapters.', 'laconic.__main__')\n"
        "for module in pkgutil.walk_packages(laconic.__path__, 'laconic.'):\n"
        "    if not module.name.startswith(skipped): importlib.import_module(module.name)\n"
        "print(sys.platform)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("darwin\n", "")


def test_a_server_is_not_started_where_it_would_stay_in_our_session(server, monkeypatch):
    """Before macOS 10.15 Python cannot start a process in a session of its own by posix_spawn()."""
    from laconic.server import start

    def refused(*_given, **_more):
        raise NotImplementedError("setsid")

    monkeypatch.setattr(os, "posix_spawn", refused)
    monkeypatch.setattr(start, "find_program", lambda: str(server.bin_dir / "laconic-py"))
    monkeypatch.setattr(start, "take_lock", lambda _: os.open(os.devnull, os.O_WRONLY))
    assert start.start(server.environ) is False
