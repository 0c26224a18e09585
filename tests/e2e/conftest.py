"""A home for each agent, with laconic installed in it as a user would; run by `make e2e` only."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from e2e.agents import Agent, Place, read_agents
from e2e.model import Model

HERE = Path(__file__).parent
AGENTS = read_agents()

CONFIGURATION = """
[commands]
allow = ["measure", "sabotage"]
ask = ["enquire"]
deny = ["demolish"]
"""

# A filter of the user's own, so that no change of a built-in one matters here.
FILTER = """
command = ["measure", "sabotage"]
kind = "summary"
drop = ["^noise "]

[[example]]
command = "measure"
status = 0
input = "noise 1\\nmeasured: 42\\n"
output = "measured: 42\\n"
"""

# Login shells set PATH anew: the user's tools are on it, laconic is not.
PROFILE = """
PATH="$HOME/bin:$PATH"
"""

# measure LINES STATUS: lines of 50 bytes
MEASURE = """#!/bin/sh
seq "$1" | sed 's/.*/noise & ........................................../; s/^\\(.\\{49\\}\\).*/\\1/'
echo "measured: 42"
[ "$2" = 0 ] || echo "error: it broke" >&2
exit "$2"
"""

# Ends the server of this home while laconic runs the command.
SABOTAGE = """#!/bin/sh
export XDG_RUNTIME_DIR="$(cat "$HOME/runtime")"
server=$("$HOME/laconic/bin/laconic" server status | sed -n 's/^process *//p')
[ "$server" -gt 1 ] && kill -KILL "$server" && echo killed
measure 30 5
"""

# Says what it was given, and leaves a trace that it ran.
TRACER = """#!/bin/sh
touch "$HOME/ran-${0##*/}"
printf '<%s>' "${0##*/}" "$@"
"""


def pytest_ignore_collect(collection_path, config):
    """Real agents are tested when they are asked for, not by `make test`."""
    if not collection_path.name.endswith("_test.py"):
        return None
    named = [Path(str(word).partition("::")[0]) for word in config.invocation_params.args]
    return not any(path.absolute().is_relative_to(HERE) for path in named)


@pytest.fixture(scope="session", params=AGENTS)
def agent(request) -> Agent:
    agent = AGENTS[request.param]
    if not agent.path.exists():
        pytest.skip(f"{agent.name} {agent.version} is not in the cache: make e2e fetches it")
    return agent


@pytest.fixture(scope="session")
def place(agent, tmp_path_factory):
    with Model() as model:
        place = Place(agent, tmp_path_factory.mktemp(agent.name), model)
        place.write(".config/laconic/config.toml", CONFIGURATION)
        place.write(".config/laconic/filters/measure.toml", FILTER)
        place.write(".profile", PROFILE)
        place.write("bin/measure", MEASURE, 0o755)
        place.write("bin/sabotage", SABOTAGE, 0o755)
        for name in ("demolish", "enquire", "unheard-of"):
            place.write(f"bin/{name}", TRACER, 0o755)
        _write_history(place)
        place.call(place.laconic, "install", agent.name, "--global", "--yes")
        yield place
        if find_server(place):
            place.call(place.laconic, "server", "stop")


def _write_history(place: Place) -> None:
    place.call("git", "init", "--quiet", "--initial-branch=main")
    identity = ["-c", "user.name=dev", "-c", "user.email=dev@example.com"]
    for number in range(20):
        message = f"change {number}"
        place.call("git", *identity, "commit", "--quiet", "--allow-empty", "-m", message)


def find_server(place: Place) -> int:
    """Return the process id of the server of this home; 0 if none is running."""
    said = place.run([place.laconic, "server", "status"]).said
    found = re.search(r"^process +(\d+)$", said, re.MULTILINE)
    return int(found[1]) if found and found[1] != "1" else 0
