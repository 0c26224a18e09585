"""The dialect of CodeBuddy: Claude Code's with names of its own, and commands wrapped whole."""

from __future__ import annotations

import sys

from laconic.agents.load import AFTER
from laconic.hooks.call import HookCall
from laconic.hooks.dialects.claude import output, permission, specific, updated
from laconic.hooks.response import Reply, Response
from laconic.types import Outcome

__all__ = ["output", "refusal", "write"]


def write(call: HookCall, response: Response) -> Reply:
    if call.event.kind == AFTER:
        return Reply(specific(call, updatedToolOutput=response.text))
    rewrite = updated(call, response, key="modifiedInput")
    return Reply(specific(call, **permission(response), **rewrite))


def refusal() -> Response | None:
    """Refuse on Windows, where there is no shell to wrap commands with."""
    if sys.platform != "win32":
        return None
    instead = "run it in WSL, or: laconic uninstall codebuddy"
    reason = "CodeBuddy on Windows itself is not supported"
    return Response(Outcome.DENIED, reason, instead=instead)
