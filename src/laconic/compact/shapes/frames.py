"""Stack traces in any output: messages and the project's own frames stay, others are counted."""

from __future__ import annotations

from laconic.compact.result import SHORT, WHOLE, Shown
from laconic.compact.shapes.frame_forms import LEAD, OF_ARGUMENT, Frame, read_frame
from laconic.compact.shapes.rows import raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

# The lines above and below a trace that say no more than its frames do.
_HEADING = pattern(
    r"[\s|+]*(?:INTERNALERROR> |[\w.-]+ +\| )?(?:Exception Group )?"
    r"Traceback \(most recent call last\):|stack backtrace:"
)
_FOOTING = pattern(r"note: Some details are omitted, run with `RUST_BACKTRACE=full`.*")
_RAISED = pattern(r"\s*raise \w+.*")
_MESSAGE = pattern(r"(?:[a-z_]\w*\.)*[A-Z]\w*: ")

_IN_ARGUMENT = pattern(r'File "<string>", line \d+')
_MOST_OWN = 12  # own frames of a trace that are shown
_ABOVE = 6  # rows above a trace, in which its message may be
_OWN_FILE = pattern(r"[\w/.-]\.(?:[cm]?[jt]sx?|vue|svelte|s?css|json)\b(?!:$)")
_WORD = pattern(r"\w+")


def frames(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Count the frames of other people's code; the innermost stays if none is the project's."""
    del asked
    found: list[Row] = []
    pos = 0
    while pos < len(rows):
        trace = _trace(rows, pos, texts)
        if not trace:
            found.append(rows[pos])
            pos += 1
            continue
        if found and isinstance(found[-1], int) and _HEADING.fullmatch(texts[found[-1]]):
            found.pop()  # the frames below it say as much
        end = pos + sum(len(frame.lines) for frame in trace)
        following = rows[end] if end < len(rows) else None
        told = texts[following] if isinstance(following, int) else ""
        is_told = _is_script(trace) and _names_own_file(found, texts)
        found += _shown(trace, texts, told, needs_one=not is_told)
        pos = end + 1 if _FOOTING.fullmatch(told) else end
    return found


def _trace(rows: list[Row], pos: int, texts: Texts) -> list[Frame]:
    """The neighbouring frames from here on."""
    found: list[Frame] = []
    while frame := _frame(rows, pos, texts):
        found.append(frame)
        pos += len(frame.lines)
    if any(OF_ARGUMENT.search(texts[frame.lines[0]]) for frame in found):
        for frame in found:
            frame.is_foreign = frame.is_foreign and not _IN_ARGUMENT.search(texts[frame.lines[0]])
    return found


def _frame(rows: list[Row], pos: int, texts: Texts) -> Frame | None:
    """The frame that begins with this row, in lines that no pass has touched."""

    def line(offset: int) -> str:
        row = rows[pos + offset] if 0 <= pos + offset < len(rows) else None
        return texts[row] if isinstance(row, int) else ""

    frame = read_frame(line)
    if frame:
        frame.lines = raw_of(rows[pos : pos + frame.height])
    return frame


def _is_script(trace: list[Frame]) -> bool:
    """Tell whether a trace is one of JavaScript."""
    return any(frame.is_script for frame in trace)


def _names_own_file(rows: list[Row], texts: Texts) -> bool:
    """Tell whether the message above a trace names a file of the project."""
    above = [texts[row] for row in rows[-_ABOVE:] if isinstance(row, int)]
    return any("node_modules" not in text and _OWN_FILE.search(text) for text in above)


def _shown(trace: list[Frame], texts: Texts, told: str, *, needs_one: bool) -> list[Row]:
    """Own frames, each once if it repeats itself; after the last, how many others there are.

    told: the line below them, mostly a message. needs_one: if none is the project's own, the
    innermost is shown.
    """
    if _is_raised(trace[-1], texts, told):
        trace[-1].shown = 1  # the message says more than the statement
    has_own = any(not (frame.is_foreign or frame.is_starter) for frame in trace)
    if needs_one and all(frame.is_foreign for frame in trace):
        inwards = trace[::-1] if trace[-1].is_last else trace
        for innermost in [frame for frame in inwards if frame.kept][:1]:
            innermost.is_foreign = False
    own = [frame for frame in trace if not frame.is_foreign]
    spared = [frame for frame in own if not (has_own and frame.is_starter)]
    if len(spared) > _MOST_OWN:
        spared = [*spared[: _MOST_OWN // 2], *spared[-_MOST_OWN // 2 :]]
    rows = _folded(spared, texts)
    hidden = {"foreign frame": len(trace) - len(own), "own frame": len(own) - len(spared)}
    said = [_counted(count, name) for name, count in hidden.items() if count]
    note = f"[{' and '.join(said)} hidden]"
    if said and rows:
        rows[-1] = _with_note(rows[-1], note, texts)
    return rows


def _is_raised(frame: Frame, texts: Texts, told: str) -> bool:
    """Tell whether a frame of Python raises what the line below it says."""
    source = texts[frame.kept[1]] if len(frame.kept) > 1 else ""
    message = LEAD.sub("", told, 1).lstrip()
    return bool(_RAISED.fullmatch(LEAD.sub("", source, 1)) and _MESSAGE.match(message))


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'s' if count > 1 else ''}"


def _with_note(row: Row, said: str, texts: Texts) -> Row:
    if isinstance(row, int):
        return Shown(WHOLE, f"{texts[row]} {said}", (row + 1,))
    return Shown(row.kind, f"{row.text} {said}", row.numbers)


def _folded(trace: list[Frame], texts: Texts) -> list[Row]:
    """The rows of frames; neighbours that are equal, as in a recursion, are one."""
    rows: list[Row] = []
    pos = 0
    while pos < len(trace):
        first = _said(trace[pos], texts)
        end = pos + 1
        while end < len(trace) and _said(trace[end], texts) == first:
            end += 1
        again = trace[pos:end]
        if len(again) == 1 and not again[0].text:
            rows += again[0].kept
        else:
            lines = [line for frame in again for line in frame.lines]
            rows += _joined("\n".join(first), lines, len(again), texts)
        pos = end
    return rows


def _said(frame: Frame, texts: Texts) -> list[str]:
    return [frame.text] if frame.text else [texts[line] for line in frame.kept]


def _joined(text: str, lines: list[int], count: int, texts: Texts) -> list[Row]:
    """One row for each line of the text, the last of which says how often it is there."""
    *before, last = text.split("\n")
    numbers = [line + 1 for line in lines]
    if before:
        return [lines[0], *_joined(last, lines[1:], count, texts)]
    last += f" [x{count}]" if count > 1 else ""
    source = " ".join(texts[line] for line in lines)
    is_whole = set(_WORD.findall(source)) <= set(_WORD.findall(last))
    return [Shown(WHOLE if is_whole else SHORT, last, numbers)]
