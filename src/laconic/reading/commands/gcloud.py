"""The Google Cloud command line: groups, a verb, then names and options.

Unsafe: every verb that is not known to read; a word before the verb that is not a known group (it
may be a verb of its own, with our verb for a name); `--flags-file`, which brings more options;
options that write a file. `get-credentials`, `print-access-token` and the like are not known to
read.
"""

from __future__ import annotations

import re

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.commands.cloud import judge_parameters, skip_options
from laconic.types import Kind

_READS = pattern(
    r"""list | list-[a-z-]+ | describe | describe-[a-z-]+ | lookup | search | search-[a-z-]+ | read
    | tail | log | stream-logs | tail-serial-port-output | ls | cat | du | hash | status
    | query-status | show-effective-config
    | get | get-(?:value | iam-policy | ancestors | ancestors-iam-policy | server-config | status
      | health | diagnostics | operation | operational-status | named-ports | host-project | history
      | effective | effective-[a-z-]+ | nat-[a-z-]+ | guest-attributes | serial-port-output
      | shielded-identity | upgrade-info | default-service-account | locations | parent | project
      | latest-recovery-time | async-replication-status | route-policy | membership-graph
      | supported-languages)""",
    re.VERBOSE,
)
_PLAIN = frozenset(("help", "version", "info", "topic", "cheat-sheet"))
_TRACKS = frozenset(("alpha", "beta", "preview"))
_GLOBAL_VALUES = frozenset(
    """
    --project --account --format --configuration --verbosity --billing-project --flatten
    --impersonate-service-account --trace-token --region --zone --location
    """.split()
)
_GLOBAL_FLAGS = frozenset(("--quiet", "-q", "--no-log-http", "--user-output-enabled"))
_REFUSED = frozenset(
    """
    --flags-file --access-token-file --output-file --out-file --destination --rbac-output-file
    --output-path --log-http
    """.split()
)


def judge(call: Call) -> None:
    words, rest = _words(call.arguments, call.entry.groups)
    if [argument.text for argument in rest] in (["--help"], ["-h"]):
        return
    is_read = len(words) > 1 and _READS.fullmatch(words[-1])
    if not is_read and not (len(words) == 1 and words[0] in _PLAIN):
        call.unlisted(Kind.VERB, f"gcloud {' '.join(words)} may change something")
    judge_parameters(call, rest, _REFUSED)


def _words(arguments: list[Argument], groups: frozenset[str]) -> tuple[list[str], list[Argument]]:
    """The words up to the first that is not a group, and what follows them."""
    at = 0
    words: list[str] = []
    while not words or _is_group(words, groups):
        at = skip_options(arguments, at, _GLOBAL_VALUES, _GLOBAL_FLAGS)
        text = arguments[at].text if at < len(arguments) and arguments[at].is_static else None
        if text is None or text.startswith("-"):
            break
        at += 1
        if words or text not in _TRACKS:
            words.append(text)
    return words, arguments[at:]


def _is_group(words: list[str], groups: frozenset[str]) -> bool:
    """Whether the last of these words leads to more commands, and is not a verb elsewhere."""
    word = words[-1]
    if word in ("run", "deploy"):
        return len(words) == 1
    if word == "test":
        return words == ["firebase", "test"]
    return word in groups and words != ["docker"]
