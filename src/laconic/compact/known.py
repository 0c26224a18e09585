"""Remembers what was found about lines, because large outputs repeat themselves.

Splitting a text and looking its lines up takes two milliseconds per megabyte; searching it for
everything that may be wrong takes 6 to 13.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SHORTEST = 10  # bytes of a line on average; shorter ones are searched faster than looked up
_SAMPLE = 1024  # bytes that tell whether lines are short
_PATIENCE = 2000  # new lines in excess of known ones, after which looking up is given up
_MOST = 50_000  # lines that are remembered


class Known:
    """A search over lines whose answers are remembered.

    search: takes a text with a newline before each line, and returns a byte for each; what it
    says of a line must depend on nothing but that line.
    """

    __slots__ = ("_answers", "_doubt", "_search")

    def __init__(self, search: Callable[[bytes], bytes]) -> None:
        self._search, self._doubt = search, 0
        self._answers: dict[bytes, int] = {}

    def answers(self, text: bytes) -> bytes | None:
        """What the search says of each line; None where it is faster to search."""
        sample = text[:_SAMPLE]
        if self._doubt > _PATIENCE or len(sample) < _SHORTEST * sample.count(b"\n"):
            return None
        texts = text.split(b"\n")[1:]
        answers = self._answers
        try:
            return bytes(map(answers.__getitem__, texts))
        except KeyError:
            self._learn(texts)
            return bytes(map(answers.__getitem__, texts))

    def _learn(self, texts: list[bytes]) -> None:
        answers = self._answers
        if len(answers) > _MOST:
            answers.clear()
        new = list(set(texts).difference(answers))
        answers.update(zip(new, self._search(b"\n".join([b"", *new])), strict=True))
        self._doubt = max(0, self._doubt + 2 * len(new) - len(texts))
