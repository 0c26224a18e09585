"""Finds the lines that say what is wrong, or where; after a failure none of them is hidden.

In doubt a line counts: a line that is shown without need costs a few tokens, a hidden one an error.
"""

from __future__ import annotations

import re
from functools import reduce
from itertools import accumulate, compress, count, repeat
from operator import add, ne

from laconic.compact.known import Known
from laconic.compact.lines import Lines
from laconic.compact.masks import any_of, both, indexes, mask_of, union, without
from laconic.compact.patterns import Pattern, Patterns
from laconic.compact.tokens import estimate
from laconic.files import encoded
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from laconic.compact.masks import Mask

WORDS = (
    "error", "fail", "panic", "exception", "assert", "traceback", "fatal", "undefined",
    "not found", "no such", "denied", "cannot", "unable to", "abort", "invalid", "expected",
    "conflict", "timed out", "killed", "not ok ", "unresolved", "core dumped", "refused", "missing",
    "actual:", "actual  :",
    "crash", "timeout", "segmentation fault", "out of memory", "npm err!", "unrecognized",
    "no space left", "data race", "overflow", ".tf line ", "✗", "✘", "✕", "✖", "\u00d7", "❌",
)  # fmt: skip
# All of these are for bytes in lower case whose digits are all 0.
# `src/main.rs:3:5`, `app.ts(3,7)`, `at x.pl line 3.`; `File "x.py", line 3`; `(line 3)`, but not
# pip's `(line 3))`, which says only who asks for a package.
_PLACES = {
    ".": r"\.[a-z][a-z0_]{0,9}(?:[:(]0| line 0+(?![0:]))",
    ",": ", line 0",
    "(": r"\(line 0+\)(?!\))",
}
# `configure:2310:`, `Makefile:12:`, but no time of day. The first is faster, the second is right.
_NUMBERED = pattern(rb":0(?<=[a-z_]:0)0*:")
_AT_START = pattern(rb"\n[^\s:]*[a-z_]:0+:")


def _by_anchor() -> dict[str, str]:
    """Expressions for the words, one for all that have a rare text in common, by this text.

    `re` searches fast for the plain text that an expression begins with: a third of a millisecond
    per megabyte. One expression for all words would take three times as long as these together.
    """
    endings: dict[str, list[str]] = {}
    for word in filter(str.isascii, WORDS):
        anchor = next((text for text in _ANCHORS if text in word), word)
        ending = re.escape(word.partition(anchor)[2])
        behind = f"{ending}(?<={re.escape(word)})" if anchor != word else ""
        endings.setdefault(anchor, []).append(behind)
    return {text: f"{re.escape(text)}(?:{'|'.join(found)})" for text, found in endings.items()}


def _by_beginning() -> Iterator[bytes]:
    """Expressions for the marks, one for all that differ in their last byte only."""
    endings: dict[bytes, bytes] = {}
    for mark in (word.encode() for word in WORDS if not word.isascii()):
        endings[mark[:-1]] = endings.get(mark[:-1], b"") + mark[-1:]
    return (beginning + b"[" + last + b"][^\n]*" for beginning, last in endings.items())


