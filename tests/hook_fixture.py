"""What tests of hooks share: a place with a home, cases, and calls of Claude Code."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from laconic.agents.load import ALIASES, hooked, load
from laconic.hooks.answer import answer
from laconic.shell.words import quoted

CASES = Path(__file__).parent / "cases/hooks"
PATHS = sorted(CASES.glob("*/*.json"))
REASON = "because of some rule"
REWRITTEN = "laconic run "


def named(path):
    return f"{path.parent.name}-{path.stem}"


@pytest.fixture
def place(home, tmp_path):
    """A project directory, and the environment of a hook that finds a `laconic`."""
    program = home / "bin/laconic"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    environ = {
        "HOME": str(home),
        "PATH": f"{program.parent}:/usr/bin:/bin",
        "SHELL": "/bin/bash",
        "LACONIC_CONFIG_DIR": str(home / "config"),
        "LACONIC_STATE_DIR": str(home / "state"),
    }
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    return Place(project, environ, home)


class Place:
    def __init__(self, project, environ, home):
        self.project, self.environ, self.home = str(project), environ, home

    def configure(self, text):
        path = self.home / "config/config.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def answer(self, agent, stdin, event=""):
        """Ask the hook; in a login shell it names laconic by its full path, the cases by name."""
        data = stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode()
        given = answer(agent, event, data, self.environ, self.project)
        given.finish()
        if agent in (*hooked(), *ALIASES) and load(agent).login_shell:
            path = str(self.home / "bin/laconic").encode()
            given.stdout = given.stdout.replace(path, b"laconic")
        return given

    def log(self):
        path = self.home / "state/decisions.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()]


def filled(value, words):
    """Put values in the place of the words of a case file."""
    if isinstance(value, dict):
        return {key: filled(inner, words) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, words) for inner in value]
    if isinstance(value, str):
        for word, text in words.items():
            value = value.replace(word, text)
    return value


def read_case(path, place, command):
    words = {"COMMAND": json.dumps(command)[1:-1] if "text" in path.stem else command}
    words |= {"CWD": place.project, "REASON": REASON, "COMPACT": "short\n"}
    case = json.loads(path.read_text())
    words_of_answer = {**words, "REWRITTEN": REWRITTEN + command, "COMMAND": command}
    words_of_answer["QUOTED"] = quoted(command)
    return filled(case.pop("stdin"), words), filled(case, words_of_answer)


def is_before(path):
    """Tell whether a case is about a call that comes first, from the agent itself."""
    is_other = "by-" in path.stem or path.stem == "PermissionRequest"
    return "asked" in json.loads(path.read_text()) and not is_other


def said(given):
    """An answer as it is in a case file."""
    if given.status:
        assert not given.stdout
        return {"status": given.status, "stderr": given.stderr.decode().removesuffix("\n")}
    assert not given.stderr
    return json.loads(given.stdout) if given.stdout else ""


def ask_hook(laconic, line, project, agent="claude-code", **fields):
    """Send a line as Claude Code does; return the decision, and what the agent would run.

    laconic: the words that start it.
    """
    done = subprocess.run(
        [*laconic, "hook", agent], input=_call(line, project, fields), capture_output=True,
        check=True, cwd=project,
    )  # fmt: skip
    return _decision(done.stdout, line)


def ask_here(line, project, agent="claude-code", **fields):
    """The same, answered by this process."""
    given = answer(agent, "", _call(line, project, fields), dict(os.environ), str(project))
    given.finish()
    return _decision(given.stdout, line)


def _call(line, project, fields):
    call = {**CLAUDE, "tool_input": {"command": line}, "cwd": str(project), **fields}
    return json.dumps(call).encode()


def _decision(stdout, line):
    said = json.loads(stdout or "{}").get("hookSpecificOutput", {})
    return said.get("permissionDecision"), said.get("updatedInput", {}).get("command", line)


CLAUDE = {
    "hook_event_name": "PreToolUse",
    "permission_mode": "default",
    "tool_name": "Bash",
    "tool_input": {"command": "git status"},
}


def claude(command, **more):
    return {**CLAUDE, "tool_input": {"command": command}, **more}


def decision_of(given):
    return json.loads(given.stdout)["hookSpecificOutput"] if given.stdout else {}
