"""RSpec's report: each failure once, by its name and places; no examples that passed.

Its forms are described in https://rspec.info/features/3-13/rspec-core/formatters/.
"""

from __future__ import annotations

from itertools import pairwise, takewhile

from laconic.compact.shapes.failures import Failure, differing, joined_values, shown
from laconic.compact.shapes.native_frames import is_of_library
from laconic.compact.shapes.rows import find_form, indent_of, made, placed, raw_of, short
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.masks import Mask
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_TOTALS = pattern(r"(\d+) examples?, \d+ failures?(?:, .*)?")
_TITLE = pattern(r"  (\d+\)) (\S.*)")
_PART = pattern(r" +(\d+\.\d+\)) (Failure/Error:.*)")
_OUTSIDE = pattern(r"An error occurred (?:while loading|in an?) \S.*")
_FAILED = pattern(r"\s*Failure/Error:(?: (.*))?")
_GOT = pattern(r"\s+Got \d+ failures?(?: and \d+ other errors?)?.*:")
_FRAME = pattern(r"\s*# {1,3}(\S+:\d+)(:in .*)?")
_CAUSE, _RULER = pattern(r"\s*# --- Caused by: ---"), pattern(r"-+")
_COMMENT = pattern(r"\s*#(?: (.*))?")
_IN_BLOCK = pattern(r":in [`'](?:.*#)?(?:block |<top |<main>|rescue in block ).*")
_CLASS = pattern(r"(\s*)((?:[A-Z]\w*::)*[A-Z]\w*):")
_CARETS = pattern(r"\s+\^[\^~ ]*")
_COMPARED = pattern(r"\s+\(compared using .*\)")
_DIFF, _HUNK = pattern(r"\s+Diff(?: for .*)?:\s*"), pattern(r"\s+@@ .* @@.*")
_DULL = pattern(
    r"[.F*]+|Failures:|Failed examples:|Finished in [\d.]+ (?:second|minute).*|No examples found\."
    r"|Pending: \(Failures listed here are expected .*\)"
    r"|#   (?:Showing full backtrace because every line was filtered out\."
    r"|See docs for RSpec::Configuration#backtrace_exclusion_patterns and"
    r"|RSpec::Configuration#backtrace_inclusion_patterns for more information\.)|# ?"
    # below deprecations
    r"|If you need more of the backtrace for any of these deprecations to"
    r"|identify where to make the necessary changes, you can configure"
    r"|`config\.raise_errors_for_deprecations!`, and it will turn the"
    r"|deprecation warnings into errors, giving you the full backtrace\."
)
# What rake runs, before the report if it is asked to say so, and below one of a failure.
_RAKE = pattern(r"\S*ruby\S* (?:.*/)?(rspec .*?)( failed)?")
_SEED = pattern(r"Randomized with seed \d+")
_AGAIN = pattern(r"rspec (\S+|'[^']+') # (.*)")
_MARKED = pattern(r"( +)(.*?) \((?:FAILED - (\d+)|PENDING: .*)\)")
_MARK = " # "
_MOST_PENDING = 8


