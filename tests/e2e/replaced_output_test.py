"""What a command printed that did not go through laconic is compact for the model all the same."""

from __future__ import annotations

import json

import pytest

from e2e.agents import Place, read_agents
from e2e.conftest import FILTER, MEASURE, PROFILE
from e2e.model import Model

SETTINGS = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json"}
ALLOWED = '[commands]\nallow = ["measure"]\n'


@pytest.fixture(params=SETTINGS)
def place(request, tmp_path):
    """An agent that calls laconic only after a command: before it, somebody else has answered."""
    agent = read_agents()[request.param]
    if not agent.path.exists():
        pytest.skip(f"{agent.name} {agent.version} is not in the cache: make e2e fetches it")
    with Model() as model:
        place = Place(agent, tmp_path, model)
        place.write(".config/laconic/config.toml", ALLOWED)
        place.write(".config/laconic/filters/measure.toml", FILTER)
        place.write(".profile", PROFILE)
        place.write("bin/measure", MEASURE, 0o755)
        place.call("git", "init", "--quiet", "--initial-branch=main")
        place.call(place.laconic, "install", agent.name, "--global", "--yes")
        path = place.home / SETTINGS[agent.name]
        settings = json.loads(path.read_text())
        assert settings["hooks"].pop("PreToolUse")
        path.write_text(json.dumps(settings))
        yield place
        place.run([place.laconic, "server", "stop"])


def test_the_model_reads_the_compact_output_and_how_to_see_the_rest(place):
    (text,) = place.work(["measure 30 0"]).results
    assert "measured: 42" in text
    assert "noise 7 " not in text
    assert "lines hidden: " in text
