"""Secrets in the output of a command: an agent reads their names, people read all of it."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from example_tokens import TOKENS
from laconic.cli import main as cli
from runners import LACONIC, bin_dir, no_process_left, runner, runtime  # noqa: F401 - fixtures

TOKEN = TOKENS[0]
SCRIPTS = {
    "exact": "cat {}/secrets.txt",
    "generic": "sh -c 'for i in $(seq 900); do echo a line of words; done; cat {}/secrets.txt'",
    "listing": "grep -rn e {}",
    "coloured": (
        "sh -c 'for i in a b c d e f g h i j k l m n o p q r s; do"
        ' printf "\\\\033[1;31m%s is a word that nobody reads more than once\\\\033[0m\\\\n" $i;'
        " done; cat {}/secrets.txt'"
    ),
    "slow": "sh -c 'printf \"begin ghp_\"; sleep 2; cat {}/rest.txt'",
    "large": "sh -c 'seq 3000000; cat {}/secrets.txt'",
    "on stderr": "sh -c 'cat {}/secrets.txt >&2'",
    "behind a pipe": "--baseline-pipe 'tail -5' go test {}",
    "into a pipe": "--baseline-pipe 'tail -5' cat {}/secrets.txt",
    "beside a pipe": "--baseline-pipe 'tail -5' sh -c 'cat {}/secrets.txt >&2'",
    "both into a pipe": "--baseline-pipe 'grep -n e' --pipe-stderr sh -c 'cat {}/secrets.txt >&2'",
}


@pytest.fixture
def place(tmp_path, home):  # noqa: ARG001 - for a state directory of its own
    (tmp_path / "secrets.txt").write_text(f"token {TOKEN}\nvariable s3cr3t-value\n")
    (tmp_path / "rest.txt").write_text(TOKEN.removeprefix("ghp_") + "\n")
    (tmp_path / "go").write_text(f"#!/bin/sh\ncat {tmp_path}/secrets.txt\necho 'ok  \tx\t1.0s'\n")
    (tmp_path / "go").chmod(0o755)
    return tmp_path


def variables(place, **more):
    path = f"{place}:{os.environ['PATH']}"
    return {**os.environ, "MY_SECRET": "s3cr3t-value", "PATH": path, **more}


def run(place, line, **options):
    command = f"{' '.join(LACONIC)} run {line.format(place)}"
    options = {"capture_output": True, "env": variables(place)} | options
    return subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, check=False, **options)


@pytest.mark.parametrize("kind", SCRIPTS)
def test_an_agent_reads_names_in_place_of_secrets(place, kind):
    done = run(place, SCRIPTS[kind])
    shown = (done.stdout + done.stderr).decode()
    assert TOKEN not in shown
    assert "s3cr3t-value" not in shown
    assert "[hidden: GitHub token]" in shown
    if "pipe" not in kind:
        assert re.search(
            r"^\[(?:laconic: )?(?:[^]\n]*, )?\d+ secrets? masked[:,] ", shown, re.MULTILINE
        )
        raw_id = re.search(r"recall (\w{6})\]", shown)[1]
        again = subprocess.run(
            [*LACONIC, "recall", raw_id, "--grep", "secret|masked|token|hidden"],
            capture_output=True,
            env=variables(place),
            check=True,
            stdin=subprocess.DEVNULL,
        )
        assert TOKEN.encode() not in again.stdout
        assert b"[hidden: GitHub token]" in again.stdout
        assert b"masked, shown at a terminal by: " in again.stdout.splitlines()[-1]


def test_a_person_at_a_terminal_reads_and_recalls_all_of_it(place):
    shown = run(place, SCRIPTS["exact"]).stdout.decode()
    raw_id = re.search(r"recall (\w{6})\]", shown)[1]
    for words in (["run", "cat", f"{place}/secrets.txt"], ["recall", raw_id]):
        reader, writer = pty.openpty()
        subprocess.run(
            [*LACONIC, *words],
            stdin=writer,
            stdout=writer,
            stderr=writer,
            env=variables(place),
            check=True,
        )
        seen = os.read(reader, 4000)
        os.close(reader)
        os.close(writer)
        assert TOKEN.encode() in seen
        assert b"s3cr3t-value" in seen


def test_a_file_has_every_byte(place):
    with (place / "out").open("wb") as out:
        run(place, SCRIPTS["exact"], capture_output=False, stdout=out, stderr=subprocess.PIPE)
    assert TOKEN in (place / "out").read_text()


def test_without_a_secret_nothing_is_said_and_nothing_kept(place, home):
    done = run(place, "echo plain")
    assert (done.stdout, done.stderr) == (b"plain\n", b"")
    assert not list(home.glob(".local/state/laconic/raw/*"))


def test_the_notice_names_a_program_that_the_caller_can_start(place):
    for path, name, count in (
        (f"{Path(sys.executable).parent}:/usr/bin:/bin", "laconic", 2000),
        ("/usr/bin:/bin", f"{Path(sys.executable).parent}/laconic", 2001),
    ):
        line = f"sh -c 'seq -f \"step %.0f of many is done\" {count}'"
        done = run(place, line, env=variables(place) | {"PATH": path})
        assert f": {name} recall " in done.stdout.decode()
    assert cli.run(["recall", "last"]) == 0


def test_a_pipe_that_has_enough_ends_a_command_also_where_its_output_is_masked(place):
    done = run(place, "--baseline-pipe 'head -2' yes", timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"y\ny\n", b"")


def test_what_a_pipe_picks_is_printed_at_once(place):
    words = ["run", "--baseline-pipe", "grep --line-buffered e", "sh", "-c", "echo yes; sleep 30"]
    process = subprocess.Popen(
        [*LACONIC, *words], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, env=variables(place)
    )
    assert process.stdout.readline() == b"yes\n"
    process.terminate()
    process.wait(timeout=60)
    process.stdout.close()


@pytest.mark.parametrize("pipe", ["", "--baseline-pipe 'grep -a e'"])
def test_an_endless_output_is_masked_as_it_comes_and_ends_with_its_reader(place, pipe):
    line = f"{pipe} cat {{0}}/secrets.txt /dev/zero | head -c 150; echo ${{{{PIPESTATUS[0]}}}}"
    if pipe:
        line = line.replace("/dev/zero", "<(yes yes)")
    done = run(place, line, timeout=60)
    assert b"token [hidden: GitHub token]\nvariable [hidden: MY_SECRET]\n" in done.stdout
    assert done.stdout.endswith(b"141\n")
    assert done.stderr == b""
