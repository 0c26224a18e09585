"""unzip and 7z: an archive is unpacked over what is there.

Unsafe: without a directory to unpack into, files of any name come to the current one, those that
decide what programs run among them; so do members that are named.
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.reading.call import Call


def judge(call: Call) -> None:
    parsed = call.parsed
    if parsed is None or not parsed.operands or parsed.has(*call.entry.needs):
        return
    if any(option.role == "WRITE" for option in parsed.options):
        return
    members = parsed.operands[1:]
    for member in members:
        if call.leads_to_guarded(member):
            call.writes(member)
    if not members:
        call.writes(Argument(".", *call.span))
