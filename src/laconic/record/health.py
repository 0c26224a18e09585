"""What `laconic doctor` says about the records and the raw store."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from laconic.errors import LaconicError
from laconic.record import journal, tokenizer
from laconic.record.database import BROKEN, DATABASE, reading

_COUNT = "SELECT count(*), coalesce(sum(exact), 0) FROM runs"


class Finding(NamedTuple):
    """A state, described in a sentence, and the command that helps."""

    state: Literal["ok", "warn", "broken"]
    message: str
    hint: str = ""


def findings(state_dir: str | os.PathLike[str]) -> list[Finding]:
    """Check the records: read them, bring in the journal, and report what fails."""
    directory = Path(state_dir)
    return [_records(directory), *_set_aside(directory), *_waiting(directory), _tokens()]


def _records(directory: Path) -> Finding:
    path = directory / DATABASE
    if directory.exists() and not os.access(directory, os.W_OK):
        return Finding("broken", f"{directory}: is read-only, so nothing is recorded", "chmod u+w")
    try:
        with reading(directory) as (connection, _):
            damage: str = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            count, exact = connection.execute(_COUNT).fetchone()
    except LaconicError as error:
        return Finding("broken", error.message, error.hint)
    if damage != "ok":
        hint = f"remove it or: sqlite3 {path} .recover"
        return Finding("broken", f"{path}: is damaged: {damage}", hint)
    counted = f", the tokens of {exact:,} counted" if exact else ""
    runs = "1 run" if count == 1 else f"{count:,} runs"
    return Finding("ok", f"{path}: {runs}{counted}")


def _set_aside(directory: Path) -> Iterator[Finding]:
    with contextlib.suppress(OSError):
        status = (directory / BROKEN).stat()
        at = datetime.fromtimestamp(status.st_ctime, UTC).astimezone()
        yield Finding(
            "warn",
            f"{directory / BROKEN}: damaged records, set aside on {at:%Y-%m-%d %H:%M:%S}; "
            "new ones were begun",
            f"save what is left: sqlite3 {directory / BROKEN} .recover; then remove it",
        )


def _waiting(directory: Path) -> Iterator[Finding]:
    """Report journals that are still waiting after the records were read."""
    name = Path(journal.path_of(directory)).name
    sizes = [path.stat().st_size for path in directory.glob(f"{name}*")]
    if sum(sizes) > journal.FULL_BYTES:
        message = f"{sum(sizes) >> 10} KB of runs wait in {directory / name}"
        yield Finding("warn", message, f"close what holds {DATABASE} open; fuser shows it")


def _tokens() -> Finding:
    package = tokenizer.PACKAGE
    if tokenizer.works():
        return Finding("ok", f"tokens are counted by {package} ({tokenizer.VOCABULARY})")
    if tokenizer.is_installed():
        hint = f"pip install --force-reinstall {package}; or remove it"
        return Finding("warn", f"{package} does not work: tokens are estimated", hint)
    return Finding("ok", "tokens are estimated; to count them: pip install 'laconic[tokens]'")
