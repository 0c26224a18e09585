"""The server starts no program for whoever connects, and serves its own user's directories."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import warm_server
from clients import bin_dir, cold, configure, needs_client, server
from laconic import __version__
from laconic.cli.main import COMMANDS
from laconic.server import wire

__all__ = ["bin_dir", "cold", "server"]  # fixtures
pytestmark = needs_client

EXTERNAL = (
    '[permissions]\nengine = "external"\n[permissions.external]\ncommand = "{}"\n'
    "timeout_ms = 5000\n"
)


@pytest.fixture(scope="module")
def attacked(bin_dir):
    """A server for all tests that leave everything as it is."""
    made = warm_server.Installation(bin_dir, dict(os.environ))
    home = made.runtime / "home"
    made.environ |= {"HOME": str(home)}
    made.environ |= {f"XDG_{kind}_HOME": f"{home}/{kind}" for kind in ("CONFIG", "STATE", "CACHE")}
    made.process = made.warm_up()
    yield made
    made.close()


def ask(server, kind, words, *, rest=b"", changes=None, directory="/"):
    """Send one frame as an attacker would; return the kind of the answer, and what it says."""
    environ = {**server.environ, **(changes or {})}
    body = wire.call(__version__, directory, list(words), environ) + rest
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(warm_server.PATIENCE_S)
        connection.connect(str(server.socket))
        connection.sendall(wire.frame(kind, body))
        while True:
            found, body = wire.receive(connection, 1 << 20)
            if found != wire.Kind.AT_WORK:
                return found, wire.ServerAnswer(body) if body else None


def hook_frame(command="git status", directory="/"):
    call = json.loads(warm_server.hook_input(command)) | {"cwd": directory}
    return wire.text(json.dumps(call).encode())


@pytest.fixture
def marker(tmp_path):
    return tmp_path / "marker"


@pytest.fixture
def program(tmp_path, marker):
    """A program that leaves a trace, and lets everything pass."""
    path = tmp_path / "program"
    path.write_text(
        f"#!/bin/sh\ncat > /dev/null\necho started >> {marker}\n"
        'echo \'{"hookSpecificOutput": {"permissionDecision": "allow"}}\'\n'
    )
    path.chmod(0o755)
    return path


WORDS = (
    *((command.name,) for command in COMMANDS),
    ("run", "--raw", "touch", "MARKER"),
    ("run", "--", "touch", "MARKER"),
    ("-c", "touch MARKER"),
    ("wrap", "touch MARKER"),
    ("config", "set", "settings.profile", "work"),
    ("install", "claude-code", "--global", "--yes"),
    ("allow", "rm -rf x", "--for", "30m"),
    ("server", "serve", "MARKER"),
    ("report", "--html", "MARKER"),
    ("--color=never", "run", "touch", "MARKER"),
    ("hook", "claude-code"),
    (),
    ("check",),
    ("check", "-"),
    ("check", "--help"),
    ("check", "a", "b"),
    ("check", "--profile", "none", "ls"),
    ("check", "--profile"),
    ("check", "--output=MARKER", "ls"),
    ("check", "--verbose", "ls"),
    ("rewrite", "--escalate-deny", "ls"),
    ("rewrite", "--profile", "work", "ls"),
    ("rewrite", "--cwd", "ls"),
)


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_what_is_no_question_is_not_answered(attacked, marker, words):
    before = files_of(attacked)
    words = [word.replace("MARKER", str(marker)) for word in words]
    assert ask(attacked, wire.Kind.QUESTION, words, rest=wire.text(b""))[0] == wire.Kind.COLD
    assert not marker.exists()
    assert files_of(attacked) == before


def files_of(server):
    """The files of the user's, but for those of the server and of tests for boxes."""
    return sorted(Path(server.environ["HOME"]).rglob("*"))


@pytest.mark.parametrize(
    "words",
    [
        ("check", "git status"),
        ("check", "--json", "--cwd", "/", "ls"),
        ("check", "ls", "--cwd=/", "--profile", "strict", "--escalate-deny"),
        ("rewrite", "--json", "--verbose", "--cwd=/", "git status"),
    ],
    ids=" ".join,
)
def test_a_question_is_answered_as_by_the_command_line(attacked, words):
    kind, said = ask(attacked, wire.Kind.QUESTION, words, rest=wire.text(b""))
    plain = attacked.run(*words, env=attacked.environ | {"LACONIC_NO_SERVER": "1"})
    assert kind == wire.Kind.ANSWER
    assert (said.rest[: said.first], said.status) == (plain.stdout, plain.returncode)


PLACES = (
    ("LACONIC_CONFIG_DIR", "laconic"), ("XDG_CONFIG_HOME", ""), ("HOME", "home"),
    ("LACONIC_STATE_DIR", "state"), ("XDG_STATE_HOME", "state"), ("LACONIC_CACHE_DIR", "cache"),
    ("XDG_CACHE_HOME", "cache"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "tail"), PLACES, ids=lambda value: value or "-")
