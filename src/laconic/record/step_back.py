"""Remembers which commands show too little: after two recalls, the next run is shown as it is.

And which run was the last of a command, so that what was shown of it need not be shown again.

That holds for whoever asked: another agent's runs, and those of another session, stay short. To run
a command again is no such sign, because after every change a test is run again. Nothing of the
command is kept but its hash and program.
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
    from collections.abc import Sequence
    from typing import Any

NAME = "step_back.json"
_RECALLS = 2
_MOST = 200  # commands that are remembered
_MOST_IDS = 5  # outputs of each
_LATELY_S = 1800  # as long as a run is thought to be before the reader's eyes

AFTER_RECALLS = "what it hid was recalled twice"


class Stepped:
    """A command whose output was shown as it is, so many times."""

    def __init__(self, program: str, project: str, times: int) -> None:
        self.program, self.project, self.times = program, project, times


class StepBack:
    """What is remembered of the commands that somebody ran; a fault means that nothing is.

    reader: what tells agents and sessions apart, as `settings.environ` finds it.
    """

    def __init__(self, state_dir: str | os.PathLike[str], reader: Sequence[str]) -> None:
        self._path = os.path.join(state_dir, NAME)  # noqa: PTH118 - pathlib is slow to load
        self._reader = _digest(*reader)

    def reason(self, project: str, command: str) -> str:
        """Why the next run of a command is to be shown as it is; empty if it is not."""
        record = self._read().get(self._key(project, command), {})
        return AFTER_RECALLS if record.get("recalls", 0) >= _RECALLS else ""

    def last(self, project: str, command: str) -> tuple[str, int]:
        """The output of the last run of a command and its exit status; "" if there is none."""
        record = self._read().get(self._key(project, command), {})
        at, status = record.get("at"), record.get("status")
        is_known = isinstance(at, int | float) and isinstance(status, int) and record["ids"]
        if not is_known or not 0 <= time.time() - at < _LATELY_S:
            return "", 0
        return str(record["ids"][-1]), status

    def ran(
        self,
        project: str,
        command: str,
        program: str,
        raw_id: str,
        *,
        status: int = 0,
        is_whole: bool,
    ) -> None:
        """Remember a run. is_whole: it was shown as it is because it stepped back."""
        known, key = self._read(), self._key(project, command)
        record = known.pop(key, {"ids": [], "recalls": 0, "times": 0})
        if is_whole:
            record["times"] += 1
            record["recalls"] = 0
        record["ids"] = [*record["ids"], *([raw_id] if raw_id else [])][-_MOST_IDS:]
        record.update(program=program, project=project, reader=self._reader)
        record.update(status=status, at=int(time.time()))
        known[key] = record
        self._write(known)

    def recalled(self, raw_id: str) -> None:
        """Remember that the reader asked for an output."""
        known = self._read()
        for record in known.values():
            if raw_id in record["ids"] and record.get("reader") == self._reader:
                record["recalls"] += 1
                self._write(known)
                return

    def stepped(self) -> list[Stepped]:
        """The commands that anybody was shown as they are, the most frequent first."""
        every = self._read().values()
        stepped = [Stepped(c["program"], c["project"], c["times"]) for c in every if c["times"]]
        return sorted(stepped, key=lambda one: (-one.times, one.program, one.project))

    def _key(self, project: str, command: str) -> str:
        return _digest(project, command, self._reader)

    def _read(self) -> dict[str, Any]:
        try:
            known = json.loads(read_file(self._path, 1 << 20))
            commands = known["commands"].items()
        except (FileError, ValueError, KeyError, TypeError, AttributeError):
            return {}
        return {key: record for key, record in commands if _is_record(record)}

    def _write(self, known: dict[str, Any]) -> None:
        newest = {name: known[name] for name in list(known)[-_MOST:]}
        try:
            write_private(self._path, json.dumps({"commands": newest}).encode())
        except (FileError, OSError):
            return


def _is_record(record: object) -> bool:
    """Tell whether a command is remembered as it was written; the file may be damaged."""
    if not isinstance(record, dict):
        return False
    kinds = ("ids", list), ("recalls", int), ("times", int), ("program", str), ("project", str)
    return all(isinstance(record.get(name), kind) for name, kind in kinds)


def _digest(*words: str) -> str:
    text = "\0".join(words).encode("utf-8", "surrogateescape")
    return hashlib.blake2b(text, digest_size=12).hexdigest()
