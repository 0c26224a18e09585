"""What a pass knows of the run whose output it shapes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.hits import Hits
    from laconic.compact.masks import Mask


class Asked:
    """status: the exit status. hits: what was searched for. pinned: lines that say what is wrong.

    budget: tokens that shapes may cost beyond the usual. is_listed: the filter says that the output
    is of this shape, so that few lines are enough. printed: lines that were printed while the
    command ran, if any; they stay as they are. settled: lines that no other pass may move or join.
    rare: lines that differ from those around them, and are shown before these if there is no room.
    """

    __slots__ = (
        "budget",
        "hits",
        "is_answer",
        "is_listed",
        "pinned",
        "printed",
        "rare",
        "settled",
        "status",
    )

    def __init__(
        self,
        status: int,
        pinned: Mask,
        hits: Hits | None = None,
        printed: Mask = b"",
        *,
        is_listed: bool = False,
        is_answer: bool = False,
    ) -> None:
        self.status, self.pinned, self.hits, self.is_listed = status, pinned, hits, is_listed
        self.printed, self.is_answer = printed, is_answer
        self.budget = 0
        self.settled: set[int] = set()
        self.rare: set[int] = set()

    def allow(self, budget: int) -> None:
        """Let the whole cost as much: what a shape fits into a budget of its own is not cut."""
        self.budget += budget
