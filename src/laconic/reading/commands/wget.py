"""wget: without -O a file gets the name that the address ends in, here or where -P says.

Unsafe: that file, which may have the name of one that decides what programs run.
https://www.gnu.org/software/wget/manual/wget.html#Download-Options
"""

from __future__ import annotations

import re

from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.commands.curl import saved_as
from laconic.types import Effect

_SETTINGS = ("-e", "--execute")
# Beginnings that stand for --post-data, --body-file, --input-file; settings of a .wgetrc that send.
_BEGINS = pattern(r"--(?:post-|body-|inp)")
_SENDING = pattern(r"post|body|input|askpass|proxy|cookies|header", re.IGNORECASE)
_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))


def judge(call: Call) -> None:
    parsed = call.parsed
    before = ""
    for word in call.arguments:
        name, _, _ = word.leading.partition("=")
        given = word.leading if before in _SETTINGS or name == "--execute" else ""
        if _BEGINS.match(name) or _SENDING.search(given):
            call.does(Effect.SENDS, "data", "sends data, a file or what a file lists", word)
        before = word.leading
    for method in parsed.values("--method"):
        if (method.text or "").upper() not in _METHODS:
            call.does(Effect.SENDS, "method", "sends a request that may change something", method)
    if parsed.has("--spider", "-O", "--output-document", "-V", "-h"):
        return
    for address in parsed.operands:
        call.writes(saved_as(address, "index.html"))
