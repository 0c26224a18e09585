"""All shapes by name: a filter lists those of its command, the generic compactor tries them all.

A pass takes rows and returns rows. It looks only at lines that no pass before it has touched, and
leaves alone what does not have its shape.
"""

from __future__ import annotations

from laconic.compact.bound import check
from laconic.compact.diagnostics import is_diagnostic
from laconic.compact.masks import indexes
from laconic.compact.result import RAW, Shown, Written
from laconic.compact.shapes.actions import actions
from laconic.compact.shapes.asked import Asked
from laconic.compact.shapes.ava import ava
from laconic.compact.shapes.bandit import bandit
from laconic.compact.shapes.blame import blame
from laconic.compact.shapes.bun import bun
from laconic.compact.shapes.commits import commits
from laconic.compact.shapes.containers import containers
from laconic.compact.shapes.crash import crash, npm
from laconic.compact.shapes.dependencies import dependencies, leaves
from laconic.compact.shapes.diff import diff
from laconic.compact.shapes.diffstat import diffstat
from laconic.compact.shapes.finding import may_belong
from laconic.compact.shapes.findings import findings
from laconic.compact.shapes.frames import frames
from laconic.compact.shapes.goroutines import goroutines
from laconic.compact.shapes.installed import installed
from laconic.compact.shapes.jest import jest, skips
from laconic.compact.shapes.libtest import libtest
from laconic.compact.shapes.listing import listing, names
from laconic.compact.shapes.logs import is_log_line, logs
from laconic.compact.shapes.memory import is_of_process, memory
from laconic.compact.shapes.mocha import mocha
from laconic.compact.shapes.notes import is_context, notes
from laconic.compact.shapes.numbered import numbered
from laconic.compact.shapes.pip import is_of_pip, pip
from laconic.compact.shapes.prettier import prettier
from laconic.compact.shapes.products import products
from laconic.compact.shapes.progress import progress
from laconic.compact.shapes.pytest import may_be_of_report, pytest
from laconic.compact.shapes.repeats import kind_of, repeats
from laconic.compact.shapes.retold import retold
from laconic.compact.shapes.rows import raw_of
from laconic.compact.shapes.search import search
from laconic.compact.shapes.shellcheck import shellcheck
from laconic.compact.shapes.spec import spec
from laconic.compact.shapes.sphinx import sphinx
from laconic.compact.shapes.sqlfluff import sqlfluff
from laconic.compact.shapes.state import state
from laconic.compact.shapes.steps import steps
from laconic.compact.shapes.surefire import surefire
from laconic.compact.shapes.tables import may_be_row, tables
from laconic.compact.shapes.tap import tap
from laconic.compact.shapes.tests import differences, excerpts, is_of_passed, packages, passed
from laconic.compact.shapes.unittest import unittest
from laconic.compact.shapes.values import is_shortened, values
from laconic.compact.shapes.vitest import vitest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from laconic.compact.result import Row
    from laconic.compact.shapes.rows import Texts

