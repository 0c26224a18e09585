"""The dialect of Cursor: permission, messages for the user and the agent, updated_input.

https://cursor.com/docs/agent/hooks
"""

from __future__ import annotations

from laconic.hooks.call import HookCall
from laconic.hooks.dialects.claude import updated
from laconic.hooks.response import Output, Reply, Response
from laconic.types import Outcome


def write(call: HookCall, response: Response) -> Reply:
    word = response.outcome.word
    said = {"permission": word} if word else {}
    if response.outcome in (Outcome.ASKED, Outcome.DENIED):
        said |= {"user_message": response.reason, "agent_message": response.reason}
    return Reply({**said, **updated(call, response, key="updated_input")})


def output(_: HookCall) -> Output | None:
    return None
