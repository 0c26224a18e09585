"""Shows the lines that a filter is certain to show while the command still runs.

Lines from the beginning, as long as it is certain whether they stay: by the filter's patterns, or
because neither a pattern nor a shape speaks of them; and the first line that the filter calls
early, piece by piece if the command writes it so: the dots of a test run. All later lines wait for
the end, so that lines are never shown out of order.
"""

from __future__ import annotations

from itertools import takewhile

from laconic.compact.diagnostics import is_diagnostic
from laconic.compact.filter import BUDGET, FAILURE_BUDGET, SUCCESS_BUDGET, TEXT
from laconic.compact.lines import read_lines
from laconic.compact.shapes.passes import may_change, regroups
from laconic.compact.shapes.repeats import kind_of
from laconic.compact.stages.clean import clean
from laconic.run.follow import MOST_COPIED, SHORT, Everything, Follower, Generic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from laconic.compact.branch import Branch
    from laconic.compact.filter import Filter
    from laconic.run.follow import Output

_MOST_FREE = 1024  # bytes from the beginning that no budget removes


class _Lines:
    """Neighbouring hidden lines, or one that is shown: with what is printed, and their bytes."""

    def __init__(self, data: bytes, size: int, lines: int) -> None:
        self.data, self.size, self.lines = data, size, lines

    @property
    def is_blank(self) -> bool:
        return self.data.isspace()


_NONE = _Lines(b"", 0, 0)


def follower(output: Output, stream: str, wanted: Filter | None, *, is_exact: bool) -> Follower:
    """Return the follower that fits."""
    if is_exact:
        return Everything(output, stream)
    if wanted is None or wanted.is_row:
        return Generic(output, stream)
    return Filtered(output, stream, wanted)


