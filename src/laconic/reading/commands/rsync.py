"""rsync: a dry run between places of this machine shows what would be copied.

Unsafe: everything without `--dry-run`; a place on another machine (`host:path`, `rsync://`), for
which rsync starts a remote shell.
"""

from __future__ import annotations

from laconic.reading.call import Call
from laconic.reading.commands.file_lists import reads_listed
from laconic.types import Effect


def judge(call: Call) -> None:
    places = call.parsed.operands
    is_told = call.parsed.has(*call.entry.needs)
    for source in places[:-1]:
        call.reads(source)
        if call.is_outside(source.text or ""):
            call.reads_trees([source])
    for listed in call.parsed.values("--files-from"):
        reads_listed(call, listed)
    if len(places) > 1 and not is_told and ":" not in places[-1].leading:
        call.writes(places[-1])
    for place in places:
        if place.text is None or ":" in place.text or place.text.startswith("-"):
            where = "a place that is not known"
            if place.text is not None:
                where = f"another machine: {place.text}"
            call.does(Effect.SENDS, "remote", f"copies files to or from {where}", place)