_ANCHORS = ("rror", "x", "v", "f", "ss", "ra", "b", "no", "time", "nied", "umped")
_FREQUENT_FIRST = " etaoinsrhldcumwfgypbkvx(,.z!"
# Each up to the end of the line, with its rarest character: a text without that character need not
# be searched. The most frequent come first: see _with_sign().
_SIGNS = tuple(
    (max(text, key=_FREQUENT_FIRST.find).encode(), pattern(rf"(?:{sign})[^\n]*".encode()))
    for text, sign in {**_PLACES, **_by_anchor()}.items()
)
_WORD_SIGNS = _SIGNS[len(_PLACES) :]
_MARKS = tuple(pattern(source) for source in _by_beginning())
# Lines that mention errors but report none: tests that passed, stack frames of other people's code,
# names of packages, of migrations and of covered files, counts of zero.
_HARMLESS = Patterns((
    (r"^(?=[\s\-to✓✔√A-IU])(?:test .* \.\.\. (?:ok|ignored)$|ok +\S+\s+[\d.]+m?s$"
     r"|\s*(?:--- PASS: |[✓✔√] [^:]*$|(?<=\s)at /rustc/[0-9a-f]{40}/"
     "|(?<=\\s)(?:[aA][tT]|\u276f) " r".*[nN](?i:ode(?:_modules|:internal)/)\S*\s*$"
     r"|(?:Compiling|Checking|Downloading|Downloaded|Collecting|Installing|Fetching|Building"
     r"|Documenting|Adding|Updating) [\w.@/+-]+ v?\d[\w.+-]*(?: \([^()]*\))?$"
     r"|Applying [\w.]+\.\.\. OK$))"),
    # advice, and headings that say nothing of what went wrong: another line does
    (r"^(?:For more information about (?:this|an) error, try `rustc --explain "
     r"|Some errors have detailed explanations: |FAIL$|Errors while running CTest$"
     r"|note: run with `RUST_BACKTRACE=|Use \"--rerun-failed --output-on-failure\" "
     r"|Run with --stacktrace option |Looked in the following places:$)"),
    (r"^\[(?:INFO\] (?:Downloading|Downloaded) from \S+: https?://\S+(?: \([^()]*\))?$"
     r"|INFO\] (?:Running [\w.$]+$|Compiling \d+ source|skip non existing resourceDirectory )"
     r"|ERROR\] (?: *$|-> \[Help \d+\]$|To see the full stack trace of the errors, re-run Maven "
     r"|For more information about the errors and possible solutions, |\[Help \d+\] https?://"
     r"|Re-run Maven using |Please refer to dump files \(if any exist\) "
     r"|Please refer to \S+ for the individual test results\.$"
     r"|After correcting the problems, you can resume the build |  mvn <args> -rf ))"),
    r"^Download https?://\S+$", r"^\?   \t\S+\t\[no test files\]$",
    r"^\d+: Test timeout computed to be: \d+$",
    r"^FAILURE: Build failed with an exception\.$",
    r"^\S+ +\d+ +\d+(?: +\d+ +\d+)? +\d+(?:\.\d+)?%(?: +\d[\d, >exit-]*)?$",  # covered
    r"^-- (?:Looking for|Performing Test) .* - (?:(?:not )?found|Failed|Success)$",  # CMake's
    r"^> Compilation failed; see the compiler error output for details\.$",
))  # fmt: skip
# What is logged for information may have the place that logs it: only its words count.
_LEVELS = (b"INFO", b"DEBUG", b"TRACE", b"\nI0", b"\nI1")
# Before the level there may be a time: digits, T, Z and whatever is not a letter.
_INFORMING = pattern(rb"\n(?:[^A-SU-Ya-z_\n]*(?:INFO|DEBUG|TRACE)\b|I[0-9]{4} [0-9]{2}:[0-9]{2}:)")
_BARE_LEVEL = b"\nINFO "  # as Python's logging writes it, which is found faster
_SAMPLE = 1024  # bytes, in which a log has a level
_PASSED, _PASSED_TEST = b" PASSED", Patterns((r"^[^\s:]+::.* PASSED(?: +\[ *\d+%\])?$",))
# Only a report of a mistake begins like these lines; they are shown after a success, too.
_CERTAIN = Patterns((
    (r"^(?:[\w./+-]+: )?(?:fatal |internal )?"
     r"(?:[Ee]rror|ERROR|[Ff]atal|FATAL|[Pp]anic)(?:\[\w+\])?: \S"),
    r"^(?:ERROR|FATAL|CRITICAL|FAILED|npm ERR!|npm error) \S", r"^\[(?:ERROR|FATAL)\] \S",
    r"^Traceback \(most recent call last\):", r"^[\w.]*(?:Error|Exception): \S",
    r"^thread '.*' panicked at ", r"^g?make(?:\[\d+\])?: \*\*\* ", r"^Segmentation fault",
))  # fmt: skip
# What all of them have, which is found several times faster.
_PERHAPS_CERTAIN = tuple(map(Pattern, (
    (r"^(?:ERROR|FATAL|[Ff]atal: |[Ee]rror\[|CRITICAL |FAILED |npm [eE]|\[[EF]|Traceback |thread '"
     r"|g?make[:\[]|Segmentation |[Pp]anic)"),
    "rror: ", "xception: ",
)))  # fmt: skip
_MISTAKES = rb"(?:errors?|fail(?:ed|ures?|ing)?|conflicts?|exceptions?)\b"
# In lower case. A lookbehind comes after the first characters, because `re` searches for these.
_NONE = tuple(map(pattern, (
    rb"0 (?<![\w.]0 )(?:\w+ )?" + _MISTAKES, rb"no (?<!\wno )(?:\w+ )?" + _MISTAKES,
    rb"errors?[=:] ?0(?![\w.])", rb"fail(?:ed|ures?)[=:] ?0(?![\w.])",
)))  # fmt: skip
# In lower case: what a word may be a part of without being said. An address; a path, but not one
# before a place in it; a file; a package with its version, as pip, npm, cargo and Maven write it.
_NO_PLACE = rb"(?![\w@+~%/-]|\.\w|:[\[\d]|\(\d|\"?, line |\.? line \d)"
_FILES = (
    rb"pyi?|rs|go|[ch]|cc|[ch]pp|java|kt|[cm]?js|jsx|tsx?|vue|rb|php|css|html|md|rst|txt|json|toml"
    rb"|ya?ml|xml|sh|sql|lock|log|jar|pom|so|o|a|svg|png|cmake|map|class"
)
_NAMES = tuple(
    (rare, pattern(rb"(?<![\w.@+~%-])(?:" + form + rb")"))
    for rare, form in (
        (b"://", rb"https?://[^\s?#'\"<>()]+"),
        (b"/", rb"(?=((?:[\w.@+~%-]+/){2,}[\w.@+~%/-]*))\1" + _NO_PLACE),
        (b"/", rb"(?=((?:~|\.\.?)?/[\w.@+~%/-]+))\1" + _NO_PLACE),
        (b".", rb"[\w@+-]+(?:/[\w.@+-]+)?\.(?:" + _FILES + rb")\b" + _NO_PLACE),
        (b":", rb"[\w.-]+(?::[\w.-]+){2,3}:(?:compile|runtime|test|provided)\b"),
        (b"0", rb"@?[a-z]\w*(?:[./-]\w+)*(?:-|@|==|[<>~!]=| v)0+\.[\w.+-]*\w"),
    )
)
_MOST = 12_000  # tokens at either end: no more are ever shown of both
# Whether a line counts does not depend on its numbers, except for 0; so lines become equal.
_ANY_DIGIT = bytes.maketrans(b"123456789", b"0" * 9)
_LOWERED = bytes(range(256)).lower().translate(_ANY_DIGIT)
_DIGIT_NOT_0 = bytes.maketrans(b"23456789", b"1" * 8)
_DOUBT = 2  # in a mask: perhaps
_DOUBTFUL, _DOUBTFUL_TOO = bytes.maketrans(b"\1", b"\2"), bytes.maketrans(b"\2", b"\1")
_NOT_DOUBTFUL = bytes.maketrans(b"\2", b"\0")
_ONLY_DOUBTFUL = bytes.maketrans(b"\1\2", b"\0\1")


