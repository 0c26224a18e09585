"""Modes: what becomes of a command that a rule matches.

A mode is a function of the match, the arguments of the tool and its executor. The three shipped
ones can also say beforehand what they would do, so that nothing has to run to decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from laconic.library.arguments import Found, find, with_command
from laconic.library.envelope import DENY, PASSTHROUGH, REWRITE, Envelope
from laconic.library.outlets import emit_audit, inject_reminder
from laconic.library.registry import Match
from laconic.library.rule import Rule

Inner = Callable[[Any], Any]
Mode = Callable[[Any, Any, "Inner | None"], Any]


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
        found = find(args) or Found("")
        command = found.command
        action = self.action(match.rule)
        can_change = action == REWRITE and found.place is not None
        new = match.rewritten(command) if can_change else command
        if action == REWRITE and new == command:
            action = without_rewrite(match.rule)
        envelope = envelope_for(match, action, command, new)
        report(envelope)
        if inner is None or action == DENY:
            return envelope
        if new != command and found.place is not None:
            args = with_command(args, found.place, new)
        return envelope.with_result(inner(args))


class AsTyped(ShippedMode):
    """What another mode does to a command that cannot become another one."""

    def __init__(self, mode: ShippedMode) -> None:
        super().__init__(mode.name, mode.__doc__ or "")
        self._mode = mode

    def action(self, rule: Rule) -> str:
        action = self._mode.action(rule)
        return without_rewrite(rule) if action == REWRITE else action


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
