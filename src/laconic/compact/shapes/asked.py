"""What a pass knows of the run whose output it shapes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.hits import Hits
    from laconic.compact.masks import Mask


class Asked:
    """status: the exit status. hits: what was searched for. pinned: lines that say what is wrong.

    is_listed: the filter says that the output is of this shape, so that few lines are enough.
    """

    __slots__ = ("hits", "is_listed", "pinned", "status")

    def __init__(
        self, status: int, pinned: Mask, hits: Hits | None = None, *, is_listed: bool = False
    ) -> None:
        self.status, self.pinned, self.hits, self.is_listed = status, pinned, hits, is_listed
