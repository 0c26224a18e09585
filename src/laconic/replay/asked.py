"""The questions in the log: which commands they were about, how often, and what would end each."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

from laconic import engine
from laconic.reading.facts import read_facts, scope
from laconic.reading.file_tools import RULES
from laconic.replay.candidates import OPEN
from laconic.replay.tune import Seen, Tuner
from laconic.rewrite.edits import quoted
from laconic.secrets.redact import HIDDEN
from laconic.sessions.question import Ending, Question
from laconic.sessions.values import clean
from laconic.settings.load import read_settings
from laconic.types import Effect, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_WHO = ("agent", "cwd", "command")
# What a page may suggest for an hour: not what is destroyed, opened or read of secrets.
_FOR_A_WHILE = OPEN | Effect.INSTALLS | Effect.DISCARDS | Effect.UNKNOWN | Effect.SENDS
_CLIPPED = " characters)"  # how the log ends a command that is too long for it


def seen_of(row: Mapping[str, Any]) -> Seen | None:
    """Return the command of a line of the log; None if it is not one, or not known as a whole."""
    agent, cwd, command = (clean(str(row.get(key, ""))) for key in _WHO)
    if str(row.get("rule", "")).startswith(f"{RULES}/"):
        return None  # a tool of the agent, not a command
    is_whole = HIDDEN not in command and not command.endswith(_CLIPPED)
    return Seen(agent, cwd, command) if is_whole and command.strip() else None


def questions(rows: Iterable[Mapping[str, Any]]) -> list[Question]:
    """Return the commands that asked, each once, the newest first."""
    counts = Counter[str]()
    newest: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        if row.get("verdict") == Verdict.ASK.word:
            command = str(row.get("command", ""))
            counts[command] += 1
            newest.pop(command, None)  # so that it becomes the last
            newest[command] = row
    return [Question(row, counts[command]) for command, row in reversed(newest.items())]


class Endings:
    """Finds what would end questions, with one user's settings."""

    def __init__(self, environ: Mapping[str, str], here: str = "") -> None:
        """here: the directory of the person who reads it."""
        self._environ, self._here = environ, here

    @cached_property
    def _tuner(self) -> Tuner:
        return Tuner(read_settings(self._environ, "/"), self._environ)

    def ended(self, question: Question) -> Question:
        """Add to a question what would end it."""
        return question._replace(ending=self._find(question.row))

    def _find(self, row: Mapping[str, Any]) -> Ending:
        """Return rules that `laconic tune` might propose, else an exception for a while."""
        seen = seen_of(row)
        if seen is None:
            is_tool = str(row.get("rule", "")).startswith(f"{RULES}/")
            return Ending((), "a tool of the agent" if is_tool else "its text is not kept")
        rules = self._tuner.settle(seen)
        if rules:
            return Ending(tuple(f"laconic allow --always {quoted(rule.value)}" for rule in rules))
        return self._exception(seen)

    def _exception(self, seen: Seen) -> Ending:
        request = engine.Request(seen.command, seen.cwd, self._environ, seen.agent)
        settings = read_settings(self._environ, seen.cwd)
        decision = engine.decide_request(request, settings, use_exceptions=False)
        if decision.verdict is Verdict.ALLOW:
            return Ending((), "it is allowed today")
        if decision.verdict is Verdict.DENY or decision.firm or decision.effects & ~_FOR_A_WHILE:
            return Ending((), "a person decides each time")
        if not seen.command.isprintable():
            return Ending((), "its text cannot be typed on one line")
        place = self._project(seen.cwd)  # an exception counts in one project
        elsewhere = "" if place == self._project(self._here) else place
        return Ending((f"laconic allow {quoted(seen.command)} --for 1h",), place=elsewhere)

    def _project(self, directory: str) -> str:
        return scope(read_facts(directory, self._environ)) if directory else ""
