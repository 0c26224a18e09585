"""Which outputs are small enough for shapes; the report of a test run may be larger than others.

Its shapes know at once what most of its lines are, so that few are left for the others.
"""

from __future__ import annotations

from laconic.compact.shapes.passes import MOST_SHAPED
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.lines import Lines

MOST = 2 << 20  # characters of a report
_MOST_LINES = 50_000  # each of them is an object for the shapes
_LAST = 4  # chunks at its end, in which the totals are
# How many tests there were, as the runners say it that have a shape.
_TOTALS = pattern(
    r"\n(?:\[[^\[\]]{1,40}\] )?(?:(?:=+ .*)?\b\d+ (?:failed|passed|errors?)\b.* in [\d.]+s"
    r"|Tests: +(?:\d+ \w+, )*\d+ total| +Tests +\d+ (?:failed|passed)| +\d+ (?:passing|failing)"
    r"|\d+ examples?, \d+ failures?|\d+ (?:runs|tests), \d+ assertions, |Files=\d+, Tests=\d+,"
    r"|Tests: \d+, Assertions: |OK \(\d+ tests?, |(?:FAIL|ok  )\t\S+\t|test result: \w+\. "
    r"|Ran \d+ tests? in |(?:\[\w+\] +)?Tests run: \d+, |\d+% tests passed"
    r"|[#\u2139] (?:pass|fail) \d+\n|\[  PASSED  \] \d+ tests?\.)"
)


def may_be_shaped(lines: Lines) -> bool:
    """Tell whether shapes are tried; lines: as a terminal shows them."""
    if lines.size <= MOST_SHAPED:
        return True
    is_small = lines.size <= MOST and len(lines) <= _MOST_LINES
    return is_small and _TOTALS.search(_end(lines)) is not None


def _end(lines: Lines) -> str:
    total = len(lines.chunks)
    return "".join(lines.chunks[n] for n in range(max(0, total - _LAST), total))
