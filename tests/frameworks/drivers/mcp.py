"""`laconic mcp` over stdio with the client of mcp 2, then its server in this process."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import ElicitResult

import laconic
from frameworks.scenario import Scenario
from frameworks.served import all_turns, check_tools, over_stdio, text_of
from laconic.adapters.mcp import server

scenario = Scenario()
gate = laconic.Gate(stacks=["python"])


async def ask(_: Any, question: Any) -> ElicitResult:
    if not scenario.ask_a_person(question.message):
        return ElicitResult(action="decline")
    return ElicitResult(action="accept", content={"run": True})


@asynccontextmanager
async def connected(to: Any, **how: Any) -> AsyncIterator[Any]:
    async with Client(to, **how) as client:

        async def call(tool: str, **arguments: str) -> str:
            return text_of(await client.call_tool(tool, arguments))

        yield call


def without_elicitation() -> Any:
    laconic = StdioServerParameters(command="laconic", args=["mcp"], env=dict(os.environ))
    return connected(stdio_client(laconic))


async def look(gate: Any) -> None:
    async with Client(server(gate), mode="legacy") as client:
        await check_tools(client, gate)


over_stdio(scenario, "mcp", without_elicitation)
# The page speaks the newest protocol that both know; this is the one before 2026-07-28.
asyncio.run(all_turns(scenario, connected(server(gate), elicitation_callback=ask, mode="legacy")))
scenario.report(gate)
asyncio.run(look(gate))
