"""An MCP server with a guarded shell: `run_command` and `recall`, for all that speak MCP."""

import asyncio
from typing import Annotated

from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.types import CallToolResult, ToolAnnotations

from laconic import __version__
from laconic.adapters.mcp_tools import (
    RECALL,
    RUN,
    Answer,
    Command,
    Directory,
    Grep,
    Limit,
    Lines,
    Ran,
    RawId,
    Recalled,
    ran,
    recall_result,
    refuse_unknown,
)
from laconic.library.gate import Gate
from laconic.library.tool_server_result import question


def server(gate: Gate) -> MCPServer:
    """The server; a client that can ask its user (elicitation) is asked for consent."""
    made = MCPServer("laconic", version=__version__)

    async def consent(command: str, cwd: str, ctx: Context) -> Answer | Elicit[Answer]:
        envelope = await gate.adecide(command, cwd=cwd or None)
        if envelope.verdict != "ask" or not _can_ask(ctx):
            return Answer(run=False)  # nobody is asked, and nobody has said yes
        return Elicit(question(envelope), Answer)

    changing = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True)
    reading = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

    @made.tool(**RUN, annotations=changing)
    async def run_command(
        command: Command,
        ctx: Context,
        answer: Annotated[ElicitationResult[Answer], Resolve(consent)],
        cwd: Directory = "",
        timeout_s: Limit = 600,
    ) -> Annotated[CallToolResult, Ran]:
        said = answer.action == "accept" and answer.data.run
        result = await gate.arun(
            command,
            cwd=cwd or None,
            timeout=timeout_s,
            approved=said if said or _can_ask(ctx) else None,
            on_output=lambda written: ctx.report_progress(written, message=f"{written:,} bytes"),
        )
        return ran(gate, result)

    @made.tool(**RECALL, annotations=reading)
    async def recall(
        id: RawId,  # noqa: A002
        lines: Lines = "",
        grep: Grep = "",
    ) -> Annotated[CallToolResult, Recalled]:
        return await asyncio.to_thread(recall_result, gate, id, lines, grep)

    for name in ("run_command", "recall"):
        refuse_unknown(made._tool_manager.get_tool(name))  # noqa: SLF001 - there is no other way
    return made


def _can_ask(ctx: Context) -> bool:
    return bool(ctx.client_capabilities and ctx.client_capabilities.elicitation)
