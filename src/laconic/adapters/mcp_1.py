"""The same MCP server as `laconic.adapters.mcp`, for version 1 of the package mcp."""

import asyncio
from typing import Annotated

from mcp.server.fastmcp import Context, FastMCP
from mcp.types import (
    CallToolResult,
    ClientCapabilities,
    ElicitationCapability,
    ToolAnnotations,
)

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
from laconic.library.envelope import Envelope
from laconic.library.gate import Gate
from laconic.library.tool_server_result import question

_CAN_ASK = ClientCapabilities(elicitation=ElicitationCapability())


def server(gate: Gate) -> FastMCP:
    """The server; a client that can ask its user (elicitation) is asked for consent."""
    made = FastMCP("laconic")
    made._mcp_server.version = __version__  # noqa: SLF001 - otherwise it is that of mcp
    changing = ToolAnnotations(readOnlyHint=False, destructiveHint=True, openWorldHint=True)
    reading = ToolAnnotations(readOnlyHint=True, idempotentHint=True, openWorldHint=False)

    @made.tool(**RUN, annotations=changing)
    async def run_command(
        command: Command, ctx: Context, cwd: Directory = "", timeout_s: Limit = 600
    ) -> Annotated[CallToolResult, Ran]:
        result = await gate.arun(
            command,
            cwd=cwd or None,
            timeout=timeout_s,
            approved=await _consent(ctx, await gate.adecide(command, cwd=cwd or None)),
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


async def _consent(ctx: Context, envelope: Envelope) -> bool | None:
    """What a person says; None if nobody can be asked."""
    if envelope.verdict != "ask" or not ctx.session.check_client_capability(_CAN_ASK):
        return None
    try:
        answer = await ctx.elicit(question(envelope), Answer)
    except Exception:  # noqa: BLE001 - nobody has said yes
        return None
    return answer.action == "accept" and answer.data.run is True