class Filtered(Follower):
    """Follows a command with a filter.

    What is hidden before a line counts when the line is printed: until then all of it may still be
    shown as it is. A line after hidden ones is printed when so much is hidden that it pays.
    """

    def __init__(self, output: Output, stream: str, wanted: Filter) -> None:
        super().__init__(output, stream)
        self._filter = wanted
        self._branches = (wanted.plain, wanted.success, wanted.failure)
        self._has_early = self._has_shown = False
        self._is_inside = False  # a part of the line is shown
        self._read = 0  # bytes looked at
        self._hidden_bytes = 0
        self._kinds: set[str] = set()  # of the lines that are shown
        self._waiting: list[_Lines] = []  # what is decided but not printed, in order

    def finish(self) -> None:
        if self._is_inside:
            line, end, _ = self._new(self.end, MOST_COPIED).partition(b"\n")
            self.rest = line + b"\n"
            self.end += len(line + end)
            self._take_line()

    def _follow(self) -> None:
        data = self._new(self._read)
        if self._is_inside and not (data := self._complete(data)):
            return
        *lines, part = data.split(b"\n")
        for line in lines:
            text = _as_shown(line, is_text=self._filter.kind == TEXT)
            if text is None or not self._decide(text, len(line) + 1):
                self._is_done = True
                return
        self._begin(part)

    def _decide(self, text: str, size: int) -> bool:
        """Print a line, remember it as hidden or to be printed; False if it is not certain."""
        is_early = self._is_early(text)
        is_shown = is_early or self._is_certain(text) or self._is_free(text)
        if self._begins_block(text) or not (is_shown or self._is_hidden(text)):
            return False
        if is_early:
            self._uncover()
        self._read += size
        if not is_shown:
            self._hide(size)
        else:
            self._show(text, size, is_early=is_early)
        if self._may_print:
            self._print_waiting()
        return sum(len(some.data) for some in self._waiting) < _MOST_FREE

    def _hide(self, size: int) -> None:
        self._hidden_bytes += size
        before = self._waiting.pop() if self._waiting and not self._waiting[-1].data else _NONE
        self._waiting.append(_Lines(b"", before.size + size, before.lines + 1))

    def _show(self, text: str, size: int, *, is_early: bool) -> None:
        """Take a line that is shown, or a blank one; of these only the last before it stays.

        is_early: all of them stay, because what is hidden would let the line wait.
        """
        if text.strip() or self._filter.kind == TEXT:
            blank = self._blank_at_end()
            for pos in () if is_early else blank[:-1] if self._has_shown else blank:
                gone = self._waiting[pos]
                self._waiting[pos] = _Lines(b"", gone.size, gone.lines)
                self._hidden_bytes += gone.size
            self._has_shown = self._has_early = True
            self._kinds.add(kind_of(text))
        data = text.encode("utf-8", "surrogateescape") + b"\n"
        self._waiting.append(_Lines(data, size, 1))

    def _blank_at_end(self) -> list[int]:
        """Where blank lines wait behind the last one that is not."""
        shown = [pos for pos, some in enumerate(self._waiting) if some.data]
        return list(takewhile(lambda pos: self._waiting[pos].is_blank, reversed(shown)))[::-1]

    @property
    def _may_print(self) -> bool:
        """Tell whether nothing is hidden, or more than the notice costs."""
        return not self._hidden_bytes or self._hidden_bytes > SHORT

    def _print_waiting(self) -> None:
        """Print what waits, up to the last line that is shown and, but in a text, not blank."""
        is_text = self._filter.kind == TEXT
        while any(some.data and (is_text or not some.is_blank) for some in self._waiting):
            self._pass(self._waiting.pop(0))

    def _pass(self, some: _Lines) -> None:
        """Go on behind lines that are hidden, or one that is shown."""
        self.hidden += 0 if some.data else some.lines
        if some.data:
            self._print(some.data, some.size, is_next=not self.hidden)
        self.shown += bytes([bool(some.data)]) * some.lines
        self.end += some.size
        self.lines += some.lines

    def _uncover(self) -> None:
        """Show after all what is hidden so far, if that is less than the notice costs."""
        if self._may_print or self.hidden:
            return
        data = self._output.spool.read(self._stream, self.end, self._read)
        if b"\r" not in data and b"\x1b" not in data:
            self._waiting = [_Lines(data, len(data), data.count(b"\n"))]
            self._hidden_bytes = 0

    def _begin(self, part: bytes) -> None:
        """Print the beginning of a line that shows that the command is at work."""
        is_plain = b"\r" not in part and b"\x1b" not in part
        if is_plain and self._is_early(part.decode("utf-8", "surrogateescape")):
            self._uncover()
            if not self._may_print:
                return
            while self._waiting:
                self._pass(self._waiting.pop(0))
            self._has_early = self._has_shown = self._is_inside = True
            self._print(part, len(part), is_next=not self.hidden)
            self.end += len(part)
            self._read = self.end

    def _complete(self, data: bytes) -> bytes:
        """Show more of the line that was begun; return what comes after it."""
        rest, end, behind = data.partition(b"\n")
        self._print(rest + end, len(rest + end), is_next=not self.hidden)
        self.end += len(rest + end)
        self._read = self.end
        if end:
            self._take_line()
        return behind

    def _take_line(self) -> None:
        self._is_inside = False
        self.shown.append(1)
        self.lines += 1

    def _is_certain(self, text: str) -> bool:
        shapes = (branch.shapes for branch in self._branches)
        return self._filter.is_certain(text) and not any(regroups(some, text) for some in shapes)

    def _is_early(self, text: str) -> bool:
        """Tell whether a line shows that the command is at work, and nothing is shown of it yet."""
        is_first = not self._has_early and self._filter.early.matches(text)
        return is_first and 0 < len(text) < SHORT

    def _begins_block(self, text: str) -> bool:
        sections = (section for branch in self._branches for section in branch.sections)
        return any(section.start.matches(text) for section in sections)

    def _is_free(self, text: str) -> bool:
        """Tell whether no pattern decides about a line, and it is among the first."""
        is_early = self._read - self._hidden_bytes + len(text) < _MOST_FREE
        return is_early and all(_leaves(branch, text, self._kinds) for branch in self._branches)

    def _is_hidden(self, text: str) -> bool:
        if not text and not self._has_shown and self._filter.kind != TEXT:
            return True  # nothing begins with a blank line
        if is_diagnostic(text):
            return False
        return all(_hides(branch, text) for branch in self._branches)


def _as_shown(line: bytes, *, is_text: bool) -> str | None:
    """A line as a terminal shows it; None where something else would be left of it."""
    if b"\r" not in line and b"\x1b" not in line:
        return line.decode("utf-8", "surrogateescape")
    text = clean(read_lines(line + b"\n"), is_text=is_text).text
    return None if "\r" in text or "\x1b" in text else text


def _leaves(branch: Branch, text: str, kinds: Container[str]) -> bool:
    """Tell whether a branch keeps a line unchanged and in its place, whatever follows."""
    if branch.show or branch.sections or branch.keep or branch.head or branch.tail:
        return False
    if may_change(branch.shapes, text, kinds):
        return False
    usual = min(SUCCESS_BUDGET, FAILURE_BUDGET) if branch.shapes else BUDGET
    if 0 < branch.budget < usual or 0 < branch.width < len(text) or branch.drop.matches(text):
        return False
    changing = (*branch.replace, *branch.groups)
    return not any(pattern.search(text) for pattern, _ in changing)


def _hides(branch: Branch, text: str) -> bool:
    if branch.must_keep.matches(text):
        return False
    return branch.drop.matches(text) or (bool(branch.keep) and not branch.keep.matches(text))
