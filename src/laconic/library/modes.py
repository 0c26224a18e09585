"""Modes: what becomes of a command that a rule matches.

A mode is a function of the match, the arguments of the tool and its executor. The three shipped
ones can also say beforehand what they would do, so that nothing has to run to decide.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from laconic.library.effects import emit_audit, inject_reminder
from laconic.library.envelope import DENY, PASSTHROUGH, REWRITE, Envelope
from laconic.library.registry import Match
from laconic.library.rule import Rule
from laconic.library.when import RuleError
from laconic.run.task import as_word

Inner = Callable[[Any], Any]
Mode = Callable[[Any, Any, "Inner | None"], Any]
KEYS = ("command", "cmd", "run")
# How the tools of agents name the directory for a command.
DIRECTORY_KEYS = (
    "cwd", "workdir", "working_directory", "working_dir", "workingDirectory", "dir_path",
    "directory",
)  # fmt: skip


def command_key(args: object) -> str:
    """The key of the arguments that holds the command; empty if they are not a mapping."""
    if not isinstance(args, Mapping):
        return ""
    return next((key for key in KEYS if args.get(key) is not None), "command")


def command_of(args: object) -> str:
    """The command in what a tool is called with: text, or a mapping with command, cmd or run."""
    value = args.get(command_key(args)) if isinstance(args, Mapping) else args
    if isinstance(value, list | tuple):
        return " ".join(as_word(str(word)) for word in value)
    return "" if value is None else str(value)


def lacks_command(args: object) -> bool:
    """Tell whether a tool gets texts, but none under a key where we look for the command."""
    if not isinstance(args, Mapping) or any(key in args for key in KEYS):
        return False
    return any(isinstance(value, str | list | tuple) and value for value in args.values())


def with_command(args: object, command: str) -> dict[str, Any]:
    """The arguments with another command under the key that it came from; all else is kept."""
    if isinstance(args, Mapping):
        return {**args, command_key(args): command}
    return {"command": command}


def other_commands(args: object) -> list[str]:
    """Commands under other keys than the one that counts: a tool might run those instead."""
    if not isinstance(args, Mapping):
        return []
    others = [key for key in KEYS if key != command_key(args) and args.get(key)]
    return [command_of({"command": args[key]}) for key in others]


def directory_of(args: object) -> str | None:
    """The directory that a tool is told to run its command in; None if it is not told any.

    Raises for what cannot be judged: two of them, and `~`, which not every tool expands.
    """
    if not isinstance(args, Mapping):
        return None
    told = {os.fspath(args[key]) for key in DIRECTORY_KEYS if args.get(key)}
    if not told:
        return None
    place, *others = told
    if others or not isinstance(place, str) or place.startswith("~"):
        named = ", ".join(sorted(map(repr, told)))
        raise RuleError(f"name one directory, by its path: {named}")
    return place


class ShippedMode:
    """One of the three modes that are shipped."""

    def __init__(self, name: str, doc: str, otherwise: str = "") -> None:
        self.name, self.__doc__, self._otherwise = name, doc, otherwise

    def __repr__(self) -> str:
        return f"<mode {self.name}>"

    def action(self, rule: Rule) -> str:
        """What to do with a command that the rule matches: rewrite, deny or passthrough."""
        if rule.action or self._otherwise:
            return rule.action or self._otherwise
        if rule.rewrite is not None:
            return REWRITE
        return without_rewrite(rule)

    def __call__(
        self, match: Match | Mapping[str, Any], args: Any, inner: Inner | None
    ) -> Envelope:
        """Carry it out for one match, without looking at other rules."""
        match = match if isinstance(match, Match) else _match(match)
        command = command_of(args)
        action = self.action(match.rule)
        new = match.rewritten(command) if action == REWRITE else command
        if action == REWRITE and new == command:
            action = without_rewrite(match.rule)
        envelope = envelope_for(match, action, command, new)
        report(envelope)
        if inner is None or action == DENY:
            return envelope
        return envelope.with_result(inner(with_command(args, new) if new != command else args))


def without_rewrite(rule: Rule) -> str:
    """What to do with a command that the rule matches and does not change."""
    return DENY if rule.severity == "error" else PASSTHROUGH


def envelope_for(match: Match, action: str, original: str, command: str, **more: Any) -> Envelope:
    return Envelope(
        action=action,
        command=command,
        original_command=original,
        rule_id=match.rule_id,
        catalogue_id=match.catalogue_id,
        severity=match.severity,
        explanation=match.explanation,
        references=match.references,
        **more,
    )


_KINDS = {REWRITE: "tool_rewrite", DENY: "tool_denied", PASSTHROUGH: "tool_rule_warning"}


def report(envelope: Envelope) -> None:
    """Write down what was decided, and tell the model of a rewrite."""
    payload = envelope.audit_payload()
    if len(envelope.rules) > 1:
        payload["rules"] = list(envelope.rules)
    emit_audit(_KINDS[envelope.action], payload)
    if envelope.action == REWRITE:
        inject_reminder(
            {"tags": ["tool_rewritten"], "body": rewritten_body(envelope), "ttl_turns": 1}
        )


def rewritten_body(envelope: Envelope) -> str:
    return (
        f"Your command was rewritten per rule {envelope.rule_id}: {envelope.explanation}"
        f" Original: {envelope.original_command} Rewritten: {envelope.command}."
    )


def _match(record: Mapping[str, Any]) -> Match:
    """A match of the keys of a plain record."""
    rule = Rule(
        id=record.get("rule_id") or "rule",
        pattern=".*",
        severity=record.get("severity") or "warning",
        explanation=record.get("explanation") or "",
        references=tuple(record.get("references") or ()),
        rewrite=record.get("rewrite"),
    )
    return Match(rule=rule, catalogue_id=record.get("catalogue_id") or "")


rewrite_with_audit = ShippedMode(
    "rewrite_with_audit",
    "Rewrites where the rule can, denies errors that it cannot rewrite, and notes the rest.",
)
deny_with_explanation = ShippedMode(
    "deny_with_explanation", "Denies whatever a rule matches, and says why.", DENY
)
passthrough_only_audit = ShippedMode(
    "passthrough_only_audit", "Lets every command run as it is, and notes the rule.", PASSTHROUGH
)
