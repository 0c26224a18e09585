"""Reads what an agent's other tools do, and answers: ask, deny, or nothing; never allow.

`[files]` in the agent's data file names the tools, and the fields of their input that hold a path:
`reads`, `writes` and `changes`; `path/glob` is a pattern in a directory. mcp: how the names of MCP
tools begin. What such a tool is called tells what it does; one that is not known to read, or to
write anew, may change what it reads. Its arguments may also name commands and addresses, at any
depth: they are judged as a shell's would be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from posixpath import join
from typing import Any

from laconic import engine
from laconic.hooks.call import HookCall
from laconic.hooks.respond import record
from laconic.hooks.response import Response, sentence
from laconic.patterns import pattern
from laconic.reading.file_tools import ASKS, CHANGES, READS, RUNS, WRITES, FileUse
from laconic.settings.load import Settings
from laconic.shell.words import as_typed, quoted
from laconic.types import Outcome, Verdict

# The fields that servers of files take: those of the reference server, and whatever is called like
# them. https://github.com/modelcontextprotocol/servers/tree/main/src/filesystem
_MCP_FIELD = pattern(
    r"""(?xi) (?!.*(?:content|text|data|body))
    (?: .*(?:path|file|folder|directory|location)s?(?:_?name)?
    | (?:.*_)?(?:dir|ur[il]|source|src|destination|dest|dst|target|output|from|to|p)s? )"""
)
_COMMANDS = frozenset(
    "argv bash cmd cmds command command_line commandline commands script shell_command".split()
)
# What a tool takes that is called so, beside those.
_OF_TERMINALS = frozenset("input keys line text".split())
_TERMINAL = pattern(r"(?i)bash|shell|ssh|terminal|tmux")
_ADDRESS = pattern(r"(?!(?i:file):)[A-Za-z][A-Za-z0-9+.-]*://")
_FILE = pattern(r"(?i)file://")
_DEEPEST = 6
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
    return tuple(_mcp_uses(_mcp_access(name), name, tool_input, 0))


def _mcp_uses(access: str, name: str, given: Mapping[str, Any], depth: int) -> Iterator[FileUse]:
    yield from _uses(access, filter(_MCP_FIELD.fullmatch, given), given)
    rest = given.get("args", given.get("arguments"))
    rest = rest if isinstance(rest, list) and all(isinstance(one, str) for one in rest) else []
    is_terminal = _TERMINAL.search(name) is not None
    for field, value in given.items():
        if field.lower() in _COMMANDS or (is_terminal and field.lower() in _OF_TERMINALS):
            yield from (FileUse(text, RUNS) for text in _command_texts(field, value, rest))
        texts = value if isinstance(value, list) else [value]
        for one in texts if depth < _DEEPEST else ():
            if isinstance(one, dict):
                yield from _mcp_uses(access, name, one, depth + 1)
            elif isinstance(one, str) and _ADDRESS.match(one):
                yield FileUse(one, ASKS)


def _command_texts(field: str, value: object, rest: list[str]) -> Iterator[str]:
    """The command in a text, in a list of words, or each in a list of commands."""
    if isinstance(value, str) and value:
        yield " ".join((value, *map(quoted, rest)))
    elif isinstance(value, list):
        words = [one for one in value if isinstance(one, str)]
        if field.lower().endswith("s") and field.lower() != "args":
            yield from words
        elif words:
            yield " ".join(map(quoted, words))


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
    yield from (text for text in texts if "://" not in text or _FILE.match(text))


def respond_to_files(
    call: HookCall,
    settings: Settings,
    environ: Mapping[str, str],
    later: list[Callable[[], object]],
) -> Response:
    if settings.config.settings.gate == "off" or settings.environment.disabled:
        return Response()
    text = " ".join((call.tool, *(as_typed(use.path) for use in call.files)))
    request = engine.Request(text, call.directory, environ, call.agent.name, mode=call.mode)
    decision = engine.decide_files(request, call.files, settings)
    if decision.verdict is Verdict.ALLOW:
        return Response()
    why, instead = sentence(decision, text, request.facts.home), decision.instead
    response = Response(Outcome.of(decision.verdict), why, instead=instead)
    later.append(partial(record, call, request, decision, settings, response))
    if decision.verdict is Verdict.ASK and not decision.firm:
        response.way_out = f"laconic allow {quoted(text)} --for 30m"
    return response
