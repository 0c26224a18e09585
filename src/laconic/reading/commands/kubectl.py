"""kubectl get and wait: tables and names of anything, contents of secrets only with a question.

Unsafe: any output format that prints whole objects or fields, when the objects are secrets or may
be (a type that is not known, a file of objects, a raw request).
"""

from __future__ import annotations

import re

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.types import Effect, Kind

_TABLES = frozenset(("", "wide", "name"))
_SECRET = pattern(r"(?:^|[,/])secrets?(?=[,/.]|$)", re.IGNORECASE)


def judge(call: Call) -> None:
    parsed = call.parsed
    for request in parsed.values("--raw"):
        if request.text is None or re.search("secret|%", request.text, re.IGNORECASE):
            call.does(Effect.SECRETS, Kind.SECRET, "prints the contents of secrets", request)
    formats = parsed.values("-o", "--output")
    for chosen in formats:
        # https://kubernetes.io/docs/reference/kubectl/#formatting-output
        kind, equals, file = (chosen.text or "").partition("=")
        if equals and kind.endswith("file"):
            call.reads(Argument(file, chosen.start, chosen.end))
    if all(chosen.text in _TABLES for chosen in formats) and not parsed.has("--template"):
        return
    if parsed.has("-f", "--filename", "-k", "--kustomize"):
        call.does(Effect.SECRETS, Kind.SECRET, "may print the contents of secrets")
    for operand in parsed.operands:
        if operand.text is None or operand.glob or _SECRET.search(operand.text):
            call.does(Effect.SECRETS, Kind.SECRET, "may print the contents of secrets", operand)
