"""An MCP server with a guarded shell: `run_command` and `recall`, for all that speak MCP."""

import asyncio
from typing import Annotated

from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel, Field

from laconic import __version__
from laconic.library.gate import Gate
from laconic.library.served import question, recalled, result_text


class Answer(BaseModel):
    """What a person says to a command that needs consent."""

    run: bool = Field(description="Run it?")


def server(gate: Gate) -> MCPServer:
    """The server; a client that can ask its user (elicitation) is asked for consent."""
    made = MCPServer("laconic", version=__version__)

    async def consent(command: str, cwd: str, ctx: Context) -> Answer | Elicit[Answer]:
        envelope = await gate.adecide(command, cwd=cwd or None)
        can_ask = ctx.client_capabilities and ctx.client_capabilities.elicitation
        if envelope.verdict != "ask" or not can_ask:
            return Answer(run=False)  # nobody is asked, and nobody has said yes
        return Elicit(question(envelope), Answer)

    @made.tool(structured_output=False)  # it would say everything twice
    async def run_command(
        command: str,
        answer: Annotated[ElicitationResult[Answer], Resolve(consent)],
        cwd: str = "",
        timeout_s: float = 600,
    ) -> str:
        """Run a command in bash and return what matters of its output.

        cwd: the directory, that of the server if it is empty.
        """
        approved = answer.action == "accept" and answer.data.run
        place, limit = cwd or None, timeout_s
        result = await gate.arun(command, cwd=place, timeout=limit, approved=approved)
        return result_text(gate, result)

    @made.tool(structured_output=False)
    async def recall(id: str, lines: str = "", grep: str = "") -> str:  # noqa: A002
        """Return the output that run_command has hidden, by the id in its last line.

        lines: only some of them, such as 10:20. grep: only those that match, with their numbers.
        """
        return await asyncio.to_thread(recalled, gate, id, lines, grep)

    return made
