"""`pnpm NAME`, `yarn NAME`: a script of package.json, or a program of the project's packages.

Unsafe: both are code of the project, and a known program is judged as a command of its own, too. A
name of neither is not known: it may be a command of another version.
https://pnpm.io/cli/run, https://classic.yarnpkg.com/en/docs/cli/run
"""

from __future__ import annotations

from laconic.reading.call import Call
from laconic.reading.commands.package_script import script
from laconic.reading.project_runners import is_installed
from laconic.types import Effect, Kind


def judge(call: Call) -> None:
    name = call.path[-1]
    if script(call, name):
        return
    if not is_installed(call, f"node_modules/.bin/{name}"):
        call.does(Effect.UNKNOWN, Kind.SUBCOMMAND, f"{name} is not known")
        return
    words = call.program.arguments
    here = [pos for pos, word in enumerate(words) if pos and word.text == name]
    if here and call.judge.library.knows(name):
        call.runs(words[here[0] :])
