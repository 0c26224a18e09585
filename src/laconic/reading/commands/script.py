"""script: runs a command in a terminal of its own and records it.

Unsafe: the command; the record, which is a file; without a command it is an interactive shell.
"""

from __future__ import annotations

from laconic.reading.call import Call
from laconic.types import Effect, Kind


def judge(call: Call) -> None:
    if len(call.parsed.operands) < 2 and not call.parsed.has("-c", "--command"):  # noqa: PLR2004
        call.does(Effect.UNCLEAR, "shell", "starts a shell that runs what it reads", firm=True)
    if not call.parsed.operands or call.parsed.operands[0].text == "-":
        call.does(Effect.PROJECT_WRITE, Kind.RECORD, "writes a file named typescript or -")
