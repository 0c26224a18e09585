"""OpenCode's transcripts: the tables session, message and part of opencode.db.

Older versions have the same values in files: storage/session/<project>/<session>.json,
storage/message/<session>/<message>.json and storage/part/<message>/<part>.json.

The database may be hostile: it is opened for reading, what it computes is bounded, and a view in
place of a table is not read. Seen with 1.18.33.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from laconic.patterns import pattern
from laconic.sessions.documents import (
    MOST_LINE,
    Document,
    number,
    parsed,
    read_document,
    table,
    text,
)
from laconic.sessions.values import Builder, Session, SessionFiles, Step, Usage

AGENT = "opencode"
PLACES = (
    SessionFiles("$XDG_DATA_HOME/opencode or ~/.local/share/opencode", ".db", 1),
    SessionFiles(
        "$XDG_DATA_HOME/opencode/storage/session or ~/.local/share/opencode/storage/session",
        ".json",
        2,
    ),
)
MAGIC = b"SQLite format 3\0"

_TABLES = {"session", "message", "part"}
_LONGEST_S = 30.0
_NAME = pattern(r"\w{1,100}")
_MOST_FILES = 20_000
_OPERATIONS = 100_000  # between two looks at the clock


def read_all(path: Path) -> Iterator[Session]:
    """Return the sessions in a database; none if it is not one of OpenCode."""
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
            _answer(parsed(data), text(directory), _parts(database, message), builder)
        yield builder.built(AGENT, path)


def is_ours(document: Document) -> bool:
    return text(document.get("id")).startswith("ses_") and "directory" in document


def read(path: Path, document: Document) -> Session:
    """Read a session of which the older versions keep this document in this file."""
    builder = Builder()
    storage = path.parent.parent.parent
    for message in _documents(storage / "message" / _name(document)):
        parts = _documents(storage / "part" / _name(message))
        _answer(message, text(document.get("directory")), parts, builder)
    return builder.built(AGENT, str(path))


def _name(document: Document) -> str:
    """Return the name of a folder; what would lead elsewhere is the name of none."""
    name = text(document.get("id"))
    return name if _NAME.fullmatch(name) else "none"


def _documents(folder: Path) -> Iterator[Document]:
    """Return what the files in a folder hold; their names are in the order of time."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.name.endswith(".json"))
    except OSError:
        return
    for name in names[:_MOST_FILES]:
        yield read_document(folder / name)


def _answer(message: Document, directory: str, parts: Iterable[Document], builder: Builder) -> None:
    if message.get("role") != "assistant":
        return
    cwd = text(table(message, "path").get("cwd")) or directory
    model = text(message.get("modelID"))
    builder.request(model, _usage(table(message, "tokens")))
    for part in parts:
        _take(part, model, cwd, builder)


def _parts(database: sqlite3.Connection, message: str) -> Iterator[Document]:
    query = "SELECT data FROM part WHERE message_id = ? ORDER BY id"
    for (data,) in database.execute(query, (message,)):
        yield parsed(data)


def _take(part: Document, model: str, cwd: str, builder: Builder) -> None:
    if part.get("type") == "compaction":
        builder.sum_up()
    if part.get("type") != "tool":
        return
    state, key = table(part, "state"), text(part.get("callID"))
    if part.get("tool") != "bash":
        builder.finish(key, text(state.get("output")), None)
        return
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
