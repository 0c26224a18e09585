"""Real agents in their modes: who asks about what is soft; what is hard never runs unanswered."""

from __future__ import annotations

import pytest

from e2e.agents import Place, read_agents
from e2e.conftest import FILTER, MEASURE, PROFILE, TRACER
from e2e.model import Model

MODES = [(agent, mode) for agent in read_agents().values() for mode in agent.modes]

# A refusal may end a conversation, so what may be refused by the agent itself comes last.
RULED, HARD, SECRET, SOFT = "gauge 30 0", "ssh host ls", "cat .env", "touch soft"


@pytest.fixture(scope="session", params=MODES, ids=lambda row: f"{row[0].name}-{row[1]}")
def worked(request, tmp_path_factory):
    """What came of four commands in one mode of an agent whose user allows one of them."""
    agent, name = request.param
    if not agent.path.exists():
        pytest.skip(f"{agent.name} {agent.version} is not in the cache: make e2e fetches it")
    mode = agent.modes[name]
    agent = agent._replace(run=tuple(mode["run"]))
    with Model() as model:
        place = Place(agent, tmp_path_factory.mktemp(f"{agent.name}-{name}"), model)
        place.write(".config/laconic/filters/gauge.toml", FILTER.replace("sabotage", "gauge"))
        place.write(".profile", PROFILE)
        place.write("bin/gauge", MEASURE, 0o755)
        place.write("bin/ssh", TRACER, 0o755)
        place.write("project/.env", "TOKEN=hush\n")
        for path, text in agent.rules.items():
            place.write(path, text)
        place.call("git", "init", "--quiet", "--initial-branch=main")
        place.call(place.laconic, "install", agent.name, "--global", "--yes")
        work = place.work([RULED, HARD, SECRET, SOFT])
        assert len(work.results) >= 3, work
        yield place, mode, work
        place.run([place.laconic, "server", "stop"])


def test_a_soft_command_meets_the_agents_own_rules_and_question(worked):
    place, mode, work = worked
    has_run = (place.project / "soft").exists()
    assert has_run == (mode["soft"] == "runs"), work
    assert "laconic" not in "".join(work.results[3:]), work


def test_what_the_user_allows_runs_with_compact_output(worked):
    _, mode, work = worked
    assert "measured: 42" in work.results[0], work
    assert ("noise 7 " in work.results[0]) == (mode["ruled"] != "compact"), work


def test_a_hard_command_never_runs_without_an_answer(worked):
    place, _, work = worked
    assert not (place.home / "ran-ssh").exists(), work
    assert "hush" not in "".join(work.results), work


def test_the_model_reads_why_and_how_a_person_can_allow_it(worked):
    work = worked[2]
    assert "laconic allow --always 'ssh host ls'" in work.results[1], work
    assert "laconic allow 'cat .env' --for 30m" in work.results[2], work
