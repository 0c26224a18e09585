"""`laconic mcp` over stdio with the client of the mcp package, then its server in this process."""

import asyncio
import os
import re
import sys
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp.types import ElicitResult

import laconic
from frameworks.scenario import NO, TURNS, YES, Scenario
from laconic.adapters.mcp import server

scenario = Scenario()
program = scenario.here / "bin/laconic"
program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m laconic "$@"\n')
program.chmod(0o755)


def single(text: str) -> str | None:
    """The next command, as long as there is one in a turn."""
    commands = scenario.next_commands(text)
    return commands[0] if len(commands) == 1 else None


config = Path.home() / ".config/laconic/config.toml"
config.parent.mkdir(parents=True)
config.write_text('[rules]\nstacks = ["python"]\n')
scenario.run_page("mcp", model=single, environment=dict(os.environ))
over_stdio = scenario.abilities()
assert "NO" not in over_stdio.values(), over_stdio
(scenario.here / "ran").unlink()
recalled = re.search(r"laconic recall (\w+)", "\n".join(scenario.seen))
scenario.seen, scenario.asked = ["go"], []
gate = laconic.Gate(stacks=["python"])


async def ask(_: Any, question: Any) -> ElicitResult:
    yes = scenario.ask_a_person(question.message)
    if not yes:
        return ElicitResult(action="decline")
    return ElicitResult(action="accept", content={"run": True})


async def conversation(**how: Any) -> None:
    async with Client(server(gate), elicitation_callback=ask, **how) as client:

        async def text(tool: str, **arguments: str) -> str:
            result = await client.call_tool(tool, arguments)
            return "\n".join(part.text for part in result.content)

        for commands in TURNS:
            results = [text("run_command", command=command) for command in commands]
            scenario.seen.append(scenario.seen[-1] + "\n".join(await asyncio.gather(*results)))
        assert recalled
        assert "dev@example.com" in await text("recall", id=recalled[1])
        assert (await text("recall", id=recalled[1], grep="change 7$")).endswith(":    change 7\n")
        assert "no output has the id" in await text("recall", id="../../etc")


async def without_a_person() -> None:
    async with Client(server(gate)) as client:
        for command in (YES, NO):
            result = await client.call_tool("run_command", {"command": command})
            assert "needs consent" in result.content[0].text, result


asyncio.run(conversation(mode="legacy"))  # the protocol before 2026-07-28
scenario.report(gate)
asyncio.run(without_a_person())
