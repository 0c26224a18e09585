"""docker search: the daemon is sent the password of the registry.

Unsafe: a daemon that the command line names, unless it is on this machine.
"""

from __future__ import annotations

from laconic.reading.call import Call
from laconic.reading.environment import is_on_this_machine
from laconic.types import Effect


def judge(call: Call) -> None:
    for _, parsed in call.match.before:
        for host in parsed.values("-H", "--host"):
            if host.text is None or not is_on_this_machine(host.text):
                call.does(
                    Effect.SENDS, "host", "sends the password of the registry to another host", host
                )
