"""Real agents read files with tools of their own: not a secret, unless a person says so."""

from __future__ import annotations

import pytest

from e2e.agents import Place, read_agents
from e2e.model import Model

# The tool that reads, and its field for the path.
READERS = {
    "claude-code": ("Read", "file_path"),
    "copilot": ("view", "path"),
    "droid": ("Read", "file_path"),
    "gemini": ("read_file", "file_path"),
    "pi": ("read", "path"),
    "qwen": ("read_file", "file_path"),
}


@pytest.mark.parametrize("name", READERS)
def test_a_plain_file_is_read_and_a_secret_is_not(name, tmp_path):
    agent = read_agents()[name]
    if not agent.path.exists():
        pytest.skip(f"{agent.name} {agent.version} is not in the cache: make e2e fetches it")
    tool, field = READERS[name]
    agent = agent._replace(tool=tool, arguments={field: "COMMAND"})
    with Model() as model:
        place = Place(agent, tmp_path, model)
        place.write("project/.env", "TOKEN=hush\n")
        place.write("project/server.pem", "hush\n")
        place.write("project/plain.txt", "hello there\n")
        place.call("git", "init", "--quiet", "--initial-branch=main")
        place.call(place.laconic, "install", agent.name, "--global", "--yes")
        try:
            # Gemini CLI refuses to read .env by itself.
            names = ("plain.txt", "server.pem", ".env")
            work = place.work([str(place.project / name) for name in names])
        finally:
            place.run([place.laconic, "server", "stop"])
    assert "hello there" in work.results[0], work
    assert "hush" not in "".join(work.results), work
    assert "may hold keys, passwords or tokens" in work.results[1], work
