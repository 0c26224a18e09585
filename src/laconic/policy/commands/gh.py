"""gh api: a request that reads, or one that changes something.

Unsafe: any method but GET and HEAD; fields without an explicit GET, which make it a POST;
`--input`; fields that send a file (`-F x=@file`); GraphQL mutations, also from a file or an unknown
text; full addresses, because the login's token goes there; headers other than the usual ones,
because some override the method.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.policy.call import Call
    from laconic.tools.arguments import Argument

_METHOD = ("-X", "--method")
_FIELD = ("-f", "--raw-field", "-F", "--field")
_FILE_FIELD = ("-F", "--field")
_HEADER = re.compile(r"(?i)accept:.*|x-github-api-version:.*|time-zone:.*|if-none-match:.*")
_WRITES = re.compile(r"\b(?:mutation|subscription)\b")


def judge(call: Call) -> None:
    parsed = call.parsed
    if parsed is None:
        return
    endpoint = parsed.operands[0] if parsed.operands else None
    if endpoint is not None and "://" in endpoint.leading:
        call.ask("address", "sends the login's token to an address", endpoint)
    for header in parsed.values("-H", "--header"):
        if not _HEADER.match(header.leading):
            call.ask("header", "a header that may change the request", header)
    for field in parsed.values(*_FILE_FIELD):
        name, _, value = field.leading.partition("=")
        if value.startswith("@") or (field.text is None and not value):
            call.ask("file", f"the field {name} may send a file", field)
    call.harmless("the request only reads: GET, or a query without a mutation")
    methods = parsed.values(*_METHOD)
    fields = parsed.values(*_FIELD)
    if endpoint is not None and endpoint.text in ("graphql", "/graphql"):
        _judge_query(call, methods, fields)
    elif methods:
        for method in methods:
            if (method.text or "").upper() not in ("GET", "HEAD"):
                call.ask("method", "a request that may change something", method)
    elif fields:
        call.ask("method", "fields make this a POST", fields[0], instead="gh api -X GET ...")


def _judge_query(call: Call, methods: list[Argument], fields: list[Argument]) -> None:
    for method in methods:
        if (method.text or "").upper() not in ("GET", "POST"):
            call.ask("method", "a request that may change something", method)
    for field in fields:
        name, equals, _ = field.leading.partition("=")
        if not equals:
            call.ask("graphql", "a field whose name is not known", field)
        elif name.strip() == "query" and (field.text is None or _WRITES.search(field.text)):
            call.ask("graphql", "a query that may change something", field)
