"""openssl: files that it reads may be named by an address.

Unsafe: `org.openssl.engine:FILE:key` loads the shared library FILE, wherever a certificate, a key
or a list of revocations may be named; other schemes reach other stores.
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.types import Effect

_FILES = (
    "-in", "-key", "-cert", "-CAfile", "-CApath", "-CAstore", "-untrusted", "-trusted", "-CRLfile",
)  # fmt: skip
_ADDRESS = pattern(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]*:")


def judge(call: Call) -> None:
    files = call.parsed.values(*_FILES)
    if call.path[1:] == ("verify",):
        files += call.parsed.operands
    for file in files:
        if _ADDRESS.match(file.leading) or any(map(_ADDRESS.match, file.possible)):
            call.does(
                Effect.UNKNOWN, "address", "an address, for which a library may be loaded", file
            )
        elif file.text is None and not file.leading and not file.glob:
            call.does(
                Effect.UNKNOWN, "address", "its value is not known and may be an address", file
            )
