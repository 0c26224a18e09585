"""Where audit entries go: memory, logging, a file of JSON lines, SQLite."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from os import PathLike
from typing import Any, Protocol

from laconic.files import open_handle
from laconic.secrets.redact import redact

SCHEMA = 1
_MOST_KEPT = 10_000
# Texts that a command, or what a model said of one, is in.
_SECRET_BEARING = frozenset(
    "command original_command normalized_command rewritten explanation body error".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """What happened, with secrets left out. seq counts the entries of this process."""

    seq: int
    kind: str
    payload: Mapping[str, Any]
    session: str = ""
    time: float = field(default_factory=time.time)

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "seq": self.seq,
            "time": self.time,
            "session": self.session,
            "kind": self.kind,
            "payload": dict(self.payload),
        }


class AuditSink(Protocol):
    """Takes entries, from any thread."""

    def write(self, entry: AuditEntry) -> None: ...


Audit = AuditSink | Callable[[AuditEntry], object]
_numbers = count(1)


def new_entry(kind: str, payload: Mapping[str, Any], session: str = "") -> AuditEntry:
    """Make an entry of what a mode says; raises ValueError if it has no kind."""
    if not isinstance(kind, str) or not kind:
        raise ValueError("tool_hooks_emit_audit: `kind` must be a non-empty string")
    kept = {
        name: redact(value) if name in _SECRET_BEARING and isinstance(value, str) else value
        for name, value in payload.items()
    }
    return AuditEntry(seq=next(_numbers), kind=kind, payload=kept, session=session)


class MemoryAudit:
    """A buffer; the oldest entries go when it is full."""

    def __init__(self, limit: int = _MOST_KEPT) -> None:
        self._entries: deque[AuditEntry] = deque(maxlen=limit)
        self._lock = threading.Lock()

    def write(self, entry: AuditEntry) -> None:
        with self._lock:
            self._entries.append(entry)

    def take(self) -> list[AuditEntry]:
        """Return all entries and forget them."""
        with self._lock:
            taken = list(self._entries)
            self._entries.clear()
        return taken

    def snapshot(self) -> list[AuditEntry]:
        with self._lock:
            return list(self._entries)


class LoggingAudit:
    """One record of the logger `laconic.audit` for each entry; `record.audit` has the entry."""

    def __init__(self, logger: logging.Logger | None = None) -> None:
        self._logger = logger or logging.getLogger("laconic.audit")
        self._levels = {"tool_denied": logging.WARNING, "tool_rule_error": logging.ERROR}

    def write(self, entry: AuditEntry) -> None:
        level = self._levels.get(entry.kind, logging.INFO)
        text = json.dumps(dict(entry.payload), default=str)
        self._logger.log(level, "%s %s", entry.kind, text, extra={"audit": entry.to_dict()})


class JsonLinesAudit:
    """A file that only its owner can read; each entry is one write of one line."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = os.fspath(path)

    def write(self, entry: AuditEntry) -> None:
        line = json.dumps(entry.to_dict(), default=str, ensure_ascii=True) + "\n"
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        with open_handle(self.path, flags) as handle:
            os.write(handle, line.encode())


class SqliteAudit:
    """A table `audit` in a database that only its owner can read."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._lock = threading.Lock()
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
        self._execute(
            "CREATE TABLE IF NOT EXISTS audit (seq INTEGER, time REAL, session TEXT, kind TEXT,"
            " rule_id TEXT, payload TEXT)",
            (),
        )

    def write(self, entry: AuditEntry) -> None:
        payload = json.dumps(dict(entry.payload), default=str)
        rule_id = str(entry.payload.get("rule_id", ""))
        row = (entry.seq, entry.time, entry.session, entry.kind, rule_id, payload)
        self._execute("INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?)", row)

    def _execute(self, statement: str, row: tuple[object, ...]) -> None:
        import sqlite3  # noqa: PLC0415 - only for those who use it

        # A connection belongs to the thread that made it, and the callers' threads come and go.
        with self._lock, closing(sqlite3.connect(self.path, timeout=10)) as connection, connection:
            connection.execute(statement, row)
