"""What the servers for both versions of the package mcp have in common: words, shapes, results."""

from typing import Annotated, Any

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from laconic.errors import LaconicError
from laconic.library.gate import Gate
from laconic.library.result import Result
from laconic.library.tool_server_result import facts, recalled, result_text

Command = Annotated[str, Field(description="The command, as it is typed into bash.")]
Directory = Annotated[str, Field(description="Where it runs; empty: where the server was started.")]
Limit = Annotated[float, Field(gt=0, description="After so many seconds it is stopped.")]
RawId = Annotated[str, Field(description="The id in the last line of a shortened output.")]
Lines = Annotated[str, Field(description="Only these lines, such as 10:20.")]
Grep = Annotated[str, Field(description="Only lines that match this regular expression.")]
RUN = {
    "title": "Run a command",
    "description": "Run a command in bash and return what matters of its output.",
}
RECALL = {
    "title": "Recall hidden output",
    "description": "Return the output of run_command that was not shown, or some lines of it.",
}


class Answer(BaseModel):
    """What a person says to a command that needs consent."""

    run: bool = Field(description="Run it?")


class Ran(BaseModel):
    """How a command has ended."""

    verdict: str = Field(description="allow, ask (nobody has said yes) or deny.")
    status: int = Field(description="Its exit status; 126: it was not run; 124: it was stopped.")
    timed_out: bool = Field(description="Its time was over.")
    recall_id: str = Field(description="For recall; empty: all of the output is shown.")
    undo_id: str = Field(description="For laconic undo; empty: nothing was kept.")
    text: str = Field(description="What is shown: the same as the content.")


class Recalled(BaseModel):
    """Lines of an output."""

    text: str = Field(description="The lines: the same as the content.")


def ran(gate: Gate, result: Result) -> CallToolResult:
    """The result of run_command; it is an error if it was denied, has failed or was stopped."""
    text = result_text(gate, result)
    return told(text, facts(result, text), is_error=result.status != 0)


def recall_result(gate: Gate, raw_id: str, lines: str, grep: str) -> CallToolResult:
    try:
        text = recalled(gate, raw_id, lines, grep)
    except LaconicError as error:
        return told(error.text, {"text": error.text}, is_error=True)
    return told(text, {"text": text}, is_error=False)


def told(text: str, document: dict[str, Any], *, is_error: bool) -> CallToolResult:
    """A result under the names that both versions of the package read from JSON."""
    return CallToolResult.model_validate(
        {
            "content": [TextContent(type="text", text=text)],
            "structuredContent": document,
            "isError": is_error,
        }
    )


def refuse_unknown(tool: Any) -> None:
    """Have a tool refuse arguments that it does not have, and say so in its schema."""
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    tool.parameters["additionalProperties"] = False
