"""Never worse than without: what agents run unasked by their own lists, they run with laconic.

Without a terminal, a question is a refusal. Some agents offer a model no shell at all there, and
are run at a terminal, where each dialog is answered with Yes.
"""

from __future__ import annotations

import pytest

from e2e.agents import Place, read_agents
from e2e.conftest import PROFILE
from e2e.dialogs_test import LIMIT_S, TMUX, Terminal, work
from e2e.model import Model

AGENTS = [
    agent._replace(run=tuple(run))
    for agent in read_agents().values()
    for run in agent.unasked or ([[]] if agent.terminal else [])
]
# What the agents' lists have, and lines that they take apart; each prints one of MARKS.
COMMANDS = (
    "ls", "cat zebra.txt", "head -1 zebra.txt", "wc -l zebra.txt", "grep -n stripes zebra.txt",
    "find . -name 'zebra*'", "git status --short", "git log -3", "git diff", "git show --stat",
    "echo zebra", "pwd", "stat zebra.txt", "ls | head -3", "cat zebra.txt && ls",
    "git log --oneline | head -2", "sort zebra.txt", "cd . && git status --short",
    "grep -r stripes .",
)  # fmt: skip
MARKS = ("zebra", "stripes", "change ", "project")


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: "".join([agent.name, *agent.run]))
@pytest.mark.parametrize("profile", ["guard", "default"])
def test_what_the_agent_runs_unasked_is_run_with_laconic(agent, profile, tmp_path):
    if not agent.path.exists():
        pytest.skip(f"{agent.name} {agent.version} is not in the cache: make e2e fetches it")
    if not (agent.unasked or TMUX):
        pytest.skip("tmux is not installed")
    with Model() as model:
        place = _place(agent, tmp_path / "home", model)
        without, said = _run(place)
        assert without, f"the agent ran nothing. {said}"
        place.call(place.laconic, "install", agent.name, "--global", "--yes", "--profile", profile)
        lost = without - _run(place)[0]
        place.run([place.laconic, "server", "stop"])
    assert not lost, f"asked about with laconic only: {sorted(lost)}"


def _place(agent, home, model) -> Place:
    place = Place(agent, home, model)
    place.write(".profile", PROFILE)
    place.write("project/zebra.txt", "stripes\n")
    place.call("git", "init", "--quiet", "--initial-branch=main")
    who = ["-c", "user.name=dev", "-c", "user.email=dev@example.com"]
    for number in range(3):
        place.call("git", "add", ".")
        note = f"change {number}"
        place.call("git", *who, "commit", "--quiet", "--allow-empty", "-m", note)
        place.write("project/zebra.txt", "stripes\n" * (number + 2))
    return place


def _run(place: Place) -> tuple[set[str], str]:
    """Return the commands that ran unasked, and what the agent said."""
    asked, said = {}, ""
    if place.agent.unasked:
        done = place.work(COMMANDS, LIMIT_S)
        results, said = done.results, str(done)
    else:
        place.model.script(place.agent.tool, [place.input_for(line) for line in COMMANDS])
        terminal = Terminal(place, place.agent.terminal["modes"]["default"])
        try:
            asked = work(place, terminal, list(COMMANDS))
        finally:
            terminal.close()
        results = place.model.results
    ran = {number for number, said in enumerate(results) if any(mark in said for mark in MARKS)}
    return {COMMANDS[number] for number in ran - asked.keys()}, said
