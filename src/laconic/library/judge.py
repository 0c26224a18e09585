"""Decides: rules, then the classifier, then laconic's own verdict about the text that would run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import register_at_fork
from threading import Lock
from typing import Any

from laconic import engine
from laconic.library.chosen import in_box
from laconic.library.classifier import CATALOGUE as CLASSIFIER
from laconic.library.classifier import Classifier
from laconic.library.conditions import RuleError
from laconic.library.envelope import DENY, PASSTHROUGH, REWRITE, Envelope
from laconic.library.modes import (
    AsTyped,
    Mode,
    ShippedMode,
    envelope_for,
    report,
    rewrite_with_audit,
)
from laconic.library.outlets import Pending, emit_audit, going_to
from laconic.library.readings import Readings
from laconic.library.registry import line_of
from laconic.library.rule import Context
from laconic.library.rules import Rules
from laconic.policy.own_rules import OwnRule
from laconic.settings.load import Settings
from laconic.types import Decision, Outcome, Verdict, strictest

OWN = "laconic/gate"
FAULT = "laconic/fault"
_LONG = 0.05  # seconds
_turn = Lock()


def _forget_turns() -> None:
    """After a fork only the thread that forked is left: no other gives its turn back."""
    global _turn  # noqa: PLW0603 - a lock cannot be opened by another thread
    _turn = Lock()


register_at_fork(after_in_child=_forget_turns)


class GateJudge:
    """What has a say in a decision. uses_gate: laconic's own verdicts count."""

    def __init__(
        self,
        rules: Rules,
        mode: Mode,
        classifier: Classifier | None,
        settings: Settings,
        *,
        uses_gate: bool,
        also: Sequence[OwnRule] = (),
        uses_box: bool = False,
    ) -> None:
        self.rules, self.mode, self.classifier = rules, mode, classifier
        self.settings, self.uses_gate = settings, uses_gate
        self.also, self.uses_box = also, uses_box

    @property
    def is_quick(self) -> bool:
        """Tell whether a decision waits for nobody: no model, no program or mode of the user's."""
        if self.uses_box or self.rules.call_back or not isinstance(self.mode, ShippedMode):
            return False
        return self.settings.is_isolated and self.classifier is None

    @property
    def _reads_for_rules(self) -> bool:
        """Tell whether a verdict may be asked for before the rules: it tells nobody."""
        return self.uses_gate and self.settings.config.permissions.engine != "external"

    def decide(self, command: str, context: Context, *, as_typed: bool = False) -> Envelope:
        """Decide, without effects: they are in the envelope. Never raises: a fault denies.

        as_typed: it cannot run as another command.

        Threads take turns, because a decision looks at files, each look lets go of the interpreter,
        and to get it back takes longer than the look. Nothing depends on the turn: a thread that
        has waited for long, for another's slow disk perhaps, goes on without it.
        """
        if not self.is_quick:
            return self._judged(command, context, as_typed)
        turn = _turn
        is_ours = turn.acquire(timeout=_LONG)
        try:
            return self._judged(command, context, as_typed)
        finally:
            if is_ours:
                turn.release()

    def _judged(self, command: str, context: Context, as_typed: bool) -> Envelope:
        pending = Pending()
        if self._reads_for_rules:
            readings = Readings(self.settings, context.cwd, context.environ, self.also)
            context = replace(context, readings=readings)
        try:
            with going_to(pending):
                envelope = self._decide(command, context, as_typed)
            if self.uses_box and not as_typed:
                envelope = self._boxed(envelope, context)
            if as_typed and envelope.changed:
                raise RuleError("a command of several words or lines cannot be rewritten")
        except Exception as fault:  # noqa: BLE001 - whatever happened, the command must not run
            pending.effects.clear()
            envelope = faulty(command, fault)
            with going_to(pending):
                report(envelope)
        if envelope.cwd == context.cwd and not pending.effects:
            return envelope
        return replace(envelope, effects=tuple(pending.effects), cwd=context.cwd)

    def _decide(self, command: str, context: Context, as_typed: bool) -> Envelope:
        if isinstance(self.mode, ShippedMode):
            mode = AsTyped(self.mode) if as_typed else self.mode
            envelope = self.rules.apply(command, context, mode)
        else:
            envelope = self._by_own_mode(command, context)
        is_classified = envelope is None and self.classifier is not None
        if is_classified:
            envelope = self._classified(command, context)
        if not self.uses_gate or (envelope is not None and envelope.outcome is Outcome.DENIED):
            return _unruled(command, context) if envelope is None else envelope
        if envelope is None:
            return self.gated(command, context)
        decision = self.verdict(envelope.command, context)
        if is_classified and envelope.changed:  # a model's rewrite cannot make a verdict milder
            decision = strictest((self.verdict(command, context), decision), 0, decision.end)
        return replace(envelope, **_told(decision))

    def _boxed(self, envelope: Envelope, context: Context) -> Envelope:
        """Have it run in the box if that settles what there is to ask."""
        if envelope.decision is None or envelope.outcome is not Outcome.ASKED:
            return envelope
        command = envelope.command
        decision, boxed = in_box(command, envelope.decision, context, self.settings)
        if boxed == command:
            return envelope
        return replace(
            envelope,
            action=REWRITE,
            command=boxed,
            rule_id=decision.rule,
            severity="info",
            explanation=decision.reason,
            decision=decision,
        )

    def gated(self, command: str, context: Context) -> Envelope:
        """Return what laconic itself says of a command, without any rule."""
        return _unruled(command, context, **_told(self.verdict(command, context)))

    def _by_own_mode(self, command: str, context: Context) -> Envelope | None:
        """Let a mode of the user's own decide, with nothing to run; what it changes is checked."""
        match = self.rules.first(command, context)
        if match is None:
            return None
        said = self.mode(match, command, None)
        given = said if isinstance(said, Mapping) else {}
        new = given.get("command")
        new = new if isinstance(new, str) else command
        action = str(given.get("action") or PASSTHROUGH)
        envelope = envelope_for(match, action, command, new)
        denial = self.rules.denial(new, context) if new != command else None
        if denial is None:
            return envelope
        denial = replace(denial, original_command=command)
        report(denial)
        return denial

    def _classified(self, command: str, context: Context) -> Envelope | None:
        assert self.classifier is not None
        verdict = self.classifier.classify(command)
        action = PASSTHROUGH if self.classifier.passes(verdict) else verdict.kind
        rewritten = verdict.rewritten or command
        if action == REWRITE and line_of(rewritten, context).script is None:
            action, verdict = PASSTHROUGH, replace(verdict, error="the rewrite cannot be parsed")
        emit_audit("tool_hook_classifier_verdict", self.classifier.entry(command, verdict, action))
        if action == PASSTHROUGH:
            return None
        envelope = Envelope(
            action=action,
            command=rewritten if action == REWRITE else command,
            original_command=command,
            rule_id=self.classifier.scope,
            catalogue_id=CLASSIFIER,
            severity="error" if action == DENY else "warning",
            explanation=verdict.explanation,
            references=verdict.references,
        )
        if not envelope.changed and action == REWRITE:
            envelope = replace(envelope, action=PASSTHROUGH)
        if envelope.changed:
            pending = Pending()
            with going_to(pending):
                ruled = self.rules.apply(envelope.command, context, rewrite_with_audit)
            if ruled is not None and ruled.outcome is Outcome.DENIED:
                envelope = replace(ruled, original_command=command)
            elif ruled is not None:
                envelope = replace(envelope, command=ruled.command)
        report(envelope)
        return envelope

    def verdict(self, command: str, context: Context, *, use_up: bool = False) -> Decision:
        """The gate's own verdict; use_up: an allowance for one run is gone then."""
        if context.readings is not None and not use_up:
            return context.readings.verdict(command)
        request = engine.Request(command, context.cwd, context.environ)
        return engine.decide_request(request, self.settings, use_allowances=use_up, also=self.also)


def _unruled(command: str, context: Context, **more: Any) -> Envelope:
    """The envelope of a command that no rule is about. more: what laconic itself says of it."""
    told = {"action": PASSTHROUGH, "command": command, "original_command": command}
    return Envelope(**(told | {"cwd": context.cwd} | more))


def _told(decision: Decision) -> dict[str, Any]:
    """What laconic's own verdict about the text that would run changes in an envelope."""
    if decision.verdict is Verdict.ALLOW:
        return {"decision": decision}
    return {
        "action": str(decision.verdict),
        "rule_id": decision.rule,
        "catalogue_id": OWN,
        "severity": "error" if decision.verdict is Verdict.DENY else "warning",
        "explanation": decision.reason
        + (f"; instead: {decision.instead}" if decision.instead else ""),
        "references": (),
        "decision": decision,
    }


def faulty(command: object, fault: Exception) -> Envelope:
    """The denial for a command that could not be judged."""
    text = command if isinstance(command, str) else repr(command)
    return Envelope(
        action=DENY,
        command=text,
        original_command=text,
        rule_id=FAULT,
        catalogue_id=FAULT,
        severity="error",
        explanation=f"the gate failed ({type(fault).__name__}: {fault})",
    )
