"""The lines of one decision: each is read once, for the rules and for laconic's own verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from laconic import engine
from laconic.library.line import Line
from laconic.policy.own_rules import OwnRule
from laconic.reading.situation import ProgramCall
from laconic.settings.load import Settings
from laconic.types import Decision


class Readings:
    """What laconic reads in lines and says of them, in one place and at one time."""

    def __init__(
        self,
        settings: Settings,
        cwd: str,
        environ: Mapping[str, str],
        also: Sequence[OwnRule] = (),
    ) -> None:
        self._settings, self._also = settings, also
        self._request = engine.Request("", cwd, environ)
        self._known: dict[str, tuple[Decision, Line]] = {}

    def line(self, command: str) -> Line:
        return self._read(command)[1]

    def verdict(self, command: str) -> Decision:
        return self._read(command)[0]

    def _read(self, command: str) -> tuple[Decision, Line]:
        known = self._known.get(command)
        if known is None:
            known = self._known[command] = self._judged(command)
        return known

    def _judged(self, command: str) -> tuple[Decision, Line]:
        request = self._request
        facts, home = request.facts, request.environ.get("HOME", "")
        programs: list[ProgramCall] = []
        decision = engine.decide_request(
            request.with_command(command),
            self._settings,
            use_allowances=False,
            programs=programs,
            also=self._also,
        )
        line = Line(command, request.cwd, home, programs, also_kept=(facts.cwd, facts.home))
        return decision, line
