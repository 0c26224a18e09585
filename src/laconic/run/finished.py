"""The output of a command that has ended: what there is, and what was shown while it ran."""

from __future__ import annotations

from laconic.compact.lines import read_streams, width_of
from laconic.compact.tokens import estimate
from laconic.run.printer import NUMBERS
from laconic.run.spool import BOTH, ERR, OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.compact.lines import Lines
    from laconic.compact.masks import Mask
    from laconic.run.follow import Follower, Output

SAMPLE = 1 << 20


class FinishedOutput:
    """The output of a command that has ended, and how much of it was shown while it ran.

    printed: how much of each stream was shown as it is. is_changed: more was shown, in another
    form, so that it cannot go on as it is. is_known: all that was shown is known.
    masked: how many secrets are hidden in what was read of it. is_open: somebody in the background
    may still write. program: what the caller can type to start us.
    """

    program = "laconic"

    def __init__(self, output: Output, followers: Mapping[str, Follower]) -> None:
        self.is_open = output.is_open
        self.output, self.spool, self.followers = output, output.spool, followers
        self.sizes = {stream: self.spool.size(stream) for stream in self.spool.handles}
        self.size = sum(self.sizes.values())
        self.shown_lines = sum(follower.lines for follower in followers.values())
        self.hidden_lines = sum(follower.hidden for follower in followers.values())
        self.printed = dict(output.printed)
        self.is_changed = any(f.end != self.printed[stream] for stream, f in followers.items())
        picked = sum(len(follower.picked) for follower in followers.values())
        self.is_known = output.printer.written == sum(self.printed.values()) + picked
        self._mask = output.printer.mask
        self.shown_masked = self._mask.found if self._mask else 0
        self.masked = 0

    def without_secrets(self, stream: str, data: bytes) -> bytes:
        """Mask whole lines for an agent."""
        if self._mask is None:
            return data
        mask = self._mask.again()
        shown = mask.mask(data, NUMBERS[stream])
        self.masked += mask.found
        return shown

    def count_secrets(self) -> int:
        """Count the secrets in the whole output, read piece by piece."""
        if self._mask is None:
            return 0
        count = 0
        for stream, size in self.sizes.items():
            mask = self._mask.again()
            for start in range(0, size, SAMPLE):
                mask.feed(self.spool.read(stream, start, start + SAMPLE), NUMBERS[stream])
            mask.rest(NUMBERS[stream])
            count += mask.found
        return count

    @property
    def path(self) -> str:
        """Return the file that a pipe would have read."""
        return self.spool.path(BOTH if BOTH in self.sizes else OUT)

    def start(self, stream: str) -> int:
        """Return the offset after what was shown."""
        return self.followers[stream].end if stream in self.followers else 0

    def read(self, *, behind_shown: bool = False) -> dict[str, bytes]:
        """Return the bytes by stream, without secrets; both together count as stdout."""
        self.masked = self.shown_masked if behind_shown else 0
        return {
            OUT if stream == BOTH else stream: self.without_secrets(
                stream, self.spool.read(stream, self.start(stream) if behind_shown else 0, size)
            )
            for stream, size in self.sizes.items()
        }

    def lines(self, most: int, *, behind_shown: bool = False) -> Lines | None:
        """Return the lines, without secrets; None if they would take more memory than that.

        The bytes they are made of are not kept.
        """
        raw = self.read(behind_shown=behind_shown)
        if sum(map(width_of, raw.values())) > most:
            return None
        return read_streams(raw.pop(OUT), raw.pop(ERR, b""))

    def shown(self, stream: str, raw: bytes) -> bytes:
        """Return what was shown of a stream while the command ran."""
        picked = self.followers[stream].picked if stream in self.followers else b""
        return raw[: self.printed[stream]] + picked

    def printed_lines(self, lines: Lines) -> Mask:
        """Return a byte for each line of both streams, 1 if it was shown while the command ran."""
        flags = bytearray(len(lines))
        for stream, follower in self.followers.items():
            start = lines.out_count if stream == ERR else 0
            shown = follower.shown[: follower.lines]
            flags[start : start + len(shown)] = shown
        return bytes(flags)

    def tokens(self) -> int:
        """Estimate the tokens from the beginning of the output, which is mostly all of it."""
        estimated = 0.0
        for stream, size in self.sizes.items():
            sample = self.spool.read(stream, 0, SAMPLE)
            if sample:
                estimated += estimate(sample.decode("utf-8", "replace")) * size / len(sample)
        return round(estimated)
