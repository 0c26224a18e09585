"""Applies rules to a command until it settles: each rewrite is parsed and matched again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from laconic.library.conditions import RuleError
from laconic.library.envelope import DENY, PASSTHROUGH, REWRITE, Envelope
from laconic.library.modes import (
    ShippedMode,
    envelope_for,
    report,
    rewrite_with_audit,
    without_rewrite,
)
from laconic.library.outlets import emit_audit
from laconic.library.registry import FaultyRuleError, Match, Registry, line_of
from laconic.library.rule import Catalogue, Context, Rule

MAX_ROUNDS = 10
CUSTOM = "preset_run_command/custom"


class Rules:
    """The rules of a gate: those of its own first, whatever their stack, then the registry's."""

    def __init__(
        self, custom: Iterable[Rule | Mapping[str, Any]], registry: Registry, stacks: Sequence[str]
    ) -> None:
        if isinstance(custom, str | Mapping) or not isinstance(custom, Iterable):
            raise RuleError("`custom_rules` must be a list of rules")
        own = Catalogue(id=CUSTOM, rules=tuple(custom))  # type: ignore[arg-type]
        self.custom = Registry([own])
        self.registry = registry.filter(stacks)
        rules = (rule for found in (self.custom, self.registry) for c in found for rule in c.rules)
        self.call_back = any(callable(rule.pattern) or callable(rule.rewrite) for rule in rules)

    def matches(self, command: str, context: Context) -> list[Match]:
        line = line_of(command, context)
        own = self.custom.match(line, context=context, everywhere=True)
        return own + self.registry.match(line, context=context)

    def apply(self, command: str, context: Context, mode: ShippedMode) -> Envelope | None:
        """Return what the rules say, its effects reported; None if no rule matches."""
        current, applied, noted = command, [], []
        done: set[tuple[str, str]] = set()
        for _ in range(MAX_ROUNDS):
            changed = False
            for match in self.matches(current, context):
                key = match.catalogue_id, match.rule_id
                if key in done:
                    continue
                action, new = _outcome(match, current, mode)
                if action == DENY:
                    return _reported(envelope_for(match, DENY, command, current))
                done.add(key)
                if action == REWRITE:
                    applied.append(match)
                    current, changed = new, True
                    break
                if action == PASSTHROUGH:
                    noted.append(match)
            if not changed:
                break
        else:
            return _reported(_unsettled(applied[0], command, current))
        if applied:
            return _reported(_rewritten(applied, command, current), noted)
        if not noted:
            return None
        first, *others = noted
        is_rollout = mode is not rewrite_with_audit
        envelope = envelope_for(first, PASSTHROUGH, command, command)
        return _reported(envelope, () if is_rollout else others)

    def first(self, command: str, context: Context) -> Match | None:
        """Return the match that a mode of the user's own is given; no other rule hides an error.

        Raises RuleError if a rule fails that could have denied it.
        """
        matches = self.matches(command, context)
        for match in matches:
            if match.fault and _could_deny(match, rewrite_with_audit):
                raise RuleError(f"rule {match.rule_id}: {match.fault}")
        sound = [match for match in matches if not match.fault]
        errors = (m for m in sound if rewrite_with_audit.action(m.rule) == DENY)
        return next(errors, sound[0] if sound else None)

    def denial(self, command: str, context: Context) -> Envelope | None:
        """The envelope of an error rule that forbids this text, without effects."""
        for match in self.matches(command, context):
            action = rewrite_with_audit.action(match.rule)
            if action == DENY or (match.fault and match.severity == "error"):
                return envelope_for(match, DENY, command, command)
        return None


def _outcome(match: Match, command: str, mode: ShippedMode) -> tuple[str, str]:
    """What to do for a match, and the text to go on with; a rule that fails permits nothing."""
    fault = match.fault
    if not fault:
        action = mode.action(match.rule)
        if action != REWRITE:
            return action, command
        try:
            new = match.rewritten(command)
        except FaultyRuleError as error:
            fault = error.message
        else:
            if new != command:
                return REWRITE, new
            return without_rewrite(match.rule), command
    payload = {"rule_id": match.rule_id, "catalogue_id": match.catalogue_id, "error": fault}
    emit_audit("tool_rule_error", payload | {"severity": match.severity, "command": command})
    return (DENY if _could_deny(match, mode) else ""), command


def _could_deny(match: Match, mode: ShippedMode) -> bool:
    return match.severity == "error" or mode.action(match.rule) == DENY


def _rewritten(applied: list[Match], original: str, command: str) -> Envelope:
    envelope = envelope_for(applied[0], REWRITE, original, command)
    if len(applied) == 1:
        return envelope
    return replace(
        envelope,
        explanation=" ".join(match.explanation for match in applied),
        references=tuple(dict.fromkeys(ref for match in applied for ref in match.references)),
        rules=tuple(match.rule_id for match in applied),
    )


def _unsettled(match: Match, original: str, command: str) -> Envelope:
    why = "The rules rewrite this command again and again."
    envelope = envelope_for(match, DENY, original, command)
    return replace(envelope, severity="error", explanation=why, references=())


def _reported(envelope: Envelope, noted: Iterable[Match] = ()) -> Envelope:
    report(envelope)
    for match in noted:
        report(envelope_for(match, PASSTHROUGH, envelope.original_command, envelope.command))
    return envelope
