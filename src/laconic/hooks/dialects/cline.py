"""The dialect of Cline: cancel with a message, and in its CLI a new input.

In the CLI `cancel` ends the whole run, and the model never reads why. So there a denied command is
replaced by one that says so and fails.
"""

from __future__ import annotations

from laconic.hooks.call import HookCall
from laconic.hooks.dialects.claude import updated
from laconic.hooks.response import Output, Reply, Response
from laconic.shell.words import quoted
from laconic.types import Outcome

# Any shell can run it; 126 is the status of a command that may not be executed (POSIX, 2.8.2).
_REFUSAL = """sh -c 'printf "%s\\n" "$1" >&2; exit 126' laconic """


def write(call: HookCall, response: Response) -> Reply:
    if response.outcome is not Outcome.DENIED:
        return Reply(updated(call, response, key="overrideInput"))
    if "rewrite" not in call.event.can:
        return Reply({"cancel": True, "errorMessage": response.reason})
    return Reply({"overrideInput": call.input_with((_refusal(response.reason),))})


def _refusal(reason: str) -> str:
    return _REFUSAL + quoted(reason)


def output(_: HookCall) -> Output | None:
    return None
