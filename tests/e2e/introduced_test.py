"""`[hooks] introduce`: what a model is told when a session begins reaches it."""

from __future__ import annotations

import json

import pytest

from e2e.agents import Place, read_agents
from e2e.model import Model
from laconic.hooks.answer import INTRODUCTION


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_the_model_reads_it_only_if_the_user_wants_that(name, tmp_path):
    agent = read_agents()[name]
    if not agent.path.exists():
        pytest.skip(f"{agent.name} {agent.version} is not in the cache: make e2e fetches it")
    told = json.dumps(INTRODUCTION)[1:40]
    with Model() as model:
        for wish in ("false", "true"):
            place = Place(agent, tmp_path / wish, model)
            place.write(".config/laconic/config.toml", f"[hooks]\nintroduce = {wish}\n")
            place.call("git", "init", "--quiet")
            place.call(place.laconic, "install", name, "--global", "--yes")
            place.work(["ls"])
            bodies = json.dumps([request.body for request in model.requests])
            place.run([place.laconic, "server", "stop"])
            assert (told in bodies) == (wish == "true")
