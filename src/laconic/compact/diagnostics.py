"""Which lines say that something is wrong, or where: of a failure none of them may be hidden.

Errs towards too many: a line that is shown without need costs a few tokens, a hidden one an error.
"""

from __future__ import annotations

import re
from itertools import accumulate, compress, repeat
from operator import ne

from laconic.compact.known import Known
from laconic.compact.lines import Lines
from laconic.compact.masks import any_of, indexes, mask_of, union, without
from laconic.compact.patterns import Patterns
from laconic.compact.tokens import estimate_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from laconic.compact.masks import Mask

WORDS = (
    "error", "fail", "panic", "exception", "assert", "traceback", "fatal", "undefined",
    "not found", "no such", "denied", "cannot", "unable to", "abort", "invalid", "expected",
    "conflict", "timed out", "killed", "not ok ", "unresolved", "core dumped", "refused", "missing",
    "crash", "timeout", "segmentation fault", "out of memory", "npm err!", "unrecognized",
    "no space left", "data race", ".tf line ", "✗", "✘", "✕", "✖", "\u00d7", "❌",
)  # fmt: skip
# All of these are for bytes in small letters whose digits are all 0.
# `src/main.rs:3:5`, `app.ts(3,7)`; `File "x.py", line 3`; `(line 3)`, but not pip's `(line 3))`,
# which says only who asks for a package.
_PLACES = (r"\.[a-z][a-z0_]{0,9}[:(]0", ", line 0", r"\(line 0+\)(?!\))")
# `configure:2310:`, `Makefile:12:`, but no time of day. The first is faster, the second is right.
_NUMBERED = re.compile(rb":0(?<=[a-z_]:0)0*:")
_AT_START = re.compile(rb"\n[^\s:]*[a-z_]:0+:")


def _by_anchor() -> list[str]:
    """Expressions for the words, one for all that have a rare text in common.

    `re` searches fast for the plain text that an expression begins with: a third of a millisecond
    per megabyte. One expression for all words would take three times as long as these together.
    """
    endings: dict[str, list[str]] = {}
    for word in filter(str.isascii, WORDS):
        anchor = next((text for text in _ANCHORS if text in word), word)
        ending = re.escape(word.partition(anchor)[2])
        behind = f"{ending}(?<={re.escape(word)})" if anchor != word else ""
        endings.setdefault(re.escape(anchor), []).append(behind)
    return [f"{anchor}(?:{'|'.join(found)})" for anchor, found in endings.items()]


def _by_beginning() -> Iterator[bytes]:
    """Expressions for the marks, one for all that differ in their last byte only."""
    endings: dict[bytes, bytes] = {}
    for mark in (word.encode() for word in WORDS if not word.isascii()):
        endings[mark[:-1]] = endings.get(mark[:-1], b"") + mark[-1:]
    return (beginning + b"[" + last + b"][^\n]*" for beginning, last in endings.items())


_ANCHORS = ("x", "v", "f", "ss", "ra", "ab", "no", "time", "nied", "umped")
# Each up to the end of the line. The most frequent come first: see _with_sign().
_SIGNS = tuple(re.compile(rf"(?:{s})[^\n]*".encode()) for s in (*_PLACES, *_by_anchor()))
_MARKS = tuple(re.compile(source) for source in _by_beginning())
# What speaks of errors and means none: tests that passed, stack frames of other people's code,
# names of packages, counts of zero.
_HARMLESS = Patterns((
    (r"^(?=[\s\-to✓✔√A-IU])(?:test .* \.\.\. (?:ok|ignored)$|ok +\S+\s+[\d.]+m?s$"
     r"|\s*(?:--- PASS: |[✓✔√] [^:]*$|(?<=\s)at /rustc/[0-9a-f]{40}/"
     "|(?<=\\s)(?:[aA][tT]|\u276f) " r".*[nN](?i:ode(?:_modules|:internal)/)\S*\s*$"
     r"|(?:Compiling|Checking|Downloading|Downloaded|Collecting|Installing|Fetching|Building"
     r"|Documenting|Adding|Updating) [\w.@/+-]+ v?\d[\w.+-]*(?: \([^()]*\))?$))"),
))  # fmt: skip
_PASSED, _PASSED_TEST = " PASSED", Patterns((r"^[^\s:]+::.* PASSED(?: +\[ *\d+%\])?$",))
_MISTAKES = rb"(?:errors?|fail(?:ed|ures?|ing)?|conflicts?|exceptions?)\b"
# In small letters. A look behind stands behind the first characters, as `re` searches for these.
_NONE = tuple(map(re.compile, (
    rb"0 (?<![\w.]0 )(?:\w+ )?" + _MISTAKES, rb"no (?<!\wno )(?:\w+ )?" + _MISTAKES,
    rb"errors?[=:] ?0(?![\w.])", rb"fail(?:ed|ures?)[=:] ?0(?![\w.])",
)))  # fmt: skip
_MOST = 12_000  # tokens at either end: no more are ever shown of both
# What is said of a line does not depend on its numbers, but for 0; so lines become equal.
_ANY_DIGIT = bytes.maketrans(b"123456789", b"0" * 9)
_LOWERED = bytes(range(256)).lower().translate(_ANY_DIGIT)
_DIGIT_NOT_0 = bytes.maketrans(b"23456789", b"1" * 8)


