"""What commands in the box write into the home: it is named, can be kept, and can be forgotten."""

from __future__ import annotations

import os
import subprocess

import pytest

from box.conftest import LACONIC
from laconic.box import written


def run(place, *words):
    """Run a command as an agent does; what was printed, both streams."""
    done = subprocess.run(
        [*LACONIC, *words], cwd=place, capture_output=True, text=True, check=False, timeout=60
    )
    return done.returncode, done.stdout + done.stderr


def boxed(place, script):
    return run(place, "run", "--box", "bash", "-c", script)[1]


def test_what_is_no_cache_is_named_once(box, home):
    (home / ".config/app").mkdir(parents=True)
    said = boxed(box.project, "touch ~/marker; echo x > ~/.config/app/x; mkdir -p ~/.cache/tool")
    where = "were written in this project's box only; "
    assert f"[laconic: ~/.config/app/x, ~/marker {where}" in said
    assert said.rstrip().endswith("box keep ~/.config/app/x puts it into the real home]")
    assert "laconic:" not in boxed(box.project, "touch ~/marker ~/.cache/more")
    # new directories on the way to a cache are not what was written
    assert "laconic:" not in boxed(box.project, "mkdir -p ~/.local/share/pnpm/store")
    said = boxed(box.project, "mkdir -p ~/.local/share/app; touch ~/.local/own")
    assert f"[laconic: ~/.local/own, ~/.local/share/app {where}" in said
    assert "[laconic: ~/other was written " in boxed(box.project, "touch ~/other")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (".cache/x/y", True), ("go/pkg/mod/a", True), (".npm", True), (".bash_history", True),
        (".local/state/x", True), (".config/configstore/a.json", True), ("goods", False),
        (".config/app/x", False), (".local/share/app", False), ("src/go", False),
        (".terraform.d/x", True), (".bashrc", False), (".cachet", False),
    ],
)  # fmt: skip
def test_which_names_are_caches(name, expected):
    assert written.is_cache(name) == expected


def test_it_can_be_put_into_the_home(box, home):
    boxed(box.project, "mkdir ~/made; echo x > ~/made/x; echo m > ~/marker")
    assert run(box.project, "box", "keep", str(home / "marker"), str(home / "made"))[0] == 0
    assert (home / "marker").read_text() == "m\n"
    assert (home / "made/x").read_text() == "x\n"
    assert "is there already" in run(box.project, "box", "keep", str(home / "marker"))[1]


@pytest.mark.parametrize(
    ("script", "name", "reason"),
    [
        ("echo x > ~/.bashrc", ".bashrc", "decides what programs run later"),
        ("mkdir -p ~/d; echo x > ~/d/.envrc", "d", "decides what programs run later"),
        ("mkdir ~/d; ln -s /etc/passwd ~/d/x", "d", "is a symbolic link"),
        ("ln -s /etc ~/way", "way", "is a symbolic link"),
        ("true", "nothing", "no command has written"),
        ("mkdir -p ~/.ssh; echo x > ~/.ssh/authorized_keys", ".ssh", "holds keys"),
    ],
)
def test_what_cannot_be_put_there(box, home, script, name, reason):
    boxed(box.project, script)
    status, said = run(box.project, "box", "keep", str(home / name))
    assert (status, reason in said) == (1, True), said
    assert not (home / name).exists()


def test_all_of_it_can_be_forgotten(box, home):
    boxed(box.project, "echo m > ~/marker; echo t > /var/tmp/t; touch here")
    process = box.start("echo ready; read x", stdin=subprocess.PIPE)
    process.stdout.readline()
    assert "still runs in this box" in run(box.project, "box", "reset")[1]
    process.communicate("\n", timeout=20)
    status, said = run(box.project, "box", "reset")
    while "still runs" in said:  # its end takes a moment
        status, said = run(box.project, "box", "reset")
    assert status == 0
    assert box.sh("ls ~/marker; cat ~/.gitconfig; ls here").stdout.endswith("here\n")
    assert not box.sh("ls ~/marker").stdout
    assert (box.project / "here").exists()
    assert (home / ".gitconfig").exists()


def test_the_oldest_caches_go_if_there_is_too_much(box, monkeypatch):
    boxed(
        box.project,
        "for n in old new; do mkdir -p ~/.cache/$n; head -c 300000 /dev/zero > ~/.cache/$n/x; done;"
        "touch -d 2001-01-01 ~/.cache/old/x; head -c 300000 /dev/zero > ~/mine",
    )
    monkeypatch.setattr(written, "_MOST_BYTES", 800_000)
    monkeypatch.setattr(written, "_LEFT_BYTES", 700_000)
    upper = box.directory / "over/upper"
    while (upper / ".cache/old").exists():  # the box may not have ended yet
        written.trim(str(box.directory))
    assert sorted(os.listdir(upper / ".cache")) == ["new"]
    assert (upper / "mine").exists()


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("echo 'error: MY_API_KEY is not set' >&2; exit 1", True),
        ("python3 -c \"import os; os.environ['MY_API_KEY']\"", True),
        ("echo 'error: MY_API_KEY is not set' >&2", False),
        ("echo uses MY_API_KEY; exit 1", False),
        ("echo OTHER is not set; exit 1", False),
    ],
)
def test_a_variable_that_is_withheld_and_asked_for_is_named(box, monkeypatch, script, expected):
    monkeypatch.setenv("MY_API_KEY", "abc")
    assert ("withholds MY_API_KEY" in boxed(box.project, script)) == expected
