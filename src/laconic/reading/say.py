"""What others have a say in while a line is read; `policy.rules` is what the user says."""

from __future__ import annotations

from laconic.reading.user_places import UserPlaces
from laconic.types import Decision, Effect, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from laconic.knowledge.arguments import Argument
    from laconic.reading.call import Call
    from laconic.reading.judge import Judge
    from laconic.reading.situation import Situation


class Allowed(dict[Effect, Verdict]):
    """Every effect is allowed."""

    def __missing__(self, effects: Effect) -> Verdict:
        return Verdict.ALLOW


class Say:
    """Nobody says anything: all effects are allowed, and what is read is what there is.

    answers: the answer to effects. places: the files that somebody has a say on. hosts: those
    that the user's package managers fetch from. has_box: some
    effects are settled by a box. The others are what `policy.rules.Rules` explains.
    """

    __slots__ = ()
    answers: dict[Effect, Verdict] = Allowed()
    places = UserPlaces()
    hosts: frozenset[str] = frozenset()
    has_box = False
    allow: frozenset[str] = frozenset()
    ask: frozenset[str] = frozenset()
    deny: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()
    undenied: frozenset[str] = frozenset()
    wrappers: Mapping[str, str] = {}
    subcommands: Mapping[str, str] = {}
    gates: Mapping[str, object] = {}
    permissions: Sequence[object] = ()

    def in_the_box(self) -> Self:
        """The same for a command that runs in the box."""
        return self

    def outside_the_box(self) -> Self:
        """The same for a command that is to run without the box."""
        return self

    def line(self, decision: Decision, command: str) -> Decision:  # noqa: ARG002
        """The decision on a whole line."""
        return decision

    def program(
        self, judge: Judge, arguments: list[Argument], span: tuple[int, int], situation: Situation
    ) -> Decision:
        """A program with its arguments."""
        return judge.program(arguments, span, situation)

    def file(self, name: str, effects: Effect, span: tuple[int, int]) -> Decision | None:  # noqa: ARG002
        """A file that is run by its path; None if nobody says anything of it."""
        return None

    def known(self, call: Call, name: str) -> list[Decision]:  # noqa: ARG002
        """The findings about a program that is known."""
        return call.findings

    def unknown(
        self,
        judge: Judge,  # noqa: ARG002
        arguments: list[Argument],  # noqa: ARG002
        span: tuple[int, int],  # noqa: ARG002
        situation: Situation,  # noqa: ARG002
    ) -> Decision | None:
        """A program that is not known; None if nobody says anything of it."""
        return None

    def is_gate(self, name: str, value: str | None) -> bool:  # noqa: ARG002
        """Tell whether a variable with this value lets commands through."""
        return False
