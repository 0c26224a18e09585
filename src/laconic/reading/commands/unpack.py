"""Programs that unpack an archive over what is there: unzip, 7z, cpio, pax, ar, jar and their kin.

Unsafe: without a directory to unpack into, files of any name come to the current one, those that
decide what programs run among them; so do members that are named, which are patterns.
"""

from __future__ import annotations

import re

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Parsed
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.commands.file_lists import packs_its_input, reads_listed
from laconic.reading.places import joined
from laconic.reading.secret_files import is_secret
from laconic.types import Effect, Kind

# An entry of the list at the end of an archive, its name before the next one or further fields; of
# bytes that are no text only that they were there is kept: APPNOTE.TXT, 4.3.12 and 4.5.
_ENTRY = pattern(
    r"PK\x01\x02.{20,42}?\0([\w./@ -]{1,200}?)"
    r"(?=PK\x01\x02|PK\x05\x06|UT[\x05\x09\x0d]|ux\x0b|\x01\0)",
    re.DOTALL,
)
# Those that take an archive from their input, so that their operands are members already.
_READ_INPUT = frozenset(("bsdcpio", "cpio", "pax"))
_PRINTS = ("-p", "-c", "-so", "--to-stdout")


def judge(call: Call) -> None:
    parsed = call.parsed
    if not call.is_parsed:
        return
    members = parsed.operands[0 if call.path[0] in _READ_INPUT else 1 :]
    if parsed.has(*_PRINTS):
        _judge_printed(call, parsed, members)
    if parsed.has(*call.entry.needs):
        return
    if packs_its_input(call):
        reads_listed(call)
        return
    for member in members:
        if call.leads_to_guarded(member):
            call.writes(member)
    is_certain = members and not parsed.problems  # else a member may be the value of an option
    if not is_certain and not any(option.role == "WRITE" for option in parsed.options):
        call.writes(Argument(".", *call.span))


def as_pattern(member: Argument) -> Argument:
    """The name of a member, in which the program itself looks for `*` and the like."""
    if member.text is None:
        return member
    return Argument(member.text, member.start, member.end, glob=True)


def _judge_printed(call: Call, parsed: Parsed, members: list[Argument]) -> None:
    """`unzip -p`: the members that are named, or all that a small archive has."""
    for member in members:
        call.reads(as_pattern(member))
    archive = next(iter(parsed.operands), None)
    if members or archive is None or archive.text is None:
        return
    facts, where = call.judge.facts, call.situation.directories
    texts = (facts.text(joined(cwd, archive.text)) or "" for cwd in where)
    names = (found[1] for text in texts for found in _ENTRY.finditer(text))
    if any(map(is_secret, names)):
        call.does(Effect.SECRETS, Kind.SECRET, "prints keys, passwords or tokens", archive)
