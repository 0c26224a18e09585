"""All shapes by name: a filter lists those of its command, the generic compactor tries most.

A pass takes rows and returns rows. It looks only at lines that no pass before it has touched, and
leaves alone what does not have its shape. Its module is imported when it is first used, because a
command needs few of them.
"""

from __future__ import annotations

from functools import cache, partial
from importlib import import_module

from laconic.compact.bound import check
from laconic.compact.diagnostics import is_diagnostic
from laconic.compact.masks import indexes
from laconic.compact.result import RAW, Shown, Written
from laconic.compact.shapes.asked import Asked
from laconic.compact.shapes.repeats import kind_of
from laconic.compact.shapes.rows import raw_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable
    from typing import Any, TypeAlias

    from laconic.compact.result import Row
    from laconic.compact.shapes.rows import Texts

    Pass: TypeAlias = Callable[[list[Row], Texts, Asked], list[Row]]

_LONGEST = 2000  # characters of a line
MOST_SHAPED = 256 << 10  # characters; a larger output is searched by patterns alone
_SEVERAL = 3  # lines on which a pass is tried

# Which lines a pass may change, besides diagnostics and what is around them:
_ALL = "all"  # it needs to see every line
_TRIED = "tried"  # those that it changes when it is given a few of them
_NO_OTHERS = "no others"
_REPORT = "report"  # those that the table of test runners names
_READ = "report.report_of"  # the shape of every runner of which its row in that table says all
# Each shape: its function, and which lines it may change, which is one of the above or a function
# that tells it of a line. Functions are written with their modules in this package.
_SHAPES = {
    "blame": ("blame.blame", _ALL),
    "blocks": ("copies.blocks", _ALL),
    "boxes": (_READ, _TRIED),
    "columns": ("columns.columns", _ALL),
    "commits": ("commits.commits", _ALL),
    "coverage": ("coverage.coverage", _TRIED),
    "ctest": (_READ, _REPORT),
    "dependencies": ("dependencies.dependencies", _ALL),
    "diff": ("diff.diff", _ALL),
    "differences": ("tests.differences", _NO_OTHERS),
    "diffstat": ("diffstat.diffstat", _ALL),
    "excerpts": ("tests.excerpts", _ALL),
    "findings": ("findings.findings", "finding.may_belong"),
    "frames": ("frames.frames", _NO_OTHERS),
    "gtest": (_READ, _REPORT),
    "items": ("alike.items", _ALL),
    "jest": (_READ, _TRIED),
    "libtest": (_READ, _TRIED),
    "listing": ("listing.listing", _ALL),
    "memory": (_READ, _REPORT),
    "minitest": (_READ, _REPORT),
    "mocha": (_READ, _TRIED),
    "modules": (_READ, _TRIED),
    "names": ("listing.names", _ALL),
    "notes": ("notes.notes", "notes.is_context"),
    "npm": (_READ, _TRIED),
    "numbered": ("numbered.numbered", _ALL),
    "packages": ("tests.packages", _NO_OTHERS),
    "passed": ("tests.passed", "tests.is_of_passed"),
    "phpunit": (_READ, _REPORT),
    "pip": (_READ, _REPORT),
    "plan": ("plan.plan", "plan.may_belong"),
    "progress": (_READ, _TRIED),
    "prove": (_READ, _REPORT),
    "pytest": ("pytest.pytest", "pytest.may_be_of_report"),
    "repeats": ("repeats.repeats", _NO_OTHERS),
    "rounds": ("alike.rounds", _ALL),
    "rspec": (_READ, _REPORT),
    "rustfmt": ("rustfmt.rustfmt", _ALL),
    "search": ("search.search", _ALL),
    "spec": (_READ, _TRIED),
    "state": ("state.state", _ALL),
    "surefire": (_READ, _TRIED),
    "tap": (_READ, _TRIED),
    "unittest": (_READ, _NO_OTHERS),
    "values": ("values.values", "values.is_shortened"),
    "vitest": (_READ, _NO_OTHERS),
}
NAMES = tuple(sorted(_SHAPES))
# The order in which an output without a filter is looked at.
GENERIC = (
    "rspec", "minitest", "phpunit", "prove",
    "diff", "commits", "diffstat", "pytest", "coverage", "unittest", "surefire", "gtest",
    "ctest", "libtest", "jest", "mocha", "vitest", "spec", "tap", "passed",
    "packages", "pip", "progress",
    "npm", "boxes", "frames", "modules",
    "memory", "notes", "findings", "excerpts", "differences",
    "dependencies",
    "listing", "search", "columns", "rounds", "blocks", "items", "repeats", "numbered",
    "values",
)  # fmt: skip