def is_diagnostic(text: str) -> bool:
    return any_of(find_diagnostics(Lines([text])))


def diagnostics(texts: Iterable[str]) -> set[int]:
    """The indexes of all texts that are diagnostics."""
    return set(indexes(find_diagnostics(Lines(texts))))


def find_diagnostics(lines: Lines) -> Mask:
    """The lines that are diagnostics; of very many, those in the middle may be harmless."""
    found = [_judged_fast(lines, number) for number in range(len(lines.chunks))]
    settled = Known(_harmless)
    behind = _settle(found, lines, range(len(found)), settled)
    _settle(found, lines, range(len(found) - 1, behind - 1, -1), settled)
    return b"".join(found).translate(_DOUBTFUL_TOO)


def are_doubtful(texts: Iterable[str]) -> bool:
    """Tell whether the numbers in one of these lines decide if it is a diagnostic."""
    return _DOUBT in _judged([encoded(text).translate(_ANY_DIGIT) for text in texts])


def find_certain(lines: Lines, *, looks_up: bool = True) -> Mask:
    """The lines that report a mistake whatever the exit status is.

    looks_up: others ask for the kinds of the lines as well, so that it costs nothing here.
    """
    masks = (p.mask(lines) if looks_up else p.search_all(lines) for p in _PERHAPS_CERTAIN)
    perhaps = reduce(union, masks)
    if not any_of(perhaps):
        return perhaps
    texts = lines.at(indexes(perhaps))
    return mask_of(compress(texts, _CERTAIN.mask(Lines(texts.values()))), len(perhaps))