@pytest.mark.parametrize("kind", ["hook", "check", "-c", "run"])
def test_directories_of_a_caller_are_not_those_of_the_server(
    attacked, tmp_path, program, marker, kind, name, tail
):
    evil = tmp_path / "evil"
    for folder in (evil / "laconic", evil / "home/.config/laconic"):
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text(EXTERNAL.format(program))
    changes = {name: f"{evil}/{tail}"}
    before = sorted(evil.rglob("*"))
    frame, words, rest = {
        "hook": (wire.Kind.HOOK, ["hook", "claude-code"], hook_frame("rm -f x > y", str(evil))),
        "check": (wire.Kind.QUESTION, ["check", "rm x"], wire.text(b"")),
        "-c": (wire.Kind.SHELL, ["-c", "git status"], wire.text(b"")),
        "run": (wire.Kind.RUN, ["run", "--undo", "rm", "x"], wire.number(0) + wire.texts([])),
    }[kind]
    found, _ = ask(attacked, frame, words, rest=rest, changes=changes, directory=str(evil))
    assert found == wire.Kind.COLD
    assert not marker.exists()
    assert sorted(evil.rglob("*")) == before


@pytest.mark.parametrize("kind", ["hook", "check"])
def test_a_permission_program_is_started_by_the_client(server, program, marker, kind):
    """As it has the caller's environment and directory, the server would be made to start it."""
    configure(server, EXTERNAL.format(program))
    if kind == "hook":
        frame = (wire.Kind.HOOK, ["hook", "claude-code"]), hook_frame("frobnicate x")
    else:
        frame = (wire.Kind.QUESTION, ["check", "frobnicate x"]), wire.text(b"")
    assert ask(server, *frame[0], rest=frame[1])[0] == wire.Kind.COLD
    assert not marker.exists()
    if kind == "hook":
        assert warm_server.verdict(server.hook("frobnicate x").stdout) == "allow"
    else:
        assert server.run("check", "frobnicate x").returncode == 0
    assert marker.read_text() == "started\n"
    assert server.status()["process"] == str(server.process)


def test_a_trial_of_a_box_has_nothing_of_the_callers(server, tmp_path, marker):
    """A hook that needs to know whether there can be a box is told to try that by itself."""
    source, library = tmp_path / "evil.c", tmp_path / "evil.so"
    source.write_text(
        "#include <fcntl.h>\n__attribute__((constructor)) static void begin(void) "
        f'{{ open("{marker}", O_CREAT | O_WRONLY, 0600); }}\n'
    )
    words = [warm_server.COMPILER, "-shared", "-fPIC", "-o", library, source]
    subprocess.run(words, check=True, env=os.environ)
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "x.sh").write_text("true\n")
    changes = {"LD_PRELOAD": str(library), "PATH": str(tmp_path)}
    frame = hook_frame("sh ./x.sh", str(project))
    for changed in ({}, changes):
        kind, _ = ask(server, wire.Kind.HOOK, ["hook", "claude-code"], rest=frame, changes=changed)
        assert kind == wire.Kind.COLD
    assert not Path(server.environ["XDG_STATE_HOME"], "laconic/box/usable").exists()
    assert not marker.exists()


def test_a_pipe_that_was_taken_off_does_not_run_in_the_server(server, program, marker):
    """It is a line for a shell, which gets the kept output."""
    configure(server, "")
    filters = Path(server.environ["XDG_CONFIG_HOME"], "laconic/filters")
    filters.mkdir()
    (filters / "report.toml").write_text(
        'command = ["report"]\nkind = "summary"\nkeep = ["failed"]\n'
    )
    spool = Path(server.environ["XDG_STATE_HOME"], "laconic/spool/abcdef.out")
    spool.write_text("a line\n" * 200)
    words = ["run", "--baseline-pipe", f"sh {program}", "report"]
    body = wire.call(__version__, "/", words, server.environ)
    body += wire.number(0) + wire.texts([os.fsencode(spool)])
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(server.socket))
        connection.sendall(wire.frame(wire.Kind.RUN, body))
        found, _ = wire.receive(connection, 1 << 20)
        if found == wire.Kind.ANSWER:
            done = wire.number(0) + wire.number(1) + wire.number(0)
            connection.sendall(wire.frame(wire.Kind.DONE, done))
            wire.receive(connection, 1 << 20)
    assert not marker.exists()
    assert found == wire.Kind.COLD


# -- whatever arrives ------------------------------------------------------------------------------

KINDS = [kind for name, kind in vars(wire.Kind).items() if name.isupper() and name != "STOP"]


def texts_of(whole, known):
    """Words that mean something, perhaps with others among them, or any words."""
    word = st.sampled_from(known) | st.text("ab-/=. $", max_size=6)
    some = st.lists(word, max_size=4)
    mixed = st.tuples(st.sampled_from(whole), some).map(lambda parts: [*parts[0], *parts[1]])
    return st.sampled_from(whole) | mixed | some


