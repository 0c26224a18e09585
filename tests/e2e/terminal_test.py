"""Claude Code at a terminal: which dialog a person sees, and that nothing runs before an answer."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import time

import pytest

from e2e.agents import Place, read_agents
from e2e.conftest import PROFILE, TRACER
from e2e.model import Model

AGENT = read_agents()["claude-code"]
LIMIT_S = 40
QUESTION = "Do you want to proceed?"
ESCAPES = re.compile(rb"\x1b\[[0-9;?<>=]*[A-Za-z]|\x1b[()].|\x1b\][^\x07]*\x07")
HARD, SOFT = "systemctl restart app", "touch soft"


@pytest.fixture
def place(tmp_path):
    """A home in which the agent has been started before, and nothing else is asked."""
    if not AGENT.path.exists():
        pytest.skip(f"{AGENT.name} {AGENT.version} is not in the cache: make e2e fetches it")
    with Model() as model:
        place = Place(AGENT, tmp_path / "home", model)
        project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        key = AGENT.environment["ANTHROPIC_API_KEY"][-20:]
        state = {
            "hasCompletedOnboarding": True,
            "bypassPermissionsModeAccepted": True,
            "customApiKeyResponses": {"approved": [key], "rejected": []},
            "projects": {str(place.project): project},
        }
        place.write(".claude.json", json.dumps(state))
        place.write(".profile", PROFILE)
        place.write("bin/systemctl", TRACER, 0o755)
        place.call("git", "init", "--quiet", "--initial-branch=main")
        place.call(place.laconic, "install", AGENT.name, "--global", "--yes")
        yield place
        place.run([place.laconic, "server", "stop"])


def seen(place: Place, mode: str, command: str) -> str:
    """Return what stands on the screen, once there is a question or the command has run."""
    place.model.script(AGENT.tool, [place.input_for(command)])
    environment = {**place.environment, "TERM": "xterm-256color"}
    child, handle = pty.fork()
    if child == 0:
        os.chdir(place.project)
        argv = [str(AGENT.path), "--permission-mode", mode, "go"]
        os.execve(str(AGENT.path), argv, environment)
    output, text, deadline = b"", "", time.monotonic() + LIMIT_S
    try:
        while time.monotonic() < deadline and QUESTION not in text and not place.model.results:
            if select.select([handle], [], [], 0.5)[0]:
                output += os.read(handle, 1 << 16)
            text = " ".join(ESCAPES.sub(b" ", output).decode(errors="replace").split())
        time.sleep(1)  # whatever runs unasked has run by now
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(handle)
    return text


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan", "auto", "bypassPermissions"])
def test_a_hard_command_opens_a_dialog_in_every_mode_that_asks(place, mode):
    text = seen(place, mode, HARD)
    assert QUESTION in text, text[-2000:]
    assert "laconic allow --always" in text, text[-2000:]
    assert not (place.home / "ran-systemctl").exists()


def test_a_soft_command_opens_the_agents_own_dialog(place):
    text = seen(place, "default", SOFT)
    assert QUESTION in text, text[-2000:]
    assert "always allow" in text, text[-2000:]
    assert "laconic" not in text.rpartition("Bash command")[2], text[-2000:]
    assert not (place.project / "soft").exists()


@pytest.mark.parametrize("mode", ["acceptEdits", "bypassPermissions"])
def test_a_soft_command_runs_unasked_in_modes_that_say_so(place, mode):
    text = seen(place, mode, SOFT)
    assert QUESTION not in text, text[-2000:]
    assert (place.project / "soft").exists(), text[-2000:]
