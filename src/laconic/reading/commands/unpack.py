"""unzip and 7z: an archive is unpacked over what is there.

Unsafe: without a directory to unpack into, files of any name come to the current one, those that
decide what programs run among them; so do members that are named.
"""

from __future__ import annotations

import re

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Parsed
from laconic.patterns import pattern
from laconic.reading.call import Call
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


def judge(call: Call) -> None:
    parsed = call.parsed
    if not parsed.operands:
        return
    if parsed.has("-p", "-c"):
        _judge_printed(call, parsed)
    if parsed.has(*call.entry.needs):
        return
    if any(option.role == "WRITE" for option in parsed.options):
        return
    members = parsed.operands[1:]
    for member in members:
        if call.leads_to_guarded(member):
            call.writes(member)
    if not members:
        call.writes(Argument(".", *call.span))


def _judge_printed(call: Call, parsed: Parsed) -> None:
    """`unzip -p`: the members that are named, or all that a small archive has."""
    archive, *members = parsed.operands
    for member in members:
        call.reads(member)
    if members or archive.text is None:
        return
    facts, where = call.judge.facts, call.situation.directories
    texts = (facts.text(joined(cwd, archive.text)) or "" for cwd in where)
    names = (found[1] for text in texts for found in _ENTRY.finditer(text))
    if any(map(is_secret, names)):
        call.does(Effect.SECRETS, Kind.SECRET, "prints keys, passwords or tokens", archive)
