"""The same MCP server as `laconic.adapters.mcp`, for version 1 of the package mcp."""

import asyncio

from mcp.server.fastmcp import Context, FastMCP
from mcp.types import ClientCapabilities, ElicitationCapability
from pydantic import BaseModel, Field

from laconic import __version__
from laconic.library.envelope import Envelope
from laconic.library.gate import Gate
from laconic.library.served import question, recalled, result_text

_CAN_ASK = ClientCapabilities(elicitation=ElicitationCapability())


class Answer(BaseModel):
    """What a person says to a command that needs consent."""

    run: bool = Field(description="Run it?")


def server(gate: Gate) -> FastMCP:
    """The server; a client that can ask its user (elicitation) is asked for consent."""
    made = FastMCP("laconic")
    made._mcp_server.version = __version__  # noqa: SLF001 - otherwise it is that of mcp

    @made.tool(structured_output=False)  # it would say everything twice
    async def run_command(command: str, ctx: Context, cwd: str = "", timeout_s: float = 600) -> str:
        """Run a command in bash and return what matters of its output.

        cwd: the directory, that of the server if it is empty.
        """
        place, limit = cwd or None, timeout_s
        approved = await _consent(ctx, await gate.adecide(command, cwd=place))
        result = await gate.arun(command, cwd=place, timeout=limit, approved=approved)
        return result_text(gate, result)

    @made.tool(structured_output=False)
    async def recall(id: str, lines: str = "", grep: str = "") -> str:  # noqa: A002
        """Return the output that run_command has hidden, by the id in its last line.

        lines: only some of them, such as 10:20. grep: only those that match, with their numbers.
        """
        return await asyncio.to_thread(recalled, gate, id, lines, grep)

    return made


async def _consent(ctx: Context, envelope: Envelope) -> bool:
    if envelope.verdict != "ask" or not ctx.session.check_client_capability(_CAN_ASK):
        return False
    try:
        answer = await ctx.elicit(question(envelope), Answer)
    except Exception:  # noqa: BLE001 - nobody has said yes
        return False
    return answer.action == "accept" and answer.data.run is True
