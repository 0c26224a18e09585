"""What pytest writes below the name of a test that failed, and what of it is shown."""

from __future__ import annotations

from itertools import groupby, pairwise

from laconic.compact.diagnostics import diagnostics, is_diagnostic
from laconic.compact.result import SHORT, Shown, numbers_of
from laconic.compact.shapes.changes import has_words
from laconic.compact.shapes.logs import DULL, level_of
from laconic.compact.shapes.repeats import kind_of
from laconic.compact.shapes.rows import find_form, made, text_of, whole
from laconic.compact.shapes.tests import equal_differences
from laconic.compact.shapes.values import brief
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.rows import Texts

FOREIGN = pattern(
    r".*(?:site-packages|dist-packages|/lib/python\d|/python\d\.\d+/|/\.pyenv/).*|<frozen.*"
)
EXCEPTION = pattern(r"^\s*[\w.]*(?:Error|Exception)\b")
CAPTURED = pattern(r"-+ Captured (\w+) (\w+) -+")
_PLACE = pattern(r"(\S+?\.\w+):(\d+)(?:: ?(.*))?")
_FILE = pattern(r"E\s+File \"([^\"]*)\", line \d+.*")
# What pytest itself says in a failure at the beginning of a line.
_OWN_LINE = pattern(
    r"\S+?\.\w+:\d+:(?: (?:in \S.*|[\w.]+)?)?|\S+?\.\w+:\d+|Traceback:|file .*, line \d+.*"
    r"|\w+ while importing test module .*|  Enable tracemalloc to get traceback where .*"
    r"|  Did you mean to use `assert` instead of `return`\?"
    r"|The above exception was the direct cause of the following exception:"
    r"|During handling of the above exception, another exception occurred:"
    r"|\[gw\d+\] \S+ -- Python .*"
)
_ARGUMENTS = pattern(r"\w+ += \S.*")
_FOR_HELP = pattern(r">\s+use 'pytest --fixtures .*")
_RAISED = pattern(r">?\s+raise \w.*\(.*")
_DULL = pattern(
    r"E\s+(?:Omitting \d+ .*|Differing items:|comparison failed|Use -v+ to .*|Full diff:.*|\s*"
    r"|\?\s.*|Skipping \d+ .*|\.\.\.\s*Full output truncated.*|\.\.\.)"
)
_SIGNED = pattern(r"(E?\s+)[-+] .*")
# A line of a difference, or one of two values that differ: `{'a': 1} != {'a': 2}`.
_TOLD = pattern(r"(?:E? +)?(?:[-+] .*|At index \d+ diff: .*|\{.*\} != \{.*\})")
# The two values of an index or a key.
_DIFFERING = pattern(r"(?:E? +)?(?:At index \d+ diff: |\{)(.+?)\}? != \{?(.+?)\}?")
_WHERE, _CALLED = pattern(r"E? +\+ +where .*"), pattern(r"E? +\+ +where .* = [\w.]+\(\)")
_MANY_EQUAL, _MANY_LIKE = 4, 3
_MOST_SAID, _MOST_CAPTURED, _MOST_OWN, _MOST_LOCALS = 14, 8, 6, 8


def is_foreign_diagnostic(text: str) -> bool:
    """Tell whether another program says it in the middle of the report.

    The source that pytest shows is indented by four characters and more.
    """
    return text[:4].strip() != "" and not _OWN_LINE.fullmatch(text) and is_diagnostic(text)