def _judged_fast(lines: Lines, number: int) -> bytes:
    """The same as _judged(), or for lines that do not repeat themselves: each sign is a doubt."""
    kinds = lines.numbers(number)
    if kinds is not None:
        return lines.kinds.answers(_judged, kinds)
    return _signed(encoded(lines.chunks[number]), lines.counts[number]).translate(_DOUBTFUL)


def _judged(texts: list[bytes]) -> bytes:
    """For each line, whose digits are all 0: 1 if it is a diagnostic, 2 if its numbers decide."""
    text = _joined(texts)
    signs = _signed(text, len(texts))
    candidates = _joined(compress(text.split(b"\n")[1:], signs))
    counting = _changed(candidates.lower(), _without_zeros(candidates.lower()))
    found = bytearray(signs)
    for index, has_count in zip(indexes(signs), counting, strict=True):
        found[index] = _DOUBT if has_count else 1
    for index in compress(indexes(signs), _looks_harmless(candidates)):
        found[index] = 0
    return bytes(found)


def _settle(found: list[bytes], lines: Lines, order: range, settled: Known) -> int:
    """Settle the doubtful lines, chunk by chunk, until enough is left; return the next chunk."""
    left = _MOST
    for number in order:
        if left < 0:
            return number
        if _DOUBT not in found[number]:
            continue
        doubtful = found[number].translate(_ONLY_DOUBTFUL)
        text = lines.chunks[number]
        if 0 in doubtful:
            text = "\n".join(["", *compress(lines.split(number), doubtful)])
        raw = encoded(text).translate(_DIGIT_NOT_0)
        mask = settled.answers(raw)
        mask = _harmless(raw) if mask is None else mask
        if 0 not in mask:
            found[number] = found[number].translate(_NOT_DOUBTFUL)
        elif any_of(mask):
            gone = mask_of(compress(indexes(doubtful), mask), len(doubtful))
            found[number] = without(found[number].translate(_DOUBTFUL_TOO), gone)
        if found[number].count(0) < len(found[number]):
            left -= estimate("\n".join(compress(lines.split(number), found[number])))
    return order.stop


def _signed(text: bytes, total: int) -> Mask:
    """The lines that have a word or a place, but a place only if they are not for information.

    total: how many lines there are.
    """
    is_log = _has_level(text[:_SAMPLE])
    if is_log and 0 not in _informing(text, total):
        return _with_sign(text.lower(), total, has_places=False)
    lowered = text.translate(_LOWERED)
    found = _with_sign(lowered, total)
    if not (any_of(found) and (is_log or _has_level(text))):
        return found
    informing = both(found, _informing(text, total))
    logged = list(compress(lowered.split(b"\n")[1:], informing))
    worded = _with_sign(_joined(logged), len(logged), has_places=False)
    return union(without(found, informing), mask_of(compress(indexes(informing), worded), total))


