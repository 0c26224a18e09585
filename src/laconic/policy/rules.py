"""The user's say over the built-in knowledge: lists, floors, gated subcommands, agents' rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from laconic.knowledge.arguments import Argument
from laconic.policy.own_rules import OwnRule
from laconic.policy.permissions import Permission, apply_to_text, judged_by_rules
from laconic.policy.profiles import Answers
from laconic.policy.user_lists import (
    allowed_by_list,
    listed_program,
    listed_unknown,
    settled,
)
from laconic.reading.call import Call
from laconic.reading.judge import Judge
from laconic.reading.say import Say
from laconic.reading.situation import Situation
from laconic.reading.user_places import UserPlaces
from laconic.settings.managed import Managed
from laconic.types import Decision, Effect


class SubcommandGate:
    """Subcommands of a tool that are allowed while variables have their values (`config_env`).

    environment: the values that open the gate, by variable; none stands for any value.
    """

    __slots__ = ("environment", "subcommands")

    def __init__(
        self, subcommands: Iterable[str], environment: Mapping[str, tuple[str, ...]]
    ) -> None:
        self.subcommands, self.environment = frozenset(subcommands), dict(environment)


class Rules(Say):
    """What the configuration changes.

    answers: those to effects. allow, ask, deny: names added to those lists. denied: names in
    the built-in deny list, of which only calls that are known to be harmless may run. undenied:
    names taken out of deny.
    wrappers: name to floor (`allow`, `ask`). subcommands: path (`git push`) to `allow` or `ask`.
    gates: tool to SubcommandGate. force_push: options that make any push ask.
    places: files that the user has a say on. hosts: those that boxes may reach.
    permissions: the user's rules about commands, those in the settings of the agent that wants to
    run the command among them. messages, instead: what to say of entries, and to do in their place.
    managed: the policy of this machine, whose entries nothing loosens.
    """

    __slots__ = (
        "allow",
        "answers",
        "ask",
        "denied",
        "deny",
        "force_push",
        "gates",
        "hosts",
        "instead",
        "managed",
        "messages",
        "permissions",
        "places",
        "subcommands",
        "undenied",
        "wrappers",
    )  # fmt: skip

    answers: Answers
    gates: dict[str, SubcommandGate]
    permissions: tuple[Permission | OwnRule, ...]

    def __init__(
        self,
        profile: str = "default",
        changed: Mapping[str, str] | None = None,
        managed: Managed | None = None,
    ) -> None:
        self.answers = Answers(profile, changed, managed.profile if managed else "")
        self.managed = managed
        self.places = UserPlaces()
        self.hosts: frozenset[str] = frozenset()
        self.allow: frozenset[str] = frozenset()
        self.ask: frozenset[str] = frozenset()
        self.deny: frozenset[str] = frozenset()
        self.denied: frozenset[str] = frozenset()
        self.undenied: frozenset[str] = frozenset()
        self.wrappers: dict[str, str] = {}
        self.subcommands: dict[str, str] = {}
        self.gates: dict[str, SubcommandGate] = {}
        self.force_push: frozenset[str] = frozenset()
        self.permissions: tuple[Permission | OwnRule, ...] = ()
        self.messages: Mapping[str, str] = {}
        self.instead: Mapping[str, str] = {}

    def required(self, name: str, entry: str) -> Managed | None:
        """Return the policy of this machine if it has put an entry into a list."""
        return self.managed if self.managed and self.managed.has(name, entry) else None

    # -- what they say while a line is read

    @property
    def has_box(self) -> bool:  # type: ignore[override]
        return bool(self.answers.box)

    def in_the_box(self) -> Rules:
        return self.with_answers(self.answers.in_the_box())

    def outside_the_box(self) -> Rules:
        return self.with_answers(self.answers.outside_the_box())

    def line(self, decision: Decision, command: str) -> Decision:
        return apply_to_text(self.permissions, decision, command)

    def program(
        self, judge: Judge, arguments: list[Argument], span: tuple[int, int], situation: Situation
    ) -> Decision:
        if self.permissions:
            return judged_by_rules(self, judge, arguments, span, situation)
        return listed_program(self, judge, arguments, span, situation)

    def file(self, name: str, effects: Effect, span: tuple[int, int]) -> Decision | None:
        return allowed_by_list(name, effects, span) if name in self.allow else None

    def known(self, call: Call, name: str) -> list[Decision]:
        return settled(self, call, name)

    def unknown(
        self, judge: Judge, arguments: list[Argument], span: tuple[int, int], situation: Situation
    ) -> Decision | None:
        return listed_unknown(self, judge, arguments, span, situation)

    def is_gate(self, name: str, value: str | None) -> bool:
        return any(value in gate.environment.get(name, ()) for gate in self.gates.values())

    # -- other rules

    def with_answers(self, answers: Answers) -> Rules:
        """Return the same rules with other answers to effects."""
        made = self.here(self.gates, ())
        made.answers = answers
        return made

    def here(
        self,
        gates: dict[str, SubcommandGate],
        permissions: tuple[Permission | OwnRule, ...],
        *,
        accepts_edits: bool = False,
    ) -> Rules:
        """Return the same rules with those that depend on the agent, its mode and the directory."""
        made = Rules(self.answers.profile)
        for name in self.__slots__:
            setattr(made, name, getattr(self, name))
        made.gates, made.permissions = gates, (*self.permissions, *permissions)
        if accepts_edits:
            made.answers = self.answers.with_edits()
        return made