class Failure:
    """rows: what is shown of it. places: of the project's frames, each with its function if pytest
    says that. written: what tells this failure from others at the same places.
    """

    def __init__(self, lines: list[int], texts: Texts, told: set[tuple[str, str]]) -> None:
        self._texts, self._told = texts, told
        self._flow: list[int] = []  # lines of code and of messages, in their order
        self._code: dict[int, str] = {}  # the lines of code, with their places
        self._library: list[int] = []  # the lines of code that is not the project's
        self._asserted: list[int] = []  # the lines whose place comes below them
        self._said: list[int] = []
        self._locals: list[int] = []
        self._foreign: list[Row] = []
        self._captured: list[Row]
        self._places: dict[str, str] = {}
        self._read(lines)
        self.places = self._own_places()
        self.written: list[str] = []
        self.rows = self._shown() if self._said else []

    def _read(self, lines: list[int]) -> None:
        own, self._captured = split_captured(lines, self._texts)
        at, before = "", ""
        is_placed = False  # the frame of which pytest spoke last is at its end
        for index in own:
            text = self._texts[index]
            if text.startswith(">"):
                self._asserted.append(index)
                self._flow.append(index)
            elif at and text[:4].isspace():
                self._code[index] = at
                self._flow.append(index)
                at = ""
            elif text[:2] in ("E ", "E"):
                self._said.append(index)
                self._flow.append(index)
                is_placed = False
            elif is_foreign_diagnostic(text) and not _ARGUMENTS.fullmatch(text):
                self._foreign.append(index)
            elif match := _PLACE.fullmatch(text):
                at = self._take_place(match[1], match[2], match[3])
                is_placed = True
            elif _ARGUMENTS.fullmatch(text) and (not before.strip() or before[:1].isalpha()):
                if self._said and not is_placed:
                    self._locals.append(index)
            elif is_foreign_diagnostic(text):
                self._foreign.append(index)
            before = text

    def _take_place(self, path: str, line: str, said: str | None) -> str:
        """Note a place; of the short form, `a.py:3: in test_x`, return it: the line is below it."""
        place = f"{path}:{line}"
        is_foreign = FOREIGN.fullmatch(place) is not None
        for index in self._asserted:
            if is_foreign:
                self._library.append(index)
            else:
                self._code[index] = place
        self._asserted.clear()
        is_in = said is not None and said.startswith("in ")
        function = said[3:] if said and is_in and not said.startswith("in <") else ""
        is_new = place not in self._places
        self._places.setdefault(place, function)
        return place if is_in and not is_foreign and is_new else ""

    def _own_places(self) -> dict[str, str]:
        own = {p: f for p, f in self._places.items() if not FOREIGN.fullmatch(p)}
        if own or any(_FILE.fullmatch(self._texts[i]) for i in self._said):
            return own
        return dict(list(self._places.items())[-1:])

    def _shown(self) -> list[Row]:
        code = set(self._code) | set(self._asserted) or set(self._library)
        said = set(self._said)
        flow = [i for i in self._flow if i in said or (i in code and not self._is_dull(i))]
        own = [i for i in flow if i not in said]
        rows: list[Row] = []
        hidden = own[1 : 1 - _MOST_OWN] if len(own) > _MOST_OWN else []
        block: list[int] = []
        for index in [*flow, -1]:
            if index in said:
                block.append(index)
                continue
            rows += said_rows(block, self._texts)
            block = []
            if index >= 0 and index not in hidden:
                rows += _unindented([index], self._texts)
            elif index >= 0 and index == hidden[0]:
                rows.append(made(f"[{len(hidden)} lines of other frames hidden]", hidden))
        rows += [*self._foreign, *self._kept_locals(), *self._captured]
        self.written = [text_of(row, self._texts) for row in rows]
        return self._without_told(rows)

    def _without_told(self, rows: list[Row]) -> list[Row]:
        """Leave out the lines of code that another failure at the same place has shown."""
        kept: list[Row] = []
        for row in rows:
            index, *others = (number - 1 for number in numbers_of(row))
            if index in self._code and not others:
                told = (self._code[index], self._texts[index])
                if told in self._told:
                    continue
                self._told.add(told)
            kept.append(row)
        return kept

    def _is_dull(self, index: int) -> bool:
        """Tell whether a line of code says less than the message below it."""
        text = self._texts[index]
        if _FOR_HELP.fullmatch(text):
            return True
        following = next((i for i in self._flow if i > index), -1)
        if following not in self._said:
            return False
        message = _unmarked(self._texts[following]).strip().removeprefix("AssertionError: ")
        code = text.removeprefix(">").strip()
        is_whole = "..." not in message or following != self._said[-1]
        is_asserted = is_whole and code.startswith("assert ") and message.startswith("assert ")
        return bool(_RAISED.fullmatch(text)) or code == message or is_asserted

    def _kept_locals(self) -> list[Row]:
        more = self._locals[_MOST_LOCALS:]
        mark = [made(f"[{len(more)} more variables]", more)] if more else []
        return [*self._locals[:_MOST_LOCALS], *mark]


def said_rows(said: list[int], texts: Texts) -> list[Row]:
    """What pytest says, without what is equal in a difference and what its first line has."""
    kept = [i for i in said if texts[i].strip() and not _DULL.fullmatch(_marked(texts[i]))]
    kept = _without_equal(_without_told(kept, texts), texts)
    rows = _brief(_unindented(kept, texts), kept, texts)
    if len(kept) <= _MOST_SAID + 1:
        return rows
    half = _MOST_SAID // 2
    wrong = [i for i in kept[half:-half] if is_diagnostic(_unmarked(texts[i]))]
    between = [i for i in kept[half:-half] if i not in wrong]
    mark = [made(f"[{len(between)} lines of the difference hidden]", between)] if between else []
    told = [row for i, row in zip(kept, rows, strict=True) if i in wrong]
    return [*rows[:half], *mark, *told, *rows[-half:]]


