"""The user's say over the built-in knowledge: lists, floors, gated subcommands, agents' rules."""

from __future__ import annotations

from laconic.policy.profiles import Cells
from laconic.policy.user_places import UserPlaces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from laconic.policy.own_rules import OwnRule
    from laconic.policy.permissions import Permission


class Gate:
    """Subcommands of a tool that are allowed while variables have their values (`config_env`).

    environment: the values that open the gate, by variable; none stands for any value.
    """

    __slots__ = ("environment", "subcommands")

    def __init__(
        self, subcommands: Iterable[str], environment: Mapping[str, tuple[str, ...]]
    ) -> None:
        self.subcommands, self.environment = frozenset(subcommands), dict(environment)


class Rules:
    """What the configuration changes.

    cells: the answer to each effect. allow, ask, deny: names added to those lists. denied: names in
    the built-in deny list, of which only calls that are known to be harmless may run. undenied:
    names taken out of deny.
    wrappers: name to floor (`allow`, `ask`). subcommands: path (`git push`) to `allow` or `ask`.
    gates: tool to Gate. force_push: options that make any push ask.
    places: files that the user has a say on.
    permissions: the user's rules about commands, those in the settings of the agent that wants to
    run the command among them. messages, instead: what to say of entries, and to do in their place.
    """

    __slots__ = (
        "allow", "ask", "cells", "denied", "deny", "force_push", "gates", "instead", "messages",
        "permissions", "places", "subcommands", "undenied", "wrappers",
    )  # fmt: skip

    def __init__(self, profile: str = "default", changed: Mapping[str, str] | None = None) -> None:
        self.cells = Cells(profile, changed)
        self.places = UserPlaces()
        self.allow: frozenset[str] = frozenset()
        self.ask: frozenset[str] = frozenset()
        self.deny: frozenset[str] = frozenset()
        self.denied: frozenset[str] = frozenset()
        self.undenied: frozenset[str] = frozenset()
        self.wrappers: dict[str, str] = {}
        self.subcommands: dict[str, str] = {}
        self.gates: dict[str, Gate] = {}
        self.force_push: frozenset[str] = frozenset()
        self.permissions: tuple[Permission | OwnRule, ...] = ()
        self.messages: Mapping[str, str] = {}
        self.instead: Mapping[str, str] = {}

    def with_cells(self, cells: Cells) -> Rules:
        """Return the same rules with other answers to effects."""
        made = self.here(self.gates, ())
        made.cells = cells
        return made

    def here(
        self,
        gates: dict[str, Gate],
        permissions: tuple[Permission | OwnRule, ...],
        *,
        accepts_edits: bool = False,
    ) -> Rules:
        """Return the same rules with those that depend on the agent, its mode and the directory."""
        made = Rules(self.cells.profile)
        for name in self.__slots__:
            setattr(made, name, getattr(self, name))
        made.gates, made.permissions = gates, (*self.permissions, *permissions)
        if accepts_edits:
            made.cells = self.cells.with_edits()
        return made
