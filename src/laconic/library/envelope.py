"""The decision envelope: what a rule, the classifier or the gate has decided about a command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from laconic.library.outlets import Effect
from laconic.library.rule import Severity
from laconic.types import Decision, Outcome, Verdict, assert_never


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


MISSING: Any = _Missing()
ASK, DENY = str(Verdict.ASK), str(Verdict.DENY)
PASSTHROUGH, REWRITE = "passthrough", "rewrite"
_OUTCOMES = {ASK: Outcome.ASKED, DENY: Outcome.DENIED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope(Mapping[str, Any]):
    """A decision about one command. It is also a mapping, with the keys of to_dict().

    action: `rewrite`, `deny`, `passthrough`, `ask`, or what a mode of your own says. command: what
    is to run, rewritten or not. rules: the ids of all rules that changed the command, in order.
    decision: the gate's own, None where it was not asked. effects: what is to be written down and
    said once the decision is acted on. cwd: the directory that it was judged in. result: what the
    executor gave.
    """

    action: str
    command: str
    original_command: str
    rule_id: str = ""
    catalogue_id: str = ""
    severity: Severity | Literal[""] = ""
    explanation: str = ""
    references: tuple[str, ...] = ()
    result: Any = MISSING
    rules: tuple[str, ...] = ()
    decision: Decision | None = field(default=None, compare=False, repr=False)
    effects: tuple[Effect, ...] = field(default=(), compare=False, repr=False)
    cwd: str = field(default="", compare=False, repr=False)

    @property
    def outcome(self) -> Outcome:
        """What its action comes to; here nothing is left to an agent."""
        return _OUTCOMES.get(self.action, Outcome.ALLOWED)

    @property
    def verdict(self) -> Verdict:
        """May it run? Only `allow` may without anybody's consent."""
        return Verdict(self.action) if self.action in _OUTCOMES else Verdict.ALLOW

    @property
    def matched(self) -> bool:
        """Tell whether a rule, the classifier or the gate has something to say."""
        return bool(self.rule_id)

    @property
    def changed(self) -> bool:
        return self.command != self.original_command

    @property
    def message(self) -> str:
        """One line for the model: why the command does not run, or what was changed."""
        why = self.explanation or "no reason is given"
        match self.outcome:
            case Outcome.DENIED:
                return f"denied: {why} ({self.rule_id})"
            case Outcome.ASKED:
                return f"needs consent: {why} ({self.rule_id})"
            case Outcome.ALLOWED | Outcome.LEFT:
                how = f"rewritten per rule {self.rule_id}: {why} Ran: {self.command}"
                return how if self.changed else ""
            case other:
                return assert_never(other)

    def refusal(self, said: str | None = None) -> str:
        """What the model reads if it does not run; said: the words of a person who has said no."""
        if said is None or self.outcome is not Outcome.ASKED:
            return self.message
        words = f": {said.strip()}" if said.strip() else ""
        return f"denied by a person{words} (it needed consent: {self.explanation}, {self.rule_id})"

    def tightened_by(self, other: Envelope) -> Envelope:
        """Return this decision, as strict as that about another command that might run."""
        if other.outcome <= self.outcome:
            return self
        if other.outcome is Outcome.DENIED:
            return other
        command, original = self.command, self.original_command
        return replace(other, command=command, original_command=original, effects=self.effects)

    def audit_payload(self) -> dict[str, Any]:
        """What is written down about it."""
        return {
            "rule_id": self.rule_id,
            "catalogue_id": self.catalogue_id,
            "severity": self.severity,
            "explanation": self.explanation,
            "original_command": self.original_command,
            "command": self.command,
        }

    def with_result(self, result: Any) -> Envelope:
        return replace(self, result=result)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: three keys where nothing matched; `result` only if there is one."""
        document: dict[str, Any] = {
            "action": self.action,
            "command": self.command,
            "original_command": self.original_command,
        }
        if self.matched:
            document |= {
                "rule_id": self.rule_id,
                "catalogue_id": self.catalogue_id,
                "severity": self.severity,
                "explanation": self.explanation,
                "references": list(self.references),
            }
        if self.result is not MISSING:
            document["result"] = self.result
        return document

    def __getitem__(self, key: str) -> Any:
        return self.to_dict()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_dict())

    def __len__(self) -> int:
        return len(self.to_dict())

    __hash__ = None  # type: ignore[assignment]
