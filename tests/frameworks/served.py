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
        program = scenario.programs / "laconic"
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
    """What a model reads; what a program reads says the same."""
    text = "\n".join(part.text for part in result.content)
    structured = structured_of(result)
    if structured is not None:  # of an argument that is refused there is nothing to tell
        assert structured["text"] == text, structured
        if "status" in structured:
            assert is_error(result) is (structured["status"] != 0), structured
    return text


def structured_of(result: Any) -> Any:
    return getattr(result, "structured_content", getattr(result, "structuredContent", None))


def is_error(result: Any) -> bool:
    return bool(getattr(result, "is_error", getattr(result, "isError", None)))


async def check_tools(client: Any, gate: Any) -> None:
    """The schemas, and what is told of calls that end in other ways than well."""
    tools = {
        tool.name: tool.model_dump(by_alias=True) for tool in (await client.list_tools()).tools
    }
    for tool in tools.values():
        parts = (tool["inputSchema"], tool["outputSchema"])
        assert all(p.get("description") for s in parts for p in s["properties"].values()), tool
        assert tool["inputSchema"]["additionalProperties"] is False, tool
        assert tool["title"], tool
        assert tool["description"] == tool["description"].strip(), tool
    assert tools["run_command"]["annotations"]["destructiveHint"] is True
    assert tools["recall"]["annotations"]["readOnlyHint"] is True
    for arguments, status, verdict in (
        ({"command": "echo x"}, 0, "allow"),
        ({"command": "exit 3"}, 3, "allow"),
        ({"command": "rm -rf /"}, 126, "deny"),
        ({"command": "sleep 9", "timeout_s": 0.1}, 124, "allow"),
    ):
        told = await client.call_tool("run_command", arguments)
        text_of(told)
        assert (structured_of(told)["status"], structured_of(told)["verdict"]) == (status, verdict)
    assert is_error(await client.call_tool("recall", {"id": "zzzzzz"}))
    for wrong in ({"command": "echo x", "timeout": 3}, {"timeout_s": 3}, {"command": 5}):
        assert is_error(await client.call_tool("run_command", wrong)), wrong
    heard: list[float] = []

    async def hear(progress: float, *_: Any) -> None:
        heard.append(progress)

    command = "for n in 1 2 3; do echo $n; sleep 0.7; done"
    await client.call_tool("run_command", {"command": command}, progress_callback=hear)
    assert len(heard) > 1, heard
    assert heard == sorted(heard), heard
    gate.audit_log.take()
