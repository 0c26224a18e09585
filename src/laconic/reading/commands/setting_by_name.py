"""Settings of a tool that are asked for by name: npm, pnpm, yarn, glab, redis-cli.

Unsafe: the name of one that holds a token or a password, a pattern that may be one, and a name that
is not known.
"""

from __future__ import annotations

import re

from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.globs import WILD, overlaps
from laconic.reading.secret_files import is_secret_variable
from laconic.types import Effect, Kind

_ASKS = frozenset(("get", "getenv"))
# https://redis.io/docs/latest/operate/oss_and_stack/management/config/,
# https://git-scm.com/docs/git-config#Documentation/git-config.txt-httpextraHeader
_HOLDS_SECRET = pattern(r"(?:require|key-file-|smtp)pass|masterauth|extraheader|:_", re.IGNORECASE)
_OF_REDIS = ("requirepass", "masterauth", "tls-key-file-pass", "tls-client-key-file-pass")


def judge(call: Call) -> None:
    if call.path[-1].lower() not in _ASKS:
        return
    for name in call.parsed.operands:
        if name.text is None or is_secret_setting(name.text):
            why = "prints a setting that may hold a token or a password"
            call.does(Effect.SECRETS, Kind.SECRET, why, name)


def is_secret_setting(name: str) -> bool:
    if WILD.search(name):
        return any(overlaps(name.lower(), known) for known in _OF_REDIS)
    last = name if "/" in name else name.rpartition(".")[2]  # credential.helper is not a secret
    return is_secret_variable(last) or _HOLDS_SECRET.search(name) is not None
