"""Writes the rows of a machine as Parquet, and opens those of many, by DuckDB.

DuckDB is asked for here and nowhere else; it is told not to fetch anything.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from laconic.errors import LaconicError
from laconic.export.table import COLUMNS, Row, type_of

_SETTINGS = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
_ASKED = Path(__file__).parent / "data"
_MOMENTS = ("time", "exported")
_NEEDED = ("id", "kind", "time", "day", "exported")
_EMPTY = {"BIGINT": "0", "BOOLEAN": "false"}


def duckdb() -> Any:
    """Return the module; LaconicError if it is not installed."""
    try:
        import duckdb as module  # noqa: PLC0415 - optional, and slow to load
    except ImportError as error:
        message = "Parquet needs DuckDB, which is not installed beside laconic"
        raise LaconicError(message, "pip install 'laconic[fleet]'") from error
    return module


@contextmanager
def _connected(engine: Any, settings: Mapping[str, Any]) -> Iterator[Any]:
    with closing(engine.connect(config={**_SETTINGS, **settings})) as connection:
        connection.execute("SET enable_progress_bar = false")
        yield connection


def write(path: Path, rows: Iterable[Row]) -> int:
    """Write a file of rows, for the owner alone; return how many."""
    engine = duckdb()
    folder = path.resolve().parent
    if not folder.is_dir():
        raise LaconicError(f"{folder}: there is no such directory")
    if path.exists() and not path.is_file():
        raise LaconicError(f"{path}: is not a file")
    with (
        tempfile.TemporaryDirectory(dir=folder, prefix=".laconic-") as place,
        _connected(engine, {}) as connection,
    ):
        draft = Path(place) / "rows.parquet"
        _take(connection, rows, Path(place))
        sorted_rows = "SELECT * FROM decisions ORDER BY team, time, id"
        connection.execute(
            f"COPY ({sorted_rows}) TO {_quoted(draft)} (FORMAT parquet, COMPRESSION zstd)"
        )
        (count,) = connection.execute("SELECT count(*) FROM decisions").fetchone()
        draft.chmod(0o600)
        draft.replace(path.resolve())
    return int(count)


def _take(connection: Any, rows: Iterable[Row], place: Path) -> None:
    """Make the table `decisions` of rows, by a file of JSON: that is what DuckDB reads fast."""
    lines = place / "rows.json"
    with lines.open("w", encoding="utf-8") as stream:
        lines.chmod(0o600)
        for row in rows:
            stream.write(f"{json.dumps(row._asdict())}\n")
    types = {name: type_of(name) for name in COLUMNS if name != "day"}
    types |= dict.fromkeys(_MOMENTS, "BIGINT")
    given = ", ".join(f"{name}: '{kind}'" for name, kind in types.items())
    made = {name: f"make_timestamp({name}) AS {name}" for name in _MOMENTS}
    made["day"] = "CAST(make_timestamp(time) AS DATE) AS day"
    columns = ", ".join(made.get(name, name) for name in COLUMNS)
    connection.execute(
        f"CREATE TABLE decisions AS SELECT {columns} FROM read_json({_quoted(lines)}, "
        f"columns = {{{given}}}, format = 'newline_delimited')"
    )
    lines.unlink()


def _quoted(path: Path) -> str:
    """Return a path as SQL has texts."""
    return "'" + str(path).replace("'", "''") + "'"


# -- of many machines ------------------------------------------------------------------------------

# Of rows with one id the newest; DuckDB and ClickHouse know this form.
ONCE = "QUALIFY row_number() OVER (PARTITION BY id ORDER BY exported DESC) = 1"


@contextmanager
def opened(files: Sequence[Path], rows: Iterable[Row] = ()) -> Iterator[Any]:
    """Open these files and rows as one table `decisions`; a row that came twice is there once."""
    engine = duckdb()
    with (
        tempfile.TemporaryDirectory(prefix="laconic-") as place,
        _connected(engine, {"temp_directory": place}) as connection,
    ):
        _take(connection, rows, Path(place))
        for number, path in enumerate(files):
            link = Path(place) / f"{number}.parquet"  # a name in which nothing is a pattern
            link.symlink_to(path.resolve())
            try:
                _add_file(connection, link)
            except (engine.Error, OSError, LaconicError) as error:
                why = str(error).split("\n")[0].replace(str(link), "it")
                raise LaconicError(f"{path}: cannot be read: {why}") from error
        if files:
            connection.execute("ALTER TABLE decisions RENAME TO given")
            connection.execute(f"CREATE TABLE decisions AS SELECT * FROM given {ONCE}")
            connection.execute("DROP TABLE given")
        yield connection


def _add_file(connection: Any, path: Path) -> None:
    """Add the rows of a file; what an older laconic did not write yet is empty."""
    source = f"read_parquet({_quoted(path)})"
    described = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
    present = {name for name, *_ in described}
    missing = [name for name in _NEEDED if name not in present]
    if missing:
        raise LaconicError(f"it has no column {missing[0]!r}")
    given = (name if name in present else _EMPTY.get(type_of(name), "''") for name in COLUMNS)
    columns = ", ".join(
        f"CAST({value} AS {type_of(name)})" for name, value in zip(COLUMNS, given, strict=True)
    )
    connection.execute(f"INSERT INTO decisions SELECT {columns} FROM {source}")


# -- questions -------------------------------------------------------------------------------------


def questions() -> Mapping[str, str]:
    """Return the questions of a team lead by name, as SQL for DuckDB and ClickHouse alike."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(_ASKED.glob("*.sql"))}
