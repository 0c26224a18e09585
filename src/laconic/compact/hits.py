"""What a search looked for, so that a shortened line still shows what was found.

Only patterns that grep (grep(1), "REGULAR EXPRESSIONS"), ripgrep (https://docs.rs/regex, "Syntax")
and Python read alike are translated; for all others the place of the hit is unknown, and the lines
stay whole.
"""

from __future__ import annotations

import re
from itertools import islice

from laconic.patterns import compile_written, pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FAMILIES = {"grep": "basic", "egrep": "extended", "fgrep": "fixed", "rg": "extended"}
# Options that change neither the pattern nor how a line is written, and those with a value.
_HARMLESS = frozenset(
    "-r -R -n -H -s -I -a -l -L -c -b -T -U -z -N -p -u --recursive --line-number --text --color"
    " --colour --no-messages --with-filename --hidden --no-ignore --heading --no-heading --sort"
    " --no-line-number --include --exclude --exclude-dir --glob --iglob --type --type-not"
    " --max-count --max-depth --binary-files --directories --devices --line-buffered --column"
    " --trim --multiline --follow --no-config --max-filesize --threads --ignore-file --pretty"
    " -A -B -C -m -d -D -g -t -T -j --after-context --before-context --context".split()
)
_WITH_VALUE = frozenset(
    "-e -f -m -A -B -C -d -D -g -t -j --regexp --file --include --exclude --exclude-dir --glob"
    " --iglob --type --type-not --max-count --max-depth --after-context --before-context --context"
    " --sort --max-filesize --threads --ignore-file".split()
)
_CONTEXT = frozenset("-A -B -C --after-context --before-context --context".split())
_KINDS = {
    "-F": "fixed", "--fixed-strings": "fixed", "-E": "extended", "--extended-regexp": "extended",
    "-P": "extended", "--perl-regexp": "extended", "-G": "basic", "--basic-regexp": "basic",
    "--pcre2": "extended",
}  # fmt: skip
_OTHERWISE = frozenset(("-E", "-G", "-r", "-d", "-D", "-y"))  # of ripgrep: --encoding, --replace
_IGNORE_CASE = frozenset(("-i", "-y", "--ignore-case", "-S", "--smart-case"))
_BOUNDED = frozenset(("-w", "--word-regexp", "-x", "--line-regexp"))
_SIGNS = frozenset("+?|(){}")  # what basic and extended expressions write the other way round
_CLASS = pattern(r"\[\^?\]?[^][\\]*\]")
_ESCAPED = frozenset("bBwWsS.*[]^$/\\-")
_HEAD, _TAIL, _AROUND = 120, 60, 120
_FEW = 3  # hits of a line that are shown
_PREFIX = pattern(r"(?:[^:\s]{1,400}:)?(?:\d{1,9}:)?")


class Hits:
    """Where a search hit a line; pattern: None if that is not known."""

    __slots__ = ("_has_context", "_pattern")

    def __init__(self, pattern: re.Pattern[str] | None, *, has_context: bool = False) -> None:
        self._pattern, self._has_context = pattern, has_context

    def clip(self, text: str, width: int) -> str:
        """Shorten a line beyond the width around its hits; the line itself where none is known."""
        if not width or len(text) <= width or self._pattern is None:
            return text
        found = self._found(text)
        if not found and not self._has_context:
            return text
        pieces = _merged([(0, _HEAD), *found, (len(text) - _TAIL, len(text))])
        shown, done = [], 0
        for start, end in pieces:
            if start > done:
                shown.append(f" [... {start - done} characters hidden] ")
            shown.append(text[start:end])
            done = end
        return min(text, "".join(shown), key=len)

    def first(self, text: str) -> int | None:
        """Where the first hit begins, None if that is not known."""
        found = self._pattern.search(text) if self._pattern else None
        return found.start() if found else None

    def _found(self, text: str) -> list[tuple[int, int]]:
        """What to show around the first hits, those in a file's name not counted."""
        assert self._pattern is not None
        start = _PREFIX.match(text)
        places = list(islice(self._pattern.finditer(text, start.end() if start else 0), _FEW))
        places = places or list(islice(self._pattern.finditer(text), _FEW))
        return [span for place in places for span in _around(*place.span(), len(text))]


