"""git: subcommands whose operands decide whether they read or write.

Unsafe: remote helpers (`ext::command`), which run programs; refspecs that write local refs
(`git fetch origin +a:b`); `git config NAME VALUE`; `git tag NAME`; subcommands of reflog that are
not known; pushes that overwrite or delete.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.policy.call import Call
    from laconic.tools.options import Parsed

_FORCE = re.compile(r"--force.*|--mirror|--delete|--prune|-[a-zA-Z]*[fd][a-zA-Z]*|[+:].*")
_LISTS_TAGS = (
    "-l", "--list", "-n", "-v", "--verify", "--contains", "--no-contains", "--merged",
    "--no-merged", "--points-at",
)  # fmt: skip
_CONFIG_GETS = (
    "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool",
)  # fmt: skip
_CONFIG_VERBS = frozenset(("set", "unset", "rename-section", "remove-section", "edit"))


def judge(call: Call) -> None:
    verb, parsed = call.path[1], call.parsed
    if verb == "push":
        _judge_push(call)
    elif parsed is not None:
        _BY_OPERANDS[verb](call, parsed)


def _judge_push(call: Call) -> None:
    for argument in call.arguments:
        if argument.text is not None and _FORCE.fullmatch(argument.text):
            call.ask("force", "may overwrite or delete published commits", argument)
            return


def _judge_remote(call: Call, parsed: Parsed) -> None:
    for operand in parsed.operands:
        if "::" in operand.leading:
            call.ask("helper", "runs a program that talks to the remote side", operand)


def _judge_fetch(call: Call, parsed: Parsed) -> None:
    _judge_remote(call, parsed)
    for operand in parsed.operands:
        if not operand.is_static:
            call.ask("refspec", "a remote or a refspec that is not known", operand)
    for refspec in parsed.operands[1:]:
        if ":" in refspec.leading or refspec.leading.startswith("+"):
            call.ask("refspec", "writes local refs", refspec)


def _judge_config(call: Call, parsed: Parsed) -> None:
    words = [operand.text for operand in parsed.operands]
    first = words[0] if words else ""
    lists = parsed.has("-l", "--list")
    gets = parsed.has(*_CONFIG_GETS) or len(words) == 1
    if None in words or first in _CONFIG_VERBS or not (lists or gets):
        call.ask("write", "changes settings", instead="git config --get NAME")


def _judge_tag(call: Call, parsed: Parsed) -> None:
    if parsed.operands and not parsed.has(*_LISTS_TAGS):
        call.ask("create", "creates a tag", parsed.operands[0], instead="git tag --list PATTERN")


def _judge_reflog(call: Call, parsed: Parsed) -> None:
    if parsed.operands and not parsed.operands[0].is_static:
        call.ask("subcommand", "what it does is not known", parsed.operands[0])


_BY_OPERANDS = {
    "fetch": _judge_fetch,
    "ls-remote": _judge_remote,
    "config": _judge_config,
    "tag": _judge_tag,
    "reflog": _judge_reflog,
}
