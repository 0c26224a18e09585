"""wget: without -O a file gets the name that the address ends in, here or where -P says.

Unsafe: that file, which may have the name of one that decides what programs run.
https://www.gnu.org/software/wget/manual/wget.html#Download-Options
"""

from __future__ import annotations

from laconic.reading.commands.curl import saved_as

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.reading.call import Call


def judge(call: Call) -> None:
    parsed = call.parsed
    if parsed is None or parsed.has("--spider", "-O", "--output-document", "-V", "-h"):
        return
    for address in parsed.operands:
        call.writes(saved_as(address, "index.html"))
