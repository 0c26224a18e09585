"""A terminal that stays open: where it is, and which of what is typed is a command."""

from __future__ import annotations

import pytest

import laconic
from laconic.library.terminal import Terminal


@pytest.fixture
def terminal(tmp_path):
    return Terminal(laconic.Gate(), tmp_path)


@pytest.mark.parametrize("key", ["C-c", "C-d", "UP", "ENTER", "y", "1", "", " q\n"])
def test_keys_are_not_commands(terminal, key):
    assert terminal.hook(key, is_input=True) is None


@pytest.mark.parametrize("text", ["rm -rf /", "!rm -rf ~", "C-c; ls", "y\nrm -rf /", "no way"])
def test_other_input_is_judged_because_a_shell_may_read_it(terminal, text):
    assert terminal.hook(text, is_input=True).verdict != "allow"


def test_a_key_that_is_not_input_is_a_command(terminal):
    assert terminal.hook("y").verdict == "ask"
    assert terminal.hook("") is None


def test_a_command_is_judged_where_the_one_before_has_left_the_terminal(terminal, tmp_path):
    assert terminal.hook("pwd").envelope.cwd == str(tmp_path)
    terminal.moved("/etc")
    assert terminal.hook("pwd").envelope.cwd == "/etc"
    terminal.moved("")  # it is not known
    assert terminal.hook("pwd").envelope.cwd == "/etc"


def test_a_reset_leads_back_to_where_it_began(terminal, tmp_path):
    terminal.moved("/etc")
    assert terminal.hook("rm -rf x", resets=True).envelope.cwd == str(tmp_path)
    assert terminal.hook("pwd").envelope.cwd == "/etc"  # the reset has only been asked about
    terminal.moved(None, resets=True)
    assert terminal.hook("pwd").envelope.cwd == str(tmp_path)


def test_a_yes_is_for_one_run_of_one_command_in_one_place(terminal):
    assert not terminal.asks(terminal.hook("ls"))
    assert terminal.asks(terminal.hook("./deploy.sh"))
    assert not terminal.was_asked(terminal.hook("./deploy.sh now"))
    assert terminal.was_asked(terminal.hook("./deploy.sh"))
    assert not terminal.was_asked(terminal.hook("./deploy.sh"))
    assert terminal.asks(terminal.hook("./deploy.sh"))
    terminal.moved("/etc")
    assert not terminal.was_asked(terminal.hook("./deploy.sh"))