def _has_level(text: bytes) -> bool:
    return any(level in text for level in _LEVELS)


def _informing(text: bytes, total: int) -> Mask:
    """The lines of a log that are for information."""
    if text.startswith(_BARE_LEVEL) and text.count(_BARE_LEVEL) == total:
        return b"\1" * total
    pieces = _INFORMING.split(text)
    if len(pieces) > total:
        return b"\1" * total
    # a match begins with the newline before its line, which is in none of the pieces
    before = accumulate(map(bytes.count, pieces[:-1], repeat(b"\n")))
    return mask_of(map(add, before, count()), total)


def _with_sign(text: bytes, total: int, *, has_places: bool = True) -> Mask:
    """The lines that have a word or, if has_places, a place, whatever else they say.

    Where a sign is found, the rest of the line is taken off, and is not searched again.
    """
    found = bytearray(total + 1)
    signs = [sign for rare, sign in (_SIGNS if has_places else _WORD_SIGNS) if rare in text]
    for sign in signs if text.isascii() else (*signs, *_MARKS):
        pieces = sign.split(text)
        if len(pieces) > total:
            return b"\1" * total
        if len(pieces) > 1:
            for index in accumulate(map(bytes.count, pieces[:-1], repeat(b"\n"))):
                found[index] = 1
            text = b"".join(pieces)
    if has_places and b":" in text and _NUMBERED.search(text):
        for match in _AT_START.finditer(text):
            found[text.count(b"\n", 0, match.end())] = 1
    return bytes(found[1:])  # a newline comes before the first line


def _harmless(text: bytes) -> Mask:
    """The lines that have a sign and yet say nothing is wrong."""
    found = _looks_harmless(text)
    return union(found, _only_zeros(text.lower())) if 0 in found else found


def _looks_harmless(text: bytes) -> Mask:
    """The same, whatever their numbers are."""
    lines = Lines.of_chunks([text.decode("utf-8", "surrogateescape")])
    found = _HARMLESS.mask(lines)
    found = union(found, _PASSED_TEST.mask(lines)) if _PASSED in text else found
    lowered = text.translate(_LOWERED)
    return union(found, _only_in(lowered, _without_names(lowered)))


def _only_zeros(lowered: bytes) -> Mask:
    """The lines that have no sign but in counts of zero and in names."""
    return _only_in(lowered, _without_names(_without_zeros(lowered).translate(_ANY_DIGIT)))


def _only_in(lowered: bytes, left: bytes) -> Mask:
    """The lines that have no sign but in what is not left of them."""
    changed = _changed(lowered, left)
    if not any_of(changed):
        return changed
    texts = list(compress(left.split(b"\n")[1:], changed))
    rest = _with_sign(_joined(texts).translate(_ANY_DIGIT), len(texts))
    return without(changed, mask_of(compress(indexes(changed), rest), len(changed)))


def _without_names(lowered: bytes) -> bytes:
    """The lines, whose digits are all 0, without names of files, packages and addresses."""
    for rare, name in _NAMES:
        if rare in lowered:
            lowered = name.sub(b"", lowered)
    return lowered


def _changed(before: bytes, after: bytes) -> Mask:
    if before == after:
        return bytes(before.count(b"\n"))
    return bytes(map(ne, before.split(b"\n")[1:], after.split(b"\n")[1:]))


def _joined(texts: Iterable[bytes]) -> bytes:
    return b"\n".join([b"", *texts])


def _without_zeros(lowered: bytes) -> bytes:
    for none in _NONE:
        lowered = none.sub(b"", lowered)
    return lowered
