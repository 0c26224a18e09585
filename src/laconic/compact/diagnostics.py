"""Which lines say that something is wrong, or where: of a failure none of them may be hidden.

Errs towards too many: a line that is shown without need costs a few tokens, a hidden one an error.
"""

from __future__ import annotations

import re

from laconic.compact.lines import Lines

# Plain text in lower case, so that a whole output is searched at the speed of str.find; each word
# costs half a millisecond per megabyte, so the list is short.
WORDS = (
    "error", "fail", "panic", "exception", "assert", "traceback", "fatal", "undefined",
    "not found", "no such", "denied", "cannot", "unable to", "abort", "invalid", "expected",
    "conflict", "timed out", "killed", "not ok ", "✗", "✘", "✕", "❌",
)  # fmt: skip
_SEARCHED = tuple(re.compile(re.escape(word)) for word in WORDS)
# `src/main.rs:3:5`, `app.ts(3,7)`; `configure:2310:`, `Makefile:12:`; `File "x.py", line 3`.
# Each begins with one plain character, for which `re` searches fast.
_PLACES = tuple(map(re.compile, (r"\.[A-Za-z]\w{0,9}[:(]\d", r", line \d")))
_NUMBERED = re.compile(r":(?<=[A-Za-z_]:)\d+:")  # no time of day
_AT_START = re.compile(r"[^\s:]*[A-Za-z_]:\d+:")
# What speaks of errors and means none: tests that passed, names of packages, counts of zero.
_PASSED = re.compile(
    r"test .* \.\.\. (?:ok|ignored)$|\s*--- PASS: |ok +\S+\s+[\d.]+m?s$|\s*[✓✔√] [^:]*$"
    r"|\s+at /rustc/[0-9a-f]{40}/"
    r"|\s*(?:Compiling|Checking|Downloading|Downloaded|Collecting|Installing|Fetching|Building"
    r"|Documenting|Adding|Updating) [\w.@/+-]+ v?\d[\w.+-]*(?: \([^()]*\))?$"
)
_PASSED_PYTEST = re.compile(r".*::.* PASSED(?: +\[ *\d+%\])?$")
_MISTAKES = r"(?:errors?|fail(?:ed|ures?|ing)?|conflicts?|exceptions?)\b"
# A look behind stands behind the first characters, so that `re` can search for these.
_NONE = (
    ("0 ", re.compile(rf"0(?<![\w.]0) (?:\w+ )?{_MISTAKES}")),
    ("no ", re.compile(rf"no(?<!\wno) (?:\w+ )?{_MISTAKES}")),
    ("0", re.compile(r"(?:errors?|failed|failures?)[=:] ?0(?![\w.])")),
)


def is_diagnostic(text: str) -> bool:
    lowered = text.lower()
    has_word = any(word in lowered for word in WORDS)
    return (has_word or _has_place(text)) and not _is_harmless(text)


def diagnostics(texts: list[str]) -> set[int]:
    """The indexes of all texts that are diagnostics."""
    return find_diagnostics(Lines(texts))


def find_diagnostics(lines: Lines) -> set[int]:
    """The indexes of all lines that are diagnostics."""
    text = lines.text
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter like İ, whose small form is longer
        lowered = text.translate(_ASCII_LOWER)
    # Plain words are searched for one by one: together they would take ten times as long.
    offsets = [match.start() for word in _SEARCHED for match in word.finditer(lowered)]
    offsets += [match.start() for place in _PLACES for match in place.finditer(text)]
    found = lines.indexes_at(offsets)
    numbered = lines.indexes_at([match.start() for match in _NUMBERED.finditer(text)]) - found
    found.update(pos for pos in numbered if _AT_START.match(lines.texts[pos]))
    return {pos for pos in found if not _is_harmless(lines.texts[pos])}


_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def _is_harmless(text: str) -> bool:
    if _PASSED.match(text) or (" PASSED" in text and _PASSED_PYTEST.match(text)):
        return True
    lowered = rest = text.lower()
    for sign, pattern in _NONE:
        if sign in rest:
            rest = pattern.sub("", rest)
    if len(rest) == len(lowered):
        return False
    return not any(word in rest for word in WORDS) and not _has_place(text)


def _has_place(text: str) -> bool:
    if any(pattern.search(text) for pattern in _PLACES):
        return True
    return ":" in text and _AT_START.match(text) is not None
