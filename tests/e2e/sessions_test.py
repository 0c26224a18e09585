"""What real agents keep of their sessions is what `laconic replay` reads."""

from __future__ import annotations

import pytest

from e2e.agents import Place
from e2e.model import Model
from laconic.sessions import find

READ = ("claude-code", "codex", "gemini", "opencode")
COMMANDS = ["git status", "ls nothing-here", "printf 'a\\nb\\n'"]


@pytest.fixture(scope="session")
def fresh(agent, tmp_path_factory):
    """A home in which the agent has run commands, and nobody has installed anything."""
    if agent.name not in READ:
        pytest.skip(f"the transcripts of {agent.name} are not read")
    with Model() as model:
        place = Place(agent, tmp_path_factory.mktemp(f"{agent.name}-fresh"), model)
        place.call("git", "init", "--quiet", "--initial-branch=main")
        work = place.work(COMMANDS)
        assert len(work.results) == len(COMMANDS), work
        yield place


def test_the_commands_of_a_session_are_read_with_what_they_printed(agent, fresh):
    read = find.read(find.find(fresh.environment))
    (session,) = [each for _, sessions in read for each in sessions if each.steps]
    assert session.agent == agent.name
    assert [step.command for step in session.steps] == COMMANDS
    assert {step.cwd for step in session.steps} == {str(fresh.project)}
    assert [step.status for step in session.steps] == [0, 2, 0]
    outputs = [step.output.decode().strip() for step in session.steps]
    assert outputs[0].startswith("On branch main")
    assert outputs[1] == "ls: cannot access 'nothing-here': No such file or directory"
    assert outputs[2] == "a\nb"
    assert [step.held for step in session.steps] == [3, 2, 1]


def test_the_command_finds_them(agent, fresh):
    said = fresh.call(fresh.laconic, "replay", "--profile", "work")
    assert said.startswith(f"3 commands in 1 session ({agent.name} 3)\n"), said
