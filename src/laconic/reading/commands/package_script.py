"""`npm run NAME` and its like: the script of that name in package.json is what runs.

Unsafe: every script is code of the project. Without a name it only lists them.
https://docs.npmjs.com/cli/commands/npm-run
"""

from __future__ import annotations

from laconic.reading.call import Call
from laconic.types import Effect

_RUN = frozenset("run run-script rum urn task".split())
_SHORT = {"t": "test", "tst": "test"}
_LONGEST = 60


def judge(call: Call) -> None:
    verb = call.path[-1]
    named = call.parsed.operands[:1] if verb in _RUN else []
    if verb in _RUN and not named:
        return
    name = (named[0].text or "") if named else _SHORT.get(verb, verb)
    text = script(call, name)
    shown = f": {text}" if text else ""
    call.does(Effect.PROJECT_CODE, "", f"runs the script {name} of package.json{shown}")


def script(call: Call, name: str) -> str:
    """The first line of the script, if package.json can be read and has it."""
    import json  # noqa: PLC0415 - for a question only

    for directory in call.situation.directories:
        try:
            scripts = json.loads(call.judge.facts.text(f"{directory}/package.json") or "{}")
            text = str(scripts["scripts"][name])
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        line = text.partition("\n")[0]
        return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
    return ""
