"""Which lines say that something is wrong, or where: of a failure none of them may be hidden.

Errs towards too many: a line that is shown without need costs a few tokens, a hidden one an error.
"""

from __future__ import annotations

import re
from itertools import islice, repeat

from laconic.compact.lines import Lines, split_indexes
from laconic.compact.patterns import Pattern, Patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

WORDS = (
    "error", "fail", "panic", "exception", "assert", "traceback", "fatal", "undefined",
    "not found", "no such", "denied", "cannot", "unable to", "abort", "invalid", "expected",
    "conflict", "timed out", "killed", "not ok ", "unresolved", "core dumped", "refused", "missing",
    "crash", "✗", "✘", "✕", "✖", "\u00d7", "❌",
)  # fmt: skip
# `src/main.rs:3:5`, `app.ts(3,7)`; `File "x.py", line 3`: in text whose digits are all 0.
_PLACES = (r"\.[a-z][a-z0_]{0,9}[:(]0", ", line 0")
# `configure:2310:`, `Makefile:12:`, but no time of day.
_NUMBERED = re.compile(":0(?<=[a-z_]:0)0*:")
_AT_START = re.compile(r"[^\s:]*[A-Za-z_]:\d+:")


def _by_anchor() -> list[str]:
    """Expressions for the words, one for all that have a rare text in common.

    `re` searches fast for the plain text that an expression begins with: a third of a millisecond
    per megabyte. One expression for all words would take three times as long as these together.
    """
    endings: dict[str, list[str]] = {}
    for word in filter(str.isascii, WORDS):
        anchor = next((text for text in _ANCHORS if text in word), word)
        ending = word.partition(anchor)[2]
        endings.setdefault(anchor, []).append(f"{ending}(?<={word})" if ending else "")
    return [f"{anchor}(?:{'|'.join(found)})" for anchor, found in endings.items()]


_ANCHORS = ("x", "v", "f", "ss", "ra", "ab", "no")
_SIGNS = tuple(map(re.compile, (*_by_anchor(), *_PLACES)))
_MARKS = tuple(word for word in WORDS if not word.isascii())
_FEW = 500  # matches that are looked at one by one
# What speaks of errors and means none: tests that passed, stack frames of other people's code,
# names of packages, counts of zero.
_PASSED = Patterns((
    r"^test .* \.\.\. (?:ok|ignored)$", r"^\s*--- PASS: ", r"^ok +\S+\s+[\d.]+m?s$",
    r"^\s*[✓✔√] [^:]*$", r"^[^\s:]+::.* PASSED(?: +\[ *\d+%\])?$", r"^\s+at /rustc/[0-9a-f]{40}/",
    (r"^\s*(?:Compiling|Checking|Downloading|Downloaded|Collecting|Installing|Fetching|Building"
     r"|Documenting|Adding|Updating) [\w.@/+-]+ v?\d[\w.+-]*(?: \([^()]*\))?$"),
))  # fmt: skip
_FRAME = Pattern("^\\s+(?:at|\u276f) ")
_MISTAKES = r"(?:errors?|fail(?:ed|ures?|ing)?|conflicts?|exceptions?)\b"
# In small letters. A look behind stands behind the first characters, as `re` searches for these.
_NONE = (
    Pattern(rf"0(?<![\w.]0) (?:\w+ )?{_MISTAKES}"), Pattern(rf"no(?<!\wno) (?:\w+ )?{_MISTAKES}"),
    Pattern(r"errors?[=:] ?0(?![\w.])"), Pattern(r"fail(?:ed|ures?)[=:] ?0(?![\w.])"),
)  # fmt: skip


def is_diagnostic(text: str) -> bool:
    return _has_sign(text) and not _harmless([text])


def diagnostics(texts: list[str]) -> set[int]:
    """The indexes of all texts that are diagnostics."""
    return find_diagnostics(Lines(texts))


def find_diagnostics(lines: Lines) -> set[int]:
    """The indexes of all lines that are diagnostics."""
    text, folded = lines.text, _folded(lines.text)
    found = _lines_with(_SIGNS, folded)
    found |= _lines_with([re.compile(mark) for mark in _MARKS if mark in text], text)
    numbered = _lines_with([_NUMBERED], folded) - found
    found.update(pos for pos in numbered if _AT_START.match(lines.texts[pos]))
    order = sorted(found)
    harmless = _harmless([lines.texts[pos] for pos in order])
    return found.difference(order[pos] for pos in harmless)


def _lines_with(signs: Iterable[re.Pattern[str]], text: str) -> set[int]:
    """The indexes of the lines of a text that have one of these signs."""
    found: set[int] = set()
    offsets: list[int] = []
    for sign in signs:
        few = [match.start() for match in islice(sign.finditer(text), _FEW)]
        if len(few) < _FEW:
            offsets += few
        else:
            found.update(split_indexes(sign.split(text), repeat(0)))
    index = behind = 0
    for offset in sorted(offsets):
        index += text.count("\n", behind, offset)
        behind = offset
        found.add(index)
    return found


def _folded(text: str) -> str:
    """As many characters: small letters, 0 for any digit, and ? for what is not ASCII."""
    return text.encode("ascii", "replace").translate(_FOLDING).decode("ascii")


_FOLDING = bytes(range(256)).lower().translate(bytes.maketrans(b"123456789", b"0" * 9))


def _has_sign(text: str) -> bool:
    folded = _folded(text)
    return (
        any(sign.search(folded) for sign in _SIGNS)
        or (not text.isascii() and any(mark in text for mark in _MARKS))
        or (":" in text and _AT_START.match(text) is not None)
    )


def _harmless(texts: list[str]) -> set[int]:
    """The indexes of the texts that have a sign and yet say nothing is wrong."""
    found = set(_PASSED.hits(Lines(texts)))
    rest = [pos for pos in range(len(texts)) if pos not in found]
    lines = Lines([texts[pos].lower() for pos in rest])
    found.update(rest[pos] for pos in _FRAME.hits(lines) if _is_foreign(lines.texts[pos]))
    zeros = {pos for pattern in _NONE for pos in pattern.hits(lines)}
    found.update(rest[pos] for pos in zeros if not _has_sign(_without_zeros(lines.texts[pos])))
    return found


def _is_foreign(frame: str) -> bool:
    """Tell whether a stack frame is in code that is not the project's own."""
    place = frame.rsplit(maxsplit=1)[-1]
    return "node_modules/" in place or "node:internal/" in place


def _without_zeros(text: str) -> str:
    for pattern in _NONE:
        text = pattern.compiled.sub("", text)
    return text
