"""The dialect of Cline: cancel with a message, and in its CLI a new input."""

from __future__ import annotations

from laconic.agents.claude import updated
from laconic.agents.values import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.agents.values import HookCall, Output, Response


def write(call: HookCall, response: Response) -> Reply:
    if response.answer == "deny":
        return Reply({"cancel": True, "errorMessage": response.reason})
    return Reply(updated(call, response, key="overrideInput"))


def output(_: HookCall) -> Output | None:
    return None