def is_diagnostic(text: str) -> bool:
    return any_of(find_diagnostics(Lines([text])))


def diagnostics(texts: Iterable[str]) -> set[int]:
    """The indexes of all texts that are diagnostics."""
    return set(indexes(find_diagnostics(Lines(texts))))


def find_diagnostics(lines: Lines) -> Mask:
    """The lines that are diagnostics; of very many, those in the middle may be harmless."""
    signs, harmless = Known(_with_sign), Known(_harmless)
    found = [signs.mask(_encoded(chunk).translate(_LOWERED)) for chunk in lines.chunks]
    behind = _settle(found, lines, range(len(found)), harmless)
    _settle(found, lines, range(len(found) - 1, behind - 1, -1), harmless)
    return b"".join(found)


def _settle(found: list[Mask], lines: Lines, order: range, harmless: Known) -> int:
    """Take off what is harmless, chunk by chunk, until enough is left; give the next chunk."""
    left = _MOST
    for number in order:
        if left < 0:
            return number
        if not any_of(found[number]):
            continue
        texts = lines.split(number)
        candidates = _encoded("\n".join(["", *compress(texts, found[number])]))
        mask = harmless.mask(candidates.translate(_DIGIT_NOT_0))
        if any_of(mask):
            gone = mask_of(compress(indexes(found[number]), mask), len(texts))
            found[number] = without(found[number], gone)
            candidates = _encoded("\n".join(["", *compress(texts, found[number])]))
        left -= estimate_bytes(candidates[1:])
    return order.stop


def _with_sign(text: bytes) -> Mask:
    """The lines that have a word or a place, whatever else they say.

    Where a sign is found, the rest of the line is taken off, and is not searched again.
    """
    total = text.count(b"\n")
    found = bytearray(total + 1)
    for sign in _SIGNS if text.isascii() else (*_SIGNS, *_MARKS):
        pieces = sign.split(text)
        if len(pieces) > total:
            return b"\1" * total
        if len(pieces) > 1:
            for index in accumulate(map(bytes.count, pieces[:-1], repeat(b"\n"))):
                found[index] = 1
            text = b"".join(pieces)
    if _NUMBERED.search(text):
        for match in _AT_START.finditer(text):
            found[text.count(b"\n", 0, match.end())] = 1
    return bytes(found[1:])  # a newline stands in front of the first


def _harmless(candidates: bytes) -> Mask:
    """The lines that have a sign and yet say nothing is wrong."""
    text = candidates.decode("utf-8", "surrogateescape")
    lines = Lines.of_chunks([text])
    found = union(_HARMLESS.mask(lines), _only_zeros(candidates.lower()))
    return union(found, _PASSED_TEST.mask(lines)) if _PASSED in text else found


def _only_zeros(lowered: bytes) -> Mask:
    """The lines that have no sign but in counts of zero."""
    counted = _without_zeros(lowered)
    if counted == lowered:
        return bytes(lowered.count(b"\n"))
    texts = counted.split(b"\n")[1:]
    changed = bytes(map(ne, texts, lowered.split(b"\n")[1:]))
    rest = _with_sign(_joined(compress(texts, changed)).translate(_ANY_DIGIT))
    return without(changed, mask_of(compress(indexes(changed), rest), len(changed)))


def _encoded(chunk: str) -> bytes:
    return chunk.encode("utf-8", "surrogateescape")


def _joined(texts: Iterable[bytes]) -> bytes:
    return b"\n".join([b"", *texts])


def _without_zeros(lowered: bytes) -> bytes:
    for pattern in _NONE:
        lowered = pattern.sub(b"", lowered)
    return lowered
