"""The table of many machines: its columns, and a row of it."""

from __future__ import annotations

from typing import NamedTuple

DECISION, UNCHECKED, RUN, RECALL = "decision", "unchecked", "run", "recall"


class Row(NamedTuple):
    """One thing that happened on one machine; what is not known is empty, or 0.

    Times are microseconds since 1970, UTC.
    """

    id: str
    kind: str
    time: int
    exported: int
    team: str
    person: str
    machine: str
    project: str
    agent: str
    session: str
    call: str
    version: str
    policy: str
    profile: str
    verdict: str = ""
    outcome: str = ""
    effects: str = ""
    hard: bool = False
    rule: str = ""
    question: bool = False
    would_ask: bool = False
    followed: str = ""
    box: bool = False
    command: str = ""
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    exact: bool = False
    saved_microdollars: int | None = None


# The columns of the table; `day` is made of the time.
COLUMNS = {
    "id": "as in the log, random; a row that came twice counts once",
    "kind": "`decision`, `unchecked` (it ran without one), `run` or `recall`",
    "time": "when, in UTC",
    "day": "the day of it, in UTC",
    "exported": "when the row was written; of rows with one id the newest counts",
    "team": "`[export] team`",
    "person": "keyed hash of the user's name",
    "machine": "random",
    "project": "keyed hash of where the project's origin is, or else its directory",
    "agent": "`claude-code`, `codex` ..",
    "session": "the agent's own id",
    "call": "the agent's own id of the call",
    "version": "of laconic",
    "policy": "serial of the policy, or `broken`; of a run: as last in its session",
    "profile": "in which it was decided; of a run: as last in its session",
    "verdict": "`allow`, `ask`, `deny`; empty for runs and recalls",
    "outcome": "what the agent was answered: these, or `left` to it",
    "effects": "words of the gate, with a blank between them, the gravest last",
    "hard": "one of the effects is hard",
    "rule": "why; `other` stands for words that are not laconic's own",
    "question": "a person was interrupted, as far as it can be told",
    "would_ask": "without laconic the agent would have asked, by its usual rules",
    "followed": "what the transcript says of it: `ran`, `refused`",
    "box": "it ran in the box",
    "command": "empty, unless `[export] commands` is on; without secrets",
    "model": "that the session used most, if its transcript tells",
    "input_tokens": "of a run: what the agent would have read without laconic",
    "output_tokens": "of a run or a recall: what it read",
    "exact": "the tokens are counted, not estimated",
    "saved_microdollars": "what a run or recall saved, at list prices; NULL if not known",
}
_TYPES = {"day": "DATE", "time": "TIMESTAMP", "exported": "TIMESTAMP"} | dict.fromkeys(
    ("input_tokens", "output_tokens", "saved_microdollars"), "BIGINT"
)
_TYPES |= dict.fromkeys(("hard", "question", "would_ask", "box", "exact"), "BOOLEAN")


def type_of(column: str) -> str:
    """Return the type of a column in SQL."""
    return _TYPES.get(column, "VARCHAR")
