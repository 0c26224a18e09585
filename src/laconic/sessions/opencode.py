"""OpenCode's transcripts: the tables session, message and part of opencode.db.

The database may be hostile: it is opened for reading, what it computes is bounded, and a view in
place of a table is not read. Seen with 1.18.33.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import quote

from laconic.sessions.documents import MOST_LINE, number, parsed, table, text
from laconic.sessions.values import Builder, Session, Step, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from laconic.sessions.documents import Document

AGENT = "opencode"
PLACES = ("$XDG_DATA_HOME/opencode or ~/.local/share/opencode",)
SUFFIXES = (".db",)
MAGIC = b"SQLite format 3\0"

_TABLES = {"session", "message", "part"}
_LONGEST_S = 30.0
_OPERATIONS = 100_000  # between two looks at the clock


def read_all(path: Path) -> Iterator[Session]:
    """Give the sessions in a database; none if it is not one of OpenCode."""
    try:
        with closing(_open(path)) as database:
            yield from _sessions(database, str(path))
    except sqlite3.Error:
        return


def _open(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=1)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_LINE)
    database.execute("PRAGMA trusted_schema = OFF")
    end = time.monotonic() + _LONGEST_S
    database.set_progress_handler(lambda: time.monotonic() > end, _OPERATIONS)
    return database


def _sessions(database: sqlite3.Connection, path: str) -> Iterator[Session]:
    named = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    if not {name for (name,) in named} >= _TABLES:
        return
    for identifier, directory in database.execute("SELECT id, directory FROM session"):
        builder = Builder()
        for message, data in database.execute(
            "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id",
            (identifier,),
        ):
            found = parsed(data)
            if found.get("role") == "assistant":
                cwd = text(table(found, "path").get("cwd")) or text(directory)
                model = text(found.get("modelID"))
                builder.request(model, _usage(table(found, "tokens")))
                for part in _parts(database, message):
                    _take(part, model, cwd, builder)
        yield builder.built(AGENT, path)


def _parts(database: sqlite3.Connection, message: str) -> Iterator[Document]:
    query = "SELECT data FROM part WHERE message_id = ? ORDER BY id"
    for (data,) in database.execute(query, (message,)):
        yield parsed(data)


def _take(part: Document, model: str, cwd: str, builder: Builder) -> None:
    if part.get("type") == "compaction":
        builder.sum_up()
    if part.get("type") != "tool" or part.get("tool") != "bash":
        return
    state, key = table(part, "state"), text(part.get("callID"))
    given = table(state, "input")
    directory = text(given.get("workdir")) or cwd
    builder.start(key, Step(text(given.get("command")), directory, model=model))
    status = table(state, "metadata").get("exit")
    if state.get("status") == "completed":
        known = status if isinstance(status, int) else None
        builder.finish(key, text(state.get("output")), known)
    elif "rejected permission" in text(state.get("error")):
        builder.refuse(key)


def _usage(tokens: Document) -> Usage:
    cache = table(tokens, "cache")
    output = number(tokens.get("output")) + number(tokens.get("reasoning"))
    written, read = number(cache.get("write")), number(cache.get("read"))
    return Usage(number(tokens.get("input")), written, read, output)
