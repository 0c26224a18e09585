"""An MCP server with a guarded shell: `run_command` and `recall`, for all that speak MCP."""

import asyncio
from typing import Annotated

from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel, Field

from laconic.errors import LaconicError
from laconic.library.gate import Gate, Result
from laconic.record.recall import lines as lines_of
from laconic.record.recall import wanted
from laconic.record.store import Store, is_id
from laconic.secrets.mask import Masker, masked_pieces


class Answer(BaseModel):
    """What a person says to a command that needs consent."""

    run: bool = Field(description="Run it?")


def server(gate: Gate) -> MCPServer:
    """The server; a client that can ask its user (elicitation) is asked for consent."""
    made = MCPServer("laconic")

    async def consent(command: str, cwd: str, ctx: Context) -> Answer | Elicit[Answer]:
        envelope = await gate.adecide(command, cwd=cwd or None)
        can_ask = ctx.client_capabilities and ctx.client_capabilities.elicitation
        if envelope.verdict != "ask" or not can_ask:
            return Answer(run=False)  # nobody is asked, and nobody has said yes
        return Elicit(f"Run this command?\n{envelope.command}\n{envelope.message}", Answer)

    @made.tool()
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
        return _text(gate, await gate.arun(command, cwd=place, timeout=limit, approved=approved))

    @made.tool()
    async def recall(id: str, lines: str = "", grep: str = "") -> str:  # noqa: A002
        """Return the output that run_command has hidden, by the id in its last line.

        lines: only some of them, such as 10:20. grep: only those that match, with their numbers.
        """
        return await asyncio.to_thread(_recalled, gate, id, lines, grep)

    return made


def _text(gate: Gate, result: Result) -> str:
    status = f"[exit status {result.status}]" if result.status else ""
    parts = (result.text.rstrip("\n"), status, gate.take_reminders())
    return "\n".join(part for part in parts if part) or "[no output]"


def _recalled(gate: Gate, raw_id: str, lines: str, grep: str) -> str:
    store = Store(gate.settings.directories.state)
    try:
        if not is_id(raw_id) or not store.has(raw_id):
            return f"no output has the id {raw_id!r}"
        picked = wanted(lines or None, grep or None)
        pieces = masked_pieces(store.chunks(raw_id), Masker.of(gate.environ))
        found = picked.pick(lines_of(pieces))
        shown = [b"%d:%s" % (line.number, line.data) if grep else line.data for line in found]
    except LaconicError as error:
        return error.text
    return b"".join(shown).decode("utf-8", "replace") or "[no such lines]"
