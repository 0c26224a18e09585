"""How an output is compacted and printed: the view that was asked for, its text and its notices."""

from __future__ import annotations

from laconic.compact.bound import attempt
from laconic.compact.diagnostics import find_diagnostics
from laconic.compact.filter import SUMMARY
from laconic.compact.generic import compact_generic, failures, mistakes, summary
from laconic.compact.masks import indexes, mask_of
from laconic.compact.notice import LARGE, MARK, PICKING, gap, masked, notice, said
from laconic.compact.passed_names import with_names
from laconic.compact.pipeline import compact
from laconic.compact.result import GAP, MADE, RAW, SHORT, WHOLE, Compacted, Row, Shown
from laconic.compact.scripts import script_of, without_name
from laconic.compact.stages.clean import clean
from laconic.compact.stages.limit import fit, gap_row
from laconic.compact.tokens import estimate
from laconic.compact.worth import is_cheaper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from laconic.compact.filter import Filter
    from laconic.compact.hits import Hits
    from laconic.compact.lines import Lines
    from laconic.compact.masks import Mask

GENERIC = "generic"  # in place of a filter's id
_FEW = 12  # lines that a pipe picked: as many as a `head` shows, and a little more
_ROOM = 0.95  # of a bound: parts cost a little more together than one by one
RUN, ERRORS, TESTS, OVERVIEW = "run", "err", "test", "summary"


class View:
    """How an output is to be compacted.

    A view that is exact shows all of it. hits: what the command searched for, if it is a search.
    of_script: returns the filter for a command line, for a command that runs the script of a
    package and prints what it runs. is_picked: the lines are what a pipe has picked, so that a few
    of them are all that was asked for. wants_names: of the tests that pass. problem: why a filter
    had no result, if it failed.
    """

    __slots__ = (
        "filter", "hits", "is_exact", "is_picked", "mode", "of_script", "problem", "wants_names",
    )  # fmt: skip

    def __init__(self, mode: str, wanted: Filter | None = None, *, is_exact: bool = False) -> None:
        self.mode, self.filter, self.is_exact = mode, wanted, is_exact
        self.is_picked = self.wants_names = False
        self.hits: Hits | None = None
        self.of_script: Callable[[str], Filter | None] | None = None
        self.problem = ""

    @property
    def name(self) -> str:
        if self.mode != RUN:
            return self.mode
        if self.filter:
            return self.filter.id
        return "" if self.is_exact else GENERIC

    @property
    def has_stages(self) -> bool:
        """Tell whether more than the engine makes the result, of all of the output."""
        return self.mode != RUN or (self.filter is not None and not self.filter.is_row)

    @property
    def is_summary(self) -> bool:
        """Tell whether the result sums up the whole output, so that `| tail` must not cut it."""
        return self.mode != RUN or (self.filter is not None and self.filter.kind == SUMMARY)

    def compacted(
        self, status: int, lines: Lines, printed: Mask = b"", *, spares_alarm: bool = False
    ) -> Compacted | None:
        """Return what to show, None for all of it: also when a filter fails or takes too long.

        printed: lines that were printed while the command ran, if any.
        """
        if self.is_exact or (self.is_picked and len(lines) <= _FEW):
            return None
        is_own = self.filter is not None and self.filter.source != "built-in"
        found, self.problem = attempt(
            lambda: self._compacted(status, lines, printed),
            lines.size,
            is_own=is_own,
            spares_alarm=spares_alarm,
        )
        return found

    def _compacted(self, status: int, lines: Lines, printed: Mask) -> Compacted | None:
        if self.mode == ERRORS:
            return mistakes(lines)
        if self.mode == TESTS:
            return failures(lines)
        if self.mode == OVERVIEW:
            return summary(lines)
        if self.of_script is not None and (line := _script(lines)):
            found = self.of_script(line)
            self.filter = without_name(found) if found else self.filter
        if self.filter is None:
            return compact_generic(lines, status)
        result = compact(self.filter, status, lines, self.hits, printed)
        if result and self.wants_names and status == 0:
            told = with_names(result)
            return told if is_cheaper(told) else result
        return result


def _script(lines: Lines) -> str:
    """What the script of a package runs, as the beginning of its output says."""
    return script_of(clean(lines.part(range(1))).texts)


