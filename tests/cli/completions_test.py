"""Completions in real shells: with the key that completes in bash and zsh; fish is asked."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from laconic.cli import main as cli
from laconic.cli.completion_values import KINDS, values
from laconic.cli.completions import levels
from laconic.errors import LaconicError
from laconic.record.runs import record_run
from machine import each_of, needs
from records import a_run

PROGRAM = Path(sys.executable).with_name("laconic-py")
# A program with a completion of its own: the shell's, which laconic has to leave it to.
FROB = {
    "bash": '_frob() { COMPREPLY=($(compgen -W "start-it halt-it" -- "$2")); }\n'
    "complete -F _frob frob",
    "zsh": "_frob() { compadd start-it halt-it }; compdef _frob frob",
    "fish": "complete -c frob -f -a 'start-it halt-it'",
}
CASES = [
    ("laconic compl", "laconic completions"),
    ("laconic config uns", "laconic config unset"),
    ("laconic config show --sou", "laconic config show --sources"),
    ("laconic gain --by sess", "laconic gain --by session"),
    ("laconic check --profile stri", "laconic check --profile strict"),
    ("laconic install claude-", "laconic install claude-code"),
    ("laconic doctor claude-", "laconic doctor claude-code"),
    ("laconic log --agent droi", "laconic log --agent droid"),
    ("laconic filters show cargo/nex", "laconic filters show cargo/nextest"),
    ("laconic run --filter cargo/nex", "laconic run --filter cargo/nextest"),
    ("laconic rules show git/stat", "laconic rules show git/status"),
    ("laconic recall k3f", "laconic recall k3f9ab"),
    ("laconic config get settings.pro", "laconic config get settings.profile"),
    ("laconic help uninst", "laconic help uninstall"),
    ("laconic completions fi", "laconic completions fish"),
    ("laconic run frob sta", "laconic run frob start-it"),
    (
        "laconic run --raw --filter git/log frob ha",
        "laconic run --raw --filter git/log frob halt-it",
    ),
    ("laconic err frob sta", "laconic err frob start-it"),
    ("laconic try frob ha", "laconic try frob halt-it"),
    ("laconic run --pref", "laconic run --prefer-less"),
]


@pytest.fixture
def scripts(tmp_path):
    """The scripts of the three shells, with `frob` and its own completion."""
    for shell, frob in FROB.items():
        made = subprocess.run([PROGRAM, "completions", shell], capture_output=True, check=True)
        path = tmp_path / f"completions.{shell}"
        path.write_bytes(made.stdout + b"\n" + frob.encode() + b"\n")
    bin_dir = tmp_path / "bin"
    bin_dir.mkdir()
    (bin_dir / "laconic").symlink_to(PROGRAM)
    (bin_dir / "frob").write_text("#!/bin/sh\n")
    (bin_dir / "frob").chmod(0o755)
    return tmp_path


@pytest.fixture(autouse=True)
def _runs(home):
    record_run(home / ".local/state/laconic", a_run(raw_id="k3f9ab"))


class Typed:
    """A shell at a pseudo-terminal."""

    def __init__(self, words, environ):
        self._leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        self._process = subprocess.Popen(
            words, stdin=follower, stdout=follower, stderr=follower, env=environ,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - no threads
        )  # fmt: skip
        os.close(follower)

    def type(self, text, until, limit_s=60):
        """Send keys and read until a text appears."""
        os.write(self._leader, text.encode())
        seen, end = "", time.monotonic() + limit_s
        while until not in seen and time.monotonic() < end:
            if select.select([self._leader], [], [], 0.2)[0]:
                seen += os.read(self._leader, 65536).decode(errors="replace")
        assert until in seen, seen
        return seen

    def end(self):
        os.close(self._leader)
        self._process.kill()
        self._process.wait()


START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "bind 'set bell-style none'"),
    "zsh": (["zsh", "-f", "-i"], "unsetopt beep promptcr; autoload -U compinit; compinit -u -D"),
}
SHOW = {
    # The line as it is when return is pressed, between marks that nobody types.
    "bash": 'laconic() { if [[ $2 == --values ]]; then command laconic "$@"; '
    'else echo "<""<laconic $*>"">"; fi; }',
    "zsh": 'laconic() { if [[ $2 == --values ]]; then command laconic "$@"; '
    'else print -r -- "<""<laconic $*>"">"; fi }',
}


@pytest.mark.parametrize("shell", each_of("bash", "zsh"))
def test_a_shell_completes_what_is_typed(shell, scripts):
    words, setup = START[shell]
    environ = {**os.environ, "PATH": f"{scripts}/bin:{os.environ['PATH']}", "TERM": "dumb"}
    typed = Typed(words, {**environ, "PS1": "% "})
    try:
        typed.type(f"{setup}\nsource {scripts}/completions.{shell}\n{SHOW[shell]}\necho rea''dy\n",
                   "ready")  # fmt: skip
        for line, expected in CASES:
            typed.type(f"{line}\t\n", f"<<{expected}>>")
    finally:
        with contextlib.suppress(OSError):
            typed.end()


@needs("fish")
def test_fish_completes(scripts):
    """One process for all of them; a line of its own ends the answer to each."""
    asked = "; ".join(f"complete -C '{line}'; echo end" for line, _ in CASES)
    asked += "; complete -C 'laconic recall k'"
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"source {scripts}/completions.fish; {asked}"],
        env={**os.environ, "PATH": f"{scripts}/bin:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    *answers, about = done.stdout.split("end\n")
    found = [[line.partition("\t")[0] for line in answer.splitlines()] for answer in answers]
    assert found == [[expected.split()[-1]] for _, expected in CASES]
    assert about == "k3f9ab\tcargo test\n"


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_safe_to_print_and_there(kind, home):
    record_run(home / ".local/state/laconic", a_run("x\x1b[2J\n\ty" * 40, raw_id="k3f9ac"))
    assert cli.run(["allow", "npm publish"]) == 0
    found = list(values(kind))
    assert found
    for text, about in found:
        assert (text + about).isprintable()
        assert "\t" not in text
        assert len(about) <= 61


def test_values_that_cannot_be_read_are_none(capsys, monkeypatch):
    def broken():
        raise LaconicError("records.db: was written by a newer laconic")

    monkeypatch.setitem(KINDS, "outputs", broken)
    assert cli.run(["completions", "--values", "outputs"]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_shell_must_be_named(capsys):
    assert cli.run(["completions"]) == 2
    assert "laconic completions bash|fish|zsh" in capsys.readouterr().err


def test_every_value_of_an_option_has_a_kind_or_is_free():
    kinds = {kind for level in levels(cli.build_parser()) for kind in level.values.values()}
    assert {"filters", "agents", "outputs", "directories"} <= kinds