_LONGEST = 2000  # characters of a line
MOST_SHAPED = 256 << 10  # characters; a larger output is searched by patterns alone
_PASSES = {
    "actions": actions,
    "ava": ava,
    "blame": blame,
    "bun": bun,
    "commits": commits,
    "containers": containers,
    "crash": crash,
    "dependencies": dependencies,
    "diff": diff,
    "differences": differences,
    "diffstat": diffstat,
    "excerpts": excerpts,
    "findings": findings,
    "goroutines": goroutines,
    "installed": installed,
    "pip": pip,
    "bandit": bandit,
    "jest": jest,
    "leaves": leaves,
    "libtest": libtest,
    "logs": logs,
    "memory": memory,
    "mocha": mocha,
    "npm": npm,
    "packages": packages,
    "passed": passed,
    "prettier": prettier,
    "products": products,
    "progress": progress,
    "pytest": pytest,
    "retold": retold,
    "shellcheck": shellcheck,
    "skips": skips,
    "spec": spec,
    "sphinx": sphinx,
    "sqlfluff": sqlfluff,
    "state": state,
    "steps": steps,
    "surefire": surefire,
    "tables": tables,
    "tap": tap,
    "frames": frames,
    "notes": notes,
    "numbered": numbered,
    "listing": listing,
    "names": names,
    "search": search,
    "repeats": repeats,
    "unittest": unittest,
    "values": values,
    "vitest": vitest,
}
NAMES = tuple(sorted(_PASSES))
# The passes for blocks among lines of any kind; the others need to see every line.
_WITH_OTHER_LINES = frozenset((
    "ava", "bun", "crash", "differences", "excerpts", "findings", "frames", "goroutines",
    "pip", "jest", "libtest", "logs", "memory", "mocha", "notes", "npm", "packages", "passed",
    "prettier", "products", "progress", "pytest", "repeats", "retold", "skips", "spec", "steps",
    "sphinx", "surefire", "tables", "tap", "unittest", "values", "vitest",
))  # fmt: skip
# What lines these are made for; the others only touch diagnostics and what is around them.
_MADE_FOR = {
    "findings": may_belong,
    "pip": is_of_pip,
    "logs": is_log_line,
    "memory": is_of_process,
    "notes": is_context,
    "passed": is_of_passed,
    "pytest": may_be_of_report,
    "tables": may_be_row,
    "values": is_shortened,
}
# The passes that know their lines by themselves; what they make of a few tells it.
_TRIED = frozenset((
    "ava", "bun", "crash", "goroutines", "jest", "libtest", "mocha", "npm", "prettier", "products",
    "progress", "retold", "skips", "spec", "sphinx", "steps", "surefire", "tap",
))  # fmt: skip
_SEVERAL = 3
# The order in which an output without a filter is looked at.
GENERIC = (
    "diff", "commits", "diffstat", "pytest", "unittest", "surefire", "retold", "libtest", "jest",
    "mocha", "vitest", "ava", "spec", "tap", "passed", "packages", "pip", "sphinx",
    "progress", "goroutines", "crash", "npm", "frames", "memory", "notes", "shellcheck", "bandit",
    "sqlfluff", "findings", "differences", "dependencies", "steps", "listing", "tables", "search",
    "repeats", "values",
)  # fmt: skip


def shaped(names: Iterable[str], rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """The rows after all these passes; a very long line is seen by none but the first."""
    todo = list(names)
    rows = _without(rows, set(indexes(asked.printed)))
    if "values" in todo:
        rows = values(rows, texts, asked)
    rows = _without(rows, {row for row in raw_of(rows) if len(texts[row]) > _LONGEST})
    for name in todo:
        check()
        if name != "values":
            rows = _without(_PASSES[name](rows, texts, asked), asked.settled)
    return [row.index if isinstance(row, _Opaque) else row for row in rows]


def may_change(names: Iterable[str], text: str, kinds: Container[str]) -> bool:
    """Tell whether these passes are made for such a line, so that it waits for the others.

    kinds: those of the lines before it, each of which a pass may fold with all that are like it.
    """
    wanted = set(names)
    if not wanted <= _WITH_OTHER_LINES:
        return True
    if wanted and is_diagnostic(text):
        return True
    if "repeats" in wanted and kind_of(text) in kinds:
        return True
    return regroups(wanted, text)


def regroups(names: Iterable[str], text: str) -> bool:
    """Tell whether one of these passes makes something else of such a line, even if it is kept."""
    return any(
        _MADE_FOR[name](text) if name in _MADE_FOR else name in _TRIED and _changes(name, text)
        for name in names
    )


def _changes(name: str, text: str) -> bool:
    """Tell whether a pass leaves a few such lines alone, after a success and a failure."""
    rows: list[Row] = list(range(_SEVERAL))
    texts = dict.fromkeys(rows, text)
    asked = (Asked(status, bytes(_SEVERAL)) for status in (0, 1))
    return any(_PASSES[name](rows, Written(texts), one) != rows for one in asked)


def _without(rows: list[Row], lines: set[int]) -> list[Row]:
    if not lines:
        return rows
    return [_Opaque(row) if isinstance(row, int) and row in lines else row for row in rows]


class _Opaque(Shown):
    """A line that no pass looks at: it was printed, or a pattern could take long for it."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        super().__init__(RAW, "", (index + 1,))
        self.index = index
