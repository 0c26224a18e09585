"""Reads what an agent's other tools do to files, and answers: ask, deny, or nothing; never allow.

`[files]` in the agent's data file names the tools, and the fields of their input that hold a path:
`reads`, `writes` and `changes`; `path/glob` is a pattern in a directory. mcp: how the names of MCP
tools begin. What such a tool is called tells what it does; one that is not known to read, or to
write anew, may change what it reads.
"""

from __future__ import annotations

from functools import partial
from posixpath import join

from laconic import engine
from laconic.hooks.respond import reason_line, record
from laconic.hooks.response import Response
from laconic.hooks.way_out import shown_word
from laconic.reading.file_tools import CHANGES, READS, WRITES, FileUse
from laconic.rewrite.edits import quoted
from laconic.types import Outcome, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from laconic.hooks.call import HookCall
    from laconic.settings.load import Settings

# The fields that servers of files take: those of the reference server, and the usual spellings.
# https://github.com/modelcontextprotocol/servers/tree/main/src/filesystem
_MCP_FIELDS = (
    "path", "paths", "file", "files", "file_path", "file_paths", "filePath", "filename",
    "absolute_path", "relative_path", "source", "destination", "notebook_path", "uri", "url",
    "output", "output_path", "outputPath", "target", "target_path", "dest", "directory", "dir",
)  # fmt: skip
_MCP_READ = ("read", "get", "list", "search", "find", "view", "directory_tree", "stat")
_MCP_WRITE = ("write", "create")


def uses(
    tool: str, own_name: object, tool_input: Mapping[str, Any], files: Mapping[str, Any]
) -> tuple[FileUse, ...]:
    """What a tool does to files; one that the data do not name is an MCP tool.

    own_name: what the MCP server calls it, if the agent says so.
    """
    for access in (READS, WRITES, CHANGES):
        fields = files.get(access, {}).get(tool)
        if fields is not None:
            return tuple(_uses(access, fields.split(), tool_input))
    name = own_name if isinstance(own_name, str) and own_name else tool.rpartition("__")[2]
    return tuple(_uses(_mcp_access(name), _MCP_FIELDS, tool_input))


def _mcp_access(name: str) -> str:
    if name.startswith(_MCP_READ):
        return READS
    return WRITES if name.startswith(_MCP_WRITE) else CHANGES


def _uses(access: str, fields: Iterable[str], tool_input: Mapping[str, Any]) -> Iterator[FileUse]:
    for field in fields:
        directory, slash, pattern = field.partition("/")
        for path in _texts(tool_input.get(pattern if slash else field)):
            inside = next(_texts(tool_input.get(directory)), ".") if slash else ""
            yield FileUse(join(inside, path), access, glob=bool(slash))


def _texts(given: object) -> Iterator[str]:
    """The text, or all texts of a list."""
    values = given if isinstance(given, list) else [given]
    texts = (value for value in values if isinstance(value, str) and value)
    yield from (text for text in texts if "://" not in text or text.startswith("file://"))


def respond_to_files(
    call: HookCall,
    settings: Settings,
    environ: Mapping[str, str],
    later: list[Callable[[], object]],
) -> Response:
    if settings.config.settings.gate == "off" or settings.environment.disabled:
        return Response()
    text = " ".join((call.tool, *(shown_word(use.path) for use in call.files)))
    request = engine.Request(text, call.directory, environ, call.agent.name, mode=call.mode)
    decision = engine.decide_files(request, call.files, settings)
    if decision.verdict is Verdict.ALLOW:
        return Response()
    later.append(partial(record, request, decision, settings))
    response = Response(Outcome.of(decision.verdict), reason_line(decision))
    if decision.verdict is Verdict.ASK and not decision.firm:
        response.way_out = f"laconic allow {quoted(text)} --for 30m"
    return response