def _brief(rows: list[Row], kept: list[int], texts: Texts) -> list[Row]:
    """The rows without the middle of long values, of which the lines below say what differs."""
    last = max((n for n, i in enumerate(kept) if _TOLD.fullmatch(texts[i])), default=-1)
    found: list[Row] = []
    for number, row in enumerate(rows):
        text = text_of(row, texts)
        short = brief(text, is_told=number < last)
        index = numbers_of(row)[0]
        found.append(row if short == text else Shown(SHORT, short, (index,)))
    return found


def _without_told(kept: list[int], texts: Texts) -> list[int]:
    """Leave out a difference of values that the message has.

    A call without arguments is told by the line below it, which says what was called.
    """
    told = {
        i
        for i, after in pairwise(kept)
        if _CALLED.fullmatch(texts[i]) and _WHERE.fullmatch(texts[after])
    }
    told |= equal_differences(kept, texts)
    message = texts[kept[0]] if kept else ""
    for index in kept[1:] if "..." not in message else ():
        differing = _DIFFERING.fullmatch(texts[index])
        if differing and all(has_words(message, value) for value in differing.groups("")):
            told.add(index)
    return [i for i in kept if i not in told]


def _without_equal(kept: list[int], texts: Texts) -> list[int]:
    """Leave out the lines of a difference that are in both values, if they are many."""
    signs = {match[1] for i in kept if (match := _SIGNED.fullmatch(texts[i]))}
    equal = {
        i
        for i in kept[1:]
        if any(texts[i].startswith(f"{sign}  ") for sign in signs)
        and not is_diagnostic(_unmarked(texts[i]))
    }
    return [i for i in kept if i not in equal] if len(equal) >= _MANY_EQUAL else kept


def _unindented(lines: list[int], texts: Texts) -> list[Row]:
    """The lines with one blank after their mark; what is indented below another stays so."""
    marked = [i for i in lines if texts[i][:2] in ("E ", "> ")]
    width = min((len(texts[i]) - len(texts[i][1:].lstrip()) for i in marked), default=0)
    return [whole(f"{texts[i][0]} {texts[i][width:]}", [i]) if i in marked else i for i in lines]


def _marked(text: str) -> str:
    return text if text[:1] == "E" else f"E {text}"


def _unmarked(text: str) -> str:
    return text[1:] if text[:1] == "E" else text


def split_captured(lines: list[int], texts: Texts) -> tuple[list[int], list[Row]]:
    """The lines before what was captured, and what is shown of that."""
    start = find_form(CAPTURED, lines, texts)
    rows: list[Row] = []
    label, inside = "", list[int]()
    for index in lines[start:]:
        if match := CAPTURED.fullmatch(texts[index]):
            rows += captured_rows(label, inside, texts)
            label, inside = match[1], []
        else:
            inside.append(index)
    return lines[:start], rows + captured_rows(label, inside, texts)


def captured_rows(label: str, inside: list[int], texts: Texts) -> list[Row]:
    """The end of what a test printed, and all mistakes in it; messages of a kind are counted."""
    found = _without_like([i for i in inside if texts[i].strip()], texts)
    if not found:
        return []
    early = found[:-_MOST_CAPTURED]
    wrong = [row for row in early if is_diagnostic(texts[numbers_of(row)[-1] - 1])]
    hidden = [number - 1 for row in early if row not in wrong for number in numbers_of(row)]
    first, *others = wrong + found[-_MOST_CAPTURED:]
    said = first.text if isinstance(first, Shown) else texts[first]
    rows: list[Row] = [made(f"{label}: {said}", [n - 1 for n in numbers_of(first)]), *others]
    if hidden:
        rows.insert(0, made(f"[{len(hidden)} lines of {label} hidden]", hidden))
    return rows


def _without_like(lines: list[int], texts: Texts) -> list[Row]:
    """Of neighbouring lines of a log that are of one kind, and no warnings, the last."""
    rows: list[Row] = []
    for kind, group in groupby(lines, lambda i: level_of(texts[i]) in DULL and kind_of(texts[i])):
        run = list(group)
        if kind and len(run) >= _MANY_LIKE and not diagnostics(texts[i] for i in run):
            rows.append(made(f"{texts[run[-1]]} [and {len(run) - 1} like it before]", run))
        else:
            rows += run
    return rows
