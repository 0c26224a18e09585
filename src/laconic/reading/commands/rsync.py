"""rsync: a dry run between places of this machine shows what would be copied.

Unsafe: everything without `--dry-run`; a place on another machine (`host:path`, `rsync://`), for
which rsync starts a remote shell.
"""

from __future__ import annotations

from laconic.reading.call import Call
from laconic.reading.commands.file_lists import reads_listed
from laconic.types import Effect


def judge(call: Call) -> None:
    places = call.parsed.operands if call.parsed else []
    is_told = call.parsed is not None and call.parsed.has(*call.entry.needs)
    for source in places[:-1]:
        call.reads_whole(source)
    for listed in call.parsed.values("--files-from") if call.parsed else ():
        reads_listed(call, listed)
    if len(places) > 1 and not is_told and ":" not in places[-1].leading:
        call.writes(places[-1])
    for place in places:
        if place.text is None or ":" in place.text or place.text.startswith("-"):
            call.does(
                Effect.SENDS,
                "remote",
                "a place on another machine, or one that is not known",
                place,
            )