def with_lines(compacted: Compacted, numbers: Iterable[int]) -> Compacted:
    """The same result with more raw lines, in their places: those that the caller's grep picks.

    A sum of lines that are fine goes where some of them are shown, and a line stays away where one
    that is shown in its place has its text.
    """
    asked = set(numbers)
    there = {row.numbers[0] for row in compacted.shown if row.kind in (RAW, SHORT)}
    there |= {n for row in compacted.shown if row.kind == WHOLE for n in row.numbers}
    made = [
        row for row in compacted.shown if row.kind == MADE and not asked.isdisjoint(row.numbers)
    ]
    wrong = find_diagnostics(clean(compacted.lines)) if made else b""
    sums = {row for row in made if not any(wrong[n - 1] for n in row.numbers)}
    for row in made:
        told = {n for n in row.numbers if compacted.lines.texts[n - 1].strip() in row.text}
        there |= told if row not in sums else set()
    missing = sorted(asked - there, reverse=True)
    texts = list(compacted.lines.texts)
    rows: list[Row] = []

    def insert_before(number: int) -> None:
        while missing and missing[-1] < number:
            rows.append(missing.pop() - 1)

    for row in compacted.shown:
        if row.kind == GAP:
            for part in _split(row, missing):
                insert_before(part.numbers[0])
                rows.append(part)
        elif row.kind in (RAW, SHORT):
            insert_before(row.numbers[0])
            rows.append(row if row.kind == SHORT else row.numbers[0] - 1)
            texts[row.numbers[0] - 1] = row.text
        elif row not in sums:
            rows.append(row)
    insert_before(len(texts) + 1)
    return Compacted(compacted.filter, compacted.lines, rows, texts)


def within(compacted: Compacted, most: int, share: float) -> Compacted:
    """The same result in so many tokens with its notice, if that can be.

    What says what is wrong comes first, as much of it as there is room for. share: what of the
    room is for the beginning.
    """
    if _cost(compacted) <= most:
        return compacted
    texts = list(compacted.lines.texts)
    rows: list[Row] = []
    for row in compacted.shown:
        is_raw = row.kind == RAW
        rows.append(row.numbers[0] - 1 if is_raw else row)
        if is_raw:
            texts[row.numbers[0] - 1] = row.text
    room = int(_ROOM * most) - estimate(notice(compacted)) - estimate(gap(len(texts)))
    wanted = indexes(find_diagnostics(clean(compacted.lines)))
    while True:
        pinned = mask_of(wanted, len(texts))
        kept = fit(rows, list, texts, max(1, room), share, pinned)
        found = Compacted(compacted.filter, compacted.lines, kept, texts)
        if not wanted or _cost(found) <= most:
            return found
        left = len(wanted) // 2
        first = round(left * share)
        wanted = [*wanted[:first], *wanted[len(wanted) - left + first :]]


def _cost(compacted: Compacted) -> int:
    return estimate(compacted.text() + notice(compacted))


def _split(mark: Shown, missing: Iterable[int]) -> Iterable[Shown]:
    """The parts of a gap between the lines that are shown after all."""
    shown = set(missing)
    part: list[int] = []
    for number in mark.numbers:
        if number not in shown:
            part.append(number)
        elif part:
            yield gap_row(part)
            part = []
    if part:
        yield gap_row(part)


def render(
    compacted: Compacted,
    raw_id: str,
    was_streamed: Callable[[Shown], bool] | None = None,
    program: str = "laconic",
    secrets: int = 0,
) -> dict[str, str]:
    """The text for each stream, with the notice; rows that were printed already are left out.

    program: what the reader can type to start us. secrets: how many are masked.
    """
    texts = {stream: compacted.text(stream) for stream in ("out", "err")}
    if was_streamed is not None:
        left = [row for row in compacted.shown if not was_streamed(row)]
        for stream in texts:
            rows = [row for row in left if compacted.stream(row) == stream]
            texts[stream] = "".join(f"{row.text}\n" for row in rows)
    line = notice(compacted, raw_id, program, secrets)
    if line:
        first = compacted.dropped[0][0] if compacted.dropped else 1
        is_err = compacted.lines.stream(first) == "err"
        texts["err" if is_err else "out"] += f"{line}\n"
    return texts


def hidden_notice(
    what: Iterable[str], size: int, raw_id: str, program: str = "laconic", secrets: int = 0
) -> str:
    """The notice for an output that was not compacted in one piece; what: what is hidden of it.

    size: that of all of it, if lines of it are hidden.
    """
    parts = [*what, *([masked(secrets)] if secrets else []), *([PICKING] if size > LARGE else [])]
    return f"{said(', '.join(parts), program, raw_id)}\n"


def masked_notice(secrets: int, raw_id: str, program: str) -> str:
    """The notice for an output that is shown whole, apart from its secrets.

    program: "" if the output is not kept.
    """
    where = f", shown at a terminal by: {program} recall {raw_id}" if program else ""
    return f"{MARK}{masked(secrets)}{where}]\n"


def open_notice(raw_id: str, program: str) -> str:
    """The notice for a command that has ended while a child of it still has its output open."""
    what = "something was left running and may still write"
    return f"{MARK}{what}, see it: {program} recall {raw_id}]\n"


def masked_status_notice(program: str, status: int) -> str:
    """Say that a command failed where the exit status of its pipe does not."""
    return f"{MARK}{program} itself exited with status {status}]\n"
