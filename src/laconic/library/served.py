"""What a server of tools tells: how a command has ended, and what was hidden of its output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from laconic.errors import LaconicError
from laconic.record.recall import lines as lines_of
from laconic.record.recall import wanted
from laconic.record.store import Store, is_id
from laconic.secrets.mask import Masker, masked_pieces

if TYPE_CHECKING:
    from laconic.library.envelope import Envelope
    from laconic.library.gate import Gate
    from laconic.library.result import Result


def question(envelope: Envelope) -> str:
    """What a person is asked about a command that needs consent."""
    return f"Run this command?\n{envelope.command}\n{envelope.message}"


def result_text(gate: Gate, result: Result) -> str:
    """The output, the exit status unless it is 0, and what the model is to be reminded of."""
    status = f"[exit status {result.status}]" if result.status else ""
    parts = (result.text.rstrip("\n"), status, gate.take_reminders())
    return "\n".join(part for part in parts if part) or "[no output]"


def recalled(gate: Gate, raw_id: str, lines: str, grep: str) -> str:
    """A kept output, or some of its lines; what is wrong with the request is a text, too."""
    store = Store(gate.settings.directories.state)
    try:
        if not is_id(raw_id) or not store.has(raw_id):
            return f"no output has the id {raw_id!r}"
        picked = wanted(lines or None, grep or None)
        pieces = masked_pieces(store.chunks(raw_id), Masker.of(gate.environ))
        found = picked.pick(lines_of(pieces))
        shown = [b"%d:%s" % (line.number, line.data) if grep else line.data for line in found]
    except LaconicError as error:
        return error.text
    return b"".join(shown).decode("utf-8", "replace") or "[no such lines]"
