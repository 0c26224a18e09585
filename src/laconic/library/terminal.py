"""A terminal that an agent keeps open: what is typed into it, and where it is by then."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from laconic.library.gate import Gate
from laconic.library.tool_call import Consents, ToolCall
from laconic.patterns import pattern

# What a program reads without being a shell: C-c, UP, y. All other input may be a command to it.
_KEY = pattern("C-.|[A-Z]+|[a-z0-9]?")


class Terminal:
    """A terminal stays where a command leaves it, so the next one is judged there."""

    def __init__(self, gate: Gate, start: str | PathLike[str]) -> None:
        self.gate = gate
        self.start = self.place = str(Path(start).absolute())
        self._asked = Consents()

    def hook(self, text: str, *, is_input: bool = False, resets: bool = False) -> ToolCall | None:
        """What is typed; None for a key. is_input: for a program that runs. resets: begin anew."""
        if is_input and _KEY.fullmatch(text.strip()):
            return None
        return self.gate.hook(text, call_id=None, cwd=self.start if resets else self.place)

    def asks(self, call: ToolCall | None) -> bool:
        """Tell whether a person is to be asked about it, before it is typed."""
        if call is None or call.verdict != "ask":
            return False
        self._asked.add(call)
        return True

    def was_asked(self, call: ToolCall) -> bool:
        """Tell whether a person was asked about this command, here; a yes is for one time."""
        return self._asked.take(call)

    def moved(self, place: str | None, *, resets: bool = False) -> None:
        """Note where a command has left it, if that is known."""
        self.place = place or (self.start if resets else self.place)
