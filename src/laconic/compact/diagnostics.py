"""Which lines say that something is wrong, or where: of a failure none of them may be hidden.

Errs towards too many: a line that is shown without need costs a few tokens, a hidden one an error.
"""

from __future__ import annotations

import re
from itertools import repeat

from laconic.compact.lines import Lines, split_indexes

WORDS = (
    "error", "fail", "panic", "exception", "assert", "traceback", "fatal", "undefined",
    "not found", "no such", "denied", "cannot", "unable to", "abort", "invalid", "expected",
    "conflict", "timed out", "killed", "not ok ", "unresolved", "core dumped", "refused", "missing",
    "crash", "✗", "✘", "✕", "✖", "×", "❌",
)  # fmt: skip
# `src/main.rs:3:5`, `app.ts(3,7)`; `File "x.py", line 3`: in text whose digits are all 0.
_PLACES = (r"\.[a-z][a-z0_]{0,9}[:(]0", ", line 0")
# `configure:2310:`, `Makefile:12:`, but no time of day.
_NUMBERED = re.compile(":0(?<=[a-z_]:0)0*:")
_AT_START = re.compile(r"[^\s:]*[A-Za-z_]:\d+:")


def _by_beginning() -> list[str]:
    """Expressions for the words, one for all that begin alike.

    Each begins with plain text, for which `re` searches fast, and costs a third of a millisecond
    per megabyte; one expression for all words would take three times as long as they do together.
    """
    endings: dict[str, list[str]] = {}
    for word in filter(str.isascii, WORDS):
        endings.setdefault(word[:2], []).append(word[2:])
    return [f"{start}(?:{'|'.join(found)})" for start, found in endings.items()]


_SIGNS = tuple(map(re.compile, (*_by_beginning(), *_PLACES)))
_MARKS = re.compile("|".join(word for word in WORDS if not word.isascii()))
# What speaks of errors and means none: tests that passed, stack frames of other people's code, names
# of packages, counts of zero.
_PASSED = re.compile(
    r"test .* \.\.\. (?:ok|ignored)$|\s*--- PASS: |ok +\S+\s+[\d.]+m?s$|\s*[✓✔√] [^:]*$"
    r"|\s+at /rustc/[0-9a-f]{40}/"
    r"|\s*(?:Compiling|Checking|Downloading|Downloaded|Collecting|Installing|Fetching|Building"
    r"|Documenting|Adding|Updating) [\w.@/+-]+ v?\d[\w.+-]*(?: \([^()]*\))?$"
)
_FRAME = re.compile(r"\s+(?:at|❯) ")
_PASSED_PYTEST = re.compile(r".*::.* PASSED(?: +\[ *\d+%\])?$")
_MISTAKES = r"(?:errors?|fail(?:ed|ures?|ing)?|conflicts?|exceptions?)\b"
# A look behind stands behind the first characters, so that `re` can search for these.
_NONE = (
    ("0 ", re.compile(rf"0(?<![\w.]0) (?:\w+ )?{_MISTAKES}")),
    ("no ", re.compile(rf"no(?<!\wno) (?:\w+ )?{_MISTAKES}")),
    ("0", re.compile(r"(?:errors?|failed|failures?)[=:] ?0(?![\w.])")),
)


def is_diagnostic(text: str) -> bool:
    return _has_sign(text) and not _is_harmless(text)


def diagnostics(texts: list[str]) -> set[int]:
    """The indexes of all texts that are diagnostics."""
    return find_diagnostics(Lines(texts))


def find_diagnostics(lines: Lines) -> set[int]:
    """The indexes of all lines that are diagnostics."""
    text, folded = lines.text, _folded(lines.text)
    found: set[int] = set()
    for sign in _SIGNS:
        found.update(split_indexes(sign.split(folded), repeat(0)))
    if not text.isascii():
        found.update(split_indexes(_MARKS.split(text), repeat(0)))
    numbered = set(split_indexes(_NUMBERED.split(folded), repeat(0))) - found
    found.update(pos for pos in numbered if _AT_START.match(lines.texts[pos]))
    return {pos for pos in found if not _is_harmless(lines.texts[pos])}


def _folded(text: str) -> str:
    """As many characters: small letters, 0 for any digit, and ? for what is not ASCII."""
    return text.encode("ascii", "replace").translate(_FOLDING).decode("ascii")


_FOLDING = bytes(range(256)).lower().translate(bytes.maketrans(b"123456789", b"0" * 9))


def _has_sign(text: str) -> bool:
    folded = _folded(text)
    return (
        any(sign.search(folded) for sign in _SIGNS)
        or (not text.isascii() and _MARKS.search(text) is not None)
        or (":" in text and _AT_START.match(text) is not None)
    )


def _is_harmless(text: str) -> bool:
    if _PASSED.match(text) or (" PASSED" in text and _PASSED_PYTEST.match(text)):
        return True
    if _FRAME.match(text) and _is_foreign(text.split()[-1]):
        return True
    rest = text.lower()
    length = len(rest)
    for sign, pattern in _NONE:
        if sign in rest:
            rest = pattern.sub("", rest)
    return len(rest) != length and not _has_sign(rest)


def _is_foreign(place: str) -> bool:
    """Tell whether a place is in code that is not the project's own."""
    return "node_modules/" in place or "node:internal/" in place
