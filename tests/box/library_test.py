"""A Gate that uses the box: what would be asked about runs there."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

import laconic
from laconic.box.trial import try_box
from laconic.contain import look
from laconic.engine import Request, decide_request

pytestmark = pytest.mark.usefixtures("can_box")
OUTSIDE = "outside-4711"


@pytest.fixture
def script(project, monkeypatch):
    monkeypatch.chdir(project)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert try_box(dict(os.environ)).is_good
    path = project / "run"  # what the gate reads of a script, it judges
    path.write_text(
        "#!/usr/bin/env python3\nimport pathlib\nprint('out')\npathlib.Path('made').touch()\n"
        f"pathlib.Path.home().joinpath('{OUTSIDE}').touch()\n"
    )
    path.chmod(0o755)
    return "./run"


def test_code_runs_in_the_box_and_not_without_it(script, project, home):
    assert laconic.Gate().run(script).status == 126
    gate = laconic.Gate(box=True, undo=True)
    envelope = gate.decide(script)
    assert (envelope.verdict, envelope.decision.in_box) == ("allow", True)
    for run in (gate.run, lambda command: asyncio.run(gate.arun(command))):
        result = run(script)
        assert (result.status, result.stdout.splitlines()[0]) == (0, "out")
        assert (project / "made").exists()
        assert not (home / OUTSIDE).exists()
        gate.undo(result)
        assert not (project / "made").exists()


def test_a_gate_answers_as_the_command_line_does(script):
    settings = laconic.load_settings()
    gate = laconic.Gate(settings=settings, box=True)
    for command in (script, "ls", "git push", "rm -rf /", "npm publish", "python3 -m pytest"):
        request = Request(command, os.getcwd(), os.environ)
        shown, _ = look(request, decide_request(request, settings), settings)
        assert gate.decide(command).verdict == shown.verdict, command


def test_a_tool_gets_the_boxed_text_and_a_list_of_words_is_asked_about(script):
    gate = laconic.Gate(box=True)
    assert "run --box" in gate.hook({"command": script}, tool="x").rewritten["command"]
    assert gate.hook({"command": script.split()}, tool="x").verdict == "ask"
