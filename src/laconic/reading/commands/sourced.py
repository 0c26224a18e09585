"""source: runs a file in this shell, or sets up the user's own tools there.

Unsafe: every file but those with which the user sets up a shell; what they do happens in the shells
that the user starts, too. They get no arguments.
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.reading.call import Call
from laconic.reading.places import joined
from laconic.reading.tool_places import sets_up_tools, written_setup

_NO_VERSION = "--no-use"  # https://github.com/nvm-sh/nvm#usage


def judge(call: Call) -> None:
    parsed = call.parsed
    files, rest = parsed.operands[:1], [operand.text for operand in parsed.operands[1:]]
    if rest in ([], [_NO_VERSION]) and all(_sets_up(call, file) for file in files):
        call.harmless("sets up tools in this shell")
        return
    call.does(call.match.effect, "", call.entry.why)
    for file in files:
        call.runs_file(file)


def _sets_up(call: Call, file: Argument) -> bool:
    facts, script = call.judge.facts, call.situation.script
    if file.is_static:
        where = call.situation.directories
        return all(sets_up_tools(joined(cwd, file.text or ""), facts) for cwd in where)
    source = script.source[file.start : file.end] if script is not None else b""
    named = written_setup(source.decode("utf-8", "surrogateescape"), facts)
    return bool(named) and sets_up_tools(named, facts)
