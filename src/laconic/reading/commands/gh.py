"""gh and glab: which host a request goes to, and whether a request of `gh api` only reads.

Unsafe: another host than the one that everybody knows, in an address or in HOST/OWNER/REPO, because
the login's token goes there. Of `api`: any method but GET and HEAD; fields without an explicit GET,
which make it a POST; `--input`; fields that send a file (`-F x=@file`); GraphQL mutations, also
from a file or an unknown text; full addresses; headers other than the usual ones, because some
override the method.
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Parsed
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.types import Effect

_METHOD = ("-X", "--method")
_MAY_CHANGE = "sends a request that may change something"
_FIELD = ("-f", "--raw-field", "-F", "--field")
_FILE_FIELD = ("-F", "--field")
_HEADER = pattern(r"(?i)accept:.*|x-github-api-version:.*|time-zone:.*|if-none-match:.*")
_WRITES = pattern(r"\b(?:mutation|subscription)\b")

# Addresses of the host that a login is for, unless the environment names another.
_HOME = {
    "gh": pattern(
        r"(?:https://(?:www\.|gist\.)?github\.com/|(?:ssh://)?git@github\.com[:/])[^@]*$"
    ),
    "glab": pattern(r"(?:https://gitlab\.com/|(?:ssh://)?git@gitlab\.com[:/])[^@]*$"),
}
# OWNER or OWNER/REPO, for glab also GROUP/SUBGROUP/REPO: with one part more, the first is a host.
_REPOSITORY = {
    "gh": pattern(r"(?:github\.com/)?[\w.-]+(?:/[\w.-]+)?"),
    "glab": pattern(r"(?:gitlab\.com/)?[\w.-]+(?:/[\w.-]+)?|[\w-]+/[\w.-]+/[\w.-]+"),
}
_NO_ADDRESS = pattern(r"#?[0-9]+")  # an issue or a pull request


def judge(call: Call) -> None:
    if call.path[1:2] == ("api",):
        _judge_request(call, call.parsed)
    else:
        for operand in call.parsed.operands:
            _judge_host(call, operand)


def _judge_host(call: Call, operand: Argument) -> None:
    """A repository, an issue, a branch: a name, an address, or HOST/OWNER/REPO."""
    known = operand.leading
    if "://" in known or "@" in known:
        is_elsewhere = not _HOME[call.path[0]].match(known)
    elif call.path[1] != "repo":
        is_elsewhere = not operand.is_static and not _NO_ADDRESS.match(known)
    else:
        is_elsewhere = not operand.is_static or not _REPOSITORY[call.path[0]].fullmatch(known)
    if is_elsewhere:
        call.does(Effect.SENDS, "host", "may send the login's token to another host", operand)


def _judge_request(call: Call, parsed: Parsed) -> None:
    endpoint = parsed.operands[0] if parsed.operands else None
    if endpoint is not None and "://" in endpoint.leading:
        call.does(Effect.SENDS, "address", "sends the login's token to an address", endpoint)
    for header in parsed.values("-H", "--header"):
        if not _HEADER.match(header.leading):
            call.does(Effect.SENDS, "header", "a header that may change the request", header)
    for field in parsed.values(*_FILE_FIELD):
        name, _, value = field.leading.partition("=")
        if value.startswith("@") or (field.text is None and not value):
            call.does(Effect.SENDS, "file", f"the field {name} may send a file", field)
    call.harmless("the request only reads: GET, or a query without a mutation")
    methods = parsed.values(*_METHOD)
    fields = parsed.values(*_FIELD)
    if endpoint is not None and endpoint.text in ("graphql", "/graphql"):
        _judge_query(call, methods, fields)
    elif methods:
        for method in methods:
            if (method.text or "").upper() not in ("GET", "HEAD"):
                call.does(Effect.SENDS, "method", _MAY_CHANGE, method)
    elif fields:
        call.does(
            Effect.SENDS,
            "method",
            "sends a POST, because it has fields",
            fields[0],
            instead="gh api -X GET ...",
        )


def _judge_query(call: Call, methods: list[Argument], fields: list[Argument]) -> None:
    for method in methods:
        if (method.text or "").upper() not in ("GET", "POST"):
            call.does(Effect.SENDS, "method", _MAY_CHANGE, method)
    for field in fields:
        name, equals, _ = field.leading.partition("=")
        if not equals:
            call.does(Effect.SENDS, "graphql", "a field whose name is not known", field)
        elif name.strip() == "query" and (field.text is None or _WRITES.search(field.text)):
            call.does(Effect.SENDS, "graphql", "a query that may change something", field)
