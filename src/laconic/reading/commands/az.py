"""The Azure command line: groups, a verb, then options; reads are known by their verb.

Unsafe: every verb that is not known to read (`acr check-health` pulls an image, `aks check-acr`
starts a pod); a word before it that is not a known group, because it may be the verb; reads
that print keys, passwords, tokens or connection strings; `--open`, which starts a browser; `az
rest`, which sends the login's token to any address. All but a few commands take no operands: words
behind an option are its values.
"""

from __future__ import annotations

import re
from itertools import zip_longest

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.commands.cloud import judge_parameters, skip_options
from laconic.types import Effect, Kind

_READS = pattern(
    r"""list | list-[a-z0-9-]+ | show | show-[a-z0-9-]+ | exists | query | logs | tail | version
    | summarize | what-if | peek | test-ip-flow | url
    | check-(?:name | name-availability | availability | ip-address)
    | get-(?:instance-view | upgrades | upgrade-profile | versions | boot-log | model | os-options
      | statistics | member-groups | schema)""",
    re.VERBOSE,
)
_REVEALS = pattern(
    r".*(?:keys?|connection-strings?|credentials?|publishing-profiles|passwords?|tokens?|secrets?)"
)
_SECRET_GROUPS = pattern(
    r"(?:[a-z0-9-]+-)?keys|[a-z0-9-]+-key|credentials?|connection-string|secrets|tokens?|appsettings"
)
_READING_PATHS = frozenset(
    (
        "ad group member check",
        "config get",
        "deployment group validate",
        "deployment mg validate",
        "deployment sub validate",
        "deployment tenant validate",
        "group export",
        "sql db show-connection-string",
    )
)
# These have operands, which may look like verbs: `az acr build show` builds the directory `show`.
_WITH_OPERANDS = ("acr build ", "acr pack build ", "acr run ", "config set ", "config unset ")
_LISTS_SETTINGS = {
    "devops configure": frozenset(("--list", "-l")),
    "configure": frozenset(("--list-defaults", "-l")),
}
_GLOBAL_VALUES = frozenset(("--subscription", "--query", "--output", "-o"))
_GLOBAL_FLAGS = frozenset(("--debug", "--verbose", "--only-show-errors"))
_NAMES_SERVER = pattern(r"--(?:[a-z]+-)*endpoint|--connection-string")
# https://learn.microsoft.com/azure/storage/common/storage-account-overview#storage-account-endpoints
_OF_AZURE = pattern(
    r"(?:https://)?[\w.-]+\.(?:windows\.net|azure\.(?:com|net|us|cn)|azconfig\.io)(?:[:/].*)?"
)
_REFUSED = frozenset(
    ("--open", "--show-values", "--show-secrets", "--output-file", "--file-path", "--sdk-auth")
)


def judge(call: Call) -> None:
    at = skip_options(call.arguments, 0, _GLOBAL_VALUES, _GLOBAL_FLAGS)
    words: list[str] = []
    while at < len(call.arguments) and not call.arguments[at].leading.startswith("-"):
        word = call.arguments[at]
        if word.text is None or word.glob:
            call.does(Effect.UNCLEAR, Kind.DYNAMIC, "a word of the command is not known", word)
            return
        words.append(word.text)
        at += 1
    rest = call.arguments[at:]
    texts = [argument.text for argument in rest]
    if texts in (["--help"], ["-h"]) or (not words and texts in (["--version"], ["-v"])):
        return
    if words[:1] != ["find"]:
        _judge_words(call, words, rest)
    judge_parameters(call, rest, _REFUSED)
    for option, value in zip_longest(rest, rest[1:]):
        name, equals, given = option.leading.partition("=")
        address = given if equals or value is None else value.leading
        if _NAMES_SERVER.fullmatch(name) and not _OF_AZURE.fullmatch(address):
            why = "sends the login's token to a server that is told here"
            call.does(Effect.SENDS, "server", why, option)


def _judge_words(call: Call, words: list[str], rest: list[Argument]) -> None:
    path = " ".join(words[:2] if words[:2] == ["config", "get"] else words)  # it has an operand
    options = {argument.text for argument in rest}
    if path in _READING_PATHS or (options and options <= _LISTS_SETTINGS.get(path, frozenset())):
        return
    is_read = (
        bool(words) and call.entry.groups.issuperset(words[:-1]) and _READS.fullmatch(words[-1])
    )
    if not is_read or path.startswith(_WITH_OPERANDS):
        call.unlisted(Kind.VERB, f"az {path} may change something")
    elif _reveals(words):
        call.does(Effect.SECRETS, Kind.SECRET, f"az {path} prints credentials")


def _reveals(words: list[str]) -> bool:
    verb, group = words[-1], words[-2] if len(words) > 1 else ""
    if words[0] == "keyvault":
        return group == "secret" and verb == "show"
    return bool(
        _REVEALS.fullmatch(verb) or _SECRET_GROUPS.fullmatch(group) or group in ("key", "secret")
    )
