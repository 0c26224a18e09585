"""The questions in the log: which commands they were about, how often, and what would end each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from typing import Any

from laconic import engine
from laconic.hooks.way_out import ALWAYS, UNSHOWN, way_out
from laconic.reading.facts import read_facts, scope
from laconic.reading.file_tools import RULES
from laconic.record import decisions
from laconic.replay.candidates import OPEN
from laconic.replay.flow import asks, flow_of
from laconic.replay.followed import REFUSED
from laconic.replay.tune import PastStep, Tuner
from laconic.secrets.redact import HIDDEN
from laconic.sessions.proposal import Proposal
from laconic.sessions.question import Ending, Question
from laconic.sessions.values import Step, clean
from laconic.settings.load import read_settings
from laconic.shell.words import quoted
from laconic.types import EFFECTS, Effect, Verdict, union

_WHO = ("agent", "cwd", "command")
# What a page may suggest: not to open something or to read secrets.
_PROPOSED = OPEN | Effect.INSTALLS | Effect.DISCARDS | Effect.UNKNOWN | Effect.SENDS
_CLIPPED = " characters)"  # how the log ends a command that is too long for it


def asked_by_agent(row: Mapping[str, Any]) -> bool | None:
    """Tell whether an agent asked a person about what was left to it; None if nobody knows."""
    if row.get("agent_asks") or row.get("then") == REFUSED:
        return True
    is_known = "outcome" in row and flow_of(str(row.get("agent", ""))).calls_again
    return False if is_known else None


def is_question(row: Mapping[str, Any]) -> bool:
    """Tell whether a line of the log interrupted a person, as far as it can be told.

    What was left to an agent that does not tell whether it asked counts by its usual rules.
    """
    if decisions.outcome(row) != decisions.LEFT:
        return decisions.outcome(row) == Verdict.ASK
    known = asked_by_agent(row)
    return _would_ask(row) if known is None else known


def _would_ask(row: Mapping[str, Any]) -> bool:
    fields = (str(row.get(key, "")) for key in ("agent", "command", "mode"))
    return asks_usually(*fields, tuple(map(str, row.get("effects", ()))))


@lru_cache(maxsize=1 << 16)
def asks_usually(agent: str, command: str, mode: str, effects: tuple[str, ...]) -> bool:
    """Tell whether an agent asks about a command by itself, without rules of the user's.

    Effects that this laconic does not know are not reads, whatever they are.
    """
    found = union(EFFECTS.get(word, Effect.UNKNOWN) for word in effects)
    return asks(agent, Step(command, "/", mode), found, ())


def seen_of(row: Mapping[str, Any]) -> PastStep | None:
    """Return the command of a line of the log; None if it is not one, or not known as a whole."""
    agent, cwd, command = (clean(str(row.get(key, ""))) for key in _WHO)
    is_unchecked = decisions.outcome(row) == decisions.UNCHECKED
    if is_unchecked or str(row.get("rule", "")).startswith(f"{RULES}/"):
        return None  # perhaps a tool of the agent, not a command
    is_whole = HIDDEN not in command and not command.endswith(_CLIPPED)
    if not (is_whole and command.strip()):
        return None
    return PastStep(agent, cwd, command, str(row.get("mode", "")), asked_by_agent(row))


def questions(rows: Iterable[Mapping[str, Any]]) -> list[Question]:
    """Return the commands that interrupted a person, each once, the newest first."""
    counts = Counter[str]()
    newest: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        if is_question(row):
            command = str(row.get("command", ""))
            counts[command] += 1
            newest.pop(command, None)  # so that it becomes the last
            newest[command] = row
    return [Question(row, counts[command]) for command, row in reversed(newest.items())]


def proposed(asked: Iterable[Question], environ: Mapping[str, str]) -> Sequence[Proposal]:
    """Return what would end most of these questions."""
    seen = Counter[PastStep]()
    for question in asked:
        step = seen_of(question.row)
        if step:
            seen[step._replace(was_asked=True)] += question.times
    config = b""
    with suppress(OSError):
        config = read_settings(environ, "/").user_config_path.read_bytes()
    return _proposed(frozenset(seen.items()), config, tuple(environ.items()))


@lru_cache(maxsize=4)
def _proposed(
    seen: frozenset[tuple[PastStep, int]], _config: bytes, environ: tuple[tuple[str, str], ...]
) -> Sequence[Proposal]:
    """Propose once for the same questions and configuration: a live page asks often."""
    variables = dict(environ)
    proposals, _ = Tuner(read_settings(variables, "/"), variables).propose(Counter(dict(seen)))
    return proposals


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
        """Return rules that `laconic tune` might propose, else what the question itself says."""
        seen = seen_of(row)
        if seen is None:
            is_tool = str(row.get("rule", "")).startswith(f"{RULES}/")
            return Ending((), "a tool of the agent" if is_tool else "its text is not kept")
        rules = self._tuner.settle(seen)
        if rules:
            return Ending(tuple(f"{ALWAYS} {quoted(rule.value)}" for rule in rules))
        return self._way_out(seen)

    def _way_out(self, seen: PastStep) -> Ending:
        request = engine.Request(seen.command, seen.cwd, self._environ, seen.agent)
        settings = read_settings(self._environ, seen.cwd)
        decision = engine.decide_request(request, settings, use_allowances=False)
        if decision.verdict is Verdict.ALLOW:
            return Ending((), "it is allowed today")
        line = way_out(decision, request, settings)
        if not line:
            return Ending((), "a person decides each time")
        if decision.effects & ~_PROPOSED:
            return Ending((), "no line is proposed for this; its question says what allows it")
        if UNSHOWN in line:
            return Ending((), "its text cannot be typed on one line")
        place = self._project(seen.cwd)  # an allowance counts in one project
        is_here = line.startswith(ALWAYS) or place == self._project(self._here)
        return Ending((line,), place="" if is_here else place)

    def _project(self, directory: str) -> str:
        return scope(read_facts(directory, self._environ)) if directory else ""
