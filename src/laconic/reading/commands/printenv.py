"""printenv and envsubst: print variables by their names.

Unsafe: without a name they print all of them, or whichever a text on standard input asks for,
secrets among them; so does the name of a secret.
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.secret_files import is_secret_variable
from laconic.types import Effect, Kind

_ANSWERS = ("--help", "--version", "-h", "-V", "-v", "--variables")
_NAME = pattern(r"[A-Za-z_]\w*")


def judge(call: Call) -> None:
    if call.parsed.has(*_ANSWERS):
        return
    given = call.parsed.operands
    if not given:
        call.does(
            Effect.SECRETS,
            "list",
            "prints all variables, secrets among them",
            instead="printenv NAME",
        )
    for word in given:
        names = _NAME.findall(word.text or "") if word.is_static else []
        secret = next(filter(is_secret_variable, names), "")
        if not names or secret:
            what = f"{secret}, which" if secret else "a variable that"
            call.does(Effect.SECRETS, Kind.SECRET, f"prints {what} may hold a secret", word)
