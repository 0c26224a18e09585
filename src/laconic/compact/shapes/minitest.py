"""minitest's report: each failure once, by its name and places, what differs, and the totals.

https://docs.seattlerb.org/minitest/ has no description of it; what is read here is what
`Minitest::SummaryReporter` and `Minitest::ProgressReporter` print.
"""

from __future__ import annotations

from laconic.compact.shapes.failures import Failure, shown, with_difference
from laconic.compact.shapes.rows import placed, raw_of, short
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.masks import Mask
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_TOTALS = pattern(r"\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors, \d+ skips")
# Rails shows failures while the tests run, without numbers, and how to run each of them again.
_NUMBER = pattern(r"(?: *(\d+\)) )?(Failure|Error|Skipped):")
_NAME = pattern(r"(\S.*?)(?: \[(.*:\d+)\])?:")
_FRAME = pattern(r"(?:    )?(\S+:\d+)(:in .*)")
_BACKTRACE, _RULER = "---Backtrace---", "-" * 15
_CARETS = pattern(r"\s+\^[\^~ ]*")
_LEGEND = pattern(r"--- expected|\+\+\+ actual|@@ .* @@.*")
_RESULT = pattern(r"(\S.*#.*) = \d+\.\d+ s = ([.FES])")
_DULL = pattern(
    r"[.FES]+|# Running(?: tests)?:|Finished in [\d.]+s, .*"
    r"|Started with .*|You have skipped tests\. Run with --verbose for details\."
    r"|(?:bin/)?rails test \S+:\d+"
    # of rake, which runs the tests
    r"|\S*ruby\S* .*/rake_test_loader\.rb .*|\(See full trace by running task with --trace\)"
)
_SEED = pattern(r"Run options: .*--seed \d+")
_COMMAND = pattern(r"(Command failed with status \(\d+\)): \[.*\]")
_MARK = " "


def may_begin_report(text: str) -> bool:
    return any(form.fullmatch(text) for form in (_DULL, _SEED, _NUMBER, _RESULT, _TOTALS))


def minitest(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show every failure in few lines; of the tests that are listed none that is told."""
    lines = raw_of(rows)
    if not any(_TOTALS.fullmatch(texts[i]) for i in lines):
        return rows
    failures = [_read(block, texts, asked.pinned) for block in _blocks(lines, texts)]
    gone = {i for failure in failures for i in failure.lines}
    names = {failure.title.partition(": ")[2] for failure in failures}
    for index in lines:
        text = texts[index]
        result = _RESULT.fullmatch(text)
        is_told = result is not None and (result[2] == "." or result[1] in names)
        # the order may be why a test fails
        is_told = is_told or (not asked.status and _SEED.fullmatch(text) is not None)
        if not text.strip() or is_told or _DULL.fullmatch(text):
            gone.add(index)
    instead = shown(failures, _MARK)
    commands = ((i, _COMMAND.fullmatch(texts[i])) for i in lines)
    instead |= {i: [short(match[1], i, texts)] for i, match in commands if match}
    return placed(rows, instead, gone)


def _blocks(lines: list[int], texts: Texts) -> list[list[int]]:
    """The lines of each failure, up to the next, or to the totals."""
    found: list[list[int]] = []
    is_inside = False
    for pos, index in enumerate(lines):
        text = texts[index]
        below = texts[lines[pos + 1]] if pos + 1 < len(lines) else ""
        if _NUMBER.fullmatch(text) and _NAME.fullmatch(below):
            found.append([])
            is_inside = True
        elif _TOTALS.fullmatch(text) or _DULL.fullmatch(text):
            is_inside = False
        if is_inside:
            found[-1].append(index)
    return found


def _read(block: list[int], texts: Texts, pinned: Mask) -> Failure:
    number, name = _NUMBER.fullmatch(texts[block[0]]), _NAME.fullmatch(texts[block[1]])
    assert number is not None
    assert name is not None
    start = f"{number[1]} " if number[1] else ""
    failure = Failure(block, f"{start}{number[2]}: {name[1]}", "  ")
    failure.name = number[1] or name[1]
    body = [i for i in block[2:] if texts[i].strip() and texts[i] not in (_BACKTRACE, _RULER)]
    frames = [i for i in body if _FRAME.fullmatch(texts[i])]
    found = [match for i in frames if (match := _FRAME.fullmatch(texts[i]))]
    failure.add_frames([_place(match[1], match[2], name[1]) for match in found])
    if name[2]:
        failure.places = [*(p for p in failure.places if p != name[2]), f"[{name[2]}]"]
    message = [i for i in body if i not in frames and not _CARETS.fullmatch(texts[i])]
    failure.said = with_difference(message, _LEGEND, texts, pinned)
    return failure


def _place(place: str, function: str, test: str) -> str:
    """A frame without the function if that is the test itself, or a block."""
    is_known = "block " in function or function.rstrip("'").endswith(test.rpartition("#")[2])
    return place if is_known or "<top " in function else place + function
