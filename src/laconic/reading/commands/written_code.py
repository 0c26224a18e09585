"""What a file of code visibly does that the same line writes, from a here-document, and then runs.

Running it is running code of the project; a write outside, a command, a connection or a secret that
stands in it in plain words keeps its own effect, as on the command line of an interpreter.
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.reading.call import Call
from laconic.reading.commands.python_effects import follow_visible as follow_python
from laconic.reading.commands.snippet_effects import follow_visible as follow_snippet
from laconic.reading.other_shells import SYSTEM
from laconic.types import HARD

_SNIPPETS = ("node", "nodejs", "ruby", "perl", "php", "lua", "luajit", "deno", "bun", "tsx")


def follow_written(call: Call, code: str, where: Argument) -> None:
    program = call.path[0]
    if program.startswith("python") or where.leading.endswith(".py"):
        follow_python(call, code, where)
    elif program in _SNIPPETS:
        follow_snippet(call, code, where)
    else:
        inner = Argument(code, where.start, where.end)
        found = call.judge.nested(inner, call.situation.shells | {SYSTEM}, call.situation)
        if found.effects & HARD:
            call.does(found.effects & HARD, "written", f"{where.leading}: {found.reason}", where)
