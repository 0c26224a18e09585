"""Says what of a line of the log may leave the machine; all else stays, also what is not known yet.

Reasons, directories and modes never do. Of the id of a rule only laconic's own words do: the others
are those of programs in the project, or of variables.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

from laconic.agents.load import hooked
from laconic.knowledge.catalog import library, tables
from laconic.patterns import pattern
from laconic.record import decisions
from laconic.replay.questions import is_question
from laconic.secrets.redact import redact
from laconic.types import EFFECTS, HARD, Kind, Verdict, union

OTHER = "other"  # in place of a rule or a word that is not laconic's own
# What the parts of rules are called besides programs, subcommands, effects and kinds of findings.
_WORDS = """
    allow argument arithmetic ask assignment bash body body-data body-file box brings cache
    catalogues cause config connects data deny dialect disabled dynamic dynamic-command env-file
    environment evaluation execute-command fault fetched fetched-code file-tool
    force foreign-code fork-bomb found function gate goal hard header hook input-file
    interpreter line listed listed-secret method name nesting no-start nothing number off ok
    open-files-in-pager other permissions post-data post-file program program-by-path
    program-in-path proxy quote redirect refspec registry response response-file runs scheme
    serves setting sh shell signal statements substituted too-large unknown-command unparsable
    variable version warn zsh
"""
_WORD = pattern(r"[^\s{},]+")
_NAME = pattern(r"[A-Za-z0-9_.:+-]{1,128}")  # ids of agents; a path or a text is none
_OUTCOMES = frozenset((*Verdict, decisions.LEFT, decisions.UNCHECKED))


class Leaving(NamedTuple):
    """What of one line may leave. time: seconds since 1970. command: empty unless asked for.

    policy: the serial of that of the machine, `broken`, or nothing.
    is_question: it interrupted a person, as far as it can be told. is_again: the agent had called
    about the same command before, so that it is no further decision.
    """

    id: str
    time: float
    version: str
    verdict: str
    outcome: str
    effects: tuple[str, ...]
    is_hard: bool
    rule: str
    profile: str
    policy: str
    agent: str
    session: str
    call: str
    in_box: bool
    is_question: bool
    is_again: bool
    command: str

    @property
    def gravest(self) -> str:
        """The effect that matters most; the words are in the order of their gravity."""
        return self.effects[-1] if self.effects else ""

    @property
    def is_unchecked(self) -> bool:
        return self.verdict == decisions.UNCHECKED


def leaving(row: Mapping[str, Any], *, with_command: bool = False) -> Leaving | None:
    """Return what may leave of a line; None for what a person only checked, and for no line."""
    agent = _name(row.get("agent"))
    if agent == decisions.OWN:
        return None
    try:
        time = decisions.moment(row)
    except (ValueError, TypeError, KeyError, OverflowError):
        return None
    words = row.get("effects")
    given = set(map(str, words)) if isinstance(words, list) else set()
    effects = tuple(word for word in EFFECTS if word in given)
    is_again = bool(row.get("event"))
    answer = decisions.outcome(row)
    asks = {"agent_asks": True} if is_again and answer == decisions.LEFT else {}
    return Leaving(
        id=_name(row.get("id")),
        time=time,
        version=_name(row.get("version")),
        verdict=_one_of(_OUTCOMES, row.get("verdict")),
        outcome=_one_of(_OUTCOMES, answer),
        effects=effects,
        is_hard=bool(union(EFFECTS[word] for word in effects) & HARD),
        rule=rule_of(str(row.get("rule", ""))),
        profile=_name(row.get("profile")),
        policy=_name(row.get("policy")),
        agent=agent,
        session=_name(row.get("session")),
        call=_name(row.get("call")),
        in_box=row.get("box") is True,
        is_question=answer != decisions.UNCHECKED and is_question({**row, **asks}),
        is_again=is_again,
        command=redact(str(row.get("command", ""))) if with_command else "",
    )


@lru_cache(maxsize=4096)
def rule_of(rule: str) -> str:
    """Return the id of a rule; `other` stands for what may be a word of the command."""
    known = _vocabulary()
    return "/".join(part if part in known else OTHER for part in rule.split("/"))


@cache
def _vocabulary() -> frozenset[str]:
    """What laconic itself calls programs, subcommands, effects, findings and agents."""
    texts = [*library().root.words, *EFFECTS, *Kind, *hooked(), _WORDS]
    for _, name, table in tables():
        texts += [name, *table.get("also", ())]
    return frozenset(word for text in texts for word in _WORD.findall(text))


def _name(value: object) -> str:
    return value if isinstance(value, str) and _NAME.fullmatch(value) else ""


def _one_of(words: frozenset[str], value: object) -> str:
    return value if isinstance(value, str) and value in words else OTHER
