"""xargs: runs a command with words of its input at its end, or in place of a mark.

Unsafe: the command; the words themselves, which may be options of the command; the mark inside
shell code; -o and -p (take over the terminal); --process-slot-var with a name that programs heed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, takewhile

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Parsed
from laconic.knowledge.streams import rare_first
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.commands.find import is_of_a_kind
from laconic.reading.environment import is_private
from laconic.types import Effect

MARKS = ("-I", "-i", "-J", "--replace")
# `rm` alone, so that nothing else is done with what is found
_REMOVES = pattern(r"rm(?: -[rRfv]+)*")
_PRINT = frozenset("-print -printf -ls -exec -execdir -ok -okdir".split())
_BY_NULL = frozenset(("-0", "--null", "-r", "--no-run-if-empty"))
_NAMES = ("-name", "-iname")
_MOST_TEXTS = 4
_MOST_WORDS = 64
_LINES = pattern(r"[\n\0]")
_QUOTES = pattern(r"['\"\\]")
_COUNTS = ("-n", "-L", "-l", "--max-args", "--max-lines")  # in some versions they undo a mark


def judge(call: Call) -> None:
    parsed = call.parsed
    for name in parsed.values("--process-slot-var"):
        if name.text is None or not is_private(name.text, {}):
            call.does(Effect.UNCLEAR, "variable", "sets a variable that programs may heed", name)
    if not parsed.operands:
        call.does(Effect.UNCLEAR, "command", "names no command")
        return
    if found := _found_of_a_kind(call, parsed):
        call.runs([*parsed.operands, *found])
        return
    mark, front = _mark(parsed), next(filter(call.is_outside, _starts(call)), "")
    front = f"{front.rstrip('/')}/" if front else ""
    command = [p if mark is None else _filled(p, mark, front) for p in parsed.operands]
    if mark is None or parsed.has(*_COUNTS):
        start, end = call.span
        command = [*command, Argument(None, start, end, leading=front, splits=True)]
    call.runs(command)
    for words in _known_words(call, parsed):
        given = [Argument(word, *call.span) for word in words]
        if mark is None:
            call.runs([*parsed.operands, *given])
        else:
            for word in words:
                call.runs([_replaced(part, mark, word) for part in parsed.operands])


def _starts(call: Call) -> Iterator[str]:
    """Where a find on the left of the pipe starts from."""
    for program, *words in filter(None, call.situation.fed_words()):
        if program.text in ("find", "gfind"):
            yield from takewhile(lambda w: w[:1] not in ("-", "(", "!"), (w.leading for w in words))


def _found_of_a_kind(call: Call, parsed: Parsed) -> list[Argument]:
    """What `find . -name '*.pyc' -print0 | xargs -0 rm` removes, as patterns; else nothing.

    Every name begins with where the search starts, so that none is an option, and only a null byte
    ends it.
    """
    fed = call.situation.fed_words()
    command = " ".join(operand.text or "" for operand in parsed.operands)
    is_split = bool({option.name for option in parsed.options} - _BY_NULL)
    if len(fed) != 1 or is_split or not parsed.options or not _REMOVES.fullmatch(command):
        return []
    words = [word.text or "" for word in fed[0]]
    starts = list(_starts(call)) or ["."]
    if words[-1] != "-print0" or not _PRINT.isdisjoint(words) or any(map(call.is_outside, starts)):
        return []
    if words[0] not in ("find", "gfind") or not is_of_a_kind(words, words[-1]):
        return []
    names = [word for before, word in pairwise(words) if before in _NAMES]
    paths = (f"{start.rstrip('/')}/{name}" for start in starts for name in names)
    return [Argument(path, *call.span, glob=True) for path in paths]


def _known_words(call: Call, parsed: Parsed) -> list[list[str]]:
    """The words of its input, as far as files and the line say now what they are."""
    values, files = call.situation.values, parsed.values("-a", "--arg-file")
    texts = call.situation.fed_texts()
    if files:
        texts = tuple(
            t for file in files for path in file.texts for t in values.line.files(path, values)
        )
    if _mark(parsed) is not None or parsed.has("-0", "--null", "-d", "--delimiter"):
        lists = [_LINES.split(text) for text in texts[:_MOST_TEXTS]]
    else:
        lists = [_QUOTES.sub("", text).split() for text in texts[:_MOST_TEXTS]]
    return [rare_first(list(filter(None, words)), _MOST_WORDS) for words in lists if any(words)]


def _replaced(part: Argument, mark: str, word: str) -> Argument:
    known = None if part.text is None else part.text.replace(mark, word) if mark else part.text
    return Argument(known, part.start, part.end)


def _mark(parsed: Parsed) -> str | None:
    """What the input replaces; an empty mark is one that is not known."""
    mark = None
    for option in parsed.options:
        if option.name in MARKS:
            mark = "{}" if option.value is None else option.value.text or ""
    return mark


def _filled(part: Argument, mark: str, beginning: str) -> Argument:
    if part.text is not None and (mark and mark not in part.text):
        return part
    front = (part.text or "").partition(mark)[0] if mark else ""
    return Argument(None, part.start, part.end, leading=front or beginning)
