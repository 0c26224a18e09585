"""What `laconic mcp` must do over stdio, for the clients of each version of the package mcp."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from frameworks.scenario import NO, TURNS, YES, Scenario

# Starts a session without elicitation for these parameters, or with it for a gate of this process;
# gives a function that calls a tool.
Session = AbstractAsyncContextManager[Callable[..., Awaitable[str]]]


def over_stdio(scenario: Scenario, page: str, connect: Callable[[], Session]) -> str:
    """Talk to the server of this environment and of the one beside it; give an id to recall."""
    config = Path.home() / ".config/laconic/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[rules]\nstacks = ["python"]\n')
    raw_id = ""
    for python in (sys.executable, os.environ["BESIDE"]):
        program = scenario.here / "bin/laconic"
        program.write_text(f'#!/bin/sh\nexec {python} -P -m laconic "$@"\n')
        program.chmod(0o755)
        alone = subprocess.run(
            ["laconic", "mcp"], stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        assert (alone.returncode, alone.stdout, alone.stderr) == (0, b"", b""), (python, alone)
        scenario.seen, scenario.asked = [], []
        scenario.run_page(page, model=_next_of(scenario), environment=dict(os.environ))
        abilities = scenario.abilities()
        assert "NO" not in abilities.values(), (python, abilities, scenario.seen)
        (scenario.here / "ran").unlink()
        raw_id = _hidden(scenario.seen)
        asyncio.run(_without_a_person(connect(), raw_id))
        assert scenario.ran == [], scenario.ran
    scenario.seen, scenario.asked = [], []
    return raw_id


def _next_of(scenario: Scenario) -> Callable[[str], str | None]:
    def single(text: str) -> str | None:
        """The next command, as long as there is one in a turn."""
        commands = scenario.next_commands(text)
        return commands[0] if len(commands) == 1 else None

    return single


def _hidden(seen: list[str]) -> str:
    found = re.search(r"laconic recall (\w+)", "\n".join(seen))
    assert found, seen
    return found[1]


async def _without_a_person(session: Session, raw_id: str) -> None:
    async with session as call:
        for command in (YES, NO):
            assert "needs consent" in await call("run_command", command=command)
        await recall(call, raw_id)


async def recall(call: Callable[..., Awaitable[str]], raw_id: str) -> None:
    assert "dev@example.com" in await call("recall", id=raw_id)
    assert (await call("recall", id=raw_id, grep="change 7$")).endswith(":    change 7\n")
    assert (await call("recall", id=raw_id, lines="1:1")).startswith("commit 0")
    assert "no output has the id" in await call("recall", id="../../etc")


async def all_turns(scenario: Scenario, session: Session) -> None:
    """All calls of one turn at once; what the model reads has all that was said before."""
    scenario.seen = ["go"]
    async with session as call:
        for commands in TURNS:
            results = [call("run_command", command=command) for command in commands]
            scenario.seen.append(scenario.seen[-1] + "\n".join(await asyncio.gather(*results)))


def text_of(result: Any) -> str:
    """What a client reads, said once: no structured content repeats it."""
    structured = getattr(result, "structured_content", getattr(result, "structuredContent", None))
    assert structured is None, structured
    return "\n".join(part.text for part in result.content)
