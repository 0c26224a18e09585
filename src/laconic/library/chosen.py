"""What the keys of a Gate make of laconic's settings: a profile, what is allowed, the box, undo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

from laconic import engine
from laconic.contain import contained
from laconic.library.conditions import RuleError
from laconic.library.rule import Context
from laconic.policy.own_rules import OwnRule
from laconic.settings.config import PROFILE_ORDER
from laconic.settings.load import Settings
from laconic.types import Decision, Verdict

Profile = Literal["guard", "default", "work", "strict"]


def with_profile(settings: Settings, profile: Profile | None) -> Settings:
    """The same settings with another profile, or what the policy of the machine requires."""
    if profile is None:
        return settings
    if profile not in get_args(Profile):
        known = ", ".join(get_args(Profile))
        raise RuleError(f"`profile` must be one of {known}, not {profile!r}")
    config, least = settings.config, settings.managed.profile if settings.managed else ""
    wanted = max(profile, least or profile, key=PROFILE_ORDER.index)
    return settings.with_config(config.but(settings=config.settings.but(profile=wanted)))


def rules_allowing(commands: Iterable[str]) -> tuple[OwnRule, ...]:
    """Rules for commands that may run, each by its first words."""
    if isinstance(commands, str):
        raise RuleError("`allow` must be a list of commands, not one text")
    rules: list[OwnRule] = []
    for command in commands:
        made = engine.allowing(command) if isinstance(command, str) else ()
        if not made:
            raise RuleError(f"`allow` takes commands in plain words, not {command!r}")
        rules += made
    return tuple(rules)


def in_box(
    command: str, decision: Decision, context: Context, settings: Settings
) -> tuple[Decision, str]:
    """What to run in place of a command that the box makes harmless; else the same two."""
    if decision.verdict is not Verdict.ASK:
        return decision, command
    request = engine.Request(command, context.cwd, context.environ)
    made = contained(request, decision, settings.opened())
    if made is None or made.decision.verdict is not Verdict.ALLOW or made.kept is not None:
        return decision, command
    return made.decision, made.rewriting.text
