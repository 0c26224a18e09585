"""All shapes by name: a filter lists those of its command, the generic compactor tries them all.

A pass takes rows and gives rows. It looks only at lines that no pass before it has touched, and
leaves alone what does not have its shape.
"""

from __future__ import annotations

from laconic.compact.bound import check
from laconic.compact.shapes.commits import commits
from laconic.compact.shapes.diff import diff
from laconic.compact.shapes.diffstat import diffstat
from laconic.compact.shapes.findings import findings, notes
from laconic.compact.shapes.frames import frames
from laconic.compact.shapes.listing import listing
from laconic.compact.shapes.logs import logs
from laconic.compact.shapes.pytest import pytest
from laconic.compact.shapes.repeats import repeats
from laconic.compact.shapes.search import search
from laconic.compact.shapes.shellcheck import shellcheck
from laconic.compact.shapes.state import state
from laconic.compact.shapes.tests import differences, excerpts, passed
from laconic.compact.shapes.values import values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

MOST_SHAPED = 512 << 10  # characters; a larger output is searched by patterns alone
_PASSES = {
    "commits": commits,
    "diff": diff,
    "differences": differences,
    "diffstat": diffstat,
    "excerpts": excerpts,
    "findings": findings,
    "logs": logs,
    "passed": passed,
    "pytest": pytest,
    "shellcheck": shellcheck,
    "state": state,
    "frames": frames,
    "notes": notes,
    "listing": listing,
    "search": search,
    "repeats": repeats,
    "values": values,
}
NAMES = tuple(sorted(_PASSES))
# The order in which an output without a filter is looked at.
GENERIC = (
    "diff", "commits", "diffstat", "pytest", "passed", "frames", "notes", "shellcheck", "findings", "differences", "listing",
    "search", "repeats", "values",
)  # fmt: skip


def shaped(names: Iterable[str], rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """The rows after all these passes."""
    for name in names:
        check()
        rows = _PASSES[name](rows, texts, asked)
    return rows
