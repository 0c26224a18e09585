"""Stack traces in any output: messages and the project's own frames stay, others are counted."""

from __future__ import annotations

from laconic.compact.result import SHORT, WHOLE, Shown
from laconic.compact.shapes.foreign_paths import is_foreign_path
from laconic.compact.shapes.native_frames import OF_JAVA, read_frame
from laconic.compact.shapes.rows import raw_of
from laconic.compact.shapes.script_frames import MOST_OWN, read_place
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_PYTHON = pattern(r'\s*File "(?P<path>[^"]+)", line \d+(?:, in .*)?')
_JAVA = pattern(r"\s+at (?P<path>[\w.$/@]+(?:<init>|<clinit>|[\w$]+))\([^()]*\)(?: ~?\[.*\])?")
_MORE = pattern(
    r"\s+\.\.\. \d+ (?:more|common frames omitted|lines matching cause stack trace \.\.\.)"
)
# The lines above and below a trace that say no more than its frames do.
_HEADING = pattern(
    r"[\s|+]*(?:INTERNALERROR> |[\w.-]+ +\| )?(?:Exception Group )?"
    r"Traceback \(most recent call last\):|stack backtrace:"
)
_FOOTING = pattern(r"note: Some details are omitted, run with `RUST_BACKTRACE=full`.*")
_CARETS = pattern(r"\s+[\^~]+[\^~ ]*")
# What each line of a trace may begin with: in a group of exceptions, in an internal error of
# pytest, in the log of a container.
_LEAD = pattern(r"INTERNALERROR> |(?: *\| )+|[\w.-]+ +\| ")
_RAISED = pattern(r"\s*raise \w+.*")
_MESSAGE = pattern(r"(?:[a-z_]\w*\.)*[A-Z]\w*: ")

# A script that is passed to Python as an argument begins in its module, and may have functions;
# what a package makes and runs has only these.
_OF_ARGUMENT = pattern(r'File "<string>", line \d+, in <module>')
_IN_ARGUMENT = pattern(r'File "<string>", line \d+')
# The file that Django generates to start its commands: it is the project's, but nobody edits it.
_STARTER = pattern(r"(?:.*/)?manage\.py")
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


class Frame:
    """A frame of a trace: how many lines it has, and how many of these are shown if it is.

    lines: their indexes. text: what is shown in place of them, if it is one line. is_script: it is
    one of JavaScript. is_last: the innermost frame of such a trace comes last. is_starter: it is
    the project's, yet not shown where another of them is.
    """

    __slots__ = (
        "height",
        "is_foreign",
        "is_last",
        "is_script",
        "is_starter",
        "lines",
        "shown",
        "text",
    )

    def __init__(self, height: int, shown: int, *, is_foreign: bool, text: str = "") -> None:
        self.height, self.shown, self.is_foreign, self.text = height, shown, is_foreign, text
        self.lines: list[int] = []
        self.is_last = self.is_script = self.is_starter = False

    @property
    def kept(self) -> list[int]:
        return self.lines[: self.shown]


def _trace(rows: list[Row], pos: int, texts: Texts) -> list[Frame]:
    """The neighbouring frames from here on."""
    found: list[Frame] = []
    while frame := _frame(rows, pos, texts):
        found.append(frame)
        pos += len(frame.lines)
    if any(_OF_ARGUMENT.search(texts[frame.lines[0]]) for frame in found):
        for frame in found:
            frame.is_foreign = frame.is_foreign and not _IN_ARGUMENT.search(texts[frame.lines[0]])
    return found


def _frame(rows: list[Row], pos: int, texts: Texts) -> Frame | None:
    """The frame that begins with this row, in lines that no pass has touched."""

    def line(offset: int) -> str:
        row = rows[pos + offset] if 0 <= pos + offset < len(rows) else None
        return texts[row] if isinstance(row, int) else ""

    if not line(0).strip():
        return None
    for read in (_of_python, _of_native, _of_java, _of_script):
        if frame := read(line):
            frame.lines = raw_of(rows[pos : pos + frame.height])
            return frame
    return None


def _of_python(line: Callable[[int], str]) -> Frame | None:
    """Read a place, the source below it if it is there, and the carets below that."""
    lead = match[0] if (match := _LEAD.match(line(0))) else ""
    place = _PYTHON.fullmatch(line(0).removeprefix(lead))
    if place is None:
        return None
    source = line(1).removeprefix(lead) if line(1).startswith(lead) else ""
    has_source = source.startswith("    ") and source.strip() and not _PYTHON.fullmatch(source)
    has_carets = line(2).startswith(lead) and _CARETS.fullmatch(line(2).removeprefix(lead))
    height = (3 if has_carets else 2) if has_source else 1
    is_foreign = is_foreign_path(place["path"]) and not _OF_ARGUMENT.search(line(0))
    frame = Frame(height, min(height, 2), is_foreign=is_foreign)
    frame.is_last = True
    frame.is_starter = _STARTER.fullmatch(place["path"]) is not None
    return frame


def _of_native(line: Callable[[int], str]) -> Frame | None:
    found = read_frame(line)
    if found is None:
        return None
    shown = 0 if found.is_of_panic else found.height
    return Frame(found.height, shown, is_foreign=found.is_foreign, text=found.text)


def _of_java(line: Callable[[int], str]) -> Frame | None:
    if _MORE.fullmatch(line(0)):
        return Frame(1, 0, is_foreign=True)
    match = _JAVA.fullmatch(line(0))
    return Frame(1, 1, is_foreign=OF_JAVA.match(match["path"]) is not None) if match else None


def _of_script(line: Callable[[int], str]) -> Frame | None:
    place = read_place(line(0))
    if place is None:
        return None
    frame = Frame(1, 0 if place.text.startswith("node:") else 1, is_foreign=place.is_foreign)
    frame.is_script = place.is_known
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
    if len(spared) > MOST_OWN:
        spared = [*spared[: MOST_OWN // 2], *spared[-MOST_OWN // 2 :]]
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
    message = _LEAD.sub("", told, 1).lstrip()
    return bool(_RAISED.fullmatch(_LEAD.sub("", source, 1)) and _MESSAGE.match(message))


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
