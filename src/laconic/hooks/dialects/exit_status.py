"""The dialect of agents that are denied by exit status 2, with the reason on stderr."""

from __future__ import annotations

from laconic.hooks.call import HookCall
from laconic.hooks.dialects.claude import permission, specific
from laconic.hooks.response import Output, Reply, Response
from laconic.types import Outcome

_DENIED = 2


def write(call: HookCall, response: Response) -> Reply:
    if response.outcome is Outcome.DENIED:
        return Reply(stderr=response.reason, status=_DENIED)
    return Reply(specific(call, **permission(response)))


def output(_: HookCall) -> Output | None:
    return None
