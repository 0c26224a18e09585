"""Remembers which commands show too little: what is recalled twice, or run again at once, is shown.

After two recalls of a command's output in a project, and after a repetition of it that printed the
same, its next run there is shown as it is. Nothing of the command is kept but its hash and program.
"""

from __future__ import annotations

import hashlib
import json
import os
import time

from laconic.errors import FileError
from laconic.files import read_file, write_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

NAME = "step_back.json"
_RECALLS = 2
_MOST = 200  # commands that are remembered
_MOST_IDS = 5  # outputs of each
_AT_ONCE_S = 600
_DIGITS = b"0123456789"

AFTER_RECALLS = "what it hid was recalled twice"
AFTER_REPETITION = "it was run again at once"


class Stepped:
    """A command whose output was shown as it is, so many times."""

    __slots__ = ("program", "project", "times")

    def __init__(self, program: str, project: str, times: int) -> None:
        self.program, self.project, self.times = program, project, times


class StepBack:
    """What is remembered of the commands of all projects; a fault means that nothing is."""

    def __init__(self, state_dir: str | os.PathLike[str]) -> None:
        self._path = os.path.join(state_dir, NAME)  # noqa: PTH118 - pathlib is slow to load

    def reason(self, project: str, command: str) -> str:
        """Why the next run of a command is to be shown as it is; empty if it is not."""
        command_record = self._read()["commands"].get(_key(project, command), {})
        return str(command_record.get("reason", ""))

    def is_repeated(self, project: str, command: str, printed: str) -> bool:
        """Tell whether a run printed what the same command did, as the last in its project."""
        known, key = self._read(), _key(project, command)
        record = known["commands"].get(key, {})
        is_last = known["last"].get(_key(project, "")) == key
        is_soon = time.time() - float(record.get("time", 0)) <= _AT_ONCE_S
        return is_last and is_soon and bool(printed) and record.get("printed") == printed

    def ran(
        self, project: str, command: str, program: str, raw_id: str, printed: str, reason: str
    ) -> None:
        """Remember a run. reason: why it was shown as it is, if it stepped back."""
        known, key = self._read(), _key(project, command)
        record = known["commands"].pop(key, {"ids": [], "recalls": 0, "times": 0})
        known["last"][_key(project, "")] = key
        if reason:
            record["times"] += 1
            record["recalls"] = 0
        is_again = reason == AFTER_REPETITION and not record.get("reason")
        record["reason"] = reason if is_again else ""
        record["ids"] = [*record["ids"], *([raw_id] if raw_id else [])][-_MOST_IDS:]
        record.update(program=program, project=project, printed=printed, time=time.time())
        known["commands"][key] = record
        self._write(known)

    def passed(self, project: str) -> None:
        """Remember that something else ran in a project."""
        known = self._read()
        if known["last"].pop(_key(project, ""), None):
            self._write(known)

    def recalled(self, raw_id: str) -> None:
        """Remember that somebody asked for an output."""
        known = self._read()
        for record in known["commands"].values():
            if raw_id in record["ids"]:
                record["recalls"] += 1
                if record["recalls"] >= _RECALLS:
                    record["reason"] = AFTER_RECALLS
                self._write(known)
                return

    def stepped(self) -> list[Stepped]:
        """The commands that were shown as they are, the most frequent first."""
        every = self._read()["commands"].values()
        stepped = [Stepped(c["program"], c["project"], c["times"]) for c in every if c["times"]]
        return sorted(stepped, key=lambda one: (-one.times, one.program, one.project))

    def _read(self) -> dict[str, Any]:
        try:
            known = json.loads(read_file(self._path, 1 << 20))
            if isinstance(known["commands"], dict) and isinstance(known["last"], dict):
                return dict(known)
        except (FileError, ValueError, KeyError, TypeError):
            pass
        return {"commands": {}, "last": {}}

    def _write(self, known: dict[str, Any]) -> None:
        names = list(known["commands"])[-_MOST:]
        known["commands"] = {name: known["commands"][name] for name in names}
        known["last"] = {p: key for p, key in known["last"].items() if key in known["commands"]}
        try:
            write_private(self._path, json.dumps(known).encode())
        except (FileError, OSError):
            return


def printed_digest(pieces: Iterable[bytes]) -> str:
    """What tells an output from others; numbers in it, such as times, do not count."""
    digest = hashlib.blake2b(digest_size=12)
    for piece in pieces:
        digest.update(piece.translate(None, _DIGITS))
    return digest.hexdigest()


def _key(project: str, command: str) -> str:
    text = f"{project}\0{command}".encode("utf-8", "surrogateescape")
    return hashlib.blake2b(text, digest_size=12).hexdigest()
