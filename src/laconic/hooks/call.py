"""A call of an agent's hook, read from what the agent sends; None if it is not for laconic.

The agent's data file says where the fields are. If one is missing, has another type or is meant for
another host, there is no call, and the hook says nothing.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from os.path import isabs

from laconic.agents.load import AFTER, BEFORE
from laconic.files import is_there
from laconic.knowledge.traits import shells
from laconic.reading.other_shells import SYSTEM, family

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from laconic.agents.load import Agent, Event
    from laconic.hooks.response import Output, Reply, Response
    from laconic.reading.file_tools import FileUse

    class Dialect(Protocol):
        def write(self, call: HookCall, response: Response) -> Reply: ...

        def output(self, call: HookCall) -> Output | None: ...


# Where agents name a session and a call of a tool; each of them uses one of the names.
_IDS = {
    "session": ("session_id", "sessionId", "conversation_id"),
    "call": ("tool_use_id", "tool_call_id", "toolCallId"),
}
_BOM = b"\xef\xbb\xbf"


class HookCall:
    """What an agent says: it is about to run commands in a directory, or has run them.

    files: instead of commands, what another tool is about to do to files; tool: its name.
    data: all that it sent. input: the tool's arguments, with `commands` at `key`. as_text: the
    arguments came as JSON in a string. is_list: the commands came as a list. agents_mode: the
    agent's word for its mode; mode: what that means to laconic, see engine.Request.
    """

    __slots__ = (
        "agent", "agents_mode", "as_text", "commands", "data", "directory", "event", "files",
        "input", "is_list", "key", "mode", "tool",
    )  # fmt: skip

    def __init__(
        self,
        agent: Agent,
        event: Event,
        data: Mapping[str, Any],
        tool_input: Mapping[str, Any],
        directory: str,
        *,
        as_text: bool = False,
        agents_mode: str = "",
        files: tuple[FileUse, ...] = (),
        tool: str = "",
    ) -> None:
        self.agents_mode, self.mode = agents_mode, agent.modes.get(agents_mode, "")
        self.agent, self.event, self.data, self.directory = agent, event, data, directory
        self.input, self.as_text = tool_input, as_text
        self.key: str = agent.fields["command"]
        self.files, self.tool = files, tool
        given: Any = [] if files else tool_input[self.key]
        self.is_list = isinstance(given, list)
        self.commands: tuple[str, ...] = tuple(given) if self.is_list else (given,)

    @property
    def ids(self) -> dict[str, str]:
        """The agent's own names of this session and of this call, as far as it sends them."""
        found = {name: _first(self.data, fields) for name, fields in _IDS.items()}
        return {name: value for name, value in found.items() if isinstance(value, str)}

    def input_with(self, commands: tuple[str, ...]) -> dict[str, Any]:
        """Return the tool's arguments with these commands, and everything else unchanged."""
        return {**self.input, self.key: list(commands) if self.is_list else commands[0]}


def shells_of(agent: Agent, environ: Mapping[str, str], asked: object = None) -> frozenset[str]:
    """Return the families of the shells that may run an agent's commands.

    SHELL may name one that it uses. asked: the one that the tool's arguments name, if any. A path
    where nothing is names none.
    """
    names = []
    shell = environ.get("SHELL", "")
    users = (shell.rsplit("/", 1)[-1] if not _is_missing(shell) else "") or SYSTEM
    if not {users, "*"}.isdisjoint(agent.users_shells):
        names.append(users)
    if agent.wraps and environ.get("LACONIC_CODEBUDDY_SHELL"):
        names.append(environ["LACONIC_CODEBUDDY_SHELL"])
    if asked is not None and not _is_missing(asked):
        names.append(asked if isinstance(asked, str) else "")
    return agent.families.union(map(family, names)) if names else agent.families


def _is_missing(shell: object) -> bool:
    """Tell whether it is the path of nothing, and not even the name of a shell."""
    if not (isinstance(shell, str) and isabs(shell)):
        return False
    return shell.rpartition("/")[2] not in shells() and not is_there(shell)


def dialect_of(agent: Agent) -> Dialect:
    """Return the module that writes answers in the agent's form."""
    return _dialect(agent.document["dialect"])


@cache
def _dialect(name: str) -> Dialect:
    module: Dialect = import_module(f"laconic.hooks.dialects.{name}")
    return module


