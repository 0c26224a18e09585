"""Says whether a command could be undone, and what would have to be kept; nothing is written."""

# pathlib takes six milliseconds to load.
from __future__ import annotations

from collections.abc import Collection, Mapping

from laconic.undo.analysis import reach_of_line
from laconic.undo.reach import Place, Reach
from laconic.undo.repository import find_repository
from laconic.undo.survey import (
    CHEAP_BYTES,
    CHEAP_ENTRIES,
    LIMIT_BYTES,
    MOST_ENTRIES,
    Survey,
    TooMuchError,
    survey,
)


class Holding:
    """What an undo would hold of a command.

    is_complete: all that the command may change in its project. is_exact: the command is known, so
    that this is all that it changes anywhere; is_wide: it is not, and everything around it is kept.
    reason: why it is not complete. survey: what was found, None if it is too much.
    """

    def __init__(self, reach: Reach) -> None:
        self.reach = reach
        self.survey: Survey | None = None
        self.is_exact, self.is_wide = not reach.doubts, False
        self.reason = ""

    @property
    def is_complete(self) -> bool:
        return self.survey is not None and not self.reason

    @property
    def paths(self) -> list[str]:
        return list(self.survey.before) if self.survey else []

    @property
    def size(self) -> int:
        return self.survey.size if self.survey else 0


def hold_line(
    line: str, directory: str, environment: Mapping[str, str], parts: Collection[int] = ()
) -> Holding:
    """Say what an undo would hold of a line of a shell, or of these parts of it, for the gate."""
    return measured(reach_of_line(line, directory, environment, parts))


def hold_quickly(line: str, directory: str, environment: Mapping[str, str]) -> Holding:
    """Say what an undo would hold of a line, if that is little enough for a hook to keep it."""
    reach = reach_of_line(line, directory, environment)
    return measured(reach, limit_bytes=CHEAP_BYTES, most_entries=CHEAP_ENTRIES)


def measured(
    reach: Reach, *, limit_bytes: int = LIMIT_BYTES, most_entries: int = MOST_ENTRIES
) -> Holding:
    """Measure what would have to be kept; surroundings are kept only where that is cheap."""
    holding = Holding(reach)
    if reach.beyond:
        holding.reason = reach.beyond[0]
    if reach.doubts:
        wider = _with_surroundings(reach)
        try:
            surveyed = survey(wider, limit_bytes=CHEAP_BYTES, most_entries=CHEAP_ENTRIES)
        except (TooMuchError, OSError):
            pass
        else:
            holding.reach, holding.survey, holding.is_wide = wider, surveyed, True
            _note_left_out(holding)
            return holding
    if reach.doubts:
        holding.reason = holding.reason or reach.doubts[0]
    try:
        holding.survey = survey(reach, limit_bytes=limit_bytes, most_entries=most_entries)
    except TooMuchError as error:
        holding.reason = error.message
    except OSError as error:
        holding.reason = (error.strerror or str(error)).lower()
    _note_left_out(holding)
    return holding


def _note_left_out(holding: Holding) -> None:
    if holding.survey is not None and holding.survey.left_out and not holding.reason:
        holding.reason = f"{holding.survey.left_out[0]} is not kept: its package manager fills it"


def _with_surroundings(reach: Reach) -> Reach:
    wider = Reach()
    wider.join(reach)
    for tree in reach.around:
        repository = find_repository(tree)
        skipped: frozenset[str] = frozenset()
        if repository is not None:
            stores = repository.stores()
            skipped = frozenset([*stores, f"{repository.common}/lfs/objects"])
            wider.stores.update(stores)
            repository.add_state(wider, whole=True)
        wider.put(Place(tree, deep=True, skipped=skipped))
    return wider
