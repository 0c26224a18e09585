"""Judges many recorded commands at once: an Arrow table in, the same with more columns out.

Each row is judged for itself, so that it does not matter how rows are shared out among workers.
Settings and facts are made once for all rows, and equal rows are judged once.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import lru_cache
from os.path import abspath
from typing import TYPE_CHECKING, Any, Literal, get_args

from laconic import __version__
from laconic.compact.tokens import estimate, estimate_bytes
from laconic.engine import Request, decide_request
from laconic.errors import LaconicError
from laconic.library.chosen import with_profile
from laconic.reading.facts import read_facts, told_facts
from laconic.run.captured import compact_captured
from laconic.settings.disk_cache import beside_modules_only
from laconic.settings.load import isolated_settings, process_environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from laconic.library.chosen import Profile
    from laconic.reading.places import Facts

FactsOf = Literal["none", "machine"]
_EXTRA = "pip install 'laconic[arrow]'"
_AT_ONCE = 1000  # rows that are Python's objects
_MOST_PLACES, _MOST_COMMANDS, _MOST_OUTPUTS = 1000, 50_000, 100  # that are remembered
_NOBODY = {"HOME": "/nonexistent"}
_JUDGED = ("verdict", "effects", "rule", "reason")
_COMPACTED = ("tokens", "shown_tokens", "shown")


def judge(table: pa.Table, *, profile: Profile = "default", facts: FactsOf = "none") -> pa.Table:
    """Return the table with what laconic says of each command, and how it would show its output.

    The columns that count: command and, where they are there, cwd, output and its exit status.
    Nobody's settings count. facts: with "none" the answers depend on the rows alone, with "machine"
    also on the files and variables of this one.
    """
    arrow = _arrow()
    if not isinstance(table, arrow.Table):
        raise LaconicError(f"`table` must be a pyarrow.Table, not {type(table).__name__}")
    if facts not in get_args(FactsOf):
        raise LaconicError(f"`facts` must be one of {', '.join(get_args(FactsOf))}, not {facts!r}")
    given = _given(table, arrow)
    added = _added(given, arrow)
    for name in added:
        if name in table.column_names:
            raise LaconicError(f"the table has a column `{name}` already", "rename or drop it")
    with beside_modules_only() if facts == "none" else nullcontext():
        rows = _Rows(profile, facts)
        parts = [rows.answers(part) for part in table.select([*given]).to_batches(_AT_ONCE)]
    for number, (name, kind) in enumerate(added.items()):
        chunks = [arrow.array(part[number], kind) for part in parts]
        table = table.append_column(name, arrow.chunked_array(chunks, kind))
    return table


def _arrow() -> Any:
    try:
        import pyarrow  # noqa: ICN001, PLC0415 - only here
    except ImportError as error:
        raise LaconicError("tables need pyarrow, which is not installed", _EXTRA) from error
    return pyarrow


# -- columns ---------------------------------------------------------------------------------------


def _given(table: pa.Table, arrow: Any) -> dict[str, Any]:
    """The columns that count, with their types."""
    is_ = arrow.types
    texts = is_.is_string, is_.is_large_string, is_.is_string_view
    data = is_.is_binary, is_.is_large_binary, is_.is_binary_view
    wanted = {
        "command": ("text", texts),
        "cwd": ("text", texts),
        "output": ("text or binary", (*texts, *data)),
        "status": ("integers", (is_.is_integer,)),
    }
    found = {}
    for name, (said, fits) in wanted.items():
        if table.column_names.count(name) > 1:
            raise LaconicError(f"the table has two columns `{name}`")
        if name in table.column_names:
            kind = table.schema.field(name).type
            kind = kind.value_type if is_.is_dictionary(kind) else kind
            if not any(fit(kind) for fit in fits):
                raise LaconicError(f"the column `{name}` must be {said}, not {kind}")
            found[name] = kind
    if "command" not in found:
        raise LaconicError("the table has no column `command`", "table.rename_columns names one so")
    return found


def _added(given: dict[str, Any], arrow: Any) -> dict[str, Any]:
    """The columns that the answers go to, with their types."""
    text = arrow.string()
    added = dict.fromkeys(_JUDGED, text) | {"effects": arrow.list_(text)}
    if "output" in given:
        kinds = arrow.int64(), arrow.int64(), given["output"]
        added |= dict(zip(_COMPACTED, kinds, strict=True))
    return added | {"version": text}


# -- rows ------------------------------------------------------------------------------------------


class _Rows:
    """What is made once for all rows, and the answers to those that were equal."""

    def __init__(self, profile: Profile, facts: FactsOf) -> None:
        self._environ = process_environment() if facts == "machine" else {}
        known = self._read if facts == "machine" else told_facts
        self._facts = lru_cache(_MOST_PLACES)(known)
        self._settings = with_profile(isolated_settings(_NOBODY), profile)
        self.judged = lru_cache(_MOST_COMMANDS)(self._judged)
        self.compacted = lru_cache(_MOST_OUTPUTS)(self._compacted)

    def answers(self, part: pa.RecordBatch) -> list[Sequence[Any]]:
        """The values of each column that is added."""
        count = part.num_rows
        given = {name: part.column(name).to_pylist() for name in part.schema.names}
        nothing = [None] * count
        commands, places = given["command"], given.get("cwd", nothing)
        columns = _turned(map(self.judged, commands, places), len(_JUDGED))
        if "output" in given:
            outputs = given["output"], commands, given.get("status", nothing)
            columns += _turned(map(self.compacted, *outputs), len(_COMPACTED))
        return [*columns, [__version__] * count]

    def _read(self, cwd: str) -> Facts:
        return read_facts(abspath(cwd), self._environ)  # noqa: PTH100 - as the library's verbs

    def _judged(self, command: str | None, cwd: str | None) -> tuple[Any, ...]:
        if command is None:
            return (None,) * len(_JUDGED)
        facts = self._facts(cwd or "").for_next()
        request = Request(command, facts.cwd, self._environ, facts=facts)
        decision = decide_request(request, self._settings, use_allowances=False)
        reason = decision.reason.encode("utf-8", "replace").decode("utf-8")
        return str(decision.verdict), decision.effects.words, decision.rule, reason

    def _compacted(
        self, output: str | bytes | None, command: str | None, status: int | None
    ) -> tuple[Any, ...]:
        if output is None:
            return (None,) * len(_COMPACTED)
        data = output if isinstance(output, bytes) else output.encode("utf-8")
        tokens = estimate_bytes(data)
        found = compact_captured(data, command or "", status, self._settings, is_elsewhere=True)
        if found is None:
            return tokens, tokens, output
        text = str(found)
        shown = text.encode("utf-8", "surrogateescape")
        return (
            tokens,
            estimate(text),
            shown if isinstance(output, bytes) else shown.decode("utf-8", "replace"),
        )


def _turned(rows: Iterable[tuple[Any, ...]], width: int) -> list[Sequence[Any]]:
    """Rows as columns, also where there are none."""
    return [*zip(*rows, strict=True)] or [[]] * width
