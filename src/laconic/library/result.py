"""What became of a command that a Gate has run, or has not let run."""

from __future__ import annotations

from dataclasses import dataclass

from laconic.library.envelope import Envelope

DENIED_STATUS = 126  # as of a shell that may not run a program


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of a command. status: 126 if it was not let run, 124 if its time was over.

    text: what the model is to read. raw_id: for `laconic recall`, where something is hidden.
    undo_id: for `Gate.undo` and `laconic undo`, where something was kept.
    """

    status: int
    text: str
    stdout: str = ""
    stderr: str = ""
    raw_id: str = ""
    undo_id: str = ""
    saved_tokens: int = 0
    duration_ms: int = 0
    timed_out: bool = False
    envelope: Envelope

    def __str__(self) -> str:
        return self.text


def refused(envelope: Envelope, *, by_person: bool = False) -> Result:
    text = envelope.refusal("" if by_person else None)
    return Result(status=DENIED_STATUS, text=text, stderr=text, envelope=envelope)