def hits_of(arguments: Iterable[str | None]) -> Hits | None:
    """What the words of a command search for; None if it is not a search."""
    words = list(arguments)
    name = (words[0] or "").rsplit("/", 1)[-1] if words else ""
    if name not in _FAMILIES:
        return None
    asked = _Asked(_FAMILIES[name], is_ripgrep=name == "rg")
    return asked.hits() if asked.read(words[1:]) else Hits(None)


class _Asked:
    """The options and patterns of a search."""

    def __init__(self, kind: str, *, is_ripgrep: bool) -> None:
        self._kind, self._is_ripgrep = kind, is_ripgrep
        self._patterns: list[str] = []
        self._ignores_case = self._has_context = False

    def read(self, words: list[str | None]) -> bool:
        """Read the words; False where one of them is not known."""
        operands: list[str | None] = []
        rest = iter(words)
        for word in rest:
            if word == "--":
                operands += rest
            elif word is not None and word.startswith("-") and word != "-":
                if not self._read_option(word, rest):
                    return False
            else:
                operands.append(word)
        if not self._patterns:
            if not operands or operands[0] is None:
                return False
            self._patterns = operands[0].split("\n")
        return True

    def _read_option(self, word: str, rest: Iterator[str | None]) -> bool:
        if word.startswith("--"):
            name, equals, value = word.partition("=")
            return self._take(name, value if equals else None, rest)
        for pos in range(1, len(word)):
            option = f"-{word[pos]}"
            if option in _WITH_VALUE:
                return self._take(option, word[pos + 1 :] or None, rest)
            if word[pos].isdigit():
                self._has_context = True  # -5
            elif not self._take(option, None, rest):
                return False
        return True

    def _take(self, name: str, value: str | None, rest: Iterator[str | None]) -> bool:
        if name in _WITH_VALUE and value is None:
            value = next(rest, None)
        if name in ("-e", "--regexp"):
            self._patterns += (value or "").split("\n")
            return value is not None
        if self._is_ripgrep and name in _OTHERWISE:
            return False
        if name in _KINDS:
            self._kind = _KINDS[name]
            return True
        self._ignores_case = self._ignores_case or name in _IGNORE_CASE
        self._has_context = self._has_context or name in _CONTEXT
        # -w and -x only leave out hits: what is found is near enough.
        return name in _HARMLESS or name in _IGNORE_CASE or name in _BOUNDED

    def hits(self) -> Hits:
        found = [_translated(text, self._kind) for text in self._patterns]
        if not all(found):  # one that is not known, or an empty one, which is found everywhere
            return Hits(None)
        try:
            flags = re.IGNORECASE if self._ignores_case else re.NOFLAG
            searched = compile_written("|".join(f"(?:{text})" for text in found), flags)
        except (re.error, OverflowError, RecursionError):
            return Hits(None)
        return Hits(None if searched.search("") else searched, has_context=self._has_context)


def _translated(text: str, kind: str) -> str:
    """A pattern as Python writes it, "" for one that may mean something else there."""
    if kind == "fixed":
        return re.escape(text)
    found, pos = "", 0
    while pos < len(text):
        char = text[pos]
        bracket = _CLASS.match(text, pos) if char == "[" else None
        if char == "\\":
            char, pos = text[pos + 1 : pos + 2], pos + 1
            if char in _SIGNS:
                found += char if kind == "basic" else f"\\{char}"
            elif char in _ESCAPED or (char == "d" and kind == "extended"):
                found += f"\\{char}"
            else:
                return ""
        elif bracket:
            found += bracket[0].replace("[]", "[\\]").replace("[^]", "[^\\]")
            pos = bracket.end() - 1
        elif char in _SIGNS:
            found += f"\\{char}" if kind == "basic" else char
        elif char in ".*":
            found += char
        elif char in "^$":
            pass  # a name and a number may come before the line, so the hit may be anywhere
        elif char == "[":
            return ""
        else:
            found += re.escape(char)
        pos += 1
    if "(?" in found or re.search(r"[*+?}][*+?{]", found):
        return ""  # what only some of them know
    return re.sub(r"^(?:\.[*+])+(?=.)|(?<=[^\\])(?:\.[*+])+$", "", found)


def _around(start: int, end: int, length: int) -> Iterator[tuple[int, int]]:
    """What to show of a hit: all of it, or both its ends if it is long."""
    first, last = max(0, start - _AROUND), min(length, end + _AROUND)
    if end - start <= 2 * _AROUND:
        yield first, last
    else:
        yield first, start + _AROUND
        yield end - _AROUND, last


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1] + _MARK:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


_MARK = 30  # characters that a mark has itself