def parse(stdin: bytes) -> dict[str, Any] | None:
    """Return the JSON object; on Windows some agents send byte order marks before it."""
    while stdin.startswith(_BOM):
        stdin = stdin.removeprefix(_BOM)
    try:
        data = _DECODER.decode(stdin.decode(json.detect_encoding(stdin), "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _refuse(constant: str) -> None:
    raise ValueError(constant)  # NaN is not JSON, so it must not appear in an answer


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def read(
    data: Mapping[str, Any],
    agent: Agent,
    event: Event | None,
    environ: Mapping[str, str],
    cwd: str,
) -> HookCall | None:
    if event is None or is_foreign(data, agent, environ):
        return None
    is_shell = _is_shell(data, agent, event)
    tool = _first(data, agent.fields["tool"]) or ""
    if not is_shell and not (event.kind == BEFORE and _is_file_tool(tool, agent)):
        return None
    given = _first(data, agent.fields["input"])
    tool_input = parse(given.encode("utf-8", "replace")) if isinstance(given, str) else given
    if not isinstance(tool_input, dict):
        return None
    files: tuple[FileUse, ...] = ()
    if not is_shell:
        from laconic.hooks.file_calls import uses  # noqa: PLC0415 - most calls are commands

        own_name = _first(data, agent.fields.get("mcp_tool", ()))
        files = uses(tool, own_name, tool_input, agent.files)
    if not (files or (is_shell and _has_commands(tool_input, agent))):
        return None
    directory = _directory(data, {} if files else tool_input, agent, cwd)
    mode = _first(data, agent.fields.get("mode", ()))
    return HookCall(
        agent,
        event,
        data,
        tool_input,
        directory,
        as_text=isinstance(given, str),
        agents_mode=mode if isinstance(mode, str) else "",
        files=files,
        tool=tool,
    )


def is_foreign(data: Mapping[str, Any], agent: Agent, environ: Mapping[str, str]) -> bool:
    """Tell whether another host runs this agent's hooks: it has hooks of its own for laconic.

    What the agent always sends outweighs hints: an agent started from another one's terminal
    inherits its environment.
    """
    foreign = agent.foreign
    if any(field in data for field in foreign.get("certain", ())):
        return True
    if not foreign.get("own") or foreign["own"] in data:
        return False
    hints = [
        *(f in data for f in foreign["likely"]),
        *(n in environ for n in foreign["environment"]),
    ]
    return any(hints)


def find_event(data: Mapping[str, Any], agent: Agent, given: str) -> Event | None:
    """Return the event that the data name, else the given one, else what the data look like."""
    name = _first(data, agent.fields["event"]) or given
    if name:
        return next((event for event in agent.events if event.name == name), None)
    has_run = _first(data, agent.fields.get("output", ())) is not None
    kind = AFTER if has_run else BEFORE
    return next((event for event in agent.events if event.kind == kind), None)


def _is_shell(data: Mapping[str, Any], agent: Agent, event: Event) -> bool:
    if "no-tool" in event.can:
        return True
    tool = _first(data, agent.fields["tool"]) or ""
    lacking = agent.tools_without.items()
    return isinstance(tool, str) and (
        tool in agent.tools or any(tool in names for field, names in lacking if field not in data)
    )


def _is_file_tool(tool: object, agent: Agent) -> bool:
    if not isinstance(tool, str) or not agent.files:
        return False
    prefix = agent.files.get("mcp")
    is_mcp = prefix is not None and tool.startswith(prefix)
    return is_mcp or any(tool in agent.files[key] for key in agent.files if key != "mcp")


def _has_commands(tool_input: Mapping[str, Any], agent: Agent) -> bool:
    """Tell whether there are commands; a list counts only if the agent sends lists of commands."""
    given = tool_input.get(agent.fields["command"])
    if isinstance(given, list) and agent.fields.get("is_list"):
        return bool(given) and all(isinstance(command, str) for command in given)
    return isinstance(given, str)


def _directory(
    data: Mapping[str, Any], tool_input: Mapping[str, Any], agent: Agent, cwd: str
) -> str:
    """Return where the command will run: the tool may name a directory inside the agent's own."""
    outer = _first(data, agent.fields["cwd"])
    inner = _first(tool_input, agent.fields.get("directory", ()))
    directory = outer if isinstance(outer, str) and isabs(outer) else cwd
    if not isinstance(inner, str) or not inner:
        return directory
    return inner if isabs(inner) else f"{directory}/{inner}"


def _first(data: Mapping[str, Any], paths: list[str] | tuple[str, ...]) -> Any:
    """Return the value at the first path that leads to something; `a.0` goes into a list."""
    found = (_at(data, path) for path in paths)
    return next((value for value in found if value is not None and value != ""), None)


def _at(value: Any, path: str) -> Any:
    for step in path.split(".") if path else ():
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value
