"""Masks secrets in what an agent reads: values of the environment, and tokens by their shape.

What a program reads is never masked. Lines stay lines, so that their numbers are those of the raw
output. A cheap search comes first: a text without a long run of letters and digits has no token.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache

from laconic.patterns import compile_written, pattern
from laconic.secrets.shapes import ASSIGNED, SHAPES, Shape, is_assigned_secret, secret_values
from laconic.settings.environ import agent_of, is_kept_file, is_person, own_terminals

_RUN = 20  # every shape has at least this many characters in a row
_CONTEXT, _BEGINNING = 12, 28  # bytes before a run, for the dot of `ya29.`, and from its start
_IN_RUNS = bytes(chr(n).isascii() and (chr(n).isalnum() or chr(n) in "_-") for n in range(256))
_RUNS = pattern(b"\1" * _RUN + b"\1*")
# A token may follow a colour code, an escaped newline, or anything that does not continue a word.
_BEFORE = rb"(?:(?<![A-Za-z0-9])|(?<=[\d\[]m)|(?<=\\[nrt]))"
_HOOK = b"hook"  # in the addresses of webhooks, whose long run comes long after the host name
_GROUP = 3  # bytes that base64 takes together
_STANDARD = bytes.maketrans(b"-_", b"+/")
_SHORT_VALUE = 16  # a shorter value is only masked as a whole word
_MOST_HELD = 4096  # bytes of an unfinished line that may become a secret
_HELD = pattern(rb"(?:[\w+/=.:\"'-]|\x1b(?:\[[0-9;:]*m?)?){1,4096}\Z")
_LONG_WORD = 8
_MOST_NUMBERED = 999

_ESCAPE = b"\x1b["
_COLOUR = pattern(rb"\x1b\[[0-9;:]*[mK]")  # ECMA-48, 8.3.117 (SGR) and 8.3.41 (EL)
_ANY_COLOUR = pattern(rb"\x1b(?:\[[0-9;:]*[mK]?)?")
# What is in a text with the name of a secret, or an address with a password.
_TELLING = (
    b"pass", b"_pw", b"secret", b"token", b"key", b"credential", b"auth", b"bearer", b"basic ",
    b"://", b"cookie", b"sig", b":543", b":6432:", b":*:",
)  # fmt: skip
# Nobody waits for what comes after it but a person.
_QUESTION = pattern(rb"[^\"'=]*[:?>\])$][ ]?\Z")
_HEADER = pattern(rb"(?i)\s{0,4}(?:[<>] )?(?:cookie|\w+-[\w-]+):[ ]?")
_VALUED = pattern(
    rb"[\w-]{0,20}[\"']?[ \t]{0,4}[:=]|(?<=bearer)[ ]|(?<=basic )\w"
    rb"|(?<=://)[^\s/\"'<>@]{0,300}@"
    rb"|(?<=pass)w(?:or)?d[ \t]|(?<=:543)[0-9]:|(?<=:[*2]:)[^\s:]{1,60}:"
)
_UNFINISHED = pattern(rb"(?:[a-z0-9+.-]{0,20}:/?|\b[0-9]{1,10})\Z")
_ENCODED = pattern(rb"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}")

_KEY = b"PRIVATE KEY"
# The other form is that of PuTTY: https://the.earth.li/~sgtatham/putty/latest/htmldoc/AppendixC.html
_KEYS = (_KEY, b"Private-Lines: ")
_KEY_BEGINS = pattern(
    rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,20}-----|^Private-Lines: \d+\s*$"
)
_KEY_ENDS = (b"-----END", b"Private-MAC:")
_KEY_LINE = pattern(rb"([A-Za-z0-9+/]{16,}={0,2}|^[A-Za-z0-9+/]{4,}={0,2})([\"',\\nr\s]*)$")
_KEY_INLINE = pattern(rb"(?:\\n|\\r|[A-Za-z0-9+/= ]){40,}")
_KEY_HEADER = pattern(rb"^\s*(?:[A-Za-z-]{3,20}: .*)?\s*$")


class Masker:
    """Masks secrets in the streams of one command; found: how many there were.

    values: the secrets of the environment, with the names of their variables. descriptors: those
    whose output an agent reads.
    """

    def __init__(self, values: Mapping[str, str], descriptors: Iterable[int] = (1, 2)) -> None:
        self.descriptors = frozenset(descriptors)
        self.found = 0
        self._names = {
            value.encode("utf-8", "surrogateescape"): name for value, name in values.items()
        }
        self._held: dict[int, bytes] = {}
        self._shown: dict[int, bytes] = {}  # of lines that are not finished
        self._in_key: dict[int, bool] = {}
        self._numbered: dict[int, int] = {}  # by the hash of a value

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Masker:
        """Make a masker for the secrets of an environment."""
        return cls(secret_values(environ))

    def again(self) -> Masker:
        """Return a new masker for the same streams, read again from the beginning."""
        made = Masker({}, self.descriptors)
        made._names, made._numbered = self._names, self._numbered
        return made

    def mask(self, data: bytes, number: int = 1, before: bytes = b"") -> bytes:
        """Mask whole lines of a descriptor. before: what has been shown of the first of them."""
        if number not in self.descriptors:
            return data
        if self._in_key.get(number) or any(sign in data for sign in _KEYS):
            data = self._without_keys(data, number)
        whole, shown = before + data, len(before)
        spans = list(self._spans(whole))
        if _ESCAPE in whole:  # a colour in the middle of a secret does not make it another one
            plain, places = _without_colours(whole)
            spans += [(places(a), places(b), name) for a, b, name in self._spans(plain)]
        spans = [(max(a - shown, 0), b - shown, name) for a, b, name in spans if b > shown]
        return self._cut(data, spans) if spans else data

    def _cut(self, data: bytes, spans: list[tuple[int, int, str]]) -> bytes:
        """Put names in place of secrets; the colours in them stay."""
        pieces, done = [], 0
        for start, end, name in sorted(spans, key=lambda span: (span[0], -span[1])):
            if start < done:
                continue
            colours = b"".join(_COLOUR.findall(data[start:end]))
            pieces += [data[done:start], f"[hidden: {name}]".encode(), colours]
            done = end
            self.found += 1
        return b"".join((*pieces, data[done:]))

    def _spans(self, data: bytes) -> Iterator[tuple[int, int, str]]:
        runs = _beginnings_of_runs(data)
        for searched, name in self._present(data, runs):
            yield from ((*found.span(), name) for found in searched.finditer(data))
        lowered = data.lower()
        for start, end in _telling_lines(data, lowered):
            line = data[start:end]
            for rule in _assigned():
                for found in rule.finditer(line):
                    if is_assigned_secret(found[1].decode("utf-8", "replace")):
                        yield (start + found.start(1), start + found.end(1), self._named(found[1]))
        if any(text in runs for text in _encoded()):
            for found in _ENCODED.finditer(data):
                if _hides_secret(found[0]):
                    yield (*found.span(), "secret in base64")

    def _named(self, value: bytes) -> str:
        """What to call a value: equal ones alike and others not, as the diff of a test needs it."""
        key = hash(value)
        if len(self._numbered) < _MOST_NUMBERED:
            self._numbered.setdefault(key, len(self._numbered) + 1)
        number = self._numbered.get(key)
        return "secret" if number == 1 else f"secret {number}" if number else "one more secret"

    def feed(self, data: bytes, number: int) -> bytes:
        """Mask pieces of any size; what may become a secret is held until its end is known."""
        if number not in self.descriptors:
            return data
        data = self._held.pop(number, b"") + data
        cut = data.rfind(b"\n") + 1
        last, before = data[cut:], self._shown.pop(number, b"")
        done = self.mask(data[:cut], number, before) if cut else b""
        before = b"" if cut else before
        waiting = self._waiting(last, number, before) if last else 0
        if waiting:
            self._held[number] = last[len(last) - waiting :]
            last = last[: len(last) - waiting]
        line = (before + last)[-_MOST_HELD:]
        if line and (_HEADER.fullmatch(line) or not _QUESTION.match(line.lower())):
            self._shown[number] = line  # what follows a question begins anew
        return done + (self.mask(last, number, before) if last else b"")

    def held(self, number: int) -> int:
        """Return how many bytes are held."""
        return len(self._held.get(number, b""))

    def rest(self, number: int) -> bytes:
        """Return what is still held, after the stream has ended."""
        return self.mask(self._held.pop(number, b""), number, self._shown.pop(number, b""))

    def _waiting(self, line: bytes, number: int, before: bytes) -> int:
        """Count the bytes at the end of an unfinished line that may begin a secret."""
        if _KEY in line or self._in_key.get(number):
            return min(len(line), _MOST_HELD)
        run = _HELD.search(line, max(0, len(line) - _MOST_HELD))
        length = len(run[0]) if run and _may_begin(_ANY_COLOUR.sub(b"", run[0])) else 0
        lowered = (before + line)[-_MOST_HELD:].lower()
        if any(word in lowered for word in _TELLING) and not _QUESTION.match(lowered):
            return min(len(line), _MOST_HELD)
        unfinished = _UNFINISHED.search(line, max(0, len(line) - _LONG_WORD * 4))
        length = max(length, len(unfinished[0])) if unfinished else length
        for value in self._names:
            for size in range(min(len(value) - 1, len(line)), length, -1):
                if line.endswith(value[:size]):
                    length = size
                    break
        for value in self._names:  # a value must not be cut in two
            cut = len(line) - length
            start = line.find(value, max(0, cut - len(value) + 1), cut + len(value) - 1)
            length = max(length, len(line) - start) if 0 <= start < cut else length
        return length

    def _present(self, data: bytes, runs: bytes) -> Iterator[tuple[re.Pattern[bytes], str]]:
        for value, name in self._names.items():
            if value in data:
                yield _of_value(value), name
        hooks = data if _HOOK in data else b""
        for shape in SHAPES:
            if shape.sign:
                if shape.sign.encode() in data:
                    yield _of_shape(shape), shape.name
            elif any(text in (hooks if _HOOK in text else runs) for text in _beginnings(shape)):
                yield _of_shape(shape), shape.name

    def _without_keys(self, data: bytes, number: int) -> bytes:
        lines = data.split(b"\n")
        inside = self._in_key.get(number, False)
        for pos, line in enumerate(lines):
            begins = _KEY_BEGINS.search(line)
            if begins:
                behind = _KEY_INLINE.match(line, begins.end())
                inside = not behind
                if behind:
                    lines[pos] = line[: begins.end()] + _HIDDEN_KEY + line[behind.end() :]
                    self.found += 1
            elif inside:
                inside = self._mask_key_line(lines, pos)
        self._in_key[number] = inside
        return b"\n".join(lines)

    def _mask_key_line(self, lines: list[bytes], pos: int) -> bool:
        """Mask a line of a key; tell whether the key continues."""
        line = lines[pos]
        if any(sign in line for sign in _KEY_ENDS):
            return False
        body = _KEY_LINE.search(line)
        if body:
            lines[pos] = line[: body.start(1)] + _HIDDEN_KEY + body[2]
            self.found += 1
            return True
        return pos == len(lines) - 1 or _KEY_HEADER.match(line) is not None


_HIDDEN_KEY = b"[hidden: private key]"


def masker_for(environ: Mapping[str, str]) -> Masker | None:
    """Return the masker for our own output; None if no agent reads any of it."""
    return masker_at(environ, own_terminals(), [n for n in (1, 2) if not _is_kept(n, environ)])


def masker_at(
    environ: Mapping[str, str], terminals: frozenset[int], written: Iterable[int] = (1, 2)
) -> Masker | None:
    """Return the masker for a caller. written: its descriptors that are not files."""
    if is_person(environ, terminals):
        return None
    is_agent = bool(agent_of(environ)[0])
    # A terminal counts only if an agent has it.
    read = [n for n in written if is_agent or n not in terminals]
    return Masker(secret_values(environ), read) if read else None


def _is_kept(number: int, environ: Mapping[str, str]) -> bool:
    """Tell whether nobody reads a descriptor now: it is a file, or it is closed."""
    try:
        return is_kept_file(number, environ)
    except OSError:
        return True


def _beginnings_of_runs(data: bytes) -> bytes:
    """Collect the beginnings of all runs that are long enough for a token, with some context."""
    runs = _RUNS.finditer(data.translate(_IN_RUNS))
    starts = map(re.Match.start, runs)
    return b"\n".join({data[max(0, start - _CONTEXT) : start + _BEGINNING] for start in starts})


def _may_begin(word: bytes) -> bool:
    """Tell whether a token may begin in an unfinished word, such as `=g` of `=ghp_`."""
    if len(word) >= _LONG_WORD:
        return True
    ends = [word[at:] for at in range(len(word))]
    if word[:1] in (b'"', b"'"):  # perhaps of a name
        return True
    if any(text.startswith(end.lower()) for text in _TELLING for end in ends):
        return True
    every = (text for shape in SHAPES for text in _beginnings(shape) if text)
    texts = (*every, *_encoded())
    return any(text in word or text.startswith(end) for text in texts for end in ends)


def _telling_lines(data: bytes, lowered: bytes) -> list[tuple[int, int]]:
    """Where lines are that have the name of a secret in front of a value, or such an address."""
    found: set[tuple[int, int]] = set()
    for word in _TELLING:
        at = lowered.find(word)
        while at >= 0:
            end = lowered.find(b"\n", at)
            end = len(data) if end < 0 else end
            if _VALUED.match(lowered, at + len(word)):
                found.add((lowered.rfind(b"\n", 0, at) + 1, end))
            at = lowered.find(word, at + len(word))
    return sorted(found)


def _without_colours(data: bytes) -> tuple[bytes, Callable[[int], int]]:
    """Return the text without colour codes, and what tells where a place in it was before."""
    pieces, starts, shifts, done, shift = [], [0], [0], 0, 0
    for found in _COLOUR.finditer(data):
        pieces.append(data[done : found.start()])
        done = found.end()
        starts.append(found.start() - shift)
        shift += done - found.start()
        shifts.append(shift)
    pieces.append(data[done:])
    return b"".join(pieces), lambda at: at + shifts[bisect_right(starts, at) - 1]


@cache
def _assigned() -> list[re.Pattern[bytes]]:
    return [compile_written(rule.encode()) for rule in ASSIGNED]


@cache
def _encoded() -> frozenset[bytes]:
    """How base64 of a token or a key begins: https://www.rfc-editor.org/rfc/rfc4648#section-4."""
    texts = [text for shape in SHAPES for text in _beginnings(shape) if len(text) > _GROUP]
    whole = (text[: len(text) // _GROUP * _GROUP] for text in (*texts, b"-----BEGIN"))
    return frozenset(b64encode(text) for text in whole)


def _hides_secret(encoded: bytes) -> bool:
    if not encoded.startswith(tuple(_encoded())):
        return False
    try:
        standard = encoded.rstrip(b"=").translate(_STANDARD)
        text = b64decode(standard + b"=" * (-len(standard) % 4))
    except ValueError:
        return False
    return _KEY in text or any(_of_shape(shape).match(text) for shape in SHAPES)


@cache
def _beginnings(shape: Shape) -> list[bytes]:
    return [text.encode() for text in shape.beginnings]


@cache
def _of_shape(shape: Shape) -> re.Pattern[bytes]:
    beginnings = b"|".join(map(re.escape, _beginnings(shape)))
    return pattern(_BEFORE + b"(?:" + beginnings + b")" + shape.strictly.encode())


@lru_cache(maxsize=256)
def _of_value(value: bytes) -> re.Pattern[bytes]:
    text = re.escape(value)
    return pattern(text if len(value) >= _SHORT_VALUE else rb"(?<!\w)" + text + rb"(?!\w)")


def masked_pieces(
    pieces: Iterable[tuple[str, bytes]], masker: Masker
) -> Iterator[tuple[str, bytes]]:
    """Yield the pieces of streams, one stream after the other, without their secrets."""
    current = ""
    for stream, piece in pieces:
        if current and stream != current:
            yield current, masker.rest(_number(current))
        current = stream
        yield stream, masker.feed(piece, _number(stream))
    if current:
        yield current, masker.rest(_number(current))


def _number(stream: str) -> int:
    return 2 if stream == "err" else 1