def test_no_frame_makes_the_server_start_a_program(server, tmp_path, program, marker):
    evil = tmp_path / "evil"
    (evil / "laconic").mkdir(parents=True)
    (evil / "laconic/config.toml").write_text(EXTERNAL.format(program))
    configure(server, EXTERNAL.format(program))
    whole = [
        ["hook", "claude-code"], ["run", "--raw", str(program)], ["check", "frobnicate x"],
        ["rewrite", f"{program}"], ["-c", str(program)], ["run", "--box", str(program)],
        ["run", "--undo", "rm", "x"], ["run", "--baseline-pipe", f"sh {program}", "ls"],
    ]  # fmt: skip
    known = sorted({word for line in whole for word in line})
    words = texts_of(whole, [*known, "--json", "--cwd", "--filter", "--", "config"])
    variables = st.dictionaries(
        st.sampled_from([name for name, _ in PLACES] + ["PATH", "SHELL", "LD_PRELOAD", "TMPDIR"]),
        st.sampled_from([str(evil), f"{evil}/laconic", str(program), ""]),
        max_size=2,
    )
    rests = st.sampled_from(
        [
            b"",
            wire.text(b""),
            hook_frame(),
            hook_frame(f"{program}; frobnicate"),
            b"\xff" * 9,
            wire.number(0) + wire.texts([b"/etc/passwd"]),
            wire.number(7) + wire.texts([]),
        ]
    )

    @settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(KINDS), words, variables, rests)
    def attack(kind, words, changes, rest):
        changes = {name: value for name, value in changes.items() if "\0" not in value}
        try:
            found, _ = ask(server, kind, words, rest=rest, changes=changes, directory=str(tmp_path))
        except (OSError, wire.WireError):
            found = b""
        allowed = {b"", wire.Kind.COLD, wire.Kind.ANSWER, wire.Kind.BECOME, wire.Kind.BOXED}
        assert found in allowed
        assert not marker.exists()

    attack()
    assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
    assert server.status()["process"] == str(server.process)


def numbers(*values):
    return b"".join(map(wire.number, values))


def test_no_bytes_harm_the_server_or_anything_outside_the_records(server, tmp_path, marker):
    """Whole conversations, with bytes of them changed, cut out and put in."""
    home, project = Path(server.environ["HOME"]), tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "f").write_text("one")
    spools = Path(server.environ["XDG_STATE_HOME"], "laconic/spool")
    paths = [os.fsencode(spools / f"abcdef.{stream}") for stream in ("out", "err")]
    words = st.sampled_from(
        [
            ["run", "sh", "-c", f"touch {marker}"], ["run", "--raw", "ls"], ["run", "git", "log"],
            ["run", "--undo", "rm", "f"], ["run", "--filter", "git/log", "ls"], ["wrap", "ls"],
            ["run", "--box", "touch", str(marker)], ["hook", "claude-code"], ["check", "rm f"],
            ["-c", f"touch {marker}"], ["run", "--baseline-pipe", f"touch {marker}", "ls"], [],
        ]
    )  # fmt: skip
    lists = st.sampled_from([[], paths, paths[:1], [b"/etc/passwd"], [paths[0] + b"/.."]])
    rests = (
        lists.map(lambda given: wire.number(0) + wire.texts(given))
        | st.just(hook_frame(f"touch {marker}", str(project)))
        | st.binary(max_size=20)
    )
    calls = st.builds(
        lambda words, rest: wire.call(__version__, str(project), words, server.environ) + rest,
        words, rests,
    )  # fmt: skip
    number = st.sampled_from([0, 1, 7, 255, 256, 1 << 31, (1 << 32) - 1])
    begun = st.builds(wire.frame, st.sampled_from(KINDS), calls)
    later = st.builds(
        wire.frame,
        st.sampled_from([wire.Kind.MORE, wire.Kind.DONE]),
        st.builds(numbers, number, number, number) | st.just(b""),
    )
    changes = st.lists(
        st.tuples(st.integers(0, 1 << 12), st.integers(0, 20), st.binary(max_size=5)), max_size=3
    )

    @settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(begun, min_size=1, max_size=2), st.lists(later, max_size=3), changes)
    def attack(first, second, changes):
        spools.mkdir(parents=True, exist_ok=True, mode=0o700)
        for path in paths:
            Path(os.fsdecode(path)).write_bytes(b"a line\n" * 99)
        data = b"".join((*first, *second))
        for at, size, put in changes:
            data = data[:at] + put + data[at + size :]
        assume(wire.MAGIC + wire.Kind.STOP not in data)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(warm_server.PATIENCE_S)
            connection.connect(str(server.socket))
            with contextlib.suppress(OSError):
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1 << 16):
                    pass
        assert not marker.exists()

    def outside_of_the_records():
        state = Path(server.environ["XDG_STATE_HOME"])
        found = (path for path in sorted(home.rglob("*")) if not path.is_relative_to(state))
        return [*found, *sorted(tmp_path.rglob("*"))]

    before = outside_of_the_records()
    attack()
    assert (project / "f").read_text() == "one"
    assert outside_of_the_records() == before
    assert warm_server.verdict(server.hook("rm -rf /").stdout) == "deny"
    assert server.status()["process"] == str(server.process)