# What every summary is looked at for after the shapes of its filter.
AFTER = ("boxes", "excerpts", "rounds", "blocks", "items")


# What an output has of which these can make something, so that they need not look at each line.
_SIGNS = {
    "rspec": " example", "minitest": " assertions, ", "phpunit": "ssertion",
    "unittest": "Ran ", "libtest": "test result: ", "mocha": " failing", "spec": "failing tests:",
}  # fmt: skip


def load_shapes(names: Iterable[str]) -> None:
    """Import the modules of these shapes, so that the first run does not wait for it."""
    for name in names:
        _pass(name)


def _pass(name: str) -> Pass:
    path = _SHAPES[name][0]
    found: Pass = partial(_function(path), name) if path == _READ else _function(path)
    return found


@cache
def _function(path: str) -> Any:
    """Import what the table names: `finding.may_belong`."""
    module, _, name = path.partition(".")
    return getattr(import_module(f"laconic.compact.shapes.{module}"), name)


def shaped(names: Iterable[str], rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """The rows after all these passes; only `values`, which runs first, sees very long lines."""
    todo = list(names)
    rows = _without(rows, set(indexes(asked.printed)))
    if "values" in todo:
        rows = _pass("values")(rows, texts, asked)
    rows = _without(rows, {row for row in raw_of(rows) if len(texts[row]) > _LONGEST})
    whole = "\n".join([texts[row] for row in raw_of(rows)])
    for name in todo:
        check()
        if name != "values" and _SIGNS.get(name, "") in whole:
            rows = _without(_pass(name)(rows, texts, asked), asked.settled)
    return [row.index if isinstance(row, _Opaque) else row for row in rows]


def may_change(names: Iterable[str], text: str, kinds: Container[str]) -> bool:
    """Tell whether these passes are made for such a line, so that it waits for the others.

    kinds: those of the lines before it, each of which a pass may fold with all that are like it.
    """
    wanted = set(names)
    if any(_SHAPES[name][1] == _ALL for name in wanted):
        return True
    if wanted and is_diagnostic(text):
        return True
    if "repeats" in wanted and kind_of(text) in kinds:
        return True
    return regroups(wanted, text)


def regroups(names: Iterable[str], text: str) -> bool:
    """Tell whether one of these passes makes something else of such a line, even if it is kept."""
    return any(_regroups(name, text) for name in names)


def _regroups(name: str, text: str) -> bool:
    lines = _SHAPES[name][1]
    if lines in (_ALL, _NO_OTHERS):
        return False
    if lines == _TRIED:
        return _changes(name, text)
    if lines == _REPORT:
        return bool(_function("report.may_be_of")(name, text))
    is_made_for: Callable[[str], bool] = _function(lines)
    return is_made_for(text)


def _changes(name: str, text: str) -> bool:
    """Tell whether a pass changes a few such lines, after a success or after a failure."""
    rows: list[Row] = list(range(_SEVERAL))
    texts = dict.fromkeys(rows, text)
    asked = (Asked(status, bytes(_SEVERAL)) for status in (0, 1))
    return any(_pass(name)(rows, Written(texts), one) != rows for one in asked)


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
