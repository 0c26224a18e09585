"""The user's own tables of tools, `rules/*.toml`, and the mistakes in them.

A file has the form of the built-in ones (docs/knowledge.md). One with a mistake is not in force as
a whole: a rule that is read wrongly is worse than a question.
"""

from __future__ import annotations

from itertools import islice

from laconic.errors import Problem
from laconic.knowledge import catalog
from laconic.settings import toml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from laconic.knowledge.knowledge import Row
    from laconic.settings.load import File

_MOST_FAULTS = 5


def own_rows(files: tuple[File, ...]) -> tuple[list[Row], tuple[Problem, ...]]:
    """Return the tables of the files that have no mistake, and the mistakes of the others."""
    rows: list[Row] = []
    problems: list[Problem] = []
    for file in files:
        document, faults = _checked(file)
        problems += faults
        rows += [(file.path, name, table) for name, table in document.items()]
    return rows, tuple(problems)


def _checked(file: File) -> tuple[dict[str, Any], list[Problem]]:
    from laconic.reading.table_faults import faults_of, wrong_effects  # noqa: PLC0415 - few users

    try:
        document = toml.parse(file.data)
    except ValueError as error:
        return {}, [Problem("broken", file.path, "", str(error))]
    effect = document.pop("effect", "")
    faults = [("key effect", *fault) for fault in wrong_effects(effect)]
    faults += islice(faults_of(document), _MOST_FAULTS)
    for name, table in document.items():
        if isinstance(table, dict) and "traits" in table:
            faults.append((f'["{name}"]: key traits', "only the built-in tables have it", ""))
    if not faults:
        return catalog.with_default_effect({"effect": effect, **document}), []
    problems = [Problem("broken", file.path, *fault) for fault in faults]
    return {}, [*problems, Problem("broken", file.path, "", "it is not in force")]
