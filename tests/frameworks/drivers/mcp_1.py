"""`laconic mcp` over stdio with the client of mcp 1, then its server in this process."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.shared.memory import create_connected_server_and_client_session
from mcp.types import ElicitResult

import laconic
from frameworks.scenario import Scenario
from frameworks.served import all_turns, check_tools, over_stdio, text_of
from laconic.adapters.mcp_1 import server

scenario = Scenario()
gate = laconic.Gate(stacks=["python"])


async def ask(_: Any, question: Any) -> ElicitResult:
    if not scenario.ask_a_person(question.message):
        return ElicitResult(action="decline")
    return ElicitResult(action="accept", content={"run": True})


@asynccontextmanager
async def connected(session: Any) -> AsyncIterator[Any]:
    async with session as client:

        async def call(tool: str, **arguments: str) -> str:
            return text_of(await client.call_tool(tool, arguments))

        yield call


@asynccontextmanager
async def without_elicitation() -> AsyncIterator[Any]:
    laconic = StdioServerParameters(command="laconic", args=["mcp"], env=dict(os.environ))
    async with AsyncExitStack() as stack:
        streams = await stack.enter_async_context(stdio_client(laconic))
        session = await stack.enter_async_context(ClientSession(*streams))
        await session.initialize()
        yield session


async def look(gate: Any) -> None:
    async with create_connected_server_and_client_session(server(gate)) as client:
        await check_tools(client, gate)


over_stdio(scenario, "mcp_1", lambda: connected(without_elicitation()))
session = create_connected_server_and_client_session(server(gate), elicitation_callback=ask)
asyncio.run(all_turns(scenario, connected(session)))
scenario.report(gate)
asyncio.run(look(gate))