def rspec(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show every failure in few lines, and no list of what is told already."""
    lines = raw_of(rows)
    totals = [pos for pos, i in enumerate(lines) if _TOTALS.fullmatch(texts[i])]
    if not totals:
        return rows
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    names: set[str] = set()
    start = 0
    for end, following in pairwise([*totals, len(lines)]):
        report = lines[start : end + 1]
        failed, pending = _read(report, texts, asked.pinned)
        tests = _tests(lines[end + 1 : following], texts)
        for failure in failed:
            failure.test = tests.get(_name(failure), "")
        names.update(map(_name, failed))
        instead |= shown(failed, _MARK) | _counted(shown(pending, _MARK), pending)
        told = {i for one in (*failed, *pending) for i in one.lines}
        told |= {i for i in report if not texts[i].strip() or _DULL.fullmatch(texts[i])}
        gone |= told | _overview(report, told, texts, asked.pinned)
        start = end + 1
    for index in lines:
        if rake := _RAKE.fullmatch(texts[index]):
            gone.add(index)
            instead |= {index: [short(f"{rake[1]} failed", index, texts)]} if rake[2] else {}
    gone |= _around(lines, totals[0], names, texts)
    # the order may be why an example fails; it is told at both ends
    seeds = [i for i in lines if _SEED.fullmatch(texts[i])]
    gone.update(seeds[:-1] if asked.status else seeds)
    return placed(rows, instead, gone)


def _around(lines: list[int], end: int, names: set[str], texts: Texts) -> set[int]:
    """What says nothing, and the list of failed examples below the totals, as far as it is told."""
    dull = {i for i in lines if not texts[i].strip() or _DULL.fullmatch(texts[i])}
    listed = ((i, _AGAIN.fullmatch(texts[i])) for i in lines[end + 1 :])
    return dull | {i for i, again in listed if again and again[2] in names}


def _read(report: list[int], texts: Texts, pinned: Mask) -> tuple[list[Failure], list[Failure]]:
    """What failed in a run, and what is pending."""
    failed: list[Failure] = []
    pending: list[Failure] = []
    for block in _blocks(report, texts):
        if _is_pending(block, texts):
            pending.append(_pending(block, texts, pinned))
        else:
            failed += _failures(block, texts, pinned)
    return failed, pending


def _tests(below: list[int], texts: Texts) -> dict[str, str]:
    """Where the failed examples begin, as the list below the totals of a run says."""
    matches = (_AGAIN.fullmatch(texts[i]) for i in below)
    return {match[2]: match[1].strip("'") for match in matches if match}


def _name(failure: Failure) -> str:
    return failure.title.partition(") ")[2]


def _blocks(lines: list[int], texts: Texts) -> list[list[int]]:
    """The lines of each failure, and of what is pending: up to the last of its frames."""
    found: list[list[int]] = []
    is_inside = False
    for pos, index in enumerate(lines):
        text = texts[index]
        if _OUTSIDE.fullmatch(text) or (_TITLE.fullmatch(text) and _begins(lines, pos, texts)):
            found.append([])
            is_inside = True
        elif is_inside and _ends(text, found[-1], texts):
            is_inside = False
        if is_inside:
            found[-1].append(index)
    return found


def _begins(lines: list[int], pos: int, texts: Texts) -> bool:
    """Tell whether a failure, or what is pending, is below a title."""
    below = next((texts[i] for i in lines[pos + 1 : pos + 4] if texts[i].strip()), "")
    return any(form.fullmatch(below) for form in (_FAILED, _GOT, _COMMENT)) and below[0] == " "


def _ends(text: str, block: list[int], texts: Texts) -> bool:
    """Tell whether a line follows a block, whose lines are indented, or end with frames outside."""
    if not text.strip():
        return False
    if _OUTSIDE.fullmatch(texts[block[0]]):
        before = next(texts[i] for i in reversed(block) if texts[i].strip())
        return before[0] == "#" and text[0] != "#"
    return not text.startswith("     ")


def _is_pending(block: list[int], texts: Texts) -> bool:
    below = next((texts[i] for i in block[1:] if texts[i].strip()), "")
    return bool(_TITLE.fullmatch(texts[block[0]])) and bool(_COMMENT.fullmatch(below))


def _pending(block: list[int], texts: Texts, pinned: Mask) -> Failure:
    """An example that is not written yet, is skipped or fails as expected, with the reason."""
    title, *body = block
    said = list(
        takewhile(
            lambda i: _COMMENT.fullmatch(texts[i]) and not _FRAME.fullmatch(texts[i]),
            (i for i in body if texts[i].strip()),
        )
    )
    reasons = " ".join(_COMMENT.sub(r"\1", texts[i]).strip() for i in said)
    failure = Failure(block, f"  pending {texts[title].strip()}: {reasons}", "     ")
    failure.name = " ".join(failure.title.split(maxsplit=2)[:2])
    _fill(failure, [i for i in body if i not in said], texts, pinned)
    return failure


def _counted(rows: dict[int, list[Row]], pending: list[Failure]) -> dict[int, list[Row]]:
    """The first of many that are pending; the others are counted."""
    more = pending[_MOST_PENDING:]
    if len(more) < _MOST_PENDING:
        return rows
    for failure in more:
        rows[failure.lines[0]] = []
    every = [i for failure in more for i in failure.lines]
    rows[more[0].lines[0]] = [made(f"  [{len(more)} more pending]", every)]
    return rows


def _failures(block: list[int], texts: Texts, pinned: Mask) -> list[Failure]:
    """The failure of an example, or each of them if it has several."""
    title, *body = block
    parts = [pos for pos, i in enumerate(body) if _PART.fullmatch(texts[i])]
    if not parts:
        indent = "     " if texts[title].startswith(" ") else "  "
        failure = Failure(block, texts[title].rstrip(), indent)
        if _OUTSIDE.fullmatch(failure.title):
            failure.name = failure.title.rstrip(".")
        _fill(failure, body, texts, pinned)
        return [failure]
    found = [Failure([title, *body[: parts[0]]], texts[title].rstrip(), "     ")]
    found[0].said = [(texts[i].strip(), [i]) for i in body[: parts[0]] if texts[i].strip()]
    for start, end in zip(parts, [*parts[1:], len(body)], strict=True):
        match = _PART.fullmatch(texts[body[start]])
        assert match is not None
        part = Failure(body[start:end], f"    {match[1]}", "       ")
        _fill(part, body[start:end], texts, pinned, match[2])
        found.append(part)
    return found


def _fill(failure: Failure, body: list[int], texts: Texts, pinned: Mask, first: str = "") -> None:
    """Read the source that failed, the message and the frames; first: the first line, if given."""
    end = find_form(_FRAME, body, texts)
    at = next((p for p, i in enumerate(body[:end]) if _FAILED.match(texts[i]) or first), None)
    start = 0
    if at is not None:
        start = at + 1
        code = list(takewhile(lambda i: texts[i].strip(), body[start:end]))
        match = _FAILED.fullmatch(first or texts[body[at]])
        source = (match[1] or "").strip() if match else ""
        if not source and code:
            source = texts[code[0]].strip()
            start += len(code)
        failure.code = (source, [body[at]]) if source else None
    message = [i for i in body[start:end] if texts[i].strip()]
    failure.said = _said(message, failure.code[0] if failure.code else "", texts, pinned)
    first_cause = find_form(_CAUSE, body, texts)
    frames = [m for i in body[end:first_cause] if (m := _FRAME.fullmatch(texts[i]))]
    failure.add_frames([_place(match[1], match[2] or "") for match in frames])
    failure.said += _causes(body[end:], texts, failure)
    is_own = bool(failure.places) and not is_of_library(failure.places[0])
    if not is_own and _OUTSIDE.fullmatch(failure.title):
        failure.places, failure.foreign = [], len(frames)  # the title names the file
    is_told = failure.code and any(_repeats(failure.code[0], text) for text, _ in failure.said)
    if is_told or (frames and not is_own):
        failure.code = None


def _causes(lines: list[int], texts: Texts, failure: Failure) -> list[tuple[str, list[int]]]:
    """What is among the frames and below them: exceptions that caused this one, with their places.

    Each cause is one line; a library's frames are counted.
    """
    found: list[tuple[list[str], list[int]]] = []
    is_cause = False
    for index in lines:
        text = texts[index]
        if _CAUSE.fullmatch(text):
            found.append((["Caused by:"], [index]))
            is_cause = True
            continue
        frame = _FRAME.fullmatch(text)
        words = _COMMENT.sub(r"\1", text).strip()
        if frame and not is_cause:
            continue
        if frame and is_of_library(frame[1]):
            failure.foreign += 1
        elif frame:
            found[-1][0].append(_place(frame[1], frame[2] or ""))
            found[-1][1].append(index)
        elif words and not _RULER.fullmatch(words) and not _DULL.fullmatch(text.strip()):
            if is_cause:
                found[-1][0].append(words)
                found[-1][1].append(index)
            else:
                found.append(([words], [index]))
    return [(" ".join(words), told) for words, told in found]


def _place(place: str, function: str) -> str:
    return place if _IN_BLOCK.fullmatch(function) else place + function


def _repeats(code: str, said: str) -> bool:
    """Tell whether a statement that raises says no more than its message."""
    kind, _, message = said.partition(": ")
    if not message or "raise " not in code:
        return False
    return message in code or f"raise {kind}" in code


def _said(message: list[int], code: str, texts: Texts, pinned: Mask) -> list[tuple[str, list[int]]]:
    """The message, with only the lines of its difference that differ."""
    at = find_form(_DIFF, message, texts)
    head = [i for i in message[:at] if not _COMPARED.fullmatch(texts[i])]
    head = _without_excerpt(head, code, texts)
    below = [i for i in message[at + 1 :] if not _HUNK.fullmatch(texts[i])]
    if below:
        column = indent_of(texts[message[at]])
        head, below = differing(head, below, texts, column, pinned, is_spaced=True)
        below_rows = [(texts[i][column:].rstrip(), [i]) for i in below]
    else:
        below_rows = []
    kind = _CLASS.fullmatch(texts[head[0]]) if head else None
    if kind and len(head) > 1:
        first = (f"{kind[2]}: {texts[head[1]].strip()}", head[:2])
        return [first, *joined_values(head[2:], texts), *below_rows]
    return [*joined_values(head, texts), *below_rows]


def _without_excerpt(message: list[int], code: str, texts: Texts) -> list[int]:
    """Leave out what Ruby shows of the source below its message, and the mark below that."""
    gone: set[int] = set()
    for pos, index in enumerate(message):
        if pos and _CARETS.fullmatch(texts[index]):
            gone.add(index)
            if texts[message[pos - 1]].strip() in code:
                gone.add(message[pos - 1])
    return [i for i in message if i not in gone]


def _overview(report: list[int], told: set[int], texts: Texts, pinned: Mask) -> set[int]:
    """The examples by their groups, as `--format documentation` prints them before the failures.

    They go only if there are as many as the totals say: then no line is another program's.
    """
    match = _TOTALS.fullmatch(texts[report[-1]])
    assert match is not None
    part = _grouped(report[:-1], told, texts)
    leaves = [i for i, after in pairwise([*part, -1]) if _is_leaf(i, after, texts)]
    marked = {i for i in part if _MARKED.fullmatch(texts[i])}
    if leaves and len(leaves) == int(match[1]):
        return marked | {i for i in part if not pinned[i]}
    return marked


def _grouped(lines: list[int], told: set[int], texts: Texts) -> list[int]:
    """The lines of groups: one below a blank line, and those below it that are indented.

    What a test prints is between them, mostly from the first column on.
    """
    found: list[int] = []
    block: list[int] = []
    is_below_blank = True
    for index in lines:
        text = texts[index]
        is_indented = text.startswith("  ") and index not in told
        if is_indented and block:
            block.append(index)
        elif index in told or is_below_blank:
            found += block if len(block) > 1 else []
            block = [] if index in told or is_indented else [index]
        is_below_blank = not text.strip()
    return found + (block if len(block) > 1 else [])


def _is_leaf(index: int, after: int, texts: Texts) -> bool:
    depth = indent_of(texts[index])
    below = indent_of(texts[after]) if after >= 0 else 0
    return depth > 0 and below <= depth
