"""The plugin for Claude Code does in the real agent what an installation does."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.agents import Place, read_agents
from e2e.conftest import CONFIGURATION, FILTER, MEASURE, PROFILE, TRACER, find_server
from e2e.model import Model

AGENT = read_agents()["claude-code"]
PLUGIN = Path(__file__).parents[2] / "packages/claude-code"


@pytest.fixture
def place(tmp_path):
    """A home where laconic is on the PATH, and the agent knows it by the plugin only."""
    if not AGENT.path.exists():
        pytest.skip(f"{AGENT.name} {AGENT.version} is not in the cache: make e2e fetches it")
    agent = AGENT._replace(run=(*AGENT.run, "--plugin-dir", str(PLUGIN)))
    with Model() as model:
        place = Place(agent, tmp_path / "home", model)
        place.write(".config/laconic/config.toml", CONFIGURATION)
        place.write(".config/laconic/filters/measure.toml", FILTER)
        place.write(".profile", PROFILE)
        place.write("bin/measure", MEASURE, 0o755)
        place.write("bin/demolish", TRACER, 0o755)
        place.call("git", "init", "--quiet", "--initial-branch=main")
        yield place
        if find_server(place):
            place.call(place.laconic, "server", "stop")


def test_commands_are_judged_and_their_output_is_compact(place):
    work = place.work(["measure 30 0", "demolish everything"])
    assert "measured: 42" in work.results[0], work
    assert "noise 7 " not in work.results[0], work
    assert "laconic recall" in work.results[0], work
    assert not (place.home / "ran-demolish").exists(), work
    assert "demolish" in work.results[1], work


def test_without_laconic_on_the_path_the_command_runs_as_typed(place):
    place.path.remove(place.laconic.parent)
    work = place.work(["measure 30 0"])
    assert "noise 7 " in work.results[0], work
    assert "laconic" not in work.results[0], work


def test_the_agent_finds_no_fault_in_the_plugin_and_the_marketplace(place):
    for directory in (PLUGIN, PLUGIN.parents[1]):
        said = place.call(AGENT.path, "plugin", "validate", directory)
        assert "Validation passed" in said
