"""What `laconic doctor` says about the records and the raw store."""

from __future__ import annotations

import contextlib
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from laconic.errors import LaconicError
from laconic.record import journal
from laconic.record.database import BROKEN, DATABASE, reading

if TYPE_CHECKING:
    from collections.abc import Iterator


class Finding(NamedTuple):
    """How something is, in a sentence, and what to type."""

    state: Literal["ok", "warn", "broken"]
    message: str
    hint: str = ""


def findings(state_dir: str | os.PathLike[str]) -> list[Finding]:
    """Look at the records: read them, bring in the journal, name what is in the way."""
    directory = Path(state_dir)
    return [_records(directory), *_set_aside(directory), *_waiting(directory)]


def _records(directory: Path) -> Finding:
    path = directory / DATABASE
    if directory.exists() and not os.access(directory, os.W_OK):
        return Finding("broken", f"{directory}: is read-only, so nothing is recorded", "chmod u+w")
    try:
        with reading(directory) as (connection, _):
            damage: str = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            count: int = connection.execute("SELECT count(*) FROM runs").fetchone()[0]
    except LaconicError as error:
        return Finding("broken", error.message, error.hint)
    if damage != "ok":
        hint = f"remove it or: sqlite3 {path} .recover"
        return Finding("broken", f"{path}: is damaged: {damage}", hint)
    return Finding("ok", f"{path}: {count:,} runs")


def _set_aside(directory: Path) -> Iterator[Finding]:
    with contextlib.suppress(OSError):
        status = (directory / BROKEN).stat()
        at = datetime.fromtimestamp(status.st_ctime, UTC).astimezone()
        yield Finding(
            "warn",
            f"{directory / BROKEN}: damaged records, set aside on {at:%Y-%m-%d at %H:%M}; "
            "new ones were begun",
            f"save what is left: sqlite3 {directory / BROKEN} .recover; then remove it",
        )


def _waiting(directory: Path) -> Iterator[Finding]:
    """After the records were read nothing should wait any more."""
    name = Path(journal.path_of(directory)).name
    sizes = [path.stat().st_size for path in directory.glob(f"{name}*")]
    if sum(sizes) > journal.FULL_BYTES:
        message = f"{sum(sizes) >> 10} KB of runs wait in {directory / name}"
        yield Finding("warn", message, f"close what holds {DATABASE} open; fuser shows it")
