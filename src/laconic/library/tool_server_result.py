"""What a server of tools tells: how a command has ended, and what was hidden of its output."""

from __future__ import annotations

from typing import Any

from laconic.errors import LaconicError
from laconic.library.envelope import Envelope
from laconic.library.gate import Gate
from laconic.library.result import Result
from laconic.record.recall import lines as lines_of
from laconic.record.recall import wanted
from laconic.record.store import Store, is_id
from laconic.secrets.mask import Masker, masked_pieces


def question(envelope: Envelope) -> str:
    """What a person is asked about a command that needs consent."""
    return f"Run this command?\n{envelope.command}\n{envelope.message}"


def result_text(gate: Gate, result: Result) -> str:
    """The output, the exit status unless it is 0, and what the model is to be reminded of."""
    status = f"[exit status {result.status}]" if result.status else ""
    parts = (result.text.rstrip("\n"), status, gate.take_reminders())
    return "\n".join(part for part in parts if part) or "[no output]"


def facts(result: Result, text: str) -> dict[str, Any]:
    """What a program reads of a result; `text` is what the model reads."""
    return {
        "verdict": str(result.envelope.verdict),
        "status": result.status,
        "timed_out": result.timed_out,
        "recall_id": result.raw_id,
        "undo_id": result.undo_id,
        "text": text,
    }


def recalled(gate: Gate, raw_id: str, lines: str, grep: str) -> str:
    """A kept output, or some of its lines; LaconicError if there is no such output."""
    store = Store(gate.settings.directories.state)
    if not is_id(raw_id) or not store.has(raw_id):
        raise LaconicError(f"no output has the id {raw_id!r}")
    picked = wanted(lines or None, grep or None)
    pieces = masked_pieces(store.chunks(raw_id), Masker.of(gate.environ))
    found = picked.pick(lines_of(pieces))
    shown = [b"%d:%s" % (line.number, line.data) if grep else line.data for line in found]
    return b"".join(shown).decode("utf-8", "replace") or "[no such lines]"
